"""The smallest candidate that is good enough: bisection that trusts monotony no further than seen.

The figure of merit is thought to rise with the candidate, and nearly does. A coarse grid comes
first, so that a curve with its maximum inside is seen; bisection follows between the first of
its points that is good enough and the one before; in the end both neighbours of the answer are
measured. Where no point of the grid is good enough, the search climbs to the best candidate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

#: Measures some candidates at once and returns the figure of each.
Measure = Callable[[Sequence[int]], Mapping[int, float]]
#: Stretches of the coarse grid.
STRETCHES = 4


def grid(last: int) -> list[int]:
    """Return the candidates measured first: both ends and what lies evenly between."""
    return sorted({(2 * part * last + STRETCHES) // (2 * STRETCHES) for part in range(5)})


def steps_most(last: int) -> int:
    """Return how many candidates are measured at most where the figure rises."""
    places = grid(last)
    widest = max((b - a for a, b in pairwise(places)), default=1)
    return len(places) + (widest - 1).bit_length() + 1


def reason_of(refused: object) -> str:
    """Return why a candidate is refused, in a line, without the setting: the search made it."""
    line = " ".join(str(refused).split())
    return re.sub(r"^settings \S+=\S+: ", "", line)


def smallest(last: int, measure: Measure, least: Callable[[float], float]) -> int | None:
    """Return the smallest of the candidates 0 to `last` that reaches what is needed, if one does.

    What is needed may depend on the figure of candidate 0. The answer fails at the candidate
    before it; the one behind it is measured too.
    """
    figures = dict(measure(grid(last)))
    needed = least(figures[0])
    if not any(figure >= needed for figure in figures.values()):
        _climb(figures, last, measure, needed)
    enough = [place for place, figure in sorted(figures.items()) if figure >= needed]
    if not enough:
        return None
    found = enough[0]
    below = max((place for place in figures if place < found), default=-1)
    while found - below > 1:
        middle = (below + found) // 2
        figures |= measure([middle])
        below, found = (below, middle) if figures[middle] >= needed else (middle, found)
    if found < last and found + 1 not in figures:
        measure([found + 1])
    return found


def _climb(figures: dict[int, float], last: int, measure: Measure, needed: float) -> None:
    """Measure towards the best candidate until one is good enough or its neighbours are worse."""
    while True:
        best = max(figures, key=lambda place: (figures[place], -place))
        below = max((place for place in figures if place < best), default=best)
        above = min((place for place in figures if place > best), default=best)
        halves = {(below + best) // 2, (best + above + 1) // 2} - figures.keys()
        if not halves:
            return
        figures |= measure(sorted(halves))
        if any(figures[place] >= needed for place in halves):
            return
