"""`fit`: a device file for the scheme `client`, from the log of a drive that was filled."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from slcache import api
from slcache.bandwidth.curves import BURSTS, MOST, Phases, Values, find_phases
from slcache.errors import TraceError, about
from slcache.fit import device, file, judged, log
from slcache.fit.judged import Judged
from slcache.fit.measured import Measured, Told

if TYPE_CHECKING:
    from slcache.fit.simulated import Row

RESAMPLES = 200
#: Resamples that may show other phases than the log, as a share.
_OTHER = 0.1
#: Neighbours nearer than this share are one phase that drifts.
_APART = 0.1


@dataclass(frozen=True)
class Fitted:
    """What a log tells of a drive whose cells have so many bits."""

    bits: int
    found: device.Found
    #: By key; intervals hold 95 % of the resamples.
    values: dict[str, Told]
    #: The device file, and whether it has more blocks than was fitted, for the user's data.
    text: str
    raised: bool
    given: device.Given


def judge(
    of: Fitted, read: log.Fill, shown: Phases, progress: api.Progress | None = None
) -> Judged:
    """Simulate the job of a log on a device fitted to it; raises ConfigError or RunError."""
    return judged.judged(read, shown, judged.filled(tomllib.loads(of.text), progress))


def near(of: Fitted, tests: Sequence[Measured]) -> list[tuple[Measured, list[Row]]]:
    """Simulate each test on a device fitted to it; raises ConfigError or RunError."""
    if not tests:
        return []
    from slcache.fit import simulated

    content = simulated.device_of(of.text)
    return [(test, simulated.rows(test, content)) for test in tests]


def fill(path: Path, user_bytes: int | None) -> tuple[log.Fill, Phases, list[Phases]]:
    """Return a log's fill, its phases, and those of its resamples; raises TraceError."""
    read = log.read(path, user_bytes)
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
    read: log.Fill,
    shown: Phases,
    again: list[Phases],
    bits: int,
    user_bytes: int | None,
    link: str | None = None,
    tests: Sequence[Measured] = (),
) -> Fitted:
    """Return what the phases tell with so many bits, and tests of latency beside.

    Raises TraceError where they tell nothing.
    """
    total = float(read.written[-1]) if user_bytes is None else float(user_bytes)
    with _of(read.path):
        kind = device.reading(shown, bits, total)
        found = device.found(shown, bits, total, kind)
        others = [device.found(each, bits, total, kind) for each in again]
        whole = int(total) // device.PAGE_BYTES * device.PAGE_BYTES
        given = device.Given(whole, user_bytes is not None, link)

        def made(given: device.Given) -> Fitted:
            return _made(read, found, others, bits, given)

        if not tests:
            return made(given)
        # It simulates what fills alone do without.
        from slcache.fit import times

        return made(times.told(tests, given, lambda given: made(given).text, found, others))


def _made(
    read: log.Fill, found: device.Found, others: list[device.Found], bits: int, given: device.Given
) -> Fitted:
    """Return the device of what is known by now; ValueError where no device is like that."""
    at = device.shape(found, given.planes)
    crossing_ns = device.crossing_ns(given, at, found.slc)
    again = [device.keys(each, at, bits, crossing_ns) for each in others]
    values = {}
    for key, (value, problem) in device.keys(found, at, bits, crossing_ns).items():
        low, high = np.percentile([each[key][0] for each in again], (2.5, 97.5))
        values[key] = (
            Told((value,), ((float(low), float(high)),), read.source.name)
            if problem is None
            else Told((value,), (), "", problem)
        )
    text = file.text(found, values, at, bits, given, read.source)
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
