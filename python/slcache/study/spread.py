"""How far seeds spread figures, pair by pair, and whether a difference is more than noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from slcache.metrics import Goal
from slcache.study.outcome import Configuration

#: How sure intervals are, and what is told apart.
LEVEL = 0.95
#: Differences below this share of the values are rounding.
ROUNDING = 1e-12
#: Logarithms of larger factors are no numbers.
_LOG_MOST = 700.0

Values = Sequence[float | None]


@dataclass(frozen=True)
class Paired:
    """One figure beside another over pairs; None where there is nothing to tell."""

    pairs: int
    #: In how many pairs it is less and more than the other.
    less: int
    more: int
    #: The geometric mean of the ratios, of draws the recording's own ratio, and its interval.
    #: None where a figure is 0 or below: then differences are judged.
    factor: float | None = None
    low: float | None = None
    high: float | None = None
    #: How probable so large a difference is of equals.
    p: float | None = None
    #: The geometric mean of the pairs alone, whatever the interval lies around.
    mean: float | None = None

    @property
    def agreeing(self) -> int:
        """How many pairs say what most of them say."""
        return max(self.less, self.more)

    @property
    def is_off(self) -> bool:
        """Whether the draws lie off the recording: its ratio is not within their interval."""
        if not self.factor or not self.mean or not self.low:
            return False
        off = abs(math.log(self.mean / self.factor))
        return off > max(math.log(self.factor / self.low), ROUNDING)


def paired(mine: Values, other: Values, *, draws: bool = False, own: Values = ()) -> Paired:
    """Return how a figure differs from another; equal places are a pair, None is no figure.

    Seeds are runs of one workload: their mean is the surer the more there are. `draws` of a
    recording lie around it as other recordings lie around their workload, however many are drawn;
    `own` are the two figures of the recording itself, around which the interval lies.
    """
    known = _known(mine, other)
    if not known:
        return Paired(0, 0, 0)
    centre = _known(own[:1], own[1:])
    on_logs = all(a > 0 and b > 0 for a, b in (*known, *centre))
    steps = [_step(a, b, on_logs) for a, b in known]
    middle = _step(*centre[0], on_logs) if centre else average(steps)
    least = ROUNDING * (1.0 if on_logs else max(abs(value) for pair in known for value in pair))
    less, more = (sum(sign * step > least for step in steps) for sign in (-1, 1))
    found = error(steps, least, draws=draws)
    p = None if found is None else _p(middle, found, len(steps), least)
    if p is not None and not draws and max(less, more) == len(steps):
        # The sign test: nothing is assumed of how large differences are.
        p = min(p, 2.0 ** (1 - len(steps)))
    counted = Paired(len(steps), less, more, p=p)
    return _with_factor(counted, middle, found, average(steps)) if on_logs else counted


def _with_factor(counted: Paired, middle: float, found: float | None, mean: float) -> Paired:
    """Add what logarithms have told; nothing where a factor would be no number."""
    half = 0.0 if found is None else quantile(counted.pairs - 1) * found
    if max(abs(middle), abs(mean)) + half > _LOG_MOST:
        return counted
    factor, low, high = map(math.exp, (middle, middle - half, middle + half))
    told = replace(counted, factor=factor, mean=math.exp(mean))
    return told if found is None else replace(told, low=low, high=high)


def told_apart(found: Sequence[Paired]) -> list[bool | None]:
    """Return which differences are more than noise; None where fewer than two pairs have both.

    They are judged together by Holm's correction: that any of those that are none is told apart
    is at most as probable as for a single one. Figures that are equal in all pairs are no test.
    """
    tests = sorted(
        (each.p, i) for i, each in enumerate(found) if each.p is not None and each.agreeing
    )
    told: list[bool | None] = [None if each.p is None else False for each in found]
    for rank, (p, place) in enumerate(tests):
        if p * (len(tests) - rank) > 1 - LEVEL:
            break
        told[place] = True
    return told


def average(values: Sequence[float]) -> float:
    """Return the mean of values."""
    return math.fsum(value / len(values) for value in values)


def error(values: Sequence[float], least: float, *, draws: bool) -> float | None:
    """Return the standard error of what values say; 0 below `least`, None of fewer than two."""
    if len(values) < 2:
        return None
    mean = average(values)
    deviation = math.hypot(*(value - mean for value in values)) / math.sqrt(len(values) - 1)
    if deviation <= least:
        return 0.0
    return deviation if draws else deviation / math.sqrt(len(values))


@cache
def quantile(freedom: int) -> float:
    """Return Student's t for an interval of `LEVEL`, to the last digits of a float."""
    low, high = 0.0, 1.0
    while _within(high, freedom) < LEVEL:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if _within(middle, freedom) >= LEVEL else (middle, high)
    return (low + high) / 2


def _within(t: float, freedom: int) -> float:
    """Return how probable a Student's variable of whole degrees of freedom is within -t and t.

    The finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4.
    """
    angle = math.atan2(t, math.sqrt(freedom))
    cosine, odd = math.cos(angle), freedom % 2
    term = total = (cosine if freedom > 1 else 0.0) if odd else 1.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= (k - 1) / k * cosine**2
        total += term
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total


def _p(middle: float, found: float, count: int, least: float) -> float:
    """Return how probable so large a mean is of what has none, by Student's t."""
    if abs(middle) <= least:
        return 1.0
    return 1 - _within(abs(middle) / found, count - 1) if found else 0.0


def _known(mine: Values, other: Values) -> list[tuple[float, float]]:
    pairs = zip(mine, other, strict=True)
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _step(mine: float, other: float, on_logs: bool) -> float:
    return math.log(mine) - math.log(other) if on_logs else mine - other


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
    least = ROUNDING * abs(found.mean)
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
    mean = average(values)
    found = error(values, ROUNDING * abs(mean), draws=draws)
    half = None if found is None else quantile(len(values) - 1) * found
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
        told = zip(others, told_apart(found), strict=True)
        alike = [i for i, apart in told if apart is False]
    return Spread(metric, having, estimates, best, alike)


def _beside(one: Configuration, other: Configuration, metric: str, *, draws: bool) -> Paired:
    """Hold two configurations together: a seed means the same draws for both."""
    first, second = _by_seed(one, metric), _by_seed(other, metric)
    return paired(list(first.values()), [second.get(s) for s in first], draws=draws)


def _by_seed(one: Configuration, metric: str) -> dict[int | None, float | None]:
    return dict(zip(one.seeds, one.figures[metric], strict=True))
