"""`why`: slow requests are told whole, once, by what they waited for; an edited log is refused."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slcache as api
from slcache import ResultError, slow
from slcache.errors import UsageError
from slcache.slow import Chosen, Log, incidents
from support import contains, mixed, slcache, stdout, write_trace

SCHEMES = ("tlc-only", "baseline")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Logs of two schemes on one trace, and the documents of their runs."""
    folder = tmp_path_factory.mktemp("logs")
    trace = write_trace(folder / "load.csv", mixed(3000))
    for scheme in SCHEMES:
        log = folder / f"{scheme}.parquet"
        result = api.run(trace, device="tiny", scheme=scheme, log=log)
        (folder / f"{scheme}.json").write_text(json.dumps(result.documents[0]))
    return {scheme: folder / f"{scheme}.parquet" for scheme in SCHEMES}


def made(arrivals: list[int], latencies: list[int], parts: list[list[int]]) -> Log:
    """Return a log of writes."""
    arrival, latency = np.array(arrivals), np.array(latencies)
    number = np.arange(len(arrivals))
    kinds = np.array(["write"] * len(arrivals))
    sizes = np.full(len(arrivals), 8)
    names = ("service_array", "wait_gc")
    columns = (number, kinds, arrival, arrival + latency, sizes, latency)
    return Log("made", "baseline", *columns, names, np.array(parts))


def test_slow_requests_are_counted_as_the_document_counts_them(logs: dict[str, Path]) -> None:
    for scheme, path in logs.items():
        host = json.loads(path.with_suffix(".json").read_text())["host"]
        log = slow.read(path)
        assert len(log) == sum(host[side]["requests"] for side in ("read", "write"))
        for side in ("read", "write"):
            told = host[side]["latency_us"]
            for percentile, name in ((99.0, "p99"), (99.9, "p99_9")):
                found = slow.why(log, Chosen(percentile=percentile, operation=side))
                beyond = host[side]["requests_beyond"][name]
                assert len(found.slow) >= beyond, (scheme, side, name)
                slower = int((found.slow.latency_ns > found.above_ns).sum())
                assert slower <= beyond, (scheme, side, name)
                mean = float(found.log.latency_ns.mean()) / 1e3
                assert mean == pytest.approx(told["mean"], rel=1e-9)
    log = slow.read(logs["baseline"])
    for chosen in (Chosen(), Chosen(percentile=90.0), Chosen(slowest=17), Chosen(above_ns=1)):
        found = slow.why(log, chosen)
        assert len(found.slow) == (chosen.slowest or int((log.latency_ns >= found.above_ns).sum()))
        assert list(found.slow.latency_ns) == sorted(found.slow.latency_ns, reverse=True)
        for told in (found.groups, found.incidents):
            assert sum(each.requests for each in told) == len(found.slow)
            assert sum(each.total_ns for each in told) == found.slow_ns
            assert max(each.worst_ns for each in told) == found.slow.latency_ns.max()
        for group in found.groups:
            assert 0 < group.part_ns <= group.total_ns


@pytest.mark.parametrize("seed", range(20))
def test_incidents_are_the_moments_at_which_a_slow_request_is_under_way(seed: int) -> None:
    random = np.random.default_rng(seed)
    arrivals = sorted(random.integers(0, 120, 12).tolist())
    latencies = random.integers(1, 15, 12).tolist()
    log = made(arrivals, latencies, [[n, 0] for n in latencies])
    # Half nanoseconds tell two that meet from two that follow one another.
    busy = np.zeros(400, dtype=bool)
    for arrival, latency in zip(arrivals, latencies, strict=True):
        busy[2 * arrival : 2 * (arrival + latency) + 1] = True
    edges = np.flatnonzero(np.diff(np.concatenate([[0], busy, [0]])))
    wanted = [(a // 2, (b - 1) // 2) for a, b in edges.reshape(-1, 2).tolist()]
    assert sorted((each.from_ns, each.to_ns) for each in incidents(log)) == wanted


def test_what_took_most_of_the_time_names_the_group() -> None:
    log = made([0, 100, 300], [10, 50, 40], [[10, 0], [20, 30], [5, 35]])
    found = slow.why(log, Chosen(above_ns=40))
    assert [(g.part, g.requests, g.total_ns, g.part_ns) for g in found.groups] == [
        ("wait_gc", 2, 90, 65)
    ]
    assert (found.share, [i.from_ns for i in found.deciding(0.5)]) == (0.9, [100])
    both = slow.why(log, Chosen(above_ns=1))
    assert [(g.part, g.requests) for g in both.groups] == [("wait_gc", 2), ("service_array", 1)]
    one = slow.why(log, Chosen(request=1)).to_dict()["slow"]
    assert one[0]["parts_ns"] == {"wait_gc": 30, "service_array": 20}
    long_ns = 2**62
    log = made([0, 1, 2, 3], [long_ns] * 4, [[0, long_ns]] * 4)
    found = slow.why(log, Chosen(above_ns=1))
    assert (found.slow_ns, found.share) == (2**64, 1.0)
    assert [(g.total_ns, g.part_ns) for g in found.groups] == [(2**64, 2**64)]
    assert [(i.total_ns, i.part) for i in found.incidents] == [(2**64, "wait_gc")]
    assert slow.moved(log, made([0, 1, 2, 3], [1] * 4, [[0, 1]] * 4), Chosen()).mean_ns == {
        "wait_gc": float(1 - long_ns)
    }
    for percentile in (0.0, 0.1, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0):
        myriads = round(percentile * 100)
        for count in (*range(1, 300), *range(1000, 200_001, 1000)):
            assert slow.rank(percentile, count) == -(-count * myriads // 10_000), count
    # As many are slow as lie beyond it.
    for count in (1000, 4000, 7000):
        latencies = list(range(1, count + 1))
        log = made([0] * count, latencies, [[ns, 0] for ns in latencies])
        assert len(slow.why(log, Chosen()).slow) == count // 1000


def test_two_runs_of_one_trace_are_held_together(logs: dict[str, Path]) -> None:
    first, second = (slow.read(logs[scheme]) for scheme in SCHEMES)
    found = slow.moved(first, second, Chosen(percentile=99.0))
    was, now = (log.latency_ns >= found.above_ns for log in (first, second))
    counts = [sum(g.requests for g in groups) for groups, _ in (found.faster, found.slower)]
    assert counts == [int((was & ~now).sum()), int((now & ~was).sum())]
    assert found.slow_in_both == int((was & now).sum())
    difference = float(second.latency_ns.mean() - first.latency_ns.mean())
    assert sum(found.mean_ns.values()) == pytest.approx(difference, rel=1e-9)
    same = slow.moved(first, first, Chosen())
    assert (same.faster, same.slower, same.mean_ns) == (([], []), ([], []), {})
    with pytest.raises(UsageError, match="have other requests"):
        slow.moved(first, first.only(np.arange(len(first) - 1)), Chosen())
    with pytest.raises(UsageError, match="slowest is of one log"):
        slow.moved(first, second, Chosen(slowest=3))


NUMBERS = ("request", "arrival_ns", "completion_ns", "sectors", "latency_ns", "wait_gc_ns")
#: Whose first values are 0.
FOUR = ("wait_gc_ns", "wait_map_ns", "wait_agc_ns", "wait_link_ns")
NO_NUMBER, NO_WORD = "must be int64 without nulls", "must be string without nulls"
Change = Callable[[list[Any]], pa.Array]
#: What no column of numbers may hold, or one of words, and how that is told.
NO_NUMBERS: list[tuple[Change, str]] = [
    (lambda v: pa.array([*v[:3], -1, *v[4:]]), "holds -1 in row 3; must be 0 to"),
    (lambda v: pa.array([-(2**63), *v[1:]]), "in row 0; must be 0 to"),
    (lambda v: pa.array([None, *v[1:]], pa.int64()), NO_NUMBER),
    (lambda v: pa.array([str(each) for each in v]), NO_NUMBER),
    (lambda v: pa.array(v, pa.uint64()), NO_NUMBER),
    (lambda v: pa.array([float(each) for each in v]), NO_NUMBER),
    (lambda v: pa.array([[each] for each in v]), NO_NUMBER),
]
NO_WORDS: list[tuple[Change, str]] = [
    (lambda v: pa.array([None, *v[1:]]), NO_WORD),
    (lambda v: pa.nulls(len(v)), NO_WORD),
    (lambda v: pa.array([1] * len(v)), NO_WORD),
    (lambda v: pa.array([each.encode() for each in v]), NO_WORD),
]


def changed(table: pa.Table, **changes: Change) -> pa.Table:
    """Return a table with other columns."""
    for name, change in changes.items():
        column = change(table[name].to_pylist())
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def first(value: int) -> Change:
    """Return what puts a value in the place of the first."""
    return lambda values: pa.array([value, *values[1:]], pa.int64())


Edit = Callable[[pa.Table], pa.Table]
#: How a log is edited, and what is told of it.
EDITED: list[tuple[Edit, str]] = [
    (lambda t: changed(t, wait_host_ns=first(1)), "parts do not add up"),
    (lambda t: changed(t, completion_ns=first(1)), "is not completion_ns less arrival_ns"),
    (lambda t: changed(t, request=lambda v: pa.array([7] * len(v))), "there twice"),
    (lambda t: t.take(list(range(len(t)))[::-1]), "not in order of arrival"),
    (lambda t: t.drop_columns(["arrival_ns"]), "no column arrival_ns"),
    (lambda t: t.slice(0, 0), "has no request"),
    # Parts do not make up for one another, by opposites or where their sum is right in 64 bits.
    (
        lambda t: changed(t, wait_host_ns=first(5), wait_gc_ns=first(-5)),
        "column wait_gc_ns holds -5",
    ),
    (lambda t: changed(t, **dict.fromkeys(FOUR, first(2**62))), "request 0: parts do not add up"),
    (
        lambda t: changed(t, operation=lambda v: pa.array([*v[:-1], "erase"])),
        "must be read, write, trim, flush",
    ),
    (lambda t: changed(t, scheme=lambda v: pa.array([*v[:-1], "erase"])), "of 2 schemes"),
]


def test_what_no_log_holds_is_refused_with_its_place(logs: dict[str, Path], tmp_path: Path) -> None:
    path, whole = tmp_path / "edited.parquet", pq.read_table(logs["baseline"])
    assert not any(whole[name][0].as_py() for name in FOUR)

    def refused(table: pa.Table, *told: str) -> None:
        pq.write_table(table, path)
        with pytest.raises(ResultError) as error:
            slow.read(path)
        assert str(error.value).startswith(f"{path}: ")
        assert all(each in str(error.value) for each in told), (told, str(error.value))

    for edit, told in EDITED:
        refused(edit(whole), told)
    for column in (*NUMBERS, "scheme", "operation"):
        for change, told in NO_NUMBERS if column in NUMBERS else NO_WORDS:
            refused(changed(whole, **{column: change}), f"column {column} ", told)
        twice = whole.append_column(column, whole[column])
        refused(twice, f"column with name '{column}' has more than")
    ended = slcache("why", path)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr.decode().startswith(f"error: {path}: ")


@pytest.mark.parametrize("requests", [1, 2, 30])
@pytest.mark.parametrize("chosen", [(), ("--slowest", "1"), ("--percentile", "100")], ids=str)
def test_whatever_is_slow_is_printed(
    requests: int, chosen: tuple[str, ...], tmp_path: Path
) -> None:
    """Of few requests one is slow: there is nothing to group."""
    trace, log = write_trace(tmp_path / "few.csv", mixed(requests)), tmp_path / "few.parquet"
    api.run(trace, device="tiny", scheme="baseline", log=log)
    (slowest,) = slow.why(slow.read(log), Chosen(slowest=1)).to_dict()["slow"]
    told = slcache("why", log, *chosen).stdout.decode()
    assert f" {slowest['request']} " in told
    assert " of which " in told


@pytest.mark.long
def test_the_page_prints_what_it_shows(cwd: Path) -> None:
    root = Path(__file__).parent.parent
    text = (root / "docs/howto/find-out-why.md").read_text(encoding="utf-8")
    (cwd / "examples").symlink_to(root / "examples")
    blocks = re.findall(r"```\n(.*?)\n```", text, re.DOTALL)
    for commands, shown in zip(blocks[::2], blocks[1::2], strict=True):
        for command in commands.splitlines():
            ended = stdout(*shlex.split(command)[1:])
        assert contains(ended, f"{shown}\n")
