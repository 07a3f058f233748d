"""Charts of the flash: what was programmed, and how blocks are worn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from slcache import kinds, units
from slcache.charts import bars, layout, spec
from slcache.charts.spec import Axis, Spec
from slcache.documents import Document
from slcache.kinds import Kind

_BINS = 24
#: By cell mode, from the sparsest to the densest, how pale bars are.
_PALE = {"slc": 0.0, "mlc": 0.25, "tlc": 0.45, "qlc": 0.65}


def writes(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw a bar per scheme by cause and cell mode, and what the host wrote as a line across."""
    stacks = list(map(programmed, documents))
    segments = _ordered({segment for stack in stacks for segment in stack})
    if not segments:
        return layout.empty("nothing was programmed")
    looks = {
        (mode, cause): (f"{cause}, {mode.upper()}", bars.pale(kind.colour, _PALE.get(mode, 0.8)))
        for (mode, cause), kind in segments.items()
    }
    written = [document["host"]["write"]["bytes"] for document in documents]
    axis = bars.lengths(stacks, "size", "programmed", written)
    host: Spec = {
        "data": spec.data(
            {"row": label, "x": size / axis.per, "told": units.size(size)}
            for label, size in zip(labels, written, strict=True)
        ),
        "mark": {"type": "tick", "thickness": 2.5, "size": 25},
        "encoding": {
            "x": axis.channel("x"), "y": spec.names_axis("row", labels),
            "tooltip": spec.tip(scheme="row", written_by_the_host="told"),
        },
    }  # fmt: skip
    return bars.picture(labels, bars.panel(labels, stacks, looks, axis, units.size, host))


def writes_caption(documents: Sequence[Document]) -> str:
    """Return what the causes in the picture are, and how to read write amplification from it."""
    causes = {cause for document in documents for _, cause in programmed(document)}
    return (
        "Colour is the cause, the paler the denser the cells. The line across a bar marks the "
        "bytes that the host wrote: a bar that is twice as long has a write amplification of 2. "
        "Every mapping unit in a page counts for itself. "
        f"{kinds.explained(kinds.of(kinds.CAUSES, causes))}"
    )


def programmed(document: Document) -> bars.Stack:
    """Return the bytes programmed by (cell mode, cause), every mapping unit for itself.

    Old data in a host's page are `rmw`; room left empty in any page is `pad`.
    """
    mu_bytes = document["config"]["device"]["mu_bytes"]
    stack: bars.Stack = {}
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


def _ordered(segments: set[tuple[str, str]]) -> dict[tuple[str, str], Kind]:
    """Order segments by cause, host first, then from the sparsest cell mode to the densest."""
    causes = kinds.of(kinds.CAUSES, [cause for _, cause in segments])
    modes = [*_PALE, *sorted({mode for mode, _ in segments} - _PALE.keys())]
    return {
        (mode, cause): kind
        for cause, kind in causes.items()
        for mode in modes
        if (mode, cause) in segments
    }


def wear(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Draw how block erases are distributed, a panel per pool and cell mode."""
    found = [
        {(p["pool"], p["mode"]): p for p in document["wear"]["pools"] if p["histogram"]}
        for document in documents
    ]
    places = sorted({place for pools in found for place in pools})
    if not places:
        return layout.empty("no blocks to wear")
    panels = [
        layout.panel(
            _blocks(labels, [pools.get(place) for pools in found]),
            title=f"{place[1].upper()} blocks of {place[0]}",
        )
        for place in places
    ]
    return layout.picture(panels, columns=2)


def _blocks(labels: Sequence[str], pools: Sequence[Mapping[str, Any] | None]) -> Spec:
    """Return each scheme's blocks by erase count, grouped in bins where counts are many.

    Points and not bars: a bar's length would mean nothing on a log axis, which has no zero.
    """
    counts = [count for pool in pools if pool for count, _ in pool["histogram"]]
    low, high = min(counts), max(counts)
    step = max(1, math.ceil((high - low + 1) / _BINS))
    bins = [
        str(first) if step == 1 else f"{first}–{first + step - 1}"
        for first in range(low, high + 1, step)
    ]
    rows = []
    for label, pool in zip(labels, pools, strict=True):
        blocks: Counter[int] = Counter()
        for count, number in (pool or {"histogram": []})["histogram"]:
            blocks[(count - low) // step] += number
        for place, number in blocks.items():
            told = f"{number:,} blocks with {bins[place]} erases"
            rows.append({"key": label, "row": bins[place], "y": number, "told": told})
    across = spec.names_axis("row", bins, title="erases of a block")
    across["axis"]["labelAngle"] = 0
    beside = {"xOffset": {"field": "key", "type": "nominal", "scale": {"domain": list(labels)}}}
    up = Axis("blocks", "count", log=True)
    looks = spec.colours(labels)
    return spec.points(rows, across, up, looks, encoding=beside if len(labels) > 1 else {})
