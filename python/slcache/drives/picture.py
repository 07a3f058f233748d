"""A simulated fill over what is printed of a drive, or what pauses give back.

`found` is what `slcache.drives.like` found; that module names this one.
"""

from __future__ import annotations

from typing import Any

from slcache.charts import spec
from slcache.charts.spec import Axis, Spec
from slcache.drives import fills, laws, measured

_HEIGHT = 260


def draw(found: Any) -> Spec:  # noqa: ANN401
    """Draw a simulated fill over what is printed of a drive, or what pauses give back."""
    return _pauses(found) if found.recovery is not None else _fill(found)


def _fill(found: Any) -> Spec:  # noqa: ANN401
    names, curves = [], {}
    least_gb = fills.lockstep_gb(found.fill.document, found.scale)
    for number, (curve, told) in enumerate(zip(found.fill.passes, found.passes, strict=True)):
        which = "simulated" if len(found.passes) == 1 else f"simulated, pass {number + 1}"
        name = f"{which}: {told.average_gb_s:.3g} GB/s on average"
        names.append(name)
        curves[name] = curve.points(least_gb=least_gb)
    looks = spec.colours(names)
    across = Axis("GB written", low=0, high=float(found.fill.passes[0].gb[-1]))
    up = Axis("write speed (GB/s)", low=0)
    layers: list[Spec] = []
    said = []
    if (drive := found.drive) is not None:
        printed = {"published, calibrated to": "#C9CED6", "published, held out": "#9AA1AB"}
        bars = _bars(drive, across, up)
        looks = {name: printed[name] for name in dict.fromkeys(r["key"] for r in bars)} | looks
        layers.append(
            {
                "data": spec.data(bars),
                "mark": {"type": "rect", "stroke": spec.GREY, "strokeWidth": 0.6},
                "encoding": {
                    "x": across.channel("x"), "x2": {"field": "end"}, "y": up.channel("y"),
                    "y2": {"field": "zero"}, "color": spec.key(looks),
                    "tooltip": spec.tip(use="key", value="told"),
                },
            }
        )  # fmt: skip
        if (boundary := _boundary(drive)) is not None:
            layers.append(spec.rule(x=boundary))
            said.append("dashed: third phase by law 1")
        if drive.average is not None:
            said.append(f"printed average (held out): {drive.average.value:g} GB/s")
        if drive.phases:
            said.append(f"published: {measured.url(drive.phases[0].gb_s.source)}")
    flat: dict[str, Any] = {"strokeDash": [1, 0]}
    layers.append(spec.lines(curves, across, up, looks, **flat))
    for layer in layers:
        if "color" in layer["encoding"]:
            layer["encoding"]["color"] = spec.key(looks)
    part = "" if found.scale == 1 else f", 1/{found.scale} of the device"
    panel = spec.panel(*layers, height=_HEIGHT)
    panel["title"] = {
        "text": f"{found.device}, as {found.protocol} measures{part}",
        "subtitle": said, "subtitleFontSize": 10,
    }  # fmt: skip
    return spec.picture([panel])


def _bars(drive: measured.Drive, across: Axis, up: Axis) -> list[Spec]:
    """Return each published phase as a bar."""
    return [
        {
            "key": "published, held out" if bar.gb_s.held_out else "published, calibrated to",
            "x": bar.from_gb, "end": bar.to_gb, "y": bar.gb_s.value, "zero": 0,
            "told": f"{bar.gb_s.value:g} GB/s from {bar.from_gb:g} to {bar.to_gb:g} GB",
        }
        for bar in drive.phases
    ]  # fmt: skip


def _boundary(drive: measured.Drive) -> float | None:
    """Return where law 1 has the third phase begin, where the drive has room for a second."""
    if not drive.phases:
        return None
    cache = drive.phases[0].to_gb
    boundary = laws.boundary_gb(cache, drive.bits, laws.USABLE * drive.user_gb)
    return boundary if cache < boundary < drive.user_gb else None


def _pauses(like: Any) -> Spec:  # noqa: ANN401
    found = like.recovery
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
    title = f"{like.device}, {100 * found.fill:.0f} % full"
    return spec.picture(
        [spec.panel(line, spec.rule(y=found.cache_gb), title=title, height=_HEIGHT)]
    )
