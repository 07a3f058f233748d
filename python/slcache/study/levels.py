"""A parameter's values as levels: each value its own, or ranges of a number with many values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slcache.study.outcome import Setting

#: Numbers with more values than this are put into ranges.
MOST = 12
_RANGES_MOST = 6
#: A range holds about this many points at least.
_IN_A_RANGE = 6


@dataclass(frozen=True)
class Levels:
    """The levels of a parameter and the level of each point."""

    numeric: bool
    #: Of each level the value, or of a range the least and the greatest that is in it.
    bounds: Sequence[tuple[Setting, Setting]]
    #: Where a level lies on an axis: its value, the mean of a range, its place among words.
    places: Sequence[float]
    #: The level of each point.
    of: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.bounds)


def is_numeric(values: Iterable[Setting]) -> bool:
    """Return whether all values are numbers; True and False are words."""
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def each(values: Sequence[Setting]) -> Levels:
    """Return every value as a level: numbers in order, words as they first come."""
    numeric = is_numeric(values)
    known = sorted(set(values), key=_number) if numeric else list(dict.fromkeys(values))
    place = {value: i for i, value in enumerate(known)}
    return Levels(
        numeric,
        [(value, value) for value in known],
        [_number(value) if numeric else float(i) for i, value in enumerate(known)],
        np.array([place[value] for value in values], dtype=np.intp),
    )


def ranges(values: Sequence[Setting], count: int) -> Levels:
    """Return numbers in about so many ranges with as many points each; equals stay together."""
    numbers = np.array(values, dtype=np.float64)
    # The rank of the first of equals decides for all of them.
    first = np.searchsorted(np.sort(numbers), numbers, side="left")
    _, of = np.unique(first * count // len(numbers), return_inverse=True)
    groups = [[v for v, at in zip(values, of, strict=True) if at == i] for i in range(max(of) + 1)]
    return Levels(
        True,
        [(min(group, key=_number), max(group, key=_number)) for group in groups],
        [float(np.mean([_number(v) for v in group])) for group in groups],
        of.astype(np.intp),
    )


def few(values: Sequence[Setting], most: int = _RANGES_MOST, each_of: int = _IN_A_RANGE) -> Levels:
    """Return a number's values in so few ranges that each has points enough, words as they are."""
    if not is_numeric(values):
        return each(values)
    return ranges(values, max(2, min(most, len(values) // each_of)))


def _number(value: Setting) -> float:
    assert isinstance(value, int | float)
    return float(value)
