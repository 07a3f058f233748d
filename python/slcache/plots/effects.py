"""Main effects on a metric: a panel per parameter, with each level's mean and its points' range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.plots import layout, marks, plain, study_axis, style
from slcache.study import wording
from slcache.study.effects import Effect, Level

_COLUMNS = 3
#: The figure shows so many parameters, those whose means lie furthest apart.
MOST = 9
_MEAN: dict[str, Any] = {"marker": "o", "ms": 5.0}
_THIN: dict[str, Any] = {"lw": 1.0, "alpha": 0.45}
_THICK: dict[str, Any] = {"lw": 4.5, "alpha": 0.35, "solid_capstyle": "butt"}


def draw(metric: str, found: Sequence[Effect], short: Mapping[str, str]) -> Figure:
    """Return the figure of the effects on a metric; parameters are called by short names."""
    shown = found[:MOST]
    if not shown:
        return style.empty(f"{metric}: nothing varied among the points that have it")
    columns = min(_COLUMNS, len(shown))
    figure, areas = layout.grid(len(shown), columns, 0.7, 2.5, sharey=True)
    values = [
        value
        for effect in shown
        for level in effect.levels
        for value in (*level.spread, level.mean)
    ]
    for i, (area, effect) in enumerate(zip(areas, shown, strict=True)):
        name = short[effect.factor]
        _panel(area, metric, effect, name, columns)
        study_axis.metric(area, "y", metric, values)
        if i % columns == 0:
            area.set_ylabel(metric)
    _key(figure, spread=any(level.count > 1 for effect in shown for level in effect.levels))
    return figure


def _panel(area: Axes, metric: str, effect: Effect, name: str, columns: int) -> None:
    colour = style.scheme_colour(0)
    numeric = effect.numeric
    places = [level.place if numeric else i for i, level in enumerate(effect.levels)]
    for place, level in zip(places, effect.levels, strict=True):
        least, first, third, most = level.spread
        area.plot([place, place], [least, most], color=colour, **_THIN)
        area.plot([place, place], [first, third], color=colour, **_THICK)
    means = [level.mean for level in effect.levels]
    (drawn,) = area.plot(places, means, color=colour, lw=1.4, ls="-" if numeric else "", **_MEAN)
    marks.name(drawn, *(f"{name} {_told(metric, level)}" for level in effect.levels))
    if numeric:
        study_axis.numbers(area, "x", places, each=not effect.ranges)
        area.margins(x=0.07)
    else:
        letters = 102 // columns
        study_axis.words(area, "x", [(each.low, each.high) for each in effect.levels], letters)
        area.set_xlim(-0.6, len(places) - 0.4)
        style.only_horizontal(area)
    style.title(area, plain.name(name, 90 // columns))


def _told(metric: str, level: Level) -> str:
    """Return a level with its mean, and what its points reach from and to."""
    mean, least, most = (
        wording.figure(metric, value) for value in (level.mean, level.spread[0], level.spread[-1])
    )
    reach = f", {level.count} points from {least} to {most}" if level.count > 1 else ""
    return f"{wording.level(level.low, level.high)}, {metric}: mean {mean}{reach}"


def _key(figure: Figure, *, spread: bool) -> None:
    colour = style.scheme_colour(0)
    looks = {"mean over all else": {"color": colour, "lw": 1.4, **_MEAN}}
    if spread:
        looks["middle half of the points"] = {"color": colour, **_THICK}
        looks["least to greatest"] = {"color": colour, **_THIN}
    style.lines_key(figure, looks)
