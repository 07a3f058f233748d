"""Charts of latency, throughput and bandwidth: beside a reference, by parts, and over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slcache import kinds, units
from slcache.bandwidth.curves import BandwidthCurve, Phases
from slcache.charts import layout, spec
from slcache.charts.spec import Axis, Curve, Spec
from slcache.documents import Document, Runs, figures
from slcache.kinds import Kind

Values = NDArray[np.float64]
#: Latencies that are shown relative to a reference, and what they are called.
FIGURES = {"mean": "mean", "p99": "p99", "p99_9": "p99.9"}
_CDF_LEAST_US = 0.1


def sides(runs: Runs) -> list[str]:
    """Return the kinds of requests that the trace has."""
    host = next(iter(runs.values()))["host"]
    return [side for side in ("read", "write") if host[side]["requests"]]


def relative(runs: Runs, to: str) -> Spec:
    """Draw mean and tail latency as factors of a reference's, a row per scheme."""
    shown = sides(runs)
    if not shown:
        return layout.empty("no reads and no writes")
    looks = spec.colours(FIGURES.values())
    panels = []
    for side in shown:
        rows = [
            row
            for label, document in runs.items()
            for row in _factors(label, document, runs[to], side)
        ]
        factors = [row["x"] for row in rows]
        # There is room for what is written behind the furthest.
        low, high = min(factors, default=1.0), max(factors, default=1.0)
        high *= max(1.2, (high / low) ** 0.15)
        low *= 0.9
        ticks = spec.short_ticks(low, high)
        title = "factor, lower is better"
        across = Axis(title, "factor", log=True, low=low, high=high, ticks=ticks)
        down = spec.names_axis("row", list(runs))
        spans: dict[str, list[float]] = {}
        for row in rows:
            spans.setdefault(row["row"], []).append(row["x"])
        ends = ({"row": row, "x": min(xs), "high": max(xs)} for row, xs in spans.items())
        span: Spec = {
            "data": spec.data(ends),
            "mark": {"type": "rule", "color": spec.GREY, "strokeWidth": 2},
            "encoding": {"x": across.channel("x"), "x2": {"field": "high"}, "y": down},
        }
        texts = [
            {
                "row": row["row"],
                "x": max(spans[row["row"]]),
                "text": f"mean {units.factor(row['x'])}",
            }
            for row in rows
            if row["key"] == FIGURES["mean"]
        ]
        tips = {"tooltip": spec.tip(scheme="row", figure="key", value="told")}
        marks = spec.points(rows, across, down, looks, shapes=True, encoding=tips, size=60)
        beside = spec.notes(texts, across.channel("x"), down, dx=9)
        layers = (span, spec.rule(x=1.0), marks, beside)
        height = layout.rows_height(len(runs))
        panels.append(layout.panel(*layers, title=f"{side} latency", height=height))
    return layout.bar_picture(*panels, rows=runs)


def _factors(label: str, document: Document, reference: Document, side: str) -> list[Spec]:
    rows = []
    for key, title in FIGURES.items():
        factor = figures.factor(document, reference, side, key)
        if factor:
            latency = units.duration(figures.latency(document, side, key) or 0.0)
            told = f"{latency}, {units.factor(factor)}"
            rows.append({"row": label, "key": title, "x": factor, "told": told})
    return rows


def attribution(runs: Runs) -> Spec:
    """Draw mean latency by component: service, and what requests waited for."""
    found = components(runs.values())
    if not found:
        return layout.empty("no latency to attribute")
    looks = {}
    for name, kind in found.items():
        group, _, part = name.partition(" ")
        looks[name] = (f"{group} {kind.label or part}", kind.colour)
    panels = []
    for side in sides(runs):
        stacks = {label: figures.attribution(each, side) for label, each in runs.items()}
        axis = layout.bar_axis(stacks, "time")
        title = f"mean {side} latency" + " (log axis: a bar's end can be read)" * axis.log
        panels.append(layout.bar_panel(stacks, looks, axis, units.duration, title=title))
    return layout.bar_picture(*panels, rows=runs)


def attribution_caption(documents: Sequence[Document]) -> str:
    """Return what the components in the picture are."""
    return (
        "Service is time spent working for the request; wait is time spent behind what occupied "
        "its flash unit or channel, by the cause of that work. "
        f"{kinds.explained(components(documents))}"
    )


def components(documents: Iterable[Document]) -> dict[str, Kind]:
    """Return the components that took any time, in the order of stacks: service, then waits."""
    stacks = [figures.attribution(d, side) for d in documents for side in ("read", "write")]
    parts = [name.partition(" ") for stack in stacks for name, value in stack.items() if value]
    tables = (("service", kinds.SERVICES), ("wait", kinds.WAITS))
    return {
        f"{group} {name}": kind
        for group, table in tables
        for name, kind in kinds.of(table, [n for g, _, n in parts if g == group]).items()
    }


def latency(runs: Runs) -> Spec:
    """Draw latency distributions: the cumulative curve, and the tail on a log axis."""
    hosts = {label: document["host"] for label, document in runs.items()}
    shown = [side for side in ("read", "write") if any(h[side]["cdf"] for h in hosts.values())]
    if not shown:
        return layout.empty("no reads and no writes")
    looks = spec.colours(runs)
    whole, tails = [], []
    for side in shown:
        at_most, beyond = {}, {}
        timed = (x for h in hosts.values() for x, _ in h[side]["cdf"] if x >= _CDF_LEAST_US)
        # A log axis places requests that took next to no time left of all others.
        least = 0.8 * min(timed, default=_CDF_LEAST_US)
        for label, host in hosts.items():
            points = [(max(x, least), y) for x, y in host[side]["cdf"]]
            if points:
                at_most[label], beyond[label] = _steps_of_cdf(points, host[side]["requests"])
        across = Axis(f"{side} latency", "time", log=True)
        up = Axis("share at or below", "share", low=0, high=1.02)
        steps: dict[str, Any] = {"interpolate": "step-after"}
        layer = spec.lines(at_most, across, up, looks, digits=8, **steps)
        whole.append(layout.panel(layer, title=f"{side}s"))
        up = Axis("share above", "share", log=True)
        layer = spec.lines(beyond, across, up, looks, **steps)
        tails.append(layout.panel(layer, title=f"{side}s, the tail"))
    return layout.picture([*whole, *tails], columns=len(shown))


def _steps_of_cdf(
    points: Sequence[tuple[float, float]], requests: int
) -> tuple[tuple[list[float], list[float]], tuple[list[float], list[float]]]:
    """Return a distribution as steps, the exact shape of a count: shares up to, and beyond."""
    xs = [points[0][0], *(x for x, _ in points)]
    ys = [0.0, *(y for _, y in points)]
    above = [max(1.0 - y, 0.0) for y in ys]
    shown = [(x, y) for x, y in zip(xs, above, strict=True) if y >= 0.5 / requests]
    shown.append((xs[-1], shown[-1][1]))
    return (xs, ys), spec.through(shown)


#: So many bins tell a screen apart what a line does; fewer where there are many lines.
_BINS, _FEW_BINS = 240, 120
_SIDE_BY_SIDE = 3
#: Percentiles that the series tells of every window, as shares, and how strong their lines are.
PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
_STRENGTHS = {"p50": 1.0, "p99": 0.6, "p99_9": 0.35}
#: Causes of programs that the host did not ask for.
_MOVES = ("migration", "gc", "agc", "promote", "fill", "refresh", "reclaim", "wear")
MOVED = tuple(f"program_pages_{cause}" for cause in _MOVES)


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


def series(runs: Runs) -> Spec:
    """Return the picture; what never happened in any run has no panel.

    Many schemes get a row each, in panels of common scale: lines on top of each other would not
    be told apart.
    """
    if not all(document["series"]["columns"]["t_ns"] for document in runs.values()):
        return layout.empty("no time series")
    many = len(runs) >= spec.MANY
    bins = _FEW_BINS if many else _BINS
    binned = {label: Binned(document, bins) for label, document in runs.items()}
    wanted = [panel for panel in _PANELS if any(run.has(*panel.columns) for run in binned.values())]
    if not wanted:
        return layout.empty("no request completed")
    if not many:
        panels = [
            layout.panel(*panel.layers(binned, binned), title=panel.title, height=130)
            for panel in wanted
        ]
        return layout.picture(panels, linked=True, room=90)
    stacks = [_stack(panel, binned) for panel in wanted]
    while len(stacks) % _SIDE_BY_SIDE:
        stacks.append([layout.panel(layout.blank(), height=42) for _ in runs])
    blocks = (stacks[at : at + _SIDE_BY_SIDE] for at in range(0, len(stacks), _SIDE_BY_SIDE))
    rows = [each for block in blocks for row in zip(*block, strict=True) for each in row]
    return layout.picture(rows, columns=_SIDE_BY_SIDE, linked=True, room=62)


def _stack(panel: SeriesPanel, runs: Mapping[str, Binned]) -> list[Spec]:
    """Return a panel for each run, all in one scale."""
    rows = [
        layout.panel(*panel.layers(runs, [name]), title=f"{name}: {panel.title}", height=42)
        for name in runs
    ]
    layout.same_range(rows)
    return rows


#: What draws a figure over time, of all runs and the names of those to show.
Layers = Callable[[Mapping[str, Binned], Iterable[str]], list[Spec]]


@dataclass(frozen=True)
class SeriesPanel:
    """One figure over time: its title, the columns that it needs, and how it is drawn."""

    title: str
    columns: tuple[str, ...]
    layers: Layers


def _time(runs: Mapping[str, Binned]) -> Axis:
    """Return the axis of the time that the longest run takes."""
    end = max(float(run.t_s[-1]) + run.bin_s for run in runs.values())
    return Axis("time (s)", low=0, high=end)


_LATENCY = Axis(kind="time", log=True)
_SOLID = [1, 0]


def _line(values: Callable[[Binned], Values], axis: Axis, **mark: Any) -> Layers:  # noqa: ANN401
    """Draw a line for each run."""

    def layers(runs: Mapping[str, Binned], shown: Iterable[str]) -> list[Spec]:
        curves = {name: (runs[name].t_s, values(runs[name])) for name in shown}
        return [spec.lines(curves, _time(runs), axis, spec.colours(runs), strokeWidth=1.3, **mark)]

    return layers


def _steps(values: Callable[[Binned], Values], unit: str, per: float = 1.0) -> Layers:
    axis = Axis(low=0, per=per, unit=unit)
    return _line(values, axis, interpolate="step-after", strokeDash=_SOLID)


def _tails(side: str) -> Layers:
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
            time = _time(runs)
            found.append(
                spec.lines(curves, time, _LATENCY, looks, tips=False, strokeWidth=1.0, **line)
            )
            if dots:
                layer = spec.points(dots, time, _LATENCY, looks, size=8, fillOpacity=strength)
                value = f"'{percentile.replace('_', '.')} ' + ({_LATENCY.told('datum.y')})"
                layer["transform"] = [{"flatten": ["x", "y"]}, {"calculate": value, "as": "told"}]
                found.append(layer)
        return found

    return layers


def _of(side: str) -> tuple[SeriesPanel, ...]:
    tail = f"{side} p50, p99 (paler), p99.9 (palest)"
    rate = _steps(lambda run: run.mb_per_s(f"{side}_bytes"), "MB/s")
    dots = {"size": 6, "filled": True}
    mean = _line(lambda run: _timed(run.mean_us(side)), _LATENCY, strokeDash=_SOLID, point=dots)
    return (
        SeriesPanel(f"{side}s completed, MB/s", (f"{side}_bytes",), rate),
        SeriesPanel(f"mean {side} latency", (f"{side}_requests",), mean),
        SeriesPanel(tail, (f"{side}_latency_ns_p99",), _tails(side)),
    )


def _timed(values: Values) -> Values:
    """Return times; what took none, such as reads out of DRAM, has no place on a log axis."""
    return np.where(values > 0, values, np.nan)


_PANELS = (
    *_of("write"),
    *_of("read"),
    SeriesPanel(
        "live data in the cache, MiB",
        ("cache_live_bytes",),
        _steps(lambda run: run.peak("cache_live_bytes"), "MiB", 1 << 20),
    ),
    SeriesPanel("moves and fills, pages/s", MOVED, _steps(Binned.moved_pages_per_s, "pages/s")),
)


_CLIFF_HEIGHT = 260
_SPEED = "write bandwidth (MB/s)"

#: GB written by the end of each point, and MB/s in it.
Points = tuple[Values, Values]


def cliff(curves: Mapping[str, BandwidthCurve], bursts: int, device: str) -> Spec:
    """Draw write bandwidth over data written, a line per scheme."""
    end = max(float(curve.written_bytes[-1]) for curve in curves.values())
    across = spec.sized(
        "written" + ("; dashed: pauses" if bursts > 1 else ""), end, low=0, high=end
    )
    top = 1.12 * max(float(curve.mb_per_s.max()) for curve in curves.values())
    up = Axis(_SPEED, low=0, high=top)
    drawn = {
        name: _stretches(curve.written_bytes, curve.mb_per_s) for name, curve in curves.items()
    }
    layers = [
        spec.rule(x=amount * burst / bursts / across.per, strokeOpacity=0.5)
        for amount in sorted({float(curve.written_bytes[-1]) for curve in curves.values()})
        for burst in range(1, bursts)
    ]
    steps: dict[str, Any] = {"interpolate": "step-before"}
    layers.append(spec.lines(drawn, across, up, spec.colours(curves), **steps))
    return layout.picture([layout.panel(*layers, title=device, height=_CLIFF_HEIGHT)])


def fit(curve: Points, phases: Phases, predicted: Points, name: str) -> Spec:
    """Draw the log of a fill, its phases, and the fitted device's simulated curve."""
    top = 1.12 * float(max(np.percentile(curve[1], 99), predicted[1].max()))
    across = Axis("GB written", low=0, high=float(curve[0][-1]))
    up = Axis(_SPEED, low=0, high=top)
    looks = {"log": spec.SOFT, "its phases": spec.GREY, "fitted device": spec.colour(0)}
    flat: dict[str, Any] = {"strokeDash": [1, 0]}
    layers = [
        spec.lines(
            {"log": curve}, across, up, looks, tips=False, strokeWidth=0.8, clip=True, **flat
        )
    ]
    for phase in phases.phases:
        level = ([phase.from_gb, phase.to_gb], [phase.mean_mb_per_s] * 2)
        layers.append(spec.lines({"its phases": level}, across, up, looks, strokeDash=spec.DASHED))
    steps = {"fitted device": _stretches(*predicted)}
    layers.append(spec.lines(steps, across, up, looks, interpolate="step-before", **flat))
    return layout.picture([layout.panel(*layers, title=name, height=_CLIFF_HEIGHT)])


def _stretches(ends: Values, heights: Values) -> tuple[Values, Values]:
    """Return stretches of even height as what a line goes through, each from its beginning."""
    return np.concatenate([[0.0], ends]), np.concatenate([heights[:1], heights])
