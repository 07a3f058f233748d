"""Mean latency by component: service, and what requests waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from slcache.documents import normalise
from slcache.documents.normalise import Document
from slcache.plots import marks, stacked_bars, style
from slcache.words import kinds, units
from slcache.words.kinds import Kind


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure; a side without requests is left out."""
    sides = [side for side in ("read", "write") if documents[0]["host"][side]["requests"]]
    stacks = {side: [normalise.attribution(d, side) for d in documents] for side in sides}
    components = seen(documents)
    if not components:
        return style.empty("no latency to attribute")
    figure, axes = style.panels(1, len(sides), style.bars_height(len(labels)))
    for panel, side in zip(axes, sides, strict=True):
        _panel(panel, labels, stacks[side], components)
        style.title(panel, f"mean {side} latency")
        stacked_bars.finish(panel, labels if panel is axes[0] else [""] * len(labels), 0.18)
    names = [_named(name, kind) for name, kind in components.items()]
    style.swatches(figure, [Patch(facecolor=kind.colour) for kind in components.values()], names)
    return figure


def caption(documents: Sequence[Document]) -> str:
    """Return what the components in the figure are."""
    return (
        "Service is time spent working for the request; wait is time spent behind what occupied "
        f"its flash unit or channel, by the cause of that work. {kinds.explained(seen(documents))}"
    )


def seen(documents: Sequence[Document]) -> dict[str, Kind]:
    """Return the components that took any time, in the order of stacks: service, then waits."""
    stacks = [normalise.attribution(d, side) for d in documents for side in ("read", "write")]
    parts = [name.partition(" ") for stack in stacks for name, value in stack.items() if value]
    tables = (("service", kinds.SERVICES), ("wait", kinds.WAITS))
    return {
        f"{group} {name}": kind
        for group, table in tables
        for name, kind in kinds.of(table, [n for g, _, n in parts if g == group]).items()
    }


def _named(component: str, kind: Kind) -> str:
    group, _, name = component.partition(" ")
    return f"{group} {kinds.label(name, kind)}"


def _panel(
    axes: Axes,
    labels: Sequence[str],
    stacks: Sequence[dict[str, float]],
    components: Mapping[str, Kind],
) -> None:
    """Draw one bar per scheme, its mean written after it."""
    scale, unit = units.time_scale(max(sum(stack.values()) for stack in stacks))
    for row, stack in enumerate(stacks):
        left = 0.0
        for name, kind in components.items():
            value = stack.get(name, 0.0) / scale
            (segment,) = axes.barh(row, value, 0.62, left=left, color=kind.colour)
            if value:
                told = f"{_named(name, kind)}: {units.duration(value * scale)}"
                marks.name(segment, f"{labels[row]}, {told}")
            left += value
        stacked_bars.note(axes, units.duration(left * scale), (left, row), 4)
    axes.set_xlabel(unit)
