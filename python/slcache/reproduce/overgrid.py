"""Measures drawn over grids: of one setting as lines, of two as a map of constants."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from slcache.plots import style
from slcache.reproduce.drawings import FigureSpec
from slcache.reproduce.optima import optimum
from slcache.reproduce.plan import Plan
from slcache.reproduce.table import Table
from slcache.words import units

#: What the grid's measures and the other schemes are drawn with.
_MARKS = ("o", "s", "^")
_DASHES = ((0, (6, 2)), (0, (2, 2)), (0, (1, 1)))


def draw(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw measures over the settings of a grid, one panel per workload, and the range of seeds.

    `schemes` are drawn as horizontal lines, since they have one figure each; `which` marks the
    optimum of the first measure.
    """
    del plan
    names = [name for name in spec.workloads or table.workloads if name in table.workloads]
    if not names:
        return style.empty("not run in this mode")
    figure, panels = style.panels(1, len(names), 2.9)
    for axes, workload in zip(panels, names, strict=True):
        for i, measure in enumerate(_measures(spec)):
            _curve(axes, spec, table, workload, measure, i)
        _level(axes, spec, table, workload)
        if spec.scale == "time":
            style.time_ticks(axes, "y")
        else:
            axes.set_ylim(0, None)
        style.title(axes, workload)
        axes.set_xlabel(spec.across)
    panels[0].set_ylabel(spec.label)
    _key(figure, spec)
    return figure


def _measures(spec: FigureSpec) -> list[str]:
    return spec.measures or [spec.measure]


def _curve(axes: Axes, spec: FigureSpec, table: Table, workload: str, measure: str, i: int) -> None:
    """Draw a measure's means as a line, and how far the seeds are apart behind it."""
    means = table.curve(measure, spec.scheme, workload)
    if not means:
        return
    colour = style.scheme_colour(i)
    curves = [table.curve(measure, spec.scheme, workload, seed) for seed in table.seeds]
    ends = [[curve[at] for curve in curves if at in curve] for at in means]
    axes.fill_between(
        list(means), [min(e) for e in ends], [max(e) for e in ends], color=colour, alpha=0.2, lw=0
    )
    axes.plot(list(means), list(means.values()), color=colour, marker=_MARKS[i], ms=4, lw=1.2)
    if spec.which and i == 0:
        best = optimum(means, spec.which)
        axes.plot(best, means[best], marker="*", ms=13, color=colour, mec=style.INK, ls="")


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
        Line2D([], [], color=style.scheme_colour(i), marker=_MARKS[i], ms=4)
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
    wide = min(3, len(table.workloads))
    high = math.ceil(len(table.workloads) / wide)
    figure, panels = style.panels(high, wide, 2.3 * high + 0.3, sharex=True, sharey=True)
    for axes in panels[len(table.workloads) :]:
        axes.axis("off")
    for axes, workload in zip(panels, table.workloads, strict=False):
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
    panels[0].set_ylabel(spec.label)
    return figure
