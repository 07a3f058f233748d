"""Fills of a drive as laboratories make them, simulated: GB written, and seconds until then."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from slcache import _core, api, catalogue
from slcache.bandwidth.loads import sequential
from slcache.bandwidth.phases import Values
from slcache.documents.pools import slc_row_bytes
from slcache.errors import ConfigError, UsageError, about, one_line
from slcache.execute import given as texts
from slcache.execute import several
from slcache.execute.run import Run
from slcache.given.content import Content, device_of
from slcache.results.result import Result

#: Seconds between two points of a series, at most.
POINT_S = 0.5
#: The pauses of the third protocol, seconds.
PAUSES_S = (1, 10, 30, 60, 300, 1800)
#: What is written before and after a pause, in caches.
BURST_CACHES = 1.2
#: Writes outstanding in those bursts.
BURST_DEPTH = 32
SCHEME = "client"
#: The protocol with one writer and one pass.
FIRST = "techpowerup"
#: SLC blocks of every plane within which folding goes up and down.
ROWS = 4


@dataclass(frozen=True)
class Curve:
    """Data written to a whole drive, and the time until then."""

    gb: Values
    seconds: Values

    def at(self, gb: float) -> float:
        """Return when so much was written."""
        return float(np.interp(gb, self.gb, self.seconds))

    def between(self, begin_gb: float, end_gb: float) -> float:
        """Return GB per second between two amounts."""
        return (end_gb - begin_gb) / (self.at(end_gb) - self.at(begin_gb))

    @property
    def average_gb_s(self) -> float:
        """The average over all of it."""
        return self.between(0.0, float(self.gb[-1]))

    def knee_gb(self, begin_gb: float, end_gb: float) -> float:
        """Return where two speeds meet: where the time is furthest from that of one speed."""
        ends = np.linspace(begin_gb, end_gb, 1001)
        seconds = np.interp(ends, self.gb, self.seconds)
        chord = np.interp(ends, [begin_gb, end_gb], [seconds[0], seconds[-1]])
        return float(ends[np.argmax(np.abs(seconds - chord))])

    def points(self, step_gb: float = 1.0, least_gb: float = 0.0) -> tuple[Values, Values]:
        """Return the GB at the end of each point of `step_gb`, and GB per second within it.

        Speeds are over at least `least_gb` around the point's middle.
        """
        whole = float(self.gb[-1])
        ends = np.linspace(0.0, whole, max(int(whole / step_gb), 1) + 1)
        wider = max(least_gb - float(ends[1]), 0.0) / 2
        begins, stops = np.maximum(ends[:-1] - wider, 0.0), np.minimum(ends[1:] + wider, whole)
        spent = np.interp(stops, self.gb, self.seconds) - np.interp(begins, self.gb, self.seconds)
        return ends[1:], (stops - begins) / spent


@dataclass(frozen=True)
class Filled:
    """One run: a curve for each pass over the drive, and what it came from."""

    passes: tuple[Curve, ...]
    document: Mapping[str, Any]


def window_ns(config: Mapping[str, Any]) -> int:
    """Return the time between two points of a device's series; small devices are full sooner."""
    return max(min(int(POINT_S * 1e9), int(config["device"]["user_bytes"]) // 1000), 1000)


def lockstep_gb(document: Mapping[str, Any], scale: int) -> float:
    """Return what a speed has to be told over: planes open and fold their blocks together."""
    pool = document["config"]["device"]["pool"][0]
    return float(ROWS * slc_row_bytes(pool) * scale) / 1e9


def megabyte(page_bytes: int) -> int:
    """Return 10^6 bytes in whole logical pages, of which a part would be read and written again."""
    return 10**6 // page_bytes * page_bytes


def scaled(device: Content, scale: int, runs: Callable[[Content], object]) -> Content:
    """Return a part of a device that `runs` finds no fault with.

    Raises UsageError that names the nearest part there is, and ConfigError where there is none.
    """
    if scale < 1:
        raise about(UsageError(f"scale = 1/{scale}: must be 1/1 or less"), "scale")
    try:
        return _part(device, scale, runs)
    except ConfigError as error:
        near = sorted(_divisors(device), key=lambda k: (abs(k - scale), k))
        works = next((k for k in near if k != scale and _works(device, k, runs)), None)
        if scale == 1 or works is None:
            raise
        told = f"scale = 1/{scale}: the nearest that works is 1/{works}; {one_line(error)}"
        raise about(UsageError(told), "scale") from error


def as_client(settings: Mapping[str, Any] | None) -> Callable[[Content], object]:
    """Return what finds fault with a device that cannot run the scheme of drives."""
    return lambda part: catalogue.resolve(device=part, scheme=SCHEME, settings=settings)


def _part(device: Content, scale: int, runs: Callable[[Content], object]) -> Content:
    if scale == 1:
        return device
    found: dict[str, Any] = json.loads(_core.scaled_device(device_of(device), scale))
    runs(found)
    return found


def _works(device: Content, scale: int, runs: Callable[[Content], object]) -> bool:
    with suppress(ConfigError):
        _part(device, scale, runs)
        return True
    return False


def _divisors(device: Content) -> list[int]:
    """Return what the blocks of a device can be divided by, 1 first."""
    whole = json.loads(_core.scaled_device(device_of(device), 1))
    blocks = math.gcd(*(pool["blocks"] for pool in whole["device"]["pool"]))
    return [k for k in range(1, blocks + 1) if blocks % k == 0]


def slc_bytes(config: Mapping[str, Any]) -> int:
    """Return what the SLC cache of a resolved configuration takes on a new device."""
    return _core.config_cache_bytes(json.dumps(config))


def passes(protocol: str) -> int:
    """Return how often a protocol writes the drive from its beginning to its end."""
    return 1 if protocol == FIRST else 2


def fill_run(
    device: Content, scale: int, protocol: str, settings: Mapping[str, Any] | None = None
) -> Run:
    """Return the run of a protocol that fills."""
    part = scaled(device, scale, as_client(settings))
    config = catalogue.resolve(device=part, scheme=SCHEME, settings=settings)
    page = max(pool["page_bytes"] for pool in config["device"]["pool"])
    load = (megabyte(page), 1) if protocol == FIRST else (128 << 10, BURST_DEPTH)
    return writes_of(protocol, part, *load, passes(protocol), settings)


def writes_of(
    name: str,
    device: Content,
    size: int,
    depth: int,
    count: int = 1,
    settings: Mapping[str, Any] | None = None,
) -> Run:
    """Return the run that writes a device so often in order, `depth` writes of `size` at a time."""
    given = catalogue.flat(settings)
    config = catalogue.resolve(device=device, scheme=SCHEME, settings=given)
    writes = int(config["device"]["user_bytes"]) // size
    load = sequential("a sequential fill", writes * count, size, writes * size)
    chosen = {**given, "trace.prefill": "none", "run.series_window_ns": window_ns(config)}
    return Run(
        title=f"{name} {config['device']['name']}",
        trace=texts.text_of(load),
        device=texts.text_of(device),
        scheme=SCHEME,
        settings=chosen,
        replay=f"closed:{depth}",
    )


def filled(document: Mapping[str, Any], scale: int, count: int = 1) -> Filled:
    """Return the curves of a fill's result, in GB and seconds of the whole drive."""
    series = document["series"]
    written = np.asarray(series["columns"]["write_bytes"], dtype=np.float64)
    busy = np.flatnonzero(written)
    ends_s = np.minimum((busy + 1) * series["window_ns"], document["host"]["duration_ns"]) / 1e9
    gb = np.concatenate([[0.0], np.cumsum(written[busy])]) / 1e9 * scale
    seconds = np.concatenate([[0.0], ends_s]) * scale
    each = gb[-1] / count
    curves = []
    for index in range(count):
        begin, end = index * each, (index + 1) * each
        inner = (gb > begin) & (gb < end)
        ends = np.concatenate([[begin], gb[inner], [end]])
        times = np.interp(ends, gb, seconds)
        curves.append(Curve(ends - begin, times - times[0]))
    return Filled(tuple(curves), document)


def fills(
    protocol: str,
    devices: Sequence[Content],
    *,
    scale: int = 1,
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
    progress: api.Progress | None = None,
) -> list[Filled]:
    """Return the fills of devices by a protocol."""
    runs = [fill_run(device, scale, protocol, settings) for device in devices]
    found = done(runs, jobs, progress)
    return [filled(result.documents[0], scale, passes(protocol)) for result in found]


def done(runs: Sequence[Run], jobs: int, progress: api.Progress | None) -> list[Result]:
    """Return the results of runs on this machine, which nothing keeps."""
    return several.results(runs, jobs=jobs, executor="local", store=None, progress=progress)
