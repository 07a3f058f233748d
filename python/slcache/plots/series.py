"""Throughput, latency and cache occupancy over time: where an SLC cache runs out, it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from slcache.documents import normalise
from slcache.documents.normalise import Document
from slcache.plots import layout, plain, style
from slcache.words import units

#: Where panels lie side by side, so many bins, else three times as many.
_BINS = 120
_SIDE_BY_SIDE = 3
#: Percentiles that the series tells of every window, as shares.
PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
#: Causes of programs that the host did not ask for.
MOVED = tuple(f"program_pages_{cause}" for cause in ("migration", "gc", "agc", "promote", "fill"))
Values = NDArray[np.float64]


class Binned:
    """A run's time series in at most so many bins that a screen can tell them apart."""

    def __init__(self, document: Document, bins: int = 3 * _BINS) -> None:
        self._columns = document["series"]["columns"]
        windows = len(self._columns["t_ns"])
        self.windows_per_bin = max(1, -(-windows // bins))
        self._starts = np.arange(0, windows, self.windows_per_bin)
        self.bin_s = document["series"]["window_ns"] * self.windows_per_bin / 1e9
        self.t_s = self._raw("t_ns")[self._starts] / 1e9

    def has(self, *names: str) -> bool:
        """Return whether any of these columns holds anything but zeros."""
        return any(any(self._columns.get(name, [])) for name in names)

    def total(self, name: str) -> Values:
        """Return a column summed within each bin."""
        return np.add.reduceat(self._raw(name), self._starts)

    def mib_per_s(self, name: str) -> Values:
        """Return a column of bytes as a rate."""
        rate: Values = self.total(name) / self.bin_s / (1 << 20)
        return rate

    def moved_pages_per_s(self) -> Values:
        """Return how fast pages are programmed that the host did not ask for."""
        pages = sum((self.total(name) for name in MOVED), start=np.zeros(len(self.t_s)))
        rate: Values = pages / self.bin_s
        return rate

    def peak(self, name: str) -> Values:
        """Return a column's largest value within each bin."""
        return np.maximum.reduceat(self._raw(name), self._starts)

    def mean_us(self, side: str) -> Values:
        """Return the mean latency within each bin, NaN where no request completed."""
        requests = self.total(f"{side}_requests")
        sums = self.total(f"{side}_latency_ns_sum")
        idle = np.full_like(sums, np.nan)
        return np.divide(sums, requests * 1e3, out=idle, where=requests > 0)

    def percentile_us(self, side: str, name: str) -> tuple[Values, NDArray[np.bool_]]:
        """Return the highest percentile of any window of each bin, and whether enough carry it.

        NaN where no request completed.
        """
        windows_us = self._raw(f"{side}_latency_ns_{name}") / 1e3
        carried = self._raw(f"{side}_requests") * (1 - PERCENTILES[name]) >= normalise.FEW_BEYOND
        ranked = np.where(np.isnan(windows_us), -1.0, windows_us)
        ends = [*self._starts[1:], len(ranked)]
        highest = [
            start + int(np.argmax(ranked[start:end]))
            for start, end in zip(self._starts, ends, strict=True)
        ]
        return windows_us[highest], carried[highest]

    def _raw(self, name: str) -> Values:
        """Return a column, NaN for null; a cause that never occurred has none."""
        values = self._columns.get(name, [0] * len(self._columns["t_ns"]))
        return np.asarray(values, dtype=np.float64)


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure; what never happened in any run has no panel.

    Many schemes get a row each, in panels of common scale: lines on top of each other would not
    be told apart.
    """
    bins = _BINS if len(labels) >= style.MANY else 3 * _BINS
    drawn = [document for document in documents if document["series"]["columns"]["t_ns"]]
    runs = [Binned(document, bins) for document in drawn]
    if not runs or len(runs) != len(labels):
        return style.empty("no time series")
    wanted = [panel for panel in _PANELS if any(run.has(*panel.columns) for run in runs)]
    if not wanted:
        return style.empty("no request completed")
    if len(labels) >= style.MANY:
        return _rows(labels, runs, wanted)
    figure, axes = style.panels(len(wanted), 1, 0.5 + 1.55 * len(wanted), sharex=True)
    for area, panel in zip(axes, wanted, strict=True):
        area.set_ylabel(panel.draw(area, runs, range(len(runs))))
        style.title(area, panel.title)
    axes[-1].set_xlabel("time (s)")
    axes[-1].set_xlim(left=0)
    style.key(figure, labels)
    return figure


def _rows(labels: Sequence[str], runs: Sequence[Binned], wanted: Sequence[Panel]) -> Figure:
    """Draw a row per scheme and a column per figure, at most so many side by side."""
    count = len(wanted)
    figure, stacks = layout.stacks(count, len(labels), _SIDE_BY_SIDE, 0.6, 0.42, sharex=True)
    for i, (stack, panel) in enumerate(zip(stacks, wanted, strict=True)):
        for place, area in enumerate(stack):
            unit = panel.draw(area, runs, [place])
            if place:
                area.sharey(stack[0])
            else:
                style.title(area, panel.title + (f" ({unit})" if unit else ""))
            if i % _SIDE_BY_SIDE == 0:
                area.set_ylabel(plain.name(labels[place]), rotation=0, ha="right", va="center")
            area.tick_params(labelbottom=area is stack[-1], labelsize=7.5)
        style.same_range(stack)
        logarithmic = stack[0].get_yscale() == "log"
        stack[0].yaxis.set_major_locator(style.LogTicks(3) if logarithmic else MaxNLocator(2))
        stack[-1].set_xlim(left=0)
    for stack in stacks[(count - 1) // _SIDE_BY_SIDE * _SIDE_BY_SIDE :]:
        stack[-1].set_xlabel("time (s)")
    return figure


def _steps(
    axes: Axes, runs: Sequence[Binned], shown: Iterable[int], values: Callable[[Binned], Values]
) -> None:
    for i in shown:
        colour = style.scheme_colour(i)
        axes.step(runs[i].t_s, values(runs[i]), where="post", color=colour, lw=1.2)
    axes.set_ylim(bottom=0)


def _rate(axes: Axes, runs: Sequence[Binned], shown: Iterable[int], side: str) -> str:
    _steps(axes, runs, shown, lambda run: run.mib_per_s(f"{side}_bytes"))
    return "MiB/s"


def _latency(axes: Axes, runs: Sequence[Binned], shown: Iterable[int], side: str) -> str:
    """Draw the mean as a line; dots make windows visible that idle ones surround."""
    width = 1.2 if len(runs) < style.MANY else 0.8
    for i in shown:
        colour = style.scheme_colour(i)
        # What took no time, such as reads out of DRAM, has no place on a log axis.
        mean_us = runs[i].mean_us(side)
        shown_us = np.where(mean_us > 0, mean_us, np.nan)
        axes.plot(runs[i].t_s, shown_us, color=colour, lw=width)
        empty = np.isnan(np.pad(shown_us, 1, constant_values=np.nan))
        alone_us = np.where(empty[:-2] & empty[2:], shown_us, np.nan)
        axes.plot(runs[i].t_s, alone_us, color=colour, ls="", marker=".", ms=2 * width)
    style.time_ticks(axes, "y")
    return ""


def _tail(axes: Axes, runs: Sequence[Binned], shown: Iterable[int], side: str) -> str:
    """Draw median, p99 and p99.9, the further out the paler; dots where requests carry it."""
    for i in shown:
        for name, opacity in (("p50", 1.0), ("p99", 0.6), ("p99_9", 0.35)):
            values_us, carried = runs[i].percentile_us(side, name)
            values_us = np.where(values_us > 0, values_us, np.nan)
            colour = style.scheme_colour(i)
            axes.plot(runs[i].t_s, values_us, color=colour, alpha=opacity, lw=0.9)
            dots_us = np.where(carried, values_us, np.nan)
            axes.plot(runs[i].t_s, dots_us, color=colour, alpha=opacity, ls="", marker=".", ms=2.5)
    style.time_ticks(axes, "y")
    return ""


def _occupancy(axes: Axes, runs: Sequence[Binned], shown: Iterable[int]) -> str:
    factor, unit = units.size_scale(max(float(run.peak("cache_live_bytes").max()) for run in runs))
    cached = [i for i in shown if runs[i].has("cache_live_bytes")]
    _steps(axes, runs, cached, lambda run: run.peak("cache_live_bytes") / factor)
    return unit


def _background(axes: Axes, runs: Sequence[Binned], shown: Iterable[int]) -> str:
    _steps(axes, runs, shown, Binned.moved_pages_per_s)
    return "pages/s"


@dataclass(frozen=True)
class Panel:
    """One figure over time: the columns it needs, how it is drawn, its title.

    `draw` takes the area, all runs and which of them to show, and returns the unit.
    """

    columns: tuple[str, ...]
    draw: Callable[[Axes, Sequence[Binned], Iterable[int]], str]
    title: str


def _of(side: str) -> tuple[Panel, ...]:
    tail = f"{side} latency: median, p99 (paler), p99.9 (palest)"
    return (
        Panel((f"{side}_bytes",), partial(_rate, side=side), f"{side}s completed"),
        Panel((f"{side}_requests",), partial(_latency, side=side), f"mean {side} latency"),
        Panel((f"{side}_latency_ns_p99",), partial(_tail, side=side), tail),
    )


_PANELS = (
    *_of("write"),
    *_of("read"),
    Panel(("cache_live_bytes",), _occupancy, "live data in the cache"),
    Panel(MOVED, _background, "moves and fills"),
)
