"""What all figures share: colours, sizes, axes without chart junk."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import Locator, MaxNLocator, NullLocator

from slcache.plots import plain
from slcache.words import units
from slcache.words.kinds import Kind

WIDTH = 9.4

#: The colour of text and axes; inline SVG replaces it with the page's own text colour.
INK = "#101112"

_SCHEMES = (
    "#4477AA",
    "#E08214",
    "#2A9D77",
    "#CC5577",
    "#8868B8",
    "#8AA63A",
    "#7F8790",
    "#4DB6D6",
    "#8C564B",
    "#D9B13B",
)

RC: Any = {
    "font.size": 9.0,
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#8A9099",
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "figure.constrained_layout.use": True,
}


#: What an entry of a key takes beside its text, and a letter of that, in inches.
_SWATCH_INCHES, _LETTER_INCHES = 0.45, 0.077

#: From so many schemes on, figures give each a line pattern, a marker or a panel of its own.
MANY = 5

_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.4)), (0, (6, 2, 1.5, 2)), (0, (1, 1.2)))

_MARKS = "os^Dv<>Pp"


def scheme_line(index: int, count: int, width: float = 1.4) -> dict[str, Any]:
    """Return how the line of one of `count` schemes is drawn.

    Lines get thinner from the first to the last, so that one that lies under another shows
    beside it; of many, they differ in pattern too.
    """
    thinner = index / (count - 1) if count > 1 else 0.5
    line = {"color": scheme_colour(index), "lw": width * (2.0 - 1.2 * thinner)}
    return line if count < MANY else {**line, "ls": _DASHES[index % len(_DASHES)]}


def scheme_colour(index: int) -> str:
    """Return the colour of the scheme at a position, the same in every figure."""
    return _SCHEMES[index % len(_SCHEMES)]


def scheme_mark(index: int) -> dict[str, Any]:
    """Return how the points of the scheme at a position are drawn."""
    return {"color": scheme_colour(index), "marker": _MARKS[index % len(_MARKS)], "ls": ""}


def panels(
    rows: int,
    columns: int,
    height: float,
    **options: Any,  # noqa: ANN401
) -> tuple[Figure, list[Axes]]:
    """Return a figure of the house style and its axes, row by row."""
    with mpl.rc_context(RC):
        figure = plain.PlainFigure(figsize=(WIDTH, height), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, [axes for row in grid for axes in row]


def bars_height(rows: int) -> float:
    """Return the height in inches of a figure with one horizontal bar per scheme."""
    return 1.1 + (0.5 if rows < MANY else 0.34) * rows


def empty(message: str) -> Figure:
    """Return a figure that only says why there is nothing to draw."""
    figure, (axes,) = panels(1, 1, 0.8)
    axes.axis("off")
    axes.text(0.5, 0.5, message, ha="center", va="center", color=INK, transform=axes.transAxes)
    return figure


def key(
    figure: Figure,
    labels: Sequence[str],
    drawn: Literal["lines", "bars", "marks"] = "lines",
    shown: Sequence[int] | None = None,
) -> None:
    """Name several schemes' lines, bars or marks above the figure, row by row.

    `shown` are the places of those that the figure shows, by default all.
    """
    if len(labels) > 1:
        places = range(len(labels)) if shown is None else shown
        count = len(places)
        looks: dict[str, Callable[[int], dict[str, Any]]] = {
            "lines": lambda i: scheme_line(i, len(labels), 2.0),
            "bars": lambda i: {"color": scheme_colour(i), "lw": 4},
            "marks": scheme_mark,
        }
        lines = [Line2D([], [], **looks[drawn](i)) for i in places]
        columns = min(count, 6) if count < MANY else -(-count // 2) if count <= 12 else 6
        names = [labels[place] for place in places]
        _above(figure, lines, names, columns, 3.2 if len(labels) >= MANY else 2.0)


def swatches(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Name a stack's colours above the figure, row by row, as many in a row as there is room."""
    _above(figure, handles, names, _columns(names), 1.2)


def kinds_key(figure: Figure, shown: Mapping[str, Kind]) -> None:
    """Name kinds by their colours in the same way."""
    swatches(figure, [Patch(facecolor=kind.colour) for kind in shown.values()], list(shown))


def lines_key(figure: Figure, looks: Mapping[str, Mapping[str, Any]]) -> None:
    """Name lines and marks of these looks in the same way."""
    swatches(figure, [Line2D([], [], **look) for look in looks.values()], list(looks))


def _above(
    figure: Figure, handles: Sequence[Any], names: Sequence[str], columns: int, length: float
) -> None:
    # A legend is filled by column, and read by row.
    order = [i for column in range(columns) for i in range(column, len(names), columns)]
    figure.legend(
        [handles[i] for i in order],
        [names[i] for i in order],
        loc="outside upper left",
        ncols=columns,
        frameon=False,
        labelcolor=INK,
        fontsize=9,
        handlelength=length,
    )


def _columns(names: Sequence[str]) -> int:
    """Return how many columns of these names fit over a figure."""
    for columns in range(min(len(names), 6), 1, -1):
        widest = (max(map(len, names[i::columns])) for i in range(columns))
        if sum(_SWATCH_INCHES + _LETTER_INCHES * letters for letters in widest) < WIDTH:
            return columns
    return 1


def legend(axes: Axes, place: Literal["upper left", "upper right", "best", "above"]) -> None:
    """Name a panel's own colours: in a corner of it, readable over lines, or above it."""
    above: dict[str, Any] = {"bbox_to_anchor": (1.0, 0.98), "ncols": 2, "borderaxespad": 0.0}
    axes.legend(
        loc="lower right" if place == "above" else place,
        fontsize=8,
        handlelength=1.2,
        labelcolor=INK,
        frameon=True,
        facecolor="white",
        edgecolor="none",
        framealpha=0.85,
        **(above if place == "above" else {}),
    )


def noted(figure: Figure, note: str | None) -> Figure:
    """Say below a figure what its workload is, where there is something to say."""
    if note is not None:
        figure.supxlabel(
            f"workload: {plain.name(note, 150)}", x=0.01, ha="left", fontsize=8, color=INK
        )
    return figure


def same_range(areas: Sequence[Axes]) -> None:
    """Give areas that share an axis the range that holds what is drawn in any of them."""
    limits = [area.dataLim for area in areas if np.isfinite(area.dataLim.get_points()).all()]
    if not limits:
        return
    low, high = min(limit.ymin for limit in limits), max(limit.ymax for limit in limits)
    if areas[0].get_yscale() == "log":
        low = min(limit.minposy for limit in limits)
        areas[0].set_ylim(low / 1.5, high * 1.5)
    else:
        areas[0].set_ylim(min(low, 0.0), 1.08 * high or 1.0)


def title(axes: Axes, text: str) -> None:
    """Name a panel, flush left above it."""
    # Without a place, Matplotlib looks for one clear of ticks above the panel, which has none.
    axes.set_title(text, loc="left", y=1.0, fontsize=10, fontweight="bold")


def time_ticks(axes: Axes, axis: str = "x", most: int = 7) -> None:
    """Make an axis in µs logarithmic and label it with readable times."""
    log_ticks(axes, _duration, axis, most)


def log_ticks(axes: Axes, show: Callable[[float], str], axis: str = "x", most: int = 7) -> None:
    """Make an axis logarithmic, with at least two labels wherever it begins and ends."""
    ruler = axes.xaxis if axis == "x" else axes.yaxis
    ruler.axes.set(**{f"{axis}scale": "log"})
    ruler.set_major_locator(LogTicks(most))
    ruler.set_minor_locator(NullLocator())
    ruler.set_major_formatter(lambda value, _: show(value))


class LogTicks(Locator):
    """Ticks of a logarithmic axis that are never too few to read values between them.

    Powers of ten where three fit; else 1, 2, 5; else finer; and on a short stretch of less than
    that, equal steps.
    """

    _STEPS = ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0))
    _LEAST = 3

    def __init__(self, most: int = 7) -> None:
        self._most = max(most, self._LEAST)

    def __call__(self) -> Sequence[float]:
        """Return the ticks of the axis as it is shown."""
        return self.tick_values(*self.axis.get_view_interval())  # type: ignore[union-attr]

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Return the ticks from one value to another."""
        low, high = sorted((vmin, vmax))
        if not 0 < low < high < math.inf:
            return [low] if 0 < low < math.inf else []
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for steps in self._STEPS:
            ticks = [step * 10.0**power for power in powers for step in steps]
            ticks = [tick for tick in ticks if low <= tick <= high]
            if len(ticks) >= self._LEAST:
                return ticks[:: -(-len(ticks) // self._most) * -1][::-1]
        even = MaxNLocator(self._most - 1, min_n_ticks=self._LEAST).tick_values(low, high)
        return [tick for tick in even if low <= tick <= high]


def share(value: float) -> str:
    """Return a tick label of a share."""
    return f"{100 * value:.6g} %"


def whole(value: float) -> str:
    """Return a tick label of a count, which is whole."""
    return units.count(value) if value == round(value) else ""


def only_horizontal(axes: Axes) -> None:
    """Keep the grid lines that help read bar heights."""
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)


def on(colour: str) -> str:
    """Return black or white, whichever reads better on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#FFFFFF"


def _duration(microseconds: float) -> str:
    """Return a tick label: all digits that tell it from its neighbours, no trailing zeros."""
    size, unit = units.time_scale(microseconds)
    return f"{microseconds / size:.6g} {unit}"
