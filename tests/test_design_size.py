"""`slcache design`: the answer of running every size, closed forms, and what is told."""

from __future__ import annotations

import json
import operator
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import slcache as package
from slcache import design
from slcache.design.sized import FILES, Plan, Size, Sized
from slcache.runs.executors.local import Local
from slcache.runs.tasks import Task
from slcache.sweep.api import sweep
from slcache.tune.goals import Goals
from slcache.tune.runs import Asked
from slcache.tune.search import Found
from support import mixed, slcache, workers, write_trace

KEY = "device.user_bytes"
SIZES = list(range(1 << 20, (2 << 20) + 1, 64 << 10))
WRAP = {"trace.address": "wrap"}
#: Room for SLC blocks from 3 to 6; with 7 the device is too small.
SMALL = {**WRAP, KEY: 2 << 20}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("design") / "mixed.csv", mixed(1500))


@pytest.fixture(scope="module")
def every(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, Any]]:
    """The figures of every size, by a sweep."""
    store = tmp_path_factory.mktemp("every")
    found = sweep(
        trace, device="tiny", scheme="baseline", vary={KEY: SIZES}, settings=WRAP, store=store
    )
    return {row[KEY]: row for row in found.table.to_pylist()}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of sizes that were tried, for all questions: other ones than those of the sweep."""
    return tmp_path_factory.mktemp("tried")


def asked(trace: Path | str, **how: Any) -> Sized:  # noqa: ANN401
    own: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "settings": WRAP}
    own |= {} if "jobs" in how else {"executor": workers()}
    own["size"] = {KEY: f"{SIZES[0]}..{SIZES[-1]}:{64 << 10}"}
    return design.size(trace, **{**own, **how})


@pytest.mark.parametrize("find", ["smallest", "largest"])
@pytest.mark.parametrize("metric", ["waf", "erases", "write_mean_ns", "slc_bytes"])
def test_the_answer_is_that_of_running_every_size(
    metric: str, find: str, trace: Path, every: dict[int, dict[str, Any]], store: Path
) -> None:
    """Bounds at figures of some sizes, from both sides; exact where one side of a size does."""
    values = [every[size][metric] for size in SIZES]
    exact = 0
    for way in ("<=", ">="):
        for value in (values[0], values[5], sorted(values)[9], values[-1]):
            keeps = operator.le if way == "<=" else operator.ge
            good = [size for size in SIZES if keeps(every[size][metric], value)]
            found = asked(trace, keep=f"{metric}{way}{value}", find=find, store=store)
            for point in found.points:
                assert found.meets(point) == (point.size in good)
                assert point.figure(metric) == every[int(point.size)][metric]
            wanted = (min if find == "smallest" else max)(good)
            if sum((a in good) != (b in good) for a, b in pairwise(SIZES)) <= 1:
                assert found.size == wanted
                exact += 1
            assert found.size is not None
            # What is beside the answer in the wanted direction was tried, and does not do.
            place = SIZES.index(int(found.size)) + (-1 if find == "smallest" else 1)
            if 0 <= place < len(SIZES):
                assert SIZES[place] not in good
                assert SIZES[place] in [point.size for point in found.points]
            assert len(found.points) <= 5 + 3 + 1
    assert exact >= 4


def test_closed_form(trace: Path) -> None:
    """The cache takes its blocks: the smallest and the largest number follow from a division."""
    config = package.resolve(device="tiny", scheme="baseline")
    (pool,) = config["device"]["pool"]
    planes = pool["channels"] * pool["chips"] * pool["dies"] * pool["planes"]
    block = planes * pool["wordlines"] * pool["page_bytes"]
    size = {"scheme.baseline.slc_blocks": "0..9"}
    for bytes_ in (4 * block - 1, 4 * block, 4 * block + 1):
        at_least = asked(trace, size=size, settings=SMALL, keep=f"slc_bytes>={bytes_}")
        assert at_least.size == -(-bytes_ // block)
        most = f"slc_bytes<={bytes_}"
        at_most = asked(trace, size=size, settings=SMALL, keep=most, find="largest")
        assert at_most.size == bytes_ // block
    # Two bounds at once: exactly four.
    both = [f"slc_bytes>={4 * block}", f"slc_bytes<={4 * block}"]
    assert asked(trace, size=size, settings=SMALL, keep=both).size == 4
    (few, many) = at_most.stretches
    assert (few.first, few.last, few.count) == (0, 2, 3)
    assert "must be between 3 and" in few.reason
    assert many.last == 9


def test_sizes_may_be_texts_shares_and_several_seeds(trace: Path) -> None:
    sizes = asked(trace, size={KEY: "2MiB,1MiB,1536KiB"}, keep="waf<=1e9")
    assert sizes.candidates == [1 << 20, 3 << 19, 2 << 20]
    assert sizes.size == 1 << 20
    share = {"scheme.baseline.slc.start_free_ratio": "0.1..0.9/9"}
    worn = {**WRAP, "precondition.fill": 0.5, "precondition.overwrite": 0.1}
    found = asked(trace, size=share, keep="waf<=1e9", find="largest", seeds=2, settings=worn)
    assert found.size == 0.9
    assert found.to_dict()["asked"]["seeds"] == 2
    assert asked(trace, size={KEY: [1 << 20]}, keep="waf<=1e9").size == 1 << 20


def test_bounds_that_no_size_keeps_are_an_answer_with_both_ends(
    trace: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    how = ("--device", "tiny", "--scheme", "baseline", "--address", "wrap")
    done = slcache(
        *("design", trace, *how, "--size", f"{KEY}=1MiB..2MiB:128KiB", "--keep", "waf<=0.5"),
        *("--out", out),
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "No device.user_bytes that was tried keeps waf<=0.500. At both ends: 1048576: " in text
    assert "; 2097152: waf" in text
    assert "waf<=0.500 is missed by" in text
    document = json.loads((out / "design.json").read_text())
    assert (document["size"], document["met"]) == (None, False)
    assert {p.name for p in out.iterdir()} == {*FILES, "store"} - {"chosen.toml"}


def test_the_file_of_the_answer_runs_it(trace: Path, tmp_path: Path) -> None:
    found = asked(trace, keep="erases<=366", out=tmp_path)
    assert found.chosen is not None
    assert {p.name for p in tmp_path.iterdir()} == {*FILES, "store"}
    config = tomllib.loads((tmp_path / "chosen.toml").read_text())
    result = package.run(trace, device="tiny", scheme="baseline", settings=config).to_dict()
    assert result["waf"]["total"] == found.chosen.figure("waf")


def test_the_document_is_what_its_schema_says(trace: Path) -> None:
    schema = json.loads(slcache("explain", "--schema", "design").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    blocks = {"scheme.baseline.slc_blocks": "0..9"}
    for found in (
        asked(trace, keep="erases<=366"),
        asked(
            "zipf-4k",
            keep=["waf<=0.5", "slc_bytes>=1"],
            size=blocks,
            seeds=2,
            find="largest",
            trace_options={"workload.requests": "200", "workload.footprint_bytes": "1MiB"},
        ),
    ):
        jsonschema.validate(json.loads(found.to_json()), schema)


class Counting(Local):
    """Workers that remember how many tasks they were given."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.started = 0

    def submit(self, task: Task) -> None:
        """Take a task."""
        self.started += 1
        super().submit(task)


def test_what_was_run_is_not_run_again(trace: Path, tmp_path: Path) -> None:
    def stopping(phase: str, done: int, total: int) -> bool:
        assert done <= total
        return not phase.startswith("points") or done < 3

    with pytest.raises(KeyboardInterrupt):
        asked(trace, keep="erases<=366", out=tmp_path, on_progress=stopping, jobs=2)
    kept = len(list(tmp_path.rglob("*.json.gz")))
    assert 0 < kept < 8
    assert not (tmp_path / "design.json").exists()
    executor = Counting(2)
    try:
        first = asked(trace, keep="erases<=366", out=tmp_path, executor=executor)
        assert executor.started == len(first.points) - kept
        again = asked(trace, keep="erases<=366", store=tmp_path / "store", executor=executor)
        assert executor.started == len(first.points) - kept
    finally:
        executor.close()
    assert again.to_json() == first.to_json()
    assert asked(trace, keep="erases<=366", jobs=1).to_json() == first.to_json()


def curve(values: Sequence[float | None], keep: str, **how: Any) -> Sized:  # noqa: ANN401
    """Return what was found where sizes 1, 2, 3 ... have these figures; None is one that fails."""
    points = [
        Size(i, Found("failed", "broken") if v is None else Found("done", None, {"waf": v}))
        for i, v in enumerate(values, 1)
    ]
    plan = Plan("size", "1..9", range(1, 10), Goals({}, Goals.read(keep=[keep]).bounds), "smallest")
    asked = Asked("t.csv", "tiny", ["baseline"])
    return Sized(asked, plan, how.get("candidates", range(1, 10)), points)


def test_a_metric_that_is_not_monotone_is_told() -> None:
    found = curve([5.0, 3.0, 4.0, 4.0, 2.0], "waf<=3.5")
    assert found.turns("waf") == [2, 4]
    assert not found.to_dict()["monotone"]["waf"]
    told = " ".join(design.sentences(found))
    assert "waf is not monotone in size: it turns at 2 and 4." in told
    assert "5 of 9 sizes were tried: among the others there may be a smaller one" in told
    # Where every size was tried, nothing is left to be found.
    whole = " ".join(design.sentences(curve([5.0, 3.0, 4.0], "waf<=3", candidates=range(1, 4))))
    assert "turns at 2" in whole
    assert "among the others" not in whole
    for steady in ([1.0, 2.0, 2.0, 3.0], [3.0, 2.0, 2.0], [1.0, 1.0]):
        assert curve(steady, "waf<=2").turns("waf") == []


def test_sizes_that_fail_keep_no_bound_and_are_told() -> None:
    found = curve([None, 3.0, 2.0], "waf<=3")
    assert found.size == 2
    told = " ".join(design.sentences(found))
    assert "size = 1 failed: broken" in told
    assert "Beside it: 1: failed (it did not run); 3: waf 2." in told


def test_an_answer_at_the_end_of_the_range_is_told() -> None:
    told = " ".join(design.sentences(curve([1.0, 2.0, 3.0], "waf<=2")))
    assert "It is the smallest of all that can be" in told
    assert "ask for the largest" in told


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"size": {KEY: "1MiB..2MiB@log"}}, "which sizes are there?"),
        ({"size": {KEY: "0.5..1.5"}}, "which sizes are there?"),
        ({"size": {KEY: ["small", "large"]}}, "small: is no number and no size"),
        ({"size": {KEY: [True, False]}}, "is no number and no size"),
        ({"size": {"scheme.baseline.slc.victim": ["greedy", "fifo"]}}, "greedy: is no number"),
        ({"size": {"scheme.baseline.slc.victim": "1..3"}}, "scheme.baseline.slc.victim"),
        ({"size": {KEY: "1..20000"}}, "20,000 sizes; at most 10,000"),
        ({"size": {}}, "at least one key"),
        ({"size": {KEY: "1..2", "host.queue_depth": "1..2"}}, "one scheme and one key"),
        ({"scheme": "all"}, "one scheme"),
        ({"size": {"scheme.baseline.slc_blocs": "1..3"}}, "slc_blocs"),
        ({"size": {"scheme.hierarchy.slc_blocks": "3..4"}}, "no scheme of the study takes it"),
        ({"size": {"scheme.baseline.slc_blocks": "90..99"}}, "must be between 3 and"),
        ({"size": {KEY: "3..1"}}, "ends below its beginning"),
        ({"keep": "wav<=2"}, "did you mean waf"),
        ({"keep": "waf<2"}, "METRIC<=VALUE"),
        ({"keep": "waf<=fast"}, "waf: "),
        ({"keep": []}, "needs a bound"),
        ({"find": "best"}, "must be smallest or largest"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(map(str, value)),
)
def test_what_cannot_be_searched_is_told_before_anything_runs(
    trace: Path, how: dict[str, Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises((package.ConfigError, package.UsageError), match=told):
        asked(trace, **{"keep": "waf<=2", "out": tmp_path / "out", **how})
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("size", "keep", "status", "told"),
    [
        ("host.queue_depth=1..4", "wav<=2", 2, b"did you mean waf"),
        ("host.queue_depth=one,two", "waf<=2", 2, b"is no number"),
        ("host.queue_depths=1..4", "waf<=2", 3, b"queue_depths"),
        ("scheme.baseline.slc_blocks=90..99", "waf<=2", 3, b"must be between 3 and"),
        ("host.queue_depth", "waf<=2", 2, b"key=value"),
    ],
)
def test_the_command_line_tells_usage_from_configuration(
    size: str, keep: str, status: int, told: bytes, trace: Path
) -> None:
    how = ("--device", "tiny", "--scheme", "baseline")
    done = slcache("design", trace, *how, "--size", size, "--keep", keep)
    assert done.returncode == status
    assert told in done.stderr


def test_a_metric_that_no_run_has_is_an_error(tmp_path: Path) -> None:
    writes = write_trace(tmp_path / "writes.csv", mixed(50, write_share=1.0))
    with pytest.raises(package.RunError, match="read_p99_ns: none of the"):
        asked(writes, keep="read_p99<=1ms")
