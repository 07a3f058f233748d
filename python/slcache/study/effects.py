"""Main effects: what a metric is at each level of a parameter, over all else.

A level's mean is that of its points. In a full grid every level has those of the other parameters
equally often. Where points are missing, listed or drawn, one level's may have more of what is slow
elsewhere: such a parameter is not balanced, which is told. A parameter that only some points have
is judged among these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slcache.study import levels
from slcache.study.levels import Levels
from slcache.study.outcome import Setting


@dataclass(frozen=True)
class Level:
    """One level of a parameter: its mean, and how its points lie around it."""

    low: Setting
    high: Setting
    place: float
    mean: float
    count: int
    #: Least, first quartile, third quartile and greatest of its points.
    spread: tuple[float, float, float, float]


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
    have = np.array([value is not None for value in columns[name]])
    own = _of(columns[name], have)
    if len(set(own)) < 2:
        return None
    others = [_of(column, have) for other, column in columns.items() if other != name]
    others = [other for other in others if None not in other and len(set(other)) > 1]
    found = levels.each(own)
    balanced = all(_as_often(found, levels.each(other)) for other in others)
    # A level of a point or two says little of drawn numbers; ranges of them do.
    thin = len(found) > levels.MOST or (not balanced and 2 * len(found) > len(own))
    if found.numeric and others and thin and len(own) > 3:
        found = levels.few(own)
    absent = len(values) - len(own)
    return Effect(name, found.numeric, _levels(found, values[have]), balanced, absent)


def _of(column: Sequence[Setting], have: NDArray[np.bool_]) -> list[Setting]:
    return [value for value, wanted in zip(column, have, strict=True) if wanted]


def _as_often(one: Levels, other: Levels) -> bool:
    """Return whether every level of one has the other's levels as often as all points have."""
    if len(one) * len(other) > len(one.of):
        # Some level of one has none of the other's points.
        return False
    pairs = np.zeros((len(one), len(other)), dtype=np.int64)
    np.add.at(pairs, (one.of, other.of), 1)
    return bool((pairs * len(one.of) == np.outer(pairs.sum(axis=1), pairs.sum(axis=0))).all())


def _levels(one: Levels, values: NDArray[np.float64]) -> list[Level]:
    found = []
    ends = np.cumsum(np.bincount(one.of))[:-1]
    groups = np.split(values[np.argsort(one.of, kind="stable")], ends)
    means = np.bincount(one.of, values) / np.bincount(one.of)
    for (low, high), place, mean, points in zip(one.bounds, one.places, means, groups, strict=True):
        least, first, third, most = np.quantile(points, (0.0, 0.25, 0.75, 1.0))
        spread = (float(least), float(first), float(third), float(most))
        found.append(Level(low, high, place, float(mean), len(points), spread))
    return found
