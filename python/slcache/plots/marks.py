"""What marks of a picture are called: told under the pointer, and read aloud."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from typing import Any, Literal
from urllib.parse import quote, unquote

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from slcache.words.names import printable

#: What an axis shows: a time in µs, or a share.
Unit = Literal["µs", "share"]
#: Begin an id that holds what a mark is called, in characters that any attribute may have.
_NAMED, _NUMBERED, _SCALED = "named:", "numbered:", "scaled:"
_OURS = re.compile(rf'<g id="({_NAMED}|{_NUMBERED}|{_SCALED})([^"]*)">')
_HELD = re.compile(r'<g data-held="(\d+)">')
_MARK = re.compile(r"<use [^>]*/>")


def name(drawn: Artist | BarContainer, *texts: str) -> None:
    """Name what is drawn: a line by one text, bars and the points of a line by one each.

    In a page it is the mark's title, which browsers show without a script.
    """
    if isinstance(drawn, BarContainer):
        for bar, text in zip(drawn, texts, strict=True):
            name(bar, text)
        return
    drawn.set_gid(_NAMED + quote(json.dumps([printable(text) for text in texts])))


def number(artist: Artist, numbers: Sequence[int]) -> None:
    """Give the points of a line their numbers, by which the page tells of each."""
    artist.set_gid(_NUMBERED + quote(json.dumps(list(numbers))))


def scale(axes: Axes, x_unit: Unit, y_unit: Unit) -> None:
    """Say in which units a panel's named lines can be read off at the pointer."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    place = figure.axes.index(axes)
    axes.set_gid(_SCALED + quote(json.dumps([place, x_unit, y_unit])))


class Held:
    """The names in a picture that Matplotlib wrote, while its tags are made smaller."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._found: list[tuple[str, list[Any]]] = []

    def taken(self, text: str) -> str:
        """Return the picture with a number in place of each name."""
        return _OURS.sub(self._take, text)

    def _take(self, found: re.Match[str]) -> str:
        self._found.append((found[1], json.loads(unquote(found[2]))))
        return f'<g data-held="{len(self._found) - 1}">'

    def told(self, text: str) -> str:
        """Return the picture with the names where they belong."""
        parts = []
        end = 0
        for tag in _HELD.finditer(text):
            kind, told = self._found[int(tag[1])]
            parts.append(text[end : tag.start()])
            end = tag.end()
            if kind == _SCALED:
                parts.append(f"<g data-scale='{self._scale(*told)}'>")
            elif kind == _NAMED and len(told) == 1:
                parts.append(f"<g><title>{_text(told[0])}</title>")
            else:
                end = text.index("</g>", end)
                parts.append(_marked(kind, told, text[tag.end() : end]))
        return "".join([*parts, text[end:]])

    def _scale(self, place: int, *units: Unit) -> str:
        """Return where a panel's axes begin and end: in the picture, and what they show there."""
        axes = self._figure.axes[place]
        points = 72 / self._figure.dpi
        height, box = self._figure.get_figheight() * 72, axes.bbox
        rulers = (
            (axes.xaxis, box.x0 * points, box.x1 * points),
            (axes.yaxis, height - box.y0 * points, height - box.y1 * points),
        )
        told = [
            {
                "at": [round(start, 2), round(end, 2)],
                "shows": [float(f"{value:.6g}") for value in ruler.get_view_interval()],
                "log": ruler.get_scale() == "log",
                "unit": unit,
            }
            for (ruler, start, end), unit in zip(rulers, units, strict=True)
        ]
        return json.dumps(told, separators=(",", ":"))


def _marked(kind: str, told: Sequence[Any], marks: str) -> str:
    """Return a group's beginning and its marks; with other marks than names it has none."""
    if len(_MARK.findall(marks)) != len(told):
        return f"<g>{marks}"
    if kind == _NUMBERED:
        return f'<g data-points="{" ".join(map(str, told))}">{marks}'
    names = iter(told)
    return "<g>" + _MARK.sub(
        lambda mark: f"{mark[0][:-2]}><title>{_text(next(names))}</title></use>", marks
    )


def _text(name: object) -> str:
    return escape(str(name), quote=False)
