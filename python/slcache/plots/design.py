"""Lifespan, read latency and energy over the size of the SLC region, with the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from slcache.plots import marks, plain, style

#: How sizes are drawn: those simulated, the one chosen, and what was asked for.
LINE: Mapping[str, Any] = {"color": style.scheme_colour(0), "marker": "o", "ms": 4, "lw": 1.6}
CHOSEN: Mapping[str, Any] = {"color": style.scheme_colour(1), "marker": "D", "ms": 8, "ls": ""}
ASKED: Mapping[str, Any] = {"color": style.INK, "lw": 0.9, "ls": (0, (4, 3))}


def draw(
    shares: Sequence[float],
    *,
    times: Sequence[float],
    read_us: Sequence[float | None],
    energy_j: Sequence[float],
    chosen: float | None,
    least_times: float,
    device: str,
    trace: str,
) -> Figure:
    """Return the figure over the shares of SLC blocks; a panel without figures says so."""
    figure, areas = style.panels(1, 3, 3.4)
    read_ms = [None if value is None else value / 1e3 for value in read_us]
    _panel(areas[0], "lifespan (× of no SLC)", shares, times, chosen)
    _panel(areas[1], "mean read latency (ms)", shares, read_ms, chosen)
    _panel(areas[2], "energy of the disk (J)", shares, energy_j, chosen)
    areas[0].axhline(least_times, **ASKED)
    style.same_range(areas[:1])
    name = "smallest region that suffices"
    found = {} if chosen is None else {name: {**CHOSEN, "ms": 7}}
    style.lines_key(figure, {"simulated": LINE, **found, "lifespan asked for": ASKED})
    below = f"share of blocks in SLC mode, on {plain.name(device)}; {plain.name(trace, 90)}"
    figure.supxlabel(below, fontsize=9)
    return figure


def _panel(
    axes: Axes,
    title: str,
    shares: Sequence[float],
    values: Sequence[float | None],
    chosen: float | None,
) -> None:
    shown = [
        (share, value) for share, value in zip(shares, values, strict=True) if value is not None
    ]
    style.title(axes, title)
    axes.set_xlim(-0.03, 1.03)
    axes.xaxis.set_major_locator(MultipleLocator(0.25))
    axes.xaxis.set_major_formatter(lambda value, _: style.share(value))
    if not shown:
        axes.text(0.5, 0.5, "the trace reads nothing", ha="center", transform=axes.transAxes)
        return
    names = [f"{style.share(share)}, {title}: {value:.4g}" for share, value in shown]
    simulated(axes, shown, names, chosen)
    style.same_range([axes])


def simulated(
    axes: Axes, shown: Sequence[tuple[float, float]], names: Sequence[str], chosen: float | None
) -> None:
    """Draw what was found at each size, called by these names, and mark the chosen size."""
    (line,) = axes.plot([size for size, _ in shown], [value for _, value in shown], **LINE)
    marks.name(line, *names)
    for (size, value), name in zip(shown, names, strict=True):
        if size == chosen:
            (point,) = axes.plot([size], [value], **CHOSEN)
            marks.name(point, name)
