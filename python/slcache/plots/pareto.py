"""The Pareto front: every pair of metrics a panel, the points that nothing dominates marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slcache.metrics import Goal
from slcache.plots import layout, marks, plain, study_axis, style

_COLUMNS = 3
#: The figure shows the pairs of so many metrics, the first.
MOST = 4
_OTHERS: dict[str, Any] = {"marker": "o", "ms": 3.5, "ls": "", "mew": 0, "alpha": 0.4}
_FRONT: dict[str, Any] = {"marker": "D", "ms": 6, "ls": "", "mfc": "none", "mew": 1.5}


def draw(
    metrics: Sequence[str],
    goals: Sequence[Goal],
    points: Sequence[Sequence[float]],
    front: Sequence[int],
    groups: Sequence[str] = (),
    names: Sequence[str] = (),
    numbers: Sequence[int] = (),
) -> Figure:
    """Return the figure of points, a row of values each; `groups` names each point's scheme.

    `numbers` are those by which a page tells of the points.

    Figures that lie side by side give the same schemes the same colours by the same `names`.
    """
    if not points or not metrics:
        return style.empty("no front: no point has all of these metrics, or none of them differs")
    names = names or list(dict.fromkeys(groups))
    of = [names.index(group) for group in groups] if len(names) > 1 else [0] * len(points)
    if len(metrics) == 1:
        return _ranked(metrics[0], goals[0], points, front, of, names, numbers)
    pairs = list(combinations(range(min(len(metrics), MOST)), 2))
    columns = min(_COLUMNS, len(pairs))
    figure, areas = layout.grid(len(pairs), columns, 0.7, 3.5 if columns == 1 else 2.9)
    for area, (x, y) in zip(areas, pairs, strict=True):
        places = [row[x] for row in points], [row[y] for row in points]
        _points(area, *places, front, of, numbers)
        if len(metrics) == 2:
            _steps(area, sorted((points[i][x], points[i][y]) for i in front), goals)
        for axis, at in (("x", x), ("y", y)):
            study_axis.metric(area, axis, metrics[at], [row[at] for row in points], 5)
        area.set_xlabel(_better(metrics[x], goals[x], "x"))
        area.set_ylabel(_better(metrics[y], goals[y], "y"))
    _key(figure, names)
    return figure


def _ranked(
    metric: str,
    goal: Goal,
    points: Sequence[Sequence[float]],
    front: Sequence[int],
    of: Sequence[int],
    names: Sequence[str],
    numbers: Sequence[int],
) -> Figure:
    """Return the points of one metric in order: with one, the front is the best."""
    figure, (area,) = style.panels(1, 1, 3.2)
    order = sorted(range(len(points)), key=lambda i: points[i][0], reverse=goal == "max")
    rank = {i: place + 1 for place, i in enumerate(order)}
    values = [row[0] for row in points]
    _points(area, [float(rank[i]) for i in range(len(points))], values, front, of, numbers)
    study_axis.metric(area, "y", metric, values)
    study_axis.numbers(area, "x", [1.0, 2.0])
    area.set(xlabel="rank", ylabel=_better(metric, goal, "y"))
    _key(figure, names)
    return figure


def _points(
    area: Axes,
    xs: Sequence[float],
    ys: Sequence[float],
    front: Sequence[int],
    of: Sequence[int],
    numbers: Sequence[int],
) -> None:
    chosen = set(front)
    for look, wanted in ((_OTHERS, False), (_FRONT, True)):
        for group in sorted(set(of)):
            here = [i for i in range(len(xs)) if (i in chosen) == wanted and of[i] == group]
            colour = style.scheme_colour(group)
            (drawn,) = area.plot([xs[i] for i in here], [ys[i] for i in here], color=colour, **look)
            if numbers:
                marks.number(drawn, [numbers[i] for i in here])
    area.margins(0.07)


def _steps(area: Axes, front: Sequence[tuple[float, float]], goals: Sequence[Goal]) -> None:
    """Draw the border of what the front dominates."""
    where = "post" if goals[0] == "min" else "pre"
    area.plot(*zip(*front, strict=True), color=style.INK, lw=0.9, drawstyle=f"steps-{where}")


def _better(metric: str, goal: Goal, axis: str) -> str:
    """Return an axis label that says where better is."""
    ways = {("x", "min"): "←", ("x", "max"): "→", ("y", "min"): "↓", ("y", "max"): "↑"}
    return f"{plain.name(metric)} {ways[axis, goal]}"


def _key(figure: Figure, names: Sequence[str]) -> None:
    colour = style.INK if len(names) > 1 else style.scheme_colour(0)
    looks = {
        "dominated": {"color": colour, **_OTHERS},
        "on the front": {"color": colour, **_FRONT},
    }
    if len(names) > 1:
        for i, name in enumerate(names):
            looks[name] = {"color": style.scheme_colour(i), "lw": 4}
    style.lines_key(figure, looks)
