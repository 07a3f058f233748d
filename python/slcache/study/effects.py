"""Main effects: what a metric is at each level of a parameter, over all else.

Where every level of a parameter has the others' levels as often as all points have, as in a full
grid, its mean is the plain mean of the points there. Where points are missing, listed or drawn it
is not: those at one level may happen to have more of what is slow elsewhere. Then an additive
model is fitted by least squares, a mean and what each level of each parameter adds to it, and a
level's mean is what the model gives with the others as they are among all points. Where effects do
not add up, such a model would say what no point shows, and the means are the plain ones after all.
A parameter that only some points have is judged among these. Where there are too many levels for a
model, means are the plain ones too, and nothing is told apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slcache.study import levels
from slcache.study.additive import Model, Values, solvable
from slcache.study.levels import Levels
from slcache.study.outcome import Setting

#: A model that explains less of the variance than this does not hold.
_ENOUGH = 0.5
#: Sums of squares below this share of the whole are rounding.
_NOTHING = 1e-12


@dataclass(frozen=True)
class Level:
    """One level of a parameter: its mean, and how its points lie around it."""

    low: Setting
    high: Setting
    place: float
    mean: float
    count: int
    #: Least, first quartile, third quartile and greatest of its points as they are.
    spread: tuple[float, float, float, float]


@dataclass(frozen=True)
class Effect:
    """What a parameter does to a metric."""

    factor: str
    numeric: bool
    levels: Sequence[Level]
    #: The share of the variance that it alone explains; None where the points cannot tell.
    share: float | None
    #: Whether the points tell its effect from those of the others.
    apart: bool
    #: How its means came about: by the points alone, by a model, or by the points although others
    #: may be in them, since a model does not hold.
    means: Literal["exact", "model", "plain"]
    #: Points that have no such parameter, and are not counted here.
    absent: int
    #: Whether there are too many levels for a model to be fitted, so that nothing is told apart.
    crowded: bool

    @property
    def ranges(self) -> bool:
        """Whether levels are ranges of values."""
        return any(level.low != level.high for level in self.levels)


@dataclass(frozen=True)
class Effects:
    """The main effects on one metric, the parameter that explains most first."""

    effects: Sequence[Effect]
    #: Whether each level of each parameter has the others' levels as often as all points have.
    balanced: bool
    #: The share that no parameter explains alone: interactions, and chance; None if unknown.
    rest: float | None
    count: int


def main_effects(columns: Mapping[str, Sequence[Setting]], values: Sequence[float]) -> Effects:
    """Return the effects of parameters, a column of settings each, on values."""
    numbers = np.array(values, dtype=np.float64)
    found = [effect for name in columns if (effect := _effect(name, columns, numbers)) is not None]
    whole = [e.share for e in found if not e.absent and e.share is not None]
    complete = len(whole) == len(found) and bool(found)
    balanced = all(effect.means == "exact" for effect in found)
    rest = max(0.0, 1.0 - sum(whole)) if complete and balanced else None
    order = sorted(found, key=lambda e: -1.0 if e.share is None else e.share, reverse=True)
    return Effects(order, balanced, rest, len(numbers))


def _effect(name: str, columns: Mapping[str, Sequence[Setting]], values: Values) -> Effect | None:
    """Return one parameter's effect, or None where the points have one value of it."""
    have = np.array([v is not None for v in columns[name]])
    own = _of(columns[name], have)
    if len(set(own)) < 2:
        return None
    others = {
        other: part
        for other, column in columns.items()
        if other != name
        and len(set(part := _of(column, have))) > 1
        and not any(v is None for v in part)
    }
    among = values[have]
    design = [_levels(own, others, own), *(_levels(each, others, own) for each in others.values())]
    if not (_independent(design) or (solvable(design) and _separable(design, among))):
        design = [_fewer(own, others), *(_fewer(each, others) for each in others.values())]
    fit = _Fit(design, among)
    means, how = fit.means()
    return Effect(
        name,
        design[0].numeric,
        _told(design[0], means, among),
        fit.share(),
        fit.apart,
        how,
        int(len(values) - have.sum()),
        fit.crowded,
    )


def _of(column: Sequence[Setting], have: NDArray[np.bool_]) -> list[Setting]:
    return [value for value, wanted in zip(column, have, strict=True) if wanted]


def _levels(
    values: Sequence[Setting], others: Mapping[str, Sequence[Setting]], own: Sequence[Setting]
) -> Levels:
    """Return every value as a level; numbers with many values in ranges, if others vary too."""
    found = levels.each(values)
    crowded = len(found) > levels.MOST and found.numeric
    return levels.few(values) if crowded and others and len(own) > 2 else found


def _fewer(values: Sequence[Setting], others: Mapping[str, Sequence[Setting]]) -> Levels:
    """Return ranges where a number has hardly more points than values."""
    found = levels.each(values)
    thin = found.numeric and 2 * len(found) > len(values) and len(values) > 3 and others
    return levels.few(values) if thin or len(found) > levels.MOST else found


def _separable(design: Sequence[Levels], values: Values) -> bool:
    """Return whether the points tell all effects apart."""
    return Model(design, values).rank == 1 + sum(len(each) - 1 for each in design)


class _Models:
    """The additive model over several parameters, and that without the first."""

    def __init__(self, design: Sequence[Levels], values: Values) -> None:
        whole, others = Model(design, values), Model(design[1:], values)
        self.rank = whole.rank
        self.apart = whole.rank == others.rank + len(design[0]) - 1
        self.added = whole.added[0] - whole.added[0].mean()
        self.left, self.left_without = whole.left, others.left


class _Fit:
    """What the first of several parameters does to values, over the levels of all of them."""

    def __init__(self, design: Sequence[Levels], values: Values) -> None:
        self._first, self._values = design[0], values
        self._exact = all(_as_often(design[0], other) for other in design[1:])
        # Where levels are independent, sums of squares are the fit.
        independent = _independent(design)
        self.crowded = not independent and not solvable(design)
        self._model = None if independent or self.crowded else _Models(design, values)
        self.apart = independent if self._model is None else self._model.apart
        self._whole = float(((values - values.mean()) ** 2).sum())
        self._plain = np.bincount(self._first.of, values) / np.bincount(self._first.of)

    def means(self) -> tuple[Values, Literal["exact", "model", "plain"]]:
        """Return the mean of each level of the first parameter, and how it came about."""
        plain = self._plain
        if self._exact:
            return plain, "exact"
        if self._model is None:
            return plain, "plain"
        # The others are as they are among all points: the levels' mean is that of all.
        added = self._model.added
        model = added + (self._values - added[self._first.of]).mean()
        holds = self.apart and self._holds(model, self._model.left)
        return (model, "model") if holds else (plain, "plain")

    def _holds(self, means: Values, left: float) -> bool:
        """Return whether effects add up, more or less: no figure of a run is below 0."""
        explained = self._whole - left
        possible = bool(means.min() >= 0.0 or self._values.min() < 0.0)
        return possible and explained >= _ENOUGH * self._whole

    def share(self) -> float | None:
        """Return the share of the variance that the first parameter explains alone.

        Of points that were drawn or listed, it is less what so many levels explain by chance.
        """
        if not self.apart or self._whole <= _NOTHING * float((self._values**2).sum()):
            return None
        model = self._model
        if model is None:
            own = float(((self._plain[self._first.of] - self._values.mean()) ** 2).sum())
            return min(1.0, own / self._whole)
        own = model.left_without - model.left
        free = len(self._values) - model.rank
        if not self._exact:
            if free < 1:
                return None
            own -= (len(self._first) - 1) * model.left / free
        return min(1.0, max(0.0, own / self._whole))


def _independent(design: Sequence[Levels]) -> bool:
    """Return whether every level of every parameter has those of the others equally often."""
    return all(_as_often(one, other) for one, other in itertools.combinations(design, 2))


def _as_often(one: Levels, other: Levels) -> bool:
    """Return whether every level of one has the other's levels as often as all points have."""
    if len(one) * len(other) > len(one.of):
        # Some level of one has none of the other's points.
        return False
    pairs = np.zeros((len(one), len(other)), dtype=np.int64)
    np.add.at(pairs, (one.of, other.of), 1)
    return bool((pairs * len(one.of) == np.outer(pairs.sum(axis=1), pairs.sum(axis=0))).all())


def _told(one: Levels, means: Values, values: Values) -> list[Level]:
    found = []
    ends = np.cumsum(np.bincount(one.of))[:-1]
    groups = np.split(values[np.argsort(one.of, kind="stable")], ends)
    for i, points in enumerate(groups):
        (low, high), place = one.bounds[i], one.places[i]
        least, first, third, most = np.quantile(points, (0.0, 0.25, 0.75, 1.0))
        spread = (float(least), float(first), float(third), float(most))
        found.append(Level(low, high, place, float(means[i]), len(points), spread))
    return found
