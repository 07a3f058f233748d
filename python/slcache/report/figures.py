"""The figures of the page of a run or a comparison, with what is said below each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from slcache.documents.normalise import Document
from slcache.plots import (
    attribution,
    bars,
    bound,
    curves,
    histograms,
    images,
    latency,
    power,
    series,
    style,
    wear,
    windows,
    writes,
)
from slcache.words import labels as labels_of_traces


@dataclass(frozen=True)
class Picture:
    """A figure on the page, with the sentence that says how to read it."""

    title: str
    svg: Markup
    caption: str
    name: str = ""


@images.seldom_collected()
def pictures(
    labels: Sequence[str],
    documents: Sequence[Document],
    to: str | None,
    bounds: Mapping[str, Any] | None,
) -> list[Picture]:
    """Draw every figure of the page."""
    note = labels_of_traces.of_runs(documents)
    return [
        Picture(title, svg(draw, note, name, title), caption, name)
        for name, title, draw, caption in _drawn(labels, documents, to, bounds)
    ]


def svg(draw: Callable[[], Figure], note: str | None, name: str, title: str) -> Markup:
    """Draw a figure, which lives no longer than until it is text."""
    return images.svg(style.noted(draw(), note), name, title)


def _drawn(
    labels: Sequence[str],
    documents: Sequence[Document],
    to: str | None,
    bounds: Mapping[str, Any] | None,
) -> Iterator[tuple[str, str, Callable[[], Figure], str]]:
    """Yield of each figure its name, its title, what draws it, and its caption."""

    def of(draw: Callable[..., Figure], *given: object) -> Callable[[], Figure]:
        return partial(draw, labels, documents, *given)

    if to is not None:
        told = (
            "On the side of the dashed line where factors are below 1 a scheme is faster than "
            "the reference."
        )
        yield "bars", "Latency relative to " + to, of(bars.draw, to), told
        if bound.has_any(documents):
            draw, told = of(bound.compared, bounds), bound.caption(documents)
            yield "bound", "How large a cache is worth", draw, told
    for name, title, drawing, caption in _FIGURES + _DISK_FIGURES * power.has_any(documents):
        yield name, title, of(drawing), caption if isinstance(caption, str) else caption(documents)
    if windows.has_any(documents):
        yield "windows", "What schemes changed", of(windows.draw), windows.caption(documents)
    for i, name in enumerate(histograms.names(documents)):
        told = histograms.caption(documents, name)
        yield f"histogram{i}", f"How often: {name}", of(histograms.draw, name), told
    for i, name in enumerate(curves.names(documents)):
        told = curves.caption(documents, name)
        yield f"curve{i}", f"Computed and measured: {name}", of(curves.draw, name), told


_Draw = Callable[[Sequence[str], Sequence[Document]], Figure]
_Caption = str | Callable[[Sequence[Document]], str]
_FIGURES: tuple[tuple[str, str, _Draw, _Caption], ...] = (
    ("attribution", "Where the mean latency comes from", attribution.draw, attribution.caption),
    ("writes", "What was programmed", writes.draw, writes.caption),
    (
        "series",
        "Over time",
        series.draw,
        "Each point covers one or more whole windows; where a cache fills, latency jumps. "
        "Percentiles are of single windows, the highest of those that a point covers; a dot "
        "marks a window in which at least ten requests lie beyond the percentile.",
    ),
    (
        "latency",
        "Latency distributions",
        latency.draw,
        "Above: share of requests at or below a latency. Below: share above it, the tail.",
    ),
    (
        "wear",
        "Wear",
        wear.draw,
        "Blocks by how often they were erased during the run, on a log axis: a point for "
        "each scheme and range of counts that any block has.",
    ),
)
_DISK_FIGURES: tuple[tuple[str, str, _Draw, _Caption], ...] = (
    ("power", "The disk's power states", power.draw, power.caption),
    ("energy", "The disk's energy", power.energy, power.energy_caption),
    ("disk", "What the disk did", power.work, power.work_caption),
)
