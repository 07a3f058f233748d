"""The Pareto front: the points to which no other is at least equal everywhere and better once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slcache.metrics import Goal
from slcache.study.outcome import Configuration, Outcome

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
