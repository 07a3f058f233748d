"""What the command line refuses ends with a status of its kind, one message, and no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import mixed, slcache, write_trace

ON = "--device tiny --scheme baseline"
RUN = f"run t.csv {ON}"
COMPARE = "compare t.csv --device tiny --schemes"
CLIFF = "cliff --device tiny --schemes baseline"
SEEDS = "reproduce ips --quick --out out --seeds"
CONVERT = "trace convert t.csv -o out.parquet"
INFO = "trace info t.csv"
BLOCKS = "-o out.parquet --by blocks"
SHORT = f"trace twin bursts.csv {BLOCKS} --block-requests 9"
MOST = str((1 << 64) - 1)

#: How a verb is said wrongly, and a word of what is told.
USAGE = [
    ("nonsense", "nonsense"),
    ("devices shw", "has no verb 'shw'; did you mean show? See slcache devices --help"),
    ("trace inf", 'Unknown command "inf"; did you mean "info"? See slcache trace --help'),
    ("run", "TRACE"),
    ("run t.csv --scheme baseline", "--device"),
    (f"{RUN} --bad", "--bad"),
    (f"{RUN} --set x", "key=value"),
    (f"{RUN} --workload requests", "key=value"),
    (f"{RUN} --seed -1", "--seed"),
    (f"{RUN} --seed 1.5", "'1.5' is no whole number"),
    (f"{RUN} --replay closed:0", "closed:N"),
    (f"{RUN} --unsorted sort", "sort:N"),
    (f"{RUN} --address x", "wrap"),
    ("run t.csv --json --format csv", "--json and --format csv"),
    ("run t.csv --device --scheme b", "--device: its value is missing"),
    ("run t.csv x.csv --device tiny --scheme b", "'x.csv'"),
    ("report a b --gb-per-dya 1", "did you mean --gb-per-day?"),
    (f"{COMPARE} ,", "no scheme"),
    (f"{COMPARE} a,a", "named twice: a"),
    (f"{COMPARE} a --normalise b", "'b'"),
    # What Python calls resample.
    (f"{COMPARE} baseline --seeds 3", "--resample N of compare"),
    ("explain --schema nonsense", "result"),
    ("explain waf --schema run", "KEY: has no effect with --schema"),
    ("explain --schema run --format csv", "--format: has no effect"),
    ("tune t.csv --device tiny --scheme sa --vary a", "--vary"),
    (f"{CLIFF} --amount 0", "--amount"),
    (f"{CLIFF} --amount 1KB", "see slcache cliff --help"),
    (f"{CLIFF} --bs 0", "--bs"),
    (f"{CLIFF} --bs 1000", "--bs"),
    (f"{CLIFF} --span 0", "--span"),
    (f"{CLIFF} --iodepth 0", "--iodepth"),
    (f"{CLIFF} --pattern bursts --pause 0s", "--pause"),
    (f"{CLIFF} --pattern bursts --bursts 1", "--bursts"),
    (f"{SEEDS} -1", "-1 is not between 0 and 9223372036854775807"),
    (f"{SEEDS} 18446744073709551616", "error: --seeds: '18446744073709551616'"),
    (f"{SEEDS} 1,1", "1 is given twice"),
    (f"{SEEDS} 1,,2", "expected whole numbers"),
    (f"{INFO} --trace-format msn", "did you mean 'msr'"),
    (f"{INFO} --seed 5", "--seed"),
    (f"{INFO} --picture picture.gif", ".png, .svg, .pdf, .html"),
    (f"{INFO} --expect requests", "NAME=VALUE"),
    (f"{INFO} --expect requests=many", "NAME=VALUE"),
    (f"{INFO} --expect requests=1~x", "NAME=VALUE"),
    (f"{INFO} --expect reqests=1", "'reqests'"),
    (f"{INFO} --expect format=1", "'format'"),
    (f"{INFO} --expect mean_write_kb=4.92", "_kib"),
    (f"{INFO} --against t.csv --against-option format", "key=value"),
    (f"{INFO} --against-option format=msr", "--against names"),
    ("trace convert t.csv", "--out"),
    ("trace workloads --workload requests=1", "--workload"),
    ("trace twin t.csv -o twin.csv", "ends with .toml"),
    (f"{SHORT} --pause soon", "soon"),
    (f"{SHORT} --requests 0", "--requests"),
    (f"{SHORT} --requests {'9' * 4000}", MOST),
    (f"{SHORT} --places else", "kept"),
    (f"{SHORT} --stages 0", "--stages"),
    (f"{SHORT} --stages {1 << 64}", MOST),
    (f"{SHORT} --regions else", "shuffled"),
]
#: What is wrong with a configuration, a name or an option of a reader.
CONFIGURATION = [
    (f"{RUN} --set device.nonsense=1 --set host.queue_depth=-1", "nonsense"),
    (f"{RUN} --set device.nonsense=1 --set host.queue_depth=-1", "queue_depth"),
    (f"{RUN} --set slc_blockz=1", "slc_blocks"),
    (f"{RUN} --set device.mu_bytes=often", "mu_bytes"),
    (f"{RUN} --set device.mu_bytes=1000", "mu_bytes"),
    (f"{RUN} --set host.time_scale=-1", "time_scale"),
    (f"{RUN} --set device.pool[0].planes=0", "planes"),
    (f"{RUN} --set device.pool[0].blocks=99999999999", "blocks"),
    (f"{RUN} --set slc_blocks=99 --set run.seed=3", "error: --set slc_blocks=99: scheme.base"),
    (f"{RUN} --set run.seed=3 --set slc_blocks=99", "error: --set slc_blocks=99: scheme.base"),
    (f"{RUN} --set trace.address=sideways", "address"),
    ("run t.csv --device tiny --scheme basline", "Did you mean baseline?"),
    ("run t.csv --device tiny --scheme base", "Did you mean baseline?"),
    ("run t.csv --device tinny --scheme baseline", "Did you mean tiny?"),
    ("run t.csv --device missing.toml --scheme baseline", "missing.toml"),
    (f"{COMPARE} tlc-only,nonsense", "nonsense"),
    # One thing that is said in two ways.
    (f"{RUN} --trace-format msr --trace-option format=spc", "trace option format: given"),
    (f"{RUN} --volume 1 --trace-option volume=2", "trace option volume: given twice"),
    (f"{RUN} --unsorted keep --trace-option unsorted=error", "trace option unsorted: given"),
    (f"{RUN} --trace-option time=1 --trace-option generic.time=2", "give one of the two"),
    (f"{RUN} --trace-option ops.0=read --trace-option generic.ops.0=write", "one of the two"),
    (f"{RUN} --workload twin.x=1 --trace-option workload.twin=2", "give one of the two"),
    (f"{RUN} --workload requests=1 --trace-option workload.requests=2", "given twice"),
    (f"{RUN} --seed 1 --set run.seed=1", "run.seed: run.seed=1 sets run.seed as well"),
    (f"run zipf-4k {ON} --seed 1 --trace-option seed=1", "trace option seed: given twice"),
    (f"{RUN} --replay open --set host.replay=open", "host.replay"),
    (f"{RUN} --replay closed:4 --set host.queue_depth=8", "host.queue_depth"),
    (f"{RUN} --address wrap --set trace.address=wrap", "trace.address: given twice"),
    (f"{RUN} --set slc_blocks=3 --set scheme.baseline.slc_blocks=3", "slc_blocks"),
    (f"{RUN} --set device.pool.0.blocks=9 --set device.pool[0].blocks=9", "device.pool"),
    (f"{CONVERT} --as nonsense", "nonsense"),
    (f"{CONVERT} --as msr --lossy all", "all"),
    *(
        (f"{CONVERT} --trace-option {option}", option.split("=")[0])
        for option in (
            *("from_ns=1h", "from_ns=soon", "to_ns=0s", "skip=400", "skip=-1", "take=0"),
            *("copies=0.5", "copies=x", "time_scale=0", "rebase=x"),
        )
    ),
    ("trace generate zipf-4k -o out.csv", "bound it by --workload requests=1000000 or"),
    ("trace generate twin.toml -o out.csv --as msr", "label"),
    (f"trace twin one.csv {BLOCKS}", "has 1 requests"),
    (f"trace twin even.csv {BLOCKS}", "pause_ns = 100000000"),
    (f"trace twin bursts.csv {BLOCKS} --footprint 1000", "footprint_bytes = 1000"),
    (f"{SHORT} --footprint 2k", "request of 4096 bytes"),
]
#: What is wrong with a trace or a workload.
TRACES = [
    ("run missing.csv --device tiny --scheme baseline", "missing.csv"),
    ("trace convert missing.csv -o out.parquet", "missing.csv"),
    ("trace convert t.csv missing.csv -o out.parquet", "missing.csv"),
    ("trace convert t.csv t.csv -o out.parquet --volume x", "--volume"),
    ("trace twin one.csv -o out.toml", "a twin needs 2 or more"),
    ("trace info no-format.trace", '--trace-format "mqsim" or "'),
    ("trace info back.trace --trace-format mqsim", '; --unsorted "sort:N" reorders'),
    ("trace info empty.trace --trace-format mqsim", '(--trace-option zero_size="skip" leaves'),
    (f"{INFO} --against no-format.trace", '--against-option format="mqsim"'),
    (f"{INFO} --against zipf-4k", "no end"),
    (f"run twin.toml {ON} --workload nonsense=1", "nonsense"),
    (f"run twin.toml {ON} --workload twin.write_share=2", "write_share"),
    (f"run zipf-4k {ON}", "bound it by --workload requests=1000000 or --workload duration_ns"),
    (f"{RUN} --workload requests=5", "workload"),
    ("trace info zipf-4k", "bound it by --workload requests=1000000 or --workload duration_ns"),
    ("trace generate nonsense -o out.csv", "nonsense"),
    ("trace workloads nonsense", "nonsense"),
]
CASES = [
    (words, status, told)
    for status, rows in ((1, [(f"{CONVERT[:-11]}no/t.parquet", "no")]), (2, USAGE),
                         (3, CONFIGURATION), (4, TRACES))
    for words, told in rows
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command lines name, with nothing else."""
    place = tmp_path_factory.mktemp("refused")
    write_trace(place / "t.csv", mixed())
    write_trace(place / "one.csv", mixed(1))
    write_trace(place / "even.csv", [(at, "Write", 4096 * at, 4096) for at in range(300)])
    bursts = [(1000 * s + at, "Write", 4096 * at, 4096) for s in range(12) for at in range(40)]
    write_trace(place / "bursts.csv", bursts)
    (place / "no-format.trace").write_text("0 0 8 8 1\n1000 0 16 8 0\n")
    (place / "back.trace").write_text("2000 0 8 8 1\n1000 0 16 8 0\n")
    (place / "empty.trace").write_text("0 0 8 0 1\n")
    assert slcache("trace", "twin", place / "t.csv", "-o", place / "twin.toml").returncode == 0
    return place


@pytest.mark.parametrize(("words", "status", "told"), CASES, ids=lambda of: str(of)[:60])
def test_what_is_wrong_is_told_and_leaves_nothing(
    folder: Path, words: str, status: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    done = slcache(*words.split())
    assert (done.returncode, done.stdout) == (status, b""), done.stderr
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert sorted(folder.rglob("*")) == before
