"""What all charts share: colours, axes and marks.

A chart is a Vega-Lite specification as a dictionary. Names out of files stand in data and in
titles alone, never in the name of a field or in an expression.
"""

from __future__ import annotations

import colorsys
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache import units
from slcache.names import printable

Spec = dict[str, Any]
#: What a line goes through: places across and heights, None where it breaks.
Curve = tuple[Iterable[float | None], Iterable[float | None]]

WIDTH = 900
#: What stands behind, and lines that say what was asked for.
GREY, SOFT = "#8A9099", "#B9BEC5"
DASHED = [5, 3]
_FIRST = (
    "#4477AA", "#E08214", "#2A9D77", "#CC5577", "#8868B8",
    "#8AA63A", "#7F8790", "#4DB6D6", "#8C564B", "#D9B13B",
)  # fmt: skip
_GOLDEN = 0.381966
_DASHES = ([1, 0], [7, 3], [2, 2], [7, 2, 2, 2], [12, 3])
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
#: From so many names on, lines differ in pattern too.
MANY = 5
#: Pixels of a letter, and of what stands beside the text of an entry of the key.
LETTER, SWATCH = 6.4, 26
_LABEL_MOST = 170
#: An axis tells values that span more than this factor by their logarithms.
_FAR = 30.0


def colour(index: int) -> str:
    """Return the colour of a scheme's place, the same in every picture and no other's."""
    if index < len(_FIRST):
        return _FIRST[index]
    lightness = (0.38, 0.55, 0.7)[index % 3]
    parts = colorsys.hls_to_rgb(index * _GOLDEN % 1.0, lightness, 0.5)
    return "#" + "".join(f"{round(255 * part):02X}" for part in parts)


def colours(names: Iterable[str]) -> dict[str, str]:
    """Return names with the colours of their places."""
    return {name: colour(place) for place, name in enumerate(names)}


def is_far(values: Iterable[float | None]) -> bool:
    """Return whether values span so much that a log axis shows more of them."""
    known = [value for value in values if value is not None]
    return bool(known) and min(known) > 0 and max(known) / min(known) > _FAR


def short(
    values: Iterable[float | None], digits: int = 5, per: float = 1.0
) -> list[float | int | None]:
    """Return numbers as a page holds them: to so many digits, None where there is none."""
    found: list[float | int | None] = []
    for value in values:
        if value is None or not math.isfinite(value):
            found.append(None)
            continue
        number = float(f"{value / per:.{digits}g}")
        found.append(int(number) if number.is_integer() else number)
    return found


def through(points: Iterable[Sequence[float]]) -> tuple[list[float], list[float]]:
    """Return points as what a line goes through."""
    xs, ys = tuple(zip(*points, strict=True)) or ((), ())
    return list(xs), list(ys)


# ---- Axes.

_UNITS = {"time": units.TIMES, "energy": units.ENERGIES, "size": units.SIZES}
_FORMATS = {
    "share": "format(100 * {0}, ',.4~r') + ' %'",
    "factor": "format({0}, ',.4~r') + '×'",
    "count": "{0} == round({0}) ? format({0}, ',') : ''",
    "number": "format({0}, ',.6~r')",
}


def told(kind: str, value: str) -> str:
    """Return the expression that tells a value of a kind with its unit."""
    if kind not in _UNITS:
        return _FORMATS[kind].format(value)
    sizes = [(float(size), unit) for size, unit in _UNITS[kind]]
    steps = [
        f"abs({value}) >= {size} ? format({value} / {size}, ',.4~r') + ' {unit}' : "
        for size, unit in sizes
    ]
    size, unit = sizes[-1]
    rest = f"format({value} / {size}, ',.3~r') + ' {unit}'"
    return f"{value} == 0 ? '0' : {''.join(steps)}{rest}"


@dataclass(frozen=True)
class Axis:
    """What lies along a side: `kind` is time in µs, size in bytes, share, factor and so on."""

    title: str | None = ""
    kind: str = "number"
    log: bool = False
    #: Ends, None for one that the values tell.
    low: float | None = None
    high: float | None = None
    #: Ticks, where they are not even.
    ticks: Sequence[float] | None = None
    grid: bool = True
    #: What values are divided by, and what they are then counted in.
    per: float = 1.0
    unit: str = ""

    def channel(self, field: str) -> Spec:
        """Return the encoding of a field along this axis."""
        scale: Spec = {"zero": False} if self.low is None else {}
        if self.log:
            base = 2 if self.kind == "size" else 10
            scale = {"type": "log", "base": base, "nice": False, "padding": 8}
        ends = {"domainMin": self.low, "domainMax": self.high}
        scale |= {name: end / self.per for name, end in ends.items() if end is not None}
        if not self.log and self.high is None:
            # Points stand clear of the panel's sides.
            scale |= {"padding": 8, "nice": False} if self.low is None else {"nice": True}
        axis: Spec = {"grid": self.grid, "labelExpr": self._labels()}
        if self.ticks is not None:
            axis["values"] = list(self.ticks)
        return {
            "field": field, "type": "quantitative", "title": self.title or None,
            "scale": scale, "axis": axis,
        }  # fmt: skip

    def told(self, value: str) -> str:
        """Return the expression that tells a value on this axis with its unit."""
        return told(self.kind, value) + (f" + ' {self.unit}'" if self.unit else "")

    def _labels(self) -> str:
        shown = told(self.kind, "datum.value")
        if not self.log or self.kind == "size" or self.ticks is not None:
            return shown
        # Between powers of ten 2, 3 and 5 are told; on a short stretch, where ticks are even, all.
        part = "datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9))"
        odd = f"abs({part} - round({part})) > 1e-6"
        return f"{odd} || indexof([1, 2, 3, 5], round({part})) >= 0 ? ({shown}) : ''"


def short_ticks(low: float, high: float) -> list[float] | None:
    """Return even ticks of a log axis so short that fewer than two of 1, 2, 3 and 5 are on it."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if sum(low <= part * 10.0**power <= high for power in powers for part in (1, 2, 3, 5)) > 1:
        return None
    unit = 10.0 ** math.floor(math.log10((high - low) / 2))
    step = next(s for s in (5 * unit, 2 * unit, unit) if high // s - math.ceil(low / s) >= 1)
    return [round(n * step, 12) for n in range(math.ceil(low / step), int(high // step) + 1)]


def sized(title: str, most: float, **more: Any) -> Axis:  # noqa: ANN401
    """Return an even axis of sizes, in the unit that suits the largest."""
    per, unit = units.scale(most, units.SIZES)
    return Axis(f"{title} ({unit})" if title else unit, per=per, unit=unit, **more)


def names_axis(field: str, names: Sequence[str], *, title: str | None = None) -> Spec:
    """Return the encoding of names along a side, in this order."""
    axis = {"grid": False, "domain": False, "ticks": False, "labelLimit": _LABEL_MOST}
    return {
        "field": field, "type": "nominal", "title": title,
        "scale": {"domain": list(names)}, "axis": axis,
    }  # fmt: skip


def upright(names: Sequence[str]) -> dict[str, Any]:
    """Return how names stand below an axis: upright where they are too long for a row."""
    return {"labelAngle": -45 if sum(len(name) + 2 for name in names) > 60 else 0}


def margin(names: Sequence[str]) -> int:
    """Return the room in pixels that names of rows take."""
    return 50 + round(min(_LABEL_MOST, LETTER * max(map(len, names), default=0)))


def key(of: Mapping[str, str], *, shown: bool = True, symbol: str | None = None) -> Spec:
    """Return the encoding of names as colours; one alone needs no key."""
    names = list(map(printable, of))
    entry = SWATCH + round(LETTER * max(map(len, names), default=0))
    legend: Spec = {"columns": max(1, min(len(names), WIDTH // entry))}
    if symbol is not None:
        legend |= {"symbolType": symbol, "symbolSize": 240}
    return {
        "field": "key", "type": "nominal", "title": None,
        "scale": {"domain": names, "range": list(of.values())},
        "legend": legend if shown and len(of) > 1 else None,
    }  # fmt: skip


# ---- Marks. The field `key` is what the key names, `row` a row's name, `told` what a tip says.


def data(rows: Iterable[Mapping[str, Any]]) -> Spec:
    """Return rows as a chart's data."""
    return {"values": list(rows)}


def tip(**fields: str) -> list[Spec]:
    """Return what is told under the pointer, fields by their titles."""
    return [
        {"field": field, "type": "nominal", "title": title.replace("_", " ")}
        for title, field in fields.items()
    ]


def lines(
    curves: Mapping[str, Curve],
    x: Axis,
    y: Axis,
    looks: Mapping[str, str],
    *,
    tips: bool = True,
    digits: int = 5,
    **mark: Any,  # noqa: ANN401
) -> Spec:
    """Return a layer of a line for each name; what it goes through is told under the pointer."""
    rows = [
        {"key": name, "x": short(xs, 8, x.per), "y": short(ys, digits, y.per)}
        for name, (xs, ys) in curves.items()
    ]
    layers: list[Spec] = [{"mark": {"type": "line", "strokeWidth": 1.6, **mark}}]
    if len(looks) >= MANY and "strokeDash" not in mark:
        layers[0]["encoding"] = {"strokeDash": _by_key(looks, _DASHES)}
    if tips:
        unseen = {"type": "point", "size": 70, **_UNSEEN, "filled": True, "aria": False}
        found = {"tooltip": tip(name="key", at="tx", value="ty")}
        layers.append({"mark": unseen, "encoding": found})
    return {
        "data": data(rows),
        "transform": [
            {"flatten": ["x", "y"]},
            {"calculate": x.told("datum.x"), "as": "tx"},
            {"calculate": y.told("datum.y"), "as": "ty"},
        ],
        "encoding": {
            "x": x.channel("x"), "y": y.channel("y"),
            "color": key(looks, symbol="stroke"),
        },
        "layer": layers,
    }  # fmt: skip


#: What is there for the pointer alone.
_UNSEEN = {"strokeOpacity": 0, "fillOpacity": 0}


def remark(text: str) -> Spec:
    """Return a layer that only says something, such as why there is nothing to draw."""
    return {"data": data([{}]), "mark": {"type": "text", "text": text}}


def is_unseen(layer: object) -> bool:
    """Return whether a layer shows nothing but what is told under the pointer."""
    mark = layer.get("mark") if isinstance(layer, dict) else None
    return isinstance(mark, dict) and mark.items() >= _UNSEEN.items()


def _by_key(looks: Mapping[str, str], kinds: Sequence[object]) -> Spec:
    """Return the encoding of names as dashes or shapes, which come again where they are few."""
    found = [kinds[place % len(kinds)] for place in range(len(looks))]
    scale = {"domain": list(map(printable, looks)), "range": found}
    return {"field": "key", "type": "nominal", "scale": scale, "title": None}


def points(
    rows: Iterable[Mapping[str, Any]],
    x: Spec | Axis,
    y: Spec | Axis,
    looks: Mapping[str, str],
    *,
    shown: bool = True,
    shapes: bool = False,
    encoding: Spec | None = None,
    **mark: Any,  # noqa: ANN401
) -> Spec:
    """Return a layer of points, each with what it tells."""
    more = (encoding or {}) | ({"shape": _by_key(looks, _SHAPES)} if shapes else {})
    return {
        "data": data(rows),
        "mark": {"type": "point", "size": 40, "filled": True, "fillOpacity": 1, **mark},
        "encoding": {
            "x": x.channel("x") if isinstance(x, Axis) else x,
            "y": y.channel("y") if isinstance(y, Axis) else y, "color": key(looks, shown=shown),
            "tooltip": tip(name="key", value="told"), **more,
        },
    }  # fmt: skip


def bars(
    rows: Iterable[Mapping[str, Any]],
    names: Sequence[str],
    y: Axis,
    looks: Mapping[str, str],
    *,
    title: str | None = None,
    stacked: bool = False,
) -> Spec:
    """Return a layer of bars over names: those of one name side by side, or on each other."""
    across = names_axis("row", names, title=title)
    across["axis"] |= upright(names)
    beside = {} if stacked or len(looks) < 2 else {
        "xOffset": {"field": "key", "type": "nominal", "scale": {"domain": list(looks)}}
    }  # fmt: skip
    parts: Spec = {"order": {"field": "place", "type": "quantitative"}} if stacked else {}
    return {
        "data": data(rows),
        "mark": {"type": "bar"},
        "encoding": {
            "x": across, "y": y.channel("y") | {"stack": "zero" if stacked else None},
            "color": key(looks), "tooltip": tip(row="row", name="key", value="told"),
            **beside, **parts,
        },
    }  # fmt: skip


def cells(
    rows: Iterable[Mapping[str, Any]], x: Spec, y: Spec, value: Spec, *, written: bool = True
) -> list[Spec]:
    """Return layers of a map: cells of a colour, with their text in them."""
    shade = {"color": value, "tooltip": tip(across="x", up="y", value="told")}
    layers: list[Spec] = [{"mark": "rect", "encoding": shade}]
    if written:
        ink = {"condition": {"test": "datum.dark", "value": "#FFFFFF"}, "value": "#000000"}
        text = {"text": {"field": "text", "type": "nominal"}, "color": ink}
        layers.append({"mark": {"type": "text", "fontSize": 9}, "encoding": text})
    return [{"data": data(rows), "encoding": {"x": x, "y": y}, "layer": layers}]


def rule(*, x: float | None = None, y: float | None = None, **mark: Any) -> Spec:  # noqa: ANN401
    """Return a line across at a value."""
    at = {"x": {"datum": x}} if x is not None else {"y": {"datum": y}}
    line = {"type": "rule", "strokeDash": DASHED, **mark}
    return {"data": data([{}]), "mark": line, "encoding": at}


def notes(rows: Iterable[Mapping[str, Any]], x: Spec, y: Spec, **mark: Any) -> Spec:  # noqa: ANN401
    """Return a layer of texts behind what they are about."""
    return {
        "data": data(rows),
        "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 10, "clip": False, **mark},
        "encoding": {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}},
    }
