"""Charts of studies and searches: fronts, effects, maps, seeds, and how a search went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from typing import Any

import numpy as np

from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.metrics import Goal, metric_of
from slcache.study.analysis import Effect, MapCells
from slcache.study.fronts import SeedSpread
from slcache.study.outcome import Setting, figure_text, interval_text, level_text, short_files

_COLUMNS = 3
#: So many metrics of a front, parameters and configurations are drawn, the first.
FRONT_MOST, EFFECTS_MOST, SPREAD_MOST = 4, 9, 40
_NAMED = 16
#: Names of levels are cut to so many letters.
_NAME_MOST = 20
#: Cells have their value written in them where no map has more rows or columns than this.
_WRITTEN = 8
_KINDS = {"ns": ("time", 1e3), "J": ("energy", 1.0)}


def metric_axis(name: str, values: Iterable[float | None], title: str | None = None) -> Axis:
    """Return the axis of a metric's values, in its unit."""
    known = [value for value in values if value is not None]
    unit, log = metric_of(name).unit, spec.is_far(known)
    title = name if title is None else title
    if unit in _KINDS:
        kind, per = _KINDS[unit]
        return Axis(title, kind, log=log, per=per)
    if unit.startswith("bytes"):
        rate = unit.removeprefix("bytes")
        if log:
            return Axis(f"{title} ({rate[1:]})" if rate else title, "size", log=True)
        axis = spec.sized(title, max(map(abs, known), default=1.0))
        return Axis(axis.title, per=axis.per, unit=axis.unit + rate)
    return Axis(title, log=log)


# ---- The Pareto front.


def front(
    metrics: Sequence[str],
    goals: Sequence[Goal],
    points: Sequence[Sequence[float]],
    best: Sequence[int],
    groups: Sequence[str] = (),
    names: Sequence[str] = (),
    told: Sequence[tuple[str, str]] = (),
) -> Spec:
    """Draw every pair of metrics, a row of values for each point; nothing dominates the `best`.

    `groups` names each point's scheme; pictures side by side give the same schemes the same colours
    by the same `names`. `told` is what each point is called and where the page tells more of it.
    """
    if not points or not metrics:
        return layout.empty("no front: no point has all of these metrics, or none of them differs")
    names = names or list(dict.fromkeys(groups))
    looks = spec.colours(names) if len(names) > 1 else {"points": spec.colour(0)}
    keys = list(groups) if len(names) > 1 else ["points"] * len(points)
    rows: list[Spec] = [
        {
            "key": keys[i], "best": i in set(best), "v": list(point),
            "name": told[i][0] if told else f"point {i + 1}",
            "href": told[i][1] if told else None,
            "told": ", ".join(
                f"{n} {figure_text(n, v)}" for n, v in zip(metrics, point, strict=True)
            ),
        }
        for i, point in enumerate(points)
    ]  # fmt: skip
    if len(metrics) == 1:
        order = sorted(rows, key=lambda row: row["v"][0], reverse=goals[0] == "max")
        for place, row in enumerate(order, 1):
            row["v"].append(float(place))
        y = metric_axis(metrics[0], [row[0] for row in points], _better(metrics[0], goals[0], "y"))
        panels = [layout.panel(*_points(rows, Axis("rank"), y, looks, (1, 0)), height=240)]
        return _found(panels, 1, told)
    panels = []
    pairs = list(combinations(range(min(len(metrics), FRONT_MOST)), 2))
    for x, y_ in pairs:
        across, up = (
            metric_axis(
                metrics[at], [row[at] for row in points], _better(metrics[at], goals[at], way)
            )
            for at, way in ((x, "x"), (y_, "y"))
        )
        layers = _points(rows, across, up, looks, (x, y_))
        if len(metrics) == 2:
            layers.insert(
                0, _border(sorted((points[i][x], points[i][y_]) for i in best), goals, across, up)
            )
        panels.append(layout.panel(*layers, height=280 if len(pairs) == 1 else 210))
    return _found(panels, min(_COLUMNS, len(panels)), told)


def _points(
    rows: Sequence[Mapping[str, Any]],
    x: Axis,
    y: Axis,
    looks: Mapping[str, str],
    at: tuple[int, int],
) -> list[Spec]:
    """Return points: those that something dominates small, those of the front in a ring."""
    placed = [
        {
            **{name: value for name, value in row.items() if name != "v"},
            "x": row["v"][at[0]] / x.per, "y": row["v"][at[1]] / y.per,
        }
        for row in rows
    ]  # fmt: skip
    more: Spec = {"tooltip": spec.tip(point="name", scheme="key", figures="told")}
    if any(row["href"] for row in rows):
        more["href"] = {"field": "href", "type": "nominal"}
    found = []
    for wanted, mark in ((False, {"size": 18, "fillOpacity": 0.5}), (True, _RING)):
        of = [row for row in placed if row["best"] == wanted]
        if of:
            found.append(spec.points(of, x, y, looks, encoding=more, **mark))
    return found


_RING = {
    "shape": "diamond", "size": 90, "filled": False, "strokeWidth": 2.0, "fill": "#8A9099",
    "fillOpacity": 0.01,
}  # fmt: skip


def _border(best: Sequence[tuple[float, float]], goals: Sequence[Goal], x: Axis, y: Axis) -> Spec:
    """Return the border of what the front dominates."""
    curve = {"border": spec.through(best)}
    way = "step-after" if goals[0] == "min" else "step-before"
    layer = spec.lines(
        curve, x, y, {"border": spec.GREY}, tips=False, interpolate=way, strokeWidth=1
    )
    layer["encoding"]["color"] = {"value": spec.GREY}
    return layer


def _found(panels: list[Spec], columns: int, told: Sequence[object]) -> Spec:
    """Return a picture whose points can be searched for where they have names."""
    if told:
        for each in panels:
            for layer in each["layer"]:
                if "mark" in layer:
                    shown = "indexof(lower(datum.name), lower(find)) >= 0"
                    layer["transform"] = [{"filter": shown}]
    found = layout.picture(panels, columns=columns, room=75)
    if told:
        bound = {"input": "text", "name": "show points with ", "placeholder": "name or value"}
        found["params"] = [{"name": "find", "value": "", "bind": bound}]
    return found


def _better(metric: str, goal: Goal, way: str) -> str:
    """Return an axis label that says where better is."""
    ways = {("x", "min"): "←", ("x", "max"): "→", ("y", "min"): "↓", ("y", "max"): "↑"}
    return f"{metric} {ways[way, goal]}"


# ---- Effects, maps, seeds.


def effects(metric: str, found: Sequence[Effect], short: Mapping[str, str]) -> Spec:
    """Draw a panel per parameter, with each level's mean and its points' range."""
    shown = found[:EFFECTS_MOST]
    if not shown:
        return layout.empty(f"{metric}: nothing varied among the points that have it")
    every = [v for effect in shown for level in effect.levels for v in (*level.spread, level.mean)]
    up = metric_axis(metric, every)
    panels = [
        layout.panel(*_effect(metric, each, short, up), title=short[each.factor]) for each in shown
    ]
    layout.same_range(panels)
    for node in (node for each in panels for node in each["layer"]):
        scale = node["encoding"]["y"]["scale"]
        scale |= {"domainMin": min(every) / up.per, "domainMax": max(every) / up.per, "padding": 10}
    return layout.picture(panels, columns=_COLUMNS, room=85)


def _effect(metric: str, effect: Effect, short: Mapping[str, str], up: Axis) -> list[Spec]:
    names = _level_names([(level.low, level.high) for level in effect.levels])
    rows = []
    for level, name in zip(effect.levels, names, strict=True):
        mean, least, most = (
            figure_text(metric, v) for v in (level.mean, level.spread[0], level.spread[-1])
        )
        reach = f", {level.count} points from {least} to {most}" if level.count > 1 else ""
        place = level.place if effect.numeric else name
        row = {"x": place, "row": name, "y": level.mean / up.per, "told": f"mean {mean}{reach}"}
        ends = zip(("least", "first", "third", "most"), level.spread, strict=True)
        rows.append(row | {end: value / up.per for end, value in ends})
    across: Spec
    if effect.numeric:
        log = spec.is_far(level.place for level in effect.levels)
        across = Axis(log=log).channel("x")
        if not log:
            across["scale"]["padding"] = 10
    else:
        across = spec.names_axis("x", names)
        across["axis"] |= spec.upright(names)
    base = {"data": spec.data(rows)}
    tips = spec.tip(level="row", value="told")
    colour: Spec = {"color": spec.colour(0)}
    layers: list[Spec] = [
        {
            **base,
            "mark": {"type": "rule", "strokeWidth": width, "strokeOpacity": 0.4, **colour},
            "encoding": {"x": across, "y": up.channel(low), "y2": {"field": high}},
        }
        for low, high, width in (("least", "most", 1.2), ("first", "third", 5))
    ]  # fmt: skip
    for layer in layers:
        layer["encoding"]["y"]["title"] = up.title
    marks: list[Spec] = [{"type": "line", "strokeWidth": 1.4}] if effect.numeric else []
    for each in (*marks, {"type": "point", "filled": True, "size": 45, "fillOpacity": 1}):
        layers.append(
            {
                **base,
                "mark": each | colour,
                "encoding": {"x": across, "y": up.channel("y"), "tooltip": tips},
            }
        )
    return layers


def _level_names(levels: Sequence[tuple[Setting, Setting]]) -> list[str]:
    """Return what levels are called, each once and not endlessly long."""
    texts = [level_text(*each) for each in levels]
    if any(len(text) > _NAME_MOST for text in texts):
        # Cut at the end, files of one folder would all have the same name.
        short = short_files(texts)
        texts = [short[text] for text in texts]
    return texts


def heat_map(
    metric: str,
    across: str,
    up: str,
    panels: Mapping[str, MapCells],
    show: Callable[[float], str] | None = None,
) -> Spec:
    """Draw a metric over two parameters as cells of colour, a panel for each entry of `panels`.

    `show` writes values of what is no metric.
    """
    shown = {name: cells for name, cells in panels.items() if np.isfinite(cells.means).any()}
    if not shown:
        return layout.empty(f"{metric}: no point has both parameters")
    columns = min(_COLUMNS, len(shown))
    values = [float(v) for cells in shown.values() for v in cells.means.ravel() if np.isfinite(v)]
    axis = metric_axis(metric, values) if show is None else Axis(metric)
    low, high = min(values), max(values)
    middle = (low * high) ** 0.5 if axis.log else (low + high) / 2
    scale: Spec = {"scheme": "viridis", "domain": [low / axis.per, high / axis.per]}
    colour: Spec = {
        "field": "value", "type": "quantitative", "title": metric,
        "scale": scale | ({"type": "log"} if axis.log else {}),
        "legend": {"labelExpr": axis.told("datum.value"), "gradientLength": 220, "title": metric},
    }  # fmt: skip
    found = []
    for name, cells in shown.items():
        xs, ys = _level_names(cells.across.bounds), _level_names(cells.up.bounds)
        rows = []
        for i, j in np.ndindex(*cells.means.shape):
            value = float(cells.means[i, j])
            known = bool(np.isfinite(value))
            mean = value if known else None
            told = figure_text(metric, mean) if show is None else show(value)
            text = told if known else "–"
            row = {"x": xs[j], "y": ys[i], "told": text, "text": text}
            shade = {"dark": known and value < middle, "value": value / axis.per if known else None}
            rows.append(row | shade)
        written = len(ys) <= _WRITTEN and len(xs) * columns <= 1.5 * _WRITTEN
        x, y = spec.names_axis("x", xs, title=across), spec.names_axis("y", ys[::-1], title=up)
        x["axis"] |= spec.upright(xs)
        layers = spec.cells(rows, x, y, colour, written=written)
        found.append(layout.panel(*layers, title=name, height=220))
    return layout.picture(found, columns=columns, room=140, zoom=False)


def spread(found: SeedSpread, names: Sequence[str], *, most_is_best: bool = False) -> Spec:
    """Draw a metric's mean over seeds with its interval, configuration by configuration."""
    estimates = found.estimates
    if not estimates:
        return layout.empty(f"{found.metric}: no point has it")
    order = sorted(range(len(estimates)), key=lambda i: estimates[i].mean, reverse=most_is_best)
    order = order[:SPREAD_MOST]
    title = "the best, and what seeds do not tell from it"
    looks = {title: spec.colour(1), "others": spec.colour(0)}
    ends = [e.mean + way * (e.half or 0.0) for e in estimates for way in (-1, 1)]
    across = metric_axis(found.metric, ends)
    times = Counter(names[i] for i in order)
    rows: list[Spec] = []
    for place, i in enumerate(order, 1):
        mean, half = estimates[i].mean, estimates[i].half or 0.0
        told = interval_text(found.metric, estimates[i])
        # Configurations may be called alike.
        name = names[i] if times[names[i]] == 1 else f"{names[i]} ({place})"
        key = title if i == found.best or i in found.alike else "others"
        values = {"x": mean, "low": mean - half, "high": mean + half}
        placed = {way: value / across.per for way, value in values.items()}
        rows.append({"row": name, "key": key, "told": told, **placed})
    shown = [row["row"] for row in rows]
    down = spec.names_axis("row", shown)
    few = len(order) <= _NAMED
    if not few:
        down["axis"]["labels"] = False
        down["title"] = "configurations, the best first"
    tips = {"tooltip": spec.tip(configuration="row", value="told")}
    judged = found.best is not None
    span: Spec = {
        "data": spec.data(rows), "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {
            "x": across.channel("low") | {"title": found.metric}, "x2": {"field": "high"},
            "y": down, "color": spec.key(looks, shown=judged),
        },
    }  # fmt: skip
    means = spec.points(rows, across, down, looks, shown=judged, encoding=tips, size=45)
    height = (22 if few else 10) * max(3, len(order))
    room = spec.margin(shown) if few else 90
    return layout.picture([layout.panel(span, means, height=height)], room=room)


# ---- Searches.


def progress(goals: Mapping[str, Goal], values: Mapping[str, Sequence[float | None]]) -> Spec:
    """Draw metrics in the order in which points were tried, with the best so far."""
    if not any(value is not None for each in values.values() for value in each):
        return layout.empty("no point is done and keeps all bounds")
    looks = {"tried": spec.colour(0), "best so far": spec.colour(1)}
    across = Axis("points tried", low=0, high=len(next(iter(values.values()))) + 1)
    panels = []
    for name, goal in goals.items():
        told = [(float(i), value) for i, value in enumerate(values[name], 1) if value is not None]
        known = [value for _, value in told]
        up = metric_axis(name, known, "")
        # With the digits of the line: an axis of equal values would show what they differ by.
        heights = spec.short(known, per=up.per)
        rows = [
            {"key": "tried", "x": i, "y": y, "told": f"point {i:.0f}: {figure_text(name, v)}"}
            for (i, v), y in zip(told, heights, strict=True)
        ]
        best = accumulate(known, max if goal == "max" else min)
        curve = {"best so far": ([i for i, _ in told], list(best))}
        shape: dict[str, Any] = {"interpolate": "step-after", "tips": False}
        line = spec.lines(curve, across, up, looks, **shape)
        tried = spec.points(rows, across, up, looks, size=25, fillOpacity=0.7)
        panels.append(layout.panel(line, tried, title=name, height=150))
    return layout.picture(panels, linked=True, room=90)


def bisection(
    key: str,
    sizes: Sequence[float],
    values: Mapping[str, Sequence[float | None]],
    bounds: Mapping[str, Sequence[float]],
    *,
    chosen: float | None,
    word: str,
) -> Spec:
    """Draw metrics over a key whose least or most value was searched for, with their bounds."""
    across = (
        metric_axis("slc_bytes", sizes, key)
        if key.endswith("bytes")
        else Axis(key, log=spec.is_far(sizes))
    )
    answer = f"{word} that keeps the bounds"
    looks = {"simulated": spec.colour(0), **({} if chosen is None else {answer: spec.colour(1)})}
    panels = []
    for name, each in values.items():
        known = [(size, v) for size, v in zip(sizes, each, strict=True) if v is not None]
        up = metric_axis(name, [*bounds[name], *(v for _, v in known)], "")
        rows = [
            {
                "key": answer if size == chosen else "simulated",
                "x": size / across.per, "y": v / up.per,
                "told": f"{key}={size:.10g}: {figure_text(name, v)}",
            }
            for size, v in known
        ]  # fmt: skip
        curve = {"simulated": spec.through(known)}
        line = spec.lines(curve, across, up, looks, tips=False)
        marks = spec.points(rows, across, up, looks, size=60)
        limits = [spec.rule(y=limit / up.per) for limit in bounds[name]]
        panels.append(
            layout.panel(*limits, line, marks, title=f"{name}; dashed: bound", height=180)
        )
    return layout.picture(panels, linked=True, room=90)
