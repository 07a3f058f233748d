"""The panels about a trace over time: where requests go, and how many arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import SubFigure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from slcache.plots import style
from slcache.plots.trace_panels import COLOURS
from slcache.words import units

Info = Mapping[str, Any]
_TIMES = ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"))
#: Shades from few requests to many, one ramp per side.
_RAMPS = {
    "read": LinearSegmentedColormap.from_list("reads", ["#D3E1EF", "#4477AA", "#12263D"]),
    "write": LinearSegmentedColormap.from_list("writes", ["#F3D9DE", "#C05A6E", "#3F1019"]),
}


def address_maps(figure: SubFigure, info: Info, sides: Sequence[str]) -> None:
    """Draw where reads and writes start, over time: one map a side, on the same axes."""
    panels = figure.subplots(1, len(sides), squeeze=False, sharex=True, sharey=True)[0]
    for axes, side in zip(panels, sides, strict=True):
        _address_map(figure, axes, info, side)
    panels[0].set_ylabel("address" + (", all streams" if len(info["streams"]) > 1 else ""))


def _address_map(figure: SubFigure, axes: Axes, info: Info, side: str) -> None:
    cells = info["address_map"]
    counts = np.full((cells["addresses"], cells["times"]), np.nan)
    values = np.asarray(cells[f"{side}s"], dtype=np.float64)
    counts[cells["address"], cells["time"]] = np.where(values > 0, values, np.nan)
    seconds, unit = _time_unit(info)
    size, name = units.size_scale(info["end_address_bytes"])
    left, low = cells["start_ns"] / 1e9 / seconds, cells["start_bytes"] / size
    right = left + cells["cell_ns"] * cells["times"] / 1e9 / seconds
    high = low + cells["cell_bytes"] * cells["addresses"] / size
    image = axes.imshow(
        counts,
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        extent=(left, right, low, high),
        cmap=_RAMPS[side],
        norm=LogNorm(vmin=1, vmax=max(2.0, float(np.nanmax(counts)))),
    )
    axes.grid(visible=False)
    axes.set_xlabel(f"time ({unit})")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} {name}")
    axes.yaxis.set_major_locator(MaxNLocator(6))
    style.title(axes, f"Where {side}s go")
    bar = figure.colorbar(
        image,
        ax=axes,
        pad=0.01,
        aspect=30,
        ticks=style.LogTicks(5),
        format=FuncFormatter(lambda count, _: style.whole(count)),
    )
    bar.minorticks_off()
    bar.set_label(f"{side}s per cell", fontsize=8)
    bar.outline.set_visible(False)


def rates(figure: SubFigure, info: Info, sides: Sequence[str]) -> None:
    """Draw requests and bytes arriving per second, over time."""
    requests, data = figure.subplots(1, 2, sharex=True)
    for side in sides:
        _steps(requests, info, side, f"{side}_requests", 1)
        _steps(data, info, side, f"{side}_bytes", 1 << 20)
    _, unit = _time_unit(info)
    for axes, title, label in (
        (requests, "Requests arriving", "requests/s"),
        (data, "Data requested", "MiB/s"),
    ):
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        axes.set(xlabel=f"time ({unit})", ylabel=label)
        style.title(axes, title)
    style.legend(requests, "above")


def _steps(axes: Axes, info: Info, side: str, column: str, scale: float) -> None:
    timeline = info["timeline"]
    seconds, _ = _time_unit(info)
    window_s = timeline["window_ns"] / 1e9
    rate: NDArray[np.float64] = np.asarray(timeline[column], dtype=np.float64) / window_s / scale
    edges = timeline["start_ns"] / 1e9 + window_s * np.arange(len(rate) + 1)
    axes.stairs(rate, edges / seconds, color=COLOURS[side], lw=1.0, label=f"{side}s")


def _time_unit(info: Info) -> tuple[float, str]:
    """Return the unit that suits the trace's duration, as (seconds in it, name)."""
    for seconds, name in _TIMES:
        if info["duration_s"] >= 3 * seconds:
            return seconds, name
    return 1e-6, "µs"
