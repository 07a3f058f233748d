"""What every search is: batches of points, told what became of them; and bisection."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from slcache.errors import RunError
from slcache.metrics import absence
from slcache.search.goals import Bound, Figures, Goals
from slcache.search.space import SCHEME, Settings, Space

Status = Literal["done", "failed", "impossible", "stopped"]
WHOLE = Fraction(1)


@dataclass(frozen=True)
class Batch:
    """Points that are run together, over this share of the trace."""

    points: Sequence[Settings]
    share: Fraction = WHOLE


@dataclass(frozen=True)
class Found:
    """What became of one point, run over the trace or its beginning."""

    status: Status
    reason: str | None = None
    #: Means over the seeds, by metric; empty where it was not run.
    figures: Figures = field(default_factory=dict)


@dataclass(frozen=True)
class Tried:
    """A point that was tried."""

    settings: Settings
    found: Found
    #: What was seen over the beginnings of the trace: the share of it and the metric there.
    prefixes: Sequence[tuple[Fraction, float | None]] = ()

    def within(self, bounds: Sequence[Bound]) -> float:
        """Return by what share the bound that is nearest is kept; below 0 where it is broken."""
        if self.found.status != "done":
            return -float("inf")
        return -max(bound.broken(self.found.figures) for bound in bounds)


#: A search: it returns the points that it tried.
Batches = Generator[Batch, Sequence[Found], list[Tried]]


def check_figures(metrics: Iterable[str], done: Sequence[Found], which: str = "") -> None:
    """Raise RunError where no run has a metric that is searched by."""
    for name in metrics:
        if all(found.figures[name] is None for found in done):
            raise RunError(
                f"{name}: none of the {which}{len(done)} runs has it, so there is nothing to "
                f"search by; {absence(name)}"
            )


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
