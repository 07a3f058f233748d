"""Which configuration is good under all loads: how far from the best of each it is at worst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slcache.study.judged import Judged
from slcache.study.outcome import Configuration, Setting

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


def of_loads(judged: Sequence[Judged]) -> Across:
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
