"""The pictures of the page of a run or a comparison, with what is said below each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from slcache.charts import bound, disk, flash, latency, layout, page, scheme, series
from slcache.charts.spec import Spec
from slcache.documents import Document


@dataclass(frozen=True)
class Picture:
    """A chart on the page, with the sentence that says how to read it."""

    title: str
    chart: Markup
    caption: str


def pictures(
    labels: Sequence[str],
    documents: Sequence[Document],
    to: str | None,
    bounds: Mapping[str, Any] | None,
) -> list[Picture]:
    """Draw every picture of the page."""
    note = documents[0]["trace"]["label"]
    return [
        Picture(title, page.chart(layout.noted(draw(), note), title), caption)
        for title, draw, caption in _drawn(labels, documents, to, bounds)
    ]


def _drawn(
    labels: Sequence[str],
    documents: Sequence[Document],
    to: str | None,
    bounds: Mapping[str, Any] | None,
) -> Iterator[tuple[str, Callable[[], Spec], str]]:
    """Yield of each picture its title, what draws it, and its caption."""

    def of(draw: Callable[..., Spec], *given: object) -> Callable[[], Spec]:
        return partial(draw, labels, documents, *given)

    if to is not None:
        told = (
            "Left of the dashed line a scheme is faster than the reference. At the end of a row "
            "stands the factor of the mean."
        )
        yield "Latency relative to " + to, of(latency.relative, to), told
        if bound.has_bound(documents):
            told = bound.bound_caption(documents)
            yield "How large a cache is worth", of(bound.bound, bounds), told
    for title, drawing, caption in _PICTURES + _OF_DISK * disk.has_disk(documents):
        yield title, of(drawing), caption if isinstance(caption, str) else caption(documents)
    if scheme.has_windows(documents):
        told = scheme.windows_caption(documents)
        yield "What schemes changed", of(scheme.windows), told
    for name in scheme.histogram_names(documents):
        told = scheme.histogram_caption(documents, name)
        yield f"How often: {name}", of(scheme.histogram, name), told
    for name in scheme.curve_names(documents):
        told = scheme.curve_caption(documents, name)
        yield f"Computed and measured: {name}", of(scheme.curve, name), told


_Draw = Callable[[Sequence[str], Sequence[Document]], Spec]
_Caption = str | Callable[[Sequence[Document]], str]
_PICTURES: tuple[tuple[str, _Draw, _Caption], ...] = (
    ("Where the mean latency comes from", latency.attribution, latency.attribution_caption),
    ("What was programmed", flash.writes, flash.writes_caption),
    (
        "Over time",
        series.draw,
        "Each point covers one or more whole windows; where a cache fills, latency jumps. "
        "Percentiles are of single windows, the highest of those that a point covers; a dot "
        "marks a window in which at least ten requests lie beyond the percentile. All panels are "
        "zoomed and moved together.",
    ),
    (
        "Latency distributions",
        latency.latency,
        "Above: share of requests at or below a latency. Below: share above it, the tail.",
    ),
    (
        "Wear",
        flash.wear,
        "Blocks by how often they were erased during the run, on a log axis: a point for "
        "each scheme and range of counts that any block has.",
    ),
)
_OF_DISK: tuple[tuple[str, _Draw, _Caption], ...] = (
    ("The disk's power states", disk.power, disk.power_caption),
    ("The disk's energy", disk.energy, disk.energy_caption),
    ("What the disk did", disk.work, disk.work_caption),
)
