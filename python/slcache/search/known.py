"""The points that a search knows, and draws by chance among those it does not know.

A space that is nearly used up has few points left, and listing all of them for each draw would
cost as much as the whole search. So points are numbered in the order of the grid, and only the
numbers of those that are known are kept.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right, insort

from slcache.search.space import SCHEME, Settings, Space, key_of, listed
from slcache.sweep.axes import Value

#: Draws without success after which a space without an end has no new point.
_DRAWS = 100_000


class Known:
    """The known points of a space."""

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
