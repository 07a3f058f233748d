"""Measures drawn over grids: of one setting as lines, of two as a map of constants."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from slcache.plots import layout, style
from slcache.reproduce import lines, panels
from slcache.reproduce.drawings import FigureSpec
from slcache.reproduce.optima import optimum
from slcache.reproduce.plan import Plan
from slcache.reproduce.table import Table
from slcache.words import units

#: What the schemes beside the grid are drawn with.
_DASHES = ((0, (6, 2)), (0, (2, 2)), (0, (1, 1)))


def draw(spec: FigureSpec, _: Plan, table: Table) -> Figure:
    """Draw measures over the settings of a grid, one panel per workload, and the range of seeds.

    `schemes` are drawn as horizontal lines, since they have one figure each; `which` marks the
    optimum of the first measure.
    """
    figure, shown = panels.of_workloads(
        spec.workloads, table, 2.9, across=spec.across, label=spec.label
    )
    for workload, axes in shown.items():
        for i, measure in enumerate(_measures(spec)):
            line = lines.Line(measure, measure, spec.scheme, workload)
            means = lines.draw(axes, spec, table, line, i, size=4)
            if means and spec.which and i == 0:
                best, colour = optimum(means, spec.which), style.scheme_colour(i)
                axes.plot(best, means[best], marker="*", ms=13, color=colour, mec=style.INK, ls="")
        _level(axes, spec, table, workload)
        if spec.scale == "time":
            style.time_ticks(axes, "y")
        else:
            axes.set_ylim(0, None)
    _key(figure, spec)
    return figure


def _measures(spec: FigureSpec) -> list[str]:
    return spec.measures or [spec.measure]


def _level(axes: Axes, spec: FigureSpec, table: Table, workload: str) -> None:
    """Draw the schemes that choose the setting themselves."""
    for i, scheme in enumerate(spec.schemes):
        mean = table.mean(_measures(spec)[0], scheme, workload)
        if mean is not None:
            colour = style.scheme_colour(len(_measures(spec)) + i)
            axes.axhline(mean, color=colour, ls=_DASHES[i], lw=1.6)


def _key(figure: Figure, spec: FigureSpec) -> None:
    measures = _measures(spec)
    handles = [
        Line2D([], [], color=style.scheme_colour(i), marker=lines.MARKS[i], ms=4)
        for i in range(len(measures))
    ]
    handles += [
        Line2D([], [], color=style.scheme_colour(len(measures) + i), ls=_DASHES[i])
        for i in range(len(spec.schemes))
    ]
    style.swatches(figure, handles, [*(spec.names or [spec.scheme]), *spec.schemes])


def constants(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw a measure over a grid of two settings, one panel per workload, the best one marked."""
    (grid,) = (grid for grid in plan.grids if grid.name == spec.scheme)
    rows, columns = grid.vary.values()
    count = len(table.workloads)
    figure, areas = layout.grid(count, min(3, count), 0.3, 2.3, sharex=True, sharey=True)
    for axes, workload in zip(areas, table.workloads, strict=True):
        values = [table.mean(spec.measure, variant.name, workload) for variant in grid.variants()]
        known = [value if value is not None else math.nan for value in values]
        cells = [known[i * len(columns) : (i + 1) * len(columns)] for i in range(len(rows))]
        image = axes.imshow(cells, aspect="auto", origin="lower", cmap="viridis")
        figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02)
        if any(value is not None for value in values):
            best = max(
                range(len(known)), key=lambda i: -math.inf if math.isnan(known[i]) else known[i]
            )
            row, column = divmod(best, len(columns))
            axes.plot(column, row, marker="*", ms=11, color="#FFFFFF", mec=style.INK, ls="")
        axes.grid(visible=False)
        style.title(axes, workload)
        axes.set_xticks(
            range(len(columns)), [units.size(c) for c in columns], rotation=90, fontsize=8
        )
        axes.set_yticks(range(len(rows)), [f"{row:g}" for row in rows], fontsize=8)
    areas[0].set_ylabel(spec.label)
    return figure
