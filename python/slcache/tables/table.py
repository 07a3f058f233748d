"""Tables: records, and the columns that show them, in every form that is asked for."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.text import Text

from slcache.tables.tabular import Cells
from slcache.units import figures, shown, unit_of

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
