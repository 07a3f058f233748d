"""Throughput, latency and cache occupancy over time: where an SLC cache runs out, it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Curve, Spec
from slcache.documents import Document, figures

#: So many bins tell a screen apart what a line does; fewer where there are many lines.
_BINS, _FEW_BINS = 240, 120
_SIDE_BY_SIDE = 3
#: Percentiles that the series tells of every window, as shares, and how strong their lines are.
PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
_STRENGTHS = {"p50": 1.0, "p99": 0.6, "p99_9": 0.35}
#: Causes of programs that the host did not ask for.
_MOVES = ("migration", "gc", "agc", "promote", "fill", "refresh", "reclaim", "wear")
MOVED = tuple(f"program_pages_{cause}" for cause in _MOVES)
Values = NDArray[np.float64]


class Binned:
    """A run's time series in at most so many bins that a screen can tell them apart."""

    def __init__(self, document: Document, bins: int = _BINS) -> None:
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

    def mb_per_s(self, name: str) -> Values:
        """Return a column of bytes as a rate."""
        rate: Values = self.total(name) / self.bin_s / 1e6
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
        carried = self._raw(f"{side}_requests") * (1 - PERCENTILES[name]) >= figures.FEW_BEYOND
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


def draw(labels: Sequence[str], documents: Sequence[Document]) -> Spec:
    """Return the picture; what never happened in any run has no panel.

    Many schemes get a row each, in panels of common scale: lines on top of each other would not
    be told apart.
    """
    if not all(document["series"]["columns"]["t_ns"] for document in documents):
        return layout.empty("no time series")
    many = len(labels) >= spec.MANY
    runs = {
        label: Binned(document, _FEW_BINS if many else _BINS)
        for label, document in zip(labels, documents, strict=True)
    }
    wanted = [panel for panel in _PANELS if any(run.has(*panel.columns) for run in runs.values())]
    if not wanted:
        return layout.empty("no request completed")
    if not many:
        panels = [
            layout.panel(*panel.layers(runs, runs), title=panel.title, height=130)
            for panel in wanted
        ]
        return layout.picture(panels, linked=True, room=90)
    stacks = [_stack(panel, runs) for panel in wanted]
    blocks = [stacks[at : at + _SIDE_BY_SIDE] for at in range(0, len(stacks), _SIDE_BY_SIDE)]
    rows = [each for block in blocks for row in zip(*_filled(block), strict=True) for each in row]
    return layout.picture(rows, columns=_SIDE_BY_SIDE, linked=True, room=62)


def _stack(panel: Panel, runs: Mapping[str, Binned]) -> list[Spec]:
    """Return a panel for each run, all in one scale."""
    rows = [
        layout.panel(*panel.layers(runs, [name]), title=f"{name}: {panel.title}", height=42)
        for name in runs
    ]
    layout.same_range(rows)
    return rows


def _filled(block: Sequence[list[Spec]]) -> list[list[Spec]]:
    """Return stacks side by side, with empty ones for those that a row lacks."""
    missing = _SIDE_BY_SIDE - len(block)
    return [
        *block,
        *([layout.panel(layout.blank(), height=42) for _ in block[0]] for _ in range(missing)),
    ]


@dataclass(frozen=True)
class Panel:
    """One figure over time: its title, the columns that it needs, and how it is drawn.

    `layers` takes all runs and the names of those to show.
    """

    title: str
    columns: tuple[str, ...]
    layers: Callable[[Mapping[str, Binned], Iterable[str]], list[Spec]]


def _time(runs: Mapping[str, Binned]) -> Axis:
    """Return the axis of the time that the longest run takes."""
    end = max(float(run.t_s[-1]) + run.bin_s for run in runs.values())
    return Axis("time (s)", low=0, high=end)


_LATENCY = Axis(kind="time", log=True)
_SOLID = [1, 0]


def _steps(values: Callable[[Binned], Values], unit: str, per: float = 1.0) -> Any:  # noqa: ANN401
    def layers(runs: Mapping[str, Binned], shown: Iterable[str]) -> list[Spec]:
        axis = Axis(low=0, per=per, unit=unit)
        curves = {name: (runs[name].t_s, values(runs[name])) for name in shown}
        looks = spec.colours(runs)
        drawn: dict[str, Any] = {"interpolate": "step-after", "strokeDash": _SOLID}
        return [spec.lines(curves, _time(runs), axis, looks, strokeWidth=1.3, **drawn)]

    return layers


def _means(side: str) -> Any:  # noqa: ANN401
    def layers(runs: Mapping[str, Binned], shown: Iterable[str]) -> list[Spec]:
        curves = {name: (runs[name].t_s, _timed(runs[name].mean_us(side))) for name in shown}
        dots = {"size": 6, "filled": True}
        looks = spec.colours(runs)
        return [
            spec.lines(
                curves, _time(runs), _LATENCY, looks, strokeDash=_SOLID, strokeWidth=1.3, point=dots
            )
        ]

    return layers


def _tails(side: str) -> Any:  # noqa: ANN401
    """Draw lines of percentiles, and dots where enough requests carry them."""

    def layers(runs: Mapping[str, Binned], shown: Iterable[str]) -> list[Spec]:
        found, looks, names = [], spec.colours(runs), list(shown)
        for percentile, strength in _STRENGTHS.items():
            curves: dict[str, Curve] = {}
            dots = []
            for name in names:
                values, carried = runs[name].percentile_us(side, percentile)
                timed = _timed(values)
                curves[name] = (runs[name].t_s, timed)
                known = carried & np.isfinite(timed)
                xs, ys = spec.short(runs[name].t_s[known], 8), spec.short(timed[known])
                if xs:
                    dots.append({"key": name, "x": xs, "y": ys})
            line: dict[str, Any] = {"strokeOpacity": strength, "strokeDash": _SOLID}
            layer = spec.lines(
                curves, _time(runs), _LATENCY, looks, tips=False, strokeWidth=1.0, **line
            )
            found.append(layer)
            if dots:
                layer = spec.points(
                    dots, _time(runs), _LATENCY, looks, size=8, fillOpacity=strength
                )
                value = f"'{percentile.replace('_', '.')} ' + ({_LATENCY.told('datum.y')})"
                layer["transform"] = [{"flatten": ["x", "y"]}, {"calculate": value, "as": "told"}]
                found.append(layer)
        return found

    return layers


def _of(side: str) -> tuple[Panel, ...]:
    tail = f"{side} p50, p99 (paler), p99.9 (palest)"
    rate = _steps(lambda run: run.mb_per_s(f"{side}_bytes"), "MB/s")
    return (
        Panel(f"{side}s completed, MB/s", (f"{side}_bytes",), rate),
        Panel(f"mean {side} latency", (f"{side}_requests",), _means(side)),
        Panel(tail, (f"{side}_latency_ns_p99",), _tails(side)),
    )


def _timed(values: Values) -> Values:
    """Return times; what took none, such as reads out of DRAM, has no place on a log axis."""
    return np.where(values > 0, values, np.nan)


_PANELS = (
    *_of("write"),
    *_of("read"),
    Panel(
        "live data in the cache, MiB",
        ("cache_live_bytes",),
        _steps(lambda run: run.peak("cache_live_bytes"), "MiB", 1 << 20),
    ),
    Panel("moves and fills, pages/s", MOVED, _steps(Binned.moved_pages_per_s, "pages/s")),
)
