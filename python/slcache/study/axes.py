"""What is varied: the values of a key, and which points of the space are run."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from slcache import _core, code, files, names
from slcache.names import few
from slcache.options import content, parsing

#: A value of a key, as TOML has it.
Value = bool | int | float | str

#: Most values of one key, so that a slip such as a tiny step is told and not tried.
_MOST = 1_000_000
#: Ends of a range and its step; no key of the configuration goes further.
_FURTHEST = 2**64
#: Values, and letters of what was said, that an error repeats.
_SHOWN, _SHOWN_LETTERS = 12, 200
_RANGE = re.compile(
    r"(?P<low>.+?)\.\.(?P<high>[^:*/@]+)((?P<kind>[:*/])(?P<by>[^@]+))?(?P<log>@log)?"
)
_FORMS = (
    "a list such as 1,2,4 or a range: A..B (whole numbers), A..B:STEP, A..B*FACTOR, A..B/POINTS or "
    "A..B/POINTS@log"
)


@dataclass(frozen=True)
class StudyAxis:
    """A key and what it may be: its values, or for random points all between two of them."""

    key: str
    #: What a grid takes; empty where a range has no end of values.
    values: tuple[Value, ...]
    #: Least and most, where a range leaves open which values it has.
    low: int | float = 0
    high: int | float = 0
    log: bool = False

    @classmethod
    def read(cls, key: str, said: object) -> StudyAxis:
        """Return what is said of a key, as text or as a list; ValueError says what it may be."""
        try:
            axis = _text(key, said.strip()) if isinstance(said, str) else _list(key, said)
            _limited(len(axis.values))
            for value in axis.values:
                check_finite(value)
            twice = [value for value, count in Counter(axis.values).items() if count > 1]
            if twice:
                raise ValueError(f"given twice: {few(sorted(map(plain, twice)))}")
        except ValueError as error:
            raise ValueError(f"{key} = {_cut(said)}: {error}") from error
        return axis

    @cached_property
    def ordered(self) -> bool:
        """Whether the values are numbers in order: a sampler may think of what lies between."""
        numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.values)
        if not numeric and not (parsing.counts_blocks(self.key) and are_sizes(self.values)):
            return False
        return list(self.values) == sorted(self.values, key=amount)

    @property
    def told(self) -> str:
        """What the key may be, as it could be said."""
        if self.values:
            return ",".join(map(plain, self.values))
        return f"{self.low}..{self.high}{'@log' if self.log else ''}"

    def at(self, share: float) -> Value:
        """Return the value that lies so far, from 0 to below 1, between the ends.

        Between whole ends it is a whole number, and the last has its part of the range too.
        """
        if self.values:
            return self.values[int(share * len(self.values))]
        if isinstance(self.low, int) and isinstance(self.high, int):
            return min(int(self.low * ((self.high + 1) / self.low) ** share), self.high)
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)


def check_finite(value: Value) -> None:
    """Raise ValueError for a number that no key takes and no table of a study can show."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not finite")


def amount(value: Value) -> int | float:
    """Return a number as it is, a size such as 4MiB in bytes; raises ValueError for others."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return parsing.size_bytes(str(value))


def are_sizes(values: Iterable[Value]) -> bool:
    """Return whether all values are sizes such as 4MiB, and none a mere number."""
    try:
        return all(
            isinstance(value, str) and value.endswith("B") and amount(value) >= 0
            for value in values
        )
    except ValueError:
        return False


def literal(text: str) -> Value:
    """Return a value as `--set` reads it: a number, true or false, else text."""
    text = text.strip()
    try:
        found: object = parsing.toml_text(f"value = {text}")["value"]
    except parsing.MalformedError:
        return text
    return found if isinstance(found, Value) else text


def plain(value: Value) -> str:
    """Return a value as `literal` takes it back."""
    return value if isinstance(value, str) else json.dumps(value)


def _list(key: str, said: object) -> StudyAxis:
    listed = [said] if isinstance(said, bool | int | float) else said
    if not isinstance(listed, Sequence) or not listed:
        raise ValueError(f"must be {_FORMS}")
    return StudyAxis(key=key, values=tuple(map(_told, listed)))


def _told(value: object) -> Value:
    """Return a value; one that is a list is told as `--set` reads it, one of NumPy as Python's."""
    value = content.of_python(value)
    if isinstance(value, Value):
        return value
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return json.dumps(list(map(content.of_python, value)))
    raise ValueError(f"{value!r} is neither a number, text, a list nor true or false")


def _text(key: str, text: str) -> StudyAxis:
    match = _RANGE.fullmatch(text)
    if match is None:
        parts = code.parts(text)
        depths = [0, *itertools.accumulate(code.BRACKETS.get(letter, 0) for letter in text)]
        if min(depths) < 0 or depths[-1]:
            raise ValueError("a bracket has no other")
        if not all(parts):
            raise ValueError(f"must be {_FORMS}")
        return StudyAxis(key=key, values=tuple(map(literal, parts)))
    low, high, log = _number(match["low"]), _number(match["high"]), match["log"] is not None
    if not low <= high:
        raise ValueError(f"the range ends below its beginning; must be {_FORMS}")
    if log and low <= 0:
        raise ValueError("a logarithmic range must begin above 0")
    if low > 0 and not math.isfinite(high / low):
        raise ValueError("the range spans more than any number tells")
    sized = _has_sizes(key, match)
    if match["kind"] is not None:
        steps = _steps(low, high, match["kind"], _number(match["by"]), log)
        if sized:
            steps = [parsing.size_text(round(float(step))) for step in steps]
        return StudyAxis(key=key, values=tuple(steps))
    if isinstance(low, int) and isinstance(high, int) and not log:
        _limited(high - low + 1)
        return StudyAxis(key=key, values=tuple(range(low, high + 1)))
    # For random points all numbers, or whole ones.
    return StudyAxis(key=key, values=(), low=low, high=high, log=log)


def _has_sizes(key: str, match: re.Match[str]) -> bool:
    """Return whether a range goes over sizes, where its key takes a number of blocks too.

    Raises ValueError for one that leaves open which sizes, or mixes both.
    """
    steps = [match["by"]] if match["kind"] == ":" else []
    numbers = [literal(text) for text in (match["low"], match["high"], *steps)]
    if not parsing.counts_blocks(key) or not any(isinstance(each, str) for each in numbers):
        return False
    if any(each != 0 and not isinstance(each, str) for each in numbers):
        raise ValueError("has sizes and numbers of blocks; ends and step must be of one kind")
    if match["kind"] is None:
        told = "which sizes are there? Add a step, as in A..B:4MiB, a factor, A..B*2"
        raise ValueError(f"{told}, or a number of points, A..B/3")
    return True


def _steps(
    low: int | float, high: int | float, kind: str, by: int | float, log: bool
) -> list[Value]:
    """Return the values of a range with a step, a factor, or a number of points."""
    if kind == "/":
        return _points(low, high, by, log)
    if log:
        raise ValueError("@log goes with A..B/POINTS only")
    if kind == ":" and by <= 0:
        raise ValueError("the step must be above 0")
    if kind == "*" and (by <= 1 or low <= 0):
        raise ValueError("a factor must be above 1, and its range must begin above 0")
    steps = (high - low) / by if kind == ":" else math.log(high / low) / math.log(by)
    _limited(steps + 1)
    count = math.floor(steps + 1e-9) + 1
    return [low + i * by if kind == ":" else low * by**i for i in range(count)]


def _points(low: int | float, high: int | float, by: int | float, log: bool) -> list[Value]:
    """Return so many points, both ends with them; whole ones between whole ends."""
    if not isinstance(by, int) or by < 2:
        raise ValueError("the number of points must be a whole number from 2")
    _limited(by)
    shares = [i / (by - 1) for i in range(by)]
    points = [low * (high / low) ** s if log else low + s * (high - low) for s in shares]
    points[0], points[-1] = low, high
    if isinstance(low, int) and isinstance(high, int):
        # Points that round to one value are one.
        return list(dict.fromkeys(round(point) for point in points))
    return [float(point) for point in points]


def _number(text: str) -> int | float:
    """Return a number, or a size such as 256KiB in bytes."""
    value = literal(text)
    if isinstance(value, str):
        try:
            return parsing.size_bytes(value)
        except ValueError:
            told = f"{_cut(text.strip())!r} is no number"
            raise ValueError(f"{told}; must be {_FORMS}") from None
    if isinstance(value, bool) or not abs(value) <= _FURTHEST:
        told = f"{_cut(text.strip())!r} is no number of at most 2^64"
        raise ValueError(f"{told}; must be {_FORMS}")
    return value


def _limited(count: float) -> None:
    if count > _MOST:
        shown = f"{count:,.0f}" if count < _FURTHEST else f"{count:.3g}"
        raise ValueError(f"that is {shown} values; at most {_MOST:,} are allowed")


def _cut(said: object) -> str:
    text = said if isinstance(said, str) else names.spelled(said, _SHOWN)
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}..."


#: The varied keys of a point.
Combination = Mapping[str, Value]

Kind = Literal["grid", "random", "latin-hypercube"]
#: Most parameters of a study: what each does is told from what each of the others does.
PARAMETERS_MAX = 100
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
        if not 0 <= seed <= content.SEED_MAX:
            raise ValueError(f"sample_seed = {seed}: must be between 0 and {content.SEED_MAX}")
        return cls(kind, int(count or 0), seed)

    def __str__(self) -> str:
        return self.kind if self.kind == "grid" else f"{self.kind}:{self.count}"

    def points(self, axes: Sequence[StudyAxis]) -> list[Combination]:
        """Return the points, in the order in which they are told."""
        if self.kind == "grid":
            return list(_grid(axes))
        columns = {axis.key: map(axis.at, self._shares(axis)) for axis in axes}
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _shares(self, axis: StudyAxis) -> list[float]:
        """Return how far along an axis each point lies, from 0 to below 1.

        Of a hypercube one lies in each of as many equal parts as there are points.
        """
        stream = _core.Stream(self.seed, f"sweep {axis.key}")
        if self.kind == "random":
            return [stream.fraction() for _ in range(self.count)]
        places = list(range(self.count))
        for last in range(self.count - 1, 0, -1):
            other = stream.below(last + 1)
            places[last], places[other] = places[other], places[last]
        return [(place + stream.fraction()) / self.count for place in places]


def _grid(axes: Sequence[StudyAxis]) -> Iterator[Combination]:
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


def csv_points(path: Path) -> list[Combination]:
    """Return the points of a CSV file: a column for each key, an empty cell leaves a key alone."""
    names, *rows = _rows(path)
    cells = (zip(names[1], row, strict=True) for _, row in rows)
    return [{name: literal(cell) for name, cell in row if cell.strip()} for row in cells]


def csv_lines(path: Path) -> list[int]:
    """Return the line of each point of a CSV file."""
    return [line for line, _ in _rows(path)[1:]]


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of a CSV file with their lines: keys, and as many values for each point."""
    try:
        reader = csv.reader(io.StringIO(files.text_of(path), newline=""))
        rows = [(reader.line_num, row) for row in reader if row]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: no CSV: byte {error.start} is no UTF-8") from None
    except csv.Error as error:
        raise ValueError(f"{path}:{reader.line_num}: {error}") from error
    if len(rows) < 2:
        raise ValueError(f"{path}: must have a line of keys and at least one point")
    head, keys = rows[0]
    names = [name.strip() for name in keys]
    if "" in names or len(set(names)) != len(names):
        raise ValueError(f"{path}:{head}: a key is empty or named twice")
    for line, row in rows[1:]:
        if len(row) != len(names):
            raise ValueError(f"{path}:{line}: {len(row)} values for {len(names)} keys")
    return [(head, names), *rows[1:]]
