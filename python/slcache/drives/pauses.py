"""What comes back in a pause: a burst that fills the cache, a pause, and the burst again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from slcache import api, catalogue
from slcache.bandwidth.loads import sequential
from slcache.drives import fills
from slcache.errors import UsageError, about
from slcache.execute import given as texts
from slcache.execute.run import Run
from slcache.given.content import Content

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
    progress: api.Progress | None = None,
) -> Recovery:
    """Fill a share of the device, write 1.2 caches, wait, and write as much again.

    What is written replaces the filled share from its beginning on. Raises ConfigError,
    UsageError or RunError.
    """
    runs = of(device, scale, fill, settings)
    whole, *filled = [found.documents[0] for found in fills.done(runs.first(), 1, progress)]
    speed = first_speed(runs.curve(whole, 0))
    alone = filled[0] if filled else whole
    first = runs.curve(alone, 0)
    lasted_ns = int(alone["host"]["duration_ns"])
    waits = [(runs.pause_ns(seconds), seconds) for seconds in fills.PAUSES_S]
    found = fills.done([runs.run(2, lasted_ns + ns) for ns, _ in waits], jobs, progress)
    pauses = tuple(
        Pause(seconds, at_first(runs.curve(result.documents[0], lasted_ns + ns), speed))
        for result, (ns, seconds) in zip(found, waits, strict=True)
    )
    return Recovery(fill, float(first.gb[-1]), at_first(first, speed), speed, pauses, alone)


def of(device: Content, scale: int, fill: float, settings: Mapping[str, Any] | None = None) -> Runs:
    """Return the runs of bursts on a device of which a share is filled."""
    if not 0 <= fill <= 1:
        raise about(UsageError(f"fill = {fill:g}: must be between 0 and 1"), "fill")
    part = fills.scaled(device, scale, fills.as_client(settings))
    given = {**catalogue.flat(settings), "trace.prefill": "none"}
    config = catalogue.resolve(device=part, scheme=fills.SCHEME, settings=given)
    threshold_ns = int(config["scheme"]["client"]["idle"]["threshold_ns"])
    window_ns = max(fills.window_ns(config) // 10, 1000)
    return Runs(part, given, _burst(config), scale, fill, threshold_ns, window_ns)


def cache_gb(runs: Runs, documents: Sequence[Mapping[str, Any]]) -> float:
    """Return what a filled device takes at the speed of a new one, by the first bursts of both."""
    whole, *filled = documents
    speed = first_speed(runs.curve(whole, 0))
    return at_first(runs.curve(filled[0] if filled else whole, 0), speed)


def _burst(config: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the writes of a burst, their bytes, and the footprint."""
    page = max(pool["page_bytes"] for pool in config["device"]["pool"])
    size, user = fills.megabyte(page), int(config["device"]["user_bytes"])
    burst = min(fills.BURST_CACHES * fills.slc_bytes(config), user / 2)
    return int(burst) // size, size, user // size * size


@dataclass(frozen=True)
class Runs:
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
            chosen["host.queue_depth"] = fills.BURST_DEPTH
        return Run(
            title=f"{bursts} bursts every {every_ns} ns, {self.fill:g} full at first",
            trace=texts.text_of(workload),
            device=texts.text_of(self.device),
            scheme=fills.SCHEME,
            settings=chosen,
            replay="open" if bursts > 1 else f"closed:{fills.BURST_DEPTH}",
        )

    def curve(self, document: Mapping[str, Any], begin_ns: int) -> fills.Curve:
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
        return fills.Curve(begun, np.concatenate([[0.0], seconds]))


def first_speed(curve: fills.Curve) -> float:
    """Return the speed of a burst before its cache is full."""
    return curve.between(0.1 * float(curve.gb[-1]), 0.3 * float(curve.gb[-1]))


def at_first(curve: fills.Curve, speed: float) -> float:
    """Return how much of a burst went at a speed before it fell."""
    whole = float(curve.gb[-1])
    if curve.average_gb_s >= ALL * speed:
        return whole
    knee = curve.knee_gb(0.0, whole)
    return knee if curve.between(0.0, knee) >= AT_FIRST * speed else 0.0
