"""Latency relative to a reference scheme for many schemes: a row each, on a log axis."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from slcache import normalise, units
from slcache.normalise import Document
from slcache.plots import style

_FIGURES = (("mean", "mean", "o"), ("p99", "p99", "D"), ("p99_9", "p99.9", "^"))


def draw(labels: Sequence[str], documents: Sequence[Document], to: str) -> Figure:
    """Return the figure; a side without requests is left out."""
    sides = [side for side in ("read", "write") if documents[0]["host"][side]["requests"]]
    if not sides:
        return style.empty("no reads and no writes")
    figure, areas = style.panels(1, len(sides), style.bars_height(len(labels)))
    reference = documents[list(labels).index(to)]
    for area, side in zip(areas, sides, strict=True):
        _panel(area, side, documents, reference)
        style.title(area, f"{side} latency relative to {to}")
        area.set_yticks(range(len(labels)), list(labels) if area is areas[0] else [])
    marks = [Line2D([], [], color=style.INK, marker=m, ls="", ms=5.5) for _, _, m in _FIGURES]
    style.swatches(figure, marks, [title for _, title, _ in _FIGURES])
    return figure


def _panel(area: Axes, side: str, documents: Sequence[Document], reference: Document) -> None:
    """Draw three marks per scheme, joined, with the factor of the mean beside them."""
    for row, document in enumerate(documents):
        values = [_relative(document, reference, side, key) for key, _, _ in _FIGURES]
        known = [value for value in values if value]
        colour = style.scheme_colour(row)
        area.plot(known, [row] * len(known), color=colour, lw=1.4, alpha=0.6)
        for value, (_, _, mark) in zip(values, _FIGURES, strict=True):
            if value:
                area.plot(value, row, color=colour, marker=mark, ms=5.5, ls="")
        if known and values[0] is not None:
            _note(area, max(known), row, units.factor(values[0]))
    area.axvline(1.0, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0.9)
    area.set_xscale("log")
    area.xaxis.set_major_locator(LogLocator(subs=(1,)))
    area.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{units.trimmed(f'{x:.4f}')}×"))
    area.xaxis.set_minor_formatter(NullFormatter())
    area.set_xlabel("factor, lower is better; the number is the mean's")
    area.margins(x=0.17, y=0.07)
    area.invert_yaxis()
    area.tick_params(axis="y", length=0)


def _relative(document: Document, reference: Document, side: str, key: str) -> float | None:
    mine = normalise.latency(document, side, key)
    return normalise.ratio(mine, normalise.latency(reference, side, key))


def _note(area: Axes, x: float, row: int, text: str) -> None:
    area.annotate(
        text,
        (x, row),
        xytext=(7, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        color=style.INK,
    )
