"""Metrics over a key whose least or most value was searched for, with bounds and answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.plots import marks, study_axis, style
from slcache.study import wording

#: How values are drawn: those that were run, the one chosen, and what was asked for.
LINE: Mapping[str, Any] = {"color": style.scheme_colour(0), "marker": "o", "ms": 4, "lw": 1.6}
CHOSEN: Mapping[str, Any] = {"color": style.scheme_colour(1), "marker": "D", "ms": 8, "ls": ""}
ASKED: Mapping[str, Any] = {"color": style.INK, "lw": 0.9, "ls": (0, (4, 3))}


def draw(
    key: str,
    sizes: Sequence[float],
    values: Mapping[str, Sequence[float | None]],
    bounds: Mapping[str, Sequence[float]],
    *,
    chosen: float | None,
    word: str,
) -> Figure:
    """Return the figure: a panel for each metric; sizes without a value leave a gap."""
    figure, areas = style.panels(len(values), 1, 0.9 + 2.1 * len(values), sharex=True)
    for area, (name, each) in zip(areas, values.items(), strict=True):
        known = [
            (size, value) for size, value in zip(sizes, each, strict=True) if value is not None
        ]
        limits = bounds[name]
        told = [f"{key}={size:.10g}, {name}: {wording.figure(name, v)}" for size, v in known]
        _simulated(area, known, told, chosen)
        for limit in limits:
            area.axhline(limit, **ASKED)
        study_axis.metric(area, "y", name, [*limits, *(value for _, value in known)], 5)
        area.set_ylabel(name)
    if key.endswith("bytes"):
        study_axis.metric(areas[-1], "x", "slc_bytes", sizes)
    else:
        study_axis.numbers(areas[-1], "x", sizes)
    areas[-1].set_xlabel(key)
    found = {} if chosen is None else {f"{word} that keeps the bounds": CHOSEN}
    style.lines_key(figure, {"simulated": LINE, **found, "bound": ASKED})
    return figure


def _simulated(
    axes: Axes, shown: Sequence[tuple[float, float]], names: Sequence[str], chosen: float | None
) -> None:
    """Draw what was found at each value, called by these names, and mark the chosen one."""
    (line,) = axes.plot([size for size, _ in shown], [value for _, value in shown], **LINE)
    marks.name(line, *names)
    for (size, value), name in zip(shown, names, strict=True):
        if size == chosen:
            (point,) = axes.plot([size], [value], **CHOSEN)
            marks.name(point, name)
