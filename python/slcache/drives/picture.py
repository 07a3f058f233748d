"""A simulated fill over what is printed of a drive, or what pauses give back.

`like` is what `slcache.drives.like` found; that module names this one.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from slcache.drives import fills, laws, measured
from slcache.plots import plain, style

LONGEST = 120
_CALIBRATED, _HELD_OUT = "#C9CED6", "#8A9099"


def draw(like: Any) -> Figure:  # noqa: ANN401
    """Return the figure of a protocol that fills, or of one that pauses."""
    return _pauses(like) if like.recovery is not None else _fill(like)


def _fill(like: Any) -> Figure:  # noqa: ANN401
    figure, (axes,) = style.panels(1, 1, 4.0)
    handles: list[Any] = []
    names: list[str] = []
    if like.drive is not None:
        kinds = _bars(axes, like.drive)
        for held_out in sorted(kinds):
            handles.append(Patch(**_look(held_out)))
            names.append("published, held out" if held_out else "published, calibrated to")
        boundary = _boundary(like.drive)
        if boundary is not None:
            handles.append(axes.axvline(boundary, color=style.INK, lw=0.9, ls=(0, (4, 3))))
            names.append("third phase by law 1")
    least_gb = fills.lockstep_gb(like.fill.document, like.scale)
    for number, (curve, told) in enumerate(zip(like.fill.passes, like.passes, strict=True)):
        ends, speeds = curve.points(least_gb=least_gb)
        colour = style.scheme_colour(number)
        handles += axes.plot(ends, speeds, color=colour, lw=1.4)
        which = "simulated" if len(like.passes) == 1 else f"simulated, pass {number + 1}"
        names.append(f"{which}: {told.average_gb_s:.3g} GB/s on average")
    if like.drive is not None and like.drive.average is not None:
        handles.append(Patch(alpha=0))
        names.append(f"printed average (held out): {like.drive.average.value:g} GB/s")
    axes.set_xlim(0, float(like.fill.passes[0].gb[-1]))
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(8))
    axes.set_xlabel("GB written" + _footer(like))
    axes.set_ylabel("write speed (GB/s)")
    part = "" if like.scale == 1 else f", a {like.scale}th of the device"
    style.title(axes, plain.name(f"{like.device}, as {like.protocol} measures{part}", LONGEST))
    style.swatches(figure, handles, [plain.name(name) for name in names])
    return figure


def _look(held_out: bool) -> dict[str, Any]:
    if held_out:
        return {"facecolor": "none", "edgecolor": _HELD_OUT, "hatch": "///", "lw": 0.6}
    return {"facecolor": _CALIBRATED, "edgecolor": _HELD_OUT, "lw": 0.6}


def _bars(axes: Axes, drive: measured.Drive) -> set[bool]:
    """Draw each published phase as a bar; return whether some are held out, and some not."""
    for bar in drive.phases:
        look = _look(bar.gb_s.held_out)
        axes.bar(bar.from_gb, bar.gb_s.value, bar.to_gb - bar.from_gb, align="edge", **look)
    return {bar.gb_s.held_out for bar in drive.phases}


def _boundary(drive: measured.Drive) -> float | None:
    """Return where law 1 has the third phase begin, where the drive has room for a second."""
    if not drive.phases:
        return None
    cache = drive.phases[0].to_gb
    boundary = laws.boundary_gb(cache, drive.bits, laws.USABLE * drive.user_gb)
    return boundary if cache < boundary < drive.user_gb else None


def _footer(like: Any) -> str:  # noqa: ANN401
    if like.drive is None or not like.drive.phases:
        return ""
    url = measured.url(like.drive.phases[0].gb_s.source)
    return f"\npublished: {plain.name(url, LONGEST)}"


def _pauses(like: Any) -> Figure:  # noqa: ANN401
    figure, (axes,) = style.panels(1, 1, 3.4)
    found = like.recovery
    seconds = [pause.seconds for pause in found.pauses]
    axes.plot(
        seconds, [pause.regained_gb for pause in found.pauses], "o-", color=style.scheme_colour(0)
    )
    axes.axhline(found.cache_gb, color=style.INK, lw=0.9, ls=(0, (4, 3)))
    axes.set_xscale("log")
    axes.set_xticks(seconds, ["1 s", "10 s", "30 s", "1 min", "5 min", "30 min"])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("pause; dashed: the cache before the first burst")
    axes.set_ylabel("GB at the first speed")
    style.title(axes, plain.name(f"{like.device}, {100 * found.fill:.0f} % full"))
    return figure
