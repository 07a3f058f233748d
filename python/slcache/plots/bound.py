"""The least dense programs of a trace over the size of the SLC cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from slcache.plots import style
from slcache.words import units

_TICKS = 8


def draw(document: Mapping[str, Any], title: str) -> Figure:
    """Return the figure: bytes programmed dense per byte written, kept at the end or emptied."""
    rows = [row for row in document["sizes"] if row["bytes"] > 0]
    sizes = [row["bytes"] for row in rows]
    figure, (axes,) = style.panels(1, 1, 3.6)
    names = ("the cache keeps what lives on", "the cache is emptied at the end")
    for i, key in enumerate(("least", "least_drained")):
        shares = [row[key] / document["versions"] for row in rows]
        axes.plot(sizes, shares, marker="o", ms=3.5, **style.scheme_line(i, 2, 1.6))
    axes.set_xscale("log", base=2)
    told = sizes[:: -(-len(sizes) // _TICKS)]
    axes.set_xticks(told, [units.size(size) for size in told])
    axes.minorticks_off()
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("SLC cache, the controller's memory included")
    axes.set_ylabel("least dense writes per unit written")
    style.title(axes, title)
    style.key(figure, list(names))
    return figure
