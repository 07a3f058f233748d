"""The space that is searched: keys with what they may be, and which scheme if several may be."""

from __future__ import annotations

import math
import random
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slcache import catalogue
from slcache.sweep.axes import Axis, Value

if TYPE_CHECKING:
    from optuna.trial import Trial

#: The parameter that says which of several schemes a point has.
SCHEME = "scheme"
_OF_SCHEME = re.compile(r"scheme\.([^.]+)\.")

Settings = Mapping[str, Value]


@dataclass(frozen=True)
class Space:
    """What may be chosen. Keys under `scheme.NAME` belong to the points of that scheme only."""

    schemes: Sequence[str]
    axes: Sequence[Axis]

    def draw(self, trial: Trial) -> dict[str, Value]:
        """Return the point that a sampler suggests."""
        scheme = self.schemes[0]
        if len(self.schemes) > 1:
            scheme = str(trial.suggest_categorical(SCHEME, list(self.schemes)))
        return {SCHEME: scheme} | {axis.key: _suggested(trial, axis) for axis in self.of(scheme)}

    def parameters(self, point: Settings) -> dict[str, object]:
        """Return what a sampler would have to suggest for a point."""
        own = {axis.key: _place(axis, point[axis.key]) for axis in self.of(str(point[SCHEME]))}
        return ({SCHEME: point[SCHEME]} if len(self.schemes) > 1 else {}) | own

    def first(self, scheme: str) -> dict[str, Value]:
        """Return the first values of a scheme's keys."""
        return {a.key: a.values[0] if a.values else a.low for a in self.of(scheme)}

    def corners(self, scheme: str) -> list[dict[str, Value]]:
        """Return points with the first and the last values of a scheme's keys, and each word."""
        last = {a.key: a.values[-1] if a.values else a.high for a in self.of(scheme)}
        words = [(a.key, v) for a in self.of(scheme) if not a.ordered for v in a.values]
        ends = [self.first(scheme), last]
        return [*ends, *({**end, key: value} for end in ends for key, value in words)]

    @property
    def size(self) -> int | None:
        """How many points there are; None where a range has no end of values."""
        sizes = [
            [len(axis.values) or _whole(axis) for axis in self.of(scheme)]
            for scheme in self.schemes
        ]
        if any(size is None for one in sizes for size in one):
            return None
        return sum(math.prod(size or 0 for size in one) for one in sizes)

    def by_chance(self, rng: random.Random) -> dict[str, Value]:
        """Return any point, known or not."""
        scheme = rng.choice(list(self.schemes))
        return {SCHEME: scheme} | {axis.key: _drawn(axis, rng) for axis in self.of(scheme)}

    def of(self, scheme: str) -> list[Axis]:
        """Return the axes that mean something to a scheme."""
        own = ((axis, _OF_SCHEME.match(axis.key)) for axis in self.axes)
        sections = catalogue.sections(scheme)
        return [axis for axis, match in own if match is None or match[1] in sections]


def key_of(point: Settings) -> tuple[tuple[str, Value], ...]:
    """Return what tells a point from others."""
    return tuple(point.items())


def _whole(axis: Axis) -> int | None:
    """Return how many whole numbers an open range holds; None where it holds others too."""
    if isinstance(axis.low, int) and isinstance(axis.high, int):
        return axis.high - axis.low + 1
    return None


def listed(axis: Axis) -> Sequence[Value]:
    """Return all values of an axis that has an end of them."""
    return axis.values or range(int(axis.low), int(axis.high) + 1)


def _suggested(trial: Trial, axis: Axis) -> Value:
    if not axis.values:
        if _whole(axis) is not None:
            return trial.suggest_int(axis.key, int(axis.low), int(axis.high), log=axis.log)
        return trial.suggest_float(axis.key, axis.low, axis.high, log=axis.log)
    if axis.ordered:
        # Their places, so that 1, 2, 4, 8 are as far from each other.
        return axis.values[trial.suggest_int(axis.key, 0, len(axis.values) - 1)]
    found = trial.suggest_categorical(axis.key, list(axis.values))
    assert isinstance(found, Value)
    return found


def _place(axis: Axis, value: Value) -> object:
    return bisect_left(axis.values, value) if axis.values and axis.ordered else value


def _drawn(axis: Axis, rng: random.Random) -> Value:
    """Return a value by chance, from an axis that may have no end of them."""
    if axis.values:
        return rng.choice(axis.values)
    if axis.log:
        found = math.exp(rng.uniform(math.log(axis.low), math.log(axis.high)))
        found = min(max(found, axis.low), axis.high)
        return found if _whole(axis) is None else round(found)
    if _whole(axis) is not None:
        return rng.randint(int(axis.low), int(axis.high))
    return rng.uniform(axis.low, axis.high)
