"""A metric's mean over seeds with its interval, configuration by configuration, the best first."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from slcache.plots import marks, plain, study_axis, style
from slcache.study import wording
from slcache.study.spread import Spread

#: The figure shows so many configurations.
MOST = 40
_NAMED = 16


def draw(found: Spread, names: Sequence[str], *, most_is_best: bool = False) -> Figure:
    """Return the figure; `names` are those of the configurations."""
    estimates = found.estimates
    if not estimates:
        return style.empty(f"{found.metric}: no point has it")
    order = sorted(range(len(estimates)), key=lambda i: estimates[i].mean, reverse=most_is_best)
    order = order[:MOST]
    row = 0.3 if len(order) <= _NAMED else 0.15
    figure, (area,) = style.panels(1, 1, 0.9 + row * max(3, len(order)))
    values: list[float] = []
    for place, i in enumerate(order):
        colour = style.scheme_colour(1 if i == found.best or i in found.alike else 0)
        mean, half = estimates[i].mean, estimates[i].half or 0.0
        values += [mean - half, mean + half]
        (line,) = area.plot([mean - half, mean + half], [place, place], color=colour, lw=1.6)
        (point,) = area.plot(mean, place, color=colour, marker="o", ms=4)
        told = wording.interval(found.metric, mean, estimates[i].half)
        for drawn in (line, point):
            marks.name(drawn, f"{names[i]}: {told}")
    study_axis.metric(area, "x", found.metric, values)
    area.set(xlabel=found.metric, ylim=(len(order) - 0.4, -0.6))
    area.grid(visible=False, axis="y")
    if len(order) <= _NAMED:
        plain.rows(area, [names[i] for i in order])
    else:
        area.set_yticks([])
        area.set_ylabel("configurations, the best first")
    _key(figure, found)
    return figure


def _key(figure: Figure, found: Spread) -> None:
    if found.best is not None:
        look = {"lw": 1.6, "marker": "o", "ms": 4}
        best, others = ({**look, "color": style.scheme_colour(i)} for i in (1, 0))
        title = "the best, and what seeds do not tell from it"
        style.lines_key(figure, {title: best, "others": others})
