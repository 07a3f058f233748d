"""How panels become one picture, bars of what has parts, and the theme of all pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from slcache.charts import spec
from slcache.charts.spec import Axis, Spec
from slcache.names import printable

_INK = "#17191C"
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
#: Pixels below which nine lines for each power of ten would be one grey band.
_SHORT = 80


def panel(*layers: Spec, title: str = "", height: int | Spec = 200) -> Spec:
    """Return a panel of layers."""
    named = {"title": title} if title else {}
    return {**named, "height": height, "layer": list(layers)}


def rows_height(count: int) -> int:
    """Return the height of a panel with so many rows."""
    return max(60, 28 * count)


def picture(
    panels: Sequence[Spec],
    *,
    columns: int = 1,
    room: int = 70,
    linked: bool = False,
    one_key: bool = True,
    zoom: bool = True,
) -> Spec:
    """Return panels as one picture, so many side by side, each with `room` pixels beside it.

    `linked` panels have one axis across, zoomed together. With `one_key` colours mean the same
    in all, and a name of the key that is clicked is shown alone.
    """
    columns = min(columns, len(panels))
    for place, each in enumerate(panels):
        for way in ("x", "y"):
            _powers(each, way)
        each["width"] = spec.WIDTH // columns - room
        if zoom:
            _zoomed(each, 0 if linked else place, linked=linked)
        below = panels[place + columns :: columns]
        if linked and any(other["layer"] != [blank()] for other in below):
            for node in _nodes(each):
                across = node.get("encoding", {}).get("x", {})
                if "axis" in across:
                    across |= {"title": None, "axis": {**across["axis"], "labels": False}}
    named = [node for each in panels for node in _keyed(each)]
    entries = max((len(node["encoding"]["color"]["scale"]["domain"]) for node in named), default=0)
    if one_key and entries > 1:
        chosen = {"name": "shown", "select": {"type": "point", "fields": ["key"]}, "bind": "legend"}
        _first_unit(named[0]).setdefault("params", []).append(chosen)
        for node in named:
            seen = {"condition": {"param": "shown", "value": 1}, "value": 0.07}
            node["encoding"].setdefault("opacity", seen)
    names = [str(n) for node in named for n in node["encoding"]["color"]["scale"]["domain"]]
    entry = spec.SWATCH + round(spec.LETTER * max(map(len, names), default=0))
    keys = dict.fromkeys(("color", "shape", "strokeDash"), "shared" if one_key else "independent")
    return {
        "$schema": _SCHEMA,
        "concat": list(panels),
        "columns": columns,
        "spacing": 16,
        "resolve": {"scale": {**keys, "x": "shared" if linked else "independent"}},
        "usermeta": {"columns": columns, "room": room, "entry": entry},
    }


def blank() -> Spec:
    """Return a layer that shows nothing, where a row of panels has fewer than others."""
    return {"data": spec.data([]), "mark": "point"}


def empty(message: str) -> Spec:
    """Return a picture that only says why there is nothing to draw."""
    return picture([panel(spec.remark(message), height=30)], zoom=False)


def noted(of: Spec, note: str | None, title: str | None = None) -> Spec:
    """Return a picture with a title above, or what its workload is below."""
    if title is not None:
        return {**of, "title": {"text": title, "fontSize": 14}}
    if note is None:
        return of
    below = {"orient": "bottom", "fontWeight": "normal", "fontSize": 10}
    return {**of, "title": {"text": f"workload: {note}", **below}}


def same_range(panels: Iterable[Spec], way: str = "y") -> None:
    """Give panels that show one thing the same ends, from zero where the axis is even."""
    nodes = [node for each in panels for node in _nodes(each) if way in node.get("encoding", {})]
    values = [value for node in nodes for value in _values(node, way)]
    if not values:
        return
    for node in nodes:
        scale = node["encoding"][way].setdefault("scale", {})
        scale["domainMax"] = max(values)
        scale["domainMin"] = min(values) if scale.get("type") == "log" else min(0.0, *values)


def _powers(each: Spec, way: str) -> None:
    """Have a log axis tell powers alone where it has more than a few."""
    nodes = [n for n in _nodes(each) if "axis" in n.get("encoding", {}).get(way, {})]
    logs = [n for n in nodes if n["encoding"][way].get("scale", {}).get("type") == "log"]
    values = [value for node in logs for value in _values(node, way) if value > 0]
    for node in logs if values else ():
        channel = node["encoding"][way]
        scale = channel["scale"]
        span = scale.get("domainMax", max(values)) / scale.get("domainMin", min(values))
        many = int(math.log(max(1.0, span), scale["base"]))
        is_short = way == "y" and isinstance(height := each["height"], int) and height < _SHORT
        channel["axis"]["tickCount"] = max(3, many)
        # Fewer powers than ticks: Vega has nine lines for each.
        channel["axis"]["grid"] &= not is_short or many >= 3


def _values(node: Spec, way: str) -> Iterator[float]:
    field = node["encoding"][way].get("field")
    for row in node.get("data", {"values": []})["values"]:
        value = row.get(field)
        yield from (v for v in (value if isinstance(value, list) else [value]) if v is not None)


def _zoomed(each: Spec, place: int, *, linked: bool) -> None:
    """Let a panel's axes of numbers be zoomed by wheel and moved by dragging."""
    of = [node.get("encoding", {}) for node in _nodes(each)]
    ways = [
        way
        for way in ("x" if linked else "xy")
        if any(encoding.get(way, {}).get("type") == "quantitative" for encoding in of)
    ]
    if ways:
        # Without Ctrl the wheel scrolls the page.
        wheel = "wheel![event.ctrlKey || event.metaKey]"
        select = {"type": "interval", "encodings": ways, "zoom": wheel}
        named = {"name": f"zoom{place}", "select": select, "bind": "scales"}
        _first_unit(each).setdefault("params", []).append(named)


def _nodes(of: Spec) -> Iterator[Spec]:
    yield of
    for each in of.get("layer", ()):
        yield from _nodes(each)


def _keyed(of: Spec) -> list[Spec]:
    """Return the layers that the key tells the colours of."""
    fields = ((n, n.get("encoding", {}).get("color", {}).get("field")) for n in _nodes(of))
    return [node for node, field in fields if field == "key"]


def _first_unit(of: Spec) -> Spec:
    while "layer" in of:
        of = of["layer"][0]
    return of


def themed(picture: Spec) -> Spec:
    """Return a picture as a file has it: dark on white."""
    return {**plain(picture), "background": "white", "config": {**theme(_INK), "aria": False}}


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return a picture with all texts in plain characters."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list):
        # Numbers are most of what there is.
        return value if value and isinstance(value[0], int | float) else list(map(plain, value))
    return value


def theme(ink: str) -> Spec:
    """Return the style of all charts, in a colour of texts and axes."""
    text = {"labelColor": ink, "titleColor": ink}
    return {
        "background": "transparent",
        "font": "system-ui, sans-serif" if ink == "currentColor" else "sans-serif",
        "view": {"stroke": None},
        "axis": {
            **text, "domainColor": ink, "tickColor": ink, "gridColor": spec.GREY,
            "gridOpacity": 0.25, "titleFontWeight": "normal", "labelOverlap": "greedy",
            "labelFontSize": 10, "labelSeparation": 6,
        },
        "axisX": {"tickCount": 8}, "axisY": {"tickCount": 5},
        "title": {
            "color": ink, "subtitleColor": ink, "anchor": "start", "frame": "group", "fontSize": 12,
        },
        "legend": {
            **text, "orient": "top", "title": None, "labelFontSize": 11, "labelLimit": 260,
            "symbolStrokeWidth": 2.5, "columnPadding": 14,
        },
        "rule": {"color": ink},
        "text": {"color": ink},
        "tick": {"color": ink},
        "scale": {"barBandPaddingInner": 0.2},
        "mark": {"color": spec.colour(0)},
    }  # fmt: skip


#: A total that is so many times any other would leave nothing to see of the others.
_FAR = 10.0

#: Sizes by two words, such as a cell mode and a cause.
Stack = dict[tuple[str, str], float]
#: What parts are called, and their colours, in the order in which they lie on each other.
Part = TypeVar("Part", bound=Hashable)
Looks = Mapping[Part, tuple[str, str]]


def bar_axis(
    stacks: Mapping[str, Mapping[Part, float]],
    kind: str,
    title: str = "",
    marks: Mapping[str, float] | None = None,
) -> Axis:
    """Return the axis of bars and a mark at each; of logarithms where one is far beyond others."""
    totals = {label: sum(stack.values()) for label, stack in stacks.items()}
    ends = (max(total, (marks or totals)[label]) for label, total in totals.items())
    ranked = sorted((end for end in ends if end > 0), reverse=True)
    if len(ranked) > 1 and ranked[0] >= _FAR * ranked[1]:
        return Axis(title, kind, log=True, low=ranked[-1] / _FAR, high=4 * ranked[0])
    most = 1.2 * max(ranked, default=1.0)
    if kind == "size":
        return spec.sized(title, most, low=0, high=most)
    return Axis(title, kind, low=0, high=most)


def pale(colour: str, share: float) -> str:
    """Return a colour mixed with so much of a light grey."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + (0xE4 - part) * share):02X}" for part in parts)


def bar_panel(
    stacks: Mapping[str, Mapping[Part, float]],
    looks: Looks[Part],
    axis: Axis,
    show: Callable[[float], str],
    *more: Spec,
    ends: Mapping[str, str] | None = None,
    title: str = "",
) -> Spec:
    """Return a panel with a bar of parts per row, and at its end a text: what it is in all.

    On a log axis a bar begins where the axis does, so only its end can be read.
    """
    rows, texts = [], []
    for label, stack in stacks.items():
        at = 0.0
        for part, (name, _) in looks.items():
            size = stack.get(part, 0.0)
            if size > 0:
                start = max(at, axis.low or 0.0)
                at += size
                row = {"row": label, "key": name, "x": start / axis.per}
                rows.append(row | {"end": max(at, start) / axis.per, "told": show(size)})
        end = max(at, axis.low or 0.0) / axis.per
        text = show(sum(stack.values())) if ends is None else ends[label]
        texts.append({"row": label, "x": end, "text": text})
    across, down = axis.channel("x"), spec.names_axis("row", list(stacks))
    bars = {
        "data": spec.data(rows),
        "mark": {"type": "bar", "size": 18},
        "encoding": {
            "x": across, "x2": {"field": "end"}, "y": down, "color": spec.key(dict(looks.values())),
            "tooltip": spec.tip(scheme="row", part="key", value="told"),
        },
    }  # fmt: skip
    beside = spec.notes(texts, across, down)
    return panel(bars, beside, *more, title=title, height=rows_height(len(stacks)))


def bar_picture(*panels: Spec, rows: Iterable[str]) -> Spec:
    """Return panels of bars as one picture."""
    return picture(panels, room=spec.margin(list(rows)))
