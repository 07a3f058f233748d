"""The search finds the smallest candidate that suffices, also where the figure does not rise."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from slcache.search.batches import Measuring, grid, smallest, steps_most

Curve = Callable[[int], float]


class Measured:
    """A curve that remembers what was asked of it."""

    def __init__(self, curve: Curve) -> None:
        self.curve = curve
        self.asked: list[int] = []

    def __call__(self, places: Sequence[int]) -> dict[int, float]:
        """Return the curve at places that were not asked for before."""
        assert not set(places) & set(self.asked), "nothing is measured twice"
        self.asked += places
        return {place: self.curve(place) for place in places}


def search(curve: Curve, needed: float, last: int = 32) -> tuple[int | None, set[int]]:
    """Return what is found and what was measured."""
    measured = Measured(lambda place: curve(place) - needed)

    def measure(places: Sequence[int]) -> Measuring:
        yield
        return measured(places)

    steps = smallest(last, measure)
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value, set(measured.asked)


@pytest.mark.parametrize("last", [1, 2, 3, 4, 7, 32, 33, 100])
def test_a_rising_curve_is_searched_exactly_and_fast(last: int) -> None:
    for answer in range(last + 1):
        found, asked = search(float, answer - 0.5, last)
        assert found == answer
        assert len(asked) <= steps_most(last)
        assert {answer - 1, answer + 1} & set(range(last + 1)) <= asked, "both neighbours"


def test_the_coarse_grid_has_both_ends() -> None:
    assert grid(32) == [0, 8, 16, 24, 32]
    assert grid(1) == [0, 1]
    assert grid(6) == [0, 2, 3, 5, 6]
    assert steps_most(32) == 5 + 3 + 1


def test_a_curve_may_be_highest_inside() -> None:
    def hill(place: int) -> float:
        return 10.0 - abs(place - 13)

    found, asked = search(hill, 9.5)
    assert found == 13
    assert {12, 14} <= asked
    # No point of the grid suffices: the search climbs to the top and down its left side.
    assert search(hill, 8.0)[0] == 11
    assert search(hill, -3.0)[0] == 0
    found, asked = search(hill, 10.5)
    assert found is None
    assert {12, 13, 14} <= asked, "the best candidate and both neighbours"


def test_what_is_found_suffices_and_what_is_before_it_does_not() -> None:
    rng = random.Random(14)
    for _ in range(300):
        last = rng.randint(1, 40)
        curve = [rng.random() + rng.choice([0, 0.05]) * i for i in range(last + 1)]
        needed = rng.random() * 1.5
        found, asked = search(curve.__getitem__, needed, last)
        if found is None:
            assert all(curve[place] < needed for place in asked)
            best = max(asked, key=lambda place: (curve[place], -place))
            beside = {best - 1, best + 1} & set(range(last + 1))
            assert beside <= asked
        else:
            assert curve[found] >= needed
            assert found == 0 or curve[found - 1] < needed
            assert {found - 1, found + 1} & set(range(last + 1)) <= asked
