"""What is best: Pareto fronts, what is judged under one load and what over all loads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slcache.metrics import Goal, named
from slcache.study import spread, wording
from slcache.study.outcome import TRACE, Configuration, Outcome, Setting
from slcache.study.spread import Spread

#: What a front is made of unless others are named, as far as points differ in it.
OBJECTIVES = ("read_p99_ns", "write_p99_ns", "waf", "lifetime_host_bytes", "slc_bytes")


def front(points: Sequence[Sequence[float]], goals: Sequence[Goal]) -> list[int]:
    """Return the places of the points that no other dominates; equal points are all in it."""
    if not points:
        return []
    signs = np.array([1.0 if goal == "min" else -1.0 for goal in goals])
    costs = np.array(points, dtype=np.float64).reshape(len(points), len(signs)) * signs
    left = np.arange(len(costs))
    place = 0
    # Each point of the front strikes out what it dominates, so that few are left to be compared.
    while place < len(left):
        cost = costs[left[place]]
        stays = (costs[left] < cost).any(axis=1) | (costs[left] == cost).all(axis=1)
        place = int(stays[:place].sum()) + 1
        left = left[stays]
    return [int(i) for i in left]


def compromise(points: Sequence[Sequence[float]], goals: Sequence[Goal]) -> int:
    """Return the place of the point nearest to the best of each figure, the first of equals.

    Distances are in shares of the range that a figure has on the front.
    """
    places = front(points, goals)
    signs = np.array([1.0 if goal == "min" else -1.0 for goal in goals])
    costs = np.array([points[i] for i in places], dtype=np.float64) * signs
    span = np.ptp(costs, axis=0)
    away = (costs - costs.min(axis=0)) / np.where(span == 0, 1.0, span)
    return places[int(np.argmin((away**2).sum(axis=1)))]


@dataclass(frozen=True)
class Front:
    """The configurations that are judged by several metrics, and those that nothing dominates."""

    metrics: Sequence[str]
    goals: Sequence[Goal]
    configurations: Sequence[Configuration]
    #: Means over the seeds, a row for each configuration.
    points: Sequence[Sequence[float]]
    #: Places of the configurations on the front.
    places: Sequence[int]
    #: Configurations that lack one of the metrics and so cannot be judged.
    left_out: int
    #: Configurations that break a bound, and so are not on the front.
    broken: int
    #: Metrics that were asked for and are the same everywhere, or nowhere.
    without: Sequence[str]
    #: Metrics that nobody asked for and some configurations lack.
    absent: Sequence[str]
    #: Metrics of which neither less nor more is better.
    neutral: Sequence[str]
    #: Parameters that are the load, where most loads have a single configuration: no front then.
    loads: Sequence[str] = ()

    @property
    def best(self) -> list[Configuration]:
        """The configurations on the front, by the first metric."""
        return [self.configurations[i] for i in self.places]

    @cached_property
    def ideal(self) -> dict[str, float]:
        """The best figure of each metric."""
        columns = list(zip(*self.points, strict=True))
        ways = [min if goal == "min" else max for goal in self.goals]
        return {n: way(c) for n, way, c in zip(self.metrics, ways, columns, strict=True)}


def none(loads: Sequence[str]) -> Front:
    """Return the front of what cannot be chosen among: each configuration has another load."""
    return Front([], [], [], [], [], 0, 0, [], [], [], loads)


def of_outcome(
    outcome: Outcome,
    goals: Mapping[str, Goal],
    kept: Callable[[Configuration], bool] = lambda _: True,
    *,
    absent: Sequence[str] = (),
    neutral: Sequence[str] = (),
) -> Front:
    """Return the front of a study's configurations by metrics with these goals.

    A metric in which they do not differ tells nothing of them, and one that none has would leave
    no configuration to judge. Configurations that are not `kept` are on no front.
    """
    telling = {name: goal for name, goal in goals.items() if _differs(outcome, name)}
    judged = outcome.with_metric(*telling) if telling else []
    points = [[c.mean(name) or 0.0 for name in telling] for c in judged]
    directions = list(telling.values())
    good = [i for i, each in enumerate(judged) if kept(each)]
    places = [good[i] for i in front([points[i] for i in good], directions)]
    return Front(
        list(telling),
        directions,
        judged,
        points,
        sorted(places, key=lambda i: points[i]),
        len(outcome.configurations) - len(judged),
        len(judged) - len(good),
        [name for name in goals if name not in telling],
        absent,
        neutral,
    )


def _differs(outcome: Outcome, metric: str) -> bool:
    if metric not in outcome.metrics:
        return False
    return len({c.mean(metric) for c in outcome.configurations} - {None}) > 1


@dataclass(frozen=True)
class Judged:
    """The points of a load, the front of their configurations and the spread of each metric."""

    #: The trace and other parameters that are the load; empty where the study has one.
    load: Mapping[str, Setting]
    outcome: Outcome
    front: Front
    spreads: Mapping[str, Spread]

    @property
    def trace(self) -> str | None:
        """The load in a line, a trace by its name; None where the study has one."""
        if not self.load:
            return None
        others = {name: value for name, value in self.load.items() if name != TRACE}
        said = wording.settings(others, wording.short_names(list(others))) if others else ""
        return ", ".join(filter(None, (str(self.load.get(TRACE, "")), said)))


def of_loads(
    outcome: Outcome,
    metrics: Sequence[str],
    goals: Mapping[str, Goal] | None,
    kept: Callable[[Configuration], bool],
    *,
    asked: bool,
) -> list[Judged]:
    """Judge the points of each load by metrics.

    The front is that of `goals`, by default what the catalogue calls better. Metrics that nobody
    `asked` for are in it only if every configuration has them. With goals a search chose all that
    it varied: the load as well. Loads of which most have a single configuration are told as one
    without a front, as there is nothing to choose.
    """
    parts = outcome.by_load() if goals is None else [({}, outcome)]
    if outcome.loads not in ([], [TRACE]) and 2 * len(parts) > len(outcome.configurations):
        spreads = {name: spread.of_metric(outcome.configurations, name, None) for name in metrics}
        return [Judged({}, outcome, none(outcome.loads), spreads)]
    return [_judged(load, own, metrics, goals, kept, asked=asked) for load, own in parts]


def _judged(
    load: Mapping[str, Setting],
    outcome: Outcome,
    metrics: Sequence[str],
    goals: Mapping[str, Goal] | None,
    kept: Callable[[Configuration], bool],
    *,
    asked: bool,
) -> Judged:
    known = {name: goal for name in metrics if (goal := named(name).goal) is not None}
    better = known if goals is None else goals
    judged = _common(outcome, better) if goals is None and not asked else better
    absent = [name for name in better if name not in judged]
    neutral = [name for name in metrics if goals is None and name not in better]
    front = of_outcome(outcome, judged, kept, absent=absent, neutral=neutral)
    ways = {**known, **(goals or {})}
    having, draws = outcome.configurations, outcome.has_draws
    spreads = {n: spread.of_metric(having, n, ways.get(n), draws=draws) for n in metrics}
    return Judged(load, outcome, front, spreads)


def _common(outcome: Outcome, goals: Mapping[str, Goal]) -> Mapping[str, Goal]:
    """Return the goals that all configurations have, if there are any, or that none has."""
    having = {name: len(outcome.with_metric(name)) for name in goals}
    whole = len(outcome.configurations)
    if whole not in having.values():
        return goals
    return {name: goal for name, goal in goals.items() if having[name] in (0, whole)}


Key = tuple[tuple[str, Setting], ...]


@dataclass(frozen=True)
class Worst:
    """The greatest factor between a figure and the best of its load, and under which load it is."""

    factor: float
    trace: str


@dataclass(frozen=True)
class Rated:
    """A configuration, and how far from the best it is at worst, by metric."""

    settings: Mapping[str, Setting]
    worst: Mapping[str, Worst]

    @property
    def greatest(self) -> str:
        """The metric in which it is furthest from the best."""
        return max(self.worst, key=lambda name: self.worst[name].factor)

    @property
    def factor(self) -> float:
        """The greatest factor of all metrics."""
        return self.worst[self.greatest].factor


@dataclass(frozen=True)
class Across:
    """The configurations that have figures under all loads, the one furthest from the best last."""

    metrics: Sequence[str]
    configurations: Sequence[Rated]
    #: Configurations that some load has no figures of.
    left_out: int
    #: Metrics that some configurations lack.
    absent: Sequence[str]
    #: Metrics that are 0 somewhere, so that there is no factor.
    zero: Sequence[str]

    @property
    def least(self) -> list[tuple[Rated, list[str]]]:
        """The configurations whose worst factor is the least, with the metrics in which it is.

        The first is that of all metrics together. Of equals it is the one whose greatest is least.
        """
        if not self.configurations:
            return []
        found: dict[int, list[str]] = {0: []}
        for name in self.metrics:
            factors = [each.worst[name].factor for each in self.configurations]
            found.setdefault(factors.index(min(factors)), []).append(name)
        return [(self.configurations[place], names) for place, names in found.items()]


def over_loads(judged: Sequence[Judged]) -> Across:
    """Compare configurations with the best of each load, in the metrics of the loads' fronts."""
    names = [n for n in judged[0].spreads if any(n in each.front.metrics for each in judged)]
    absent = [n for n in names if any(n in each.front.absent for each in judged)]
    zero = [n for n in names if n not in absent and any(_has_zero(each, n) for each in judged)]
    metrics = [n for n in names if n not in absent and n not in zero]
    having = [_having(each) for each in judged]
    common = [key for key in having[0] if all(key in each for each in having)]
    rated = [
        Rated(dict(key), {name: _worst(key, name, judged, having) for name in metrics})
        for key in (common if metrics else [])
    ]
    return Across(
        metrics,
        sorted(rated, key=lambda each: each.factor),
        len(set().union(*having)) - len(common),
        absent,
        zero,
    )


def _has_zero(judged: Judged, metric: str) -> bool:
    if metric not in judged.front.metrics:
        return False
    place = judged.front.metrics.index(metric)
    return any(point[place] <= 0 for point in judged.front.points)


def _having(judged: Judged) -> dict[Key, Configuration]:
    """Return the configurations that a load has figures of, by their settings."""
    front = judged.front
    found = front.configurations if front.metrics else judged.outcome.configurations
    return {tuple(each.settings.items()): each for each in found}


def _worst(
    key: Key, metric: str, judged: Sequence[Judged], having: Sequence[Mapping[Key, Configuration]]
) -> Worst:
    """Return where a configuration is furthest from the best; elsewhere all may be the same."""
    factors = [
        Worst(_factor(own[key].mean(metric) or 0.0, each.front.ideal[metric]), str(each.trace))
        for own, each in zip(having, judged, strict=True)
        if metric in each.front.ideal
    ]
    return max(factors, key=lambda found: found.factor)


def _factor(value: float, best: float) -> float:
    """Return how many times worse than the best a figure is, whichever way is better."""
    return max(value / best, best / value)
