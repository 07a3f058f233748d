"""Tables for other programs: full precision, units in the header, as CSV or Markdown."""

from __future__ import annotations

import csv as writer
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slcache import metrics
from slcache.documents import gains
from slcache.documents.normalise import Document
from slcache.metrics import GAIN_SHARE
from slcache.words.units import unit_of

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Sheet:
    """Rows by the names of their columns; a column that a row lacks is empty there."""

    records: Sequence[Record]
    #: Units of columns whose names do not say them.
    units: Mapping[str, str] = field(default_factory=dict)
    #: The columns that are there; where none is named, all that any row has, in their order.
    only: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self.only or dict.fromkeys(name for record in self.records for name in record))

    def header(self) -> list[str]:
        """Return the columns' titles: name, and the unit of what is numbers."""
        return [_titled(name, self._unit(name)) for name in self.columns]

    def _unit(self, name: str) -> str:
        """Return a column's unit; texts, as sizes where a key counts blocks, have their own."""
        if any(isinstance(record.get(name), str) for record in self.records):
            return ""
        return self.units.get(name, unit_of(name))

    def rows(self) -> list[list[str]]:
        """Return the values as text that reads back as the same number."""
        columns = self.columns
        return [[_text(record.get(name)) for name in columns] for record in self.records]


def of_runs(
    labels: Sequence[str], documents: Sequence[Document], reference: Document | None = None
) -> Sheet:
    """Return the figures that runs are judged by, a row for each, beside a reference if any."""
    told = metrics.of_runs(documents)
    records = [
        {"scheme": label}
        | {name: metric.value(document) for name, metric in told.items()}
        | {GAIN_SHARE: _share(document, reference)}
        for label, document in zip(labels, documents, strict=True)
    ]
    return Sheet(records, {name: metric.unit for name, metric in told.items()})


def _share(document: Document, reference: Document | None) -> float | None:
    if reference is None or reference is document:
        return None
    return gains.share(document, reference)


def csv(sheet: Sheet) -> str:
    """Return a table as CSV (RFC 4180, lines end in a line feed)."""
    text = io.StringIO()
    writer.writer(text, lineterminator="\n").writerows([sheet.header(), *sheet.rows()])
    return text.getvalue()


def markdown(sheets: Sequence[Sheet]) -> str:
    """Return tables as Markdown, an empty line between them."""
    return "\n".join(
        "".join(_line(row) for row in (sheet.header(), ["---"] * len(sheet.columns), *sheet.rows()))
        for sheet in sheets
    )


def _line(cells: Sequence[str]) -> str:
    plain = (cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(plain)} |\n"


def _titled(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit not in ("", "1") else name


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case list() | tuple():
            return " ".join(_text(item) for item in value)
    return str(value)
