"""What settings do to a metric: levels of a parameter, main effects, maps of two of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slcache.study.axes import Value
from slcache.study.outcome import Setting

if TYPE_CHECKING:
    from slcache.study import document

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
    bounds: Sequence[tuple[Value, Value]]
    #: Where a level lies on an axis: its value, the mean of a range, its place among words.
    places: Sequence[float]
    #: The level of each point.
    of: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.bounds)


def is_numeric(values: Iterable[Setting]) -> bool:
    """Return whether all values are numbers; True and False are words."""
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def each(values: Sequence[Any]) -> Levels:
    """Return every value as a level: numbers in order, words as they first come."""
    numeric = is_numeric(values)
    known = sorted(set(values), key=float) if numeric else list(dict.fromkeys(values))
    place = {value: i for i, value in enumerate(known)}
    return Levels(
        numeric,
        [(value, value) for value in known],
        [float(value) if numeric else float(i) for i, value in enumerate(known)],
        np.array([place[value] for value in values], dtype=np.intp),
    )


def few(values: Sequence[Any], most: int = _RANGES_MOST, each_of: int = _IN_A_RANGE) -> Levels:
    """Return numbers in so few ranges that each has points enough; equals stay together."""
    count = max(2, min(most, len(values) // each_of))
    numbers = np.array(values, dtype=np.float64)
    # The rank of the first of equals decides for all of them.
    first = np.searchsorted(np.sort(numbers), numbers, side="left")
    _, of = np.unique(first * count // len(numbers), return_inverse=True)
    groups = [[v for v, at in zip(values, of, strict=True) if at == i] for i in range(max(of) + 1)]
    return Levels(
        True,
        [(min(group, key=float), max(group, key=float)) for group in groups],
        [float(np.mean(np.array(group, dtype=np.float64))) for group in groups],
        of.astype(np.intp),
    )


@dataclass(frozen=True)
class Level:
    """One level of a parameter: its mean, and how its points lie around it."""

    low: Value
    high: Value
    place: float
    mean: float
    count: int
    #: Least, first quartile, third quartile and greatest of its points.
    spread: tuple[float, float, float, float]

    def to_dict(self) -> document.Level:
        """Return the level as plain data."""
        least, first, third, greatest = self.spread
        return {
            "from": self.low,
            "to": self.high,
            "points": self.count,
            "mean": self.mean,
            "least": least,
            "first_quartile": first,
            "third_quartile": third,
            "greatest": greatest,
        }


@dataclass(frozen=True)
class Effect:
    """What a parameter does to a metric."""

    factor: str
    numeric: bool
    levels: Sequence[Level]
    #: Whether each level has those of the other parameters as often as all points have.
    balanced: bool
    #: Points that have no such parameter, and are not counted here.
    absent: int

    @property
    def ranges(self) -> bool:
        """Whether levels are ranges of values."""
        return any(level.low != level.high for level in self.levels)

    @property
    def distance(self) -> float:
        """How far its least mean lies from its greatest."""
        means = [level.mean for level in self.levels]
        return max(means) - min(means)

    def to_dict(self) -> document.Effect:
        """Return what the parameter does as plain data."""
        return {
            "parameter": self.factor,
            "balanced": self.balanced,
            "points_without": self.absent,
            "levels": [level.to_dict() for level in self.levels],
        }


def main_effects(columns: Mapping[str, Sequence[Setting]], values: Sequence[float]) -> list[Effect]:
    """Return the effects of parameters, a column of settings each, on values.

    The parameter whose means lie furthest apart is the first.
    """
    numbers = np.array(values, dtype=np.float64)
    found = [effect for name in columns if (effect := _effect(name, columns, numbers)) is not None]
    return sorted(found, key=lambda effect: -effect.distance)


def _effect(
    name: str, columns: Mapping[str, Sequence[Setting]], values: NDArray[np.float64]
) -> Effect | None:
    """Return one parameter's effect, or None where the points have one value of it."""
    have = [i for i, value in enumerate(columns[name]) if value is not None]
    kept = {other: [column[i] for i in have] for other, column in columns.items()}
    own = kept.pop(name)
    if len(set(own)) < 2:
        return None
    others = [other for other in kept.values() if None not in other and len(set(other)) > 1]
    found = each(own)
    balanced = all(_as_often(found, each(other)) for other in others)
    # A level of a point or two says little of drawn numbers; ranges of them do.
    thin = len(found) > MOST or (not balanced and 2 * len(found) > len(own))
    if found.numeric and others and thin and len(own) > 3:
        found = few(own)
    levels = _means_of(found, values[have])
    return Effect(name, found.numeric, levels, balanced, len(values) - len(own))


def _as_often(one: Levels, other: Levels) -> bool:
    """Return whether every level of one has the other's levels as often as all points have."""
    if len(one) * len(other) > len(one.of):
        # Some level of one has none of the other's points.
        return False
    pairs = np.zeros((len(one), len(other)), dtype=np.int64)
    np.add.at(pairs, (one.of, other.of), 1)
    return bool((pairs * len(one.of) == np.outer(pairs.sum(axis=1), pairs.sum(axis=0))).all())


def _means_of(one: Levels, values: NDArray[np.float64]) -> list[Level]:
    counts = np.bincount(one.of)
    means = np.bincount(one.of, values) / counts
    groups = np.split(values[np.argsort(one.of, kind="stable")], np.cumsum(counts)[:-1])
    found = []
    for bounds, place, mean, points in zip(one.bounds, one.places, means, groups, strict=True):
        least, first, third, most = np.quantile(points, (0.0, 0.25, 0.75, 1.0)).tolist()
        found.append(Level(*bounds, place, float(mean), len(points), (least, first, third, most)))
    return found


#: With at most this many levels a parameter keeps each of its values on a map.
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
    columns, rows = _few_levels(across), _few_levels(up)
    names = np.array([""] * len(values) if groups is None else groups)
    places, weights = rows.of * len(columns) + columns.of, np.array(values, dtype=np.float64)
    shape, size = (len(rows), len(columns)), len(rows) * len(columns)
    found = {}
    for name in dict.fromkeys(names.tolist()):
        wanted = names == name
        counts = np.bincount(places[wanted], minlength=size)
        sums = np.bincount(places[wanted], weights[wanted], minlength=size)
        means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
        found[name] = Cells(columns, rows, means.reshape(shape), counts.reshape(shape))
    return found


def _few_levels(values: Sequence[Setting]) -> Levels:
    """Return every value as a level; ranges where they are many, or where most come once."""
    found = each(values)
    lonely = len(found) > MOST and 2 * len(found) > len(values)
    if not found.numeric or not (lonely or len(found) > _MOST):
        return found
    return few(values, most=max(2, int((len(values) / 2) ** 0.5)), each_of=2)
