"""What every search is: batches of points, told what became of them; and bisection."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from slcache.errors import RunError
from slcache.metrics import absence
from slcache.search.goals import Bound, Figures, Search
from slcache.search.space import Settings, Space
from slcache.study.axes import amount
from slcache.study.points import SCHEME, Point, Status

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
    #: Its rows of the table, in the order of the seeds.
    rows: Sequence[Point] = field(default=(), compare=False, repr=False)

    def stopped(self, reason: str) -> Found:
        """Return a point that was stopped: what a beginning shows is no figure of the whole."""
        row = [replace(each, key=None, values={}, costs={}) for each in self.rows[:1]]
        rows = [replace(each, status="stopped", reason=reason) for each in row]
        return Found("stopped", reason, rows=rows)


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
        if all(found.figures.get(name) is None for found in done):
            raise RunError(
                f"{name}: none of the {which}{len(done)} runs has it, so there is nothing to "
                f"search by; {absence(name)}"
            )


#: Measures candidates at once, as a part of the search that yields batches.
Measuring = Generator[Any, Any, Mapping[int, float]]
#: Stretches of the coarse grid.
STRETCHES = 4


def bisected(space: Space, search: Search, refused: Sequence[bool]) -> Batches:
    """Bisect the values of the only axis, and return those that were tried, the smallest first.

    What is `refused` is told as impossible first, and not searched among.
    """
    key, way = search.wanted or ("", "min")
    (scheme,), (axis,) = space.schemes, space.axes
    pairs = list(zip(axis.values, refused, strict=True))
    possible, never = ([{SCHEME: scheme, key: v} for v, r in pairs if r == no] for no in (0, 1))
    #: The one that is wanted most comes first.
    points: list[Settings] = [*possible[:: 1 if way == "min" else -1]]
    tried: list[Tried] = []

    def told(asked: Sequence[Settings]) -> Generator[Batch, Sequence[Found], list[Tried]]:
        found = yield Batch(asked)
        new = [Tried(point, one) for point, one in zip(asked, found, strict=True)]
        tried.extend(new)
        return new

    def measure(places: list[int]) -> Measuring:
        found = yield from told([points[place] for place in places])
        figures = (each.within(search.bounds) for each in found)
        return dict(zip(places, figures, strict=True))

    if never:
        yield from told(never)
    if points:
        yield from smallest(len(points) - 1, measure)
    return sorted(tried, key=lambda each: amount(each.settings[key]))


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


def smallest(
    last: int, measure: Callable[[list[int]], Measuring]
) -> Generator[Any, Any, int | None]:
    """Return the smallest of the candidates 0 to `last` whose figure is 0 or more, if one's is.

    The answer fails at the candidate before it; the one behind it is measured too.
    """
    figures = dict((yield from measure(grid(last))))
    while not any(figure >= 0 for figure in figures.values()):
        # Climb towards the best until one is good enough or its neighbours are worse.
        best = max(figures, key=lambda place: (figures[place], -place))
        below = max((place for place in figures if place < best), default=best)
        above = min((place for place in figures if place > best), default=best)
        halves = {(below + best) // 2, (best + above + 1) // 2} - figures.keys()
        if not halves:
            return None
        figures |= yield from measure(sorted(halves))
    found = min(place for place, figure in figures.items() if figure >= 0)
    below = max((place for place in figures if place < found), default=-1)
    while found - below > 1:
        middle = (below + found) // 2
        figures |= yield from measure([middle])
        below, found = (below, middle) if figures[middle] >= 0 else (middle, found)
    if found < last and found + 1 not in figures:
        yield from measure([found + 1])
    return found
