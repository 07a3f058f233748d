"""The paper's figures, redrawn from our own data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.charts.study import heat_map
from slcache.reproduce.measures import series, write_latency
from slcache.reproduce.parts import FigureSpec
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Curve, PointTable, optimum
from slcache.study.analysis import means_over

_WIDE = 4
#: Lines whose peaks are that many times apart share no even axis.
_FAR = 50
#: Points of a series, at most.
_MOST = 400
#: How bars are told, and what the schemes beside a grid are drawn with.
_MEAN, _PLAIN = "mean", [1, 0]
_DASHES = ([6, 2], [2, 2], [1, 1])
_STAR = (
    "M0,-1L0.22,-0.31L0.95,-0.31L0.36,0.12L0.59,0.81L0,0.38L-0.59,0.81L-0.36,0.12L-0.95,-0.31"
    "L-0.22,-0.31Z"
)
Looks = Mapping[str, str]
#: Layers by the title of their panel.
Panels = Mapping[str, Sequence[Spec]]


def draw(figure: FigureSpec, plan: Plan, table: PointTable) -> Spec:
    """Return one of the paper's figures."""
    if not table.run_of(figure.workloads):
        return layout.empty("not run in this mode")
    return KINDS[figure.kind](Drawing(figure, plan, table))


def same_scale(figure: FigureSpec, drawn: Sequence[Spec]) -> None:
    """Give figures of one thing under several readings the same heights, so that they compare."""
    if figure.kind in ("bars", "latency") and len(drawn) > 1:
        layout.same_range(panel for picture in drawn for panel in picture["concat"])


def _picture(panels: Panels, height: int = 200) -> Spec:
    drawn = [
        layout.panel(*layers or [layout.blank()], title=title, height=height)
        for title, layers in panels.items()
    ]
    return layout.picture(drawn, columns=_WIDE)


def _thinned(xs: Sequence[float], ys: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    step = max(1, len(xs) // _MOST)
    return xs[::step], ys[::step]


def _stacked(bars: Mapping[str, Sequence[float]], looks: Looks, up: Axis) -> Spec:
    """Return bars of parts, each with its name below it."""
    rows = [
        {"row": name, "key": part, "y": size, "place": place, "told": f"{size:.3g}"}
        for name, parts in bars.items()
        for place, (part, size) in enumerate(zip(looks, parts, strict=True))
    ]
    return spec.bars(rows, list(bars), up, looks, stacked=True)


@dataclass(frozen=True)
class Drawing:
    """A figure and what it is drawn from."""

    figure: FigureSpec
    plan: Plan
    table: PointTable

    @property
    def workloads(self) -> list[str]:
        """The workloads that are shown."""
        return self.table.run_of(self.figure.workloads)

    def looks(self) -> dict[str, str]:
        """Return the schemes that are shown, of those that were run, in the plan's colours."""
        shown = [s for s in self.figure.schemes or self.table.schemes if s in self.table.schemes]
        return {scheme: spec.colour(self.plan.schemes.index(scheme)) for scheme in shown}

    def parts(self, scheme: str, workload: str) -> list[float]:
        """Return the measures of a scheme, 0 for what it does not have."""
        return [self.table.mean(m, scheme, workload) or 0.0 for m in self.figure.measures]

    def curve(self, measure: str, grid: str, workload: str, seed: int | None = None) -> Curve:
        """Return what is drawn of a measure: as it is, or in parts of what it is related to."""
        if self.figure.relative_to:
            return self.table.ratios(measure, grid, self.figure.relative_to, workload, seed)
        own = self.table.curve(measure, grid, workload, seed) if self.table.is_grid(grid) else {}
        return {at: of / self.figure.per for at, of in own.items()}

    # ---- Bars.

    def bars(self) -> Spec:
        """Draw a measure of every scheme relative to the reference, by workload and on average."""
        table, measure, looks = self.table, self.figure.measure, self.looks()
        means = table.relative_means(measure)
        rows = []
        for scheme in looks:
            for name in [*table.workloads, _MEAN]:
                seeds = [] if name == _MEAN else table.seeds
                own = means.get(scheme) if name == _MEAN else table.relative(measure, scheme, name)
                if own is not None:
                    ratios = (table.relative(measure, scheme, name, seed) for seed in seeds)
                    known = [ratio for ratio in ratios if ratio is not None] or [own]
                    row = {"row": name, "key": scheme, "y": own, "told": f"{own:.3g}"}
                    rows.append(row | {"low": min(known), "high": max(known)})
        up = Axis(f"relative to {table.reference}", low=0)
        bars = spec.bars(rows, [*table.workloads, _MEAN], up, looks)
        encoding = bars["encoding"]
        layers = [bars, spec.rule(y=1.0)]
        if spread := [row for row in rows if row["low"] != row["high"]]:
            across = {way: encoding[way] for way in ("x", "xOffset") if way in encoding}
            ends = {"y": up.channel("low") | {"title": up.title}, "y2": {"field": "high"}}
            ruled = {"data": spec.data(spread), "mark": {"type": "rule"}}
            layers.append({**ruled, "encoding": {**across, **ends}})
        missing = [
            {"row": name, "text": "none", "y": 0}
            for name in table.workloads
            if table.relative(measure, table.reference, name) is None
        ]
        if missing:
            at = (encoding["x"], up.channel("y"))
            layers.append(spec.notes(missing, *at, align="center", dy=-6, dx=0))
        return layout.picture([layout.panel(*layers, height=220)])

    def stacked(self) -> Spec:
        """Draw the parts that make up a whole as bars: `shares` of a scheme by workload.

        Those of every scheme (`breakdown`) are relative to the reference's total, those of grids'
        points (`breakdown-by-point`) as they are.
        """
        figure, table = self.figure, self.table
        panels: dict[str, dict[str, list[float]]] = {}
        up = Axis(figure.label, low=0)
        if figure.kind == "shares":
            up = Axis(figure.label, "share", low=0, high=1)
            panels[""] = {name: self.parts(figure.scheme, name) for name in table.workloads}
        for workload in [] if panels else self.workloads:
            if figure.kind == "breakdown":
                up = Axis(f"time relative to {table.reference}", low=0)
                whole = sum(self.parts(table.reference, workload)) or 1.0
                panels[workload] = {
                    scheme: [part / whole for part in self.parts(scheme, workload)]
                    for scheme in figure.schemes or table.schemes
                }
                continue
            panels[workload] = {
                f"{', '.join(f'{100 * at:g} %' for at in each.point)} {each.grid}": self.parts(
                    each.name, workload
                )
                for each in sorted(self.plan.expand(figure.schemes), key=lambda each: each.point)
            }
        looks = spec.colours(figure.names or figure.measures)
        picture = _picture({title: [_stacked(of, looks, up)] for title, of in panels.items()})
        if figure.kind != "shares":
            most = max((sum(parts) for of in panels.values() for parts in of.values()), default=1.0)
            for panel in picture["concat"]:
                panel["layer"][0]["encoding"]["y"]["scale"]["domainMax"] = most
        return picture

    # ---- Series.

    def series(self) -> Spec:
        """Draw a series of the schemes' own over the bytes written, with the seeds' range."""
        looks, across = self.looks(), Axis("GiB written")
        low, high = self.figure.limits or (None, None)
        sizes, documents = self.figure.scale == "bytes", self.table.documents
        up = Axis(self.figure.label, "size" if sizes else "number", log=sizes, low=low, high=high)
        panels: dict[str, list[Spec]] = {}
        for workload in self.workloads:
            layers = panels.setdefault(workload, [])
            for scheme in looks:
                keys = [(workload, scheme, seed) for seed in self.table.seeds]
                found = [
                    series(documents[k], self.figure.column)[1] for k in keys if k in documents
                ]
                if found and found[0]:
                    length = min(map(len, found))
                    written = documents[keys[0]]["host"]["write"]["bytes"] / 2**30
                    places = [written * (place + 1) / length for place in range(length)]
                    each = [of[:length] for of in found]
                    curve = {scheme: _thinned(places, each[0])}
                    layers.append(_band(places, each, looks[scheme], across, up))
                    layers.append(spec.lines(curve, across, up, looks, strokeDash=_PLAIN))
        return _picture(panels, 190)

    def latency(self) -> Spec:
        """Draw mean write latency over the writes done, one panel per workload."""
        looks, first = self.looks(), self.table.seeds[0]
        low, high = self.figure.limits or (None, None)
        across = Axis("thousand writes", low=low, high=high)
        up, panels = Axis("mean write latency (ms)", low=0), {}
        for name in self.workloads:
            curves = {}
            for scheme in looks:
                points = write_latency(self.table.documents[(name, scheme, first)])
                done, us = [at / 1000 for at, _ in points], [us / 1000 for _, us in points]
                curves[scheme] = _thinned(done, us)
            panels[name] = [spec.lines(curves, across, up, looks, strokeDash=_PLAIN, clip=True)]
        picture = _picture(panels, 180)
        layout.same_range(picture["concat"])
        return picture

    # ---- Lines over a grid.

    def lines(self) -> Spec:
        """Draw measures over the settings of a grid: a panel per measure or per trace.

        By measure, `schemes` are horizontal lines, since they have one figure each, and `which`
        marks the optimum of the first measure.
        """
        figure, traces, grid = self.figure, self.workloads, self.figure.scheme
        measures = figure.measures or [figure.measure]
        named = list(zip(figure.names or [grid], measures, strict=False))
        # Panels, each of lines: name, measure, grid and trace.
        shown = {
            "lines-by-workload": {t: [(w, (m, grid, w)) for w in traces] for t, m in named},
            "lines-by-measure": {w: [(n, (m, grid, w)) for n, m in named] for w in traces},
            "lines-by-grid": {
                w: [(g, (measures[0], g, w)) for g in figure.schemes] for w in traces
            },
        }[figure.kind]
        levels = figure.schemes if figure.kind == "lines-by-measure" else []
        looks = spec.colours([*(name for name, _ in next(iter(shown.values()))), *levels])
        kind = "time" if figure.scale == "time" else "number"
        panels = {}
        for title, lines in shown.items():
            peaks = [max(c.values()) for _, of in lines if (c := self.curve(*of))]
            far = bool(peaks) and 0 < min(peaks) < max(peaks) / _FAR and not figure.relative_to
            far = far or kind == "time"
            up = Axis(figure.label, kind, log=far, low=None if far else 0)
            layers = [layer for name, of in lines for layer in self.line(name, of, looks, up)]
            name, of = lines[0]
            if figure.which and (means := self.curve(*of)):
                layers.append(self.star(name, means, looks, up))
            for scheme, dash in zip(levels, _DASHES, strict=False):
                if (mean := self.table.mean(measures[0], scheme, title)) is not None:
                    layers.append(_level(scheme, mean, looks, dash))
            panels[title] = layers + ([spec.rule(y=1.0)] if figure.relative_to else [])
        return _picture(panels, 200)

    def star(self, name: str, means: Curve, looks: Looks, up: Axis) -> Spec:
        """Return a mark at the optimum of a line."""
        best = optimum(means, self.figure.which)
        told = f"{self.figure.which}: {means[best]:.4g} at {best:g}"
        star = {"key": name, "x": best * self.figure.times, "y": means[best], "told": told}
        mark: dict[str, Any] = {"shape": _STAR, "size": 260, "strokeWidth": 1}
        at = spec.points([star], Axis(self.figure.across), up, looks, shown=False, **mark)
        at["encoding"]["color"] = {"value": looks[name]}
        return at

    def line(self, name: str, of: tuple[str, str, str], looks: Looks, up: Axis) -> Iterator[Spec]:
        """Yield the means of a measure, grid and trace as a line, with the seeds' range."""
        means, across = self.curve(*of), Axis(self.figure.across)
        if means:
            places = [self.figure.times * at for at in means]
            seeds = [self.curve(*of, seed) for seed in self.table.seeds]
            each = [[own.get(at, math.nan) for at in means] for own in seeds]
            yield _band(places, each, looks[name], across, up)
            dots: dict[str, Any] = {"point": {"size": 22, "filled": True}, "strokeDash": _PLAIN}
            yield spec.lines({name: (places, list(means.values()))}, across, up, looks, **dots)

    def map(self) -> Spec:
        """Draw a measure over a grid of two settings, one panel per workload."""
        figure, table = self.figure, self.table
        (grid,) = (grid for grid in self.plan.grids if grid.name == figure.scheme)
        found = [
            (workload, *each.point, mean)
            for workload in table.workloads
            for each in grid.variants
            if (mean := table.mean(figure.measure, each.name, workload)) is not None
        ]
        names, ups, acrosses, means = (list(column) for column in zip(*found, strict=True))
        maps = means_over(acrosses, ups, means, names)
        return heat_map(figure.measure, figure.across, figure.label, maps, "{:.4g}".format)


KINDS: dict[str, Callable[[Drawing], Spec]] = {
    "bars": Drawing.bars,
    "shares": Drawing.stacked,
    "breakdown": Drawing.stacked,
    "breakdown-by-point": Drawing.stacked,
    "series": Drawing.series,
    "latency": Drawing.latency,
    "map": Drawing.map,
    "lines-by-workload": Drawing.lines,
    "lines-by-measure": Drawing.lines,
    "lines-by-grid": Drawing.lines,
}


def _level(scheme: str, mean: float, looks: Looks, dash: Sequence[int]) -> Spec:
    """Return a horizontal line of a scheme that has one figure."""
    level = spec.rule(y=mean, strokeDash=dash, strokeWidth=1.8)
    level["data"] = spec.data([{"key": scheme, "told": f"{mean:.4g}"}])
    tips = {"tooltip": spec.tip(name="key", value="told")}
    level["encoding"] |= {"color": spec.key(looks, symbol="stroke"), **tips}
    return level


def _band(
    places: Sequence[float], each: Sequence[Sequence[float]], colour: str, across: Axis, up: Axis
) -> Spec:
    """Return how far the seeds are apart as a band behind a line."""
    known = [[v for v in of if math.isfinite(v)] for of in zip(*each, strict=True)]
    step = max(1, len(places) // _MOST)
    columns = {
        "x": spec.short(places[::step], 8),
        "y": spec.short([min(of, default=None) for of in known][::step]),
        "high": spec.short([max(of, default=None) for of in known][::step]),
    }
    return {
        "data": spec.data([columns]),
        "transform": [{"flatten": ["x", "y", "high"]}],
        "mark": {"type": "area", "color": colour, "fillOpacity": 0.2, "clip": True},
        "encoding": {"x": across.channel("x"), "y": up.channel("y"), "y2": {"field": "high"}},
    }
