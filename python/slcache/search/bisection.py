"""Bisection: the least or most value of one key at which all bounds are kept.

How far the bounds are kept is thought to rise with the key, and nearly does. A coarse grid comes
first, so that a curve with its best inside is seen; bisection follows between the first of its
points that keeps the bounds and the one before; in the end both neighbours of the answer are run.
Where no point of the grid keeps them, the search climbs to the best candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from slcache.search.search import Evaluate, Plan, Tried
from slcache.search.space import SCHEME, Settings
from slcache.sweep.axes import Value

#: Measures some candidates at once and returns the figure of each.
Measure = Callable[[Sequence[int]], Mapping[int, float]]
#: Stretches of the coarse grid.
STRETCHES = 4
_WHOLE = Fraction(1)


class Bisection:
    """One search, from its grid to the neighbours of its answer."""

    def __init__(
        self,
        plan: Plan,
        evaluate: Evaluate,
        refused: Callable[[Sequence[Value]], Sequence[bool]],
    ) -> None:
        self.plan, self._evaluate = plan, evaluate
        key, way = plan.goals.wanted
        (scheme,) = plan.space.schemes
        (axis,) = plan.space.axes
        points: list[tuple[Settings, bool]] = [
            ({SCHEME: scheme, key: value}, no)
            for value, no in zip(axis.values, refused(axis.values), strict=True)
        ]
        self._refused = [point for point, no in points if no]
        possible = [point for point, no in points if not no]
        #: The one that is wanted most comes first.
        self._points = possible if way == "min" else possible[::-1]
        self.tried: list[Tried] = []

    @property
    def most(self) -> int:
        """How many points are run at most where the figure rises."""
        return len(self._refused) + steps_most(len(self._points) - 1)

    def run(self, more: Callable[[int], bool]) -> list[Tried]:
        """Search, and return the points by the value of the key; `more` is told before a batch."""

        def measure(places: Sequence[int]) -> dict[int, float]:
            # The neighbours of the answer are run whatever the budget: there is none of points.
            more(len(self.tried))
            self._run([self._points[place] for place in places])
            bounds = self.plan.goals.bounds
            return {
                i: t.within(bounds) for i, t in zip(places, self.tried[-len(places) :], strict=True)
            }

        if self._refused:
            self._run(self._refused)
        if self._points:
            smallest(len(self._points) - 1, measure)
        key, _ = self.plan.goals.wanted
        return sorted(self.tried, key=lambda each: float(each.settings[key]))

    def _run(self, points: Sequence[Settings]) -> None:
        found = self._evaluate(points, _WHOLE)
        self.tried += [Tried(point, one) for point, one in zip(points, found, strict=True)]


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


def smallest(last: int, measure: Measure) -> int | None:
    """Return the smallest of the candidates 0 to `last` whose figure is 0 or more, if one's is.

    The answer fails at the candidate before it; the one behind it is measured too.
    """
    figures = dict(measure(grid(last)))
    if not any(figure >= 0 for figure in figures.values()):
        _climb(figures, measure)
    enough = [place for place, figure in sorted(figures.items()) if figure >= 0]
    if not enough:
        return None
    found = enough[0]
    below = max((place for place in figures if place < found), default=-1)
    while found - below > 1:
        middle = (below + found) // 2
        figures |= measure([middle])
        below, found = (below, middle) if figures[middle] >= 0 else (middle, found)
    if found < last and found + 1 not in figures:
        measure([found + 1])
    return found


def _climb(figures: dict[int, float], measure: Measure) -> None:
    """Measure towards the best candidate until one is good enough or its neighbours are worse."""
    while True:
        best = max(figures, key=lambda place: (figures[place], -place))
        below = max((place for place in figures if place < best), default=best)
        above = min((place for place in figures if place > best), default=best)
        halves = {(below + best) // 2, (best + above + 1) // 2} - figures.keys()
        if not halves:
            return
        figures |= measure(sorted(halves))
        if any(figures[place] >= 0 for place in halves):
            return
