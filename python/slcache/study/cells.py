"""A metric over two parameters: the mean of each pair of levels over all else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slcache.study import levels
from slcache.study.levels import Levels
from slcache.study.outcome import Setting

#: With at most this many levels a parameter keeps each of its values.
_MOST = 32


@dataclass(frozen=True)
class Cells:
    """The means of a map, a row for each level of the second parameter, and how many points."""

    across: Levels
    up: Levels
    #: Not a number where there is no point.
    means: NDArray[np.float64]
    counts: NDArray[np.intp]


def over(
    across: Sequence[Setting],
    up: Sequence[Setting],
    values: Sequence[float],
    groups: Sequence[str] | None = None,
) -> dict[str, Cells]:
    """Return a map of values over two columns of settings for each group, of the same levels."""
    columns, rows = _levels(across), _levels(up)
    names = [""] * len(values) if groups is None else groups
    return {
        name: _map(columns, rows, np.array([each == name for each in names]), values)
        for name in dict.fromkeys(names)
    }


def _map(
    columns: Levels, rows: Levels, wanted: NDArray[np.bool_], values: Sequence[float]
) -> Cells:
    """Return the map of the points that are wanted."""
    places = (rows.of * len(columns) + columns.of)[wanted]
    size = len(columns) * len(rows)
    counts = np.bincount(places, minlength=size)
    sums = np.bincount(places, np.array(values, dtype=np.float64)[wanted], minlength=size)
    means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
    shape = (len(rows), len(columns))
    return Cells(columns, rows, means.reshape(shape), counts.reshape(shape))


def _levels(values: Sequence[Setting]) -> Levels:
    """Return every value as a level; ranges where they are many, or where most come once."""
    found = levels.each(values)
    lonely = len(found) > levels.MOST and 2 * len(found) > len(values)
    if not found.numeric or not (lonely or len(found) > _MOST):
        return found
    return levels.few(values, most=max(2, int((len(values) / 2) ** 0.5)), each_of=2)
