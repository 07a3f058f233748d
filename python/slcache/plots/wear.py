"""How block erases are distributed, per pool and cell mode."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.documents.normalise import Document
from slcache.plots import layout, marks, style

_BINS = 24


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure: one panel per pool and cell mode that any scheme uses."""
    found = [
        {(p["pool"], p["mode"]): p for p in document["wear"]["pools"] if p["histogram"]}
        for document in documents
    ]
    places = sorted({place for pools in found for place in pools})
    if not places:
        return style.empty("no blocks to wear")
    figure, axes = layout.grid(len(places), min(2, len(places)), 0.4, 2.5)
    for panel, place in zip(axes, places, strict=True):
        _panel(panel, labels, [pools.get(place) for pools in found])
        style.title(panel, f"{place[1].upper()} blocks of {place[0]}")
    style.key(figure, labels, "marks")
    return figure


def _panel(axes: Axes, labels: Sequence[str], pools: Sequence[dict[str, Any] | None]) -> None:
    """Draw each scheme's blocks by erase count, grouped in bins where counts are many.

    Points and not bars: a bar's length would mean nothing on a log axis, which has no zero.
    """
    counts = [count for pool in pools if pool for count, _ in pool["histogram"]]
    low, high = min(counts), max(counts)
    step = max(1, math.ceil((high - low + 1) / _BINS))
    present = [i for i, pool in enumerate(pools) if pool]
    width = 0.84 / len(present)
    size = 5.5 if len(present) < style.MANY else 4.0
    for place, i in enumerate(present):
        blocks: Counter[int] = Counter()
        for count, number in (pools[i] or {})["histogram"]:
            blocks[(count - low) // step] += number
        shift = (place - (len(present) - 1) / 2) * width
        xs = [position + shift for position in blocks]
        (points,) = axes.plot(xs, list(blocks.values()), ms=size, **style.scheme_mark(i))
        erases = (_bin_name(low + bin_ * step, step) for bin_ in blocks)
        told = zip(erases, blocks.values(), strict=True)
        marks.name(points, *(f"{labels[i]}, blocks with {at} erases: {n:,}" for at, n in told))
    bins = (high - low) // step + 1
    every = max(1, -(-bins // 6))
    ticks = list(range(0, bins, every))
    axes.set_xticks(ticks, [_bin_name(low + tick * step, step) for tick in ticks])
    for edge in range(bins + 1):
        axes.axvline(edge - 0.5, color=style.INK, lw=0.5, alpha=0.15)
    axes.set_xlim(-0.5, bins - 0.5)
    style.log_ticks(axes, style.whole, "y")
    axes.set_ylim(bottom=0.7, top=max(3.0, 1.6 * axes.dataLim.ymax))
    axes.set(xlabel="erases of a block", ylabel="blocks")
    style.only_horizontal(axes)


def _bin_name(first: int, step: int) -> str:
    return str(first) if step == 1 else f"{first}–{first + step - 1}"
