"""Tables as HTML, which notebooks show in place of text."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape
from rich.text import Text

from slcache.tables.tabular import Table


def html(table: Table, lines: Iterable[str] = ()) -> str:
    """Return a table with its title, its caption and sentences below as HTML; names are escaped."""
    head = _cells("th", [column.title.replace("\n", " ") for column in table.columns])
    body = Markup("").join(Markup("<tr>{}</tr>").format(_row(row)) for row in table.rows)
    whole = Markup(
        "<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>"
    ).format(table.title, head, body)
    below = [*table.caption.splitlines(), *lines]
    return str(Markup("").join([whole, *(Markup("<p>{}</p>").format(line) for line in below)]))


def _row(cells: list[Text]) -> Markup:
    marked = (
        Markup("<b>{}</b>").format(cell.plain) if "bold" in str(cell.style) else escape(cell.plain)
        for cell in cells
    )
    return _cells("td", marked)


def _cells(tag: str, contents: Iterable[str]) -> Markup:
    name = Markup(tag)
    return Markup("").join(Markup("<{0}>{1}</{0}>").format(name, content) for content in contents)
