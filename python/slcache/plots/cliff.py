"""Write bandwidth over data written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from slcache.bandwidth.curves import Curve
from slcache.plots import layout, plain, style
from slcache.words import units

_COLUMNS = 3


def draw(curves: Mapping[str, Curve], bursts: int, device: str) -> Figure:
    """Return the figure; many schemes get a panel each, with the others in grey behind."""
    end = max(float(curve.written_gib[-1]) for curve in curves.values())
    top = 1.12 * max(float(curve.mb_per_s.max()) for curve in curves.values())
    factor, unit = units.size_scale(end * (1 << 30))
    per_gib = (1 << 30) / factor
    end *= per_gib
    below = f"{unit} written" + ("; dashed: pauses" if bursts > 1 else "")
    if len(curves) < style.MANY:
        figure, (axes,) = style.panels(1, 1, 3.6)
        for i, curve in enumerate(curves.values()):
            _curve(axes, curve, per_gib, **style.scheme_line(i, len(curves), 1.6))
        for amount in sorted({float(curve.written_gib[-1]) for curve in curves.values()}):
            _pauses(axes, amount * per_gib, bursts)
        axes.set(xlim=(0, end), ylim=(0, top), xlabel=below, ylabel="write bandwidth (MB/s)")
        style.title(axes, device)
        style.key(figure, list(curves))
        return figure
    figure, areas = layout.grid(len(curves), _COLUMNS, 0.6, 1.45, sharex=True, sharey=True)
    for i, (area, name) in enumerate(zip(areas, curves, strict=True)):
        for other in curves:
            if other != name:
                _curve(area, curves[other], per_gib, color="#B9BEC5", lw=0.8)
        _curve(area, curves[name], per_gib, color=style.scheme_colour(i), lw=2.0)
        _pauses(area, float(curves[name].written_gib[-1]) * per_gib, bursts)
        area.xaxis.set_major_locator(MaxNLocator(5))
        area.set(xlim=(0, end), ylim=(0, top))
        style.title(area, plain.name(name))
    figure.supxlabel(f"{below}, on {device}", fontsize=9)
    figure.supylabel("write bandwidth (MB/s)", fontsize=9)
    return figure


def _curve(axes: Axes, curve: Curve, per_gib: float, **line: Any) -> None:  # noqa: ANN401
    edges = np.concatenate([[0.0], curve.written_gib * per_gib])
    axes.stairs(curve.mb_per_s, edges, baseline=None, **line)


def _pauses(axes: Axes, amount: float, bursts: int) -> None:
    for burst in range(1, bursts):
        axes.axvline(amount * burst / bursts, color=style.INK, lw=0.7, ls=(0, (4, 3)), alpha=0.6)
