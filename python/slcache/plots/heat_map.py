"""A metric over two parameters as a map of colours, a panel for each scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, Normalize, to_hex
from matplotlib.figure import Figure

from slcache.plots import layout, plain, study_axis, style
from slcache.study import wording
from slcache.study.cells import Cells

_COLUMNS = 3
_COLOURS = colormaps["viridis"]
#: Cells have their value written in them where no panel has more rows or columns than this.
_WRITTEN = 8


def draw(metric: str, across: str, up: str, panels: Mapping[str, Cells]) -> Figure:
    """Return the figure: parameters `across` and `up`, a panel for each entry of `panels`."""
    shown = {name: cells for name, cells in panels.items() if np.isfinite(cells.means).any()}
    if not shown:
        return style.empty(f"{metric}: no point has both parameters")
    columns = min(_COLUMNS, len(shown))
    figure, areas = layout.grid(len(shown), columns, 0.6, 3.4 if columns == 1 else 2.9)
    norm = _norm([cells.means for cells in shown.values()])
    for i, (area, (name, cells)) in enumerate(zip(areas, shown.items(), strict=True)):
        _panel(area, metric, cells, norm, columns)
        area.set_xlabel(plain.name(across, 96 // columns))
        if i % columns == 0:
            area.set_ylabel(plain.name(up, 34))
        if name:
            style.title(area, plain.name(name, 96 // columns))
    _bar(figure, metric, norm)
    return figure


def _norm(means: Sequence[np.ndarray]) -> Normalize:
    """Return the scale of colours: of one value, a stretch around it."""
    values = np.concatenate([each[np.isfinite(each)] for each in means])
    low, high = float(values.min()), float(values.max())
    if study_axis.is_log([low, high]):
        return LogNorm(low, high)
    return Normalize(low, high) if low < high else Normalize(low - 0.5, low + 0.5)


def _panel(area: Axes, metric: str, cells: Cells, norm: Normalize, columns: int) -> None:
    area.grid(visible=False)
    area.imshow(cells.means, origin="lower", aspect="auto", cmap=_COLOURS, norm=norm)
    study_axis.words(area, "x", cells.across.bounds, 90 // columns)
    study_axis.words(area, "y", cells.up.bounds)
    area.tick_params(length=0)
    rows, across = cells.means.shape
    for i, j in np.ndindex(rows, across):
        value = float(cells.means[i, j])
        if not np.isfinite(value):
            area.text(j, i, "–", ha="center", va="center", fontsize=8, color=style.INK)
        elif rows <= _WRITTEN and across * columns <= 1.5 * _WRITTEN:
            colour = style.on(to_hex(_COLOURS(norm(value))))
            text = wording.figure(metric, value)
            area.text(j, i, text, ha="center", va="center", fontsize=7, color=colour)


def _bar(figure: Figure, metric: str, norm: Normalize) -> None:
    bar = figure.colorbar(ScalarMappable(norm, _COLOURS), ax=figure.axes, label=metric, pad=0.01)
    bar.outline.set_visible(False)
    study_axis.ticks(bar.ax.yaxis, metric, log=isinstance(norm, LogNorm))
