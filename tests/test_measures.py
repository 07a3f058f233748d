"""Figures read from a result are those that a closed form gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from slcache import api
from slcache.reproduce.expressions import Reading, leaves
from slcache.reproduce.measures import Result, measures, value

#: Pages of the SLC cache of ips-384g, and of a write of 32 KiB.
CACHE_PAGES = (4 << 30) // 4096
PAGES_PER_WRITE = 8
WRITES = 200_000


def bursty(scheme: str) -> dict[str, Any]:
    return api.run(
        "ips-bursty",
        device="ips-384g",
        scheme=scheme,
        replay="closed:1",
        settings={"trace.prefill": "none"},
        trace_options={"workload.requests": str(WRITES)},
    ).to_dict()


@pytest.fixture(scope="module")
def turbo_write() -> dict[str, Any]:
    return bursty("turbo-write")


def test_the_cliff_is_where_the_cache_is_full(turbo_write: dict[str, Any]) -> None:
    full = CACHE_PAGES / PAGES_PER_WRITE
    assert value("cliff_writes", turbo_write) == pytest.approx(full, rel=0.01)


def test_the_breakdown_of_programmed_pages_is_that_of_the_cache(
    turbo_write: dict[str, Any],
) -> None:
    host = WRITES * PAGES_PER_WRITE
    programmed = host + CACHE_PAGES
    assert value("slc_program_share", turbo_write) == pytest.approx(CACHE_PAGES / programmed)
    assert value("moved_program_share", turbo_write) == pytest.approx(CACHE_PAGES / programmed)
    assert value("dense_program_share", turbo_write) == pytest.approx(
        (host - CACHE_PAGES) / programmed
    )
    assert value("waf_pages", turbo_write) == pytest.approx(programmed / host)


def test_without_idle_time_switching_is_in_balance() -> None:
    document = bursty("ips-agc")
    fast = value("fast_share", document)
    assert fast is not None
    assert value("agc_moves_per_host_page", document) == 0
    # What was fast and has not been switched is the whole cache at most: two pages per bit.
    gap = value("balance_gap", document)
    assert gap == pytest.approx(1 - 3 * fast)
    assert -2 * CACHE_PAGES / (WRITES * PAGES_PER_WRITE) <= 1 - 3 * fast <= 0
    assert value("write_wait_agc_us", document) == 0


def test_a_wait_is_the_mean_over_all_writes() -> None:
    write = {"requests": 4, "attribution_us": {"wait": {"agc": 10.0}}}
    assert value("write_wait_agc_us", {"host": {"write": write}}) == pytest.approx(2.5)
    assert value("write_wait_migration_us", {"host": {"write": write}}) == 0


def test_a_response_is_the_mean_over_reads_and_writes() -> None:
    read = {"requests": 1, "latency_us": {"mean": 1000.0, "p99": 5000.0}}
    write = {"requests": 3, "latency_us": {"mean": 5000.0, "p99": 9000.0}}
    backlog = {"requests_max": 7, "lag_ns": 3_000_000_000}
    document = {"host": {"read": read, "write": write, "backlog": backlog}}
    names = ("response_ms", "read_p99_ms", "write_p99_ms", "read_request_share")
    assert [value(name, document) for name in names] == [4.0, 5.0, 9.0, 0.25]
    assert [value(name, document) for name in ("lag_s", "backlog_requests")] == [3.0, 7.0]


def test_a_side_without_requests_has_no_latency() -> None:
    none = {"requests": 0, "latency_us": {"mean": None, "p99": None}}
    write = {"requests": 2, "latency_us": {"mean": 5000.0}}
    document = {"host": {"read": none, "write": write, "backlog": None}}
    assert value("response_ms", document) == 5.0
    assert value("read_p99_ms", document) is None
    assert value("lag_s", document) is None


def run(windows: Sequence[tuple[int, float]]) -> dict[str, Any]:
    """Return a result with so many writes of so many microseconds in each window."""
    columns = {
        "write_requests": [writes for writes, _ in windows],
        "write_latency_ns_sum": [int(writes * us * 1000) for writes, us in windows],
    }
    return {"series": {"columns": columns}}


def test_latency_before_and_after_a_cliff_is_weighted_by_the_writes() -> None:
    document = run([(10, 500), (0, 0), (30, 540), (10, 2000), (30, 600)])
    assert value("write_before_cliff_us", document) == pytest.approx(530)
    assert value("write_after_cliff_us", document) == pytest.approx(950)
    assert value("write_after_cliff_us", run([(10, 500), (10, 900)])) is None


def test_a_rise_is_that_of_the_worst_quarter_of_the_first_writes() -> None:
    rising = [(25_000, us) for us in (100, 110, 132, 198)]
    assert value("write_rise", run([*rising, (25_000, 1)])) == pytest.approx(0.1)
    assert value("write_rise", run([*rising[:3], (25_000, 99)])) == pytest.approx(-0.25)
    # Fewer writes than the paper shows say nothing.
    assert value("write_rise", run(rising[:3])) is None


def test_every_row_reads_by_methods_and_rows_that_there_are() -> None:
    for name, term in measures().items():
        for leaf in leaves(term):
            if isinstance(leaf, Reading):
                assert callable(getattr(Result, leaf.method)), name
            else:
                assert isinstance(leaf, float) or "." in str(leaf) or leaf in measures(), name
