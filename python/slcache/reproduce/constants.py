"""A grid of constant settings drawn as a map: what each gives, and where learning goes."""

from __future__ import annotations

import math

from matplotlib.figure import Figure

from slcache.plots import style
from slcache.reproduce.drawings import FigureSpec
from slcache.reproduce.plan import Plan
from slcache.reproduce.table import Table
from slcache.words import units


def draw(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
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
