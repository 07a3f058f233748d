"""What a scheme's model predicts beside what was measured: the cost over the utilisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from slcache.documents.normalise import Document
from slcache.plots import layout, marks, plain, style
from slcache.words import units

Values = NDArray[np.float64]
Curve = Mapping[str, Any]

_COLUMNS = 2
#: With more points than this, the mean of each bin is drawn over them.
_MEANS_FROM = 40
_BINS = 50
_LOOKS: Mapping[str, Mapping[str, Any]] = {
    "computed": {"lw": 1.8},
    "least computed": {"marker": "v", "ms": 8, "ls": ""},
    "measured in a window": {"marker": "o", "ms": 3.5, "ls": "", "alpha": 0.45, "mew": 0},
    "mean of these": {"marker": "o", "ms": 5, "ls": "", "mfc": "none", "mew": 1.1},
}

#: What points are called that have another name in the key.
_WORDS = {"mean of these": "mean of windows"}


def names(documents: Sequence[Document]) -> list[str]:
    """Return the names of all curves of which any scheme has a point."""
    found = [entry["name"] for each in documents for entry in _of(each)]
    return list(dict.fromkeys(found))


def draw(labels: Sequence[str], documents: Sequence[Document], name: str) -> Figure:
    """Return the figure of the curves of one name: a panel for each scheme, in one scale."""
    found = {
        place: entry
        for place, document in enumerate(documents)
        for entry in _of(document)
        if entry["name"] == name
    }
    if not found:
        return style.empty(f"no curve: {plain.name(name)}")
    figure, areas = layout.grid(len(found), min(_COLUMNS, len(found)), 0.6, 2.6)
    shown: set[str] = set()
    for area, (place, entry) in zip(areas, found.items(), strict=True):
        shown |= _panel(area, labels[place], entry, style.scheme_colour(place))
        if len(labels) > 1:
            style.title(area, plain.name(labels[place]))
    entry = next(iter(found.values()))
    _name_sides(areas, entry)
    _one_scale(areas)
    looks = {k: {"color": style.INK, **look} for k, look in _LOOKS.items() if k in shown}
    style.lines_key(figure, looks)
    return figure


def caption(documents: Sequence[Document], name: str) -> str:
    """Return how the figure is read."""
    measured = any(e["measured"] for each in documents for e in _of(each) if e["name"] == name)
    return (
        "The line is what the scheme's model computed last, for the accesses it had counted by "
        "then; the triangle marks its minimum, the first of equals."
        + (" Each dot is what one window of the run really took." if measured else "")
    )


def _of(document: Document) -> list[Curve]:
    curves: Sequence[Curve] = document["scheme"].get("curves", [])
    return [entry for entry in curves if entry["computed"] or entry["measured"]]


def _points(entry: Curve, which: str) -> tuple[Values, Values]:
    """Return the x and the y of a curve, times in µs."""
    points = np.asarray(entry[which], dtype=np.float64).reshape(-1, 2)
    return points[:, 0], points[:, 1] / (1e3 if _is_time(entry) else 1.0)


def _is_time(entry: Curve) -> bool:
    return str(entry["y"]).split(" ")[0] == "ns"


def _is_share(entry: Curve) -> bool:
    return str(entry["x"]) == "utilisation"


def _panel(axes: Axes, label: str, entry: Curve, colour: str) -> set[str]:
    """Draw one scheme's curve and return what of it there is."""
    xs, ys = _points(entry, "computed")
    drawn: dict[str, tuple[Values, Values]] = {}
    if len(xs):
        least = int(np.argmin(ys))
        drawn["computed"] = (xs, ys)
        drawn["least computed"] = (xs[least : least + 1], ys[least : least + 1])
    xs, ys = _points(entry, "measured")
    if len(xs):
        drawn["measured in a window"] = (xs, ys)
    if len(xs) >= _MEANS_FROM:
        drawn["mean of these"] = _means(xs, ys)
    for look, points in drawn.items():
        (line,) = axes.plot(*points, color=colour, **_LOOKS[look])
        # A curve tells its minimum, and of many windows the means alone tell something.
        of = "least computed" if look == "computed" else look
        if of != "measured in a window" or "mean of these" not in drawn:
            told = (_told(entry, *point) for point in zip(*drawn[of], strict=True))
            marks.name(line, *(f"{label}, {_WORDS.get(of, of)}: {text}" for text in told))
    return set(drawn)


def _told(entry: Curve, x: float, y: float) -> str:
    value = units.duration(y) if _is_time(entry) else f"{y:.4g}"
    return f"{value} at {entry['x']} {units.percent(x) if _is_share(entry) else f'{x:.4g}'}"


def _means(xs: Values, ys: Values) -> tuple[Values, Values]:
    """Return the mean x and y of each bin of x that has points."""
    span = xs.max() - xs.min()
    bins = np.zeros(len(xs)) if span == 0 else np.floor((xs - xs.min()) / span * _BINS)
    _, place, counts = np.unique(bins, return_inverse=True, return_counts=True)
    return np.bincount(place, xs) / counts, np.bincount(place, ys) / counts


def _name_sides(areas: Sequence[Axes], entry: Curve) -> None:
    """Say what lies along the sides: of times, µs, or on a log axis each with its unit."""
    time = entry["y"].removeprefix("ns").lstrip() if _is_time(entry) else None
    on_log = time is not None and all(area.dataLim.ymin > 0 for area in areas)
    for area in areas:
        area.set_xlabel(plain.name(entry["x"]))
        if _is_share(entry):
            area.xaxis.set_major_formatter(lambda x, _: style.share(round(x, 9)))
        if on_log:
            style.time_ticks(area, "y", 6)
        label = entry["y"] if time is None else (time or "time") if on_log else f"µs {time}"
        area.set_ylabel(plain.name(label))


def _one_scale(areas: Sequence[Axes]) -> None:
    """Give all panels the range of what any of them shows."""
    style.same_range(areas)
    low = min(area.dataLim.xmin for area in areas)
    high = max(area.dataLim.xmax for area in areas)
    room = 0.03 * (high - low) or 0.05
    for area in areas:
        area.set_xlim(low - room, high + room)
        area.set_ylim(areas[0].get_ylim())
