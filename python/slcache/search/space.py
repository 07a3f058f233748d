"""The space that is searched: keys with what they may be, and which scheme if several may be."""

from __future__ import annotations

import itertools
import math
import random
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from slcache import catalogue
from slcache.errors import ConfigError, UsageError, about
from slcache.options import parsing
from slcache.options.content import duplicate, flatten, one_name, unique
from slcache.study.axes import StudyAxis, Value, amount, are_sizes
from slcache.study.points import SCHEME

if TYPE_CHECKING:
    from optuna.trial import Trial

#: Draws without success after which a space without an end has no new point; larger ones are drawn
#: from as if they had no end.
_DRAWS = 100_000
#: Most values of one key that is bisected: the configuration of each is made before the first run,
#: which takes about a millisecond.
VALUES_MOST = 10_000
_OF_SCHEME = re.compile(r"scheme\.([^.]+)\.")

Settings = Mapping[str, Value]
Key = tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class Space:
    """What may be chosen. Keys under `scheme.NAME` belong to the points of that scheme only."""

    schemes: Sequence[str]
    axes: Sequence[StudyAxis]

    @classmethod
    def read(cls, schemes: Sequence[str], vary: Mapping[str, object]) -> Space:
        """Return the space of what is said; raises UsageError or ConfigError."""
        if not schemes:
            raise about(UsageError("scheme: a search needs at least one"), "scheme")
        try:
            axes = [StudyAxis.read(key, said) for key, said in unique(flatten(vary)).items()]
        except ValueError as error:
            raise ConfigError(str(error)) from error
        if said := duplicate(schemes, catalogue.modes()):
            raise about(UsageError(f"scheme: {said}"), "scheme")
        if not axes and len(schemes) < 2:
            raise _wrong("a search needs at least one key that may be varied")
        return cls(schemes, axes)

    def draw(self, trial: Trial) -> dict[str, Value]:
        """Return the point that a sampler suggests."""
        scheme = self.schemes[0]
        if len(self.schemes) > 1:
            scheme = str(trial.suggest_categorical(SCHEME, list(self.schemes)))
        return {SCHEME: scheme} | {axis.key: _suggested(trial, axis) for axis in self.of(scheme)}

    def parameters(self, point: Settings) -> dict[str, object]:
        """Return what a sampler would have to suggest for a point."""
        own: dict[str, object] = {SCHEME: point[SCHEME]} if len(self.schemes) > 1 else {}
        for axis in self.of(str(point[SCHEME])):
            value = point[axis.key]
            placed = axis.values and axis.ordered
            own[axis.key] = axis.values.index(value) if placed else value
        return own

    def first(self, scheme: str) -> dict[str, Value]:
        """Return the point with the first values of a scheme's keys."""
        own = {a.key: a.values[0] if a.values else a.low for a in self.of(scheme)}
        return {SCHEME: scheme, **own}

    def corners(self, scheme: str) -> list[dict[str, Value]]:
        """Return points with the first and the last values of a scheme's keys, and each word."""
        last = {a.key: a.values[-1] if a.values else a.high for a in self.of(scheme)}
        words = [(a.key, v) for a in self.of(scheme) if not a.ordered for v in a.values]
        ends = [self.first(scheme), {SCHEME: scheme, **last}]
        return [*ends, *({**end, key: value} for end in ends for key, value in words)]

    @property
    def size(self) -> int | None:
        """How many points there are; None where a range has no end of values."""
        every = [[_listed(axis) for axis in self.of(scheme)] for scheme in self.schemes]
        if any(values is None for one in every for values in one):
            return None
        return sum(math.prod(_count(values or ()) for values in one) for one in every)

    def points(self) -> Iterator[dict[str, Value]]:
        """Yield all points of a space with an end, by scheme, the last key fastest."""
        for scheme in self.schemes:
            axes = self.of(scheme)
            for values in itertools.product(*(_listed(axis) or () for axis in axes)):
                own = {axis.key: value for axis, value in zip(axes, values, strict=True)}
                yield {SCHEME: scheme, **own}

    def by_chance(self, rng: random.Random) -> dict[str, Value]:
        """Return any point, known or not."""
        scheme = rng.choice(list(self.schemes))
        return {SCHEME: scheme} | {axis.key: _drawn(axis, rng) for axis in self.of(scheme)}

    def of(self, scheme: str) -> list[StudyAxis]:
        """Return the axes that mean something to a scheme."""
        own = ((axis, _OF_SCHEME.match(axis.key)) for axis in self.axes)
        sections = catalogue.sections(scheme)
        return [axis for axis, match in own if match is None or match[1] in sections]

    def sized(self, key: str) -> Space:
        """Return the space of one key with its values as numbers, the smallest first.

        The key may be spelled in full or without the scheme's section, as where it is varied.
        Raises UsageError for a space of other keys, or of values that are no numbers.
        """
        section = catalogue.of_catalogue(self.schemes[0])
        keys = [one_name(axis.key, section) for axis in self.axes]
        if len(self.schemes) != 1 or keys != [one_name(key, section)]:
            told = "is searched for alone, under one scheme: vary this key and no other"
            raise _wrong(f"{key} {told}")
        (axis,) = self.axes
        return replace(self, axes=[replace(axis, values=tuple(_numbers(axis)))])


def key_of(point: Settings) -> Key:
    """Return what tells a point from others."""
    return tuple(point.items())


def _listed(axis: StudyAxis) -> Sequence[Value] | None:
    """Return all values of an axis; None where a range holds other numbers than whole ones."""
    if axis.values:
        return axis.values
    whole = isinstance(axis.low, int) and isinstance(axis.high, int)
    return range(int(axis.low), int(axis.high) + 1) if whole else None


def _count(values: Sequence[Value]) -> int:
    """Return how many values there are; Python counts no range that is longer than a word."""
    return values.stop - values.start if isinstance(values, range) else len(values)


def _suggested(trial: Trial, axis: StudyAxis) -> Value:
    if not axis.values:
        if _listed(axis) is not None:
            return trial.suggest_int(axis.key, int(axis.low), int(axis.high), log=axis.log)
        return trial.suggest_float(axis.key, axis.low, axis.high, log=axis.log)
    if axis.ordered:
        # Their places, so that 1, 2, 4, 8 are as far from each other.
        return axis.values[trial.suggest_int(axis.key, 0, len(axis.values) - 1)]
    found = trial.suggest_categorical(axis.key, list(axis.values))
    assert isinstance(found, Value)
    return found


def _drawn(axis: StudyAxis, rng: random.Random) -> Value:
    """Return a value by chance, from an axis that may have no end of them."""
    values = _listed(axis)
    if axis.log and not axis.values:
        found = math.exp(rng.uniform(math.log(axis.low), math.log(axis.high)))
        found = min(max(found, axis.low), axis.high)
        return found if values is None else round(found)
    return rng.uniform(axis.low, axis.high) if values is None else rng.choice(values)


class Known:
    """The points that a search knows; it draws by chance among those it does not know."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._keys: set[Key] = set()
        size = space.size
        self._has_end = size is not None and size <= _DRAWS
        #: The points of a space with an end, in the order of the grid, the places there of all, and
        #: in order of those that are not known; from the first that is drawn on.
        self._points: list[dict[str, Value]] = []
        self._places: dict[Key, int] = {}
        self._left: list[int] = []

    def __contains__(self, point: Settings) -> bool:
        return key_of(point) in self._keys

    def add(self, point: Settings) -> None:
        """Count a point as known; it was not."""
        self._keys.add(key_of(point))
        if self._points:
            del self._left[bisect_left(self._left, self._places[key_of(point)])]

    def another(self, rng: random.Random) -> dict[str, Value] | None:
        """Return a point that is not known, by chance; None where all are, or none is found."""
        if self._has_end:
            if not self._points:
                self._points = list(self._space.points())
                self._places = {key_of(point): i for i, point in enumerate(self._points)}
                self._left = [i for key, i in self._places.items() if key not in self._keys]
            return self._points[rng.choice(self._left)] if self._left else None
        drawn = (self._space.by_chance(rng) for _ in range(_DRAWS))
        return next((point for point in drawn if point not in self), None)


def _wrong(told: str) -> UsageError:
    return about(UsageError(f"vary: {told}"), "vary")


def _numbers(axis: StudyAxis) -> list[Value]:
    if not axis.values:
        told = f"{axis.key} = {axis.low}..{axis.high}: which values are there? Add a step"
        raise _wrong(f"{told}, as in A..B:STEP, or a number of points, A..B/9")
    # Mere numbers of such keys are blocks, so that their sizes stay texts.
    sized = parsing.counts_blocks(axis.key) and any(isinstance(v, str) for v in axis.values)
    found = sorted({_number(axis.key, value) for value in axis.values})
    if sized and not are_sizes(axis.values):
        raise _wrong(f"{axis.key} = {axis.told[:60]}: has sizes and numbers of blocks")
    if len(found) > VALUES_MOST:
        # What every value is a multiple of, each of fewer is.
        least = min(after - before for before, after in pairwise(found))
        step = least * math.ceil((found[-1] - found[0]) / least / (VALUES_MOST - 1))
        low, high, by = (_written(each, sized) for each in (found[0], found[-1], step))
        told = f"{axis.key}: {len(found):,} values; at most {VALUES_MOST:,} are allowed"
        raise _wrong(f"{told}. Add a step, such as {axis.key}={low}..{high}:{by}")
    return [_written(each, sized) for each in found] if sized else [*found]


def _written(number: float, sized: bool) -> str:
    if sized:
        return parsing.size_text(int(number))
    return str(number) if isinstance(number, int) else f"{number:.9g}"


def _number(key: str, value: Value) -> int | float:
    try:
        return amount(value)
    except ValueError as error:
        told = f"{key} = {str(value)[:60]}: is no number and no size, such as 64 or 4MiB"
        raise _wrong(told) from error
