"""Metrics in the order in which a search tried its points, with the best so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from slcache.metrics import Goal
from slcache.plots import study_axis, style


def draw(goals: Mapping[str, Goal], values: Mapping[str, Sequence[float | None]]) -> Figure:
    """Return the figure: a panel per metric; points without a value leave a gap."""
    if not any(value is not None for each in values.values() for value in each):
        return style.empty("no point is done and keeps all bounds")
    figure, areas = style.panels(len(goals), 1, 0.6 + 1.9 * len(goals), sharex=True)
    for area, (name, goal) in zip(areas, goals.items(), strict=True):
        told = [(i, value) for i, value in enumerate(values[name], 1) if value is not None]
        places, known = [i for i, _ in told], [value for _, value in told]
        area.plot(places, known, color=style.scheme_colour(0), marker="o", ms=3, ls="", alpha=0.6)
        best = _best(known, goal)
        area.plot(places, best, color=style.scheme_colour(1), lw=1.5, drawstyle="steps-post")
        study_axis.metric(area, "y", name, known, 5)
        area.set_ylabel(name)
    marks = {
        "tried": Line2D([], [], color=style.scheme_colour(0), marker="o", ms=3, ls=""),
        "best so far": Line2D([], [], color=style.scheme_colour(1), lw=1.5),
    }
    style.swatches(figure, list(marks.values()), list(marks))
    areas[-1].set_xlabel("points tried")
    areas[-1].set_xlim(0, len(next(iter(values.values()))) + 1)
    areas[-1].xaxis.set_major_locator(MaxNLocator(8, integer=True))
    return figure


def _best(values: Sequence[float], goal: Goal) -> list[float]:
    """Return the best of each value and those before it."""
    better = max if goal == "max" else min
    found: list[float] = []
    for value in values:
        found.append(better(found[-1], value) if found else value)
    return found
