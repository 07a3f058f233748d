"""One page about a trace: sizes, times, hot set, runs, addresses and rate over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from slcache.plots import plain, style, trace_panels, trace_time

Info = Mapping[str, Any]


def draw(info: Info, title: str | None = None) -> Figure:
    """Return the figure of a trace's `info` document, with a title above where one is given."""
    if not info["requests"]:
        return style.empty("no reads and no writes")
    sides = [side for side in ("read", "write") if info[f"{side}s"]]
    with mpl.rc_context(style.RC):
        figure = plain.PlainFigure(figsize=(style.WIDTH, 10.2), layout="constrained")
        rows = figure.subfigures(4, 1, height_ratios=(1.0, 0.9, 1.1, 0.8), squeeze=False)
        upper, second, middle, lower = rows[:, 0]
        trace_panels.sizes(upper.add_subplot(1, 3, 1), info)
        trace_panels.interarrival(upper.add_subplot(1, 3, 2), info)
        trace_panels.hot_set(upper.add_subplot(1, 3, 3), info)
        trace_panels.gap_classes(second.add_subplot(1, 2, 1), info)
        trace_panels.runs(second.add_subplot(1, 2, 2), info)
        trace_time.address_maps(middle, info, sides)
        trace_time.rates(lower, info, sides)
        if title:
            figure.suptitle(plain.name(title, 120), x=0.01, ha="left", fontsize=11)
    return figure
