"""The least dense programs of a trace over the size of the SLC cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.documents import gains
from slcache.documents.normalise import Document
from slcache.plots import style
from slcache.words import units

_TICKS = 8
_KEPT, _EMPTIED = "the cache keeps what lives on", "the cache is emptied at the end"
_CURVE: dict[str, Any] = {"color": "#7F8790", "marker": "o", "ms": 3}
_CURVES: dict[str, tuple[str, dict[str, Any]]] = {
    "least": ("least, " + _KEPT, {**_CURVE, "lw": 1.8}),
    "least_drained": ("least, " + _EMPTIED, {**_CURVE, "lw": 1.4, "ls": (0, (4, 2))}),
}
_POINT: dict[str, Any] = {"ms": 7, "zorder": 3}


def draw(document: Mapping[str, Any], title: str) -> Figure:
    """Return the figure: bytes programmed dense per byte written, kept at the end or emptied."""
    rows = [row for row in document["sizes"] if row["bytes"] > 0]
    sizes = [row["bytes"] for row in rows]
    figure, (axes,) = style.panels(1, 1, 3.6)
    for i, key in enumerate(("least", "least_drained")):
        shares = [row[key] / document["versions"] for row in rows]
        axes.plot(sizes, shares, marker="o", ms=3.5, **style.scheme_line(i, 2, 1.6))
    _size_axis(axes, sizes)
    axes.set(ylim=(0, 1.02), ylabel="least dense writes per unit written")
    style.title(axes, title)
    style.key(figure, [_KEPT, _EMPTIED])
    return figure


def has_any(documents: Sequence[Document]) -> bool:
    """Return whether any run has a bound."""
    return any(gains.bound(document) is not None for document in documents)


def caption(documents: Sequence[Document]) -> str:
    """Return the sentence that says how to read the comparison's figure."""
    done = "written to the disk" if any(d.get("disk") for d in documents) else "programmed dense"
    return (
        f"What each scheme has {done} (marks) over what its cache and the controller's memory "
        "hold, and the least that any scheme of that size can (curve, exact at the dots): where it "
        "falls no more, a larger cache saves nothing. Schemes without a cache are lines across."
    )


def compared(
    labels: Sequence[str], documents: Sequence[Document], curve: Mapping[str, Any] | None
) -> Figure:
    """Return the figure of a comparison: the least over the size, and the schemes as points."""
    figure, (axes,) = style.panels(1, 1, 4.0)
    known = [(i, d) for i, d in enumerate(documents) if gains.bound(d) is not None]
    shown = _curves(curve, [document for _, document in known])
    done = [document["figures"]["dense_bytes"] or 0 for _, document in known]
    most = max([*done, *(least for points in shown.values() for _, least in points)])
    scale, unit = units.size_scale(most)
    looks = {}
    for key, points in shown.items():
        name, look = _CURVES[key]
        axes.plot([x for x, _ in points], [y / scale for _, y in points], **look)
        looks[name] = look
    for i, document in known:
        looks |= _scheme(axes, i, labels[i], document, scale)
    sizes = {x for points in shown.values() for x, _ in points}
    _size_axis(axes, sorted(size for size in sizes if size > 0) or [1])
    axes.set_ylim(0, most / scale * 1.06 or 1)
    does = "written to the disk" if documents[0].get("disk") else "programmed dense"
    axes.set_ylabel(f"{does}, {unit}")
    style.lines_key(figure, looks)
    return figure


def _curves(
    curve: Mapping[str, Any] | None, documents: Sequence[Document]
) -> dict[str, list[tuple[int, int]]]:
    """Return the points of each curve that some scheme with a cache is bound by, in bytes."""
    found = {}
    for key, drained in (("least", False), ("least_drained", True)):
        of = [d for d in documents if d["bound"]["drained"] == drained and gains.has_cache(d)]
        points = {gains.room_bytes(d) or 0: d["figures"]["dense_least_bytes"] or 0 for d in of}
        if of and curve is not None:
            unit = curve["unit_bytes"]
            points |= {row["slots"] * unit: row[key] * unit for row in curve["sizes"]}
        if points:
            found[key] = sorted(points.items())
    return found


def _scheme(
    axes: Axes, place: int, label: str, document: Document, scale: int
) -> dict[str, dict[str, Any]]:
    """Draw what a scheme did, a mark, or a line across without a cache; return its key."""
    done = (document["figures"]["dense_bytes"] or 0) / scale
    if not gains.has_cache(document):
        line: dict[str, Any] = {"color": style.scheme_colour(place), "lw": 1.2, "ls": (0, (1, 1.5))}
        axes.axhline(done, **line)
        return {f"{label}, no cache": line}
    mark = {**style.scheme_mark(place), **_POINT}
    axes.plot([gains.room_bytes(document) or 0], [done], **mark)
    return {label: mark}


def _size_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Tell sizes on a log axis, at powers of two."""
    axes.set_xscale("log", base=2)
    low, high = min(sizes), max(sizes)
    powers = [1 << p for p in range(low.bit_length() - 1, high.bit_length() + 1)]
    inside = [power for power in powers if low <= power <= high] or [low]
    told = inside[:: -(-len(inside) // _TICKS)]
    axes.set_xticks(told, [units.size(size) for size in told])
    axes.minorticks_off()
    axes.set_xlabel("SLC cache, the controller's memory included")
