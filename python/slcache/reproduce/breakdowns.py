"""Figures of where time goes: stacked bars by scheme and workload, and by a setting's value."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from slcache.plots import style
from slcache.reproduce.drawings import FigureSpec
from slcache.reproduce.plan import Plan
from slcache.reproduce.table import Table

#: Width of a bar, and the room between two groups of them.
_BAR, _GAP = 0.86, 0.7

#: The name of a bar, and the heights of its parts from below.
Bar = tuple[str, Sequence[float]]


def by_workload(spec: FigureSpec, _: Plan, table: Table) -> Figure:
    """Draw the parts of every scheme's total, by workload, relative to the reference's total."""
    figure, (axes,) = style.panels(1, 1, 3.8)
    groups = []
    for workload in spec.workloads or table.workloads:
        whole = sum(_parts(spec, table, table.reference, workload)) or 1.0
        bars: list[Bar] = [
            (scheme, [part / whole for part in _parts(spec, table, scheme, workload)])
            for scheme in spec.schemes or table.schemes
        ]
        groups.append((workload, bars))
    _draw(axes, groups)
    axes.set_ylabel(spec.label or f"time relative to {table.reference}")
    _key(figure, spec)
    return figure


def by_point(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw the parts of grids' totals for every point of theirs, one panel per workload."""
    names = table.run_of(spec.workloads)
    figure, panels = style.panels(1, len(names), 3.4)
    for axes, workload in zip(panels, names, strict=True):
        points: dict[str, list[Bar]] = {}
        for variant in plan.expand(spec.schemes):
            title = ", ".join(f"{100 * value:g} %" for value in variant.point)
            parts = _parts(spec, table, variant.name, workload)
            points.setdefault(title, []).append((variant.grid, parts))
        _draw(axes, list(points.items()))
        # The groups' names stand between the bars and the panel's own.
        axes.set_title(workload, loc="left", pad=20, fontsize=10, fontweight="bold")
    panels[0].set_ylabel(spec.label)
    _key(figure, spec)
    return figure


def _parts(spec: FigureSpec, table: Table, scheme: str, workload: str) -> list[float]:
    return [table.mean(measure, scheme, workload) or 0.0 for measure in spec.measures]


def _draw(axes: Axes, groups: Sequence[tuple[str, Sequence[Bar]]]) -> None:
    """Draw groups of stacked bars, each bar with its name below it and each group with its own."""
    at, ticks, names = 0.0, [], []
    for title, bars in groups:
        places = [at + i for i in range(len(bars))]
        bottoms = [0.0] * len(bars)
        for i in range(max((len(parts) for _, parts in bars), default=0)):
            heights = [parts[i] for _, parts in bars]
            axes.bar(places, heights, _BAR, bottom=bottoms, color=style.scheme_colour(i))
            bottoms = [b + h for b, h in zip(bottoms, heights, strict=True)]
        middle = (places[0] + places[-1]) / 2
        axes.text(
            *(middle, 1.01),
            title,
            ha="center",
            va="bottom",
            fontsize=9,
            color=style.INK,
            transform=axes.get_xaxis_transform(),
        )
        ticks += places
        names += [name for name, _ in bars]
        at += len(bars) + _GAP
    axes.margins(y=0.08)
    axes.set_xticks(ticks, names, rotation=90, fontsize=8)
    style.only_horizontal(axes)


def _key(figure: Figure, spec: FigureSpec) -> None:
    patches = [Patch(color=style.scheme_colour(i)) for i in range(len(spec.measures))]
    style.swatches(figure, patches, spec.names or spec.measures)
