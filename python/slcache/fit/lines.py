"""What all logs of a drive share: a text of numbers in columns, whose name and hash tell it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from slcache import bounded
from slcache.bandwidth.curves import Values
from slcache.errors import TraceError, about

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
class Source:
    """A log's file, and the SHA-256 of what it holds."""

    path: Path
    sha256: str

    @property
    def name(self) -> str:
        """What evidence calls it."""
        plain = "".join(c if c.isprintable() else "?" for c in self.path.name)
        return f"{plain} (sha256 {self.sha256[:_DIGITS]})"


def read(path: Path) -> tuple[Source, Rows]:
    """Return a log's cells with their lines; TraceError for what is no text, or empty."""
    source, content = text(path)
    return source, cells(path, content)


def text(path: Path) -> tuple[Source, str]:
    """Return what a file holds; TraceError for what is no text."""
    _check_alone(path)
    try:
        content = bounded.read(path, bounded.RESULT_BYTES_MAX)
        found = content.decode("utf-8-sig")
    except bounded.TooLongError as error:
        raise about(TraceError(str(error)), file=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "is no text"
        raise about(TraceError(f"{path}: {told}"), file=str(path)) from error
    return Source(path, hashlib.sha256(content).hexdigest()), found


def cells(path: Path, content: str) -> Rows:
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
class Table:
    """fio's lines in columns; offsets where they were logged."""

    times: Values
    values: Values
    sizes: Values
    offsets: Values | None


def table(path: Path, rows: Rows, value: str, check: Callable[[int, list[str]], None]) -> Table:
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
    return Table(times, values, sizes, offsets if with_offset else None)


def _check_whole(path: Path, line: int, cells: list[str], columns: int, value: str) -> None:
    """Refuse a line with other columns than the first, or other than whole numbers."""
    if len(cells) != columns or not 4 <= columns <= 7:
        told = f"{len(cells)} columns" + (f", {columns} in the first line" if line > 1 else "")
        refuse(path, f"{told}; fio writes 4 to 7, and CSV begins with gb,mb_s", line)
    for name, cell in zip(("time", value, "direction", "block size"), cells, strict=False):
        _check_number(path, line, name, cell)


def shown(cell: str) -> str:
    """Return a cell as messages quote it, which may be of any length."""
    return repr(cell if len(cell) <= _SHOWN else f"{cell[:_SHOWN]}…")


def _check_number(path: Path, line: int, name: str, cell: str) -> None:
    if not _WHOLE.fullmatch(cell):
        refuse(path, f"{name} {shown(cell)}: no whole number, as fio writes it", line)
    if len(cell.lstrip("0")) > len(str(2**_BITS)) or int(cell) >= 2**_BITS:
        refuse(path, f"{name} {shown(cell)}: must be at most 2^{_BITS} - 1, as fio counts", line)


def _check_alone(path: Path) -> None:
    """Refuse the log of one of several jobs: each has a part of the drive."""
    named = re.fullmatch(r"(.+_(?:bw|lat|clat)\.)\d+(\.log)", path.name)
    if named is None or not path.exists():
        return
    of_job = re.compile(f"{re.escape(named[1])}\\d+{re.escape(named[2])}")
    for other in sorted(path.parent.iterdir()):
        if other.name != path.name and of_job.fullmatch(other.name):
            refuse(path, f"{other.name} beside it is another job of the same run; a log is of one")
