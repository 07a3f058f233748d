"""Latency relative to a reference scheme for many schemes: a row each, on a log axis."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.documents import normalise
from slcache.documents.normalise import Document
from slcache.plots import marks, plain, style
from slcache.words import units

#: Keys of the latencies that are shown, their titles and marks.
FIGURES = (("mean", "mean", "o"), ("p99", "p99", "D"), ("p99_9", "p99.9", "^"))


def draw(labels: Sequence[str], documents: Sequence[Document], to: str) -> Figure:
    """Return the figure; a side without requests is left out."""
    sides = [side for side in ("read", "write") if documents[0]["host"][side]["requests"]]
    if not sides:
        return style.empty("no reads and no writes")
    figure, areas = style.panels(1, len(sides), style.bars_height(len(labels)))
    reference = documents[list(labels).index(to)]
    for area, side in zip(areas, sides, strict=True):
        _panel(area, side, labels, documents, reference)
        style.title(area, f"{side} latency relative to {plain.name(to, 24)}")
        plain.rows(area, labels if area is areas[0] else [""] * len(labels))
    mark = {"color": style.INK, "ls": "", "ms": 5.5}
    style.lines_key(figure, {title: {**mark, "marker": m} for _, title, m in FIGURES})
    return figure


def _panel(
    area: Axes,
    side: str,
    labels: Sequence[str],
    documents: Sequence[Document],
    reference: Document,
) -> None:
    """Draw three marks per scheme, joined; a column beside the panel has the means' factors."""
    for row, document in enumerate(documents):
        values = [relative(document, reference, side, key) for key, _, _ in FIGURES]
        known = [value for value in values if value]
        colour = style.scheme_colour(row)
        area.plot(known, [row] * len(known), color=colour, lw=1.4, alpha=0.6)
        for value, (key, title, mark) in zip(values, FIGURES, strict=True):
            if value:
                (point,) = area.plot(value, row, color=colour, marker=mark, ms=5.5, ls="")
                marks.name(point, told(labels[row], document, side, key, title, value))
        if values[0] is not None:
            _note(area, row, units.factor(values[0]))
    area.axvline(1.0, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0.9)
    style.log_ticks(area, lambda factor: f"{factor:.6g}×")
    area.set_xlabel("factor, lower is better")
    area.margins(x=0.05, y=0.07)
    area.invert_yaxis()
    _note(area, area.get_ylim()[1], "mean", above=True)
    area.tick_params(axis="y", length=0)


def relative(document: Document, reference: Document, side: str, key: str) -> float | None:
    """Return a latency as a factor of the reference's."""
    mine = normalise.latency(document, side, key)
    return normalise.ratio(mine, normalise.latency(reference, side, key))


def told(label: str, document: Document, side: str, key: str, title: str, relative: float) -> str:
    """Return what a mark says: the latency and the factor."""
    latency = units.duration(normalise.latency(document, side, key) or 0.0)
    return f"{label}, {side} {title}: {latency}, {units.factor(relative)}"


def _note(area: Axes, row: float, text: str, *, above: bool = False) -> None:
    """Write in the column to the right of a panel, or its heading above."""
    area.annotate(
        text,
        (1.0, row),
        xycoords=("axes fraction", "data"),
        xytext=(6, 4 if above else 0),
        textcoords="offset points",
        va="bottom" if above else "center",
        fontsize=8.5,
        color=style.INK,
        annotation_clip=False,
    )
