"""Figures read from a result are those that a closed form gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import slcache
from slcache.reproduce.expressions import Reading, leaves
from slcache.reproduce.measures import Result, measures, value

#: Pages of the SLC cache of ips-384g, and of a write of 32 KiB.
CACHE_PAGES = (4 << 30) // 4096
PAGES_PER_WRITE = 8
WRITES = 150_000
HOST_PAGES = WRITES * PAGES_PER_WRITE


def bursty(scheme: str) -> dict[str, float | None]:
    """Return the measures of a burst that is larger than the cache."""
    document = slcache.run(
        "ips-bursty",
        device="ips-384g",
        scheme=scheme,
        replay="closed:1",
        settings={"trace.prefill": "none"},
        trace_options={"workload.requests": str(WRITES)},
    ).to_dict()
    return {name: value(name, document) for name in measures()}


def test_the_cliff_and_the_programmed_pages_are_those_of_the_cache() -> None:
    found = bursty("turbo-write")
    assert found["cliff_writes"] == pytest.approx(CACHE_PAGES / PAGES_PER_WRITE, rel=0.01)
    programmed = HOST_PAGES + CACHE_PAGES
    pages = {"slc": CACHE_PAGES, "moved": CACHE_PAGES, "dense": HOST_PAGES - CACHE_PAGES}
    for name, of in pages.items():
        assert found[f"{name}_program_share"] == pytest.approx(of / programmed)
    assert found["waf_pages"] == pytest.approx(programmed / HOST_PAGES)


def test_without_idle_time_switching_is_in_balance() -> None:
    found = bursty("ips-agc")
    fast = found["fast_share"]
    assert fast is not None
    assert found["agc_moves_per_host_page"] == 0
    # What was fast and has not been switched is the whole cache at most: two pages per bit.
    assert found["balance_gap"] == pytest.approx(1 - 3 * fast)
    assert -2 * CACHE_PAGES / HOST_PAGES <= 1 - 3 * fast <= 0
    assert found["write_wait_agc_us"] == 0


def test_means_and_tails_are_of_the_requests_that_there_are(
    comparison: slcache.Comparison,
) -> None:
    real = dict(zip(comparison.labels, comparison.documents, strict=True))["baseline"]
    assert value("write_mean_us", real) == real["host"]["write"]["latency_us"]["mean"]
    assert value("write_requests", real) == real["host"]["write"]["requests"]
    read = {"requests": 1, "latency_us": {"mean": 1000.0, "p99": 5000.0}}
    write = {
        "requests": 3,
        "latency_us": {"mean": 5000.0, "p99": 9000.0},
        "attribution_us": {"wait": {"agc": 10.0}},
    }
    backlog = {"requests_max": 7, "lag_ns": 3_000_000_000}
    none = {"requests": 0, "latency_us": {"mean": None, "p99": None}}
    figures = {"write_p99_ms": 9.0, "write_wait_agc_us": 10 / 3, "write_wait_migration_us": 0.0}
    figures |= {"response_ms": 4.0, "read_p99_ms": 5.0, "read_request_share": 0.25}
    host = {"read": read, "write": write, "backlog": backlog}
    of_reads: dict[str, float | None] = {"lag_s": 3.0, "backlog_requests": 7.0}
    without = {"response_ms": 5.0, "read_p99_ms": None, "lag_s": None}
    for of, told in (
        (host, {**figures, **of_reads}),
        ({**host, "read": none, "backlog": None}, without),
    ):
        assert {name: value(name, {"host": of}) for name in told} == told


def run(windows: Sequence[tuple[int, float]]) -> dict[str, Any]:
    """Return a result with so many writes of so many microseconds in each window."""
    columns = {
        "write_requests": [writes for writes, _ in windows],
        "write_latency_ns_sum": [int(writes * us * 1000) for writes, us in windows],
    }
    return {"series": {"columns": columns}}


RISING = [(25_000, us) for us in (100, 110, 132, 198)]


@pytest.mark.parametrize(
    ("measure", "windows", "figure"),
    [
        # Before and after a cliff, weighted by the writes.
        ("write_before_cliff_us", [(10, 500), (0, 0), (30, 540), (10, 2000), (30, 600)], 530),
        ("write_after_cliff_us", [(10, 500), (0, 0), (30, 540), (10, 2000), (30, 600)], 950),
        ("write_after_cliff_us", [(10, 500), (10, 900)], None),
        # A rise is that of the worst quarter of the first writes; fewer say nothing.
        ("write_rise", [*RISING, (25_000, 1)], 0.1),
        ("write_rise", [*RISING[:3], (25_000, 99)], -0.25),
        ("write_rise", RISING[:3], None),
    ],
)
def test_latencies_over_time_are_those_of_their_windows(
    measure: str, windows: list[tuple[int, float]], figure: float | None
) -> None:
    assert value(measure, run(windows)) == (figure and pytest.approx(figure))


def test_time_is_split_into_host_writes_migration_and_cleaning() -> None:
    kinds = [("program", "slc", "host"), ("read", "qlc", "rmw"), ("program", "qlc", "pad")]
    kinds += [("program", "qlc", "migration"), ("erase", "slc", "migration")]
    kinds += [("read", "slc", "gc"), ("erase", "qlc", "gc"), ("read", "qlc", "host")]
    ops = [
        {"kind": kind, "mode": mode, "cause": cause, "time_us": 1e6 * 2**i}
        for i, (kind, mode, cause) in enumerate(kinds)
    ]
    seconds = {"slc_write_s": 1, "dense_write_s": 2 + 4, "migration_s": 8 + 16}
    seconds |= {"slc_gc_s": 32, "dense_gc_s": 64}
    assert {name: value(name, {"flash": {"ops": ops}}) for name in seconds} == seconds


def test_every_row_reads_by_methods_and_rows_that_there_are() -> None:
    for name, term in measures().items():
        for leaf in leaves(term):
            if isinstance(leaf, Reading):
                assert callable(getattr(Result, leaf.method)), name
            else:
                assert isinstance(leaf, float) or "." in str(leaf) or leaf in measures(), name
