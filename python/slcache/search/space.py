"""The space that is searched: keys with what they may be, and which scheme if several may be."""

from __future__ import annotations

import math
import random
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from slcache import catalogue
from slcache.errors import UsageError, about
from slcache.given import quantity
from slcache.sweep.axes import Axis, Value

if TYPE_CHECKING:
    from optuna.trial import Trial

#: The parameter that says which of several schemes a point has.
SCHEME = "scheme"
#: Draws without success after which a space without an end has no new point.
_DRAWS = 100_000
#: Most values of one key that is bisected: the configuration of each is made before the first run,
#: which takes about a millisecond.
VALUES_MOST = 10_000
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


class Known:
    """The points that a search knows; it draws by chance among those it does not know.

    A space that is nearly used up has few points left, and listing all of them for each draw would
    cost as much as the whole search. So points are numbered in the order of the grid, and only the
    numbers of those that are known are kept.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._keys: set[tuple[tuple[str, Value], ...]] = set()
        size = space.size
        self._grid = _Grid(space) if size is not None and size <= _DRAWS else None
        #: The numbers of known points, in order.
        self._numbers: list[int] = []

    def __contains__(self, point: Settings) -> bool:
        return key_of(point) in self._keys

    def add(self, point: Settings) -> None:
        """Count a point as known; it was not."""
        self._keys.add(key_of(point))
        if self._grid is not None:
            insort(self._numbers, self._grid.number(point))

    def another(self, rng: random.Random) -> dict[str, Value] | None:
        """Return a point that is not known, by chance; None where all are, or none is found."""
        if self._grid is not None:
            left = self._grid.size - len(self._numbers)
            return self._grid.point(self._left(rng.choice(range(left)))) if left else None
        for _ in range(_DRAWS):
            point = self._space.by_chance(rng)
            if point not in self:
                return point
        return None

    def _left(self, place: int) -> int:
        """Return the number of the point at a place among those that are not known."""
        numbers = self._numbers
        return place + bisect_right(range(len(numbers)), place, key=lambda i: numbers[i] - i)


class _Grid:
    """Numbers for the points of a space with an end: by scheme, the last key fastest."""

    def __init__(self, space: Space) -> None:
        self._first: dict[str, int] = {}
        self._axes = {
            scheme: [(axis.key, listed(axis)) for axis in space.of(scheme)]
            for scheme in space.schemes
        }
        self._places = {
            scheme: {key: {value: i for i, value in enumerate(values)} for key, values in axes}
            for scheme, axes in self._axes.items()
        }
        self.size = 0
        for scheme, axes in self._axes.items():
            self._first[scheme] = self.size
            self.size += math.prod(len(values) for _, values in axes)

    def number(self, point: Settings) -> int:
        scheme = str(point[SCHEME])
        found = 0
        for key, values in self._axes[scheme]:
            found = found * len(values) + self._places[scheme][key][point[key]]
        return self._first[scheme] + found

    def point(self, number: int) -> dict[str, Value]:
        scheme = next(s for s in reversed(self._first) if self._first[s] <= number)
        left = number - self._first[scheme]
        values: dict[str, Value] = {}
        for key, each in reversed(self._axes[scheme]):
            left, place = divmod(left, len(each))
            values[key] = each[place]
        # The order of the keys is the order of the axes.
        return {SCHEME: scheme, **dict(reversed(values.items()))}


def sized(space: Space, key: str) -> Space:
    """Return the space of one key with its values as numbers, the smallest first.

    Raises UsageError for a space of other keys, or of values that are no numbers.
    """
    if len(space.schemes) != 1 or [axis.key for axis in space.axes] != [key]:
        told = "is searched for alone, under one scheme: vary this key and no other"
        raise about(UsageError(f"vary: {key} {told}"), "vary")
    (axis,) = space.axes
    return replace(space, axes=[axis.model_copy(update={"values": tuple(_numbers(axis))})])


def _numbers(axis: Axis) -> list[int | float]:
    if not axis.values:
        told = f"vary: {axis.key} = {axis.low}..{axis.high}: which values are there? Add a step"
        raise about(UsageError(f"{told}, as in A..B:STEP, or a number of points, A..B/9"), "vary")
    found = sorted({_number(axis.key, value) for value in axis.values})
    if len(found) > VALUES_MOST:
        told = f"vary: {axis.key}: {len(found):,} values; at most {VALUES_MOST:,} are allowed"
        # What every value is a multiple of, each of fewer is.
        least = min(after - before for before, after in pairwise(found))
        step = least * math.ceil((found[-1] - found[0]) / least / (VALUES_MOST - 1))
        by = step if isinstance(step, int) else f"{step:.9g}"
        stepped = f"{axis.key}={found[0]}..{found[-1]}:{by}"
        raise about(UsageError(f"{told}. Add a step, such as {stepped}"), "vary")
    return found


def _number(key: str, value: Value) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    try:
        return quantity.size_bytes(str(value))
    except ValueError as error:
        told = f"vary: {key} = {str(value)[:60]}: is no number and no size, such as 64 or 4MiB"
        raise about(UsageError(told), "vary") from error
