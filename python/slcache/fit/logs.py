"""Logs of a drive: their text, what they told of a key, and fills of fio's bandwidth log or CSV.

What is no whole fill is refused, never mended. Lines of fio (its HOWTO, "Log File Formats"): time
(ms), KiB/s, direction, block size, then the offset if asked for and, since 3.18, the priority;
since 3.38 an issue time may follow. There is no header. With `log_avg_msec` block size and offset
are 0; without it, each line is one request.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from slcache import files, units
from slcache.bandwidth.curves import LEAST, Values
from slcache.errors import TraceError, about
from slcache.names import few

Rows = Sequence[tuple[int, list[str]]]

#: Times from here on count from 1970, as with fio's log_unix_epoch.
EPOCH_MS = 10**11
_WHOLE, _PRIORITY = re.compile(r"[0-9]+"), re.compile(r"[01]|0x[0-9a-f]{4}")
#: fio counts in 64 bits.
_BITS = 64
#: Letters of a cell that a message shows.
_SHOWN = 24
#: Digits of a hash that tell a log from any other.
_DIGITS = 12


@dataclass(frozen=True)
class LogFile:
    """A log's file, and the SHA-256 of what it holds."""

    path: Path
    sha256: str

    @property
    def name(self) -> str:
        """What evidence calls it."""
        plain = "".join(c if c.isprintable() else "?" for c in self.path.name)
        return f"{plain} (sha256 {self.sha256[:_DIGITS]})"


def read_text(path: Path) -> tuple[LogFile, str]:
    """Return what a file holds; TraceError for what is no text."""
    _check_alone(path)
    try:
        content = files.bytes_of(path, files.RESULT_BYTES_MAX)
        found = content.decode("utf-8-sig")
    except files.TooLongError as error:
        raise about(TraceError(str(error)), file=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "is no text"
        raise about(TraceError(f"{path}: {told}"), file=str(path)) from error
    return LogFile(path, hashlib.sha256(content).hexdigest()), found


def rows_in(path: Path, content: str) -> Rows:
    """Return the cells of a text with their lines; TraceError where there are none."""
    lines = content.split("\n")
    rows = [(i, [cell.strip() for cell in line.split(",")]) for i, line in enumerate(lines, 1)]
    rows = [(i, found) for i, found in rows if found != [""]]
    if not rows:
        refuse(path, "is empty")
    return rows


def refuse(path: Path, told: str, line: int | None = None) -> NoReturn:
    """Raise what is wrong with a log, and where."""
    place = f"{path}:{line}" if line else str(path)
    raise about(TraceError(f"{place}: {told}"), line=line, file=str(path))


@dataclass(frozen=True)
class LogColumns:
    """fio's lines in columns; offsets where they were logged."""

    times: Values
    values: Values
    sizes: Values
    offsets: Values | None


def fio_columns(
    path: Path, rows: Rows, value: str, check: Callable[[int, list[str]], None]
) -> LogColumns:
    """Return the columns of fio's lines, the second of which is called `value`.

    `check` refuses lines that are whole, and still none of what is wanted.
    """
    first = rows[0][1]
    with_offset = len(first) >= 6 or any(
        len(cells) == 5 and not _PRIORITY.fullmatch(cells[4]) for _, cells in rows
    )
    numbers = np.empty((len(rows), 5))
    for i, (line, cells) in enumerate(rows):
        _check_whole(path, line, cells, len(first), value)
        check(line, cells)
        offset = cells[4] if with_offset else "0"
        _check_number(path, line, "offset", offset)
        numbers[i] = [float(cell) for cell in (*cells[:4], offset)]
        if i and numbers[i, 0] < numbers[i - 1, 0]:
            refuse(path, f"time {cells[0]} ms is before the {rows[i - 1][1][0]} ms above it", line)
        if bool(numbers[i, 3]) != bool(numbers[0, 3]):
            refuse(path, f"block size {cells[3]} beside {first[3]}: averages and requests", line)
    times, values, _, sizes, offsets = numbers.T
    return LogColumns(times, values, sizes, offsets if with_offset else None)


def _check_whole(path: Path, line: int, cells: list[str], columns: int, value: str) -> None:
    """Refuse a line with other columns than the first, or other than whole numbers."""
    if len(cells) != columns or not 4 <= columns <= 7:
        told = f"{len(cells)} columns" + (f", {columns} in the first line" if line > 1 else "")
        refuse(path, f"{told}; fio writes 4 to 7, and CSV begins with gb,mb_s", line)
    for name, cell in zip(("time", value, "direction", "block size"), cells, strict=False):
        _check_number(path, line, name, cell)


def quoted(cell: str) -> str:
    """Return a cell as messages quote it, which may be of any length."""
    return repr(cell if len(cell) <= _SHOWN else f"{cell[:_SHOWN]}…")


def _check_number(path: Path, line: int, name: str, cell: str) -> None:
    if not _WHOLE.fullmatch(cell):
        refuse(path, f"{name} {quoted(cell)}: no whole number, as fio writes it", line)
    if len(cell.lstrip("0")) > len(str(2**_BITS)) or int(cell) >= 2**_BITS:
        refuse(path, f"{name} {quoted(cell)}: must be at most 2^{_BITS} - 1, as fio counts", line)


def _check_alone(path: Path) -> None:
    """Refuse the log of one of several jobs: each has a part of the drive."""
    named = re.fullmatch(r"(.+_(?:bw|lat|clat)\.)\d+(\.log)", path.name)
    if named is None or not path.exists():
        return
    of_job = re.compile(f"{re.escape(named[1])}\\d+{re.escape(named[2])}")
    for other in sorted(path.parent.iterdir()):
        if other.name != path.name and of_job.fullmatch(other.name):
            refuse(path, f"{other.name} beside it is another job of the same run; a log is of one")


#: The mark of what is fitted, and what those begin with that a log cannot tell.
FITTED, UNKNOWN = "fitted", "not identifiable"


@dataclass(frozen=True)
class Ground:
    """What a key stands on: its kind, who says so, and between what it lies."""

    kind: str
    source: str
    low: float | None = None
    high: float | None = None

    def line(self) -> str:
        """Return it as TOML."""
        ends = {"low": self.low, "high": self.high}
        told = "".join(f", {k} = {v:.10g}" for k, v in ends.items() if v is not None)
        source = json.dumps(self.source, ensure_ascii=False)
        return f'{{ kind = "{self.kind}", source = {source}{told} }}'


@dataclass(frozen=True)
class Told:
    """Values that a log told, each with its interval if it has one, or why they are no such."""

    values: tuple[float, ...]
    #: None of what was chosen among a few.
    ranges: tuple[tuple[float, float], ...]
    #: Empty where no log of its kind can tell.
    log: str
    problem: str | None = None

    @property
    def value(self) -> float:
        """The first of its values."""
        return self.values[0]

    @property
    def mark(self) -> str:
        """Whether it is fitted, or why not."""
        if self.problem is None:
            return FITTED
        return f"{UNKNOWN}{'' if self.problem.startswith('apart from') else ':'} {self.problem}"

    def ground(self, step: float = 1.0, scale: float = 1.0) -> Ground:
        """Return what a key stands on; its interval in whole steps, each of which is `scale`."""
        if self.problem is not None:
            told = ": ".join(each for each in (self.log, self.problem) if each)
            return Ground("not-identifiable", told)
        if not self.ranges:
            return Ground("fitted", self.log)
        if len(self.values) > 1:
            ends = ", ".join(f"{low:.0f} to {high:.0f}" for low, high in self.ranges)
            return Ground("fitted", f"{self.log}: {ends}")
        ((low, high),) = self.ranges
        ends_of = math.floor(low / step) * scale, math.ceil(high / step) * scale
        return Ground("fitted", self.log, *ends_of)


def evidence_section(statement: str, grounds: Mapping[str, Ground]) -> str:
    """Return the section."""
    lines = [f"statement = {json.dumps(statement, ensure_ascii=False)}", "", "[evidence.keys]"]
    lines += [f'"{key}" = {grounds[key].line()}' for key in sorted(grounds)]
    return "\n".join(["[evidence]", *lines]) + "\n"


#: Data written may differ from the stated size by this share.
TOLERANCE = 0.02
#: Points of a curve, at most; each holds as much as nearly every entry of the log.
_POINTS, _NEARLY = 1000, 99
#: Intervals between two entries from which on it is asked what was between them.
_GAP = 2.5
#: Requests of a deep queue may be logged out of order, within so many bytes.
_REORDERED = 64 << 20
_KINDS = {"0": "a read", "2": "a trim"}
_COLUMNS = ["gb", "mb_s"]
#: No drive is smaller or larger, in bytes, or slower or faster, in MB/s.
_LEAST_BYTES, _MOST_BYTES, _SLOWEST, _FASTEST = 2**28, 2**50, 1e-3, 1e6
_SPEEDS = f"must be {_SLOWEST:g} to {_FASTEST:,.0f}"
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


@dataclass(frozen=True)
class LoggedFill:
    """How many bytes were written by the end of each entry, and by when."""

    source: LogFile
    written: Values
    seconds: Values

    @property
    def path(self) -> Path:
        """The log's file."""
        return self.source.path

    @property
    def mb_per_s(self) -> float:
        """The average of the whole fill."""
        return float(self.written[-1] / self.seconds[-1] / 1e6)

    def curve(self) -> tuple[Values, Values]:
        """Return GB written by the end of each point, and MB/s in it; points are of one size."""
        total = float(self.written[-1])
        entry = float(np.percentile(np.diff(self.written, prepend=0.0), _NEARLY))
        points = int(total / max(total / _POINTS, entry))
        if points < LEAST:
            refuse(self.path, f"too coarse: {points} points, a phase takes at least {LEAST}")
        edges = np.linspace(0, total, points + 1)
        begun = np.concatenate([[0.0], self.written]), np.concatenate([[0.0], self.seconds])
        taken = np.diff(np.interp(edges, *begun))
        if (taken <= 0).any():
            refuse(self.path, "data were written in no time: the log's times are too coarse")
        speeds = np.diff(edges) / taken / 1e6
        odd = speeds[(speeds < _SLOWEST) | (speeds > _FASTEST)]
        if len(odd):
            refuse(self.path, f"{odd[0]:.4g} MB/s: {_SPEEDS}")
        return edges[1:] / 1e9, speeds


def read_fill(path: Path, user_bytes: int | None = None) -> LoggedFill:
    """Return the fill that a log shows; TraceError where it is none, or not of the stated size."""
    source, content = read_text(path)
    rows = rows_in(path, content)
    heading = [cell.lower() for cell in rows[0][1]]
    is_csv = heading == _COLUMNS
    if not is_csv and set(heading) & set(_COLUMNS):
        told = f"columns {few(heading)}: must be gb and mb_s, in this order, each once"
        refuse(path, told, rows[0][0])
    written, seconds = _csv(path, rows[1:]) if is_csv else _fio(path, rows, user_bytes)
    fill = LoggedFill(source, written, seconds)
    total = float(fill.written[-1])
    if not _LEAST_BYTES <= total <= _MOST_BYTES:
        told = "must be 2^28 to 2^50 bytes, as drives have"
        refuse(path, f"{total / 1e9:.4g} GB written: {told}")
    if user_bytes is not None and abs(total / user_bytes - 1) > TOLERANCE:
        told = f"{units.significant(total / 1e9, 4)} GB written, not {user_bytes / 1e9:g} GB"
        refuse(
            path, f"{told} (within {100 * TOLERANCE:.0f} %): no whole fill, or not of this drive"
        )
    return fill


def _csv(path: Path, rows: Rows) -> tuple[Values, Values]:
    """Return bytes and seconds of a fill given as GB by the end of each row, and MB/s in it."""
    gb, speeds, last = [], [], 0.0
    for line, cells in rows:
        if len(cells) != len(_COLUMNS) or not all(map(_DECIMAL.fullmatch, cells)):
            told = f"{quoted(','.join(cells))}: expected two numbers, gb and mb_s"
            refuse(path, told, line)
        written, speed = (float(cell) for cell in cells)
        if not last < written <= _MOST_BYTES / 1e9:
            told = f"must be above the {last:g} before it, and at most 2^50 bytes"
            refuse(path, f"gb = {written:g}: {told}", line)
        if not _SLOWEST <= speed <= _FASTEST:
            refuse(path, f"mb_s = {speed:g}: {_SPEEDS}", line)
        gb.append(written)
        speeds.append(speed)
        last = written
    if not gb:
        refuse(path, "has no row")
    written_bytes = np.array(gb) * 1e9
    taken = np.diff(written_bytes, prepend=0.0) / np.array(speeds) / 1e6
    return written_bytes, np.cumsum(taken)


def _fio(path: Path, rows: Rows, user_bytes: int | None) -> tuple[Values, Values]:
    """Return bytes and seconds of a fill that fio logged."""

    def check(line: int, cells: list[str]) -> None:
        if cells[2] in _KINDS:
            refuse(path, f"{_KINDS[cells[2]]} (direction {cells[2]}); a fill only writes", line)
        if cells[2] != "1":
            told = f"direction {cells[2]}: must be 1; fio's log_window_value=both is not read"
            refuse(path, told, line)

    found = fio_columns(path, rows, "KiB/s", check)
    if found.sizes[0]:
        return _requests(path, rows, found)
    return _averages(path, rows, found.times, found.values, user_bytes is not None)


def _requests(path: Path, rows: Rows, found: LogColumns) -> tuple[Values, Values]:
    """Return the fill of a log with a line per request, whose rates are those of each alone."""
    times, offsets = found.times, found.offsets
    if offsets is not None:
        back = np.flatnonzero(offsets < np.maximum.accumulate(offsets) - _REORDERED)
        if len(back):
            line, cells = rows[int(back[0])]
            refuse(path, f"offset {cells[4]} goes back; a fill writes once, in order", line)
    if times[0] > EPOCH_MS:
        times = times - times[0]
    return np.cumsum(found.sizes), np.maximum(times, 1) / 1000


def _averages(
    path: Path, rows: Rows, times: Values, rates: Values, sized: bool
) -> tuple[Values, Values]:
    """Return the fill of a log with a line per interval."""
    interval = float(np.median(np.diff(times))) if len(times) > 1 else float(times[0])
    if interval <= 0:
        refuse(path, "most entries have the same time: no log of one job with log_avg_msec")
    if times[0] > EPOCH_MS:
        times = times - times[0] + interval
    taken = np.diff(times, prepend=0.0)
    gaps = np.flatnonzero(taken > _GAP * interval)
    if len(gaps) and not sized:
        at = int(gaps[0])
        told = f"no entry in the {taken[at]:g} ms before it: the drive stood still, or lines are"
        refuse(path, f"{told} lost; with --user SIZE the data written tell which", rows[at][0])
    # Where nothing is written nothing is logged; a rate is that of its own interval.
    taken[gaps] = interval
    return np.cumsum(rates * 1024 * taken / 1000), times / 1000
