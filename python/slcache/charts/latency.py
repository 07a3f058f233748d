"""Charts of latency: beside a reference, by what it is made of, and as a distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slcache import kinds, units
from slcache.charts import bars, layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.documents import Document, figures
from slcache.kinds import Kind

#: Latencies that are shown relative to a reference, and what they are called.
FIGURES = {"mean": "mean", "p99": "p99", "p99_9": "p99.9"}
_CDF_LEAST_US = 0.1


def sides(documents: Sequence[Document]) -> list[str]:
    """Return the kinds of requests that the trace has."""
    return [side for side in ("read", "write") if documents[0]["host"][side]["requests"]]


def relative(labels: Sequence[str], documents: Sequence[Document], to: str) -> Spec:
    """Draw mean and tail latency as factors of a reference's, a row per scheme."""
    shown = sides(documents)
    if not shown:
        return layout.empty("no reads and no writes")
    reference = documents[list(labels).index(to)]
    looks = spec.colours(FIGURES.values())
    panels = []
    for side in shown:
        rows = [
            row
            for label, document in zip(labels, documents, strict=True)
            for row in _factors(label, document, reference, side)
        ]
        factors = [row["x"] for row in rows]
        # There is room for what is written behind the furthest.
        low, high = min(factors, default=1.0), max(factors, default=1.0)
        high *= max(1.2, (high / low) ** 0.15)
        across = Axis("factor, lower is better", "factor", log=True, low=0.9 * low, high=high)
        down = spec.names_axis("row", labels)
        spans = {
            label: [row["x"] for row in rows if row["row"] == label]
            for label in dict.fromkeys(row["row"] for row in rows)
        }
        span: Spec = {
            "data": spec.data(
                {"row": label, "x": min(each), "high": max(each)} for label, each in spans.items()
            ),
            "mark": {"type": "rule", "color": spec.GREY, "strokeWidth": 2},
            "encoding": {"x": across.channel("x"), "x2": {"field": "high"}, "y": down},
        }
        texts = [
            {"row": row["row"], "x": max(spans[row["row"]]), "text": units.factor(row["x"])}
            for row in rows
            if row["key"] == FIGURES["mean"]
        ]
        tips = {"tooltip": spec.tip(scheme="row", figure="key", value="told")}
        marks = spec.points(rows, across, down, looks, shapes=True, encoding=tips, size=60)
        beside = spec.notes(texts, across.channel("x"), down, dx=9)
        title = f"{side} latency"
        one = spec.rule(x=1.0)
        height = layout.rows_height(len(labels))
        panels.append(layout.panel(span, one, marks, beside, title=title, height=height))
    return layout.picture(panels, room=spec.margin(labels))


def _factors(label: str, document: Document, reference: Document, side: str) -> list[Spec]:
    rows = []
    for key, title in FIGURES.items():
        factor = figures.factor(document, reference, side, key)
        if factor:
            latency = units.duration(figures.latency(document, side, key) or 0.0)
            told = f"{latency}, {units.factor(factor)}"
            rows.append({"row": label, "key": title, "x": factor, "told": told})
    return rows


def attribution(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw mean latency by component: service, and what requests waited for."""
    found = components(documents)
    if not found:
        return layout.empty("no latency to attribute")
    looks = {
        name: (f"{name.partition(' ')[0]} {kinds.label(name.partition(' ')[2], kind)}", kind.colour)
        for name, kind in found.items()
    }
    panels = []
    for side in sides(documents):
        stacks = [figures.attribution(each, side) for each in documents]
        axis = bars.lengths(stacks, "time")
        title = f"mean {side} latency" + (
            " (log axis: a bar's end can be read)" if axis.log else ""
        )
        panels.append(bars.panel(labels, stacks, looks, axis, units.duration, title=title))
    return bars.picture(labels, *panels)


def attribution_caption(documents: Sequence[Document]) -> str:
    """Return what the components in the picture are."""
    return (
        "Service is time spent working for the request; wait is time spent behind what occupied "
        "its flash unit or channel, by the cause of that work. "
        f"{kinds.explained(components(documents))}"
    )


def components(documents: Sequence[Document]) -> dict[str, Kind]:
    """Return the components that took any time, in the order of stacks: service, then waits."""
    stacks = [figures.attribution(d, side) for d in documents for side in ("read", "write")]
    parts = [name.partition(" ") for stack in stacks for name, value in stack.items() if value]
    tables = (("service", kinds.SERVICES), ("wait", kinds.WAITS))
    return {
        f"{group} {name}": kind
        for group, table in tables
        for name, kind in kinds.of(table, [n for g, _, n in parts if g == group]).items()
    }


def latency(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw latency distributions: the cumulative curve, and the tail on a log axis."""
    shown = [side for side in ("read", "write") if any(d["host"][side]["cdf"] for d in documents)]
    if not shown:
        return layout.empty("no reads and no writes")
    looks = spec.colours(labels)
    whole, tails = [], []
    for side in shown:
        at_most, beyond = {}, {}
        timed = (x for d in documents for x, _ in d["host"][side]["cdf"] if x >= _CDF_LEAST_US)
        # A log axis places requests that took next to no time left of all others.
        least = 0.8 * min(timed, default=_CDF_LEAST_US)
        for label, document in zip(labels, documents, strict=True):
            points = [(max(x, least), y) for x, y in document["host"][side]["cdf"]]
            if points:
                at_most[label], beyond[label] = _steps(points, document["host"][side]["requests"])
        across = Axis(f"{side} latency", "time", log=True)
        up = Axis("share at or below", "share", low=0, high=1.02)
        steps: dict[str, Any] = {"interpolate": "step-after"}
        layer = spec.lines(at_most, across, up, looks, digits=8, **steps)
        whole.append(layout.panel(layer, title=f"{side}s"))
        up = Axis("share above", "share", log=True)
        layer = spec.lines(beyond, across, up, looks, **steps)
        tails.append(layout.panel(layer, title=f"{side}s, the tail"))
    return layout.picture([*whole, *tails], columns=len(shown))


def _steps(
    points: Sequence[tuple[float, float]], requests: int
) -> tuple[tuple[list[float], list[float]], tuple[list[float], list[float]]]:
    """Return a distribution as steps, the exact shape of a count: shares up to, and beyond."""
    xs = [points[0][0], *(x for x, _ in points)]
    ys = [0.0, *(y for _, y in points)]
    above = [max(1.0 - y, 0.0) for y in ys]
    shown = [(x, y) for x, y in zip(xs, above, strict=True) if y >= 0.5 / requests]
    shown.append((xs[-1], shown[-1][1]))
    return (xs, ys), ([x for x, _ in shown], [y for _, y in shown])
