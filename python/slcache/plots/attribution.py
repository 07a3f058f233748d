"""Mean latency by component: service, and what requests waited for."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from slcache import normalise, units
from slcache.normalise import Document
from slcache.plots import style


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure; a side without requests is left out."""
    sides = [side for side in ("read", "write") if documents[0]["host"][side]["requests"]]
    stacks = {side: [normalise.attribution(d, side) for d in documents] for side in sides}
    seen = {name for side in sides for stack in stacks[side] for name, v in stack.items() if v}
    components = [name for name in _order() if name in seen]
    components += sorted(seen - set(components))
    if not components:
        return style.empty("no latency to attribute")
    figure, axes = style.panels(1, len(sides), style.bars_height(len(labels)))
    for panel, side in zip(axes, sides, strict=True):
        _panel(panel, stacks[side], components)
        style.title(panel, f"mean {side} latency")
        panel.set_yticks(range(len(labels)), list(labels) if panel is axes[0] else [])
    handles = [Patch(facecolor=_colour(name)) for name in components]
    style.swatches(figure, handles, components)
    return figure


def _panel(axes: Axes, stacks: Sequence[dict[str, float]], components: Sequence[str]) -> None:
    """Draw one bar per scheme, its mean written after it."""
    scale, unit = units.time_scale(max(sum(stack.values()) for stack in stacks))
    for row, stack in enumerate(stacks):
        left = 0.0
        for name in components:
            value = stack.get(name, 0.0) / scale
            axes.barh(row, value, 0.62, left=left, color=_colour(name))
            left += value
        axes.annotate(
            units.duration(left * scale),
            (left, row),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=style.INK,
        )
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.18)
    axes.set_xlim(left=0)
    axes.set_xlabel(unit)


def _order() -> list[str]:
    services = [f"service {name}" for name in style.SERVICE]
    return services + [f"wait {cause}" for cause in style.WAITS]


def _colour(component: str) -> str:
    kind, _, name = component.partition(" ")
    return (style.SERVICE if kind == "service" else style.WAITS).get(name, "#A9AFB6")
