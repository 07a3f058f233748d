"""What was programmed, in bytes by cause and cell mode."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from slcache.documents.normalise import Document
from slcache.plots import stacked_bars, style
from slcache.words import kinds, units
from slcache.words.kinds import Kind

#: By cell mode, from the sparsest to the densest.
_HATCHES = {"slc": "", "mlc": "....", "tlc": "////", "qlc": "xxxx"}

Segment = tuple[str, str]


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure: a bar per scheme by cause (colour) and cell mode (hatching).

    A line across each bar marks the bytes that the host wrote.
    """
    stacks = [programmed(document) for document in documents]
    segments = _ordered({segment for stack in stacks for segment in stack})
    if not segments:
        return style.empty("nothing was programmed")
    written = [document["host"]["write"]["bytes"] for document in documents]
    factor, unit = units.size_scale(max(*map(_total, stacks), *written))
    names = {(mode, cause): f"{cause}, {mode.upper()}" for mode, cause in segments}
    looks = {
        (mode, cause): stacked_bars.hatched(kind, _HATCHES.get(mode, "++"))
        for (mode, cause), kind in segments.items()
    }
    figure, (axes,) = style.panels(1, 1, style.bars_height(len(labels)))
    ends = stacked_bars.draw(axes, labels, stacks, names, looks, factor, units.size)
    hosts = [size / factor for size in written]
    for row, host in enumerate(hosts):
        axes.plot([host, host], [row - 0.44, row + 0.44], color=style.INK, lw=1.4)
    totals = [units.size(_total(stack)) for stack in stacks]
    stacked_bars.finish(axes, labels, totals, list(map(max, ends, hosts)), 0.13)
    axes.set_xlabel(f"programmed ({unit})")
    line = Line2D([], [], color=style.INK, marker="|", ls="", ms=11, mew=1.4)
    style.swatches(figure, [*looks.values(), line], [*names.values(), "written by the host"])
    return figure


def caption(documents: Sequence[Document]) -> str:
    """Return what the causes in the figure are, and how to read write amplification from it."""
    causes = {cause for document in documents for _, cause in programmed(document)}
    return (
        "Colour is the cause, hatching the cell mode. The line across a bar marks the bytes that "
        "the host wrote: a bar that is twice as long has a write amplification of 2. Every mapping "
        "unit in a page counts for itself. "
        f"{kinds.explained(kinds.of(kinds.CAUSES, causes))}"
    )


def programmed(document: Document) -> dict[Segment, float]:
    """Return the bytes programmed by (cell mode, cause), every mapping unit for itself.

    Old data in a host's page are `rmw`; room left empty in any page is `pad`.
    """
    mu_bytes = document["config"]["device"]["mu_bytes"]
    stack: dict[Segment, float] = {}
    for op in document["flash"]["ops"]:
        if op["kind"] in kinds.STORES:
            empty = (op["mode"], "pad")
            stack[empty] = stack.get(empty, 0.0) + op["bytes"]
    for slot in document["flash"]["slots"]:
        segment, empty = (slot["mode"], slot["cause"]), (slot["mode"], "pad")
        size = slot["count"] * mu_bytes
        stack[segment] = stack.get(segment, 0.0) + size
        stack[empty] = stack.get(empty, 0.0) - size
    return {segment: size for segment, size in stack.items() if size}


def _total(stack: Mapping[Segment, float]) -> float:
    return sum(stack.values())


def _ordered(segments: Collection[Segment]) -> dict[Segment, Kind]:
    """Order segments by cause, host first, then from the sparsest cell mode to the densest."""
    causes = kinds.of(kinds.CAUSES, [cause for _, cause in segments])
    modes = [*_HATCHES, *sorted({mode for mode, _ in segments} - _HATCHES.keys())]
    return {
        (mode, cause): kind
        for cause, kind in causes.items()
        for mode in modes
        if (mode, cause) in segments
    }
