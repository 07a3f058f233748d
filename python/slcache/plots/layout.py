"""Figures of many panels: row by row, or a column for each thing shown and a row for each run."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.plots import style


def grid(
    count: int,
    columns: int,
    above: float,
    row: float,
    **options: Any,  # noqa: ANN401
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels, so many side by side; what is left of a row is empty.

    It is as many inches high as it needs `above` and for each `row`.
    """
    rows = -(-count // columns)
    figure, areas = style.panels(rows, columns, above + row * rows, **options)
    for area in areas[count:]:
        area.axis("off")
    return figure, areas[:count]


def stacks(
    count: int,
    rows: int,
    columns: int,
    above: float,
    row: float,
    **options: Any,  # noqa: ANN401
) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure and stacks of panels, so many side by side, each with a panel per row."""
    columns = min(columns, count)
    blocks = -(-count // columns)
    figure, areas = style.panels(blocks * rows, columns, blocks * (above + row * rows), **options)
    figure.set_layout_engine("constrained", h_pad=0.015, hspace=0.02)
    size = rows * columns
    firsts = (block * size + column for block in range(blocks) for column in range(columns))
    found = [areas[first : first // size * size + size : columns] for first in firsts]
    for stack in found[count:]:
        for area in stack:
            area.remove()
    return figure, found[:count]
