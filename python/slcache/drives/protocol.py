"""A laboratory's protocol on a device, and its picture beside what was published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from slcache import catalogue
from slcache.bandwidth.curves import BURSTS, RETURN, Values, find_phases
from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.documents import Pictured
from slcache.drives import fills, published
from slcache.errors import UsageError, about
from slcache.options import checked
from slcache.options.content import Content
from slcache.options.models import combined_settings
from slcache.trace import Progress

if TYPE_CHECKING:
    from slcache.tables.table import Columns, Table


_HEIGHT = 260


def _fill(found: ProtocolRun) -> Spec:
    assert found.fill is not None
    least_gb = fills.lockstep_gb(found.fill.document, found.scale)
    across = Axis("GB written", low=0, high=float(found.fill.passes[0].gb[-1]))
    up = Axis("write speed (GB/s)", low=0)
    levels: list[tuple[str, spec.Curve]] = []
    rules, said = [], []
    if (drive := found.drive) is not None:
        for bar in drive.phases:
            use = "held out" if bar.held_out else "calibrated to"
            levels.append((f"published, {use}", ([bar.from_gb, bar.to_gb], [bar.value] * 2)))
        if (boundary := _boundary(drive)) is not None:
            rules.append(spec.rule(x=boundary))
            said.append("dashed: third phase by law 1")
        if drive.average is not None:
            said.append(f"printed average (held out): {drive.average.value:g} GB/s")
        if drive.phases:
            said.append(f"published: {published.url(drive.phases[0].source)}")
    passes = list(zip(found.fill.passes, found.passes, strict=True))
    curves = {}
    for number, (curve, told) in enumerate(passes, 1):
        which = f"simulated, pass {number}" if len(passes) > 1 else "simulated"
        name = f"{which}: {told.average_gb_s:.3g} GB/s on average"
        curves[name] = curve.points(least_gb=least_gb)
    looks = {name: spec.GREY if "held" in name else spec.SOFT for name, _ in levels}
    looks |= spec.colours(curves)
    wide: dict[str, Any] = {"strokeDash": [1, 0], "strokeWidth": 8}
    layers = [spec.lines({name: level}, across, up, looks, **wide) for name, level in levels]
    layers += [*rules, spec.lines(curves, across, up, looks, strokeDash=[1, 0])]
    part = "" if found.scale == 1 else f", 1/{found.scale} of the device"
    panel = layout.panel(*layers, height=_HEIGHT)
    panel["title"] = {
        "text": f"{found.device}, as {found.protocol} measures{part}",
        "subtitle": said, "subtitleFontSize": 10,
    }  # fmt: skip
    return layout.picture([panel])


def _boundary(drive: published.Drive) -> float | None:
    """Return where law 1 has the third phase begin, where the drive has room for a second."""
    if not drive.phases:
        return None
    cache = drive.phases[0].to_gb
    boundary = published.boundary_gb(cache, drive.bits, published.USABLE * drive.user_gb)
    return boundary if cache < boundary < drive.user_gb else None


def _pauses(run: ProtocolRun) -> Spec:
    found = run.recovery
    assert found is not None
    seconds = [pause.seconds for pause in found.pauses]
    across = Axis(
        "pause; dashed: the cache before the first burst",
        "time",
        log=True,
        per=1e-6,
        ticks=[1e6 * s for s in seconds],
    )
    up = Axis("GB at the first speed", low=0)
    curve = {"regained": (seconds, [pause.regained_gb for pause in found.pauses])}
    line = spec.lines(curve, across, up, spec.colours(curve), point={"size": 40, "filled": True})
    title = f"{run.device}, {100 * found.fill:.0f} % full"
    return layout.picture(
        [layout.panel(line, spec.rule(y=found.cache_gb), title=title, height=_HEIGHT)]
    )


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
class ProtocolRun(Pictured):
    """What a protocol finds on a device, and the drive that it is held against."""

    protocol: str
    device: str
    scale: int
    drive: published.Drive | None
    fill: fills.Filled | None
    recovery: fills.Recovery | None

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

    def table(self, pauses: Columns | None = None) -> Table:
        """Return the curve for each GB, for other programs alone, or a row for each pause."""
        from slcache.tables.table import Table

        if self.recovery is not None:
            return Table(map(asdict, self.recovery.pauses), pauses)
        curves = [] if self.fill is None else self.fill.passes
        rows = (
            {"pass": number, "gb": gb, "gb_s": speed}
            for number, curve in enumerate(curves, 1)
            for gb, speed in zip(*_columns(curve).values(), strict=True)
        )
        return Table(rows, {})

    def picture(self) -> dict[str, Any]:
        """Return the same as a Vega-Lite specification."""
        return _fill(self) if self.recovery is None else _pauses(self)


def _columns(curve: fills.FillCurve) -> dict[str, list[float]]:
    ends, speeds = curve.points()
    return {"gb": ends.round(3).tolist(), "gb_s": speeds.round(4).tolist()}


def _pass(curve: fills.FillCurve, least_gb: float, first_gb_s: float | None) -> Pass:
    whole = float(curve.gb[-1])
    ends, speeds = curve.points(whole / POINTS, least_gb)
    told = tuple(_told(curve, least_gb, *ends) for ends in _ends(ends, speeds))
    first = told[0]["gb_s"] if first_gb_s is None else first_gb_s
    # On a second pass nothing at the first speed is a cache of 0 GB.
    cache = told[0]["to_gb"] if abs(told[0]["gb_s"] / first - 1) <= SAME else 0.0
    return Pass(told, curve.average_gb_s, curve.between(max(0.0, whole - LAST_GB), whole), cache)


def _ends(ends: Values, speeds: Values) -> Iterator[tuple[float, float]]:
    """Yield from and to how many GB each phase is; neighbours differ.

    A simulation has no noise, and so its ripples are told from one another.
    """
    begin, last = 0.0, None
    for phase in find_phases(ends, speeds * 1e3, BURSTS).phases:
        if last is not None and abs(phase.mb_per_s / last.mb_per_s - 1) > RETURN:
            yield begin, last.to_gb
            begin = last.to_gb
        last = phase
    yield begin, float(ends[-1])


def _told(curve: fills.FillCurve, least_gb: float, begin: float, end: float) -> dict[str, float]:
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
def measure(
    protocol: str,
    *,
    device: Content,
    against: str | None = None,
    scale: int = 1,
    fill: float = 0.0,
    state: str | None = None,
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
    on_progress: Progress | None = None,
) -> ProtocolRun:
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
    settings = combined_settings(settings, state)
    said = next((key for key in settings if key.startswith("precondition.")), None)
    if fill and said is not None:
        raise about(UsageError(f"fill = {fill:g}: {said} says the state at first"), "fill")
    drive = _drive(device, against)
    name = str(
        catalogue.resolve(device=device, scheme=fills.SCHEME, settings=settings)["device"]["name"]
    )
    if protocol == "recovery":
        found = fills.recovery(
            device, scale=scale, fill=fill, settings=settings, jobs=jobs, progress=on_progress
        )
        return ProtocolRun(protocol, name, scale, drive, None, found)
    filled = fills.fill(protocol, device, scale=scale, settings=settings, progress=on_progress)
    return ProtocolRun(protocol, name, scale, drive, filled, None)


def _drive(device: Content, against: str | None) -> published.Drive | None:
    if against is None:
        return None if isinstance(device, Mapping) else published.of_preset(str(device))
    known = published.drives()
    name = against.removesuffix(published.LIKE)
    if name not in known:
        told = f"against = {against!r}: no such drive; known: {', '.join(sorted(known))}"
        raise about(UsageError(told), "against")
    return known[name]
