"""Tests of latency simulated on a fitted device, and what they tell of it."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slcache import catalogue
from slcache.bandwidth.curves import Values
from slcache.drives import fills, latency
from slcache.drives.published import REPRODUCED, Trial
from slcache.fit.device import MODES, PAGE_BYTES, TRANSFER_NS, CacheFigures, Given
from slcache.fit.latency import PROGRAM_NS, LatencyTest, Role
from slcache.fit.logs import Told, refuse

#: Requests after which the median of a test with one outstanding is known.
_FEW = 2000


@dataclass(frozen=True)
class TestRow:
    """A figure of a test beside that of the device."""

    side: str
    figure: str
    measured: float
    ours: float

    @property
    def holds(self) -> bool:
        """Whether it is as near as published figures have to be."""
        return latency.verdict_of(self.figure, self.ours / self.measured) == REPRODUCED


def device_of(text: str) -> dict[str, Any]:
    """Return what a device file holds, to be changed: without grounds of what it held."""
    device = tomllib.loads(text)
    device.pop("evidence", None)
    return device


def all_planes(device: Mapping[str, Any]) -> int:
    """Return the planes of all channels."""
    pool = device["device"]["pool"][0]
    return int(pool["channels"] * pool["chips"] * pool["planes"])


def rows_of(
    test: LatencyTest, device: Mapping[str, Any], requests: int | None = None
) -> list[TestRow]:
    """Return the figures of a test, or of its beginning, on a device."""
    trial, documents = _run(test, device, requests)
    shown = latency.figures(trial, documents)
    return [
        TestRow(side, name, value, ours) for side, name, value, ours in shown if ours is not None
    ]


def median_ns(test: LatencyTest, device: Mapping[str, Any]) -> float:
    """Return the median of what parameters are fitted to, on a device."""
    *_, side = test.figures
    host = _run(test, device, _FEW)[1][-1]["host"]
    sides = ("write", "flush") if side == "sync" else (side,)
    return float(sum(host[each]["latency_us"]["p50"] for each in sides)) * 1e3


def _run(
    test: LatencyTest, device: Mapping[str, Any], requests: int | None
) -> tuple[Trial, list[Mapping[str, Any]]]:
    trial = test.trial(device.get("host", {}).get("turnaround_ns", 0) / 1e3, requests)
    found = fills.done(latency.plan(trial, device).runs, 1, None)
    return trial, [each.documents[0] for each in found]


#: p99 over p50 that is a tail, and the share by which a device has to be too fast.
_TAIL, _FASTER = 1.5, 1.05
#: Requests of a test that stripes are tried with.
_TRIED = 100_000
#: Stripes that write all planes together, one or so many at a time.
_IN_FLIGHT = (1, 2, 4, 8)
_RUN_NS_MAX = 1_000_000

Device = dict[str, Any]
#: What makes a device of what is given.
Make = Callable[[Given], Device]
Planes = Callable[[Device], Mapping[str, Told]]


def told_by_queues(
    tests: Sequence[LatencyTest], given: Given, make: Make, slc: float, planes: Planes | None
) -> Given:
    """Return what is given and what deep tests tell beside; `slc` is the first speed of the fill.

    The least deep test of writes that is no rate tells the stripes; the others judge. `planes`
    tells the planes of a device with stripes, where that is known.
    """
    writes = sorted((t for t in tests if t.role == Role.writes), key=lambda test: test.depth)
    reads = [test for test in tests if test.role == Role.reads]
    for test in (*writes, *reads):
        found = rows_of(test, make(given), _TRIED)
        # Only a device with more requests a second than were measured lacks something.
        if not any(r.figure == "iops" and r.ours > _FASTER * r.measured for r in found):
            continue
        (side,) = test.figures.values()
        if side.get("p99", math.inf) <= _TAIL * side.get("p50", 0.0):
            return given.also(_limit(test, tests))
        if test in writes:
            return _stripes(test, given, make, slc, planes)
    return given


def _limit(test: LatencyTest, tests: Sequence[LatencyTest]) -> dict[str, Told]:
    """Return the limit of commands that a test without a tail tells, unless another has more."""
    (rate,) = (side["iops"] for side in test.figures.values())
    most = max(side.get("iops", 0.0) for other in tests for side in other.figures.values())
    if most > _FASTER * rate:
        return {}
    return {"controller.commands_per_s": Told((rate,), (), test.log)}


def _stripes(
    test: LatencyTest, given: Given, make: Make, slc: float, planes: Planes | None
) -> Given:
    """Return the device with stripes that comes nearest to a test with a tail."""
    tried = [
        each
        for count in _IN_FLIGHT
        for each in _tried(test, _in_flight(count, test, given, make, planes), make, slc)
    ]
    return min(tried, key=lambda each: each[1])[0] if tried else given


def _in_flight(
    count: int, test: LatencyTest, given: Given, make: Make, planes: Planes | None
) -> Given | None:
    """Return a device whose planes write so many stripes at a time, or None where none is so."""

    def striped(given: Given) -> Given:
        width = all_planes(make(given)) // count
        values = zip(_KEYS, (width, count, 0), strict=True)
        return given.also({key: Told((value,), (), test.log) for key, value in values})

    try:
        found = striped(given)
        if planes is not None:
            # Planes that write a stripe wait for one another on the channel.
            found = striped(given.also(planes(make(found))))
        whole = all_planes(make(found))
    except ValueError:
        return None
    return None if whole % count else found


def _tried(
    test: LatencyTest, striped: Given | None, make: Make, slc: float
) -> Iterator[tuple[Given, float]]:
    """Yield a device with the time of a unit by the writes a second, and how far that is off."""
    (figures,) = test.figures.values()
    wanted = iops = figures["iops"]
    for _ in range(2):
        if striped is None:
            return
        run_ns = round(latency.run_overhead_ns(wanted, slc, int(striped.told[_KEYS[1]].values[0])))
        if not 0 <= run_ns <= _RUN_NS_MAX:
            return
        given = striped.also({_KEYS[2]: Told((run_ns,), (), test.log)})
        found = rows_of(test, make(given), _TRIED)
        # A tail of a thousandth is the drive's own.
        off = sum(abs(math.log(r.ours / r.measured)) for r in found if r.figure != "p99_9")
        ours = next(row.ours for row in found if row.figure == "iops")
        wanted = iops * iops / ours
        yield given, off


_KEYS = ("buffer.stripe_planes", "buffer.stripes_in_flight", "buffer.run_overhead_ns")


#: A read of a page takes this at least, ns.
_READ_NS = 1_000
#: Kinds of pages are apart by so many spreads of one; one kind is within this share of its median.
_APART, _ALIKE = 3.0, 0.1
#: Planes and medians are known within this share, at best.
_NEAR = 0.05
#: A cache nearer to its link than this tells nothing of its planes.
_LINK = 0.9
#: No drive of one user has more planes.
_MOST_PLANES = 256
_TOO_MANY = f"a program of it needs more than {_MOST_PLANES} planes: a flush takes time of its own"


def told_by_tests(
    tests: Sequence[LatencyTest],
    given: Given,
    make: Make,
    found: CacheFigures,
    others: Sequence[CacheFigures],
) -> Given:
    """Return what is given and what tests tell beside it, one after the other.

    `others` are the fill's resamples. Raises TraceError for what no flash has.
    """
    turnaround = next((test.turnaround for test in tests if test.turnaround is not None), None)
    if turnaround is not None:
        given = given.also({"host.turnaround_ns": turnaround})
    single = {test.role: test for test in tests if test.depth == 1}
    for role, tell in _TELLS.items():
        if role in single:
            given = given.also(tell(single[role], make(given)))
    planes = None
    if (synced := single.get(Role.synced)) is not None:
        speeds = [each.slc for each in others]

        def planes(device: Device) -> dict[str, Told]:
            return _planes(synced, device, found, speeds)

        given = given.also(planes(make(given)))
    given = told_by_queues(
        [test for test in tests if test.depth > 1], given, make, found.slc, planes
    )
    # With power-loss protection a flush finds all durable.
    wanted = Role.flushed in single and not found.is_protected
    if wanted and "controller.flush_ns" not in given.told:
        given = given.also(_own("controller.flush_ns", single[Role.flushed], make(given)))
    return given


def _own(key: str, test: LatencyTest, device: Device) -> dict[str, Told]:
    """Return the controller's time: what is left of a latency without it."""
    name, controller = key.partition(".")[2], device["device"]["controller"]
    assumed, controller[name] = controller[name], 0
    rest = median_ns(test, device)
    median = float(np.median(test.fitted))
    found = median - rest
    if found < -_NEAR * median:
        told_by_tests = f"{rest / 1e3:.4g} µs go without it, more than was measured; a usual value"
        return {key: Told((assumed,), (), test.log, told_by_tests)}
    again = [max(float(np.median(each)) - rest, 0.0) for each in test.draws]
    low, high = np.percentile(again, (2.5, 97.5))
    return {key: Told((max(found, 0.0),), ((float(low), float(high)),), test.log)}


def _reads(test: LatencyTest, device: Device) -> dict[str, Told]:
    """Return the times of reads of a dense page: one for each kind of page, if they show."""
    path = test.source.path
    if test.block_bytes > PAGE_BYTES or PAGE_BYTES % test.block_bytes:
        refuse(path, f"reads of {test.block_bytes} bytes: must be a part of {PAGE_BYTES}")
    pool = device["device"]["pool"][0]
    bits, mode = next((bits, pool[mode]) for bits, mode in MODES.items() if mode in pool)
    at = mode["read_ns"][0]
    mode["read_ns"] = [at]
    rest = median_ns(test, device) - at
    found, problem = _levels(test.fitted - rest, bits)
    if found[0] < _READ_NS:
        whole = (found[0] + rest) / 1e3
        shown = f"reads take {whole:.4g} µs, and {rest / 1e3:.4g} without the array"
        refuse(path, f"{shown}: not from flash (direct=1, a random span)")
    again = np.array([_middles(each - rest, len(found)) for each in test.draws])
    low, high = np.percentile(again, (2.5, 97.5), axis=0)
    values = tuple(float(each) for each in found)
    ranges = tuple(zip(low.tolist(), high.tolist(), strict=True))
    return {"read_ns": Told(values, ranges, test.log, problem)}


#: What tests with one outstanding tell, by what they are of, in this order.
_TELLS: Mapping[Role, Callable[[LatencyTest, Device], dict[str, Told]]] = {
    Role.erased: lambda test, device: _own("controller.read_ns", test, device),
    Role.reads: _reads,
    Role.writes: lambda test, device: _own("controller.write_ns", test, device),
}


def _planes(
    test: LatencyTest, device: Device, of: CacheFigures, speeds: Sequence[float]
) -> dict[str, Told]:
    """Return how many planes program the cache at its speed, by what one program takes.

    `speeds`, bytes per second, are those of the fill's resamples.
    """
    path, size = test.source.path, test.block_bytes
    if size != PAGE_BYTES:
        refuse(path, f"writes of {size} bytes: must be {PAGE_BYTES}, of which each is a program")
    if test.count * PAGE_BYTES > of.cache:
        told_by_tests = (
            f"{test.count} writes: more pages than the cache of {of.cache / 1e9:.4g} GB holds"
        )
        refuse(path, told_by_tests)
    # A program is seen where a flush waits for it.
    device["device"]["plp"] = False
    ours = median_ns(test, device)
    rest = ours - device["device"]["pool"][0]["slc"]["program_ns"][0]
    found = float(np.median(test.fitted))
    if found - rest < PROGRAM_NS:
        told_by_tests = (
            f"writes take {found / 1e3:.4g} µs, less than a program: they end in a buffer"
        )
        refuse(path, f"{told_by_tests}; log them with sync=1; not identifiable")

    each_ns, all_ns = _crossing(device)

    def needed(speed: Values | float, ns: Values | float) -> Values:
        return np.asarray((ns - rest + all_ns) / (1e9 * PAGE_BYTES / speed - each_ns))

    count = max(1, round(float(needed(of.slc, found))))
    again = [float(np.median(each)) for each in test.draws]
    if count > _MOST_PLANES:
        # As many as are assumed without it, and the rest is the flush's.
        least = Told((all_planes(device),), (), test.log, _TOO_MANY)
        low, high = np.percentile(np.array(again) - ours, (2.5, 97.5))
        flush = Told((found - ours,), ((float(low), float(high)),), test.log)
        return {"planes": least, **({} if of.is_protected else {"controller.flush_ns": flush})}
    drawn = np.random.default_rng(1).choice(speeds, len(again)), np.array(again)
    low, high = (float(end) for end in np.percentile(needed(*drawn), (2.5, 97.5)))
    is_bound = of.slc > _LINK * _link_bytes_s(device)
    problem = "the least: the link is no faster than the cache" if is_bound else None
    even = _even(count, low, high)
    ends = min(low, even), max(high, even)
    return {"planes": Told((even,), (ends,), test.log, problem)}


def _crossing(device: Mapping[str, Any]) -> tuple[float, float]:
    """Return what a plane waits for the channel, for each plane that there is and in all."""
    if "stripes_in_flight" not in device["buffer"]:
        return 0.0, TRANSFER_NS
    channels = device["device"]["pool"][0]["channels"]
    return TRANSFER_NS / (channels * device["buffer"]["stripes_in_flight"]), 0.0


def _even(count: int, low: float, high: float) -> int:
    """Return the count with most factors of two near one that was found: chips come in such."""
    near = max(high - count, count - low, _NEAR * count)
    every = range(max(1, math.ceil(count - near)), math.floor(count + near) + 1)
    return max(every, key=lambda each: (each & -each, -abs(each - count)))


def _levels(values: Values, bits: int) -> tuple[Values, str | None]:
    """Return the middles of the kinds of pages: as many as a cell has bits, or one."""
    if len(values) == 1:
        told_by_tests = "one figure tells no kinds of pages; slower ones are assumed as usual"
        return _middles(values, bits), told_by_tests
    parts = np.array_split(np.sort(values), bits)
    spread = max(float(np.subtract(*np.percentile(part, (75, 25)))) for part in parts)
    kinds = _middles(values, bits)
    # Two kinds may take the same time.
    gap = max(float(np.diff(kinds).min()), float(kinds[-1] - kinds[0]) / 2)
    if gap > _APART * spread:
        return kinds, None
    middle = _middles(values, 1)
    if float(np.mean(np.abs(values / middle - 1) <= _ALIKE)) >= 0.5:
        return middle, None
    return middle, f"several times that are no {bits} kinds of pages; their median"


def _middles(values: Values, parts: int) -> Values:
    if len(values) == 1:
        return np.array(latency.page_reads(float(values[0]), parts))
    return np.array([np.median(part) for part in np.array_split(np.sort(values), parts)])


def _link_bytes_s(device: Mapping[str, object]) -> float:
    """Return what a device's host link carries; without one there is no limit."""
    link = catalogue.resolve(device=dict(device), scheme=fills.SCHEME)["host"].get("link")
    if link is None:
        return float("inf")
    share = link["payload_bytes"] / (link["payload_bytes"] + link["header_bytes"])
    return float(link["lanes"] * link["lane_mb_per_s"] * 1e6 * share)
