"""Which points of the space are run: all of a grid, those listed, or some drawn by a seed.

Draws come from the model's own random streams, so a study has the same points everywhere.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from slcache import _core, bounded
from slcache.given import once
from slcache.sweep.axes import Axis, Value, literal

#: The varied keys of a point.
Combination = Mapping[str, Value]

Kind = Literal["grid", "random", "latin-hypercube"]
#: Most points of a study: each holds its whole configuration in memory.
POINTS_MAX = 100_000
#: Most combinations of a grid, of which many may be one point where schemes lack a key.
GRID_MAX = 1_000_000
_KINDS: tuple[Kind, ...] = ("grid", "random", "latin-hypercube")


@dataclass(frozen=True)
class Sampling:
    """How points are chosen."""

    kind: Kind = "grid"
    #: How many, but for a grid.
    count: int = 0
    seed: int = 1

    @classmethod
    def read(cls, text: str, seed: int = 1) -> Sampling:
        """Return what `grid`, `random:N` or `latin-hypercube:N` says."""
        name, _, count = text.partition(":")
        kind = next((kind for kind in _KINDS if kind == name), None)
        drawn = kind != "grid"
        # So many digits are beyond the limit, and Python reads no more than some thousand.
        if drawn and count.isdecimal() and (len(count) > 9 or int(count) > POINTS_MAX):
            raise ValueError(f"sample = {text[:60]}: at most {POINTS_MAX:,} points are allowed")
        if kind is None or drawn != (count.isdecimal() and int(count) > 0) or (count and not drawn):
            raise ValueError(
                f"sample = {text}: must be grid, random:N or latin-hypercube:N, N points from 1"
            )
        if not 0 <= seed <= once.SEED_MAX:
            raise ValueError(f"sample_seed = {seed}: must be between 0 and {once.SEED_MAX}")
        return cls(kind, int(count or 0), seed)

    def __str__(self) -> str:
        return self.kind if self.kind == "grid" else f"{self.kind}:{self.count}"

    def points(self, axes: Sequence[Axis]) -> list[Combination]:
        """Return the points, in the order in which they are told."""
        if self.kind == "grid":
            return list(_grid(axes))
        shares = self._random(axes) if self.kind == "random" else self._hypercube(axes)
        columns = {a.key: map(a.at, column) for a, column in zip(axes, shares, strict=True)}
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _stream(self, axis: Axis) -> _core.Stream:
        return _core.Stream(self.seed, f"sweep {axis.key}")

    def _random(self, axes: Sequence[Axis]) -> Iterator[list[float]]:
        for axis in axes:
            stream = self._stream(axis)
            yield [stream.fraction() for _ in range(self.count)]

    def _hypercube(self, axes: Sequence[Axis]) -> Iterator[list[float]]:
        """Yield columns with one point in each of as many equal parts of an axis as points."""
        for axis in axes:
            stream = self._stream(axis)
            places = list(range(self.count))
            for last in range(self.count - 1, 0, -1):
                other = stream.below(last + 1)
                places[last], places[other] = places[other], places[last]
            yield [(place + stream.fraction()) / self.count for place in places]


def _grid(axes: Sequence[Axis]) -> Iterator[Combination]:
    for axis in axes:
        if not axis.values:
            raise ValueError(
                f"{axis.key} = {axis.low}..{axis.high}: a grid must know which values; say "
                f"{axis.low}..{axis.high}:STEP or {axis.low}..{axis.high}/POINTS"
            )
    count = math.prod(len(axis.values) for axis in axes)
    if count > GRID_MAX:
        raise ValueError(f"the grid has {count:,} points; at most {GRID_MAX:,} are allowed")
    names = [axis.key for axis in axes]
    for row in itertools.product(*(axis.values for axis in axes)):
        yield dict(zip(names, row, strict=True))


def _rows(path: Path) -> Iterator[list[str]]:
    try:
        reader = csv.reader(io.StringIO(bounded.text(path), newline=""))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: no CSV: byte {error.start} is no UTF-8") from None
    try:
        yield from filter(None, reader)
    except csv.Error as error:
        raise ValueError(f"{path}:{reader.line_num}: {error}") from error


def listed(path: Path) -> list[Combination]:
    """Return the points of a CSV file: a column for each key, an empty cell leaves a key alone."""
    rows = list(_rows(path))
    if len(rows) < 2:
        raise ValueError(f"{path}: must have a line of keys and at least one point")
    names = [name.strip() for name in rows[0]]
    if "" in names or len(set(names)) != len(names):
        raise ValueError(f"{path}:1: a key is empty or named twice")
    points: list[Combination] = []
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise ValueError(f"{path}:{number}: {len(row)} values for {len(names)} keys")
        cells = zip(names, row, strict=True)
        points.append({name: literal(cell) for name, cell in cells if cell.strip()})
    return points
