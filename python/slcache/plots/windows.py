"""What schemes report over their windows: sizes and thresholds that move, and learning curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from slcache.documents.normalise import Document
from slcache.plots import layout, marks, plain, style, window_looks
from slcache.plots.window_looks import Look, Values
from slcache.words import units

#: A series by its name, and by the unit of its windows, which are not to be mixed.
Name = tuple[str, str]

#: A curve that jumps from window to window is shown as the mean of so large a part of them.
_SMOOTHED_PART = 40
#: With fewer windows than this, each is marked.
_MARKED = 40
#: Ticks of a value's axis, in a panel and in one of many rows.
_TICKS, _TICKS_OF_ROW = 9, 3
_SIDE_BY_SIDE = 2


@dataclass(frozen=True)
class _Curve:
    """A series of one scheme: where each window ended, and its value, NaN for an infinite one."""

    ends: Values
    values: Values


Curves = Mapping[int, _Curve]


@dataclass(frozen=True)
class _Along:
    """The axis along which windows of one unit lie: what a tick counts, and where it ends."""

    scale: float
    label: str
    end: float


def has_any(documents: Sequence[Document]) -> bool:
    """Return whether any scheme reports anything over its windows."""
    return bool(_all(documents))


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure: a panel for each series, with a line for each scheme that has it.

    Many schemes with one series get a row each: lines that jump could not be told apart.
    """
    found = _all(documents)
    if not found:
        return style.empty("no scheme with windows")
    names = sorted(found, key=lambda name: (name[1], window_looks.order(name[0]), name[0]))
    shown = sorted({scheme for curves in found.values() for scheme in curves})
    if max(map(len, found.values())) >= style.MANY:
        return _rows(labels, shown, names, found)
    figure, axes = style.panels(len(names), 1, 0.9 + 1.5 * len(names))
    for i, (area, name) in enumerate(zip(axes, names, strict=True)):
        style.title(area, window_looks.of(name[0]).title)
        lines = {
            scheme: {"label": labels[scheme], **style.scheme_line(scheme, len(labels))}
            for scheme in found[name]
        }
        named = name[1] not in [after[1] for after in names[i + 1 :]]
        _panel(area, name, found, lines, _TICKS, named=named)
    style.key(figure, labels, shown=shown)
    return figure


def caption(documents: Sequence[Document]) -> str:
    """Return how the figure is read."""
    found = _all(documents)
    text = "A value for each window of the schemes that have windows."
    if any(name[0] == "slc_blocks" for name in found):
        text += " Blocks are those of a plane or of all planes, as each scheme's page says."
    jumping = [curves for name, curves in found.items() if window_looks.of(name[0]).smoothed]
    if any(_smoothed_over(curve) > 1 for curves in jumping for curve in curves.values()):
        text += (
            " Rewards, throughputs and costs jump: their lines are the means of the last windows "
            f"up to each, a {_SMOOTHED_PART}th part of all."
        )
    return text


def _all(documents: Sequence[Document]) -> dict[Name, dict[int, _Curve]]:
    """Return every series that has values, with the curve of each scheme that has it."""
    found: dict[Name, dict[int, _Curve]] = {}
    for scheme, document in enumerate(documents):
        for entry in document["scheme"]["series"]:
            values = np.asarray(entry["values"], dtype=np.float64)
            if np.isfinite(values).any():
                unit = next(key for key in entry if key.endswith("_per_value"))
                ends = entry[unit] * np.arange(1.0, len(values) + 1)
                found.setdefault((entry["name"], unit), {})[scheme] = _Curve(ends, values)
    return found


def _rows(
    labels: Sequence[str],
    shown: Sequence[int],
    names: Sequence[Name],
    found: Mapping[Name, Curves],
) -> Figure:
    """Draw a row per scheme and a column per series, at most so many side by side."""
    figure, stacks = layout.stacks(len(names), len(shown), _SIDE_BY_SIDE, 0.7, 0.5)
    for i, (stack, name) in enumerate(zip(stacks, names, strict=True)):
        style.title(stack[0], window_looks.of(name[0]).title)
        for area, scheme in zip(stack, shown, strict=True):
            look = {"label": labels[scheme], "color": style.scheme_colour(scheme), "lw": 1.2}
            lines = {scheme: look} if scheme in found[name] else {}
            _panel(area, name, found, lines, _TICKS_OF_ROW, named=area is stack[-1])
            area.tick_params(labelsize=7.5)
            if i % _SIDE_BY_SIDE == 0:
                area.set_ylabel(plain.name(labels[scheme]), rotation=0, ha="right", va="center")
    return figure


def _panel(
    axes: Axes,
    name: Name,
    found: Mapping[Name, Curves],
    lines: Mapping[int, Mapping[str, Any]],
    ticks: int,
    *,
    named: bool,
) -> None:
    """Draw the curves for which there is a line, in one scale with all of the series.

    `named` says whether the panel tells what lies along its axis.
    """
    curves, along = found[name], _along(name[1], found)
    look = window_looks.of(name[0])
    for scheme, line in lines.items():
        if look.smoothed:
            drawn = _smoothed(axes, curves[scheme], along, line, alone=len(lines) == 1)
        else:
            drawn = _steps(axes, curves[scheme], along, line)
        marks.name(drawn, f"{line['label']}, {look.title}: {_told(look, curves[scheme])}")
    if look.finish is not None:
        values = np.concatenate([curve.values for curve in curves.values()])
        look.finish(axes, values[np.isfinite(values)], ticks)
    axes.set_xlim(0, along.end)
    axes.tick_params(labelbottom=named)
    if named:
        axes.set_xlabel(along.label)


def _told(look: Look, curve: _Curve) -> str:
    """Return the least and the greatest value of a curve, and its last."""
    known = curve.values[np.isfinite(curve.values)]
    least, most, last = map(look.show, (known.min(), known.max(), known[-1]))
    return least if least == most else f"{least} to {most}, last {last}"


def _steps(axes: Axes, curve: _Curve, along: _Along, line: Mapping[str, Any]) -> Line2D:
    """Draw values that hold for a window, from its beginning to its end."""
    ends = np.concatenate(([0.0], curve.ends)) / along.scale
    return axes.step(ends, np.concatenate((curve.values[:1], curve.values)), where="pre", **line)[0]


def _smoothed(
    axes: Axes, curve: _Curve, along: _Along, line: Mapping[str, Any], *, alone: bool
) -> Line2D:
    """Draw a moving mean, over the values themselves where they would not hide other curves."""
    over = _smoothed_over(curve)
    ends = curve.ends / along.scale
    if alone and over > 1:
        axes.plot(ends, curve.values, color=line["color"], lw=0.5, alpha=0.3)
    dots: dict[str, Any] = {"marker": ".", "ms": 4} if len(ends) < _MARKED else {}
    return axes.plot(ends, _moving_mean(curve.values, over), **line, **dots)[0]


def _smoothed_over(curve: _Curve) -> int:
    return max(1, len(curve.values) // _SMOOTHED_PART)


def _moving_mean(values: Values, over: int) -> Values:
    """Return of each value the mean of the last `over` up to it, or of as many as there are."""
    sums, counts = np.cumsum(np.nan_to_num(values)), np.cumsum(np.isfinite(values))
    sums[over:], counts[over:] = sums[over:] - sums[:-over], counts[over:] - counts[:-over]
    means = np.full_like(sums, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _along(unit: str, found: Mapping[Name, Curves]) -> _Along:
    """Return the axis that all series share whose windows are counted in `unit`."""
    alike = [curves for name, curves in found.items() if name[1] == unit]
    end = max(float(curve.ends[-1]) for curves in alike for curve in curves.values())
    scale, name = units.size_scale(end) if unit == "write_bytes_per_value" else (1, "")
    return _Along(scale, _ALONG.get(unit, unit).format(name), end / scale)


_ALONG = {
    "write_bytes_per_value": "written by the host ({})",
    "writes_per_value": "write requests",
    "requests_per_value": "requests",
}
