"""Comparisons side by side, repeated, and held against others."""

from __future__ import annotations

import copy
import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import _core, explain, units
from slcache.code import names_of
from slcache.execute.executors import Local
from slcache.execute.tasks import Task
from slcache.metrics import METRICS
from slcache.options import parsing
from slcache.results import differences
from slcache.study import sweep
from slcache.study.model import Study
from support import command as command_of
from support import heed_ctrl_c, json_of, lasting, mixed, workers, write_trace
from support import slcache as command

HOW: dict[str, Any] = {"device": "tiny", "schemes": ["tlc-only", "baseline", "sa"]}
CLIFF: dict[str, Any] = {**HOW, "amount_bytes": 1 << 22, "write_bytes": 4096}

Counted = Callable[[], int]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """How many runs went on in this process since it was last asked."""
    runs: list[object] = []
    plain = _core.run

    def counting(*arguments: Any, **how: Any) -> str:  # noqa: ANN401
        runs.append(arguments)
        return plain(*arguments, **how)

    def since() -> int:
        count = len(runs)
        runs.clear()
        return count

    monkeypatch.setattr(_core, "run", counting)
    return since


def figures(found: slcache.Comparison) -> list[dict[str, Any]]:
    return [lasting(each) for each in found.documents]


def compared(trace: Path, **how: Any) -> slcache.Comparison:  # noqa: ANN401
    found = slcache.compare(trace, **{**HOW, "address": "wrap", **how})
    assert isinstance(found, slcache.Comparison)
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_comparisons_go_on(jobs: int, trace: Path, tmp_path: Path, counted: Counted) -> None:
    def ending(phase: str, done: int, _total: int) -> bool:
        return not phase.startswith("sa: ") if jobs == 1 else done < 1

    with pytest.raises(KeyboardInterrupt):
        compared(trace, store=tmp_path, jobs=jobs, on_progress=ending)
    kept = len(list(tmp_path.rglob("*.json.gz")))
    assert 0 < kept < 3 if jobs == 1 else kept <= 3
    counted()
    found = compared(trace, store=tmp_path)
    assert counted() == 3 - kept
    again = compared(trace, store=tmp_path)
    assert counted() == 0
    plain = compared(trace)
    assert counted() == 3
    assert figures(plain) == figures(found) == figures(again)
    # What differs from the runs that are kept is run.
    assert figures(compared(trace, store=tmp_path, seed=9)) != figures(found)
    assert counted() == 3


def test_a_cliff_goes_on_with_what_is_kept(tmp_path: Path, counted: Counted) -> None:
    slcache.cliff(**{**CLIFF, "schemes": HOW["schemes"][:2]}, store=tmp_path)
    counted()
    found = slcache.cliff(**CLIFF, store=tmp_path)
    assert counted() == 1
    assert found.to_json() == slcache.cliff(**CLIFF).to_json()


def test_a_sweep_and_a_comparison_share_runs(trace: Path, tmp_path: Path, counted: Counted) -> None:
    """But for those that write a log, which are run again."""
    store = tmp_path / "store"
    # A comparison has the bound of its runs counted.
    settings = {"trace.address": "wrap", "run.bound": True}
    sweep(trace, device="tiny", scheme=HOW["schemes"], settings=settings, store=store, jobs=1)
    counted()
    found = compared(trace, store=store)
    assert counted() == 0
    logged = compared(trace, store=store, log=tmp_path / "log.parquet")
    assert counted() == 3
    assert len(list(tmp_path.glob("log-*.parquet"))) == 3
    assert figures(found) == figures(logged)
    executor = workers()
    theirs = [compared(trace, executor=executor), compared(trace, executor=executor, resample=2)]
    cliff = slcache.cliff(**CLIFF, executor=executor)
    assert counted() == 0
    assert figures(theirs[0]) == figures(compared(trace))
    assert figures(theirs[1]) == figures(compared(trace, resample=2))
    assert cliff.to_json() == slcache.cliff(**CLIFF).to_json()


def test_what_does_not_fit_into_memory_is_told_before_anything_runs(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "shortage", lambda _: "needs 9 TiB, of which there are 8 GiB")
    started: list[Task] = []
    monkeypatch.setattr(Local, "submit", lambda _, task: started.append(task))
    with pytest.raises(slcache.ConfigError, match="sa: needs 9 TiB"):
        compared(trace, jobs=2, store=tmp_path)
    with pytest.raises(slcache.ConfigError, match="sa: needs 9 TiB"):
        slcache.cliff(**CLIFF, jobs=2)
    assert not started


def both(trace: Any, tmp_path: Path, **how: Any) -> list[slcache.Comparison]:  # noqa: ANN401
    """Compare one by one and side by side; the logs are the same too."""
    found = []
    for jobs in (1, 2):
        log = tmp_path / f"{jobs}" / "log.parquet"
        log.parent.mkdir()
        found.append(slcache.compare(trace, log=log, jobs=jobs, **how))
    logs = [{p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("1", "2")]
    assert logs[0] == logs[1] != {}
    return found


def test_side_by_side_is_one_by_one(trace: Path, tmp_path: Path) -> None:
    how = {"device": "tiny", "schemes": ["tlc-only", "baseline", "rl"], "address": "wrap"}
    memory = tmp_path / "memory"
    slcache.run(trace, device="tiny", scheme="rl", memory_out=memory)
    one, two = both(trace, tmp_path, memory_in=memory, **how)
    assert figures(one) == figures(two)
    assert {*map(str, one.inputs)} == {*map(str, two.inputs)}
    drawn = {"requests": 300, "footprint_bytes": 1 << 20, "global": {"rw": "randwrite", "bs": "4k"}}
    how = {"device": "tiny", "schemes": "tlc-only,sa", "normalise": "sa"}
    (tmp_path / "seeds").mkdir()
    one, two = both(drawn, tmp_path / "seeds", seeds=3, seed=5, **how)
    assert isinstance(one, slcache.Comparison)
    assert one.verdict() == two.verdict()
    assert figures(one) == figures(two)


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        (["--set", "scheme.sa.slc_blocks=15"], 3, "scheme.sa.slc_blocks = 15"),
        (["--trace-format", "spc"], 4, "is not a block number"),
        (["--jobs", "0"], 2, "--jobs"),
    ],
)
def test_all_fail_alike(
    options: list[str], status: int, told: str, trace: Path, tmp_path: Path
) -> None:
    how = ("compare", trace, "--device", "tiny", "--schemes", "sa,baseline", "--out", tmp_path)
    one, two = (command(*how, "--jobs", jobs, *options) for jobs in "12")
    assert one.returncode == two.returncode == status
    assert one.stderr == two.stderr
    assert told in one.stderr.decode()
    assert not list(tmp_path.iterdir())


def test_a_cliff_is_the_same_side_by_side() -> None:
    how: dict[str, Any] = {"device": "tiny", "schemes": ["baseline", "ips"]}
    how |= {"amount_bytes": 1 << 22, "write_bytes": 4096}
    for bursts, pause_ns in ((None, None), (2, 1000)):
        one, two = (
            slcache.cliff(**how, bursts=bursts, pause_ns=pause_ns, jobs=jobs) for jobs in (1, 2)
        )
        assert one.to_json() == two.to_json()


@pytest.mark.long
def test_what_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.parquet"
    how = ("--device", "hierarchy-44g", "--schemes", "baseline,sa", "--jobs", "2", "--log", log)
    arguments: list[str | Path] = ["compare", "hierarchy-web_0", *how, "--out", tmp_path / "out"]
    with subprocess.Popen(
        command_of(arguments), stderr=subprocess.DEVNULL, preexec_fn=heed_ctrl_c
    ) as process:
        # Two workers, each with a hidden folder of its own for its log.
        while len(list(tmp_path.glob(".slcache-*"))) < 2:
            assert process.poll() is None, "ended before it was interrupted"
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    assert list(tmp_path.iterdir()) == []


#: Room for SLC blocks from 3 to 6.
SMALL: dict[str, Any] = {"trace.address": "wrap", "device.user_bytes": 2 << 20}
VARIANTS = ["baseline", "baseline:slc_blocks=4", "baseline:slc.victim=fifo:buffer.bytes=1MiB"]


def alone(trace: Path, settings: dict[str, Any]) -> dict[str, Any]:
    run = slcache.run(trace, device="tiny", scheme="baseline", settings={**SMALL, **settings})
    return dict(run.to_dict()["figures"])


def test_settings_of_one_scheme_are_compared(trace: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "settings": {**SMALL, "slc_blocks": 5}}
    found = slcache.compare(trace, schemes=VARIANTS, **how)
    assert found.labels == VARIANTS
    own: list[dict[str, Any]] = [
        {"slc_blocks": 5},
        {"slc_blocks": 4},
        {"slc_blocks": 5, "slc.victim": "fifo", "buffer.bytes": "1MiB"},
    ]
    for label, settings in zip(VARIANTS, own, strict=True):
        assert found[label].to_dict()["figures"] == alone(trace, {**settings, "run.bound": True})
    found.save(tmp_path / "out")
    assert slcache.rerun(tmp_path / "out").result.figures.equals(found.figures)
    names = "raro,raro-hot,raro:min_retries=[0, 0]"
    settings = {"device.cells.wear": "damage"}
    found = slcache.compare(
        trace, device="rl-32g", schemes=names, settings=settings, address="wrap"
    )
    assert found.labels == ["raro", "raro-hot", "raro:min_retries=[0, 0]"]
    asked = [run["config"]["scheme"]["raro"]["min_retries"] for run in found.to_dict()["runs"]]
    assert asked[0] != asked[1] == asked[2] == [0, 0]
    assert found.to_polars()["scheme"].to_list() == found.labels
    assert list(Study(trace="t", device="rl-32g", scheme=names_of(names)).schemes) == found.labels


def test_the_unit_is_the_shortest_times_unless_the_longest_gets_long() -> None:
    cases: list[tuple[list[float | None], str]] = [
        ([80.0, 4_000.0], "µs"),
        ([0.9, 80_000.0], "µs"),
        ([9.0, 80_000.0], "ms"),
        ([80.0, 4_000_000.0], "ms"),
        ([None, 0.0, 2_000.0], "ms"),
        ([0.05], "ns"),
        ([2e6, 1e12], "s"),
    ]
    for times_us, unit in cases:
        show = units.in_one_unit(times_us)
        assert {show(each).rpartition(" ")[2] for each in times_us if each} == {unit}


def test_schemes_are_compared_on_several_devices(trace: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"schemes": ["tlc-only", "baseline"], "address": "wrap"}
    both = slcache.compare(trace, device=["tiny", "rl-32g"], **how)
    found = []
    for device in ("tiny", "rl-32g"):
        for alone in slcache.compare(trace, device=device, **how).runs:
            found.append(f"{alone.label} on {device}")
            assert both[found[-1]].to_dict()["figures"] == alone.to_dict()["figures"]
    assert both.labels == found
    with pytest.raises(slcache.UsageError, match="tiny is given twice"):
        slcache.compare(trace, device=["tiny", "tiny"], **how)
    mine = tmp_path / "mine.toml"
    mine.write_text(Path("presets/devices/tiny.toml").read_text())
    with pytest.raises(slcache.UsageError, match=f"tiny is given twice, as tiny and {mine}; "):
        slcache.compare(trace, device=["tiny", mine], **how)
    assert "differ in more than their schemes: " in " ".join(both.verdict())
    # A share of what is gained on one device says nothing of another.
    shares = [row[-1].plain for table in both.gains() for row in table.rows]
    assert not any("%" in share for share in shares[2:])
    with pytest.warns(UserWarning, match="left out") as caught:
        slcache.compare(trace, device=["tiny", "mqsim-like"], schemes="all", address="wrap")
    told = [str(each.message) for each in caught]
    assert any(" are left out on tiny: " in line for line in told)
    assert any(" left out on mqsim-like: " in line for line in told)


def test_a_run_a_study_and_a_curve_take_them(trace: Path, tmp_path: Path) -> None:
    text, own = "baseline:slc_blocks=4", {"slc_blocks": 4}
    run = slcache.run(trace, device="tiny", scheme=text, settings=SMALL)
    assert run.to_dict()["figures"] == alone(trace, own)
    study = slcache.sweep(
        trace, device="tiny", scheme=[text, "baseline:slc_blocks=3"], settings=SMALL, metrics="waf"
    )
    rows = {row["scheme"]: row["waf"] for row in study.table.to_dicts()}
    assert rows == {text: run.waf, "baseline:slc_blocks=3": alone(trace, {"slc_blocks": 3})["waf"]}
    curve = slcache.cliff(
        device="tiny", schemes=[text, "baseline"], settings={"device.user_bytes": 2 << 20}
    )
    assert list(curve.curves) == [text, "baseline"]
    how: dict[str, Any] = {"device": "tiny", "address": "wrap"}
    names = ["baseline", "baseline:device.name=a/b c"]
    slcache.compare(
        trace, schemes=names, log=tmp_path / "r.parquet", timeline=tmp_path / "t.parquet", **how
    )
    kinds = ("baseline", "baseline-device.name=a-b-c")
    assert {p.name for p in tmp_path.iterdir()} == {f"{f}-{k}.parquet" for f in "rt" for k in kinds}
    both = ["baseline:device.name=a/b", "baseline:device.name=a-b"]
    with pytest.raises(slcache.UsageError, match="the files of two runs have one name"):
        slcache.compare(trace, schemes=both, log=tmp_path / "r.parquet", **how)


def test_the_answer_is_short_if_not_explained(trace: Path, comparison: slcache.Comparison) -> None:
    words = ("compare", trace, "--device", "tiny", "--schemes", "tlc-only,baseline")
    both = comparison
    for more, short in ((False, both.summary()), (True, both.summary(explain=True))):
        for text in (short, command(*words, *(["--explain"] if more else [])).stdout.decode()):
            flat = " ".join(text.split())
            assert ("share of the gain" in flat) is more
            assert all(line in flat for line in (both.verdict() if more else both.brief()))
    assert str(both) == both.summary()
    assert str(both.runs[0]) == both.runs[0].summary()
    assert command(*words, "--explain", "--json").returncode == 2


#: What a block of every plane of `tiny` holds in SLC mode.
BLOCK_BYTES = 128 << 10


def test_flushes_are_compared_where_there_are_any(tmp_path: Path) -> None:
    """Behind a buffer a write that has to last takes what its flush takes."""
    load = tmp_path / "sync.toml"
    writes = 'footprint_bytes = "1MiB"\nrequests = 80\n[global]\nrw = "randwrite"\nbs = "4k"\n'
    schemes = ["baseline", "tlc-only"]
    on: dict[str, Any] = {"device": "tiny", "schemes": schemes, "replay": "closed:1"}
    settings = {"buffer.bytes": "1MiB", "device.plp": False}
    load.write_text(f"{writes}fsync = 1\n")
    synced = slcache.compare(load, settings=settings, **on)
    for run in synced.runs:
        document = run.to_dict()
        host, found = document["host"], document["figures"]
        assert found["flush_mean_ns"] == pytest.approx(1e3 * host["flush"]["latency_us"]["mean"])
        # One request at a time: they are all that the run takes.
        sums = (found[f"{kind}_mean_ns"] * host[kind]["requests"] for kind in ("write", "flush"))
        assert sum(sums) == pytest.approx(found["duration_ns"], rel=1e-6)
    said = synced.verdict()[0]
    assert "rites: equal within 1 % on mean latency; flushes: baseline wins" in said
    (table, *_) = synced.tables()
    assert "flush\nmean" in table.columns
    # A page of 4 KiB at 800 MB/s, and its program.
    means = [synced[scheme].to_dict()["figures"]["flush_mean_ns"] for scheme in schemes]
    assert means == [5120 + 200_000, 5120 + 1_000_000]
    factors = synced.to_dict()["normalised"]["schemes"]
    assert factors["tlc-only"]["flush_mean"] == means[1] / means[0]
    edited = synced.runs[0].to_dict()
    edited["figures"]["flush_mean_ns"] = 1.0
    with pytest.raises(slcache.Error, match=r"flush_mean_ns = 1\.0: must be 205120"):
        slcache.Result(edited)
    load.write_text(writes)
    plain = slcache.compare(load, settings=settings, **on)
    assert not any("flush" in title for title in plain.tables()[0].columns)
    assert "flush_mean_ns" not in plain.runs[0].to_dict()["figures"]


def test_a_cache_may_be_said_in_bytes(trace: Path, tmp_path: Path) -> None:
    size = f"{4 * BLOCK_BYTES >> 10}KiB"
    config = tmp_path / "config.toml"
    config.write_text(f'slc_blocks = "{size}"\ndevice.user_bytes = "2MiB"\n')
    how: dict[str, Any] = {"device": "tiny", "settings": SMALL}
    study = slcache.sweep(trace, scheme="baseline", vary={"slc_blocks": [size]}, **how)
    assert study.table["waf"].to_list() == [alone(trace, {"slc_blocks": 4})["waf"]]
    given: list[dict[str, Any]] = [
        {"scheme": "baseline", "settings": {**SMALL, "slc_blocks": size}},
        {"scheme": f"baseline:slc_blocks={size}"},
        {"scheme": "baseline", "settings": config},
    ]
    for each in given:
        assert slcache.resolve(**{**how, **each})["scheme"]["baseline"]["slc_blocks"] == 4
    sized = {entry.key.name for entry in explain.entries() if "Or a size" in entry.key.text}
    assert {name.rpartition(".")[2] for name in sized} == set(parsing.SIZED)
    for key in sized:
        scheme = key.split(".")[1]
        device = "rl-32g" if scheme == "rl" else "nvc-7200" if scheme == "nvc" else "ips-coop"
        with pytest.raises(slcache.ConfigError, match="nearest are 0"):
            slcache.resolve(device=device, scheme=scheme, settings={key: "1B"})
        with pytest.raises(slcache.ConfigError, match=r'= "64TiB", \d+ blocks per plane: must'):
            slcache.resolve(device=device, scheme=scheme, settings={key: "64TiB"})


@pytest.mark.parametrize(
    ("size", "told"),
    [
        ("200KiB", "whole blocks per plane, of which one is 128KiB in SLC mode; nearest are 1 "),
        ("33MiB", r'= "33MiB", 264 blocks per plane: must be between 3 \(384KiB\) and 12 \('),
        ("1TiB", "3 is the largest that passes"),
        ("4", "must be a whole number"),
    ],
)
def test_a_size_that_is_no_whole_number_of_blocks_is_told(size: str, told: str) -> None:
    with pytest.raises(slcache.ConfigError, match=told) as error:
        slcache.resolve(device="tiny", scheme="baseline", settings={"slc_blocks": f'"{size}"'})
    assert error.value.key == "scheme.baseline.slc_blocks"


@pytest.fixture(scope="module")
def other(trace: Path) -> slcache.Comparison:
    """Another pair of schemes, with another setting and seed."""
    return slcache.compare(
        trace,
        device="tiny",
        schemes=["baseline", "sector"],
        settings={"scheme.baseline.slc.victim": "fifo", "run.seed": 2},
        trace_options={"volume": "each"},
    )


def changed(found: list[differences.Change]) -> dict[str, tuple[Any, Any]]:
    return {change.key: (change.first, change.second) for change in found}


def test_results_equal_themselves(
    comparison: slcache.Comparison, other: slcache.Comparison
) -> None:
    moved = comparison.to_dict()
    for run in moved["runs"]:
        run["sim"]["wall_s"] += 1
        run["provenance"]["time"] = "2000-01-01T00:00:00Z"
        run["provenance"]["commit"] = "another"
        run["trace"]["path"] = "elsewhere.csv"
    runs = [slcache.Result(run) for run in moved["runs"]]
    found = slcache.diff(comparison, slcache.Comparison(runs))
    assert found.equal
    assert all(not (run.config or run.metrics or run.others) for run in found.runs)
    assert changed(found.runs[0].trace).keys() == {"path"}
    assert found.runs[0].equal
    (two,) = slcache.diff(other.runs[0], other.runs[1]).runs
    assert two.labels == ("baseline", "sector")
    assert changed(two.config) == {"scheme": ("baseline", "sector")}
    sizes = [change.size for change in two.metrics]
    assert sizes == sorted(sizes, reverse=True)
    documents = [one.documents[0] for one in other.runs]
    for change in two.metrics:
        if change.key in METRICS:
            values = [METRICS[change.key].value(document) for document in documents]
            assert [change.first, change.second] == values
    halves = differences.Change("k", 10, 5), differences.Change("k", 10, 20)
    assert halves[0].size == halves[1].size == pytest.approx(0.6931, abs=1e-4)
    assert differences.Change("k", 0, 5).size == float("inf")


def test_every_figure_that_moves_is_found(comparison: slcache.Comparison) -> None:
    before = comparison.runs[1].to_dict()

    def told(*path: str | int, value: Any = None) -> differences.RunDifference:  # noqa: ANN401
        after = copy.deepcopy(before)
        place: Any = after
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value if value is not None else place[path[-1]] + 1
        first, second = (slcache.Result.made(each, None, ()) for each in (before, after))
        (run,) = differences.diff(first, second).runs
        assert not run.equal, path
        return run

    run = told("figures", "read_p99_ns")
    ns = before["figures"]["read_p99_ns"]
    assert changed(run.metrics) == {"read_p99_ns": (ns, ns + 1)}
    assert run.metrics[0].factor == pytest.approx((ns + 1) / ns)
    run = told("host", "read", "latency_us", "p99")
    ops = before["flash"]["ops"]
    at = next(i for i, op in enumerate(ops) if op["kind"] == "program" and op["cause"] == "host")
    row = f"flash.ops[{ops[at]['pool']} program {ops[at]['mode']} host].pages"
    assert changed(told("flash", "ops", at, "pages").others)[row][0] == ops[at]["pages"]
    assert "series.columns" not in changed(run.others)
    assert list(changed(told("series", "columns", "erases", 0).others)) == ["series"]
    assert changed(told("config", "host", "queue_depth").config) == {"host.queue_depth": (0, 1)}
    assert changed(told("trace", "sha256", value="0" * 64).trace).keys() == {"sha256"}
    assert "model_version" in changed(told("provenance", "model_version").origin)


def test_runs_of_comparisons_are_matched_by_name(
    comparison: slcache.Comparison, other: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "a.json")
    other.save(tmp_path / "b")
    found = json_of("diff", tmp_path / "a.json", tmp_path / "b", "--json")
    assert found == json.loads(json.dumps(slcache.diff(comparison, other).to_dict()))
    assert (found["only_first"], found["only_second"]) == (["tlc-only"], ["sector"])
    (run,) = found["runs"]
    settings = {change["key"]: (change["first"], change["second"]) for change in run["config"]}
    assert settings == {"scheme.baseline.slc.victim": ("greedy", "fifo"), "run.seed": (1, 2)}
    assert {"key": "options.volume", "first": None, "second": "each"} in run["trace"]
    with pytest.raises(slcache.ResultError, match="no run of the first result"):
        slcache.diff(comparison.runs[0], other)


def test_the_verb_says_what_differs_and_exits_as_asked(
    comparison: slcache.Comparison, other: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "a")
    other.save(tmp_path / "b")
    for second, options, status, told in (
        ("b", ["--exit-code"], 1, r"scheme\.baseline\.slc\.victim +greedy +fifo\b"),
        ("b", [], 0, "other figures differ; --all shows them"),
        ("b", ["--all"], 0, r"flash\.ops\["),
        ("a", ["--exit-code"], 0, "baseline: identical"),
        ("nowhere", [], 1, ""),
    ):
        done = command("diff", tmp_path / "a", tmp_path / second, *options)
        assert done.returncode == status, second
        assert (second in done.stderr.decode()) is (second == "nowhere")
        text = done.stdout.decode()
        assert re.search(told, text)
        if not options and not done.returncode:
            own = str(slcache.diff(comparison, other))
            assert own.split() == text.partition("\nA: ")[0].split()
        means = re.findall(r"(?:read|write)_(?:mean|p99|max) +\S+ (\S+) +\S+ (\S+) ", text)
        assert len({unit for pair in means for unit in pair}) == (second == "b")


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A trace of its own, which tests can move and change."""
    return write_trace(tmp_path / "odd träce.csv", mixed())


def test_a_run_is_identical_when_it_is_repeated(moved: Path, tmp_path: Path) -> None:
    options = {"volume": "each", "unsorted": "sort:16"}
    how: dict[str, Any] = {"state": "worn=0.3,0.2", "replay": "closed:3", "trace_options": options}
    slcache.run(moved, device="tiny", scheme="hierarchy", seed=3, **how).save(tmp_path / "old")
    done = command("diff", "--rerun", tmp_path / "old", "--out", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    assert "hierarchy: identical" in done.stdout.decode()
    assert done.stderr == b""
    assert slcache.diff(tmp_path / "old", tmp_path / "new").equal
    how = {"device": "tiny", "scheme": "baseline"}
    slcache.run(moved, state="worn=0.4,0.3", save_state=tmp_path / "state", **how)
    assert slcache.rerun(slcache.run(moved, load_state=tmp_path / "state", **how)).equal


def test_a_comparison_or_a_run_is_repeated(comparison: slcache.Comparison, tmp_path: Path) -> None:
    comparison.save(tmp_path / "both.json")
    told = json_of("diff", "--rerun", tmp_path / "both.json", "--json")
    assert told["equal"]
    assert list(told["result"]["normalised"]["schemes"]) == comparison.labels
    one = slcache.rerun(tmp_path / "both.json", scheme="baseline")
    assert one.equal
    assert one.result.labels == ["baseline"]
    wrong = command("diff", "--rerun", tmp_path / "both.json", "--scheme", "sector")
    assert wrong.returncode == 1
    assert "no run of 'sector'; it has tlc-only, baseline" in wrong.stderr.decode()


def test_a_moved_trace_is_named_and_another_is_told(moved: Path, tmp_path: Path) -> None:
    slcache.run(moved, device="tiny", scheme="baseline").save(tmp_path / "old.json")
    elsewhere = moved.rename(tmp_path / "elsewhere.csv")
    lost = command("diff", "--rerun", tmp_path / "old.json")
    assert lost.returncode == 4
    assert "the trace is not there; the option trace says" in lost.stderr.decode()
    found = command("diff", "--rerun", tmp_path / "old.json", "--trace", elsewhere)
    assert found.returncode == 0
    assert found.stderr == b""
    other = write_trace(tmp_path / "other.csv", mixed(seed=9))
    differs = command("diff", "--rerun", tmp_path / "old.json", "--trace", other)
    assert differs.returncode == 1
    assert "is not the trace of the result: its SHA-256 is" in differs.stderr.decode()
    assert "sha256" in differs.stdout.decode()
    document = slcache.run(elsewhere, device="tiny", scheme="baseline").to_dict()
    document["provenance"] |= {"version": "0.0.1", "model_version": 1}
    again = slcache.rerun(slcache.Result(document))
    assert not again.equal
    assert any("of slcache 0.0.1" in note for note in again.notes)
    assert any("model's version was 1" in note for note in again.notes)
    document["episode"] = {"windows": 3, "turns": 2}
    with pytest.raises(slcache.ResultError, match="knobs were turned"):
        slcache.rerun(slcache.Result(document))


def test_a_workload_that_was_a_dict_or_is_gone_is_asked_for(tmp_path: Path) -> None:
    load = {"requests": 60, "footprint_bytes": "1MiB", "global": {"rw": "randwrite"}}
    run = slcache.run(load, device="tiny", scheme="baseline")
    with pytest.raises(slcache.TraceError, match=r"trace is not there; .* given as a dict$"):
        slcache.rerun(run)
    assert slcache.rerun(run, trace=load).equal
    assert not slcache.rerun(run, trace={**load, "requests": 61}).equal
    file = tmp_path / "load.toml"
    file.write_text("requests = 60\nfootprint_bytes = '1MiB'\nglobal.rw = 'randwrite'\n")
    run = slcache.run(file, device="tiny", scheme="baseline")
    file.unlink()
    with pytest.raises(slcache.TraceError, match=r"trace says where it is now$"):
        slcache.rerun(run)


def test_what_a_scheme_had_learned_is_taken_along(moved: Path, tmp_path: Path) -> None:
    learned = tmp_path / "q.memory"
    slcache.run(moved, device="tiny", scheme="rl", memory_out=learned)
    run = slcache.run(moved, device="tiny", scheme="rl", memory_in=learned)
    assert slcache.rerun(run).equal
    learned.write_bytes(learned.read_bytes() + b" ")
    with pytest.raises(slcache.ResultError, match=r"began with the memory .* has SHA-256"):
        slcache.rerun(run)
