"""The figures that can be drawn of one run and of several schemes side by side."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slcache.words import labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Figures(ABC):
    """What is drawn of schemes, by their names and their result documents."""

    @property
    @abstractmethod
    def labels(self) -> list[str]:
        """The schemes' names, in order."""

    @property
    @abstractmethod
    def documents(self) -> list[Mapping[str, Any]]:
        """The schemes' result documents, in order."""

    def plot_latency(self) -> Figure:
        """Draw the latency distributions: cumulative, and the tail on a log axis."""
        return self._drawn("latency")

    def plot_writes(self) -> Figure:
        """Draw what was programmed, in bytes by cause and cell mode."""
        return self._drawn("writes")

    def plot_series(self) -> Figure:
        """Draw throughput, latency and cache occupancy over time."""
        return self._drawn("series")

    def plot_windows(self) -> Figure:
        """Draw what schemes report over their windows: sizes, thresholds, learning curves."""
        return self._drawn("windows")

    def plot_histogram(self, name: str) -> Figure:
        """Draw what schemes counted by bins, such as `actions` or `states`."""
        return self._drawn("histograms", name)

    def plot_curve(self, name: str) -> Figure:
        """Draw what schemes' models predict beside what was measured, such as `cost`."""
        return self._drawn("curves", name)

    def plot_wear(self) -> Figure:
        """Draw how block erases are distributed, per pool and cell mode."""
        return self._drawn("wear")

    def plot_power(self) -> Figure:
        """Draw the power states that disks were in over time."""
        return self._drawn("power")

    def plot_energy(self) -> Figure:
        """Draw the energy that disks took, by power state."""
        return self._drawn("power", draw="energy")

    def plot_disk(self) -> Figure:
        """Draw the time that disks worked, by cause and kind of operation."""
        return self._drawn("power", draw="work")

    def plot_attribution(self) -> Figure:
        """Draw the mean latency by component: service and what requests waited for."""
        return self._drawn("attribution")

    def _drawn(self, name: str, *given: object, draw: str = "draw") -> Figure:
        """Draw what a module of `plots` does, with a note where the trace is no recording."""
        from slcache.plots import style

        # Each is loaded by whoever draws it.
        module = importlib.import_module(f"slcache.plots.{name}")
        figure = getattr(module, draw)(self.labels, self.documents, *given)
        return style.noted(figure, labels.of_runs(self.documents))
