"""The comparison table as plain cells, drawn alike by the terminal and the report."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from slcache import metrics
from slcache.documents import gains, normalise
from slcache.documents.normalise import Document
from slcache.metrics import GAIN_SHARE, METRICS, Value
from slcache.tables.table import Table
from slcache.words import units

#: Marks a percentile that few requests carry, and what is said of it below a table.
THIN = "*"
#: The title of what caches took.
CACHE = "SLC cache\nmost / mean"
THIN_NOTE = f"{THIN} fewer than {normalise.FEW_BEYOND} requests lie beyond this percentile"

#: SLC caches that differ by more than this share are told of.
MUCH = 0.1


#: How a figure is printed.
Show = Callable[[float], str]


def latency(ns: float) -> str:
    """Return a latency that stands alone; those of a table are in one unit."""
    return units.duration(ns / 1e3)


@dataclass(frozen=True)
class Column:
    """One compared figure: its title, which metric it is, how to print it."""

    title: str
    metric: str
    show: Show = latency
    #: How means of it are printed, where that is another way.
    mean: Show | None = None

    def value(self, document: Document) -> Value:
        """Return a run's figure."""
        return METRICS[self.metric].value(document)

    @property
    def of_means(self) -> Column:
        """The same for means."""
        return replace(self, show=self.mean or self.show)

    @property
    def is_judged(self) -> bool:
        """Whether less or more of it is better."""
        return METRICS[self.metric].goal is not None


@dataclass(frozen=True)
class Cell:
    """One printed figure, its column, and whether it is among the best there."""

    title: str
    text: str
    best: bool = False
    #: Too few requests carry it, or the figure that it is divided by.
    thin: bool = False

    @property
    def marked(self) -> str:
        """The text, with a mark where too few requests carry the figure."""
        return self.text + THIN if self.thin else self.text


@dataclass(frozen=True)
class Row:
    """One scheme's cells."""

    label: str
    cells: list[Cell]
    reference: bool = False


def cells(titles: Sequence[str], texts: Sequence[str]) -> list[Cell]:
    """Return figures of which none is the best, by the titles of their columns."""
    return [Cell(title, text) for title, text in zip(titles, texts, strict=True)]


COLUMNS = (
    Column("read mean", "read_mean_ns"),
    Column("read p99", "read_p99_ns"),
    Column("write mean", "write_mean_ns"),
    Column("write p99", "write_p99_ns"),
    Column("write p99.9", "write_p99_9_ns"),
    Column("WAF", "waf", lambda value: f"{value:.2f}", units.significant),
    Column("erases", "erases", units.count, units.significant),
)

#: A table of their own: what a workload comes to, whatever its latencies.
PACE_COLUMNS = (
    Column("IOPS", "iops", units.count, units.significant),
    Column("MB/s", "bytes_per_s", lambda value: units.significant(value / 1e6)),
    Column("utilisation", "utilisation", units.percent),
    Column("run time", "duration_ns", lambda ns: units.span(ns / 1e3)),
)

#: Compared beside the others where a device has a disk.
DISK_COLUMNS = (
    Column("energy", "energy_j", units.energy),
    Column("miss rate", "miss_rate", units.percent),
)


def columns(documents: Sequence[Document]) -> tuple[Column, ...]:
    """Return the columns that these runs are compared by."""
    with_disk = any(document.get("disk") for document in documents)
    return COLUMNS + DISK_COLUMNS if with_disk else COLUMNS


def rows(labels: Sequence[str], documents: Sequence[Document], to: str) -> list[Row]:
    """Return the rows of figures: the reference in units, every other scheme as a factor of it.

    What a scheme's cache took in SLC mode is no figure of merit, so nobody is best there.
    """
    found = _rows(columns(documents), labels, documents, to)
    caches = zip(found, map(_cache, documents), strict=True)
    return [replace(row, cells=[*row.cells, Cell(CACHE, took)]) for row, took in caches]


def pace_rows(labels: Sequence[str], documents: Sequence[Document], to: str) -> list[Row]:
    """Return the rows of pace, in the same way."""
    return _rows(PACE_COLUMNS, labels, documents, to)


def thin_note(documents: Sequence[Document], keys: Iterable[str]) -> str:
    """Return what is said below of marks; empty where none of these latencies has one."""
    names = (f"{side}_{key}_ns" for side in ("read", "write") for key in keys)
    sides = itertools.product(documents, names)
    return THIN_NOTE if any(itertools.starmap(normalise.is_thin, sides)) else ""


def in_one_unit(columns: Sequence[Column], reference: Sequence[float | None]) -> list[Show]:
    """Return how figures of columns are printed: latencies in the unit of the reference's."""
    values = zip(columns, reference, strict=True)
    times = [ns / 1e3 for column, ns in values if column.show is latency and ns is not None]
    in_unit = units.in_one_unit(times)
    return [
        (lambda ns: in_unit(ns / 1e3)) if column.show is latency else column.show
        for column in columns
    ]


def _rows(
    shown: Sequence[Column], labels: Sequence[str], documents: Sequence[Document], to: str
) -> list[Row]:
    reference = list(labels).index(to)
    shows = in_one_unit(shown, [each.value(documents[reference]) for each in shown])
    table = [
        _cells(column, show, documents, reference)
        for column, show in zip(shown, shows, strict=True)
    ]
    return [
        Row(label, [cells[i] for cells in table], i == reference) for i, label in enumerate(labels)
    ]


def _cache(document: Document) -> str:
    """Return what the cache took at most and on average."""
    peak, mean = (document["figures"][f"cache_{key}_bytes"] for key in ("peak", "mean"))
    if peak is None or mean is None:
        return "–"
    scale, unit = units.size_scale(peak)
    return f"{units.significant(peak / scale)} / {units.significant(mean / scale)} {unit}"


def unequal_caches(labels: Sequence[str], documents: Sequence[Document]) -> str:
    """Return a sentence that names the smallest and the largest SLC cache where they differ."""
    caches = [document["state"]["cache"] or {} for document in documents]
    known = zip(caches, labels, strict=True)
    sizes = [(cache["limit_bytes"], name) for cache, name in known if cache.get("limit_bytes")]
    if not sizes:
        return ""
    (least, small), (most, large) = (
        choose(sizes, key=lambda pair: pair[0]) for choose in (min, max)
    )
    if most <= (1 + MUCH) * least:
        return ""
    return (
        f"The SLC caches differ in size: {small} has {units.size(least)}, "
        f"{large} {units.size(most)}. This explains part of the difference between the schemes."
    )


def _cells(
    column: Column, show: Callable[[float], str], documents: Sequence[Document], reference: int
) -> list[Cell]:
    values = [column.value(document) for document in documents]
    goal = METRICS[column.metric].goal
    best = normalise.winners(values, most=goal == "max") if goal else set()
    thin = [normalise.is_thin(document, column.metric) for document in documents]
    return [
        Cell(
            column.title,
            _text(show, value, None if i == reference else values[reference]),
            i in best,
            value is not None and (thin[i] or thin[reference]),
        )
        for i, value in enumerate(values)
    ]


def _text(show: Callable[[float], str], value: float | None, reference: float | None) -> str:
    """Return a factor where there is a reference to divide by, else the figure itself."""
    if value is None:
        return "–"
    relative = normalise.ratio(value, reference)
    return show(value) if relative is None else units.factor(relative)


def of_runs(
    labels: Sequence[str], documents: Sequence[Document], reference: Document | None = None
) -> Table:
    """Return the figures that runs are judged by, for other programs; beside a reference if any."""
    told = metrics.of_runs(documents)
    records = [
        {"scheme": label}
        | {name: metric.value(document) for name, metric in told.items()}
        | {GAIN_SHARE: _share(document, reference)}
        for label, document in zip(labels, documents, strict=True)
    ]
    return Table(records, {}, units={name: metric.unit for name, metric in told.items()})


def _share(document: Document, reference: Document | None) -> float | None:
    if reference is None or reference is document:
        return None
    return gains.share(document, reference)
