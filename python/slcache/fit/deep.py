"""What tests with many requests outstanding tell: how the buffer is written back, or a limit.

Where most writes take the controller's time and a few wait long, data leave in stripes; where
all wait alike, commands are taken at a rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from slcache.drives import usual
from slcache.fit.device import Given
from slcache.fit.evidence import Told
from slcache.fit.measured import Measured, Role
from slcache.fit.simulated import Row, all_planes, device_of, rows

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
        run_ns = round(usual.run_overhead_ns(wanted, slc, int(striped.told[_KEYS[1]].values[0])))
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
