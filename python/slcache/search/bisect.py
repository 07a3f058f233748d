"""Bisection: the least or most value of one key at which all bounds are kept.

How far the bounds are kept is thought to rise with the key, and nearly does. A coarse grid comes
first, so that a curve with its best inside is seen; bisection follows between the first of its
points that keeps the bounds and the one before; in the end both neighbours of the answer are run.
Where no point of the grid keeps them, the search climbs to the best candidate.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import pairwise

from slcache.search.batches import Batch, Batches, Tried
from slcache.search.goals import Goals
from slcache.search.space import SCHEME, Settings, Space

#: Yields candidates to measure at once, and is told the figure of each.
Measures = Generator[list[int], Mapping[int, float], int | None]
#: Stretches of the coarse grid.
STRETCHES = 4


class Bisection:
    """One search, from its grid to the neighbours of its answer, among values not `refused`."""

    def __init__(self, space: Space, goals: Goals, refused: Sequence[bool]) -> None:
        self._goals = goals
        key, way = goals.wanted
        (scheme,) = space.schemes
        (axis,) = space.axes
        points: list[tuple[Settings, bool]] = [
            ({SCHEME: scheme, key: value}, no)
            for value, no in zip(axis.values, refused, strict=True)
        ]
        self._refused = [point for point, no in points if no]
        possible = [point for point, no in points if not no]
        #: The one that is wanted most comes first.
        self._points = possible if way == "min" else possible[::-1]

    @property
    def most(self) -> int:
        """How many points are run at most where the figure rises."""
        return len(self._refused) + steps_most(len(self._points) - 1)

    def batches(self) -> Batches:
        """Search, and return the points by the value of the key."""
        tried: list[Tried] = []
        if self._refused:
            tried += yield from _tried(self._refused)
        if self._points:
            steps = smallest(len(self._points) - 1)
            places = next(steps, None)
            while places is not None:
                found = yield from _tried([self._points[place] for place in places])
                tried += found
                figures = (each.within(self._goals.bounds) for each in found)
                try:
                    places = steps.send(dict(zip(places, figures, strict=True)))
                except StopIteration:
                    break
        key, _ = self._goals.wanted
        return sorted(tried, key=lambda each: float(each.settings[key]))


def _tried(points: Sequence[Settings]) -> Batches:
    found = yield Batch(points)
    return [Tried(point, one) for point, one in zip(points, found, strict=True)]


def grid(last: int) -> list[int]:
    """Return the candidates measured first: both ends and what lies evenly between."""
    return sorted({(2 * part * last + STRETCHES) // (2 * STRETCHES) for part in range(5)})


def steps_most(last: int) -> int:
    """Return how many candidates are measured at most where the figure rises."""
    if last < 0:
        return 0
    places = grid(last)
    widest = max((b - a for a, b in pairwise(places)), default=1)
    return len(places) + (widest - 1).bit_length() + 1


def smallest(last: int) -> Measures:
    """Return the smallest of the candidates 0 to `last` whose figure is 0 or more, if one's is.

    The answer fails at the candidate before it; the one behind it is measured too.
    """
    figures = dict((yield grid(last)))
    if not any(figure >= 0 for figure in figures.values()):
        yield from _climb(figures)
    enough = [place for place, figure in sorted(figures.items()) if figure >= 0]
    if not enough:
        return None
    found = enough[0]
    below = max((place for place in figures if place < found), default=-1)
    while found - below > 1:
        middle = (below + found) // 2
        figures |= yield [middle]
        below, found = (below, middle) if figures[middle] >= 0 else (middle, found)
    if found < last and found + 1 not in figures:
        yield [found + 1]
    return found


def _climb(figures: dict[int, float]) -> Measures:
    """Measure towards the best candidate until one is good enough or its neighbours are worse."""
    while True:
        best = max(figures, key=lambda place: (figures[place], -place))
        below = max((place for place in figures if place < best), default=best)
        above = min((place for place in figures if place > best), default=best)
        halves = {(below + best) // 2, (best + above + 1) // 2} - figures.keys()
        if not halves:
            return None
        figures |= yield sorted(halves)
        if any(figures[place] >= 0 for place in halves):
            return None
