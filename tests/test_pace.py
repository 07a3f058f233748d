"""Columns of pace agree with the documents, and thin percentiles are marked wherever they stand."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import slcache
from slcache.documents import normalise
from slcache.tables import grid
from support import mixed, write_trace

SCHEMES = ["tlc-only", "baseline"]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> slcache.Comparison:
    """A device that is written as fast as it goes: then schemes differ in pace."""
    trace = write_trace(tmp_path_factory.mktemp("pace") / "t.csv", mixed(900))
    return slcache.compare(trace, device="tiny", schemes=SCHEMES, replay="closed:8")


def test_pace_is_that_of_the_documents(both: slcache.Comparison) -> None:
    ratios = both.to_dict()["normalised"]["schemes"]["baseline"]
    tlc, slc = (document["host"] for document in both.documents)
    assert ratios["duration"] == pytest.approx(slc["duration_ns"] / tlc["duration_ns"])
    # Equal work: the faster one has as many times the requests and bytes per second.
    assert ratios["iops"] == pytest.approx(1 / ratios["duration"])
    assert ratios["bytes_per_s"] == pytest.approx(1 / ratios["duration"])
    tlc_ns, slc_ns = (document["flash"]["ops_until_ns"] for document in both.documents)
    assert ratios["utilisation"] == pytest.approx(ratios["flash_time"] * tlc_ns / slc_ns)
    assert 0 < both.documents[0]["figures"]["utilisation"] <= 1


def test_the_most_is_best_where_more_is_better(both: slcache.Comparison) -> None:
    faster = both.normalised["schemes"]["baseline"]["duration"] < 1
    best = {cell.title: row.label for row in both.pace_rows() for cell in row.cells if cell.best}
    winner = SCHEMES[1] if faster else SCHEMES[0]
    assert best == dict.fromkeys(("IOPS", "MB/s", "run time"), winner)


def with_beyond(document: dict[str, Any], beyond: int) -> slcache.Result:
    """Return a result whose p99.9 of reads so many requests lie beyond, and others plenty."""
    changed = copy.deepcopy(document)
    for side in ("read", "write"):
        counts = changed["host"][side]["requests_beyond"]
        counts.update(dict.fromkeys(counts, 10**6))
    changed["host"]["read"]["requests_beyond"]["p99_9"] = beyond
    return slcache.Result(changed)


def test_ten_requests_beyond_carry_a_percentile(both: slcache.Comparison) -> None:
    document = both.runs[0].to_dict()
    for beyond, marked in ((9, True), (10, False)):
        result = with_beyond(document, beyond)
        assert (grid.THIN_NOTE in result.summary()) is marked
        assert (f"p99.9{grid.THIN}" in result.summary()) is False
        assert (grid.THIN_NOTE in result.report()) is marked
        assert normalise.is_thin(result.documents[0], "read_p99_9_ns") is marked
        assert not normalise.is_thin(result.documents[0], "write_p99_9_ns")


def test_a_few_hundred_requests_carry_no_tail(both: slcache.Comparison) -> None:
    document = both.documents[0]
    writes = document["host"]["write"]
    beyond = writes["requests_beyond"]
    assert beyond["p99"] == writes["requests"] // 100 < 10
    assert beyond["p99_9"] == 0
    assert beyond["p50"] == writes["requests"] // 2
    cells = {cell.title: cell for cell in both.rows()[1].cells}
    assert cells["write p99"].thin
    assert cells["write p99.9"].marked.endswith(grid.THIN)
    assert not cells["write mean"].thin
    assert grid.THIN_NOTE in both.summary()
    assert cells["write p99.9"].marked in both.report()


def test_where_no_time_passed_there_is_no_pace(both: slcache.Comparison) -> None:
    document = both.runs[0].to_dict()
    document["figures"] |= dict.fromkeys(("iops", "bytes_per_s", "utilisation"))
    empty = slcache.Result(document)
    figures = normalise.figures(empty.documents[0])
    for name in ("iops", "bytes_per_s", "utilisation"):
        assert figures[name] is None
    assert "IOPS" not in empty.summary()
