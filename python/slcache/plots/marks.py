"""What marks of a picture are called: told under the pointer, and read aloud."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from urllib.parse import quote, unquote

from matplotlib.artist import Artist

from slcache.words.names import printable

#: Begin an id that holds what a mark is called, in characters that any attribute may have.
_NAMED, _NUMBERED = "named:", "numbered:"
_OURS = re.compile(rf'<g id="({_NAMED}|{_NUMBERED})([^"]*)">')
_HELD = re.compile(r'<g data-held="(\d+)">')
_MARK = re.compile(r"<use [^>]*/>")


def name(artist: Artist, *texts: str) -> None:
    """Name what is drawn: a bar or line by one text, the points of a line by one each.

    In a page it is the mark's title, which browsers show without a script.
    """
    artist.set_gid(_NAMED + quote(json.dumps([printable(text) for text in texts])))


def number(artist: Artist, numbers: Sequence[int]) -> None:
    """Give the points of a line their numbers, by which the page tells of each."""
    artist.set_gid(_NUMBERED + quote(json.dumps(list(numbers))))


class Held:
    """The names in a picture that Matplotlib wrote, while its tags are made smaller."""

    def __init__(self) -> None:
        self._found: list[tuple[str, list[object]]] = []

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
            close = text.index("</g>", tag.end())
            parts += [text[end : tag.start()], self._group(int(tag[1]), text[tag.end() : close])]
            end = close
        return "".join([*parts, text[end:]])

    def _group(self, place: int, inside: str) -> str:
        """Return a group's beginning and its marks; with other marks than names it has none."""
        kind, told = self._found[place]
        if kind == _NAMED and len(told) == 1:
            return f"<g><title>{_text(told[0])}</title>{inside}"
        if len(_MARK.findall(inside)) != len(told):
            return f"<g>{inside}"
        if kind == _NUMBERED:
            return f'<g data-points="{" ".join(map(str, told))}">{inside}'
        names = iter(told)
        return "<g>" + _MARK.sub(
            lambda mark: f"{mark[0][:-2]}><title>{_text(next(names))}</title></use>", inside
        )


def _text(name: object) -> str:
    return escape(str(name), quote=False)
