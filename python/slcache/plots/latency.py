"""Latency distributions: the cumulative curve, and the tail on a log axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from slcache.documents.normalise import Document
from slcache.plots import marks, style
from slcache.words import units

#: Latencies below this are those of requests that needed no flash and no link.
_NO_TIME_US = 0.1
#: What a curve tells under the pointer.
_PERCENTILES = ("p50", "p90", "p99", "p99_9", "p99_99", "max")


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure; a side without requests is left out."""
    sides = [side for side in ("read", "write") if any(d["host"][side]["cdf"] for d in documents)]
    if not sides:
        return style.empty("no reads and no writes")
    figure, axes = style.panels(2, len(sides), 5.6)
    for column, side in enumerate(sides):
        whole, tail = axes[column], axes[len(sides) + column]
        least = _least(documents, side)
        for i, document in enumerate(documents):
            points = [(max(x, least), y) for x, y in document["host"][side]["cdf"]]
            line = style.scheme_line(i, len(documents), 1.6)
            if points:
                requests = document["host"][side]["requests"]
                for curve in _curves(whole, tail, points, requests, line):
                    marks.name(curve, _named(labels[i], document, side))
        whole.sharex(tail)
        style.title(whole, f"{side}s")
        tail.set_xlabel(f"{side} latency")
        _axes(whole, tail)
        for panel in (whole, tail):
            marks.scale(panel, "µs", "share")
    axes[0].set_ylabel("share of requests at or below")
    axes[len(sides)].set_ylabel("share of requests above")
    style.key(figure, labels)
    return figure


def _least(documents: Sequence[Document], side: str) -> float:
    """Return where a log axis places requests that took next to no time: left of all others."""
    timed = (x for d in documents for x, _ in d["host"][side]["cdf"] if x >= _NO_TIME_US)
    return 0.8 * min(timed, default=_NO_TIME_US)


def _curves(
    whole: Axes,
    tail: Axes,
    points: Sequence[tuple[float, float]],
    requests: int,
    line: Mapping[str, Any],
) -> tuple[Line2D, Line2D]:
    """Draw one scheme's distribution as steps, the exact shape of a count of requests."""
    xs = [points[0][0], *(x for x, _ in points)]
    ys = [0.0, *(y for _, y in points)]
    floor = 1.0 / requests
    (below,) = whole.step(xs, ys, where="post", **line)
    above = [max(1.0 - y, 0.0) for y in ys]
    shown = [(x, y) for x, y in zip(xs, above, strict=True) if y >= floor / 2]
    shown.append((xs[-1], shown[-1][1]))
    (beyond,) = tail.step([x for x, _ in shown], [y for _, y in shown], where="post", **line)
    return below, beyond


def _named(label: str, document: Document, side: str) -> str:
    """Return what a curve says: the scheme and its percentiles."""
    found = document["host"][side]["latency_us"]
    told = (f"{key.replace('_', '.')} {units.duration(found[key])}" for key in _PERCENTILES)
    return f"{label}, {side}s: {', '.join(told)}"


def _axes(whole: Axes, tail: Axes) -> None:
    style.log_ticks(tail, style.share, "y")
    tail.set_ylim(top=1.2)
    whole.set_ylim(0, 1.02)
    whole.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    whole.tick_params(labelbottom=False)
    style.time_ticks(tail)
