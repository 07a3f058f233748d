"""`fit`: a device file for the scheme `client`, from the log of a drive that was filled."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from slcache.bandwidth.curves import BURSTS, MOST, Phases, Values, find_phases
from slcache.drives import fills
from slcache.drives.fills import FillCurve
from slcache.errors import TraceError, about
from slcache.fit import device, fio_json, logs
from slcache.fit.latency import LatencyTest, is_table, read_log, read_table
from slcache.fit.logs import Told, read_text, refuse, rows_in
from slcache.trace import Progress
from slcache.units import significant

if TYPE_CHECKING:
    from slcache.fit.simulation import TestRow


RESAMPLES = 200
#: Resamples that may show other phases than the log, as a share.
_OTHER = 0.1
#: Neighbours nearer than this share are one phase that drifts.
_APART = 0.1


@dataclass(frozen=True)
class Fitted:
    """What a log tells of a drive whose cells have so many bits."""

    bits: int
    found: device.CacheFigures
    #: By key; intervals hold 95 % of the resamples.
    values: dict[str, Told]
    #: The device file, and whether it has more blocks than was fitted, for the user's data.
    text: str
    raised: bool
    given: device.Given


def judge(
    of: Fitted, read: logs.LoggedFill, shown: Phases, progress: Progress | None = None
) -> FitCheck:
    """Hold a device against the log that it was fitted to, by the log's job on it.

    Raises ConfigError or RunError.
    """
    curve = simulated_fill(tomllib.loads(of.text), progress)
    whole = float(read.written[-1]) / 1e9, float(curve.gb[-1])
    average = read.mb_per_s, curve.average_gb_s * 1e3
    rows = (*_phases(read, shown, curve), PhaseRow("all", whole, average))
    return FitCheck(rows, _furthest(read, shown, curve), curve)


def near(of: Fitted, tests: Sequence[LatencyTest]) -> list[tuple[LatencyTest, list[TestRow]]]:
    """Simulate each test on a device fitted to it; raises ConfigError or RunError."""
    if not tests:
        return []
    from slcache.fit import simulation

    content = simulation.device_of(of.text)
    return [(test, simulation.rows_of(test, content)) for test in tests]


def fill(path: Path, user_bytes: int | None) -> tuple[logs.LoggedFill, Phases, list[Phases]]:
    """Return a log's fill, its phases, and those of its resamples; raises TraceError."""
    read = logs.read_fill(path, user_bytes)
    gb, speeds = read.curve()
    with _of(path):
        shown = _apart(gb, speeds)
        device.check(shown)
    again = _resampled(gb, speeds, shown)
    other = RESAMPLES - len(again)
    if other > _OTHER * RESAMPLES:
        told = f"too noisy: {other} of {RESAMPLES} resamples of it show other phases"
        raise about(TraceError(f"{path}: {told}; not identifiable"), file=str(path))
    return read, shown, again


def fitted(
    read: logs.LoggedFill,
    shown: Phases,
    again: list[Phases],
    bits: int,
    user_bytes: int | None,
    link: str | None = None,
    tests: Sequence[LatencyTest] = (),
) -> Fitted:
    """Return what the phases tell with so many bits, and tests of latency beside.

    Raises TraceError where they tell nothing.
    """
    total = float(read.written[-1]) if user_bytes is None else float(user_bytes)
    with _of(read.path):
        kind = device.kind_of(shown, bits, total)
        found = device.found(shown, bits, total, kind)
        others = [device.found(each, bits, total, kind) for each in again]
        whole = int(total) // device.PAGE_BYTES * device.PAGE_BYTES
        given = device.Given(whole, user_bytes is not None, link)

        def made(given: device.Given) -> Fitted:
            return _made(read, found, others, bits, given)

        if not tests:
            return made(given)
        # It simulates what fills alone do without.
        from slcache.fit.simulation import device_of, told_by_tests

        def built(given: device.Given) -> dict[str, Any]:
            return device_of(made(given).text)

        return made(told_by_tests(tests, given, built, found, others))


def _made(
    read: logs.LoggedFill,
    found: device.CacheFigures,
    others: list[device.CacheFigures],
    bits: int,
    given: device.Given,
) -> Fitted:
    """Return the device of what is known by now; ValueError where no device is like that."""
    at = device.shape(found, given.planes)
    crossing_ns = device.crossing_ns(given, at, found.slc)
    again = [device.keys(each, at, bits, crossing_ns) for each in others]
    values = {}
    planes = given.told.get("planes")
    apart = None
    if planes is None or planes.problem is not None:
        apart = f"apart from planes, of which {at.planes} are taken"
    for key, (value, why) in device.keys(found, at, bits, crossing_ns).items():
        problem = why or (apart if key.endswith("program_ns") else None)
        low, high = np.percentile([each[key][0] for each in again], (2.5, 97.5))
        values[key] = (
            Told((value,), ((float(low), float(high)),), read.source.name)
            if problem is None
            else Told((value,), (), "", problem)
        )
    text = device.device_text(found, values, at, bits, given, read.source)
    _, raised = device.blocks(found.usable, given.user_bytes, at, bits)
    return Fitted(bits, found, values, text, raised and found.fold is not None, given)


@contextlib.contextmanager
def _of(path: Path) -> Iterator[None]:
    """Turn what phases cannot tell into an error about their log."""
    try:
        yield
    except ValueError as error:
        raise about(TraceError(f"{path}: {error}"), file=str(path)) from error


def _apart(gb: Values, speeds: Values) -> Phases:
    """Return phases whose speeds differ from one to the next: or those of a returning cache."""
    many = _of_most(gb, speeds, BURSTS)
    return many if device.is_emptied(many) else _of_most(gb, speeds, MOST)


def _of_most(gb: Values, speeds: Values, limit: int) -> Phases:
    for most in range(limit, 0, -1):
        found = find_phases(gb, speeds, most)
        near = (abs(b.mb_per_s / a.mb_per_s - 1) <= _APART for a, b in pairwise(found.phases))
        if not any(near):
            break
    return found


def _resampled(gb: Values, speeds: Values, shown: Phases) -> list[Phases]:
    """Return the phases of curves with the log's residuals in another order, in blocks.

    Left out are those with another number of phases.
    """
    edges = np.concatenate([[0.0], gb])
    ends = np.array([0.0, *(phase.to_gb for phase in shown.phases)])
    taken = np.diff(ends) / [phase.mean_mb_per_s for phase in shown.phases]
    level = np.log(np.diff(edges) / np.diff(np.interp(edges, ends, np.cumsum([0.0, *taken]))))
    rest = np.log(speeds) - level
    # Blocks of the cube root of the points keep what hangs together.
    size = max(1, round(len(rest) ** (1 / 3)))
    random = np.random.default_rng(0)
    found = []
    for _ in range(RESAMPLES):
        begins = random.integers(len(rest), size=-(-len(rest) // size))
        drawn = (begins[:, None] + np.arange(size)).ravel()[: len(rest)] % len(rest)
        each = find_phases(gb, np.exp(level + rest[drawn]), len(shown.phases))
        if device.count(each) == device.count(shown):
            found.append(each)
    return found


def read_file(path: Path) -> list[LatencyTest]:
    """Return the tests that a file holds; raises TraceError."""
    source, text = read_text(path)
    if fio_json.is_one(text):
        return fio_json.read(source, text)
    rows = rows_in(path, text)
    if is_table(rows):
        return read_table(source, rows)
    return [read_log(source, rows)]


def tests_of(paths: Sequence[Path]) -> list[LatencyTest]:
    """Return the tests of several files; TraceError where two are of the same."""
    found: dict[str, LatencyTest] = {}
    for each in (test for path in paths for test in read_file(path)):
        if each.title in found:
            other = found[each.title].source.path
            refuse(each.source.path, f"{each.title}, as in {other}: give one of them")
        found[each.title] = each
    return list(found.values())


#: One writer, a MiB at a time.
WRITE_MIB, DEPTH = 1, 1


def job_text(device: str) -> str:
    """Return fio's job for a device."""
    job = (resources.files("slcache.fit") / "fill.fio").read_text("utf-8")
    return job.format(device=device, size=WRITE_MIB, depth=DEPTH)


def simulated_fill(device: Mapping[str, Any], progress: Progress | None = None) -> fills.FillCurve:
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
class PhaseRow:
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
class FitCheck:
    """A fitted device beside its log."""

    rows: tuple[PhaseRow, ...]
    #: Where the curves are furthest apart, if that is out of the tolerance.
    apart: str | None
    curve: FillCurve

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


def _phases(read: logs.LoggedFill, shown: Phases, curve: FillCurve) -> Iterator[PhaseRow]:
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
        yield PhaseRow(f"phase {i + 1}", (phase.to_gb, end), (phase.mean_mb_per_s, speed))


def _speeds(gb: Values, curve: FillCurve) -> Values:
    """Return MB/s of a device between amounts of its log, whose size may be a little another."""
    edges = np.concatenate([[0.0], gb]) * min(1.0, float(curve.gb[-1] / gb[-1]))
    speeds: Values = np.diff(edges) / np.diff(np.interp(edges, curve.gb, curve.seconds)) * 1e3
    return speeds


def _furthest(read: logs.LoggedFill, shown: Phases, curve: FillCurve) -> str | None:
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
