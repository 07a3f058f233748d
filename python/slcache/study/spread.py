"""How far seeds spread a figure, and whether a difference between configurations is more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache.metrics import Goal
from slcache.study.outcome import Configuration

#: How sure intervals are.
LEVEL = 0.95
#: Differences below this share of the values are rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds or draws and half the width of its interval, None of a single one."""

    mean: float
    half: float | None
    count: int


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


def estimate(values: Sequence[float], *, draws: bool = False) -> Estimate:
    """Return the mean of values and half its interval, by Student's t distribution.

    Seeds are runs of one workload, and their mean is the surer the more there are. `draws` of a
    recording are what it might have been: one recording lies as far from its workload as a draw
    from another, however many are drawn.
    """
    import numpy as np

    numbers = np.array(values, dtype=np.float64)
    mean = float(numbers.mean())
    if len(numbers) < 2:
        return Estimate(mean, None, len(numbers))
    deviation = float(numbers.std(ddof=1))
    if deviation <= _ROUNDING * abs(mean):
        return Estimate(mean, 0.0, len(numbers))
    error = deviation if draws else deviation / math.sqrt(len(numbers))
    return Estimate(mean, _quantile(len(numbers) - 1) * error, len(numbers))


def told_apart(
    one: Mapping[Any, float | None], other: Mapping[Any, float | None], *, draws: bool = False
) -> bool | None:
    """Return whether two configurations differ by more than seeds do; None where nobody knows.

    A seed means the same draws for both, so that their differences seed by seed are judged.
    """
    differences = [
        first - second
        for seed, first in one.items()
        if first is not None and (second := other.get(seed)) is not None
    ]
    if len(differences) < 2:
        return None
    found = estimate(differences, draws=draws)
    size = max(abs(value) for value in (*one.values(), *other.values()) if value is not None)
    if abs(found.mean) <= _ROUNDING * size:
        return False
    return abs(found.mean) > (found.half or 0.0)


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
        first = _by_seed(having[best], metric)
        alike = [
            i
            for i, each in enumerate(having)
            if i != best and told_apart(first, _by_seed(each, metric), draws=draws) is False
        ]
    return Spread(metric, having, estimates, best, alike)


def _by_seed(one: Configuration, metric: str) -> dict[Any, float | None]:
    return {seed: figures.get(metric) for seed, figures in one.seeds.items()}


def _quantile(freedom: int) -> float:
    """Return Student's t for an interval of `LEVEL`."""
    from scipy.stats import t

    return float(t.ppf(0.5 + LEVEL / 2, freedom))
