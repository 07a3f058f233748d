"""The fio job that makes a log, and a device held against its log under that job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from slcache import api
from slcache.bandwidth.curves import Phases, Values, find_phases
from slcache.drives import fills
from slcache.drives.fills import Curve
from slcache.fit import log
from slcache.units import significant

#: One writer, a MiB at a time.
WRITE_MIB, DEPTH = 1, 1


def text(device: str) -> str:
    """Return fio's job for a device."""
    job = (resources.files("slcache.fit") / "fill.fio").read_text("utf-8")
    return job.format(device=device, size=WRITE_MIB, depth=DEPTH)


def filled(device: Mapping[str, Any], progress: api.Progress | None = None) -> fills.Curve:
    """Return the fill of a device by that job, simulated; raises ConfigError or RunError."""
    run = fills.writes_of("fit", device, WRITE_MIB << 20, DEPTH)
    (found,) = fills.done([run], 1, progress)
    (curve,) = fills.filled(found.documents[0], 1).passes
    return curve


#: A device may differ from its log by this share, everywhere.
TOLERANCE = 0.15
#: Stretches in which the two curves are compared, at most, and points of the log in each, at least.
_STRETCHES, _POINTS = 25, 4
#: Points of a device's curve that is drawn.
_DRAWN = 500


@dataclass(frozen=True)
class Row:
    """A phase, or all of them: to how many GB and how fast, in the log and of the device."""

    name: str
    to_gb: tuple[float, float | None]
    mb_per_s: tuple[float, float]

    def off(self) -> Iterator[str]:
        """Yield what of it is out of the tolerance."""
        for (logged, ours), unit in ((self.to_gb, "to {} GB"), (self.mb_per_s, "{} MB/s")):
            if ours is not None and not within(logged, ours):
                ends = (unit.format(significant(value, 4)) for value in (logged, ours))
                yield f"{self.name}: {' in the log, '.join(ends)} of the device"


@dataclass(frozen=True)
class Judged:
    """A fitted device beside its log."""

    rows: tuple[Row, ...]
    #: Where the curves are furthest apart, if that is out of the tolerance.
    apart: str | None
    curve: Curve

    @property
    def off(self) -> list[str]:
        """Everything that is out of the tolerance, in sentences; none of a device that fits."""
        found = [told for row in self.rows for told in row.off()]
        return found if self.apart is None else [*found, self.apart]

    def drawn(self) -> tuple[Values, Values]:
        """Return GB written by the end of each point, and MB/s in it, for a picture."""
        ends, speeds = self.curve.points(float(self.curve.gb[-1]) / _DRAWN)
        return ends, speeds * 1e3


def within(logged: float, ours: float) -> bool:
    """Return whether a device is near enough to its log."""
    return abs(ours / logged - 1) <= TOLERANCE


def judged(read: log.Fill, shown: Phases, curve: Curve) -> Judged:
    """Hold the curve of a device against the log that it was fitted to."""
    whole = float(read.written[-1]) / 1e9, float(curve.gb[-1])
    average = read.mb_per_s, curve.average_gb_s * 1e3
    rows = (*_phases(read, shown, curve), Row("all", whole, average))
    return Judged(rows, _apart(read, shown, curve), curve)


def _phases(read: log.Fill, shown: Phases, curve: Curve) -> Iterator[Row]:
    """Yield the log's phases beside those of the device, which are found in the same points.

    Where the device has fewer, its speeds are those within the log's phases.
    """
    gb, _ = read.curve()
    ours = find_phases(gb, _speeds(gb, curve), len(shown.phases)).phases
    alike = len(ours) == len(shown.phases)
    for i, phase in enumerate(shown.phases):
        end, speed = None, curve.between(phase.from_gb, phase.to_gb) * 1e3
        if alike:
            end, speed = ours[i].to_gb, ours[i].mean_mb_per_s
        yield Row(f"phase {i + 1}", (phase.to_gb, end), (phase.mean_mb_per_s, speed))


def _speeds(gb: Values, curve: Curve) -> Values:
    """Return MB/s of a device between amounts of its log, whose size may be a little another."""
    edges = np.concatenate([[0.0], gb]) * min(1.0, float(curve.gb[-1] / gb[-1]))
    speeds: Values = np.diff(edges) / np.diff(np.interp(edges, curve.gb, curve.seconds)) * 1e3
    return speeds


def _apart(read: log.Fill, shown: Phases, curve: Curve) -> str | None:
    """Return where a device is out of what the log shows in a stretch and those beside it.

    Stalls of the log are no speeds of it.
    """
    gb, speeds = read.curve()
    stalled = np.zeros(len(gb), dtype=bool)
    for stall in shown.stalls:
        stalled |= (gb > stall.from_gb) & (gb <= stall.to_gb)
    places = np.array_split(np.arange(len(gb)), min(_STRETCHES, max(1, len(gb) // _POINTS)))
    steady = [speeds[part][~stalled[part]] for part in places]
    levels = np.array([np.median(part) if len(part) else np.nan for part in steady])
    edges = np.array([0.0, *(gb[part[-1]] for part in places)])
    ours = _speeds(edges[1:], curve)
    beside = np.lib.stride_tricks.sliding_window_view(np.pad(levels, 1, "edge"), 3)
    low, high = np.nanmin(beside, axis=1), np.nanmax(beside, axis=1)
    beyond = np.maximum(low / ours, ours / high)
    worst = int(np.nanargmax(beyond))
    nearest = low[worst] if ours[worst] < low[worst] else high[worst]
    if within(nearest, ours[worst]):
        return None
    begin, end, logged, own = (
        significant(value, 4) for value in (edges[worst], edges[worst + 1], nearest, ours[worst])
    )
    return f"from {begin} to {end} GB: {logged} MB/s in the log, {own} MB/s of the device"
