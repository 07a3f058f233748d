"""How panels become one picture, and the theme of all pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from slcache.charts import spec
from slcache.charts.spec import Spec
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
        if linked and any(not _is_blank(other) for other in below):
            for node in _nodes(each):
                across = node.get("encoding", {}).get("x", {})
                if "axis" in across:
                    across |= {"title": None, "axis": {**across["axis"], "labels": False}}
    named = [node for each in panels for node in _keyed(each)]
    entries = max((len(node["encoding"]["color"]["scale"]["domain"]) for node in named), default=0)
    if one_key and entries > 1:
        _first_unit(named[0]).setdefault("params", []).append(
            {"name": "shown", "select": {"type": "point", "fields": ["key"]}, "bind": "legend"}
        )
        for node in named:
            seen = {"condition": {"param": "shown", "value": 1}, "value": 0.07}
            node["encoding"].setdefault("opacity", seen)
    names = [str(n) for node in named for n in node["encoding"]["color"]["scale"]["domain"]]
    entry = spec.SWATCH + round(spec.LETTER * max(map(len, names), default=0))
    resolve = dict.fromkeys(
        ("color", "shape", "strokeDash"), "shared" if one_key else "independent"
    )
    return {
        "$schema": _SCHEMA,
        "concat": list(panels),
        "columns": columns,
        "spacing": 16,
        "resolve": {"scale": {**resolve, "x": "shared" if linked else "independent"}},
        "usermeta": {"columns": columns, "room": room, "entry": entry},
    }


def blank() -> Spec:
    """Return a layer that shows nothing, where a row of panels has fewer than others."""
    return {"data": spec.data([]), "mark": "point"}


def _is_blank(each: Spec) -> bool:
    return bool(each["layer"] == [blank()])


def empty(message: str) -> Spec:
    """Return a picture that only says why there is nothing to draw."""
    text = {"data": spec.data([{}]), "mark": {"type": "text", "text": message}}
    return picture([panel(text, height=30)], zoom=False)


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
    ways: set[str] = set()
    for node in _nodes(each):
        for way in ("x", "y"):
            if node.get("encoding", {}).get(way, {}).get("type") == "quantitative":
                ways.add(way)
    if linked:
        ways &= {"x"}
    if ways:
        # Without Ctrl the wheel scrolls the page.
        select = {
            "type": "interval", "encodings": sorted(ways),
            "zoom": "wheel![event.ctrlKey || event.metaKey]",
        }  # fmt: skip
        unit = _first_unit(each)
        unit.setdefault("params", []).append(
            {"name": f"zoom{place}", "select": select, "bind": "scales"}
        )


def _nodes(of: Spec) -> Iterator[Spec]:
    yield of
    for each in of.get("layer", ()):
        yield from _nodes(each)


def _keyed(of: Spec) -> list[Spec]:
    """Return the layers that the key tells the colours of."""
    return [
        node
        for node in _nodes(of)
        if node.get("encoding", {}).get("color", {}).get("field") == "key"
    ]


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
