"""How far seeds spread a figure, and whether a difference between configurations is more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slcache.metrics import Goal
from slcache.study import pairs
from slcache.study.outcome import Configuration


@dataclass(frozen=True)
class Estimate:
    """A figure over seeds or draws and half the width of its interval, None of a single one."""

    mean: float
    half: float | None
    count: int
    #: Of draws, the recording's own figure, where it was run.
    own: float | None = None

    @property
    def centre(self) -> float:
        """What the interval lies around."""
        return self.mean if self.own is None else self.own

    @property
    def is_off(self) -> bool:
        """Whether the draws lie off the recording: its figure is not within their interval."""
        return self.own is not None and self.half is not None and _far(self)


def _far(found: Estimate) -> bool:
    least = pairs.ROUNDING * abs(found.mean)
    return abs(found.centre - found.mean) > max(found.half or 0.0, least)


@dataclass(frozen=True)
class Spread:
    """A metric over seeds: each configuration's estimate, and who cannot be told from the best."""

    metric: str
    configurations: Sequence[Configuration]
    estimates: Sequence[Estimate]
    #: Place of the best; None where neither less nor more of the metric is better.
    best: int | None
    #: Places of those that seeds do not tell from the best.
    alike: Sequence[int]

    @property
    def repeated(self) -> int:
        """How many configurations have several seeds."""
        return sum(each.half is not None for each in self.estimates)

    @property
    def still(self) -> bool:
        """Whether seeds change nothing."""
        return self.repeated > 0 and not any(each.half for each in self.estimates)


def estimate(values: Sequence[float], *, draws: bool = False, own: float | None = None) -> Estimate:
    """Return the mean of values and half its interval, by Student's t distribution.

    Seeds are runs of one workload, and their mean is the surer the more there are. `draws` of a
    recording are what it might have been: one recording lies as far from its workload as a draw
    from another, however many are drawn. The interval is then that of `own`, the recording's
    figure: what joints of stretches do to draws is in their mean, and not in the recording.
    """
    mean = pairs.average(values)
    error = pairs.error(values, pairs.ROUNDING * abs(mean), draws=draws)
    half = None if error is None else pairs.quantile(len(values) - 1) * error
    return Estimate(mean, half, len(values), own)


def of_metric(
    configurations: Sequence[Configuration], metric: str, goal: Goal | None, *, draws: bool = False
) -> Spread:
    """Return how seeds, or draws of a recording, spread a metric of configurations that have it."""
    having = [c for c in configurations if c.values(metric)]
    estimates = [estimate(c.values(metric), draws=draws) for c in having]
    best = None
    alike: list[int] = []
    if goal is not None and having:
        sign = 1.0 if goal == "min" else -1.0
        best = min(range(len(having)), key=lambda i: sign * estimates[i].mean)
        others = [i for i in range(len(having)) if i != best]
        found = [_beside(having[best], having[i], metric, draws=draws) for i in others]
        told = zip(others, pairs.told_apart(found), strict=True)
        alike = [i for i, apart in told if apart is False]
    return Spread(metric, having, estimates, best, alike)


def _beside(one: Configuration, other: Configuration, metric: str, *, draws: bool) -> pairs.Paired:
    """Hold two configurations together: a seed means the same draws for both."""
    first, second = _by_seed(one, metric), _by_seed(other, metric)
    return pairs.paired(list(first.values()), [second.get(s) for s in first], draws=draws)


def _by_seed(one: Configuration, metric: str) -> dict[int | None, float | None]:
    return dict(zip(one.seeds, one.figures[metric], strict=True))
