"""The paper's figures, redrawn from our own data."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from slcache.plots import layout, style
from slcache.reproduce import breakdowns, lines, overgrid, panels
from slcache.reproduce.cliffs import write_latency
from slcache.reproduce.drawings import FigureSpec
from slcache.reproduce.plan import Plan
from slcache.reproduce.readers import series
from slcache.reproduce.table import Table
from slcache.words import units


def draw(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Return one of the paper's figures."""
    kinds = {
        "bars": _bars,
        "shares": _shares,
        "breakdown": breakdowns.by_workload,
        "breakdown-by-point": breakdowns.by_point,
        "series": _series,
        "several-series": _several_series,
        "latency": _latency,
        "map": overgrid.constants,
        "over-grid": overgrid.draw,
        "lines-by-workload": lines.by_workload,
        "lines-by-measure": lines.by_measure,
        "lines-by-grid": lines.by_grid,
    }
    if not table.run_of(spec.workloads):
        return style.empty("not run in this mode")
    return kinds[spec.kind](spec, plan, table)


def same_scale(spec: FigureSpec, drawn: Sequence[Figure]) -> None:
    """Give figures of one thing under several readings the same heights, so that they compare."""
    if spec.kind not in ("bars", "latency") or len(drawn) < 2:
        return
    areas = [axes for figure in drawn for axes in figure.axes]
    top = max(axes.get_ylim()[1] for axes in areas)
    for axes in areas:
        axes.set_ylim(0, top)


def _bars(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw a measure of every scheme relative to the reference, by workload and on average."""
    schemes = _schemes(spec, table)
    figure, (axes,) = style.panels(1, 1, 3.2)
    names = [*table.workloads, "mean"]
    width = 0.8 / len(schemes)
    means = table.relative_means(spec.measure)
    for i, scheme in enumerate(schemes):
        heights = [table.relative(spec.measure, scheme, name) for name in table.workloads]
        heights.append(means.get(scheme))
        places = [x + (i - (len(schemes) - 1) / 2) * width for x in range(len(names))]
        known = [(x, h) for x, h in zip(places, heights, strict=True) if h is not None]
        colour = style.scheme_colour(plan.schemes.index(scheme))
        axes.bar([x for x, _ in known], [h for _, h in known], width * 0.92, color=colour)
        _whiskers(axes, spec, scheme, table, places)
    _mark_missing(axes, spec, table, names)
    axes.axhline(1.0, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0.9)
    axes.axvline(len(names) - 1.5, color=style.INK, lw=0.5, alpha=0.5)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel(f"relative to {table.reference}")
    style.only_horizontal(axes)
    _key(figure, plan, schemes)
    return figure


def _whiskers(
    axes: Axes, spec: FigureSpec, scheme: str, table: Table, places: Sequence[float]
) -> None:
    """Show how far the seeds spread."""
    for x, name in zip(places, table.workloads, strict=False):
        each = [table.relative(spec.measure, scheme, name, seed) for seed in table.seeds]
        ratios = [ratio for ratio in each if ratio is not None]
        if len(ratios) > 1:
            axes.plot([x, x], [min(ratios), max(ratios)], color=style.INK, lw=1.0)


def _mark_missing(axes: Axes, spec: FigureSpec, table: Table, names: Sequence[str]) -> None:
    """Say where there is nothing to divide by."""
    for x, name in enumerate(names[:-1]):
        if table.relative(spec.measure, table.reference, name) is None:
            axes.text(x, 0.03, "none", ha="center", fontsize=8, color=style.INK)


def _shares(spec: FigureSpec, _: Plan, table: Table) -> Figure:
    """Draw the shares that make up a whole, one stacked bar per workload."""
    figure, (axes,) = style.panels(1, 1, 2.8)
    bottoms = [0.0] * len(table.workloads)
    handles = []
    for i, measure in enumerate(spec.measures):
        means = [table.mean(measure, spec.scheme, name) for name in table.workloads]
        heights = [mean or 0.0 for mean in means]
        colour = style.scheme_colour(i)
        handles.append(axes.bar(table.workloads, heights, 0.6, bottom=bottoms, color=colour))
        bottoms = [b + h for b, h in zip(bottoms, heights, strict=True)]
    axes.set_ylabel(spec.label)
    axes.set_ylim(0, 1)
    style.only_horizontal(axes)
    style.swatches(figure, handles, spec.names or spec.measures)
    return figure


def _series(spec: FigureSpec, _: Plan, table: Table) -> Figure:
    """Draw a scheme's own series over processed writes, one small panel per workload."""
    count = len(table.workloads)
    figure, areas = layout.grid(count, min(4, count), 0.4, 1.7, sharey=True)
    for axes, name in zip(areas, table.workloads, strict=True):
        document = table.documents[(name, spec.scheme, table.seeds[0])]
        step, values = series(document, spec.column)
        writes = [(place + 1) * step / 1000 for place in range(len(values))]
        axes.plot(writes, values, color=style.scheme_colour(0), lw=1.2)
        if spec.limits:
            axes.set_ylim(*spec.limits)
        style.title(axes, name)
        axes.set_xlabel("thousand writes")
    areas[0].set_ylabel(spec.title.split(" over ")[0])
    return figure


def _several_series(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw a series of several schemes over the bytes written, with the range over the seeds."""
    figure, shown = panels.of_workloads(
        spec.workloads, table, 2.8, across="GiB written", label=spec.label
    )
    schemes = _schemes(spec, table)
    for name, axes in shown.items():
        for scheme in schemes:
            _banded(axes, spec, plan, table, name, scheme)
        if spec.limits:
            axes.set_ylim(*spec.limits)
        if spec.scale == "bytes":
            _byte_axis(axes)
    _key(figure, plan, schemes)
    return figure


def _byte_axis(axes: Axes) -> None:
    """Make the vertical axis one of powers of two, written as sizes."""
    low, high = axes.get_ylim()
    powers = range(math.ceil(math.log2(max(low, 1))), math.floor(math.log2(high)) + 1)
    axes.set_yscale("log", base=2)
    axes.set_yticks([2**p for p in powers], [units.size(2**p) for p in powers], minor=False)
    axes.minorticks_off()


def _banded(
    axes: Axes, spec: FigureSpec, plan: Plan, table: Table, workload: str, scheme: str
) -> None:
    """Draw the first seed's series as a line, and how far the seeds are apart behind it."""
    keys = [(workload, scheme, seed) for seed in table.seeds]
    found = [series(table.documents[key], spec.column) for key in keys if key in table.documents]
    if not found or not found[0][1]:
        return
    colour = style.scheme_colour(plan.schemes.index(scheme))
    length = min(len(values) for _, values in found)
    written = table.documents[keys[0]]["host"]["write"]["bytes"] / 2**30
    places = [written * (place + 1) / length for place in range(length)]
    panels.band(axes, places, list(zip(*(of[:length] for _, of in found), strict=True)), colour)
    axes.plot(places, found[0][1][:length], color=colour, lw=1.2)


def _latency(spec: FigureSpec, plan: Plan, table: Table) -> Figure:
    """Draw mean write latency over the writes done, one panel per workload."""
    across, label = "thousand writes", "mean write latency (ms)"
    figure, shown = panels.of_workloads(
        spec.workloads, table, 2.6, across=across, label=label, sharey=True
    )
    schemes = _schemes(spec, table)
    for name, axes in shown.items():
        for i, scheme in enumerate(schemes):
            points = write_latency(table.documents[(name, scheme, table.seeds[0])])
            colour = style.scheme_colour(plan.schemes.index(scheme))
            thousands = [done / 1000 for done, _ in points]
            milliseconds = [us / 1000 for _, us in points]
            width, above = 1.2 + 0.9 * (len(schemes) - 1 - i), 2 + i
            axes.plot(thousands, milliseconds, color=colour, lw=width, zorder=above)
        if spec.limits:
            axes.set_xlim(*spec.limits)
        axes.set_ylim(0, None)
    _key(figure, plan, schemes)
    return figure


def _schemes(spec: FigureSpec, table: Table) -> list[str]:
    """Return the schemes that a figure shows, of those that were run."""
    return [name for name in spec.schemes or table.schemes if name in table.schemes]


def _key(figure: Figure, plan: Plan, schemes: Sequence[str]) -> None:
    colours = [style.scheme_colour(plan.schemes.index(scheme)) for scheme in schemes]
    style.swatches(figure, [Patch(color=colour) for colour in colours], schemes)
