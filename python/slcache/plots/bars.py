"""Mean and tail latency relative to a reference scheme, reads and writes apart."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.documents.normalise import Document
from slcache.plots import dots, marks, plain, style
from slcache.words import units


def draw(labels: Sequence[str], documents: Sequence[Document], to: str) -> Figure:
    """Return the figure; a side without requests is left out, many schemes get a row each."""
    if len(labels) >= style.MANY:
        return dots.draw(labels, documents, to)
    sides = [side for side in ("read", "write") if documents[0]["host"][side]["requests"]]
    if not sides:
        return style.empty("no reads and no writes")
    figure, axes = style.panels(1, len(sides), 3.0)
    reference = list(labels).index(to)
    for panel, side in zip(axes, sides, strict=True):
        _panel(panel, side, labels, documents, reference)
        style.title(panel, f"{side} latency")
    axes[0].set_ylabel(f"relative to {plain.name(to, 24)} (lower is better)")
    style.key(figure, labels, "bars")
    return figure


def _panel(
    axes: Axes, side: str, labels: Sequence[str], documents: Sequence[Document], reference: int
) -> None:
    width = 0.8 / len(documents)
    largest = 1.0
    for i, document in enumerate(documents):
        for group, (key, title, _) in enumerate(dots.FIGURES):
            value = dots.relative(document, documents[reference], side, key)
            if value is None:
                continue
            largest = max(largest, value)
            x = group + (i - (len(documents) - 1) / 2) * width
            (bar,) = axes.bar(x, value, width * 0.92, color=style.scheme_colour(i))
            marks.name(bar, dots.told(labels[i], document, side, key, title, value))
            if i != reference:
                axes.annotate(
                    units.factor(value),
                    (x, value),
                    xytext=(0, 2),
                    textcoords="offset points",
                    ha="center",
                    fontsize=min(8.0, 20.0 / len(documents)),
                    color=style.INK,
                )
    axes.axhline(1.0, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0.9)
    axes.set_xticks(range(len(dots.FIGURES)), [title for _, title, _ in dots.FIGURES])
    axes.set_ylim(0, largest * 1.12)
    style.only_horizontal(axes)
