"""Write bandwidth over data written."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from slcache.plots import style

Values = NDArray[np.float64]


def draw(curves: Mapping[str, tuple[Values, Values]], bursts: int, device: str) -> Figure:
    """Return the figure; pauses between bursts are marked where they fall."""
    if not any(len(written) for written, _ in curves.values()):
        return style.empty("nothing was written")
    figure, (axes,) = style.panels(1, 1, 3.6)
    for i, (written, bandwidth) in enumerate(curves.values()):
        axes.step(written, bandwidth, where="pre", color=style.scheme_colour(i), lw=1.4)
    end = max(float(written[-1]) for written, _ in curves.values() if len(written))
    for burst in range(1, bursts):
        axes.axvline(end * burst / bursts, color=style.INK, lw=0.7, ls=(0, (4, 3)), alpha=0.6)
    axes.set_xlim(0, end)
    axes.set_ylim(0, None)
    axes.set_xlabel("GiB written" + ("; dashed: pauses" if bursts > 1 else ""))
    axes.set_ylabel("write bandwidth (MB/s)")
    style.title(axes, device)
    style.key(figure, list(curves))
    return figure
