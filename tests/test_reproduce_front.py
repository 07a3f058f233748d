"""Which points of a study no other beats on all of the paper's figures."""

from __future__ import annotations

from typing import Any

from slcache.reproduce.claims import Claim
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.points import Table
from slcache.reproduce.sensitivity import front, met

PAPER = {"lifetime_fast": -25, "lifetime_dense": -10}


def point(write: float, read: float, **of_read: Any) -> dict[str, Row]:  # noqa: ANN401
    """Return the claims of a study's point that found these changes."""
    figures = {
        "new": {"lifetime_fast": 100 + write, "lifetime_dense": 100 + read},
        "old": dict.fromkeys(PAPER, 100.0),
    }
    documents = {("a", s, 1): {"scheme": {"figures": of}} for s, of in figures.items()}
    claims = [
        Claim(name, "1", "t", f"{paper} ± 1 %", f'change({name}, "new", "old")', **more)
        for (name, paper), more in zip(PAPER.items(), ({}, of_read), strict=True)
    ]
    return {row.id: row for row in ledger(claims, {"": Table(documents, "old", ["a"])})}


def test_the_front_is_what_no_other_beats_on_all_figures() -> None:
    points = [point(-20, 0), point(-10, -9.5), point(-10, 0), point(-60, 5)]
    assert front(points) == [0, 1]
    assert [met(rows) for rows in points] == [0, 1, 0, 0]


def test_within_the_tolerance_nothing_is_nearer() -> None:
    assert front([point(-20, -10), point(-20, -9.1)]) == [0, 1]
    assert front([point(-20, -10), point(-20, -8.9)]) == [0]


def test_calibrated_claims_do_not_count() -> None:
    calibrated = {"class_": "calibrated"}
    assert front([point(-20, -10, **calibrated), point(-21, 50, **calibrated)]) == [1]


def test_a_figure_that_some_point_lacks_is_left_out() -> None:
    first = point(-20, -10)
    other = point(-21, 50)
    del other["lifetime_dense"]
    assert front([first, other]) == [1]
