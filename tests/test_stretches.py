"""A mean that a few stretches of time make is told as that."""

from __future__ import annotations

from typing import Any

import pytest

from slcache.sentences import verdict


def document(sums: list[int | None], requests: list[int]) -> dict[str, Any]:
    """Return as much of a document as is asked."""
    mean = sum(each or 0 for each in sums) / sum(requests) / 1e3
    columns = {"write_latency_ns_sum": sums, "write_requests": requests}
    quiet = {"read_latency_ns_sum": [0] * len(sums), "read_requests": [0] * len(sums)}
    return {
        "series": {"window_ns": 10**9, "columns": {**columns, **quiet}},
        "host": {"write": {"latency_us": {"mean": mean}}},
    }


def test_stretches_are_told_with_the_mean_without_them() -> None:
    slow = {10, 11, 50}
    two = document([400_000_000 if i in slow else 100_000 for i in range(100)], [10] * 100)
    assert verdict.sentences(["slow"], [two]) == [
        "slow: 99.2 % of the time that writes took lies in 2 stretches, 3.00 s of 100 s, from "
        "10.0 s and 50.0 s on; without, the mean is 10.0 µs, not 1,210 µs."
    ]
    found = verdict.found(two, "write")
    assert found is not None
    assert found.places == [(10, 12), (50, 51)]
    assert found.share == pytest.approx(1.2e9 / (1.2e9 + 97e5))
    assert found.rest_ns == pytest.approx(10_000)
    alone = document([*([0] * 99), 10**9], [0] * 99 + [5])
    assert verdict.sentences(["x"], [alone])[0].endswith("there are no other writes.")


@pytest.mark.parametrize(
    "sums",
    [
        # Even, few, scattered, and nothing at all.
        [100_000] * 100,
        [*([0] * 20), 10**9],
        [10**9 if i % 16 == 0 else 0 for i in range(100)],
        [None] * 100,
    ],
)
def test_what_is_no_stretch_is_not_told(sums: list[int | None]) -> None:
    of = document(sums, [1] * len(sums))
    assert verdict.found(of, "write") is None or verdict.sentences(["x"], [of]) == []
