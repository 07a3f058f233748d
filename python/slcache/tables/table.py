"""Tables that tear no figure: cells for readers, and records in every form that is asked for."""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from markupsafe import Markup
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table as Drawn
from rich.text import Text

from slcache.names import printable
from slcache.units import figures, shown, unit_of

#: A column of text may be as narrow as its longest word, at most this.
_WORD_MAX = 24
#: Text gives way to figures down to so many letters in a line.
_LEAST = 4
#: Columns of what is not a terminal: sentences there are as long as what they say.
UNLIMITED = 1 << 16
#: Columns of a table there, whose words stay whole.
_WIDTH = 120
#: Columns of tables and sentences as plain text.
_PLAIN_WIDTH = 110
#: The first column, which names the rows, keeps this share of a narrow terminal at most.
_NAME_SHARE = 3
#: The space between a figure and its unit, at which lines are not broken.
_GLUE = re.compile(r"(?<=[\d.)]) (?=[A-Za-zµ%×])")
_GLUED = "\N{NO-BREAK SPACE}"
#: Where they are, which is not where texts of Python are split: at that space too.
_SPACE = re.compile(r"[ \n]+")

#: How a cell of figures begins, and the letters that it has at most.
_FIGURE = re.compile(r"[-+−<(~]?\d")
_LONG = 24


class Cells:
    """Rows of cells below the titles of columns, of which the first names the rows.

    Cells that are missing at the end of a row stay empty. Of more than `most` rows the others are
    counted below, with what is said of them. On a terminal columns that do not fit
    side by side are continued below.
    """

    def __init__(
        self,
        columns: Iterable[str],
        rows: Iterable[Sequence[str | Text]] = (),
        *,
        title: str = "",
        caption: str = "",
        most: int | None = None,
        more: str = "",
    ) -> None:
        self.columns = list(columns)
        every = list(rows)
        if most is not None and len(every) > most:
            caption = "\n".join(filter(None, [f"and {len(every) - most:,} more{more}", caption]))
        cells = ([_harmless(cell) for cell in row] for row in every[:most])
        self.rows = [[*row, *[Text()] * (len(self.columns) - len(row))] for row in cells]
        self.title, self.caption = printable(title), printable(caption)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text | Drawn]:
        """Yield the title, one table for each group of columns that fits, and the caption."""
        if not self.columns:
            return
        if self.title:
            yield Text(self.title, "italic")
        whole = options.max_width >= UNLIMITED
        room = _WIDTH if whole else options.max_width
        for part, widths in self._parts(console, options, room):
            yield self._drawn(part, widths, whole=whole)
        if self.caption:
            yield Text(wrapped(self.caption, options.max_width), "dim")

    def __html__(self) -> Markup:
        """Return the table with its title, and its caption below, as HTML; names are escaped."""
        if not self.columns:
            return Markup("")
        titles = (title.replace("\n", " ") for title in self.columns)
        rows = (_joined("{}", [_name(row[0]), *map(_cell, row[1:])]) for row in self.rows)
        return _HTML.format(
            _joined("<caption>{}</caption>", [self.title] if self.title else []),
            _joined('<th scope="col">{}</th>', titles),
            _joined("<tr>{}</tr>\n", rows),
            _joined('<p class="soft">{}</p>\n', self.caption.splitlines()),
        )

    def _parts(
        self, console: Console, options: ConsoleOptions, room: int
    ) -> Iterator[tuple[list[int], list[int]]]:
        """Yield groups of columns and their widths; the first column is in each of them."""
        fits = partial(self._width, console, options)
        least = [self._least(i, room) for i in range(len(self.columns))]
        part = [0]
        for i in range(1, len(self.columns)):
            if len(part) > 1 and fits([*part, i], least) > room:
                yield part, self._widened(part, least, room - fits(part, least))
                part = [0]
            part.append(i)
            if len(part) == 2:
                # Names and text give way to each other's longest words and to figures.
                gives = i if self.is_text(i) else 0
                least[gives] = max(_LEAST, least[gives] - max(0, fits(part, least) - room))
        yield part, self._widened(part, least, room - fits(part, least))

    def _width(
        self, console: Console, options: ConsoleOptions, part: list[int], widths: list[int]
    ) -> int:
        """Return how wide these columns are side by side."""
        drawn = self._drawn(part, [widths[i] for i in part])
        return Measurement.get(console, options.update(max_width=UNLIMITED), drawn).maximum

    def _least(self, i: int, room: int) -> int:
        """Return the least width of a column: that of its figures, or of its longest word."""
        if not self.is_text(i):
            return self._natural(i)
        longest = min(self._longest(i), _WORD_MAX)
        return min(self._natural(i), max(8, room // _NAME_SHARE)) if i == 0 else longest

    def is_text(self, i: int) -> bool:
        """Return whether a column is of words, as the first is, which names the rows."""
        return self._texts[i]

    @cached_property
    def _texts(self) -> list[bool]:
        """Whether each column has no title, or most of its cells begin with no digit, or are long.

        Cells that are empty say nothing.
        """
        return [
            i == 0 or not title or _is_text([row[i].plain for row in self.rows])
            for i, title in enumerate(self.columns)
        ]

    def _longest(self, i: int) -> int:
        """Return the width of a column's longest word."""
        words = (w for cell in self._cells(i) for w in _SPACE.split(_glued(cell)))
        return max(map(cell_len, words))

    def _natural(self, i: int) -> int:
        lines = (line for cell in self._cells(i) for line in cell.split("\n"))
        return max(map(cell_len, lines))

    def _cells(self, i: int) -> list[str]:
        return [self.columns[i], *(row[i].plain for row in self.rows)]

    def _widened(self, part: list[int], least: list[int], spare: int) -> list[int]:
        """Return the widths of these columns, with what room is left given to those of text."""
        widths = {i: least[i] for i in part}
        wanting = {i: self._natural(i) - least[i] for i in part if self.is_text(i)}
        for i in sorted(wanting, key=lambda i: wanting[i]):
            share = max(0, spare) // len(wanting)
            widths[i] += min(wanting.pop(i), share)
            spare -= widths[i] - least[i]
        return [widths[i] for i in part]

    def _drawn(self, part: list[int], widths: list[int], *, whole: bool = False) -> Drawn:
        """Return these columns; a `whole` word that is longer than its column stands out of it."""
        drawn = Drawn(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for i, width in zip(part, widths, strict=True):
            right = i > 0 and not self.is_text(i)
            drawn.add_column(
                Text(wrapped(self.columns[i], width)),
                justify="right" if right else "left",
                width=max(width, self._longest(i)) if whole else width,
                no_wrap=False,
                overflow="fold",
            )
        for row in self.rows:
            cells = zip(part, widths, strict=True)
            drawn.add_row(*(self._cell(row[i], i, w, whole=whole) for i, w in cells))
        return drawn

    def _cell(self, cell: Text, i: int, width: int, *, whole: bool) -> Text:
        if not self.is_text(i) or cell_len(cell.plain) <= width:
            return cell
        return Text(wrapped(cell.plain, width, whole=whole), cell.style)


def _is_text(cells: Iterable[str]) -> bool:
    known = [cell for cell in cells if cell not in ("", "–")]
    figures = sum(bool(_FIGURE.match(cell)) for cell in known)
    long = any(len(line) > _LONG for cell in known for line in cell.split("\n"))
    return long or 2 * figures < len(known)


def wrapped(text: str, width: int, *, whole: bool = False) -> str:
    """Return text in lines of at most this width, broken between words but before no unit.

    A longer word is a line of its own where words stay `whole`, and broken elsewhere.
    """
    lines = (
        textwrap.wrap(_glued(line), width, break_on_hyphens=False, break_long_words=not whole)
        or [""]
        for line in text.split("\n")
    )
    return "\n".join(line for group in lines for line in group).replace(_GLUED, " ")


def fitted(part: RenderableType, width: int) -> RenderableType:
    """Return a sentence wrapped for a terminal, its names harmless; other things as they are."""
    if isinstance(part, str | Text):
        text = _harmless(part)
        return Text(wrapped(text.plain, width), text.style)
    return part


def plain(*parts: RenderableType) -> str:
    """Return renderables as plain text, without colour."""
    console = Console(file=io.StringIO(), width=_PLAIN_WIDTH, force_terminal=False, highlight=False)
    for part in parts:
        console.print(fitted(part, _PLAIN_WIDTH), markup=False)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def _glued(text: str) -> str:
    return _GLUE.sub(_GLUED, text)


def _harmless(cell: str | Text) -> Text:
    if isinstance(cell, str):
        return Text(printable(cell))
    clean = printable(cell.plain)
    return cell if clean == cell.plain else Text(clean, cell.style)


#: A table: its title, those of the columns, its rows, and what is said below.
_HTML = Markup(
    '<div class="wide">\n<table>{}\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n'
    "</div>\n{}"
)


def _joined(form: str, contents: Iterable[str]) -> Markup:
    return Markup("").join(Markup(form).format(each) for each in contents)


def _name(cell: Text) -> Markup:
    """Return the name of a row; what is dim in it stands beside the name."""
    end = next((span.start for span in cell.spans if span.style == "dim"), len(cell.plain))
    beside = _joined('<span class="soft">{}</span>', filter(None, [cell.plain[end:]]))
    return Markup('<th scope="row">{}{}</th>').format(cell.plain[:end], beside)


def _cell(cell: Text) -> Markup:
    best = "bold" in str(cell.style)
    return Markup('<td class="best"><b>{}</b></td>' if best else "<td>{}</td>").format(cell.plain)


#: What a column shows of a record: the value of this key as its name tells, or what this returns.
Source = str | Callable[[Any], str | Text]
#: Columns by their titles, or beside them where two may have the same.
Columns = Mapping[str, Source]
Pairs = Sequence[tuple[str, Source]]
#: How the best is marked.
_BEST = "bold green"


class Table(Cells):
    """Records below the titles of their columns, of which the first names the rows.

    Terminals and pages have the columns, in words; CSV and Markdown the keys of the records, or
    `only` some, with all digits and their units. Without `columns` each key is one; a table of none
    at all is for other programs alone. Of more than `most` records the others are counted for
    readers, with what is said of them; those of which `best` is true are marked, and those that
    are not `told` left out. Keys with `units` of their own have one unit in all rows.
    """

    def __init__(
        self,
        records: Iterable[Any],
        columns: Columns | Pairs | None = None,
        *,
        title: str = "",
        caption: str = "",
        most: int | None = None,
        more: str = "",
        only: Iterable[str] = (),
        units: Mapping[str, str] | None = None,
        best: Callable[[Any], bool] = lambda _: False,
        told: Callable[[Any], bool] = lambda _: True,
    ) -> None:
        every = list(records)
        self.records = [each if isinstance(each, Mapping) else vars(each) for each in every]
        self.keys = [*only] or list(dict.fromkeys(key for record in self.records for key in record))
        self._units = units or {}
        pairs = list(columns.items() if isinstance(columns, Mapping) else columns or ())
        if columns is None:
            pairs = [(key, key) for key in self.keys]
        wanted = [record for record in every if told(record)]
        columns_of = (self._column(wanted, source) for _, source in pairs)
        rows = (
            [Text(str(cell), _BEST) for cell in row] if best(record) else row
            for record, row in zip(wanted, zip(*columns_of, strict=True), strict=False)
        )
        titles = [title for title, _ in pairs]
        super().__init__(titles, rows, title=title, caption=caption, most=most, more=more)

    def _column(self, records: Sequence[Any], source: Source) -> list[str | Text]:
        """Return a column's cells."""
        if callable(source):
            return [source(record) for record in records]
        values = [_value(record, source) for record in records]
        if (unit := self._units.get(source)) is None:
            return [shown(source, value) for value in values]
        in_one = figures(values, unit)
        return [shown(source, value) if value is None else in_one(value) for value in values]

    def header(self) -> list[str]:
        """Return the titles for other programs: key, and the unit of what is numbers."""
        named = ((key, self._unit(key)) for key in self.keys)
        return [f"{key} [{unit}]" if unit not in ("", "1") else key for key, unit in named]

    def _unit(self, key: str) -> str:
        """Return a key's unit; texts, as sizes where a key counts blocks, have their own."""
        if any(isinstance(record.get(key), str) for record in self.records):
            return ""
        return self._units.get(key, unit_of(key))

    def values(self) -> list[list[str]]:
        """Return the records as text that reads back as the same numbers."""
        return [[_exact(record.get(key)) for key in self.keys] for record in self.records]

    def csv(self) -> str:
        """Return the table as CSV (RFC 4180, lines end in a line feed)."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.header(), *self.values()])
        return text.getvalue()

    def markdown(self) -> str:
        """Return the table as Markdown."""
        lines = (self.header(), ["---"] * len(self.keys), *self.values())
        return "".join(f"| {' | '.join(map(_escaped, line))} |\n" for line in lines)


def _value(record: Any, key: str) -> Any:  # noqa: ANN401
    return record.get(key) if isinstance(record, Mapping) else getattr(record, key)


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _exact(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case list() | tuple():
            return " ".join(map(_exact, value))
    return str(value)
