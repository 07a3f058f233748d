"""Logs of a fill: fio's bandwidth log, and CSV. What is no whole fill is refused, never mended.

Lines of fio (its HOWTO, "Log File Formats"): time (ms), KiB/s, direction, block size, then the
offset if asked for and, since 3.18, the priority; since 3.38 an issue time may follow. There is no
header. With `log_avg_msec` block size and offset are 0; without it, each line is one request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from slcache.bandwidth.phases import LEAST, Values
from slcache.errors import TraceError, about
from slcache.words import units

#: Data written may differ from the stated size by this share.
TOLERANCE = 0.02
#: Points of a curve, at most; each holds as much as nearly every entry of the log.
_POINTS, _NEARLY = 1000, 99
#: Intervals between two entries from which on it is asked what was between them.
_GAP = 2.5
#: Requests of a deep queue may be logged out of order, within so many bytes.
_REORDERED = 64 << 20
_KINDS = {"0": "a read", "2": "a trim"}
#: Times from here on count from 1970, as with fio's log_unix_epoch.
_EPOCH_MS = 10**11
_WHOLE, _PRIORITY = re.compile(r"\d+"), re.compile(r"[01]|0x[0-9a-f]{4}")


@dataclass(frozen=True)
class Fill:
    """How many bytes were written by the end of each entry, and by when."""

    path: Path
    written: Values
    seconds: Values

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
            _refuse(self.path, f"too coarse: {points} points, a phase takes at least {LEAST}")
        edges = np.linspace(0, total, points + 1)
        begun = np.concatenate([[0.0], self.written]), np.concatenate([[0.0], self.seconds])
        taken = np.diff(np.interp(edges, *begun))
        if (taken <= 0).any():
            _refuse(self.path, "data were written in no time: the log's times are too coarse")
        return edges[1:] / 1e9, np.diff(edges) / taken / 1e6


def read(path: Path, user_bytes: int | None = None) -> Fill:
    """Return the fill that a log shows; TraceError where it is none, or not of the stated size."""
    _check_alone(path)
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "is no text"
        raise about(TraceError(f"{path}: {told}"), file=str(path)) from error
    rows = [(i, [cell.strip() for cell in line.split(",")]) for i, line in enumerate(lines, 1)]
    rows = [(i, cells) for i, cells in rows if cells != [""]]
    if not rows:
        _refuse(path, "is empty")
    heading = [cell.lower() for cell in rows[0][1]]
    fill = _csv(path, rows[1:]) if heading == ["gb", "mb_s"] else _fio(path, rows, user_bytes)
    total = float(fill.written[-1])
    if user_bytes is not None and abs(total / user_bytes - 1) > TOLERANCE:
        told = f"{units.significant(total / 1e9, 4)} GB written, not {user_bytes / 1e9:g} GB"
        _refuse(path, f"{told} (within {TOLERANCE:.0%}): no whole fill, or not of this drive")
    return fill


def _refuse(path: Path, told: str, line: int | None = None) -> NoReturn:
    place = f"{path}:{line}" if line else str(path)
    raise about(TraceError(f"{place}: {told}"), line=line, file=str(path))


def _check_alone(path: Path) -> None:
    """Refuse the log of one of several jobs: each has a part of the bandwidth."""
    named = re.fullmatch(r"(.+_bw\.)\d+(\.log)", path.name)
    if named is None or not path.exists():
        return
    of_job = re.compile(f"{re.escape(named[1])}\\d+{re.escape(named[2])}")
    for other in sorted(path.parent.iterdir()):
        if other.name != path.name and of_job.fullmatch(other.name):
            _refuse(path, f"{other.name} beside it is another job of the same run; a fill is one")


def _csv(path: Path, rows: Sequence[tuple[int, list[str]]]) -> Fill:
    """Return a fill given as GB written by the end of each row, and MB/s in it."""
    gb, speeds, last = [], [], 0.0
    for line, cells in rows:
        try:
            written, speed = (float(cell) for cell in cells)
        except ValueError:
            _refuse(path, f"{','.join(cells)!r}: expected two numbers, gb and mb_s", line)
        if not last < written < np.inf:
            _refuse(path, f"gb = {written:g}: must be above the {last:g} before it", line)
        if not 0 < speed < np.inf:
            _refuse(path, f"mb_s = {speed:g}: must be above 0", line)
        gb.append(written)
        speeds.append(speed)
        last = written
    if not gb:
        _refuse(path, "has no row")
    written_bytes = np.array(gb) * 1e9
    taken = np.diff(written_bytes, prepend=0.0) / np.array(speeds) / 1e6
    return Fill(path, written_bytes, np.cumsum(taken))


def _fio(path: Path, rows: Sequence[tuple[int, list[str]]], user_bytes: int | None) -> Fill:
    """Return a fill that fio logged."""
    with_offset = len(rows[0][1]) >= 6 or any(
        len(cells) == 5 and not _PRIORITY.fullmatch(cells[4]) for _, cells in rows
    )
    first = rows[0][1]
    numbers = np.empty((len(rows), 4))
    for i, (line, cells) in enumerate(rows):
        numbers[i] = _numbers(path, line, cells, len(first), with_offset)
        if i and numbers[i, 0] < numbers[i - 1, 0]:
            _refuse(path, f"time {cells[0]} ms is before the {rows[i - 1][1][0]} ms above it", line)
        if bool(numbers[i, 2]) != bool(numbers[0, 2]):
            _refuse(path, f"block size {cells[3]} beside {first[3]}: averages and requests", line)
    times, rates, sizes, offsets = numbers.T
    if sizes[0]:
        return _requests(path, rows, times, sizes, offsets if with_offset else None)
    return _averages(path, rows, times, rates, user_bytes is not None)


def _numbers(
    path: Path, line: int, cells: list[str], columns: int, with_offset: bool
) -> tuple[float, float, float, float]:
    """Return time, KiB/s, block size and offset of a line that a fill may have."""
    if len(cells) != columns or not 4 <= columns <= 7:
        told = f"{len(cells)} columns" + (f", {columns} in the first line" if line > 1 else "")
        _refuse(path, f"{told}; fio writes 4 to 7, and CSV begins with gb,mb_s", line)
    for name, cell in zip(("time", "KiB/s", "direction", "block size"), cells, strict=False):
        if not _WHOLE.fullmatch(cell):
            _refuse(path, f"{name} {cell!r}: no whole number, as fio writes it", line)
    if cells[2] in _KINDS:
        _refuse(path, f"{_KINDS[cells[2]]} (direction {cells[2]}); a fill only writes", line)
    if cells[2] != "1":
        told = f"direction {cells[2]}: must be 1; fio's log_window_value=both is not read"
        _refuse(path, told, line)
    offset = cells[4] if with_offset else "0"
    if not _WHOLE.fullmatch(offset):
        _refuse(path, f"offset {offset!r}: no whole number, as fio writes it", line)
    return float(cells[0]), float(cells[1]), float(cells[3]), float(offset)


def _requests(
    path: Path,
    rows: Sequence[tuple[int, list[str]]],
    times: Values,
    sizes: Values,
    offsets: Values | None,
) -> Fill:
    """Return the fill of a log with a line per request, whose rates are those of each alone."""
    if offsets is not None:
        back = np.flatnonzero(offsets < np.maximum.accumulate(offsets) - _REORDERED)
        if len(back):
            line, cells = rows[int(back[0])]
            _refuse(path, f"offset {cells[4]} goes back; a fill writes once, in order", line)
    if times[0] > _EPOCH_MS:
        times = times - times[0]
    return Fill(path, np.cumsum(sizes), np.maximum(times, 1) / 1000)


def _averages(
    path: Path, rows: Sequence[tuple[int, list[str]]], times: Values, rates: Values, sized: bool
) -> Fill:
    """Return the fill of a log with a line per interval."""
    interval = float(np.median(np.diff(times))) if len(times) > 1 else float(times[0])
    if interval <= 0:
        _refuse(path, "most entries have the same time: no log of one job with log_avg_msec")
    if times[0] > _EPOCH_MS:
        times = times - times[0] + interval
    taken = np.diff(times, prepend=0.0)
    gaps = np.flatnonzero(taken > _GAP * interval)
    if len(gaps) and not sized:
        at = int(gaps[0])
        told = f"no entry in the {taken[at]:g} ms before it: the drive stood still, or lines are"
        _refuse(path, f"{told} lost; with --user SIZE the data written tell which", rows[at][0])
    # Where nothing is written nothing is logged; a rate is that of its own interval.
    taken[gaps] = interval
    return Fill(path, np.cumsum(rates * 1024 * taken / 1000), times / 1000)
