"""The tables that compare schemes, drawn alike by the terminal and the report."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from slcache import metrics, units
from slcache.documents import Document, Runs, figures
from slcache.metrics import GAIN_SHARE, METRICS, Value
from slcache.names import printable
from slcache.tables.table import Cells, Table

#: Marks a percentile that few requests carry, and what is said of it below a table.
THIN = "*"
#: The title of what caches took.
CACHE = "SLC cache\nmost / mean"
THIN_NOTE = f"{THIN} fewer than {figures.FEW_BEYOND} requests lie beyond this percentile"

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
    def words(self) -> str:
        """Its title in a line."""
        return self.title.replace("\n", " ")

    @property
    def is_judged(self) -> bool:
        """Whether less or more of it is better."""
        return METRICS[self.metric].goal is not None


def named(label: str, mark: str = "") -> str | Text:
    """Return a scheme's name, with a mark beside it where it has one."""
    name = Text(printable(label))
    return name.append(f" ({mark})", "dim") if mark else name


COLUMNS = (
    Column("read\nmean", "read_mean_ns"),
    Column("read\np99", "read_p99_ns"),
    Column("write\nmean", "write_mean_ns"),
    Column("write\np99", "write_p99_ns"),
    Column("write\np99.9", "write_p99_9_ns"),
    Column("WAF", "waf", lambda value: f"{value:.2f}", units.significant),
    Column("erases", "erases", units.count, units.significant),
)

#: A table of their own: what a workload comes to, whatever its latencies.
PACE_COLUMNS = (
    Column("IOPS", "iops", units.significant),
    Column("MB/s", "bytes_per_s", lambda value: units.significant(value / 1e6)),
    Column("utilisation", "utilisation", units.percent),
    Column("run time", "duration_ns", lambda ns: units.span(ns / 1e3)),
)

#: Compared beside the others where the host flushes: what a write waits for that has to last.
FLUSH_COLUMNS = (Column("flush\nmean", "flush_mean_ns"), Column("flush\np99", "flush_p99_ns"))

#: Compared beside the others where a device has a disk.
DISK_COLUMNS = (
    Column("energy", "energy_j", units.energy),
    Column("miss\nrate", "miss_rate", units.percent),
)


def columns(documents: Iterable[Document]) -> tuple[Column, ...]:
    """Return the columns that these runs are compared by."""
    every = list(documents)
    of_flushes = FLUSH_COLUMNS if any(figures.has_flushes(each) for each in every) else ()
    of_disk = DISK_COLUMNS if any(each.get("disk") for each in every) else ()
    return COLUMNS + of_flushes + of_disk


def table(runs: Runs, to: str, mark: str = "=1") -> Cells:
    """Return the figures: the reference in units, every other scheme as a factor of it.

    What a scheme's cache took in SLC mode is no figure of merit, so nobody is best there.
    """
    caches = [Text(_cache(document)) for document in runs.values()]
    return _table(columns(runs.values()), runs, to, mark, {CACHE: caches})


def pace(runs: Runs, to: str, mark: str = "=1") -> Cells:
    """Return the figures of pace, in the same way."""
    return _table(PACE_COLUMNS, runs, to, mark, {})


def latencies(runs: Runs, keys: Sequence[str], *, title: str = "", caption: str = "") -> Cells:
    """Return the latencies of each side of runs, all in one unit; those of few requests marked."""
    sides = figures.kinds_of(runs.values())
    every = [(side, label, each) for side in sides for label, each in runs.items()]
    found = [[figures.latency(each, side, key) for key in keys] for side, _, each in every]
    show = units.in_one_unit(itertools.chain.from_iterable(found))

    def cell(side: str, document: Document, key: str, value: float | None) -> str:
        mark = THIN * figures.is_thin(document, f"{side}_{key}_ns")
        return "–" if value is None else show(value) + mark

    rows = [
        [
            side if len(runs) == 1 else f"{side}, {label}",
            units.count(each["host"][side]["requests"]),
            units.size(each["host"][side]["bytes"]) if side != figures.FLUSH else "–",
            *(cell(side, each, *pair) for pair in zip(keys, values, strict=True)),
        ]
        for (side, label, each), values in zip(every, found, strict=True)
    ]
    titles = ["", "requests", "data", *(key.replace("_", ".") for key in keys)]
    below = "\n".join(filter(None, [caption, note(rows)]))
    return Cells(titles, rows, title=title, caption=below)


def of_latencies(reference: Document) -> Show:
    """Return what prints times in µs in the unit that a table has of the reference's latencies."""
    every = ((column, column.value(reference)) for column in columns([reference]))
    return units.in_one_unit(
        ns / 1e3 for column, ns in every if column.show is latency and ns is not None
    )


def in_one_unit(columns: Sequence[Column], reference: Sequence[float | None]) -> list[Show]:
    """Return how figures of columns are printed: latencies in the unit of the reference's."""
    values = zip(columns, reference, strict=True)
    times = [ns / 1e3 for column, ns in values if column.show is latency and ns is not None]
    in_unit = units.in_one_unit(times)
    return [
        (lambda ns: in_unit(ns / 1e3)) if column.show is latency else column.show
        for column in columns
    ]


def _table(
    shown: Sequence[Column], runs: Runs, to: str, mark: str, beside: Mapping[str, Sequence[Text]]
) -> Cells:
    shows = in_one_unit(shown, [each.value(runs[to]) for each in shown])
    cells = [[*_cells(*each, runs, to)] for each in zip(shown, shows, strict=True)]
    names = [named(label, mark * (label == to)) for label in runs]
    titles = ["scheme", *(column.title for column in shown), *beside]
    return Cells(titles, zip(names, *cells, *beside.values(), strict=True), caption=note(cells))


def note(cells: Iterable[Iterable[object]]) -> str:
    """Return what is said below of marks, where a cell has one."""
    is_marked = (str(each).endswith(THIN) for group in cells for each in group)
    return THIN_NOTE if any(is_marked) else ""


def _cache(document: Document) -> str:
    """Return what the cache took at most and on average."""
    peak, mean = (document["figures"][f"cache_{key}_bytes"] for key in ("peak", "mean"))
    if peak is None or mean is None:
        return "–"
    factor, unit = units.scale(peak, units.SIZES)
    return f"{units.significant(peak / factor)} / {units.significant(mean / factor)} {unit}"


def _cells(column: Column, show: Show, runs: Runs, to: str) -> Iterator[Text]:
    """Yield figures as factors where there is a reference to divide by, else themselves."""
    values = {label: column.value(document) for label, document in runs.items()}
    goal = METRICS[column.metric].goal
    built = [value if n in figures.buildable(runs) else None for n, value in values.items()]
    best = figures.winners(built, most=goal == "max") if goal else set()
    thin = {label: figures.is_thin(document, column.metric) for label, document in runs.items()}
    for place, (label, value) in enumerate(values.items()):
        if value is None:
            yield Text("–")
            continue
        relative = None if label == to else figures.ratio(value, values[to])
        text = show(value) if relative is None else units.factor(relative)
        few = thin[label] or thin[to]
        yield Text(text + THIN * few, "bold green" if place in best else "")


def of_runs(
    labels: Sequence[str],
    documents: Sequence[Document],
    references: Sequence[Document] | None = None,
) -> Table:
    """Return the figures that runs are judged by, for other programs.

    `references` are what each is held against, if anything. Where a scheme has several runs they
    have their seeds, or the numbers of draws, of which the recording has none.
    """
    told = metrics.of_runs(documents)
    draws = [figures.draw(document) for document in documents]
    marks: list[dict[str, int | None]] = [{} for _ in documents]
    if len(set(labels)) < len(labels) and any(draws):
        marks = [{"draw": number} for number in draws]
    elif len(set(labels)) < len(labels):
        marks = [{"seed": document["provenance"]["seed"]} for document in documents]
    pairs = zip(documents, references or documents, strict=True)
    others = [None if other is document else other for document, other in pairs]
    records = [
        {"scheme": label, **mark}
        | {name: metric.value(document) for name, metric in told.items()}
        | {GAIN_SHARE: figures.gain_share(document, other) if other else None}
        for label, mark, document, other in zip(labels, marks, documents, others, strict=True)
    ]
    return Table(records, {}, units={name: metric.unit for name, metric in told.items()})
