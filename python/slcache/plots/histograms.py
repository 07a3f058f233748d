"""What schemes counted by bins: the states that a learner was in, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from slcache.documents.normalise import Document
from slcache.plots import layout, marks, plain, style
from slcache.words import units

Counts = NDArray[np.float64]
Histogram = Mapping[str, Any]

_COLUMNS = 3
#: Names of bins that are longer than this stand upright.
_LEVEL_LETTERS = 28


def names(documents: Sequence[Document]) -> list[str]:
    """Return the names of all histograms of which any scheme counted anything."""
    found = [entry["name"] for each in documents for entry in _of(each) if sum(entry["counts"])]
    return list(dict.fromkeys(found))


def draw(labels: Sequence[str], documents: Sequence[Document], name: str) -> Figure:
    """Return the figure of the histograms of one name.

    Two axes are a table for each scheme. Of one axis, or of more than two, each is a panel that
    sums over the others; how even the counts are of all combinations is a panel of its own.
    """
    found = {
        place: entry
        for place, document in enumerate(documents)
        for entry in _of(document)
        if entry["name"] == name and sum(entry["counts"])
    }
    if not found:
        return style.empty(f"nothing counted: {plain.name(name)}")
    if all(len(entry["axes"]) == 2 for entry in found.values()):
        return _tables(labels, found)
    return _sums(labels, found)


def caption(documents: Sequence[Document], name: str) -> str:
    """Return how the figure is read."""
    entries = [e for each in documents for e in _of(each) if e["name"] == name]
    if all(len(entry["axes"]) == 2 for entry in entries):
        return "Shares of all that was counted."
    if all(len(entry["axes"]) == 1 for entry in entries):
        return "Shares of all that was counted; bins by their names or lower edges."
    combinations = max(len(entry["counts"]) for entry in entries)
    return (
        "Shares of all that was counted, by one axis each; bins by their names or lower edges. "
        f"Last: how often each of the {combinations:,} combinations occurred, the most frequent "
        "first; the curve ends where the others never did."
    )


def _of(document: Document) -> Sequence[Histogram]:
    histograms: Sequence[Histogram] = document["scheme"].get("histograms", [])
    return histograms


def _counts(entry: Histogram) -> Counts:
    shape = [len(axis["bins"]) for axis in entry["axes"]]
    return np.asarray(entry["counts"], dtype=np.float64).reshape(shape)


def _tables(labels: Sequence[str], found: Mapping[int, Histogram]) -> Figure:
    """Draw a table of shares for each scheme."""
    figure, areas = layout.grid(len(found), _COLUMNS, 0.4, 2.1)
    for area, (place, entry) in zip(areas, found.items(), strict=True):
        _table(area, labels[place], _counts(entry), entry["axes"], style.scheme_colour(place))
        style.title(area, plain.name(labels[place]))
    return figure


def _table(
    axes: Axes, label: str, counts: Counts, sides: Sequence[Mapping[str, Any]], colour: str
) -> None:
    """Draw shares as cells, the fuller the larger, with the share in each."""
    rows, columns = counts.shape
    for row in range(rows):
        for column in range(columns):
            share = counts[row, column] / counts.sum()
            strength = counts[row, column] / counts.max()
            corner = (column - 0.5, row - 0.5)
            cell = Rectangle(corner, 1, 1, fc=colour, alpha=float(strength), lw=0)
            axes.add_patch(cell)
            of = f"{sides[0]['bins'][row]}, {sides[1]['bins'][column]}"
            marks.name(cell, _told(label, of, counts[row, column], counts.sum()))
            axes.text(
                column, row, style.share(round(float(share), 3)), ha="center", va="center",
                fontsize=8.5, color=style.on(colour) if strength > 0.7 else style.INK,
            )  # fmt: skip
    axes.set(xlim=(-0.5, columns - 0.5), ylim=(-0.5, rows - 0.5))
    axes.set_xticks(range(columns), [plain.name(each) for each in sides[1]["bins"]])
    plain.rows(axes, sides[0]["bins"])
    axes.set(xlabel=plain.name(sides[1]["name"]), ylabel=plain.name(sides[0]["name"]))
    axes.grid(visible=False)
    axes.tick_params(length=0)


def _sums(labels: Sequence[str], found: Mapping[int, Histogram]) -> Figure:
    """Draw a panel for each axis, summed over the others, and one for all combinations."""
    sides: dict[str, list[str]] = {}
    for entry in found.values():
        for axis in entry["axes"]:
            sides.setdefault(axis["name"], list(axis["bins"]))
    joint = any(len(entry["axes"]) > 1 for entry in found.values())
    panels = len(sides) + joint
    figure, areas = layout.grid(panels, min(_COLUMNS, panels), 0.6, 2.5)
    for area, (side, bins) in zip(areas, sides.items(), strict=False):
        _bars(area, side, bins, labels, found)
    if joint:
        _ranks(areas[-1], found, labels)
    style.key(figure, labels, "bars", shown=sorted(found))
    return figure


def _bars(
    axes: Axes,
    side: str,
    bins: Sequence[str],
    labels: Sequence[str],
    found: Mapping[int, Histogram],
) -> None:
    """Draw the shares of one axis, schemes side by side."""
    width = 0.84 / len(found)
    for number, (place, entry) in enumerate(found.items()):
        kept = [i for i, axis in enumerate(entry["axes"]) if axis["name"] == side]
        if not kept or list(entry["axes"][kept[0]]["bins"]) != list(bins):
            continue
        counts = _counts(entry)
        others = tuple(i for i in range(counts.ndim) if i != kept[0])
        sums = counts.sum(axis=others)
        shares = sums / sums.sum()
        shift = (number - (len(found) - 1) / 2) * width
        xs = np.arange(len(bins)) + shift
        drawn = axes.bar(xs, shares, width, color=style.scheme_colour(place), lw=0)
        told = zip(bins, sums, strict=True)
        named = (_told(labels[place], f"{side} {of}", n, sums.sum()) for of, n in told)
        marks.name(drawn, *named)
    upright = sum(map(len, bins)) > _LEVEL_LETTERS
    names = [plain.name(each, 18) for each in bins]
    axes.set_xticks(range(len(bins)), names, rotation=90 if upright else 0, fontsize=7.5)
    axes.yaxis.set_major_formatter(lambda value, _: style.share(value))
    axes.set_xlim(-0.6, len(bins) - 0.4)
    style.only_horizontal(axes)
    style.title(axes, plain.name(side))


def _told(label: str, of: str, times: float, total: float) -> str:
    share = units.percent(times / total)
    return f"{label}, {of}: {share}, {units.count(times)} of {units.count(total)}"


def _ranks(axes: Axes, found: Mapping[int, Histogram], labels: Sequence[str]) -> None:
    """Draw how often each combination occurred, the most frequent first."""
    for place, entry in found.items():
        counts = np.sort(_counts(entry).ravel())[::-1]
        counts = counts[counts > 0]
        ranks = np.arange(1, len(counts) + 1)
        line = style.scheme_line(place, len(labels), 1.0)
        (drawn,) = axes.plot(ranks, counts, marker=".", ms=3, **line)
        most = _told(f"{len(counts):,} combinations", "the most frequent", counts[0], counts.sum())
        marks.name(drawn, f"{labels[place]}, {most}")
    style.log_ticks(axes, style.whole, "x", 5)
    style.log_ticks(axes, style.whole, "y", 5)
    axes.set_xlim(0.8, max(12.0, 1.2 * axes.dataLim.xmax))
    axes.set_ylim(0.8, max(12.0, 1.2 * axes.dataLim.ymax))
    axes.set(xlabel="combinations that occurred", ylabel="times")
    style.title(axes, "how often each occurred")
