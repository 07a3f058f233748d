"""`why --operations`: the steps of a request add up to its parts, and nothing is told unproved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slcache as api
from slcache import ResultError, slow
from slcache.slow import Chosen, Log, chain, occupied
from slcache.slow.steps import Step, Told
from support import TINY_BYTES, mixed, slcache, write_trace

#: Enough of them that several wait for one another.
ROWS = [(ms // 40, op, at, size) for ms, op, at, size in mixed(1500)]
PLANES = "device.pool[0].plane_parallelism"
SUSPENDS = {
    f"device.pool[0].suspend.{key}": value
    for key, value in {
        "program": True,
        "erase": True,
        "max_suspends": 4,
        "suspend_ns": 20_000,
        "resume_ns": 20_000,
    }.items()
}
#: Per page, as `tiny` is, and in one shot.
ONE_SHOT = {"device.pool[0].tlc.program": "one-shot", "device.pool[0].tlc.program_ns": [1_600_000]}
RUNS: dict[str, dict[str, Any]] = {
    "tlc-only, QD 1": {"scheme": "tlc-only", "replay": "closed:1"},
    "tlc-only, one shot": {"scheme": "tlc-only", "replay": "closed:4", "settings": ONE_SHOT},
    "baseline, QD 4": {"scheme": "baseline", "replay": "closed:4"},
    "baseline, open": {"scheme": "baseline", "replay": "open"},
    "baseline, one shot": {"scheme": "baseline", "replay": "open", "settings": ONE_SHOT},
    "ips, QD 4": {"scheme": "ips", "replay": "closed:4"},
    "turbo-write, dies": {"scheme": "turbo-write", "settings": {PLANES: "multi-plane"}},
    "baseline, serial dies": {"scheme": "baseline", "settings": {PLANES: "serial"}},
    "hyssd": {"scheme": "hyssd", "replay": "closed:4"},
    "client, suspended": {"scheme": "client", "replay": "closed:4", "settings": SUSPENDS},
    "sector, packed": {"scheme": "sector", "replay": "closed:4"},
    "buffer and link": {
        "scheme": "baseline",
        "settings": {"buffer.bytes": 1 << 18, "host.link": "sata", "host.queue_depth": 8},
    },
    "map": {"scheme": "baseline", "settings": {"device.map.cache_bytes": 65_536}},
}


def logged(folder: Path, **given: Any) -> tuple[Path, Path]:  # noqa: ANN401
    """Return the log and the operations of a run."""
    log, operations = folder / "requests.parquet", folder / "operations.parquet"
    trace = given.pop("trace", None) or write_trace(folder / "load.csv", ROWS)
    api.run(trace, device="tiny", **given, log=log, timeline=operations)
    return log, operations


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The log and the operations of a run."""
    return logged(tmp_path_factory.mktemp("one"), scheme="baseline", replay="closed:4")


def steps_of(log: Log, operations: Path, count: int) -> tuple[Log, list[Told]]:
    """Return the slowest requests, and some of all, with their steps."""
    found = slow.why(log, Chosen(slowest=count), operations)
    spread = log.only(np.linspace(0, len(log) - 1, count).astype(int))
    table = occupied.opened(operations, log.path)
    told = [*found.told, *slow.told(spread, table, log)]
    return joined(found.slow, spread), told


def joined(first: Log, second: Log) -> Log:
    """Return the requests of both logs, one behind the other."""
    fields = {
        name: np.concatenate([getattr(first, name), getattr(second, name)])
        for name, value in vars(first).items()
        if isinstance(value, np.ndarray)
    }
    return Log(first.path, first.scheme, parts=first.parts, **fields)


def check(asked: Log, index: int, told: Told) -> None:
    """Hold the steps of a request against its row of the log."""
    parts = dict(zip(asked.parts, asked.parts_ns[index].tolist(), strict=True))
    assert sum(step.ns for step in told.steps) == asked.latency_ns[index]
    assert all(step.ns > 0 for step in told.steps)
    own_ns = told.own_ns or {}
    assert sum(step.ns for step in told.steps if step.what == "own") == sum(own_ns.values())
    for name, ns in parts.items():
        steps = sum(step.ns for step in told.steps if step.part == name)
        assert steps + own_ns.get(name, 0) == ns, (asked.request[index], name)
    # What is told with its block is told with when it was there: one behind the other.
    timed = [step for step in told.steps if step.at_ns is not None]
    for step in timed:
        assert asked.arrival_ns[index] <= step.at_ns < asked.completion_ns[index]
    assert sum(step.ns for step in timed) <= asked.latency_ns[index]


@pytest.mark.parametrize("name", RUNS)
def test_steps_add_up_to_the_parts_of_the_log(name: str, tmp_path: Path) -> None:
    log, operations = logged(tmp_path, **RUNS[name])
    asked, told = steps_of(slow.read(log), operations, 40)
    for index, each in enumerate(told):
        if not each.untold:
            check(asked, index, each)
    # What has two explanations has none; that is rare.
    assert sum(bool(each.untold) for each in told) <= len(told) // 20
    assert any(step.what == "own" for each in told for step in each.steps)


def test_every_step_is_what_the_table_says(one: tuple[Path, Path]) -> None:
    log, operations = slow.read(one[0]), pq.read_table(one[1])
    begins, ends = operations["begin_ns"].to_numpy(), operations["end_ns"].to_numpy()
    columns = {name: np.array(operations[name]) for name in ("kind", "cause", "plane", "block")}
    found = slow.why(log, Chosen(slowest=20), one[1])
    for each in found.told:
        for step in (step for step in each.steps if step.what == "behind"):
            same = np.ones(len(begins), dtype=bool)
            for name, values in columns.items():
                same &= values == getattr(step, name)
            assert step.at_ns is not None
            at_work = same & (begins <= step.at_ns) & (step.at_ns < ends)
            assert at_work.any(), step
            assert step.part == f"wait_{step.cause}"


def test_a_request_without_flash_work_is_told_in_words() -> None:
    asked = chain.Request(3, "write", 10, 60, {"wait_queue": 20, "service_buffer": 30})
    nothing = occupied.Operations(*[np.array([])] * 13)
    found = chain.found(nothing, asked)
    assert found is not None
    assert found.pieces == []


def operations_of(*rows: tuple[Any, ...]) -> occupied.Operations:
    """Return operations: kind, cause, request, unit and block, when queued, begun and ended."""
    kind, cause, request, unit, block, queued, begin, end = map(np.array, zip(*rows, strict=True))
    number, ones = np.arange(len(rows)), np.ones(len(rows), dtype=int)
    return occupied.Operations(
        kind, cause, number, request, unit, block, queued, begin, end, ones, 0 * ones, unit, number
    )


def test_a_chain_is_told_only_if_its_counts_are_the_parts() -> None:
    operations = operations_of(
        ("erase", "gc", -1, 0, 5, 0, 0, 50),
        ("program", "host", 1, 0, 7, 10, 60, 90),
    )
    parts = {"wait_gc": 40, "wait_order": 10, "service_array": 30}
    found = chain.found(operations, chain.Request(1, "write", 10, 90, parts))
    assert found is not None
    assert [(piece.part, piece.ns) for piece in found.pieces] == [("wait_gc", 40), ("", 30)]
    for wrong in (
        {**parts, "wait_gc": 39, "wait_order": 11},
        {**parts, "wait_order": 9, "service_array": 31},
        {"wait_migration": 40, "wait_order": 10, "service_array": 30},
    ):
        assert chain.found(operations, chain.Request(1, "write", 10, 90, wrong)) is None


def test_of_two_programs_that_fit_none_is_told() -> None:
    mine = ("program", "host", 1, 0, 7, 0, 0, 30)
    shared = ("program", "host", 2, 1, 8, 20, 20, 50)
    asked = chain.Request(1, "write", 0, 50, {"wait_merge": 20, "service_array": 30})
    assert chain.found(operations_of(mine, shared), asked) is None
    found = chain.found(operations_of(shared), asked)
    assert found is not None
    assert found.request == 2


def edited(table: pa.Table, path: Path, keep: Callable[[Any], Any] = lambda meta: meta) -> Path:
    """Write a table with its footer, or what a function makes of it."""
    footer = keep(dict(table.schema.metadata))
    pq.write_table(table.replace_schema_metadata(footer), path)
    return path


def test_a_window_that_does_not_cover_a_request_is_told(
    one: tuple[Path, Path], tmp_path: Path
) -> None:
    log, table = slow.read(one[0]), pq.read_table(one[1])
    slowest = slow.why(log, Chosen(slowest=1)).slow
    middle = int(slowest.arrival_ns[0] + slowest.latency_ns[0] // 2)
    half = table.filter(np.array(table["begin_ns"]) > middle)
    path = edited(half, tmp_path / "half.parquet")
    told = slow.why(log, Chosen(slowest=1), path).told[0]
    assert f"{path} has the operations from " in told.untold
    assert f"--around request={slowest.request[0]} covers" in told.untold
    assert told.to_dict() == {"untold": told.untold}
    ended = slcache("why", one[0], "--slowest", "1", "--operations", path)
    assert (ended.returncode, "has the operations from" in ended.stdout.decode()) == (0, True)


def test_an_operation_that_is_missing_is_not_made_up(
    one: tuple[Path, Path], tmp_path: Path
) -> None:
    log, table = slow.read(one[0]), pq.read_table(one[1])
    found = slow.why(log, Chosen(slowest=1), one[1])
    longest = max((s for s in found.told[0].steps if s.what == "behind"), key=lambda s: s.ns)
    others = ~(np.array(table["begin_ns"]) == longest.at_ns)
    path = edited(table.filter(others), tmp_path / "less.parquet")
    told = slow.why(log, Chosen(slowest=1), path).told[0]
    assert "does not say which operation" in told.untold


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scheme": "tlc-only"}, "config.scheme.baseline is in one of them alone"),
        ({"seed": 9}, "config.run.seed is 9 and 1"),
        ({"replay": "closed:2"}, "config.host.queue_depth is 2 and 4"),
    ],
    ids=str,
)
def test_a_table_of_another_run_is_refused(
    one: tuple[Path, Path], tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    _, other = logged(tmp_path, **({"scheme": "baseline", "replay": "closed:4"} | change))
    with pytest.raises(ResultError) as error:
        slow.why(slow.read(one[0]), Chosen(slowest=1), other)
    assert f"{other} and {one[0]} are not of one run: {told}" in str(error.value)


def test_a_table_of_another_trace_is_refused(one: tuple[Path, Path], tmp_path: Path) -> None:
    turned = [(ms, op, TINY_BYTES - at - size, size) for ms, op, at, size in ROWS[::2]]
    trace = write_trace(tmp_path / "other.csv", turned)
    _, other = logged(tmp_path, trace=trace, scheme="baseline", replay="closed:4")
    with pytest.raises(ResultError, match="are not of one run: request"):
        slow.why(slow.read(one[0]), Chosen(slowest=20), other)


def test_what_is_no_table_of_operations_is_refused(one: tuple[Path, Path], tmp_path: Path) -> None:
    log, text = slow.read(one[0]), tmp_path / "text.parquet"
    text.write_text("no table")
    bare = edited(pq.read_table(one[1]), tmp_path / "bare.parquet", lambda _: {})
    for path, told in (
        (one[0], "is no table of operations: it has no column kind"),
        (bare, "the footer has no configuration"),
        (text, "cannot be read as Parquet"),
        (tmp_path / "absent.parquet", "cannot be read as Parquet"),
    ):
        with pytest.raises(ResultError, match=told):
            slow.why(log, Chosen(slowest=1), path)


def test_the_verb_tells_the_steps_in_every_form(one: tuple[Path, Path]) -> None:
    arguments: list[str | Path] = ["why", one[0], "--slowest", "2", "--operations", one[1]]
    shown = slcache(*arguments).stdout.decode()
    assert "behind" in shown
    assert "Its own operations: " in shown
    document = json.loads(slcache(*arguments, "--json").stdout)
    for each in document["slow"]:
        assert sum(step["ns"] for step in each["steps"]) == each["latency_ns"]
    assert b"request,what,part,at_ns" in slcache(*arguments, "--format", "csv").stdout


@pytest.mark.parametrize("more", [[], ["--above", "1ns"]], ids=str)
def test_operations_are_of_single_requests(one: tuple[Path, Path], more: list[str]) -> None:
    ended = slcache("why", one[0], *more, "--operations", one[1])
    assert (ended.returncode, b"give --request or --slowest" in ended.stderr) == (2, True)
    both = slcache("why", one[0], one[0], "--slowest", "1", "--operations", one[1])
    assert both.returncode == 2


def test_places_are_told_in_words() -> None:
    from slcache.cli.why_steps import words

    step = Step("behind", "wait_gc", 9, 1, 1, "erase", "gc", 3, 17)
    assert words(step, 4) == "behind the erase of block 17 on plane 3 (garbage collection)"
    many = Step("behind", "wait_host", 9, 1, 24, "program", "host", 3, 17, (5, 6))
    assert words(many, 4) == "behind 24 programs of block 17 on plane 3 (2 requests)"
    own = Step("own", "", 9, 1, 1, "program", "host", 3, 17, (4,))
    assert words(own, 4) == "its own program of block 17 on plane 3"
    assert words(own, 5) == "the program of block 17 on plane 3, shared with request 4"
    disk = Step("behind", "wait_fill", 9, 1, 2, "read", "fill", -1, -1)
    assert "2 operations of the disk" in words(disk, 4)
    map_page = Step("own", "", 9, 1, 1, "read", "map", 0, -1, (4,))
    assert words(map_page, 4) == "its own read of the map on plane 0"
