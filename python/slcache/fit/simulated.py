"""Single requests and queues simulated on a fitted device, beside what was measured."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache.drives import fills, latency, trials
from slcache.drives.published import REPRODUCED, Trial
from slcache.fit.device import Given
from slcache.fit.measured import Measured, Role, Told

#: Requests after which the median of a test with one outstanding is known.
_FEW = 2000


@dataclass(frozen=True)
class Row:
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


def rows(test: Measured, device: Mapping[str, Any], requests: int | None = None) -> list[Row]:
    """Return the figures of a test, or of its beginning, on a device."""
    trial, documents = _run(test, device, requests)
    shown = latency.figures(trial, documents)
    return [Row(side, name, value, ours) for side, name, value, ours in shown if ours is not None]


def median_ns(test: Measured, device: Mapping[str, Any]) -> float:
    """Return the median of what parameters are fitted to, on a device."""
    *_, side = test.figures
    host = _run(test, device, _FEW)[1][-1]["host"]
    sides = ("write", "flush") if side == "sync" else (side,)
    return float(sum(host[each]["latency_us"]["p50"] for each in sides)) * 1e3


def _run(
    test: Measured, device: Mapping[str, Any], requests: int | None
) -> tuple[Trial, list[Mapping[str, Any]]]:
    trial = test.trial(device.get("host", {}).get("turnaround_ns", 0) / 1e3, requests)
    found = fills.done(trials.plan(trial, device).runs, 1, None)
    return trial, [each.documents[0] for each in found]


#: p99 over p50 that is a tail, and the share by which a device has to be too fast.
_TAIL, _FASTER = 1.5, 1.05
#: Requests of a test that stripes are tried with.
_TRIED = 100_000
#: Stripes that write all planes together, one or so many at a time.
_IN_FLIGHT = (1, 2, 4, 8)
_RUN_NS_MAX = 1_000_000

Make = Callable[[Given], str]
Planes = Callable[[str], Mapping[str, Told]]


@dataclass(frozen=True)
class _Tried:
    """Given with stripes, and how far the device is off with them."""

    given: Given
    off: float


def told(
    tests: Sequence[Measured], given: Given, make: Make, slc: float, planes: Planes | None
) -> Given:
    """Return what is given and what deep tests tell beside; `slc` is the first speed of the fill.

    The least deep test of writes that is no rate tells the stripes; the others judge. `planes`
    tells the planes of a device with stripes, where that is known.
    """
    writes = sorted((t for t in tests if t.role == Role.writes), key=lambda test: test.depth)
    reads = [test for test in tests if test.role == Role.reads]
    for test in (*writes, *reads):
        found = rows(test, device_of(make(given)), _TRIED)
        if not _is_too_fast(found):
            continue
        if not _has_tail(test):
            return given.also(_limit(test, tests))
        if test in writes:
            return _stripes(test, given, make, slc, planes)
    return given


def _is_too_fast(found: Sequence[Row]) -> bool:
    """Return whether a device has more requests a second than were measured."""
    return any(row.figure == "iops" and row.ours > _FASTER * row.measured for row in found)


def _has_tail(test: Measured) -> bool:
    (side,) = test.figures.values()
    return side.get("p99", math.inf) > _TAIL * side.get("p50", 0.0)


def _limit(test: Measured, tests: Sequence[Measured]) -> dict[str, Told]:
    """Return the limit of commands that a test without a tail tells, unless another has more."""
    (rate,) = (side["iops"] for side in test.figures.values())
    most = max(side.get("iops", 0.0) for other in tests for side in other.figures.values())
    if most > _FASTER * rate:
        return {}
    return {"controller.commands_per_s": Told((rate,), (), test.log)}


def _stripes(test: Measured, given: Given, make: Make, slc: float, planes: Planes | None) -> Given:
    """Return the device with stripes that comes nearest to a test with a tail."""
    tried = [
        each
        for count in _IN_FLIGHT
        for each in _tried(test, _in_flight(count, test, given, make, planes), make, slc)
    ]
    return min(tried, key=lambda each: each.off).given if tried else given


def _in_flight(
    count: int, test: Measured, given: Given, make: Make, planes: Planes | None
) -> Given | None:
    """Return a device whose planes write so many stripes at a time, or None where none is so."""

    def striped(given: Given) -> Given:
        width = all_planes(device_of(make(given))) // count
        values = zip(_KEYS, (width, count, 0), strict=True)
        return given.also({key: Told((value,), (), test.log) for key, value in values})

    try:
        found = striped(given)
        if planes is not None:
            # Planes that write a stripe wait for one another on the channel.
            found = striped(given.also(planes(make(found))))
        whole = all_planes(device_of(make(found)))
    except ValueError:
        return None
    return None if whole % count else found


def _tried(test: Measured, striped: Given | None, make: Make, slc: float) -> Iterator[_Tried]:
    """Yield a device with the time of a unit by the writes a second, and by what that is off."""
    (figures,) = test.figures.values()
    wanted = iops = figures["iops"]
    for _ in range(2):
        if striped is None:
            return
        run_ns = round(trials.run_overhead_ns(wanted, slc, int(striped.told[_KEYS[1]].values[0])))
        if not 0 <= run_ns <= _RUN_NS_MAX:
            return
        given = striped.also({_KEYS[2]: Told((run_ns,), (), test.log)})
        found = rows(test, device_of(make(given)), _TRIED)
        # A tail of a thousandth is the drive's own.
        off = sum(abs(math.log(r.ours / r.measured)) for r in found if r.figure != "p99_9")
        ours = next(row.ours for row in found if row.figure == "iops")
        wanted = iops * iops / ours
        yield _Tried(given, off)


_KEYS = ("buffer.stripe_planes", "buffer.stripes_in_flight", "buffer.run_overhead_ns")
