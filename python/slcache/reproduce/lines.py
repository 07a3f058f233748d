"""Measures over a grid of one setting as lines: by trace, by measure or by grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from slcache.plots import layout, style
from slcache.reproduce import panels
from slcache.reproduce.drawings import FigureSpec
from slcache.reproduce.plan import Plan
from slcache.reproduce.table import Table

#: Panels side by side.
_WIDE = 4
MARKS = "os^Dv<>p"
#: Lines whose peaks are that many times apart share no linear axis.
_FAR = 50


@dataclass(frozen=True)
class Line:
    """One line: what is drawn, and what it is called."""

    name: str
    measure: str
    grid: str
    workload: str


def by_workload(spec: FigureSpec, _: Plan, table: Table) -> Figure:
    """Draw a line per trace, one panel per measure."""
    shown = [
        (title, [Line(w, measure, spec.scheme, w) for w in table.run_of(spec.workloads)])
        for measure, title in zip(spec.measures, spec.names, strict=True)
    ]
    return _draw(spec, table, shown)


def by_measure(spec: FigureSpec, _: Plan, table: Table) -> Figure:
    """Draw a line per measure, one panel per trace."""
    shown = [
        (w, [Line(n, m, spec.scheme, w) for m, n in zip(spec.measures, spec.names, strict=True)])
        for w in table.run_of(spec.workloads)
    ]
    return _draw(spec, table, shown)


def by_grid(spec: FigureSpec, _: Plan, table: Table) -> Figure:
    """Draw a line per grid, one panel per trace."""
    names = spec.names or spec.schemes
    shown = [
        (w, [Line(n, spec.measure, g, w) for g, n in zip(spec.schemes, names, strict=True)])
        for w in table.run_of(spec.workloads)
    ]
    return _draw(spec, table, shown)


def _draw(spec: FigureSpec, table: Table, shown: Sequence[tuple[str, Sequence[Line]]]) -> Figure:
    figure, areas = layout.grid(len(shown), min(_WIDE, len(shown)), 0.7, 2.3)
    for axes, (title, lines) in zip(areas, shown, strict=True):
        for i, line in enumerate(lines):
            draw(axes, spec, table, line, i)
        if spec.relative_to:
            axes.axhline(1.0, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0.9)
            axes.set_ylim(0, None)
        else:
            _scale(axes)
        style.title(axes, title)
        axes.set_xlabel(spec.across)
    areas[0].set_ylabel(spec.label)
    names = [line.name for line in shown[0][1]]
    handles = [
        Line2D([], [], color=style.scheme_colour(i), marker=MARKS[i], ms=4)
        for i in range(len(names))
    ]
    style.swatches(figure, handles, names)
    return figure


def _scale(axes: Axes) -> None:
    """Begin at 0, or with logarithms where one line lies far below the others."""
    peaks = [float(np.asarray(line.get_ydata(), dtype=float).max()) for line in axes.get_lines()]
    if peaks and 0 < min(peaks) < max(peaks) / _FAR:
        style.log_ticks(axes, lambda value: f"{value:g}", "y", 5)
    else:
        axes.set_ylim(0, None)


def draw(
    axes: Axes, spec: FigureSpec, table: Table, line: Line, i: int, size: float = 3.5
) -> Mapping[float, float]:
    """Draw means as a line, and how far the seeds are apart behind it; return the means."""
    of = (line.measure, line.grid, line.workload)
    means = curve(spec, table, *of)
    if means:
        places, colour = [spec.times * at for at in means], style.scheme_colour(i)
        seeds = [curve(spec, table, *of, seed) for seed in table.seeds]
        panels.band(axes, places, [[s[at] for s in seeds if at in s] for at in means], colour)
        axes.plot(places, list(means.values()), color=colour, marker=MARKS[i], ms=size, lw=1.2)
    return means


def curve(
    spec: FigureSpec, table: Table, measure: str, grid: str, workload: str, seed: int | None = None
) -> Mapping[float, float]:
    """Return what is drawn of a measure: as it is, or in parts of what the figure relates it to."""
    own = table.curve(measure, grid, workload, seed)
    if not spec.relative_to:
        return {at: figure / spec.per for at, figure in own.items()}
    others = table.beside(own, measure, spec.relative_to, workload, seed)
    return {at: figure / others[at] for at, figure in own.items() if others.get(at)}
