"""The paper's figures, redrawn from our own data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from slcache.charts import spec
from slcache.charts.spec import Axis, Spec
from slcache.reproduce.measures import series, write_latency
from slcache.reproduce.optima import optimum
from slcache.reproduce.parts import FigureSpec
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Table
from slcache.words import units

_WIDE = 4
#: Lines whose peaks are that many times apart share no even axis.
_FAR = 50
#: Points of a series, at most.
_MOST = 400
#: How bars are told, and what the schemes beside a grid are drawn with.
_MEAN, _PLAIN = "mean", [1, 0]
_DASHES = ([6, 2], [2, 2], [1, 1])


def draw(figure: FigureSpec, plan: Plan, table: Table) -> Spec:
    """Return one of the paper's figures."""
    kinds = {
        "bars": _bars,
        "shares": _shares,
        "breakdown": _breakdown,
        "breakdown-by-point": _breakdown_by_point,
        "series": _series,
        "several-series": _several_series,
        "latency": _latency,
        "map": _map,
        "over-grid": _over_grid,
        "lines-by-workload": _lines,
        "lines-by-measure": _lines,
        "lines-by-grid": _lines,
    }
    if not table.run_of(figure.workloads):
        return spec.empty("not run in this mode")
    return kinds[figure.kind](figure, plan, table)


def same_scale(figure: FigureSpec, drawn: Sequence[Spec]) -> None:
    """Give figures of one thing under several readings the same heights, so that they compare."""
    if figure.kind in ("bars", "latency") and len(drawn) > 1:
        spec.same_range(panel for picture in drawn for panel in picture["concat"])


# ---- Bars.


def _bars(figure: FigureSpec, plan: Plan, table: Table) -> Spec:
    """Draw a measure of every scheme relative to the reference, by workload and on average."""
    looks = _looks(figure, plan, table)
    means = table.relative_means(figure.measure)
    rows = []
    for scheme in looks:
        for name in [*table.workloads, _MEAN]:
            own = (
                means.get(scheme) if name == _MEAN else table.relative(figure.measure, scheme, name)
            )
            if own is not None:
                seeds = [] if name == _MEAN else [
                    table.relative(figure.measure, scheme, name, seed) for seed in table.seeds
                ]  # fmt: skip
                known = [ratio for ratio in seeds if ratio is not None] or [own]
                row = {"row": name, "key": scheme, "y": own, "told": f"{own:.3g}"}
                rows.append(row | {"low": min(known), "high": max(known)})
    names = [*table.workloads, _MEAN]
    up = Axis(f"relative to {table.reference}", low=0)
    bars = spec.bars(rows, names, up, looks)
    layers = [bars, spec.rule(y=1.0)]
    if spread := [row for row in rows if row["low"] != row["high"]]:
        across = {way: bars["encoding"][way] for way in ("x", "xOffset") if way in bars["encoding"]}
        ends = {"y": up.channel("low") | {"title": up.title}, "y2": {"field": "high"}}
        layers.append(
            {"data": spec.data(spread), "mark": {"type": "rule"}, "encoding": {**across, **ends}}
        )
    missing = [
        {"row": name, "text": "none", "y": 0}
        for name in table.workloads
        if table.relative(figure.measure, table.reference, name) is None
    ]
    if missing:
        at = (bars["encoding"]["x"], up.channel("y"))
        layers.append(spec.notes(missing, *at, align="center", dy=-6, dx=0))
    return spec.picture([spec.panel(*layers, height=220)])


def _shares(figure: FigureSpec, _: Plan, table: Table) -> Spec:
    """Draw the shares that make up a whole, one stacked bar per workload."""
    looks = spec.colours(figure.names or figure.measures)
    parts = {
        name: [table.mean(measure, figure.scheme, name) or 0.0 for measure in figure.measures]
        for name in table.workloads
    }
    bars = _stacked(parts, looks, Axis(figure.label, "share", low=0, high=1))
    return spec.picture([spec.panel(bars)])


def _breakdown(figure: FigureSpec, _: Plan, table: Table) -> Spec:
    """Draw the parts of every scheme's total, by workload, relative to the reference's total."""
    panels = []
    names = table.run_of(figure.workloads)
    for workload in names:
        whole = sum(_parts(figure, table, table.reference, workload)) or 1.0
        parts = {
            scheme: [part / whole for part in _parts(figure, table, scheme, workload)]
            for scheme in figure.schemes or table.schemes
        }
        panels.append((workload, parts))
    label = figure.label or f"time relative to {table.reference}"
    return _broken_down(figure, panels, label)


def _breakdown_by_point(figure: FigureSpec, plan: Plan, table: Table) -> Spec:
    """Draw the parts of grids' totals for every point of theirs, one panel per workload."""
    panels = []
    for workload in table.run_of(figure.workloads):
        points: dict[str, list[tuple[str, list[float]]]] = {}
        for variant in plan.expand(figure.schemes):
            title = ", ".join(f"{100 * value:g} %" for value in variant.point)
            parts = _parts(figure, table, variant.name, workload)
            points.setdefault(title, []).append((f"{title} {variant.grid}", parts))
        panels.append((workload, dict(bar for bars in points.values() for bar in bars)))
    return _broken_down(figure, panels, figure.label)


def _parts(figure: FigureSpec, table: Table, scheme: str, workload: str) -> list[float]:
    return [table.mean(measure, scheme, workload) or 0.0 for measure in figure.measures]


def _broken_down(
    figure: FigureSpec, panels: Sequence[tuple[str, Mapping[str, Sequence[float]]]], label: str
) -> Spec:
    looks = spec.colours(figure.names or figure.measures)
    drawn = [
        spec.panel(_stacked(parts, looks, Axis(label, low=0)), title=title)
        for title, parts in panels
    ]
    tops = (sum(parts) for _, of in panels for parts in of.values())
    most = max(tops, default=1.0)
    for panel in drawn:
        for layer in panel["layer"]:
            layer["encoding"]["y"]["scale"]["domainMax"] = most
    return spec.picture(drawn, columns=_WIDE)


def _stacked(bars: Mapping[str, Sequence[float]], looks: Mapping[str, str], up: Axis) -> Spec:
    """Return bars of parts, each with its name below it."""
    rows = [
        {"row": name, "key": part, "y": size, "place": place, "told": f"{size:.3g}"}
        for name, parts in bars.items()
        for place, (part, size) in enumerate(zip(looks, parts, strict=True))
    ]
    return spec.bars(rows, list(bars), up, looks, stacked=True)


# ---- Series.


def _series(figure: FigureSpec, _: Plan, table: Table) -> Spec:
    """Draw a scheme's own series over processed writes, one small panel per workload."""
    across, up = Axis("thousand writes"), _limited(figure, figure.title.split(" over ")[0])
    panels = []
    for name in table.workloads:
        document = table.documents[(name, figure.scheme, table.seeds[0])]
        step, values = series(document, figure.column)
        writes = [(place + 1) * step / 1000 for place in range(len(values))]
        curve = {figure.scheme: _thinned(writes, values)}
        layer = spec.lines(curve, across, up, spec.colours(curve))
        panels.append(spec.panel(layer, title=name, height=130))
    return spec.picture(panels, columns=_WIDE)


def _several_series(figure: FigureSpec, plan: Plan, table: Table) -> Spec:
    """Draw a series of several schemes over the bytes written, with the range over the seeds."""
    looks, across = _looks(figure, plan, table), Axis("GiB written")
    up = _limited(figure, figure.label)
    panels = []
    for workload in table.run_of(figure.workloads):
        layers = []
        for scheme in looks:
            keys = [(workload, scheme, seed) for seed in table.seeds]
            found = [
                series(table.documents[k], figure.column)[1] for k in keys if k in table.documents
            ]
            if not found or not found[0]:
                continue
            length = min(map(len, found))
            written = table.documents[keys[0]]["host"]["write"]["bytes"] / 2**30
            places = [written * (place + 1) / length for place in range(length)]
            layers.append(_band(places, [of[:length] for of in found], looks[scheme], across, up))
            curve = {scheme: _thinned(places, found[0][:length])}
            layers.append(spec.lines(curve, across, up, looks, strokeDash=_PLAIN))
        panels.append(spec.panel(*layers or [spec.blank()], title=workload, height=190))
    return spec.picture(panels, columns=_WIDE)


def _latency(figure: FigureSpec, plan: Plan, table: Table) -> Spec:
    """Draw mean write latency over the writes done, one panel per workload."""
    looks = _looks(figure, plan, table)
    low, high = figure.limits or (None, None)
    across, up = Axis("thousand writes", low=low, high=high), Axis("mean write latency (ms)", low=0)
    panels = []
    for name in table.run_of(figure.workloads):
        curves = {}
        for scheme in looks:
            points = write_latency(table.documents[(name, scheme, table.seeds[0])])
            curves[scheme] = _thinned(
                [at / 1000 for at, _ in points], [us / 1000 for _, us in points]
            )
        layer = spec.lines(curves, across, up, looks, strokeDash=_PLAIN, clip=True)
        panels.append(spec.panel(layer, title=name, height=180))
    spec.same_range(panels)
    return spec.picture(panels, columns=_WIDE)


def _limited(figure: FigureSpec, title: str) -> Axis:
    """Return the vertical axis that a figure asks for."""
    low, high = figure.limits or (None, None)
    sizes = figure.scale == "bytes"
    return Axis(title, "size" if sizes else "number", log=sizes, low=low, high=high)


# ---- Lines over a grid.


def _lines(figure: FigureSpec, _: Plan, table: Table) -> Spec:
    """Draw measures over a grid of one setting: a panel per measure or per trace."""
    traces = table.run_of(figure.workloads)
    shown: list[tuple[str, list[tuple[str, str, str, str]]]]
    if figure.kind == "lines-by-workload":
        shown = [
            (title, [(w, measure, figure.scheme, w) for w in traces])
            for measure, title in zip(figure.measures, figure.names, strict=True)
        ]
    elif figure.kind == "lines-by-measure":
        named = list(zip(figure.names, figure.measures, strict=True))
        shown = [(w, [(n, m, figure.scheme, w) for n, m in named]) for w in traces]
    else:
        grids = list(zip(figure.names or figure.schemes, figure.schemes, strict=True))
        shown = [(w, [(n, figure.measure, grid, w) for n, grid in grids]) for w in traces]
    looks = spec.colours(name for name, *_ in shown[0][1])
    panels = []
    for title, lines in shown:
        means = [curve(figure, table, measure, grid, w) for _, measure, grid, w in lines]
        peaks = [max(each.values()) for each in means if each]
        far = bool(peaks) and 0 < min(peaks) < max(peaks) / _FAR and not figure.relative_to
        up = Axis(figure.label, log=far, low=None if far else 0)
        layers = [
            layer
            for (name, *of), found in zip(lines, means, strict=True)
            for layer in _line(figure, table, name, of, found, looks, up)
        ]
        if figure.relative_to:
            layers.append(spec.rule(y=1.0))
        panels.append(spec.panel(*layers or [spec.blank()], title=title, height=180))
    return spec.picture(panels, columns=_WIDE)


def _over_grid(figure: FigureSpec, _: Plan, table: Table) -> Spec:
    """Draw measures over the settings of a grid, one panel per workload, and the range of seeds.

    `schemes` are drawn as horizontal lines, since they have one figure each; `which` marks the
    optimum of the first measure.
    """
    measures = figure.measures or [figure.measure]
    names = figure.names or [figure.scheme]
    looks = spec.colours([*names, *figure.schemes])
    time = figure.scale == "time"
    up = Axis(figure.label, "time" if time else "number", log=time, low=None if time else 0)
    panels = []
    for workload in table.run_of(figure.workloads):
        layers: list[Spec] = []
        for name, measure in zip(names, measures, strict=True):
            of = [measure, figure.scheme, workload]
            means = curve(figure, table, measure, figure.scheme, workload)
            layers += _line(figure, table, name, of, means, looks, up)
            if means and figure.which and name == names[0]:
                best = optimum(means, figure.which)
                told = f"{figure.which}: {means[best]:.4g} at {best:g}"
                star = {"key": name, "x": best * figure.times, "y": means[best], "told": told}
                mark: dict[str, Any] = {"shape": _STAR, "size": 260, "strokeWidth": 1}
                at = spec.points([star], Axis(figure.across), up, looks, shown=False, **mark)
                at["encoding"]["color"] = {"value": looks[name]}
                layers.append(at)
        for scheme, dash in zip(figure.schemes, _DASHES, strict=False):
            mean = table.mean(measures[0], scheme, workload)
            if mean is not None:
                level = spec.rule(y=mean, strokeDash=dash, strokeWidth=1.8)
                level["data"] = spec.data([{"key": scheme, "told": f"{mean:.4g}"}])
                tips = {"tooltip": spec.tip(name="key", value="told")}
                level["encoding"] |= {"color": spec.key(looks, symbol="stroke"), **tips}
                layers.append(level)
        panels.append(spec.panel(*layers or [spec.blank()], title=workload, height=230))
    return spec.picture(panels, columns=_WIDE)


def _line(
    figure: FigureSpec,
    table: Table,
    name: str,
    of: Sequence[str],
    means: Mapping[float, float],
    looks: Mapping[str, str],
    up: Axis,
) -> Iterable[Spec]:
    """Yield means as a line, and how far the seeds are apart behind it."""
    if not means:
        return
    measure, grid, workload = of
    across = Axis(figure.across)
    places = [figure.times * at for at in means]
    seeds = [curve(figure, table, measure, grid, workload, seed) for seed in table.seeds]
    each = [[own.get(at, math.nan) for at in means] for own in seeds]
    yield _band(places, each, looks[name], across, up)
    dots: dict[str, Any] = {"point": {"size": 22, "filled": True}, "strokeDash": _PLAIN}
    yield spec.lines({name: (places, list(means.values()))}, across, up, looks, **dots)


_STAR = (
    "M0,-1L0.22,-0.31L0.95,-0.31L0.36,0.12L0.59,0.81L0,0.38L-0.59,0.81L-0.36,0.12L-0.95,-0.31"
    "L-0.22,-0.31Z"
)


def curve(
    figure: FigureSpec,
    table: Table,
    measure: str,
    grid: str,
    workload: str,
    seed: int | None = None,
) -> Mapping[float, float]:
    """Return what is drawn of a measure: as it is, or in parts of what the figure relates it to."""
    own = table.curve(measure, grid, workload, seed)
    if not figure.relative_to:
        return {at: value / figure.per for at, value in own.items()}
    others = table.beside(own, measure, figure.relative_to, workload, seed)
    return {at: value / others[at] for at, value in own.items() if others.get(at)}


_BEST: dict[str, Any] = {
    "align": "center", "dx": 0, "fontSize": 16, "color": "white", "stroke": "black",
    "strokeWidth": 0.6,
}  # fmt: skip


def _map(figure: FigureSpec, plan: Plan, table: Table) -> Spec:
    """Draw a measure over a grid of two settings, one panel per workload, the best one marked."""
    (grid,) = (grid for grid in plan.grids if grid.name == figure.scheme)
    down, across = grid.vary.values()
    sizes, shares = list(map(units.size, across)), [f"{each:g}" for each in down]
    panels = []
    for workload in table.workloads:
        values = [table.mean(figure.measure, each.name, workload) for each in grid.variants()]
        rows = [
            {
                "x": sizes[place % len(sizes)], "y": shares[place // len(sizes)], "value": value,
                "told": "–" if value is None else f"{value:.4g}", "text": "★",
            }
            for place, value in enumerate(values)
        ]  # fmt: skip
        x = spec.names_axis("x", sizes)
        x["axis"]["labelAngle"] = -90
        y = spec.names_axis("y", shares[::-1], title=figure.label)
        colour = {
            "field": "value", "type": "quantitative", "title": None,
            "scale": {"scheme": "viridis", "zero": False}, "legend": {"gradientLength": 150},
        }  # fmt: skip
        layers = spec.cells(rows, x, y, colour, written=False)
        known = [value for value in values if value is not None]
        if known:
            best = rows[values.index(max(known))]
            layers.append(spec.notes([best], x, y, **_BEST))
        panels.append(spec.panel(*layers, title=workload, height=170))
    return spec.picture(panels, columns=3, room=100, one_key=False, zoom=False)


# ---- What they share.


def _band(
    places: Sequence[float], each: Sequence[Sequence[float]], colour: str, across: Axis, up: Axis
) -> Spec:
    """Return how far the seeds are apart as a band behind a line."""
    known = [[v for v in of if math.isfinite(v)] for of in zip(*each, strict=True)]
    low = [min(of, default=None) for of in known]
    high = [max(of, default=None) for of in known]
    step = max(1, len(places) // _MOST)
    columns = {
        "x": spec.short(places[::step], 8),
        "y": spec.short(low[::step]),
        "high": spec.short(high[::step]),
    }
    return {
        "data": spec.data([columns]),
        "transform": [{"flatten": ["x", "y", "high"]}],
        "mark": {"type": "area", "color": colour, "fillOpacity": 0.2, "clip": True},
        "encoding": {"x": across.channel("x"), "y": up.channel("y"), "y2": {"field": "high"}},
    }


def _thinned(xs: Sequence[float], ys: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    step = max(1, len(xs) // _MOST)
    return xs[::step], ys[::step]


def _looks(figure: FigureSpec, plan: Plan, table: Table) -> dict[str, str]:
    """Return the schemes that a figure shows, of those that were run, in the plan's colours."""
    shown = [name for name in figure.schemes or table.schemes if name in table.schemes]
    return {scheme: spec.colour(plan.schemes.index(scheme)) for scheme in shown}
