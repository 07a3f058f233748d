"""Figures in which names are text, whatever is in them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from slcache.words.names import printable

#: Names longer than this would leave no room for what they name.
_NAME_MAX = 48
_LITERAL: Any = {"text.parse_math": False, "text.usetex": False}


class PlainFigure(Figure):
    """A figure that reads no formulas in its texts, wherever it is drawn."""

    def draw(self, renderer: RendererBase) -> None:
        """Draw the figure; a `$` is a dollar, and a control character is spelled out."""
        with mpl.rc_context(_LITERAL), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            self._make_plain()
            super().draw(renderer)

    def _make_plain(self) -> None:
        for found in self.findobj(lambda artist: isinstance(artist, (Legend, Text))):
            if isinstance(found, Legend):
                for text in found.get_texts():
                    text.set_text(name(text.get_text()))
            elif isinstance(found, Text):
                found.set_text(printable(found.get_text()))
                found.set_parse_math(False)
                found.set_usetex(False)


def rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a panel on its vertical axis."""
    axes.set_yticks(range(len(names)), [name(each) for each in names])


def name(text: str, longest: int = _NAME_MAX) -> str:
    """Return a name as a figure shows it: in plain characters, and not endlessly long."""
    shown = printable(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
