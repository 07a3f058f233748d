"""A simulated drive beside what laboratories print: phases, averages, second pass, pauses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from slcache import api, catalogue
from slcache.bandwidth import phases
from slcache.drives import fills, measured, pauses
from slcache.errors import UsageError, about
from slcache.given.arguments import checked
from slcache.given.content import Content

if TYPE_CHECKING:
    from altair import ConcatChart as Chart

    from slcache.tables.sheets import Sheet

PROTOCOLS = ("techpowerup", "anandtech", "recovery")
#: A write that takes longer is a stall, ns.
STALL_NS = 100_000_000
#: A second pass is at the first speed within this share.
SAME = 0.15
#: Points in which phases are looked for.
POINTS = 500
#: Parts of a phase that tell between what its speed lies, at most.
PARTS = 20
#: GB of the end of a pass whose mean is told apart.
LAST_GB = 16.0


@dataclass(frozen=True)
class Pass:
    """One pass over the drive: its phases, GB and GB per second, and the averages."""

    phases: tuple[dict[str, float], ...]
    average_gb_s: float
    last_gb_s: float
    cache_gb: float


@dataclass(frozen=True, eq=False)
class Like:
    """What a protocol finds on a device, and the drive that it is held against."""

    protocol: str
    device: str
    scale: int
    drive: measured.Drive | None
    fill: fills.Filled | None
    recovery: pauses.Recovery | None

    @property
    def passes(self) -> list[Pass]:
        """The passes of a protocol that fills."""
        if self.fill is None:
            return []
        least_gb = fills.lockstep_gb(self.fill.document, self.scale)
        first = _pass(self.fill.passes[0], least_gb, None)
        speed = first.phases[0]["gb_s"]
        rest = [_pass(curve, least_gb, speed) for curve in self.fill.passes[1:]]
        return [first, *rest]

    @property
    def stall_windows(self) -> int | None:
        """Points of the series in which a write took longer than a tenth of a second."""
        if self.fill is None:
            return None
        longest = self.fill.document["series"]["columns"]["write_latency_ns_max"]
        return sum(1 for ns in longest if ns is not None and ns > STALL_NS)

    @property
    def documents(self) -> list[Mapping[str, Any]]:
        """The run of the fill, or of the first burst."""
        return [run.document for run in (self.fill, self.recovery) if run is not None]

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain data."""
        found: dict[str, Any] = {
            "protocol": self.protocol,
            "device": self.device,
            "scale": f"1/{self.scale}",
            "drive": None if self.drive is None else self.drive.name,
        }
        if self.fill is not None:
            document = self.fill.document
            found |= {
                "passes": [asdict(each) for each in self.passes],
                "stall_windows": self.stall_windows,
                "waf": document["waf"],
                "curve": [_columns(curve) for curve in self.fill.passes],
            }
        if self.recovery is not None:
            found["recovery"] = self.recovery.to_dict()
        return found

    def to_json(self) -> str:
        """Return what was found as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def sheet(self) -> Sheet:
        """Return the curve for each GB, or a row for each pause."""
        from slcache.tables.sheets import Sheet

        if self.recovery is not None:
            return Sheet([asdict(pause) for pause in self.recovery.pauses])
        curves = [] if self.fill is None else self.fill.passes
        return Sheet(
            [
                {"pass": number, "gb": gb, "gb_s": speed}
                for number, curve in enumerate(curves, 1)
                for gb, speed in zip(*_columns(curve).values(), strict=True)
            ]
        )

    def plot(self) -> Chart:
        """Draw the curve over what is printed, or what pauses give back."""
        from slcache.charts import files

        return files.notebook(self.picture())

    def picture(self) -> dict[str, Any]:
        """Return the same as a Vega-Lite specification."""
        from slcache.drives import picture

        return picture.draw(self)


def _columns(curve: fills.Curve) -> dict[str, list[float]]:
    ends, speeds = curve.points()
    return {"gb": ends.round(3).tolist(), "gb_s": speeds.round(4).tolist()}


def _pass(curve: fills.Curve, least_gb: float, first_gb_s: float | None) -> Pass:
    whole = float(curve.gb[-1])
    ends, speeds = curve.points(whole / POINTS, least_gb)
    told = tuple(_told(curve, least_gb, *ends) for ends in _ends(ends, speeds))
    first = told[0]["gb_s"] if first_gb_s is None else first_gb_s
    # On a second pass nothing at the first speed is a cache of 0 GB.
    cache = told[0]["to_gb"] if abs(told[0]["gb_s"] / first - 1) <= SAME else 0.0
    return Pass(told, curve.average_gb_s, curve.between(max(0.0, whole - LAST_GB), whole), cache)


def _ends(ends: phases.Values, speeds: phases.Values) -> Iterator[tuple[float, float]]:
    """Yield from and to how many GB each phase is; neighbours differ.

    A simulation has no noise, and so its ripples are told from one another.
    """
    begin, last = 0.0, None
    for phase in phases.find(ends, speeds * 1e3, phases.BURSTS).phases:
        if last is not None and abs(phase.mb_per_s / last.mb_per_s - 1) > phases.RETURN:
            yield begin, last.to_gb
            begin = last.to_gb
        last = phase
    yield begin, float(ends[-1])


def _told(curve: fills.Curve, least_gb: float, begin: float, end: float) -> dict[str, float]:
    """Return a phase: its speed, bytes by time, and those of its slowest and fastest part."""
    parts = int(np.clip((end - begin) / least_gb, 1, PARTS))
    speeds = [
        curve.between(*part) for part in pairwise(np.linspace(begin, end, parts + 1).tolist())
    ]
    mean = curve.between(begin, end)
    # Of one part both ends are the mean, but for rounding.
    low, high = min(*speeds, mean), max(*speeds, mean)
    return {"from_gb": begin, "to_gb": end, "gb_s": mean, "low_gb_s": low, "high_gb_s": high}


@checked
def like(
    protocol: str,
    *,
    device: Content,
    against: str | None = None,
    scale: int = 1,
    fill: float = 0.0,
    state: str | None = None,
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
    on_progress: api.Progress | None = None,
) -> Like:
    """Run a laboratory's protocol on a device with scheme `client`.

    `protocol` is `techpowerup` (one writer of 1 MB, until the device is full), `anandtech` (128 KiB
    at depth 32, twice over the device) or `recovery` (bursts of 1.2 caches with pauses of 1 s to 30
    min, on a device of which `fill` is filled; GB at the first speed of a new one). `scale` = k
    runs a k-th of the device. `state` is that of the device at first, as in `run`, empty where
    nothing says another. `against` names a drive of the published table; a preset is held
    against its own. Raises ConfigError, UsageError or RunError.
    """
    if protocol not in PROTOCOLS:
        told = f"protocol = {protocol!r}: must be one of {', '.join(PROTOCOLS)}"
        raise about(UsageError(told), "protocol")
    if fill and protocol != "recovery":
        raise about(UsageError(f"fill = {fill:g}: only recovery fills at first"), "fill")
    settings = api.addressed(settings, None, state=state)
    said = next((key for key in settings if key.startswith("precondition.")), None)
    if fill and said is not None:
        raise about(UsageError(f"fill = {fill:g}: {said} says the state at first"), "fill")
    drive = _drive(device, against)
    name = str(
        catalogue.resolve(device=device, scheme=fills.SCHEME, settings=settings)["device"]["name"]
    )
    if protocol == "recovery":
        found = pauses.recovery(
            device, scale=scale, fill=fill, settings=settings, jobs=jobs, progress=on_progress
        )
        return Like(protocol, name, scale, drive, None, found)
    (filled,) = fills.fills(
        protocol, [device], scale=scale, settings=settings, progress=on_progress
    )
    return Like(protocol, name, scale, drive, filled, None)


def _drive(device: Content, against: str | None) -> measured.Drive | None:
    if against is None:
        return None if isinstance(device, Mapping) else measured.of_preset(str(device))
    known = measured.drives()
    name = against.removesuffix(measured.LIKE)
    if name not in known:
        told = f"against = {against!r}: no such drive; known: {', '.join(sorted(known))}"
        raise about(UsageError(told), "against")
    return known[name]
