"""The comparison table as plain cells, drawn alike by the terminal and the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from slcache import normalise, units
from slcache.normalise import Document

#: SLC caches that differ by more than this share are told of.
MUCH = 0.1


@dataclass(frozen=True)
class Column:
    """One compared figure: its title, how to read it from a document, how to print it."""

    title: str
    value: Callable[[Document], float | None]
    show: Callable[[float], str]


@dataclass(frozen=True)
class Cell:
    """One printed figure, its column, and whether it is among the best there."""

    title: str
    text: str
    best: bool


@dataclass(frozen=True)
class Row:
    """One scheme's cells."""

    label: str
    reference: bool
    cells: list[Cell]
    #: What the scheme's cache takes in SLC mode: no figure of merit, so nobody is best there.
    cache: str


def _latency(title: str, side: str, key: str) -> Column:
    return Column(title, lambda d: normalise.latency(d, side, key), units.duration)


COLUMNS = (
    _latency("read mean", "read", "mean"),
    _latency("read p99", "read", "p99"),
    _latency("write mean", "write", "mean"),
    _latency("write p99", "write", "p99"),
    _latency("write p99.9", "write", "p99_9"),
    Column("WAF", normalise.waf, lambda value: f"{value:.2f}"),
    Column("erases", normalise.erases, units.count),
)

#: Compared beside the others where a device has a disk.
DISK_COLUMNS = (
    Column("energy", normalise.energy, units.energy),
    Column("miss rate", normalise.miss_rate, units.percent),
)


def columns(documents: Sequence[Document]) -> tuple[Column, ...]:
    """Return the columns that these runs are compared by."""
    with_disk = any(document.get("disk") for document in documents)
    return COLUMNS + DISK_COLUMNS if with_disk else COLUMNS


def rows(labels: Sequence[str], documents: Sequence[Document], to: str) -> list[Row]:
    """Return the table: the reference in units, every other scheme as a factor of it."""
    reference = list(labels).index(to)
    table = [_cells(column, documents, reference) for column in columns(documents)]
    return [
        Row(label, i == reference, [cells[i] for cells in table], _cache(documents[i]))
        for i, label in enumerate(labels)
    ]


def _cache(document: Document) -> str:
    size = normalise.cache_bytes(document)
    return "–" if not size else units.size(size)


def unequal_caches(labels: Sequence[str], documents: Sequence[Document]) -> str:
    """Return a sentence that names the smallest and the largest SLC cache where they differ."""
    known = zip(map(normalise.cache_bytes, documents), labels, strict=True)
    sizes = [(size, name) for size, name in known if size]
    if not sizes:
        return ""
    (least, small), (most, large) = (
        choose(sizes, key=lambda pair: pair[0]) for choose in (min, max)
    )
    if most <= (1 + MUCH) * least:
        return ""
    return (
        f"The SLC caches are not of one size: {small} has {units.size(least)}, "
        f"{large} {units.size(most)}. Part of what separates the schemes is that."
    )


def _cells(column: Column, documents: Sequence[Document], reference: int) -> list[Cell]:
    values = [column.value(document) for document in documents]
    best = normalise.winners(values)
    return [
        Cell(
            column.title,
            _text(column, value, None if i == reference else values[reference]),
            i in best,
        )
        for i, value in enumerate(values)
    ]


def _text(column: Column, value: float | None, reference: float | None) -> str:
    """Return a factor where there is a reference to divide by, else the figure itself."""
    if value is None:
        return "–"
    relative = normalise.ratio(value, reference)
    return column.show(value) if relative is None else units.factor(relative)
