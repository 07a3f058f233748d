"""What planes did over time, as a picture: a row for each plane, coloured by cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from slcache.plots import plain, style
from slcache.slow.shown import Shown, place
from slcache.words import kinds, units
from slcache.words.kinds import Kind

#: Points of a row, which a printed page still tells apart.
_ACROSS = 1200
#: Inches of a row where there are few, and of all rows of a run.
_ROW, _ROWS = 0.17, 2.4


def draw(labels: Sequence[str], shown: Sequence[Shown]) -> Figure:
    """Return the figure: a panel for each run, all with one axis of time."""
    causes = seen(shown)
    heights = [min(_ROW * len(run.planes), _ROWS) + 0.35 for run in shown]
    figure, areas = style.panels(
        len(shown), 1, 0.9 + sum(heights), sharex=True, height_ratios=heights
    )
    scale, unit = units.time_scale(shown[0].span_ns / 1e3)
    for area, label, run in zip(areas, labels, shown, strict=True):
        _panel(area, run, causes, run.span_ns / 1e3 / scale)
        style.title(area, plain.name(label))
    areas[-1].set_xlabel(unit)
    style.kinds_key(figure, causes)
    return figure


def seen(shown: Sequence[Shown]) -> dict[str, Kind]:
    """Return the causes of all operations of the tables."""
    return kinds.of(kinds.CAUSES, {name for run in shown for name in run.operations.cause.names})


def _panel(area: Axes, run: Shown, causes: Mapping[str, Kind], wide: float) -> None:
    planes = run.planes
    area.imshow(
        _painted(run, causes),
        extent=(0.0, wide, len(planes) - 0.5, -0.5),
        aspect="auto",
        interpolation="none",
    )
    config = run.operations.config
    names = [place(config, plane) for plane in planes]
    # Where rows are thin a die is named once.
    every = 1 if len(planes) * _ROW <= _ROWS else -(-len(planes) // round(_ROWS / _ROW))
    ticks = range(0, len(planes), every)
    area.set_yticks(list(ticks), [", ".join(filter(None, names[row])) for row in ticks])
    area.tick_params(axis="y", length=0, labelsize=7)
    area.grid(visible=False)


def _painted(run: Shown, causes: Mapping[str, Kind]) -> NDArray[np.uint8]:
    """Return the colours of the rows, clear where a plane is idle; the shortest are on top."""
    operations, rows, planes = run.operations, run.rows, run.planes
    picture = np.zeros((len(planes), _ACROSS, 4), np.uint8)
    scale = _ACROSS / max(run.span_ns, 1)
    begin = np.clip((operations.begin_ns[rows] - run.zero_ns) * scale, 0, _ACROSS - 1).astype(int)
    end = np.clip(np.ceil((operations.end_ns[rows] - run.zero_ns) * scale), 1, _ACROSS).astype(int)
    row = np.searchsorted(planes, operations.plane[rows])
    colours = [
        [*(round(255 * part) for part in to_rgb(causes[name].colour)), 255]
        for name in operations.cause.names
    ]
    places = operations.cause.places[rows]
    for at in np.argsort(begin - end, kind="stable").tolist():
        picture[row[at], begin[at] : max(end[at], begin[at] + 1)] = colours[places[at]]
    return picture
