"""Measures over a grid of one setting as lines: by trace, by measure or by grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from slcache.plots import style
from slcache.reproduce.drawings import FigureSpec
from slcache.reproduce.plan import Plan
from slcache.reproduce.table import Table

#: Panels side by side.
_WIDE = 4
_MARKS = "os^Dv<>p"
#: Lines whose peaks are that many times apart share no linear axis.
_FAR = 50


@dataclass(frozen=True)
class _Line:
    """One line: what is drawn, and what it is called."""

    name: str
    measure: str
    grid: str
    workload: str


def by_workload(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw a line per trace, one panel per measure."""
    del plan
    panels = [
        (title, [_Line(w, measure, spec.scheme, w) for w in _workloads(spec, table)])
        for measure, title in zip(spec.measures, spec.names, strict=True)
    ]
    return _draw(spec, table, panels)


def by_measure(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw a line per measure, one panel per trace."""
    del plan
    panels = [
        (w, [_Line(n, m, spec.scheme, w) for m, n in zip(spec.measures, spec.names, strict=True)])
        for w in _workloads(spec, table)
    ]
    return _draw(spec, table, panels)


def by_grid(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw a line per grid, one panel per trace."""
    del plan
    names = spec.names or spec.schemes
    panels = [
        (w, [_Line(n, spec.measure, g, w) for g, n in zip(spec.schemes, names, strict=True)])
        for w in _workloads(spec, table)
    ]
    return _draw(spec, table, panels)


def _workloads(spec: FigureSpec, table: Table) -> list[str]:
    return [name for name in spec.workloads or table.workloads if name in table.workloads]


def _draw(spec: FigureSpec, table: Table, panels: Sequence[tuple[str, Sequence[_Line]]]) -> Figure:
    if not panels:
        return style.empty("not run in this mode")
    columns = min(_WIDE, len(panels))
    rows = -(-len(panels) // columns)
    figure, areas = style.panels(rows, columns, 2.3 * rows + 0.7)
    for axes in areas[len(panels) :]:
        axes.axis("off")
    for axes, (title, lines) in zip(areas, panels, strict=False):
        for i, line in enumerate(lines):
            _line(axes, spec, table, line, i)
        if spec.relative_to:
            axes.axhline(1.0, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0.9)
            axes.set_ylim(0, None)
        else:
            _scale(axes)
        style.title(axes, title)
        axes.set_xlabel(spec.across)
    areas[0].set_ylabel(spec.label)
    names = [line.name for line in panels[0][1]]
    handles = [
        Line2D([], [], color=style.scheme_colour(i), marker=_MARKS[i], ms=4)
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


def _line(axes: Axes, spec: FigureSpec, table: Table, line: _Line, i: int) -> None:
    """Draw means as a line, and how far the seeds are apart behind it."""
    means = curve(spec, table, line.measure, line.grid, line.workload)
    if not means:
        return
    places = [spec.times * at for at in means]
    colour = style.scheme_colour(i)
    seeds = [
        curve(spec, table, line.measure, line.grid, line.workload, seed) for seed in table.seeds
    ]
    ends = [[of[at] for of in seeds if at in of] for at in means]
    axes.fill_between(
        *(places, [min(e) for e in ends], [max(e) for e in ends]), color=colour, alpha=0.2, lw=0
    )
    axes.plot(places, list(means.values()), color=colour, marker=_MARKS[i], ms=3.5, lw=1.2)


def curve(
    spec: FigureSpec, table: Table, measure: str, grid: str, workload: str, seed: int | None = None
) -> Mapping[float, float]:
    """Return what is drawn of a measure: as it is, or in parts of what the figure relates it to."""
    own = table.curve(measure, grid, workload, seed)
    if not spec.relative_to:
        return {at: figure / spec.per for at, figure in own.items()}
    others = table.beside(own, measure, spec.relative_to, workload, seed)
    return {at: figure / others[at] for at, figure in own.items() if others.get(at)}
