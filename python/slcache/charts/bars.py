"""Bars of what has parts: their axis, and how colours get paler."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Spec

#: A total that is so many times any other would leave nothing to see of the others.
_FAR = 10.0

#: Sizes by two words, such as a cell mode and a cause.
Stack = dict[tuple[str, str], float]
#: What parts are called, and their colours, in the order in which they lie on each other.
Part = TypeVar("Part", bound=Hashable)
Looks = Mapping[Part, tuple[str, str]]


def lengths(
    stacks: Sequence[Mapping[Part, float]],
    kind: str,
    title: str = "",
    marks: Sequence[float] | None = None,
) -> Axis:
    """Return the axis of bars and a mark at each; of logarithms where one is far beyond others."""
    totals = [sum(stack.values()) for stack in stacks]
    ends = map(max, totals, totals if marks is None else marks)
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


def panel(
    labels: Sequence[str],
    stacks: Sequence[Mapping[Part, float]],
    looks: Looks[Part],
    axis: Axis,
    show: Callable[[float], str],
    *more: Spec,
    ends: Sequence[str] | None = None,
    title: str = "",
) -> Spec:
    """Return a panel with a bar of parts per row, and at its end a text: what it is in all.

    On a log axis a bar begins where the axis does, so only its end can be read.
    """
    rows, texts = [], []
    for place, (label, stack) in enumerate(zip(labels, stacks, strict=True)):
        at = 0.0
        for part, (name, _) in looks.items():
            size = stack.get(part, 0.0)
            if size > 0:
                start = max(at, axis.low or 0.0)
                at += size
                row = {"row": label, "key": name, "x": start / axis.per}
                rows.append(row | {"end": max(at, start) / axis.per, "told": show(size)})
        end = max(at, axis.low or 0.0) / axis.per
        text = show(sum(stack.values())) if ends is None else ends[place]
        texts.append({"row": label, "x": end, "text": text})
    across, down = axis.channel("x"), spec.names_axis("row", labels)
    bars = {
        "data": spec.data(rows),
        "mark": {"type": "bar", "size": 18},
        "encoding": {
            "x": across, "x2": {"field": "end"}, "y": down, "color": spec.key(dict(looks.values())),
            "tooltip": spec.tip(scheme="row", part="key", value="told"),
        },
    }  # fmt: skip
    beside = spec.notes(texts, across, down)
    return layout.panel(bars, beside, *more, title=title, height=layout.rows_height(len(labels)))


def picture(labels: Sequence[str], *panels: Spec) -> Spec:
    """Return panels of bars as one picture."""
    return layout.picture(panels, room=spec.margin(labels))
