"""The log of a fill, its phases, and the fitted device's simulated curve."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from slcache.bandwidth.phases import Phases, Values
from slcache.plots import style

#: GB written by the end of each point, and MB/s in it.
Curve = tuple[Values, Values]


def draw(curve: Curve, phases: Phases, predicted: Curve, name: str) -> Figure:
    """Return the figure."""
    figure, (axes,) = style.panels(1, 1, 3.6)
    axes.plot(*curve, color="#B9BEC5", lw=0.8)
    for phase in phases.phases:
        level = [phase.mean_mb_per_s] * 2
        axes.plot([phase.from_gb, phase.to_gb], level, color=style.INK, lw=1.0, ls=(0, (4, 3)))
    edges = np.concatenate([[0.0], predicted[0]])
    axes.stairs(predicted[1], edges, baseline=None, color=style.scheme_colour(0), lw=1.6)
    axes.set_xlim(0, float(curve[0][-1]))
    axes.set_ylim(0, 1.12 * float(max(np.percentile(curve[1], 99), predicted[1].max())))
    axes.set_xlabel("GB written; grey: log, dashed: its phases, coloured: fitted device")
    axes.set_ylabel("write bandwidth (MB/s)")
    style.title(axes, name)
    return figure
