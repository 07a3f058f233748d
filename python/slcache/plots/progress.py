"""Metrics in the order in which a search tried its points, with the best so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from slcache.metrics import Goal
from slcache.plots import marks, study_axis, style
from slcache.study import wording

_TRIED: dict[str, Any] = {"color": style.scheme_colour(0), "marker": "o", "ms": 3, "ls": ""}
_BEST: dict[str, Any] = {"color": style.scheme_colour(1), "lw": 1.5}


def draw(goals: Mapping[str, Goal], values: Mapping[str, Sequence[float | None]]) -> Figure:
    """Return the figure: a panel per metric; points without a value leave a gap."""
    if not any(value is not None for each in values.values() for value in each):
        return style.empty("no point is done and keeps all bounds")
    figure, areas = style.panels(len(goals), 1, 0.6 + 1.9 * len(goals), sharex=True)
    for area, (name, goal) in zip(areas, goals.items(), strict=True):
        told = [(i, value) for i, value in enumerate(values[name], 1) if value is not None]
        places, known = [i for i, _ in told], [value for _, value in told]
        (tried,) = area.plot(places, known, alpha=0.6, **_TRIED)
        marks.name(tried, *(f"point {i}, {name}: {wording.figure(name, v)}" for i, v in told))
        best = list(accumulate(known, max if goal == "max" else min))
        (line,) = area.plot(places, best, drawstyle="steps-post", **_BEST)
        marks.name(line, *(f"best, {name}: {wording.figure(name, value)}" for value in best[-1:]))
        study_axis.metric(area, "y", name, known, 5)
        area.set_ylabel(name)
    style.lines_key(figure, {"tried": _TRIED, "best so far": _BEST})
    areas[-1].set(xlabel="points tried", xlim=(0, len(next(iter(values.values()))) + 1))
    areas[-1].xaxis.set_major_locator(MaxNLocator(8, integer=True))
    return figure
