"""What all figures share: colours, sizes, axes without chart junk, and inline SVG."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from slcache import units

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

CAUSES = {
    "host": "#5B86B8",
    "rmw": "#A3C1E0",
    "migration": "#E0944A",
    "gc": "#C05A6E",
    "promote": "#7FA65B",
    "fill": "#A68FBF",
    "agc": "#CDB450",
    "flush": "#6FA8A0",
    "wear": "#9C755F",
    "pad": "#A9AFB6",
}

#: What requests wait for: work of some cause, or a resource.
WAITS = CAUSES | {
    "channel": "#C9A0C9",
    "link": "#8F6FA8",
    "queue": "#5E4B8B",
    "other": "#C4C8CD",
}

SERVICE = {"array": "#6B7889", "transfer": "#8D99A8", "link": "#B3BCC7", "buffer": "#D0D6DD"}

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


#: Coordinates are cut to two decimals, which labels between the tags must not be.
_TAG = re.compile(r"<[^>]+>")
_LONG_NUMBER = re.compile(r"(\d\.\d\d)\d+")


#: From so many schemes on, figures give each a line pattern, a marker or a panel of its own.
MANY = 5

_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.4)), (0, (6, 2, 1.5, 2)), (0, (1, 1.2)))


def scheme_line(index: int, count: int, width: float = 1.4) -> dict[str, Any]:
    """Return how the line of one of `count` schemes is drawn.

    Of many, lines differ in pattern too, and get thinner from the first to the last, so that
    one that lies under another shows beside it and in its gaps.
    """
    colour = {"color": scheme_colour(index)}
    if count < MANY:
        return {**colour, "lw": width}
    return {
        **colour,
        "lw": width * (2.0 - 1.2 * index / (count - 1)),
        "ls": _DASHES[index % len(_DASHES)],
    }


def scheme_colour(index: int) -> str:
    """Return the colour of the scheme at a position, the same in every figure."""
    return _SCHEMES[index % len(_SCHEMES)]


def panels(
    rows: int,
    columns: int,
    height: float,
    **options: Any,  # noqa: ANN401
) -> tuple[Figure, list[Axes]]:
    """Return a figure of the house style and its axes, row by row."""
    with mpl.rc_context(RC):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
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


def key(figure: Figure, labels: Sequence[str], *, bars: bool = False) -> None:
    """Name several schemes' lines or bars above the figure, row by row."""
    if len(labels) > 1:
        count = len(labels)
        lines = [
            Line2D([], [], color=scheme_colour(i), lw=4)
            if bars
            else Line2D([], [], **scheme_line(i, count, 2.5))
            for i in range(count)
        ]
        columns = min(count, 6) if count < MANY else -(-count // 2) if count <= 12 else 6
        order = _row_by_row(count, columns)
        figure.legend(
            [lines[i] for i in order],
            [labels[i] for i in order],
            loc="outside upper left",
            ncols=columns,
            frameon=False,
            labelcolor=INK,
            fontsize=9,
            handlelength=3.2 if count >= MANY else 2.0,
        )


def _row_by_row(count: int, columns: int) -> list[int]:
    """Return entries in the order that makes a legend, filled by column, read by row."""
    return [i for column in range(columns) for i in range(column, count, columns)]


def swatches(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Name a stack's colours above the figure."""
    figure.legend(
        list(handles),
        list(names),
        loc="outside upper left",
        ncols=min(len(names), 6),
        frameon=False,
        labelcolor=INK,
        fontsize=9,
        handlelength=1.2,
    )


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
        figure.supxlabel(f"workload: {note}", x=0.01, ha="left", fontsize=8, color=INK)
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
    axes.set_title(text, loc="left", fontsize=10, fontweight="bold")


def time_ticks(axes: Axes, axis: str = "x") -> None:
    """Make an axis in µs logarithmic and label it with readable times."""
    ruler = axes.xaxis if axis == "x" else axes.yaxis
    ruler.axes.set(**{f"{axis}scale": "log"})
    low, high = ruler.get_minpos(), ruler.get_data_interval()[1]
    span = high / low
    steps = (1, 2, 3, 5, 7) if span < 5 else (1, 2, 5) if span < 100 else (1,)
    ruler.set_major_locator(LogLocator(subs=steps))
    ruler.set_minor_formatter(NullFormatter())
    ruler.set_major_formatter(FuncFormatter(lambda value, _: _short(units.duration(value))))


def whole_ticks(axes: Axes) -> None:
    """Label a logarithmic y axis of counts with whole numbers only."""
    few = axes.get_ylim()[1] < 50
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,)))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: units.count(value) if value >= 1 else "")
    )
    axes.yaxis.set_minor_formatter(NullFormatter())


def only_horizontal(axes: Axes) -> None:
    """Keep the grid lines that help read bar heights."""
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)


def on(colour: str) -> str:
    """Return black or white, whichever reads better on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#FFFFFF"


def svg(figure: Figure, name: str, description: str) -> str:
    """Return a figure as inline SVG that takes its text colour and font from the page."""
    sink = io.StringIO()
    with mpl.rc_context({**RC, "svg.hashsalt": name, "svg.id": name}):
        figure.savefig(sink, format="svg", transparent=True, metadata={"Date": None})
    text = sink.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(rf'\bid="(?!{re.escape(name)}")', f'id="{name}-', text)
    text = _TAG.sub(lambda tag: _LONG_NUMBER.sub(r"\1", tag[0]), text)
    text = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", text)
    text = text.replace(INK, "currentColor").replace(INK.lower(), "currentColor")
    head = f'<svg role="img" aria-label="{description}"'
    return re.sub(r"font:([^;]*?) 'DejaVu Sans'[^;\"]*", r"font:\1 sans-serif", text).replace(
        "<svg", head, 1
    )


def png(figure: Figure) -> bytes:
    """Return a figure as a picture file with a white ground."""
    sink = io.BytesIO()
    with mpl.rc_context(RC):
        figure.savefig(sink, format="png", dpi=160, metadata={"Software": None})
    return sink.getvalue()


def _short(text: str) -> str:
    """Return a tick label without trailing zeros."""
    number, _, unit = text.partition(" ")
    return f"{units.trimmed(number)} {unit}"
