"""Metrics over a size that was searched for, with their bounds and the size chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from slcache.plots import study_axis, style
from slcache.plots.design import ASKED, CHOSEN, LINE, simulated
from slcache.study import wording


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
        simulated(area, known, told, chosen)
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
