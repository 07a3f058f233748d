"""Bars of segments, one per run, each with a note after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from slcache.plots import marks, plain, style


def draw(
    axes: Axes,
    row: int,
    parts: Mapping[Patch, float],
    text: str,
    names: Sequence[str],
    mark: float = 0.0,
) -> None:
    """Draw a bar with `text` behind it, and behind a mark at `mark` too.

    `names` are those of its parts.
    """
    left = 0.0
    for (patch, value), name in zip(parts.items(), names, strict=True):
        (segment,) = axes.barh(
            row,
            value,
            0.62,
            left=left,
            color=patch.get_facecolor(),
            hatch=patch.get_hatch(),
            edgecolor=patch.get_edgecolor(),
            lw=0,
        )
        if value:
            marks.name(segment, name)
        left += value
    note(axes, text, (max(left, mark), row), 6)


def note(axes: Axes, text: str, end: tuple[float, float], gap: float) -> None:
    """Write behind the end of a bar."""
    axes.annotate(
        text,
        end,
        xytext=(gap, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        color=style.INK,
    )


def finish(axes: Axes, labels: Sequence[str], room: float) -> None:
    """Name the bars, the first on top, and leave room for the notes."""
    plain.rows(axes, labels)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    style.room_for_notes(axes, room)
