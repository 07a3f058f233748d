"""Logs of a fill: fio's bandwidth log, and CSV. What is no whole fill is refused, never mended.

Lines of fio (its HOWTO, "Log File Formats"): time (ms), KiB/s, direction, block size, then the
offset if asked for and, since 3.18, the priority; since 3.38 an issue time may follow. There is no
header. With `log_avg_msec` block size and offset are 0; without it, each line is one request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from slcache import units
from slcache.bandwidth.curves import LEAST, Values
from slcache.fit import lines
from slcache.fit.lines import EPOCH_MS, Rows, Source, refuse
from slcache.names import few

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
class Fill:
    """How many bytes were written by the end of each entry, and by when."""

    source: Source
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


def read(path: Path, user_bytes: int | None = None) -> Fill:
    """Return the fill that a log shows; TraceError where it is none, or not of the stated size."""
    source, rows = lines.read(path)
    heading = [cell.lower() for cell in rows[0][1]]
    is_csv = heading == _COLUMNS
    if not is_csv and set(heading) & set(_COLUMNS):
        told = f"columns {few(heading)}: must be gb and mb_s, in this order, each once"
        refuse(path, told, rows[0][0])
    written, seconds = _csv(path, rows[1:]) if is_csv else _fio(path, rows, user_bytes)
    fill = Fill(source, written, seconds)
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
            told = f"{lines.shown(','.join(cells))}: expected two numbers, gb and mb_s"
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

    found = lines.table(path, rows, "KiB/s", check)
    if found.sizes[0]:
        return _requests(path, rows, found)
    return _averages(path, rows, found.times, found.values, user_bytes is not None)


def _requests(path: Path, rows: Rows, found: lines.Table) -> tuple[Values, Values]:
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
