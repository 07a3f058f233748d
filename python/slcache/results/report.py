"""The report: one self-contained HTML page about one run or a comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from slcache import units
from slcache.charts import device, layout, performance, pictures, scheme
from slcache.charts.spec import Spec
from slcache.documents import Document, Runs
from slcache.documents.figures import power_states
from slcache.names import leaves, shown
from slcache.sentences import endurance, notes, verdict
from slcache.tables import grid
from slcache.tables.table import Columns, Table

Rows = list[tuple[str, str]]

PERCENTILES = ("mean", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
_DEVICE = ("device", "flash")
_ASSUMED = ("trace", "precondition", "host", "buffer", "run")


def render(
    runs: Runs,
    to: str | None,
    seeds: Mapping[str, object] | None = None,
    bounds: Mapping[str, Any] | None = None,
    gb_per_day: float | None = None,
) -> str:
    """Return the page; `to` is the reference scheme of a comparison, None for a single run.

    With `seeds`, which are tables, notes on them and the name of the first, its head is of all
    seeds, and the rest of the first one. `bounds` is the least that is programmed dense, by the
    size of the cache. Years are told for what is written a day.
    """
    label, first = next(iter(runs.items()))
    once = endurance.once(runs)
    lives = endurance.lives(once, first, gb_per_day)
    untold = [] if lives else endurance.life_notes(once, gb_per_day)
    compared, reference = to is not None and len(runs) > 1, to or label
    mark = "=1" if compared else ""
    unequal = [notes.unpacked(runs, reference), notes.unequal_caches(runs)] if compared else []
    # What is compared has it in its verdict.
    buffered = [] if compared else notes.buffered([*runs.items()])
    return pictures.page(
        "report.html.j2",
        title=_title(list(runs), first) if compared else label,
        seeds=seeds,
        verdict=verdict.verdict(runs, reference) if compared else [],
        subtitle=_subtitle(first),
        state=notes.state_line(runs.values()),
        tables=[
            grid.table(runs, reference, mark),
            grid.pace(runs, reference, mark),
            *lives,
        ],
        compared=compared,
        unequal=[each for each in unequal if each],
        cautions=[] if seeds else [*buffered, *notes.of_runs(runs), *untold],
        gains=endurance.gains(runs, reference, "reference" if compared else ""),
        gain_lines=endurance.gain_lines(runs, reference),
        pictures=list(_pictures(runs, reference if compared else None, bounds)),
        labels=list(runs),
        latencies=grid.latencies(runs, PERCENTILES),
        schemes=[(name, _scheme(each, gb_per_day)) for name, each in runs.items()],
        disks=[(name, *_disk(disk)) for name, each in runs.items() if (disk := each.get("disk"))],
        device=_config(first, _DEVICE),
        assumed=_config(first, _ASSUMED),
        other=_config(first, set(first["config"]).difference(_DEVICE, _ASSUMED, ["scheme"])),
        trace=_rows({key: of for key, of in first["trace"].items() if key != "adjusted"}),
        adjusted=_rows(first["trace"]["adjusted"]),
        provenance=_rows({**first["provenance"], "sim": first["sim"]}),
        timelines=_timelines(runs),
        hashes=[(name, each["provenance"]["config_hash"]) for name, each in runs.items()],
    )


def _title(labels: Sequence[str], document: Document) -> str:
    """Return what is compared: the schemes by name, or how many where they are many."""
    if len(labels) <= verdict.FEW:
        return " against ".join(labels)
    return f"{len(labels)} schemes on {document['config']['device']['name']}"


def _subtitle(document: Document) -> str:
    trace = document["trace"]
    label, reading = trace["label"], document["provenance"].get("reading")
    begun = f"Reading {reading}. " if reading else ""
    return ("" if label is None else f"{label}. ") + (
        f"{begun}"
        f"{trace['path']}: {trace['reads']:,} reads ({units.size(trace['read_bytes'])}) and "
        f"{trace['writes']:,} writes ({units.size(trace['write_bytes'])})"
    )


def _scheme(document: Document, gb_per_day: float | None) -> Rows:
    """Return a scheme's settings, own figures, table sizes and life."""
    scheme = document["scheme"]
    tables = [
        (table["name"], f"{table['entries']:,} entries, {units.size(table['bytes'])}")
        for table in scheme["tables"]
    ]
    own = _rows(document["config"].get("scheme", {})) + _rows(scheme["figures"])
    return [*own, *tables, *endurance.life_rows(document, gb_per_day)]


def _config(document: Document, wanted: Collection[str]) -> Rows:
    """Return the settings of the wanted sections, as dotted names."""
    return _rows({name: value for name, value in document["config"].items() if name in wanted})


def _disk(disk: Document) -> tuple[Rows, list[Table]]:
    """Return what a result tells of its disk: alone, by power state and by operation."""
    alone = {key: value for key, value in disk.items() if not isinstance(value, Mapping | list)}
    return _rows(alone), [Table(power_states(disk), _STATE), Table(disk["ops"], _OPERATION)]


_STATE = {"state": "state", "time": "time_s", "energy": "energy_j"}
_OPERATION: Columns = {
    "operation": lambda op: f"{op['kind']}, {op['cause']}",
    "count": "count",
    "data": "bytes",
    "seeks": "seek_us",
    "rotation": "rotation_us",
    "transfer": "transfer_us",
}


def _timelines(runs: Runs) -> Rows:
    """Return the file of each run's timeline, and what opens it."""
    rows = []
    for label, document in runs.items():
        if drawn := document["provenance"].get("timeline"):
            is_table = Path(drawn["file"]).suffix in (".parquet", ".pq")
            opened = "a table of operations" if is_table else "open it on ui.perfetto.dev"
            rows.append((label, f"{drawn['file']}: {opened}"))
    return rows


def _rows(section: Any) -> Rows:  # noqa: ANN401
    return [(name, _with_unit(name, value)) for name, value in leaves(section)]


def _with_unit(name: str, value: object) -> str:
    """Return a value as it is, and large sizes or times in a readable unit beside it."""
    text, every = shown(value), value if isinstance(value, list) else [value]
    large = (isinstance(each, int | float) and each >= 1000 for each in every)
    if units.unit_of(name) in ("bytes", "bytes/day", "ns") and any(large):
        return f"{text} ({', '.join(units.shown(name, each) for each in every)})"
    return text


@dataclass(frozen=True)
class Picture:
    """A chart on the page, with the sentence that says how to read it."""

    title: str
    chart: Markup
    caption: str


def _pictures(runs: Runs, to: str | None, bounds: Mapping[str, Any] | None) -> Iterator[Picture]:
    """Draw every picture of the page."""
    documents = list(runs.values())
    note = documents[0]["trace"]["label"]

    def of(title: str, caption: str, draw: Callable[..., Spec], *given: object) -> Picture:
        return Picture(
            title, pictures.chart(layout.noted(draw(runs, *given), note), title), caption
        )

    if to is not None:
        told = (
            "Left of the dashed line a scheme is faster than the reference. At the end of a row "
            "stands the factor of the mean."
        )
        yield of("Latency relative to " + to, told, performance.relative, to)
        if device.has_bound(documents):
            told = device.bound_caption(documents)
            yield of("How large a cache is worth", told, device.bound, bounds)
    for title, drawing, caption in _PICTURES + _OF_DISK * device.has_disk(documents):
        yield of(title, caption if isinstance(caption, str) else caption(documents), drawing)
    if scheme.has_windows(documents):
        told = scheme.windows_caption(documents)
        yield of("What schemes changed", told, scheme.windows)
    for name in scheme.names(documents, "histograms"):
        told = scheme.histogram_caption(documents, name)
        yield of(f"How often: {name}", told, scheme.histogram, name)
    for name in scheme.names(documents, "curves"):
        told = scheme.curve_caption(documents, name)
        yield of(f"Computed and measured: {name}", told, scheme.curve, name)


_Draw = Callable[[Runs], Spec]
_Caption = str | Callable[[Sequence[Document]], str]
_PICTURES: tuple[tuple[str, _Draw, _Caption], ...] = (
    ("Where the mean latency comes from", performance.attribution, performance.attribution_caption),
    ("What was programmed", device.writes, device.writes_caption),
    (
        "Over time",
        performance.series,
        "Each point covers one or more whole windows; where a cache fills, latency jumps. "
        "Percentiles are of single windows, the highest of those that a point covers; a dot "
        "marks a window in which at least ten requests lie beyond the percentile. All panels are "
        "zoomed and moved together.",
    ),
    (
        "Latency distributions",
        performance.latency,
        "Above: share of requests at or below a latency. Below: share above it, the tail.",
    ),
    (
        "Wear",
        device.wear,
        "Blocks by how often they were erased during the run, on a log axis: a point for "
        "each scheme and range of counts that any block has.",
    ),
)
_OF_DISK: tuple[tuple[str, _Draw, _Caption], ...] = (
    ("The disk's power states", device.power, device.power_caption),
    ("The disk's energy", device.energy, device.energy_caption),
    ("What the disk did", device.work, device.work_caption),
)
