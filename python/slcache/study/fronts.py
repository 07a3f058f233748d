"""What is best: fronts, how far seeds spread figures, and what is good under all loads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slcache.metrics import Goal, metric_of
from slcache.results.intervals import LEVEL, Estimate, RepeatedFigure, against, estimate
from slcache.study.outcome import (
    TRACE,
    Configuration,
    Outcome,
    Setting,
    choices,
    settings_text,
    short_names,
)

if TYPE_CHECKING:
    from slcache.study import document

#: What a front is made of unless others are named, as far as points differ in it.
OBJECTIVES = ("read_p99_ns", "write_p99_ns", "waf", "lifetime_host_bytes", "slc_bytes")
Goals = Mapping[str, Goal]


def _costs(points: Sequence[Sequence[float]], goals: Sequence[Goal]) -> Any:  # noqa: ANN401
    """Return figures of which less is better."""
    signs = np.array([1.0 if goal == "min" else -1.0 for goal in goals])
    return np.array(points, dtype=np.float64).reshape(len(points), len(signs)) * signs


def front(points: Sequence[Sequence[float]], goals: Sequence[Goal]) -> list[int]:
    """Return the places of the points that no other dominates; equal points are all in it."""
    costs = _costs(points, goals)
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
    costs = _costs([points[i] for i in places], goals)
    span = np.ptp(costs, axis=0)
    away = (costs - costs.min(axis=0)) / np.where(span == 0, 1.0, span)
    return places[int(np.argmin((away**2).sum(axis=1)))]


@dataclass(frozen=True)
class Front:
    """The configurations that are judged by several metrics, and those that nothing dominates."""

    goals: Goals
    configurations: Sequence[Configuration]
    #: Places of the configurations on the front.
    places: Sequence[int]
    #: Configurations that lack one of the metrics and so cannot be judged.
    left_out: int = 0
    #: Configurations that break a bound, and so are not on the front.
    broken: int = 0
    #: Metrics that were asked for and are the same everywhere, or nowhere.
    without: Sequence[str] = ()
    #: Metrics that nobody asked for and some configurations lack.
    absent: Sequence[str] = ()
    #: Metrics of which neither less nor more is better.
    neutral: Sequence[str] = ()
    #: Parameters that are the load, where most loads have a single configuration: no front then.
    loads: Sequence[str] = ()

    @property
    def metrics(self) -> list[str]:
        """What they are judged by."""
        return list(self.goals)

    @cached_property
    def points(self) -> list[list[float]]:
        """Means over the seeds, a row for each configuration."""
        return _points(self.configurations, self.goals)

    @property
    def best(self) -> list[Configuration]:
        """The configurations on the front, by the first metric."""
        return [self.configurations[i] for i in self.places]

    @cached_property
    def ideal(self) -> dict[str, float]:
        """The best figure of each metric."""
        points = _points(choices(self.configurations), self.goals)
        columns = zip(self.goals.items(), zip(*points, strict=True), strict=True)
        return {name: (min if goal == "min" else max)(each) for (name, goal), each in columns}

    def to_dict(self) -> document.FrontShape:
        """Return the front, and what is not judged by it, as plain data."""
        return {
            "metrics": dict(self.goals),
            "without": list(self.without),
            "configurations_left_out": self.left_out,
            "configurations_out_of_bounds": self.broken,
            "configurations": [one.to_dict(self.metrics) for one in self.best],
        }


def _points(configurations: Sequence[Configuration], metrics: Goals) -> list[list[float]]:
    return [[one.mean(name) or 0.0 for name in metrics] for one in configurations]


def of_outcome(
    outcome: Outcome,
    goals: Goals,
    kept: Callable[[Configuration], bool] = lambda _: True,
    *,
    absent: Sequence[str] = (),
    neutral: Sequence[str] = (),
) -> Front:
    """Return the front of a study's configurations by metrics with these goals.

    A metric in which they do not differ tells nothing of them, and one that none has would leave
    no configuration to judge. Configurations that are not `kept` are on no front, nor
    are those that knew the trace.
    """
    means = {name: {one.mean(name) for one in outcome.configurations} - {None} for name in goals}
    telling = {name: goal for name, goal in goals.items() if len(means[name]) > 1}
    judged = outcome.with_metric(*telling) if telling else []
    points = _points(judged, telling)
    good = [i for i, each in enumerate(judged) if kept(each)]
    broken = len(judged) - len(good)
    built = set(map(id, choices(outcome.configurations)))
    good = [i for i in good if id(judged[i]) in built]
    places = [good[i] for i in front([points[i] for i in good], list(telling.values()))]
    return Front(
        telling,
        judged,
        sorted(places, key=lambda i: points[i]),
        len(outcome.configurations) - len(judged),
        broken,
        [name for name in goals if name not in telling],
        absent,
        neutral,
    )


@dataclass(frozen=True)
class SeedSpread:
    """A metric over seeds: each configuration's estimate, and who cannot be told from the best."""

    metric: str
    configurations: Sequence[Configuration]
    estimates: Sequence[Estimate]
    #: Place of the best; None where neither less nor more of the metric is better.
    best: int | None = None
    #: Places of those that seeds do not tell from the best.
    alike: Sequence[int] = ()
    #: How many others it was held against.
    others: int = 0

    @property
    def repeated(self) -> int:
        """How many configurations have several seeds."""
        return sum(each.half is not None for each in self.estimates)

    @property
    def still(self) -> bool:
        """Whether seeds change nothing."""
        return self.repeated > 0 and not any(each.half for each in self.estimates)

    def to_dict(self) -> document.SpreadShape:
        """Return best, what is like it, and all intervals as plain data."""
        pairs = zip(self.configurations, self.estimates, strict=True)
        return {
            "level": LEVEL,
            "best": self.best,
            "not_told_from_best": list(self.alike),
            "configurations": [
                {
                    "settings": dict(one.settings),
                    "mean": found.mean,
                    "half_interval": found.half,
                    "seeds": found.count,
                }
                for one, found in pairs
            ],
        }


def spread(
    configurations: Sequence[Configuration], metric: str, goal: Goal | None, *, draws: bool = False
) -> SeedSpread:
    """Return how seeds, or draws of a recording, spread a metric of configurations that have it."""
    having = [one for one in configurations if one.values(metric)]
    estimates = [estimate(one.values(metric), draws=draws) for one in having]
    built = set(map(id, choices(configurations)))
    rivals = [i for i, one in enumerate(having) if id(one) in built]
    if goal is None or not rivals:
        return SeedSpread(metric, having, estimates)
    choose = min if goal == "min" else max
    best = choose(rivals, key=lambda i: estimates[i].mean)
    seeded = {i: (having[i].seeds, having[i].figures[metric]) for i in rivals}
    by_seed = {i: dict(zip(*each, strict=True)) for i, each in seeded.items()}
    # A seed means the same draws for all.
    figures = {
        i: RepeatedFigure([of.get(s) for s in by_seed[best]], draws) for i, of in by_seed.items()
    }
    alike = [i for i, found in against(figures, best).items() if found.inside_noise]
    return SeedSpread(metric, having, estimates, best, alike, len(rivals) - 1)


@dataclass(frozen=True)
class LoadFront:
    """The points of a load, the front of their configurations and the spread of each metric."""

    #: The trace and other parameters that are the load; empty where the study has one.
    load: Mapping[str, Setting]
    outcome: Outcome
    front: Front
    spreads: Mapping[str, SeedSpread]

    @property
    def trace(self) -> str | None:
        """The load in a line, a trace by its name; None where the study has one."""
        if not self.load:
            return None
        others = {name: value for name, value in self.load.items() if name != TRACE}
        said = settings_text(others, short_names(list(others))) if others else ""
        return ", ".join(filter(None, (str(self.load.get(TRACE, "")), said)))

    @cached_property
    def by_settings(self) -> dict[Key, Configuration]:
        """The configurations that the load has figures of, but those that knew the trace."""
        found = self.front.configurations if self.front.goals else self.outcome.configurations
        return {tuple(each.settings.items()): each for each in choices(found)}


def of_loads(
    outcome: Outcome,
    metrics: Sequence[str],
    goals: Goals | None,
    kept: Callable[[Configuration], bool],
    *,
    asked: bool,
) -> list[LoadFront]:
    """Judge the points of each load by metrics.

    The front is that of `goals`, by default what the catalogue calls better. Metrics that nobody
    `asked` for are in it only if every configuration has them. With goals a search chose all that
    it varied: the load as well. Loads of which most have a single configuration are told as one
    without a front, as there is nothing to choose.
    """
    known = {name: goal for name in metrics if (goal := metric_of(name).goal) is not None}
    better = known if goals is None else goals
    ways = {**known, **(goals or {})}
    neutral = [name for name in metrics if goals is None and name not in better]

    def judged(load: Mapping[str, Setting], own: Outcome) -> LoadFront:
        common = _common(own, better) if goals is None and not asked else better
        absent = [name for name in better if name not in common]
        found = of_outcome(own, common, kept, absent=absent, neutral=neutral)
        having, draws = own.configurations, own.has_draws
        spreads = {n: spread(having, n, ways.get(n), draws=draws) for n in metrics}
        return LoadFront(load, own, found, spreads)

    parts = outcome.by_load() if goals is None else [({}, outcome)]
    if outcome.loads not in ([], [TRACE]) and 2 * len(parts) > len(outcome.configurations):
        spreads = {name: spread(outcome.configurations, name, None) for name in metrics}
        return [LoadFront({}, outcome, Front({}, [], [], loads=outcome.loads), spreads)]
    return [judged(load, own) for load, own in parts]


def _common(outcome: Outcome, goals: Goals) -> Goals:
    """Return the goals that all configurations have, if there are any, or that none has."""
    having = {name: len(outcome.with_metric(name)) for name in goals}
    whole = len(outcome.configurations)
    if whole not in having.values():
        return goals
    return {name: goal for name, goal in goals.items() if having[name] in (0, whole)}


Key = tuple[tuple[str, Setting], ...]


class Worst(NamedTuple):
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

    def to_dict(self) -> document.RatedShape:
        """Return settings and factors as plain data."""
        worst: dict[str, document.WorstShape] = {
            name: {"factor": each.factor, "trace": each.trace} for name, each in self.worst.items()
        }
        return {"settings": dict(self.settings), "worst": worst}


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

    def to_dict(self) -> document.AcrossShape:
        """Return how far configurations are from the best of each load at worst as plain data."""
        return {
            "metrics": list(self.metrics),
            "without": [*self.absent, *self.zero],
            "configurations_left_out": self.left_out,
            "configurations": [one.to_dict() for one in self.configurations],
        }


def over_loads(judged: Sequence[LoadFront]) -> Across:
    """Compare configurations with the best of each load, in the metrics of the loads' fronts."""
    names = [n for n in judged[0].spreads if any(n in each.front.goals for each in judged)]
    absent = [n for n in names if any(n in each.front.absent for each in judged)]
    zero = [n for n in names if n not in absent and any(_has_zero(each, n) for each in judged)]
    metrics = [n for n in names if n not in absent and n not in zero]
    every = dict.fromkeys(key for each in judged for key in each.by_settings)
    common = [key for key in every if all(key in each.by_settings for each in judged)]
    rated = [
        Rated(dict(key), {name: _worst(key, name, judged) for name in metrics})
        for key in (common if metrics else [])
    ]
    rated.sort(key=lambda each: each.factor)
    return Across(metrics, rated, len(every) - len(common), absent, zero)


def _has_zero(judged: LoadFront, metric: str) -> bool:
    return metric in judged.front.goals and any(
        (one.mean(metric) or 0.0) <= 0 for one in judged.front.configurations
    )


def _worst(key: Key, metric: str, judged: Sequence[LoadFront]) -> Worst:
    """Return where a configuration is furthest from the best; elsewhere all may be the same."""
    pairs = [
        (each.by_settings[key].mean(metric) or 0.0, each.front.ideal[metric], str(each.trace))
        for each in judged
        if metric in each.front.goals
    ]
    # A figure is so many times worse than the best, whichever way is better.
    factors = [Worst(max(value / best, best / value), trace) for value, best, trace in pairs]
    return max(factors, key=lambda found: found.factor)
