"""How far seeds spread figures, pair by pair, and whether a difference is more than noise."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, TypeVar

from slcache.documents.schemata import CLOSED, SPARSE

#: How sure intervals are, and what is told apart.
LEVEL = 0.95
#: Differences below this share of the values are rounding.
ROUNDING = 1e-12
#: Logarithms of larger factors are no numbers.
_LOG_MOST = 700.0

Values = Sequence[float | None]
_Name = TypeVar("_Name", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Factor:
    """A figure beside another's, pair by pair; null where there is nothing to tell."""

    factor: float | None = None
    """Geometric mean of the ratios, of draws the recording's own ratio; null where one is 0 or
    below: then differences are judged."""
    low: float | None = None
    high: float | None = None
    pairs: int
    """Seeds in which both have the figure."""
    less: int
    """Of them, those in which it is less than the other's."""
    more: int
    """Those in which it is more."""
    p: float | None = None
    """How probable so large a difference is of equals, by itself."""
    inside_noise: bool | None = None
    """Whether seeds do not tell the difference from none, all schemes judged together (Holm); null
    where nobody knows: fewer than two seeds have both."""

    __pydantic_config__ = CLOSED


@dataclass(frozen=True, kw_only=True)
class Paired(Factor):
    """The same, and what is not told by itself."""

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

    def to_dict(self) -> dict[str, Any]:
        """Return factor, interval and counts as plain data."""
        return {field.name: getattr(self, field.name) for field in fields(Factor)}


def paired(mine: Values, other: Values, *, draws: bool = False, own: Values = ()) -> Paired:
    """Return how a figure differs from another; equal places are a pair, None is no figure.

    Seeds are runs of one workload: their mean is the surer the more there are. `draws` of a
    recording lie around it as other recordings lie around their workload, however many are drawn;
    `own` are the two figures of the recording itself, around which the interval lies.
    """
    known = _known(mine, other)
    if not known:
        return Paired(pairs=0, less=0, more=0)
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
    counted = Paired(pairs=len(steps), less=less, more=more, p=p)
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
    def ends(self) -> tuple[float | None, float | None]:
        """The ends of the interval."""
        if self.half is None:
            return None, None
        return self.centre - self.half, self.centre + self.half

    @property
    def is_off(self) -> bool:
        """Whether the draws lie off the recording: its figure is not within their interval."""
        if self.own is None or self.half is None:
            return False
        return abs(self.own - self.mean) > max(self.half, ROUNDING * abs(self.mean))


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


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A metric over the seeds; null where there is nothing to tell."""

    values: list[float | None]
    """One per seed."""
    recording: float | None = None
    """Only of draws: the recording's own figure, around which the interval lies."""
    mean: float | None
    low: float | None
    high: float | None

    __pydantic_config__ = SPARSE


@dataclass(frozen=True)
class RepeatedFigure:
    """One metric of what is repeated, None where a seed's run has no such thing."""

    values: Values
    #: Whether the values are of draws of a recording.
    draws: bool = False
    #: Then the recording's own figure.
    own: float | None = None

    @property
    def known(self) -> list[float]:
        """The values that there are."""
        return [value for value in self.values if value is not None]

    @property
    def estimate(self) -> Estimate | None:
        """The mean and half its interval; None without values."""
        return estimate(self.known, draws=self.draws, own=self.own) if self.known else None

    def beside(self, other: RepeatedFigure) -> Paired:
        """Hold it against another one: equal seeds mean equal draws for both."""
        own = (self.own, other.own) if self.draws else ()
        return paired(self.values, other.values, draws=self.draws, own=own)

    def to_dict(self) -> dict[str, Any]:
        """Return values, mean and interval as plain data; of draws the recording's own figure."""
        found = self.estimate
        mean, low, high = (None, None, None) if found is None else (found.mean, *found.ends)
        values = list(self.values)
        told = Spread(values=values, recording=self.own, mean=mean, low=low, high=high)
        return {key: value for key, value in vars(told).items() if self.draws or key != "recording"}


def against(figures: Mapping[_Name, RepeatedFigure], to: _Name) -> dict[_Name, Paired]:
    """Return each figure beside that of one of them; all are judged together."""
    found = {name: each.beside(figures[to]) for name, each in figures.items() if name != to}
    apart = told_apart(list(found.values()))
    return {
        name: replace(each, inside_noise=None if told is None else not told)
        for (name, each), told in zip(found.items(), apart, strict=True)
    }
