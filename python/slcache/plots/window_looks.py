"""How series of windows look: titles, units, and axes that suit what each is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from slcache.plots import style
from slcache.words import units

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Look:
    """How series of one name are drawn; `finish` takes the number of ticks there is room for.

    It gets all finite values that the axis holds. `show` says one with its unit.
    """

    title: str
    show: Callable[[float], str] = lambda value: units.figure(value, "1")
    smoothed: bool = False
    finish: Callable[[Axes, Values, int], None] | None = None


def _from_zero(axes: Axes, values: Values, ticks: int) -> None:
    highest, whole = float(values.max()), bool((values % 1 == 0).all())
    axes.set_ylim(0, 1.08 * highest or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(min(ticks, 5) - 1, integer=whole))


def _times(axes: Axes, values: Values, ticks: int) -> None:
    _from_zero(axes, values, ticks)
    axes.yaxis.set_major_formatter(lambda ns, _: _time(ns))


def _time(ns: float) -> str:
    return units.duration(ns / 1e3, trim=True)


def _ratio(axes: Axes, values: Values, ticks: int) -> None:
    """Show a ratio that falls as long as a run lasts on a log axis, where it can be."""
    if values.min() > 0:
        style.log_ticks(axes, lambda value: f"{value:,.10g}", "y", min(ticks, 5))
        axes.set_ylim(values.min() / 1.5, values.max() * 1.5)


def _sizes(axes: Axes, values: Values, ticks: int) -> None:
    """Show sizes that double from one to the next on steps of one height."""
    sizes = values[values > 0]
    if not len(sizes):
        return
    low, high = np.floor(np.log2(sizes.min())), np.ceil(np.log2(sizes.max()))
    step = max(1, -(-int(high - low + 1) // ticks))
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_locator(FixedLocator((2.0 ** np.arange(low, high + 1, step)).tolist()))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda size, _: _whole_size(size))
    axes.set_ylim(2.0 ** (low - 0.5), 2.0 ** (high + 0.5))


def _whole_size(size: float) -> str:
    scale, name = units.size_scale(size)
    return f"{size / scale:.4g} {name}"


def _signs(axes: Axes, _: Values, __: int) -> None:
    axes.set_ylim(-1.1, 1.1)
    axes.yaxis.set_major_locator(FixedLocator([-1, 0, 1]))
    axes.axhline(0.0, color=style.INK, lw=0.6, alpha=0.5)


def _share(axes: Axes, _: Values, ticks: int) -> None:
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_locator(MaxNLocator(min(ticks, 5) - 1))
    axes.yaxis.set_major_formatter(lambda value, _: style.share(value))


def of(name: str) -> Look:
    """Return the look of the series of a name."""
    return _LOOKS.get(name, Look(name))


def order(name: str) -> int:
    """Return the place of a series among all."""
    return list(_LOOKS).index(name) if name in _LOOKS else len(_LOOKS)


_LOOKS = {
    "slc_blocks": Look("size of the SLC region (blocks)", finish=_from_zero),
    "theta_bytes": Look("largest write request that goes to SLC", _whole_size, finish=_sizes),
    "reward": Look("reward", smoothed=True, finish=_signs),
    "write_mb_per_s": Look("writes (MB/s)", smoothed=True, finish=_from_zero),
    "l2_share": Look("share of the second level in the SLC cache", units.percent, finish=_share),
    "utilisation_target": Look("utilisation aimed at", units.percent, finish=_share),
    "utilisation": Look("utilisation of the fast tier", units.percent, finish=_share),
    "lifetime_fast": Look("cycles left by cycles used, fast tier", finish=_ratio),
    "lifetime_dense": Look("cycles left by cycles used, dense tier", finish=_ratio),
    "predicted_cost_ns": Look("cost of an access, computed", _time, smoothed=True, finish=_times),
    "measured_cost_ns": Look("cost of an access, measured", _time, smoothed=True, finish=_times),
}
