"""Bars of segments, one per run, each with a note after it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from slcache.plots import marks, plain, style
from slcache.words.kinds import Kind

Segment = TypeVar("Segment", bound=Hashable)


def hatched(kind: Kind, hatch: str) -> Patch:
    """Return how a segment of a kind looks, in bars and in the key."""
    return Patch(facecolor=kind.colour, hatch=hatch, edgecolor="#FFFFFF", lw=0)


def draw(
    axes: Axes,
    labels: Sequence[str],
    stacks: Sequence[Mapping[Segment, float]],
    names: Mapping[Segment, str],
    looks: Mapping[Segment, Patch],
    scale: float,
    show: Callable[[float], str],
) -> list[float]:
    """Draw a bar for each run, of segments with these names and looks; return where bars end."""
    ends = []
    for row, (label, stack) in enumerate(zip(labels, stacks, strict=True)):
        left = 0.0
        for segment, patch in looks.items():
            size = stack.get(segment, 0.0)
            (drawn,) = axes.barh(
                row,
                size / scale,
                0.62,
                left=left,
                color=patch.get_facecolor(),
                hatch=patch.get_hatch(),
                edgecolor=patch.get_edgecolor(),
                lw=0,
            )
            if size:
                marks.name(drawn, f"{label}, {names[segment]}: {show(size)}")
            left += size / scale
        ends.append(left)
    return ends


def finish(
    axes: Axes,
    labels: Sequence[str],
    notes: Sequence[str],
    ends: Sequence[float],
    room: float,
    gap: float = 6,
) -> None:
    """Name the bars, the first on top, and write a note behind the end of each.

    `room` is the share of the panel that is left free for notes behind the longest bar.
    """
    for row, (text, end) in enumerate(zip(notes, ends, strict=True)):
        axes.annotate(
            text,
            (end, row),
            xytext=(gap, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=style.INK,
        )
    plain.rows(axes, labels)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    # A segment of no length at a bar's end would otherwise hold the axis there.
    axes.use_sticky_edges = False
    axes.margins(x=room)
    axes.set_xlim(left=0)
