"""What was programmed, in bytes by cause and cell mode."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from slcache import units
from slcache.normalise import Document
from slcache.plots import style

_HATCHES = {"slc": "", "mlc": "....", "tlc": "////", "qlc": "xxxx"}
_MODES = ("slc", "mlc", "tlc", "qlc")

Segment = tuple[str, str]


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure: one bar per scheme, colour is the cause and hatching the cell mode."""
    stacks = [programmed(document) for document in documents]
    segments = sorted({segment for stack in stacks for segment in stack}, key=_rank)
    if not segments:
        return style.empty("nothing was programmed")
    factor, unit = units.size_scale(max(sum(stack.values()) for stack in stacks))
    figure, (axes,) = style.panels(1, 1, style.bars_height(len(labels)))
    for row, stack in enumerate(stacks):
        _bar(axes, row, stack, segments, factor)
    axes.set_yticks(range(len(labels)), list(labels))
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.13)
    axes.set_xlabel(f"programmed ({unit})")
    names = [f"{cause}, {mode.upper()}" for mode, cause in segments]
    style.swatches(figure, [_patch(segment) for segment in segments], names)
    return figure


def programmed(document: Document) -> dict[Segment, float]:
    """Return the bytes programmed by (cell mode, cause)."""
    stack: dict[Segment, float] = {}
    for op in document["flash"]["ops"]:
        if op["kind"] in ("program", "reprogram") and op["bytes"]:
            segment = (op["mode"], op["cause"])
            stack[segment] = stack.get(segment, 0.0) + op["bytes"]
    return stack


def _bar(
    axes: Axes, row: int, stack: dict[Segment, float], segments: Sequence[Segment], factor: int
) -> None:
    """Draw one scheme's stack, its total written after it."""
    left = 0.0
    for segment in segments:
        value = stack.get(segment, 0.0) / factor
        patch = _patch(segment)
        axes.barh(
            row,
            value,
            0.62,
            left=left,
            color=patch.get_facecolor(),
            hatch=patch.get_hatch(),
            edgecolor=patch.get_edgecolor(),
            lw=0,
        )
        left += value
    axes.annotate(
        units.size(sum(stack.values())),
        (left, row),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        color=style.INK,
    )


def _patch(segment: Segment) -> Patch:
    mode, cause = segment
    colour = style.CAUSES.get(cause, "#A9AFB6")
    return Patch(facecolor=colour, hatch=_HATCHES.get(mode, "++"), edgecolor="#FFFFFF", lw=0)


def _rank(segment: Segment) -> tuple[int, int, str]:
    """Order segments by cause, host first, then from the sparsest cell mode to the densest."""
    mode, cause = segment
    causes = list(style.CAUSES)
    place = causes.index(cause) if cause in causes else len(causes)
    return place, _MODES.index(mode) if mode in _MODES else len(_MODES), cause
