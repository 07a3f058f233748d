"""A device that falls behind is said to, and one that keeps up is not."""

from __future__ import annotations

from typing import Any

import pytest

from slcache.report import terminal


def document(
    duration_ns: int, backlog: dict[str, int] | None, offered_iops: float | None = None
) -> dict[str, Any]:
    return {
        "scheme": {"name": "baseline"},
        "host": {"duration_ns": duration_ns, "iops": 50.0, "backlog": backlog},
        "trace": {"offered_iops": offered_iops},
    }


def test_a_device_that_ends_long_after_the_last_request_is_told() -> None:
    behind = document(400_000_000_000, {"requests_max": 1_234_567, "lag_ns": 300_000_000_000})
    told = terminal.overload("baseline:slc_blocks=3", behind)
    assert told.startswith("baseline:slc_blocks=3: the device does not keep up with the trace")
    assert "1,234,567 requests" in told
    assert "5.00 min" in told or "300 s" in told


@pytest.mark.parametrize(
    "backlog",
    [
        None,
        {"requests_max": 3, "lag_ns": 900_000},
        {"requests_max": 90, "lag_ns": 3_000_000_000},
    ],
)
def test_a_device_that_keeps_up_is_not(backlog: dict[str, int] | None) -> None:
    assert terminal.overload("baseline", document(400_000_000_000, backlog)) == ""


def test_how_much_more_was_asked_than_served_is_told() -> None:
    backlog = {"requests_max": 1_000_000, "lag_ns": 200_000_000_000}
    told = terminal.overload("baseline", document(400_000_000_000, backlog, offered_iops=100.0))
    assert "(offered 100 requests/s, served 50: 2.00 times)" in told
