"""An episode drawn: its knobs, latency and write amplification over the windows so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slcache.gym.knobs import Knob, nearest
from slcache.words import units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 100
_PANEL_INCHES = 1.35
_WINDOWS_LEAST = 10


@dataclass(frozen=True)
class Row:
    """What a window of an episode came to."""

    knobs: tuple[float, ...]
    latency_ns: float
    waf: float
    reward: float


@dataclass
class History:
    """The windows of an episode so far, for a reader."""

    title: str
    knobs: Sequence[Knob]
    rows: list[Row] = field(default_factory=list)

    def text(self) -> str:
        """Return the window just over as a line, and the title before the first."""
        values = self.rows[-1].knobs if self.rows else [knob.value for knob in self.knobs]
        pairs = zip(self.knobs, values, strict=True)
        settings = ", ".join(f"{knob.name} {_value(knob, value)}" for knob, value in pairs)
        if not self.rows:
            return f"{self.title}: {settings}"
        row = self.rows[-1]
        return (
            f"window {len(self.rows)}: {settings}; mean latency "
            f"{units.duration(row.latency_ns / 1e3)}, WAF {units.significant(row.waf)}, "
            f"reward {units.significant(row.reward)}"
        )

    def picture(self) -> NDArray[np.uint8]:
        """Return the figure as an array of red, green and blue."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figure = self.figure()
        figure.set_dpi(_DOTS_PER_INCH)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()  # type: ignore[no-untyped-call]
        return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()  # type: ignore[no-untyped-call]

    def figure(self) -> Figure:
        """Return a panel for every knob, one for latency and one for write amplification."""
        from slcache.plots import style

        count = len(self.knobs) + 2
        figure, axes = style.panels(count, 1, 0.5 + _PANEL_INCHES * count, sharex=True)
        figure.set_facecolor("white")
        windows = range(1, len(self.rows) + 1)
        for index, (area, knob) in enumerate(zip(axes, self.knobs, strict=False)):
            _knob(area, knob, windows, [row.knobs[index] for row in self.rows])
        latency, waf = axes[-2:]
        style.title(latency, "mean latency")
        style.title(waf, "write amplification")
        if self.rows:
            times = [row.latency_ns / 1e3 or np.nan for row in self.rows]
            latency.plot(windows, times, color=style.scheme_colour(1), lw=1.2, marker=".", ms=3)
            if not np.isnan(times).all():
                style.time_ticks(latency, "y", most=4)
            wafs = [row.waf for row in self.rows]
            waf.plot(windows, wafs, color=style.scheme_colour(3), lw=1.2, marker=".", ms=3)
            waf.set_ylim(0, 1.1 * max(*wafs, 1.0))
        waf.set_xlabel("window")
        waf.set_xlim(0, max(len(self.rows), _WINDOWS_LEAST) + 0.5)
        figure.supxlabel(self.title, x=0.01, ha="left", fontsize=8, color=style.INK)
        return figure


def _knob(area: Axes, knob: Knob, windows: range, values: list[float]) -> None:
    """Draw a knob's values; those of a ladder by their rungs, which lie evenly."""
    from slcache.plots import style

    style.title(area, knob.name)
    heights = values if knob.step else [nearest(knob.places, value) for value in values]
    area.step(windows, heights, where="mid", color=style.scheme_colour(0), lw=1.4, marker=".", ms=3)
    if knob.step:
        area.set_ylim(0, 1.05 * max(knob.places[-1], *values, 1e-9))
        area.yaxis.set_major_formatter(lambda value, _: _value(knob, value))
    else:
        shown = range(0, len(knob.places), -(-len(knob.places) // 4))
        area.set_yticks(shown, [_value(knob, knob.places[rung]) for rung in shown])
        area.set_ylim(-0.4, len(knob.places) - 0.6)


def _value(knob: Knob, value: float) -> str:
    """Return a knob's value with its unit where that suits it."""
    if knob.unit == "bytes":
        factor, name = units.size_scale(value)
        return f"{value / factor:g} {name}"
    return f"{value:g}"
