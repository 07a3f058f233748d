"""Figures as inline SVG for pages, small and in the page's own ink, and as PNG."""

from __future__ import annotations

import contextlib
import gc
import io
import re
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from slcache.plots import compact, marks, style
from slcache.words.names import printable

#: Coordinates are cut to two decimals, which labels between the tags must not be.
_TAG = re.compile(r"<[^>]+>")
_LONG_NUMBER = re.compile(r"(\d\.\d\d)\d+")


#: Objects between two looks for those to be freed; Python's own number is 700.
_SELDOM = 50_000


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Have unused objects looked for seldom while many figures are drawn.

    A figure is hundreds of thousands of objects, nearly all of which live until it is drawn.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _SELDOM) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def svg(figure: Figure, name: str, description: str) -> Markup:
    """Return a figure as inline SVG that takes its text colour and font from the page.

    Names in it are escaped by Matplotlib; what is replaced here is replaced in tags alone.
    """
    sink = io.StringIO()
    with mpl.rc_context({**style.RC, "svg.hashsalt": name, "svg.id": name}):
        _write(figure, sink)
    text = sink.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    held = marks.Held(figure)
    text = _TAG.sub(lambda tag: _fitted_to_page(tag[0], name), held.taken(text))
    text = held.told(compact.smaller(text, name))
    head = Markup('<svg role="img" aria-label="{}"').format(printable(description))
    return Markup(text.replace("<svg", head, 1))


def _write(figure: Figure, sink: io.StringIO) -> None:
    """Write a figure as SVG; `savefig` would draw it once more for its layout."""
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        if not axis.get_label_text():
            # Without a place, Matplotlib looks for one beside the ticks at every step.
            axis.set_label_coords(0.0, 0.0)
    canvas: Any = FigureCanvasSVG(figure)
    with _groundless(figure):
        canvas.print_svg(sink, metadata={"Date": None})


@contextlib.contextmanager
def _groundless(figure: Figure) -> Iterator[None]:
    """Take the ground from a figure and its panels for a while."""
    grounds = [figure.patch, *(axes.patch for axes in figure.axes)]
    colours = [(ground.get_facecolor(), ground.get_edgecolor()) for ground in grounds]
    for ground in grounds:
        ground.set(facecolor="none", edgecolor="none")
    try:
        yield
    finally:
        for ground, (face, edge) in zip(grounds, colours, strict=True):
            ground.set(facecolor=face, edgecolor=edge)


def _fitted_to_page(tag: str, name: str) -> str:
    """Return a tag with its ids made the page's own, and its ink and font left to the page."""
    if "." in tag:
        tag = _LONG_NUMBER.sub(r"\1", tag)
    if 'id="' in tag:
        tag = re.sub(rf'\bid="(?!{re.escape(name)}")', f'id="{name}-', tag)
    if "#" in tag:
        tag = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", tag)
        tag = tag.replace(style.INK, "currentColor").replace(style.INK.lower(), "currentColor")
    if "font" in tag:
        tag = re.sub(r"font:([^;]*?) 'DejaVu Sans'[^;\"]*", r"font:\1 sans-serif", tag)
        tag = re.sub(r" font-family: 'DejaVu Sans'[^;\"]*;", "", tag)
    return tag


def png(figure: Figure) -> bytes:
    """Return a figure as a picture file with a white ground."""
    sink = io.BytesIO()
    with mpl.rc_context(style.RC):
        figure.savefig(sink, format="png", dpi=160, metadata={"Software": None})
    return sink.getvalue()
