"""Axes of a study's figures: metrics in their units, parameters as numbers or words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import MaxNLocator, NullLocator

from slcache.metrics import named
from slcache.plots import plain, style
from slcache.study import wording
from slcache.study.outcome import Setting
from slcache.words import units

#: A range that spans more than this factor is shown on a log axis.
LOG_FROM = 30.0
#: Names of levels are cut to so many letters, and turned where together they would not fit.
_NAME_MOST, _LETTERS = 20, 34
#: Of more levels than this, not every one is labelled.
_LABELLED = 8


class _Binary(MaxNLocator):
    """Ticks at round numbers of KiB, MiB and so on."""

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        size, _ = units.size_scale(max(abs(vmin), abs(vmax)))
        return [size * tick for tick in super().tick_values(vmin / size, vmax / size)]


class _Doubling(style.LogTicks):
    """Ticks of a log axis at powers of two, every so manyth of them."""

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        low, high = sorted((vmin, vmax))
        powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
        return [2.0**power for power in powers[:: -(-len(powers) // self._most) or 1]]


def is_log(values: Sequence[float]) -> bool:
    """Return whether values span so much that a log axis shows more of them."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > LOG_FROM


def metric(axes: Axes, axis: str, name: str, values: Sequence[float], most: int = 6) -> None:
    """Scale and label an axis of metric values."""
    log = is_log(values)
    if log:
        axes.set(**{f"{axis}scale": "log"})
    ticks(axes.yaxis if axis == "y" else axes.xaxis, name, log=log, most=most)


def ticks(ruler: Axis, name: str, *, log: bool, most: int = 6) -> None:
    """Label an axis of metric values, as it is scaled."""
    binary = named(name).unit.startswith("bytes")
    if log:
        ruler.set_major_locator(_Doubling(most) if binary else style.LogTicks(most))
        ruler.set_minor_locator(NullLocator())
    else:
        kind = _Binary if binary else MaxNLocator
        ruler.set_major_locator(kind(most - 1, steps=[1, 2, 2.5, 5, 10]))

    def show(value: float, _: object) -> str:
        return _tick(name, value, None if log else max(map(abs, ruler.get_view_interval())))

    ruler.set_major_formatter(show)


def _tick(name: str, value: float, most: float | None) -> str:
    """Return a tick label: enough digits to tell neighbours apart, no trailing zeros.

    Sizes are in the unit that suits the greatest of a linear axis, which is `most`.
    """
    if value == 0:
        return "0"
    unit = named(name).unit
    if unit == "ns":
        size, word = units.time_scale(value / 1e3)
        return f"{value / 1e3 / size:.6g} {word}"
    if unit == "J":
        size, word = units.energy_scale(value)
        return f"{value / size:.6g} {word}"
    if unit.startswith("bytes"):
        whole, word = units.size_scale(value if most is None else most)
        return f"{value / whole:.4g} {word}{unit.removeprefix('bytes')}"
    return f"{value:,.6g}"


def numbers(axes: Axes, axis: str, places: Sequence[float], *, each: bool = False) -> None:
    """Scale and label an axis of a numeric parameter, at `each` of few values if told so."""
    ruler = axes.yaxis if axis == "y" else axes.xaxis
    log, few = is_log(places), each and len(places) <= _LABELLED and _apart(places)
    if log:
        style.log_ticks(axes, lambda value: f"{value:.6g}", axis, 6)
    if few:
        ruler.set_ticks(places, [f"{place:.4g}" for place in places])
    elif not log:
        whole = all(place == round(place) for place in places)
        ruler.set_major_locator(MaxNLocator(6, integer=whole))
        ruler.set_major_formatter(lambda value, _: f"{value:.6g}")


def _apart(places: Sequence[float]) -> bool:
    """Return whether values are far enough from each other for a label each."""
    scaled = sorted(map(math.log, places) if is_log(places) else places)
    gaps = [b - a for a, b in pairwise(scaled)]
    return not gaps or min(gaps) > 0.08 * (scaled[-1] - scaled[0])


def words(
    axes: Axes, axis: str, levels: Sequence[tuple[Setting, Setting]], letters: int = _LETTERS
) -> None:
    """Label an axis with a parameter's levels at 0, 1, 2 and so on."""
    texts = [wording.level(*each) for each in levels]
    if any(len(text) > _NAME_MOST for text in texts):
        # Cut at the end, files of one folder would all have the same name.
        short = wording.files(texts)
        texts = [short[text] for text in texts]
    names = [plain.name(text, _NAME_MOST) for text in texts]
    step = -(-len(names) // (_LABELLED if axis == "x" else 2 * _LABELLED))
    shown = list(range(0, len(names), step))
    ruler = axes.yaxis if axis == "y" else axes.xaxis
    ruler.set_ticks(shown, [names[i] for i in shown])
    if axis == "x" and sum(len(names[i]) + 2 for i in shown) > letters:
        for label in axes.get_xticklabels():
            label.set(rotation=30, ha="right", rotation_mode="anchor")
