"""Throughput, latency and cache occupancy over time: where an SLC cache runs out, it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from slcache import units
from slcache.normalise import Document
from slcache.plots import style

_BINS = 360
Values = NDArray[np.float64]


class Binned:
    """A run's time series in at most so many bins that a screen can tell them apart."""

    def __init__(self, document: Document) -> None:
        self._columns = document["series"]["columns"]
        windows = len(self._columns["t_ns"])
        self.windows_per_bin = max(1, -(-windows // _BINS))
        self._starts = np.arange(0, windows, self.windows_per_bin)
        self.bin_s = document["series"]["window_ns"] * self.windows_per_bin / 1e9
        self.t_s = self._raw("t_ns")[self._starts] / 1e9

    def has(self, *names: str) -> bool:
        """Return whether any of these columns holds anything but zeros."""
        return any(any(self._columns.get(name, [])) for name in names)

    def total(self, name: str) -> Values:
        """Return a column summed within each bin."""
        return np.add.reduceat(self._raw(name), self._starts)

    def peak(self, name: str) -> Values:
        """Return a column's largest value within each bin."""
        return np.maximum.reduceat(self._raw(name), self._starts)

    def mean_us(self, side: str) -> Values:
        """Return the mean latency within each bin, NaN where no request completed."""
        requests = self.total(f"{side}_requests")
        sums = self.total(f"{side}_latency_ns_sum")
        idle = np.full_like(sums, np.nan)
        return np.divide(sums, requests * 1e3, out=idle, where=requests > 0)

    def _raw(self, name: str) -> Values:
        """Return a column; a cause that never occurred has none."""
        values = self._columns.get(name, [0] * len(self._columns["t_ns"]))
        return np.asarray(values, dtype=np.float64)


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Figure:
    """Return the figure; what never happened in any run has no panel."""
    runs = [Binned(document) for document in documents if document["series"]["columns"]["t_ns"]]
    if not runs or len(runs) != len(labels):
        return style.empty("no time series")
    wanted = [
        (draw_panel, title)
        for columns, draw_panel, title in _PANELS
        if any(run.has(*columns) for run in runs)
    ]
    if not wanted:
        return style.empty("no request completed")
    figure, axes = style.panels(len(wanted), 1, 0.5 + 1.55 * len(wanted), sharex=True)
    for panel, (draw_panel, title) in zip(axes, wanted, strict=True):
        draw_panel(panel, runs)
        style.title(panel, title)
    axes[-1].set_xlabel("time (s)")
    axes[-1].set_xlim(left=0)
    style.key(figure, labels)
    return figure


def _rate(axes: Axes, runs: Sequence[Binned], name: str) -> None:
    for i, run in enumerate(runs):
        rate = run.total(name) / run.bin_s / (1 << 20)
        axes.step(run.t_s, rate, where="post", color=style.scheme_colour(i), lw=1.2)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("MiB/s")


def _latency(axes: Axes, runs: Sequence[Binned], side: str) -> None:
    """Draw the mean as a line; dots keep windows visible that idle ones surround."""
    for i, run in enumerate(runs):
        colour = style.scheme_colour(i)
        axes.plot(run.t_s, run.mean_us(side), color=colour, lw=1.2, marker=".", ms=2.5)
    style.time_ticks(axes, "y")


def _occupancy(axes: Axes, runs: Sequence[Binned]) -> None:
    factor, unit = units.size_scale(max(float(run.peak("cache_live_bytes").max()) for run in runs))
    for i, run in enumerate(runs):
        if run.has("cache_live_bytes"):
            live = run.peak("cache_live_bytes") / factor
            axes.step(run.t_s, live, where="post", color=style.scheme_colour(i), lw=1.2)
    axes.set_ylim(bottom=0)
    axes.set_ylabel(unit)


def _background(axes: Axes, runs: Sequence[Binned]) -> None:
    for i, run in enumerate(runs):
        pages = run.total("program_pages_migration") + run.total("program_pages_gc")
        rate = pages / run.bin_s
        axes.step(run.t_s, rate, where="post", color=style.scheme_colour(i), lw=1.2)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("pages/s")


_PANELS: tuple[tuple[tuple[str, ...], Callable[[Axes, Sequence[Binned]], None], str], ...] = (
    (("write_bytes",), lambda a, r: _rate(a, r, "write_bytes"), "writes completed"),
    (("write_requests",), lambda a, r: _latency(a, r, "write"), "mean write latency"),
    (("read_bytes",), lambda a, r: _rate(a, r, "read_bytes"), "reads completed"),
    (("read_requests",), lambda a, r: _latency(a, r, "read"), "mean read latency"),
    (("cache_live_bytes",), _occupancy, "live data in the cache"),
    (
        ("program_pages_migration", "program_pages_gc"),
        _background,
        "programmed by migration and garbage collection",
    ),
)
