"""Mean latency by component: service, and what requests waited for."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from slcache.documents import normalise
from slcache.documents.normalise import Document
from slcache.plots import stacked_bars, style
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
    names = {name: _named(name, kind) for name, kind in components.items()}
    looks = {name: Patch(facecolor=kind.colour) for name, kind in components.items()}
    for panel, side in zip(axes, sides, strict=True):
        scale, unit = units.time_scale(max(sum(stack.values()) for stack in stacks[side]))
        ends = stacked_bars.draw(panel, labels, stacks[side], names, looks, scale, units.duration)
        means = [units.duration(end * scale) for end in ends]
        rows = labels if panel is axes[0] else [""] * len(labels)
        stacked_bars.finish(panel, rows, means, ends, 0.18, gap=4)
        panel.set_xlabel(unit)
        style.title(panel, f"mean {side} latency")
    style.swatches(figure, list(looks.values()), list(names.values()))
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
