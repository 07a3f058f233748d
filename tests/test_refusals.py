"""What the command line refuses ends with a status of its kind, one message, and no file."""

from __future__ import annotations

import gzip
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from support import EPOCH, TICKS_PER_MS, TINY_BYTES, line, mixed, slcache, write_trace

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
OWN = f"{Path(__file__).parent.parent}/examples/schemes/recent.py:Recent"
SWEEP, TUNE = (f"{verb} t.csv {ON} --out out" for verb in ("sweep", "tune"))
BLOCKS_OF = "scheme.baseline.slc_blocks"
TUNED = f"{TUNE} --vary {BLOCKS_OF}=1..3"
LEARNT = "run t.csv --device tiny --scheme rl --set step_bytes=65536 --memory-in memory"
#: Every verb that runs a device.
RUNS = (RUN, f"{COMPARE} tlc-only,baseline", CLIFF, SWEEP, TUNED)
BOUND, WHY, STATES = "bound t.csv", "why log.parquet", f"{COMPARE} tlc-only,baseline --states"
LEXAR = "cliff --device lexar-nm790-2tb-like --scale 1/64"
LIKE = "cliff --device tiny --like"
PIPED = "compare - --device tiny --schemes sa,baseline --trace-format msr"
NO_STATE = (
    *("full", "full=", "full=0", "full=1.1", "full=x", "worn=0.9", "worn=0.9,0", "worn=0.9,101"),
    *("worn=0.9,0.3,1", "empty=1", "steady=0.9", "fresh", "full=nan", "full=0.5,0.5", "worn"),
)
#: Where a device has no room for the parts that are asked for.
NEAREST = "--scale = 1/64: the nearest that works is 1/16; "

#: How a verb is said wrongly, and words of what is told, with … between them.
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
    (f"{COMPARE} tlc-only --normalise b", "'b': comparing tlc-only"),
    # What Python calls resample.
    (f"{COMPARE} baseline --seeds 3", "--resample N of compare"),
    ("explain --schema nonsense", "result"),
    ("explain waf --schema run", "KEY: has no effect with --schema"),
    ("explain --schema run --format csv", "--format: has no effect"),
    ("explain waf --device nope", "error: --device: nope says nothing of it: waf is of results"),
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
    # What would have no effect.
    ("trace twin t.csv -o x.toml --requests 9", "--requests"),
    ("trace twin t.csv -o x.toml --seed 1", "--seed"),
    ("trace twin t.csv -o x.toml --lossy label", "--lossy"),
    (f"{CLIFF} --bursts 3", "--bursts: has no effect without --pattern bursts"),
    (f"{CLIFF} --pause 3s", "--pause: has no effect without --pattern bursts"),
    (f"{CLIFF} --span 1GiB", "--span = 1073741824: the device has 3407872"),
    (f"{CLIFF} --amount 4x", "--amount: '4x' is not a size"),
    (f"{CLIFF} --pattern bursts --pause soon", "--pause: 'soon' is not a number with a unit"),
    (f"{CLIFF} --amount 16k", "less than two writes"),
    (f"{LIKE} techpowerup --against nm791", "no such drive"),
    (f"{LIKE} techpowerup --amount 1MiB", "--amount"),
    (f"{LIKE} techpowerup --schemes client", "--schemes"),
    (f"{LIKE} techpowerup --fill 0.5", "--fill"),
    (f"{LIKE} recovery --state full=0.5 --fill 0.5", "--fill"),
    (f"{LIKE} techpowerup --scale 2", "--scale"),
    ("cliff --device tiny --schemes client --against wd-sn580-1tb", "--against"),
    ("cliff --device tiny", "--schemes"),
    *((f"{LEXAR} {how}", NEAREST) for how in ("--like recovery", "--schemes all")),
    *(
        (f"{LEXAR} {of}", "fold.keep_blocks = ")
        for of in ("--like techpowerup", "--schemes client")
    ),
    *(
        (f"reproduce {words} --out out", told)
        for words, told in (
            ("hierachy", "did you mean 'hierarchy'?"),
            ("hierarchy --workloads web_9", "no workload web_9 in hierarchy; allowed: web_0"),
            ("hierarchy --seeds x", "expected whole numbers"),
            ("hierarchy --quick --sensitivity", "exclude each other"),
            ("hierarchy --executor slurm:4", "executor = slurm:4: must be local, dask://"),
            ("hierarchy --executor dask://h:1 --jobs 2", "has workers of its own"),
            ("hierarchy --full", "hierarchy is run at the paper's size anyhow"),
            ("nvc --reading probable", "no reading 'probable'; allowed: both, literal, closed"),
            ("nvc --reading closed --sensitivity", "starts from the literal reading, not closed"),
            ("drives --full", "--full"),
            ("drives --workloads speed", "allowed: fills, latency"),
            ("drives --workloads fills --sensitivity", "no effect on fills"),
            ("drives --quick --sensitivity", "exclude each other"),
            ("separation --full", "--full: has no effect on separation"),
            ("separation --sensitivity", "--sensitivity: has no effect on separation"),
            ("separation --workloads zipf-2", "separation has no workload 'zipf-2'"),
        )
    ),
    (f"{BOUND} --sizes 5000", "whole units of 4.00 KiB"),
    (f"{BOUND} --sizes 8KiB,4KiB", "sizes must rise"),
    (f"{BOUND} --sizes 4KiB,4KiB", "given twice: 4KiB"),
    (f"{BOUND} --sizes 1MiB..4GiB", "values; at most 1,000,000 are allowed"),
    (f"{BOUND} --sizes 4GiB..1MiB*2", "A..B*FACTOR"),
    (f"{BOUND} --sizes many", "is not a number with a unit"),
    (f"{BOUND} --sizes 8TiB", "at most 4.00 TiB"),
    *((f"{BOUND} --unit {unit}", "a power of two") for unit in ("3KiB", "256")),
    (f"{BOUND} --seed 3", "draws a workload"),
    (f"{BOUND} --picture bound.html", "does not end in one of .png, .svg, .pdf"),
    (f"{BOUND} --address compact", "--address"),
    (f"{BOUND} --device tiny --sizes 0", "lie above 0 up to 2097152"),
    (f"{BOUND} --device tiny --sizes 4MiB", "all 16 blocks of each plane in SLC mode"),
    (f"{BOUND} --device tiny --sizes 5000", "whole units of 4.00 KiB"),
    (f"{BOUND} --device tiny --unit 4KiB", "the device has its own"),
    *(
        (f"{words} --workload requests=5", "--workload: requests=5 is a key…and t.csv is none")
        for words in (*RUNS[:2], SWEEP, TUNED, INFO, BOUND, f"{SWEEP} zipf-4k")
    ),
    # What is said twice, by options that may be repeated and in lists.
    ("sweep t.csv --device tiny --scheme 'sa, sa' --out out", "--scheme…given twice"),
    (f"{SWEEP} --scheme sa --scheme baseline", "--scheme…given twice"),
    ("sweep t.csv --device tiny --scheme tlc-only,mlc-only", "given twice, as tlc-only and"),
    (f"{SWEEP} --vary slc_blocks=1..3 --vary slc_blocks=4", "slc_blocks: given twice, as 1..3"),
    (f"{TUNED} --scheme baseline", "--scheme…given twice"),
    (f"{TUNED} --minimise waf --maximise waf", "minimise, maximise…given twice"),
    (
        f"{TUNED} --such-that 'waf<=2' --such-that 'waf <= 3'",
        "waf<= is given twice, as waf<=2 and waf<=3",
    ),
    ("sweep show both.json", "both.json: a file; give the folder of the study"),
    ("sweep . --device tiny --scheme sa --out out", "error: . is a folder without study.toml"),
    (f"{SWEEP} --sample-seed 7", "--sample-seed: a grid draws no points"),
    (f"{SWEEP} --metric gain", "'gain' is no metric"),
    ("tune - --device tiny --scheme sa --vary host.time_scale=1,2", "give a file that stays"),
    ("diff both.json --rerun both.json", "takes one result"),
    ("diff both.json both.json --trace t.csv", "--trace: has no effect without --rerun"),
    ("diff both.json both.json --scheme baseline", "--scheme: has no effect without --rerun"),
    ("diff both.json both.json --out new", "--out: has no effect without --rerun"),
    ("diff both.json", "give a second result, or --rerun"),
    ("report both.json --normalise sector --out page.html", "sector"),
    ("explain no.such.thing.at.all", "is no key"),
    ("explain device.pool[2].blocks --device hyssd-st", "from [0] on"),
    ("explain device.pool[1].tlc.read_ns[9] --device hyssd-st", "from [0] on"),
    (f"{WHY} --above 1h", "no request took"),
    (f"{WHY} --above soon", "--above"),
    (f"{WHY} --request 999999", "not in"),
    (f"{WHY} --operation trim", "has no trim requests"),
    (f"{WHY} --slowest 3 --above 1ms", "give one at most"),
    (f"{COMPARE} baseline:slc_blocks=4,baseline:slc_blocks=4", "named twice"),
    (f"{COMPARE} 'raro:min_retries=[0, 0],baseline,raro:min_retries=[0, 0]'", "named twice"),
    (f"{PIPED} --store=kept", "store = kept: - can be read only once: give a file"),
    (f"{PIPED} --executor=dask://", "executor = dask://: - can be read only once: give a file"),
    (f"{PIPED} --executor=slurm:2", "executor = slurm:2: must be local"),
    (f"{PIPED} --jobs=2", "jobs = 2: - can be read only once: give a file"),
    (f"{PIPED} --jobs=0", "--jobs"),
    *(
        (f"{COMPARE} {schemes}", "schemes = …a name is empty")
        for schemes in ("tlc-only,,baseline", "tlc-only,", "all,,")
    ),
    *(
        (f"{COMPARE} {schemes} --equal-cells", "equal cells have no effect")
        for schemes in ("tlc-only,rl", "baseline,hierarchy", "tlc-only")
    ),
    *(
        (f"{STATES} {option}", f"--states…{option.partition('=')[0]}")
        for option in (
            *("--state=empty", "--out=o", "--seeds=2", "--resample=2", "--log=l.parquet"),
            *("--timeline=t.parquet", "--format=csv", "--gb-per-day=5"),
        )
    ),
    *((f"{RUN} --state={text}", f"--state: state = {text!r}") for text in NO_STATE),
    *((f"{words} --state=full", "--state: state = 'full'") for words in RUNS),
    *(
        (f"{words} --state worn=0.9,0.3 --set precondition.{key}=0.5", f"worn=0.9,0.3…{key}…0.5")
        for words in RUNS
        for key in ("fill", "overwrite", "steady")
    ),
    *((f"{RUN} --log x.{end}", "name it FILE.parquet") for end in ("csv", "json", "txt")),
    *(
        (f"fit {how}", "")
        for how in ("--job '/dev/x\nrw=read'", "--job nvme", "--job /dev/x a", "")
    ),
]
#: What is wrong with a configuration, a name or an option of a reader.
CONFIGURATION = [
    *(
        (f"{each} --replay closed:2 --vary {key}=1,2", f"{key}: set by replay = closed:2, and")
        for each in (SWEEP, TUNE)
        for key in ("host.queue_depth", "host.replay")
    ),
    (f"{INFO} --trace-option action=Q", "action…only with format blkparse, ftrace"),
    (f"{INFO} --trace-option mqsim_time_unit=us", "mqsim_time_unit…only with format mqsim"),
    (f"{INFO} --trace-option op_default=read", "op_default…only with format oracle_general"),
    (f"{INFO} --trace-option object_unit=512", "object_unit…only with format oracle_general"),
    (f"{INFO} --trace-option seed=3", "seed…only with a workload"),
    (f"{INFO} --trace-option workload.requests=3", "workload…only with a workload"),
    (f"{RUN} --set device.nonsense=1 --set host.queue_depth=-1", "nonsense"),
    (f"{RUN} --set device.nonsense=1 --set host.queue_depth=-1", "queue_depth"),
    (f"{RUN} --set slc_blockz=1", "slc_blocks"),
    *(
        (
            f"sweep t.csv --device tiny --scheme {OWN} --vary nonsense=1,2 --out out{more}",
            "nonsense: ",
        )
        for more in ("", " --skip-impossible")
    ),
    (f"{SWEEP} --vary slc_blox=3,4", "error: --vary slc_blox: slc_blox: unknown key"),
    (f"{TUNE} --vary slc_blox=3,4", "error: --vary slc_blox: slc_blox: unknown key"),
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
    ("run t.csv --device missing.toml --scheme baseline", "error: --device missing.toml: no"),
    ("devices show missing.toml", "error: missing.toml: no such preset"),
    (f"{COMPARE} tlc-only,nonsense", "nonsense"),
    *(
        (f"{verb} --device gc-8g --schemes tlc-only,baseline", "error: baseline does not run on")
        for verb in ("compare t.csv", "cliff")
    ),
    # One thing that is said in two ways.
    (f"{RUN} --trace-format msr --trace-option format=spc", "trace option format: given"),
    (f"{RUN} --volume 1 --trace-option volume=2", "trace option volume: given twice"),
    (f"{RUN} --unsorted keep --trace-option unsorted=error", "trace option unsorted: given"),
    (f"{RUN} --trace-option time=1 --trace-option generic.time=2", "give one of the two"),
    (f"{RUN} --trace-option ops.0=read --trace-option generic.ops.0=write", "one of the two"),
    (f"run zipf-4k {ON} --workload twin.x=1 --trace-option workload.twin=2", "give one of the two"),
    (f"run zipf-4k {ON} --workload requests=1 --trace-option workload.requests=2", "given twice"),
    (f"{RUN} --seed 1 --set run.seed=1", "--seed 1: run.seed=1 says it as well"),
    (f"run zipf-4k {ON} --seed 1 --trace-option seed=1", "trace option seed: given twice"),
    (f"{RUN} --replay open --set host.replay=open", "host.replay"),
    (f"{RUN} --replay closed:4 --set host.queue_depth=8", "host.queue_depth"),
    (f"{RUN} --address wrap --set trace.address=wrap", "trace.address: given twice"),
    (f"{RUN} --set slc_blocks=3 --set scheme.baseline.slc_blocks=3", "slc_blocks"),
    (f"{RUN} --set device.pool.0.blocks=9 --set device.pool[0].blocks=9", "device.pool"),
    (f"{CONVERT} --as nonsense", "nonsense"),
    ("trace convert t.csv -o x.csv --as msr --lossy all", 'error: --lossy: "all"'),
    ("trace generate zipf-4k -o x.csv --as msr --workload requests=9", '--lossy "label" writes'),
    *(
        (f"{CONVERT} --trace-option {option}", option.split("=")[0])
        for option in (
            *("from_ns=1h", "from_ns=soon", "to_ns=0s", "skip=400", "skip=-1", "take=0"),
            *("copies=0.5", "copies=x", "time_scale=0", "rebase=x"),
        )
    ),
    (f"{CONVERT} --as msr", "name tells parquet, and the format is to b"),
    *(
        (f"{CLIFF} --set {key}={value}", f"{key} = {value}: has no effect here")
        for key, value in (
            ("host.queue_depth", 4),
            ("trace.prefill", "none"),
            ("host.replay", "open"),
        )
    ),
    (f"{CLIFF} --set host.time_scale=2", "host.time_scale: has no effect"),
    (f"{BOUND} --device tiny --set device.user_bytes=1", "device.user_bytes"),
    (f"{BOUND} --device nvc-hdd", "with a disk all flash is cache"),
    (f"{SWEEP} --metric gain_share --set run.bound=false", "gain_share needs it counted"),
    ("run t.csv --device tiny --scheme rl --memory-out t.csv", "is the input"),
    ("run t.csv --device tiny --scheme rl --memory-out n --save-state n", "is the output"),
    (f"{LEARNT} --memory-out memory", "is the input"),
    (f"{COMPARE} tlc-only,baseline --memory-in memory", "schemes with one: rl"),
    (f"{COMPARE} baseline:slc_blocks=4:slc_blocks=5", "slc_blocks: given twice, as 4 and 5"),
    (f"{COMPARE} baseline,baseline:slc_blox=4", "did you mean slc_blocks"),
    (f"{COMPARE} baseline:slc_blocks=900", "slc_blocks"),
    (f"{COMPARE} baselin:slc_blocks=4", "baselin"),
    ("trace generate zipf-4k -o out.csv", "bound it by --workload requests=1000000 or"),
    ("trace generate twin.toml -o out.csv --as msr", "label"),
    (f"trace twin one.csv {BLOCKS}", "has 1 requests"),
    (f"trace twin even.csv {BLOCKS}", "pause_ns = 100000000"),
    (f"trace twin bursts.csv {BLOCKS} --footprint 1000", "footprint_bytes = 1000"),
    (f"{SHORT} --footprint 2k", "request of 4096 bytes"),
]
LATER = EPOCH + 1000 * TICKS_PER_MS
#: What the 51st line of a trace says; readers are asked about others.
BAD_LINES = {
    "columns": f"{LATER},test,0,Write,0\n",
    "size": line(LATER, "Write", 0, 0),
    "backwards": line(EPOCH, "Write", 0, 4096),
    "beyond": line(LATER, "Write", TINY_BYTES - 4096, 8192),
}
GOOD = "".join(line(EPOCH + i * TICKS_PER_MS, "Write", 4096 * i, 4096) for i in range(50))
#: What is no trace at all.
UNREADABLE = {
    **{"nothing": b"", "bytes": bytes(range(256)) * 64},
    "cut": gzip.compress(GOOD.encode() * 40)[:-40],
}
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
    ("trace info zipf-4k", "bound it by --workload requests=1000000 or --workload duration_ns"),
    ("trace generate nonsense -o out.csv", "nonsense"),
    ("trace workloads nonsense", "nonsense"),
    *((f"run {name}.csv {ON} --json --out out", "51") for name in BAD_LINES),
    *(
        (f"{verb} {name}.csv --trace-format msr", f"{name}.csv")
        for verb in (f"run {ON}", "trace info")
        for name in UNREADABLE
    ),
]
#: What is no file of its kind, or of another trace.
OTHERS = [
    (f"{CONVERT[:-11]}no/t.parquet", "no"),
    (f"{LEARNT[:-6]}t.csv", "not a memory of slcache"),
    (f"{LEARNT[:-6]}none", "No such file"),
    ("why none.parquet", "none.parquet: cannot be read as Parquet: No such file"),
    (f"{LEARNT} --set slc_share_bins=8", "different:"),
    (
        "report both.json foreign.json --out page.html",
        "runs of different traces cannot be compared",
    ),
]
CASES = [
    (words, status, told)
    for status, rows in ((1, OTHERS), (2, USAGE), (3, CONFIGURATION), (4, TRACES))
    for words, told in rows
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, comparison: package.Comparison) -> Path:
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
    for name, text in BAD_LINES.items():
        (place / f"{name}.csv").write_text(GOOD + text + line(LATER + 9, "Read", 0, 4096))
    for name, content in UNREADABLE.items():
        (place / f"{name}.csv").write_bytes(content)
    assert slcache("trace", "twin", place / "t.csv", "-o", place / "twin.toml").returncode == 0
    how: dict[str, Any] = {"device": "tiny", "settings": {"scheme.rl.step_bytes": 65536}}
    package.run(place / "t.csv", scheme="rl", memory_out=place / "memory", **how)
    (place / "both.json").write_text(comparison.to_json())
    foreign = write_trace(place / "other.csv", mixed(seed=8))
    run = package.run(foreign, device="tiny", scheme="baseline", log=place / "log.parquet")
    (place / "foreign.json").write_text(run.to_json())
    return place


@pytest.mark.parametrize(("words", "status", "told"), CASES, ids=lambda of: str(of)[:60])
def test_what_is_wrong_is_told_and_leaves_nothing(
    folder: Path, words: str, status: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    done = slcache(*shlex.split(words))
    assert (done.returncode, done.stdout) == (status, b""), done.stderr
    said = " ".join(done.stderr.decode().split())
    assert re.search("(^| )error: ", said)
    assert all(part in said for part in told.split("…"))
    assert not re.search(r"Traceback|\[Errno|os error", said)
    # What lies beyond a device is told with what may become of it.
    assert words[:6] != "run be" or "--address" in said
    assert sorted(folder.rglob("*")) == before
