"""The figures of the page of a run or a comparison, with what is said below each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    drawn: list[_Drawn] = []
    note = labels_of_traces.of_runs(documents)
    if to is not None:
        drawn.append(
            (
                "bars",
                "Latency relative to " + to,
                partial(bars.draw, labels, documents, to),
                "On the side of the dashed line where factors are below 1 a scheme is faster than "
                "the reference.",
            )
        )
        if bound.has_any(documents):
            compared = partial(bound.compared, labels, documents, bounds)
            told = bound.caption(documents)
            drawn.append(("bound", "How large a cache is worth", compared, told))
    for name, title, draw, caption in _FIGURES + _DISK_FIGURES * power.has_any(documents):
        drawn.append((name, title, partial(draw, labels, documents), caption(documents)))
    drawn += _of_schemes(labels, documents)
    return [
        Picture(title, svg(draw, note, name, title), caption, name)
        for name, title, draw, caption in drawn
    ]


def svg(draw: Callable[[], Figure], note: str | None, name: str, title: str) -> Markup:
    """Draw a figure, which lives no longer than until it is text."""
    return images.svg(style.noted(draw(), note), name, title)


def _of_schemes(labels: Sequence[str], documents: Sequence[Document]) -> list[_Drawn]:
    """Return the figures of what schemes report of their own, where any does."""
    drawn: list[_Drawn] = []
    if windows.has_any(documents):
        draw = partial(windows.draw, labels, documents)
        drawn.append(("windows", "What schemes changed", draw, windows.caption(documents)))
    for number, name in enumerate(histograms.names(documents)):
        draw = partial(histograms.draw, labels, documents, name)
        caption = histograms.caption(documents, name)
        drawn.append((f"histogram{number}", f"How often: {name}", draw, caption))
    for number, name in enumerate(curves.names(documents)):
        draw, caption = (
            partial(curves.draw, labels, documents, name),
            curves.caption(documents, name),
        )
        drawn.append((f"curve{number}", f"Computed and measured: {name}", draw, caption))
    return drawn


#: A name, a title, what draws the figure, and its caption.
_Drawn = tuple[str, str, Callable[[], Figure], str]
_Draw = Callable[[Sequence[str], Sequence[Document]], Figure]
_Caption = Callable[[Sequence[Document]], str]
_FIGURES: tuple[tuple[str, str, _Draw, _Caption], ...] = (
    ("attribution", "Where the mean latency comes from", attribution.draw, attribution.caption),
    ("writes", "What was programmed", writes.draw, writes.caption),
    (
        "series",
        "Over time",
        series.draw,
        lambda _: (
            "Each point covers one or more whole windows; where a cache fills, latency jumps. "
            "Percentiles are of single windows, the highest of those that a point covers; a dot "
            "marks a window in which at least ten requests lie beyond the percentile."
        ),
    ),
    (
        "latency",
        "Latency distributions",
        latency.draw,
        lambda _: (
            "Above: share of requests at or below a latency. Below: share above it, the tail."
        ),
    ),
    (
        "wear",
        "Wear",
        wear.draw,
        lambda _: (
            "Blocks by how often they were erased during the run, on a log axis: a point for "
            "each scheme and range of counts that any block has."
        ),
    ),
)
_DISK_FIGURES: tuple[tuple[str, str, _Draw, _Caption], ...] = (
    ("power", "The disk's power states", power.draw, power.caption),
    ("energy", "The disk's energy", power.energy, power.energy_caption),
    ("disk", "What the disk did", power.work, power.work_caption),
)
