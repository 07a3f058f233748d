"""Fills of a device as laboratories make them, and what pauses give back."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from slcache import _core, catalogue, execute
from slcache.bandwidth import cache_bytes, sequential
from slcache.bandwidth.curves import Values
from slcache.documents.figures import slc_row_bytes
from slcache.errors import ConfigError, UsageError, about, one_line
from slcache.execute.run import Run
from slcache.options import content as texts
from slcache.options.content import Content, device_of
from slcache.options.models import ExecutionOptions
from slcache.results.result import Result
from slcache.trace import Progress

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
class FillCurve:
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

    passes: tuple[FillCurve, ...]
    document: Mapping[str, Any]


def window_ns(config: Mapping[str, Any]) -> int:
    """Return the time between two points of a device's series; small devices are full sooner."""
    return max(min(int(POINT_S * 1e9), int(config["device"]["user_bytes"]) // 1000), 1000)


def lockstep_gb(document: Mapping[str, Any], scale: int) -> float:
    """Return what a speed has to be told over: planes open and fold their blocks together."""
    pool = document["config"]["device"]["pool"][0]
    return float(ROWS * slc_row_bytes(pool) * scale) / 1e9


def megabyte(config: Mapping[str, Any]) -> int:
    """Return 10^6 bytes in whole logical pages, of which a part would be read and written again."""
    page_bytes = max(pool["page_bytes"] for pool in config["device"]["pool"])
    return int(10**6 // page_bytes * page_bytes)


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


def passes(protocol: str) -> int:
    """Return how often a protocol writes the drive from its beginning to its end."""
    return 1 if protocol == FIRST else 2


def fill_run(
    device: Content, scale: int, protocol: str, settings: Mapping[str, Any] | None = None
) -> Run:
    """Return the run of a protocol that fills."""
    part = scaled(device, scale, as_client(settings))
    config = catalogue.resolve(device=part, scheme=SCHEME, settings=settings)
    load = (megabyte(config), 1) if protocol == FIRST else (128 << 10, BURST_DEPTH)
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
        curves.append(FillCurve(ends - begin, times - times[0]))
    return Filled(tuple(curves), document)


def fill(
    protocol: str,
    device: Content,
    *,
    scale: int = 1,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Filled:
    """Return the fill of a device by a protocol."""
    (found,) = done([fill_run(device, scale, protocol, settings)], 1, progress)
    return filled(found.documents[0], scale, passes(protocol))


def done(runs: Sequence[Run], jobs: int, progress: Progress | None) -> list[Result]:
    """Return the results of runs on this machine, which nothing keeps."""
    return execute.results(runs, ExecutionOptions(jobs=jobs), progress)


#: What went at the first speed went at this share of it at least; a whole burst at more.
AT_FIRST, ALL = 0.7, 0.95


@dataclass(frozen=True)
class Pause:
    """A pause, and how many GB went at the first speed after it."""

    seconds: float
    regained_gb: float


@dataclass(frozen=True)
class Recovery:
    """The first burst, and what each pause gave back."""

    fill: float
    burst_gb: float
    cache_gb: float
    first_gb_s: float
    pauses: tuple[Pause, ...]
    #: The run of the first burst.
    document: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what came back as plain data."""
        found = asdict(replace(self, document={}))
        del found["document"]
        return found


def recovery(
    device: Content,
    *,
    scale: int = 1,
    fill: float = 0.0,
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Recovery:
    """Fill a share of the device, write 1.2 caches, wait, and write as much again.

    What is written replaces the filled share from its beginning on. Raises ConfigError,
    UsageError or RunError.
    """
    runs = bursts(device, scale, fill, settings)
    whole, *filled = [found.documents[0] for found in done(runs.first(), 1, progress)]
    speed = first_speed(runs.curve(whole, 0))
    alone = filled[0] if filled else whole
    first = runs.curve(alone, 0)
    lasted_ns = int(alone["host"]["duration_ns"])
    waits = [(runs.pause_ns(seconds), seconds) for seconds in PAUSES_S]
    found = done([runs.run(2, lasted_ns + ns) for ns, _ in waits], jobs, progress)
    pauses = tuple(
        Pause(seconds, at_first(runs.curve(result.documents[0], lasted_ns + ns), speed))
        for result, (ns, seconds) in zip(found, waits, strict=True)
    )
    return Recovery(fill, float(first.gb[-1]), at_first(first, speed), speed, pauses, alone)


def bursts(
    device: Content, scale: int, fill: float, settings: Mapping[str, Any] | None = None
) -> Bursts:
    """Return the runs of bursts on a device of which a share is filled."""
    if not 0 <= fill <= 1:
        raise about(UsageError(f"fill = {fill:g}: must be between 0 and 1"), "fill")
    part = scaled(device, scale, as_client(settings))
    given = {**catalogue.flat(settings), "trace.prefill": "none"}
    config = catalogue.resolve(device=part, scheme=SCHEME, settings=given)
    threshold_ns = int(config["scheme"]["client"]["idle"]["threshold_ns"])
    every_ns = max(window_ns(config) // 10, 1000)
    return Bursts(part, given, _burst(config), scale, fill, threshold_ns, every_ns)


def cache_gb(runs: Bursts, documents: Sequence[Mapping[str, Any]]) -> float:
    """Return what a filled device takes at the speed of a new one, by the first bursts of both."""
    whole, *filled = documents
    speed = first_speed(runs.curve(whole, 0))
    return at_first(runs.curve(filled[0] if filled else whole, 0), speed)


def _burst(config: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the writes of a burst, their bytes, and the footprint."""
    size, user = megabyte(config), int(config["device"]["user_bytes"])
    burst = min(BURST_CACHES * cache_bytes(config), user / 2)
    return int(burst) // size, size, user // size * size


@dataclass(frozen=True)
class Bursts:
    """Bursts on a part of a device."""

    device: Content
    settings: Mapping[str, Any]
    load: tuple[int, int, int]
    scale: int
    fill: float
    threshold_ns: int
    window_ns: int

    def pause_ns(self, seconds: float) -> int:
        """Return a pause as a part of the device has it: it waits as long before idle work."""
        whole = int(seconds * 1e9)
        if whole <= self.threshold_ns:
            return whole
        return self.threshold_ns + (whole - self.threshold_ns) // self.scale

    def first(self) -> list[Run]:
        """Return the burst on the new device, whose speed is the first, and on a filled one."""
        return [replace(self, fill=0.0).run(1, 0)] + ([self.run(1, 0)] if self.fill else [])

    def run(self, bursts: int, every_ns: int) -> Run:
        """Return the run of so many bursts."""
        writes, size, footprint = self.load
        told = "bursts with a pause between"
        workload = sequential(told, writes, size, footprint, bursts, every_ns)
        chosen = {**self.settings, "run.series_window_ns": self.window_ns}
        if self.fill:
            chosen["precondition.fill"] = self.fill
        if bursts > 1:
            chosen["host.queue_depth"] = BURST_DEPTH
        return Run(
            title=f"{bursts} bursts every {every_ns} ns, {self.fill:g} full at first",
            trace=texts.text_of(workload),
            device=texts.text_of(self.device),
            scheme=SCHEME,
            settings=chosen,
            replay="open" if bursts > 1 else f"closed:{BURST_DEPTH}",
        )

    def curve(self, document: Mapping[str, Any], begin_ns: int) -> FillCurve:
        """Return the burst that began at a time, in GB and seconds of the whole drive."""
        series = document["series"]
        written = np.asarray(series["columns"]["write_bytes"], dtype=np.float64)
        ends = (np.arange(len(written)) + 1) * series["window_ns"]
        ends_ns = np.minimum(ends, document["host"]["duration_ns"])
        gb = np.cumsum(written) / 1e9 * self.scale
        burst_gb = self.load[0] * self.load[1] / 1e9 * self.scale
        before = burst_gb if begin_ns else 0.0
        mine = (gb > before) & (ends_ns > begin_ns)
        seconds = (ends_ns[mine] - begin_ns) / 1e9 * self.scale
        begun = np.concatenate([[0.0], gb[mine] - before])
        return FillCurve(begun, np.concatenate([[0.0], seconds]))


def first_speed(curve: FillCurve) -> float:
    """Return the speed of a burst before its cache is full."""
    return curve.between(0.1 * float(curve.gb[-1]), 0.3 * float(curve.gb[-1]))


def at_first(curve: FillCurve, speed: float) -> float:
    """Return how much of a burst went at a speed before it fell."""
    whole = float(curve.gb[-1])
    if curve.average_gb_s >= ALL * speed:
        return whole
    knee = curve.knee_gb(0.0, whole)
    return knee if knee > 0 and curve.between(0.0, knee) >= AT_FIRST * speed else 0.0
