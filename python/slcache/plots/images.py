"""Figures as inline SVG for pages, small and in the page's own ink, and as PNG."""

from __future__ import annotations

import contextlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from slcache.plots import style
from slcache.words.names import printable

#: Coordinates are cut to two decimals, which labels between the tags must not be.
_TAG = re.compile(r"<[^>]+>")
_LONG_NUMBER = re.compile(r"(\d\.\d\d)\d+")
#: Marks of one look, each of which Matplotlib gives that look again.
_MARKS_ALIKE = re.compile(r'(?:\s*<use [^>]*? style="([^"]*)"/>)(?:\s*<use [^>]*? style="\1"/>)+')
_ID = re.compile(r' id="([^"]*)"')
_LOOK = re.compile(r' style="([^"]*)"')
#: A look that so many elements have is said once.
_OFTEN = 4
_INDENT = re.compile(r"\n +(?=<)")


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
    text = _TAG.sub(lambda tag: _fitted_to_page(tag[0], name), text)
    text = _smaller(text, name)
    head = Markup('<svg role="img" aria-label="{}"').format(printable(description))
    return Markup(text.replace("<svg", head, 1))


def _smaller(text: str, name: str) -> str:
    """Return a picture without what no page needs: long looks said often, ids nobody refers to."""
    text = _INDENT.sub("\n", _MARKS_ALIKE.sub(_look_once, text))
    tags = _TAG.findall(text)
    known = {each for tag in tags for each in re.findall(r'#([^")]+)[")]', tag)}
    looks = Counter(look for tag in tags for look in _LOOK.findall(tag))
    often = [look for look, count in looks.items() if count >= _OFTEN]
    classes = {look: f"{name}-{number}" for number, look in enumerate(often)}

    def smaller(tag: re.Match[str]) -> str:
        less = _ID.sub(lambda found: found[0] if found[1] in known else "", tag[0])
        return _LOOK.sub(lambda found: _class(found, classes), less)

    rules = "".join(f".{which}{{{look}}}" for look, which in classes.items())
    return _TAG.sub(smaller, text).replace(">", f"><style>{rules}</style>", 1)


def _class(look: re.Match[str], classes: Mapping[str, str]) -> str:
    return f' class="{classes[look[1]]}"' if look[1] in classes else look[0]


def _look_once(marks: re.Match[str]) -> str:
    look = f' style="{marks[1]}"'
    return f"<g{look}>{marks[0].replace(look, '')}</g>"


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
