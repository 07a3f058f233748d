"""Claims about a scheme against another from trace to trace, and about latency during a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from slcache.reproduce.claims import Claim
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.measures import value
from slcache.reproduce.points import Table

#: The change of one scheme against the other, in percent, by trace.
CHANGES = {"a": -20.0, "b": -5.0, "c": 0.5, "d": 40.0}


def table(changes: dict[str, float]) -> Table:
    documents = {
        (trace, scheme, 1): {"scheme": {"figures": {"lifetime": cost}}}
        for trace, change in changes.items()
        for scheme, cost in (("new", 100 + change), ("old", 100.0))
    }
    return Table(documents, "old", list(changes))


def judge(function: str, paper: Any, changes: dict[str, float] | None = None, **more: Any) -> Row:  # noqa: ANN401
    said = "".join(f", {key}={value!r}" for key, value in more.items())
    claim = Claim("x", "1", "text", paper, f'{function}(lifetime, "new", "old"{said})')
    return ledger([claim], {"": table(changes or CHANGES)})[0]


@pytest.mark.parametrize(
    ("function", "paper", "verdict"),
    [
        ("down_on", "2 to 2", "reproduced"),
        ("down_on", "3 to 3", "same direction"),
        ("down_on", "7 to 9", "not reproduced"),
        ("up_on", "1 to 1", "reproduced"),
        ("up_on", "3 to 3", "not reproduced"),
    ],
)
def test_traces_ahead_and_behind_are_counted(function: str, paper: str, verdict: str) -> None:
    assert judge(function, paper).verdict == verdict


def test_a_count_of_too_few_traces_says_nothing() -> None:
    assert judge("up_on", "2 to 2", of=11).verdict == "no data"


def test_none_at_all_is_of_no_magnitude() -> None:
    assert judge("up_on", "2 to 2", {"a": -1.5, "b": 0.9}).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("order", "verdict"),
    [
        (["d", "c", "b", "a"], "reproduced"),
        (["c", "d", "b", "a"], "same direction"),
        (["a", "b", "c", "d"], "not reproduced"),
    ],
)
def test_a_change_sinks_over_the_traces_in_the_claims_order(order: list[str], verdict: str) -> None:
    assert judge("falls", "at every step", on=order).verdict == verdict


def test_a_way_over_traces_needs_all_of_them() -> None:
    assert judge("rises", "at every step", on=["a", "b", "e"]).verdict == "no data"


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
