"""What a study shows of its metrics: effects of parameters, maps, fronts, and a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slcache.documents import JsonDocument
from slcache.metrics import metric_of
from slcache.options.content import duplicate
from slcache.study import fronts
from slcache.study.axes import Value
from slcache.study.fronts import Across, Front, Goals, LoadFront
from slcache.study.outcome import (
    DONE,
    TRACE,
    Configuration,
    Outcome,
    Setting,
    choices,
    short_files,
    short_names,
)

if TYPE_CHECKING:
    import polars as pl

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


def levels_of(values: Sequence[Any]) -> Levels:
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


def ranges_of(
    values: Sequence[Any], most: int = _RANGES_MOST, each_of: int = _IN_A_RANGE
) -> Levels:
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

    def to_dict(self) -> document.EffectShape:
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
    found = levels_of(own)
    balanced = all(_as_often(found, levels_of(other)) for other in others)
    # A level of a point or two says little of drawn numbers; ranges of them do.
    thin = len(found) > MOST or (not balanced and 2 * len(found) > len(own))
    if found.numeric and others and thin and len(own) > 3:
        found = ranges_of(own)
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
class MapCells:
    """The means of a map, a row for each level of the second parameter, and how many points."""

    across: Levels
    up: Levels
    #: Not a number where there is no point.
    means: NDArray[np.float64]
    counts: NDArray[np.intp]


def means_over(
    across: Sequence[Setting],
    up: Sequence[Setting],
    values: Sequence[float],
    groups: Sequence[str] | None = None,
) -> dict[str, MapCells]:
    """Return a map of values over two columns of settings for each group, of the same levels."""
    columns, rows = _map_levels(across), _map_levels(up)
    names = np.array([""] * len(values) if groups is None else groups)
    places, weights = rows.of * len(columns) + columns.of, np.array(values, dtype=np.float64)
    shape, size = (len(rows), len(columns)), len(rows) * len(columns)
    found = {}
    for name in dict.fromkeys(names.tolist()):
        wanted = names == name
        counts = np.bincount(places[wanted], minlength=size)
        sums = np.bincount(places[wanted], weights[wanted], minlength=size)
        means = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
        found[name] = MapCells(columns, rows, means.reshape(shape), counts.reshape(shape))
    return found


def _map_levels(values: Sequence[Setting]) -> Levels:
    """Return every value as a level; ranges where they are many, or where most come once."""
    found = levels_of(values)
    lonely = len(found) > MOST and 2 * len(found) > len(values)
    if not found.numeric or not (lonely or len(found) > _MOST):
        return found
    return ranges_of(values, most=max(2, int((len(values) / 2) ** 0.5)), each_of=2)


class Map(NamedTuple):
    """A metric over two parameters, one map for each scheme or one for all."""

    across: str
    up: str
    panels: Mapping[str, MapCells]


@dataclass(frozen=True, repr=False)
class Analysis(JsonDocument):
    """A study's table and what it shows of some metrics."""

    outcome: Outcome
    metrics: Sequence[str]
    #: By metric, the parameter whose means lie furthest apart first.
    effects: Mapping[str, Sequence[Effect]]
    #: What is best under each load.
    judged: Sequence[LoadFront]

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        metrics: Sequence[str] = (),
        goals: Goals | None = None,
        kept: Callable[[Configuration], bool] = lambda _: True,
    ) -> Analysis:
        """Judge a study by metrics, by default those of a front that any point has.

        The front of each load is that of `goals`, by default what the catalogue calls better of
        the metrics, among the configurations that are `kept`. Metrics that nobody asked for are in
        it only if every configuration has them: a lifetime that short runs cannot tell would leave
        most of them out. ValueError for a metric that the table lacks, or that is given twice.
        """
        metrics = [metric_of(name).name for name in metrics]
        said = duplicate(metrics)
        if said is not None:
            raise ValueError(f"metric: {said}")
        asked = list(metrics) or [name for name in fronts.OBJECTIVES if outcome.with_metric(name)]
        for name in asked:
            if name not in outcome.metrics:
                raise ValueError(f"the study's table has no column {name}")
        of_each = {name: _effects_on(outcome, name) for name in asked}
        judged = fronts.of_loads(outcome, asked, goals, kept, asked=bool(metrics))
        return cls(outcome, asked, of_each, judged)

    def __repr__(self) -> str:
        return f"<slcache.Analysis by {', '.join(self.metrics)}>"

    @property
    def front(self) -> Front:
        """The front of the only load; ValueError where each of several has its own."""
        if len(self.judged) > 1:
            told = f"a study of {len(self.judged)} {self.each_load}s, each with a front: `judged`"
            raise ValueError(told)
        return self.judged[0].front

    @cached_property
    def across(self) -> Across:
        """How far configurations are from the best of each load at worst."""
        return fronts.over_loads(self.judged)

    @property
    def apart(self) -> list[str]:
        """The parameters by which configurations are ranked apart: the load, unless it is sought.

        A search chooses all that it varies.
        """
        several = len(self.judged) > 1 or any(each.front.loads for each in self.judged)
        return self.outcome.loads if several else []

    @property
    def each_load(self) -> str:
        """What each of the loads is, in a word."""
        return "trace" if self.outcome.loads in ([], [TRACE]) else "load"

    @cached_property
    def short(self) -> Mapping[str, str]:
        """The short names of what was varied."""
        return short_names(self.outcome.factors)

    @cached_property
    def names(self) -> Mapping[str | None, str]:
        """The short names of the loads."""
        files = short_files([each.trace for each in self.judged if each.trace is not None])
        return {each.trace: files.get(each.trace or "", "") for each in self.judged}

    @property
    def levels(self) -> list[dict[str, Any]]:
        """A row for each level of each parameter: its points and each metric's mean there."""
        rows: dict[tuple[str, str, str], dict[str, Any]] = {}
        for metric in self.metrics:
            for effect in self.effects[metric]:
                for level in effect.levels:
                    where = {"parameter": effect.factor, "from": level.low, "to": level.high}
                    key = (effect.factor, repr(level.low), repr(level.high))
                    row = rows.setdefault(key, {**where, "points": 0})
                    row["points"] = max(row["points"], level.count)
                    row[metric] = level.mean
        order = {name: i for i, name in enumerate(self.outcome.factors)}
        return sorted(rows.values(), key=lambda row: order[row["parameter"]])

    @property
    def ranked(self) -> pl.DataFrame:
        """The configurations as a frame, in the order and with the figures of the table shown.

        Each load begins with place 1.
        """
        import polars as pl

        places: Counter[tuple[Setting, ...]] = Counter()
        rows = []
        for one in self.configurations:
            places[load := self._load_of(one)] += 1
            own = {**dict(zip(self.apart, load, strict=True)), **one.settings}
            rows.append({"place": places[load], **own, **one.means(self.metrics)})
        return pl.DataFrame(rows, infer_schema_length=None)

    def _load_of(self, one: Configuration) -> tuple[Setting, ...]:
        return tuple(one.settings[name] for name in self.apart)

    @property
    def configurations(self) -> list[Configuration]:
        """The configurations, load by load, the best in the first metric first.

        Behind them are those that knew the trace, then those without a figure.
        """
        if not self.metrics:
            return self.outcome.configurations
        first = self.metrics[0]
        sign = -1 if metric_of(first).goal == "max" else 1
        known = dict.fromkeys(map(self._load_of, self.outcome.configurations))
        loads = {load: i for i, load in enumerate(known)}

        built = set(map(id, choices(self.outcome.configurations)))

        def place(one: Configuration) -> tuple[int, bool, bool, float]:
            mean = one.mean(first)
            load = loads[self._load_of(one)]
            return load, mean is None, id(one) not in built, sign * (mean or 0.0)

        return sorted(self.outcome.configurations, key=place)

    def map(self, metric: str) -> Map | None:
        """Return a metric over the two parameters whose means lie furthest apart; None for fewer.

        Where schemes are varied each has its own map. The trace, which cannot be chosen, is one of
        the two only beside a single other.
        """
        counts = {e.factor: len(e.levels) for e in self.effects[metric] if e.factor != "scheme"}
        found = sorted(counts, key=lambda name: name == TRACE)[:2]
        if len(found) < 2:
            return None
        # The one with more levels first: pages are wider than high.
        right, up = sorted(found, key=lambda name: -counts[name])
        having = [
            c
            for c in self.outcome.with_metric(metric)
            if c.settings[right] is not None and c.settings[up] is not None
        ]
        if not having:
            return None
        by_scheme = "scheme" in self.outcome.factors
        panels = means_over(
            [c.settings[right] for c in having],
            [c.settings[up] for c in having],
            [c.mean(metric) or 0.0 for c in having],
            [str(c.settings["scheme"]) for c in having] if by_scheme else None,
        )
        return Map(right, up, panels)

    def to_dict(self) -> dict[str, Any]:
        """Return what the study shows as plain data."""
        shown: document.Shown = {
            "schema_version": 2,
            "points": dict(self.outcome.counts),
            "varied": list(self.outcome.factors),
            "fixed": dict(self.outcome.fixed),
            "left_out": [
                {"status": status, "reason": reason, "points": count}
                for status, reason, count in self.outcome.reasons()
                if status != DONE
            ],
            "configurations": [one.to_dict(self.metrics) for one in self.configurations],
            "metrics": {name: self._metric(name) for name in self.metrics},
        }
        if len(self.judged) == 1:
            alone: document.OfOneLoad = {**shown, "front": self.front.to_dict()}
            return {**alone}
        several: document.OfLoads = {
            **shown,
            "traces": [
                {
                    "trace": str(each.trace),
                    "load": dict(each.load),
                    "front": each.front.to_dict(),
                    "seeds": {name: found.to_dict() for name, found in each.spreads.items()},
                }
                for each in self.judged
            ],
            "across_traces": self.across.to_dict(),
        }
        return {**several}

    def _metric(self, name: str) -> document.MetricShape:
        found: document.MetricShape = {
            "points_without": self.outcome.missing(name),
            "effects": [each.to_dict() for each in self.effects[name]],
        }
        alone = self.judged[0].spreads[name] if len(self.judged) == 1 else None
        return found if alone is None else {**found, "seeds": alone.to_dict()}


def _effects_on(outcome: Outcome, metric: str) -> list[Effect]:
    having = outcome.with_metric(metric)
    columns = {name: [c.settings[name] for c in having] for name in outcome.factors}
    return main_effects(columns, [c.mean(metric) or 0.0 for c in having])
