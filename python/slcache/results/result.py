"""One run: its document, figures, tables and pictures."""

from __future__ import annotations

import copy
import importlib
import pathlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from rich.text import Text

from slcache import frame, metrics, units
from slcache.documents import Document, JsonDocument, Runs, saved
from slcache.documents.figures import power_states
from slcache.errors import ResultError, UsageError, about
from slcache.files import Path, Transaction
from slcache.names import printable
from slcache.options import checked, refuse
from slcache.sentences import endurance, notes
from slcache.tables import grid
from slcache.tables.table import Cells, plain

if TYPE_CHECKING:
    import polars as pl
    from altair import ConcatChart as Chart

#: What a result is written as; where there is a disk, its tables come too.
FILES = ("result.json", "series.parquet", "latency.parquet", "ops.parquet", "report.html")


class Frames(JsonDocument):
    """The tables, figures and files that one run and a comparison have in common."""

    #: Written a day where years are told, 10^9 bytes; None: as the trace does in its own times.
    gb_per_day: float | None = None

    def told_at(self, gb_per_day: float | None) -> Self:
        """Return this result, its years told for so much a day."""
        self.gb_per_day = gb_per_day
        return self

    @property
    @abstractmethod
    def _runs(self) -> list[Result]: ...

    @property
    def _every_run(self) -> list[Result]:
        return self._runs

    @property
    def labels(self) -> list[str]:
        """The schemes' names, in order; of a run, one."""
        return [run.label for run in self._runs]

    @property
    def documents(self) -> list[Mapping[str, Any]]:
        """The schemes' result documents, in order; of a run, one."""
        return [run._document for run in self._runs]

    @property
    def inputs(self) -> Sequence[Path]:
        """The files of traces and devices, which saving does not replace."""
        return [path for run in self._every_run for path in run._inputs]

    @property
    def labelled(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The documents with their schemes' names, of all seeds where there are several."""
        return [(run.label, run._document) for run in self._every_run]

    def plot_latency(self) -> Chart:
        """Draw the latency distributions: cumulative, and the tail on a log axis."""
        return self._drawn("performance", "latency")

    def plot_writes(self) -> Chart:
        """Draw what was programmed, in bytes by cause and cell mode."""
        return self._drawn("device", "writes")

    def plot_series(self) -> Chart:
        """Draw throughput, latency and cache occupancy over time."""
        return self._drawn("performance", "series")

    def plot_windows(self) -> Chart:
        """Draw what schemes report over their windows: sizes, thresholds, learning curves."""
        return self._drawn("scheme", "windows")

    @checked
    def plot_histogram(self, name: str) -> Chart:
        """Draw what schemes counted by bins, such as `actions` or `states`."""
        return self._named("histogram", name)

    @checked
    def plot_curve(self, name: str) -> Chart:
        """Draw what schemes' models predict beside what was measured, such as `cost`."""
        return self._named("curve", name)

    def plot_wear(self) -> Chart:
        """Draw how block erases are distributed, per pool and cell mode."""
        return self._drawn("device", "wear")

    def plot_power(self) -> Chart:
        """Draw the power states that disks were in over time."""
        return self._drawn("device", "power")

    def plot_energy(self) -> Chart:
        """Draw the energy that disks took, by power state."""
        return self._drawn("device", "energy")

    def plot_disk(self) -> Chart:
        """Draw the time that disks worked, by cause and kind of operation."""
        return self._drawn("device", "work")

    def plot_attribution(self) -> Chart:
        """Draw the mean latency by component: service and what requests waited for."""
        return self._drawn("performance", "attribution")

    def _named(self, kind: str, name: str) -> Chart:
        from slcache.charts import scheme

        known = scheme.names(self.documents, f"{kind}s")
        if name not in known:
            refuse(
                "name", name, f"no {kind} of these runs; there are: {', '.join(known) or 'none'}"
            )
        return self._drawn("scheme", kind, name)

    def _drawn(self, room: str, name: str, *given: object) -> Chart:
        """Draw what a room of `charts` does, with a note where the trace is no recording."""
        from slcache.charts import layout, pictures

        # Each is loaded by whoever draws it.
        draw = getattr(importlib.import_module(f"slcache.charts.{room}"), name)
        picture = draw(runs_of(self), *given)
        return pictures.notebook(layout.noted(picture, self.documents[0]["trace"]["label"]))

    @property
    def figures(self) -> pl.DataFrame:
        """Every metric and part of the mean latencies: one row per scheme and seed."""
        return frame.figures(self.labelled)

    @property
    def series(self) -> pl.DataFrame:
        """The time series: one row per scheme and window."""
        return self._table("series")

    @property
    def ops(self) -> pl.DataFrame:
        """The flash operations: one row per scheme, pool, kind, mode and cause."""
        return self._table("ops")

    @property
    def disk(self) -> pl.DataFrame:
        """The disk's operations: one row per scheme, kind and cause; none without a disk."""
        return self._table("disk")

    @property
    def power(self) -> pl.DataFrame:
        """The disk's power states over time: one row per scheme, window and state."""
        return self._table("power")

    @property
    def latency(self) -> pl.DataFrame:
        """The latency distributions: one row per scheme, side and point."""
        return self._table("latency")

    @checked
    def to_polars(self, table: str = "figures") -> pl.DataFrame:
        """Return `figures`, or the table of this name, such as `series`."""
        known = ("figures", *frame.TABLES)
        if table not in known:
            refuse("table", table, f"must be one of {', '.join(known)}")
        return self.figures if table == "figures" else self._table(table)

    def _table(self, name: str) -> pl.DataFrame:
        return frame.table(name, list(runs_of(self).items()))

    @abstractmethod
    def _told(self) -> tuple[Cells, list[str]]:
        """Return the table that says most, and the sentences on it."""

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from markupsafe import Markup

        table, lines = self._told()
        above = [line.plain for line in heading(runs_of(self))]
        told = Markup("").join(Markup("<p>{}</p>").format(line) for line in (*above, *lines))
        return str(Markup("{}{}").format(table, told))

    @checked
    def save(self, path: Path) -> None:
        """Write result.json, the tables as Parquet and report.html: all of them or none.

        `path` is a folder; a path that ends in `.json` gets the document alone. `load` takes either
        back.
        """
        alone = pathlib.Path(path)
        if alone.suffix == ".json" and not alone.is_dir():
            with Transaction(alone.parent, [alone.name], self.inputs) as files:
                files.write(alone.name, self._stored())
            return
        with Transaction(path, FILES, self.inputs) as files:
            self.stage(files)

    def stage(self, files: Transaction) -> None:
        """Add this result's files to a transaction."""
        files.write(saved.NAME, self._stored())
        with_disk = any(document.get("disk") for document in self.documents)
        for name in frame.TABLES:
            if with_disk or name not in frame.OF_DISK:
                files.write(f"{name}.parquet", frame.parquet(self._table(name)))
        files.write("report.html", self.report().encode())

    def _stored(self) -> bytes:
        return (self.to_json() + "\n").encode()

    @abstractmethod
    def report(self) -> str:
        """Return the report as one self-contained HTML page."""


def runs_of(result: Frames) -> dict[str, Document]:
    """Return the result documents by their schemes' names."""
    return dict(zip(result.labels, result.documents, strict=True))


class Result(Frames):
    """One scheme's run over one trace."""

    @checked
    def __init__(
        self,
        document: object,
        label: str | None = None,
        inputs: Sequence[Path] = (),
    ) -> None:
        """Take a document, such as one from result.json; raises ResultError for a broken one."""
        self._take(saved.current(document), label, inputs)

    @classmethod
    def made(
        cls,
        document: Mapping[str, Any],
        label: str | None,
        inputs: Sequence[Path],
    ) -> Self:
        """Return what the engine has just made, which needs no check."""
        self = cls.__new__(cls)
        self._take(document, label, inputs)
        return self

    @classmethod
    @checked
    def load(cls, path: Path) -> Self:
        """Return a run that was saved: a `.json` file, or a folder with `result.json`.

        Raises ResultError, which names file and key, for what is no whole result document.
        """
        return cls.of(saved.read(path), path)

    @classmethod
    def of(cls, document: Mapping[str, Any], path: Path) -> Self:
        """Return the run of a checked document; ResultError names the file if it is none."""
        if saved.is_comparison(document):
            names = ", ".join(saved.named(document))
            raise ResultError(
                f"{saved.file_of(path)}: a comparison of {names}; Comparison.load reads it"
            )
        return cls.made(document, None, ())

    def _take(self, document: Mapping[str, Any], label: str | None, inputs: Sequence[Path]) -> None:
        self._document = document
        self._inputs = tuple(inputs)
        self.label = label or str(document["scheme"]["name"])

    @property
    def _runs(self) -> list[Result]:
        return [self]

    def __getitem__(self, metric: str) -> metrics.Value:
        """Return a metric by its name, with its unit or without; None where the run has none."""
        try:
            return metrics.metric_of(metric).value(self._document)
        except ValueError as error:
            raise about(UsageError(str(error)), "metric") from None

    def __getattr__(self, name: str) -> metrics.Value:
        """Return a metric as an attribute: `result.waf`."""
        try:
            if name.startswith("_"):
                raise ValueError(f"{type(self).__name__!r} has no attribute {name!r}")
            return metrics.metric_of(name).value(self._document)
        except ValueError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> Sequence[str]:
        """Return the metrics beside all else, for completion."""
        return [*super().__dir__(), *metrics.METRICS]

    def to_dict(self) -> dict[str, Any]:
        """Return the result document as a dictionary of its own."""
        return copy.deepcopy(dict(self._document))

    def summary(self) -> str:
        """Return the figures that matter as a few lines of text."""
        return plain(*heading(runs_of(self)), *self.shown())

    def __str__(self) -> str:
        return self.summary()

    def notes(self) -> list[str]:
        """Return what to keep in mind while reading the figures, in sentences."""
        runs = runs_of(self)
        lives = endurance.life_notes(endurance.once(runs), self.gb_per_day)
        return [*notes.buffered(self.labelled), *notes.of_runs(runs), *lives]

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        from slcache.results import report

        return report.render(runs_of(self), None, gb_per_day=self.gb_per_day)

    def shown(self, *, explain: bool = False) -> list[Cells | Text | str]:
        """Return what is shown: all that is known, whether to `explain` it or not."""
        table, lines = self._told()
        return [table, *(Text(line, "yellow") for line in lines)]

    def _told(self) -> tuple[Cells, list[str]]:
        return run_table(self.label, self._document, self.gb_per_day), self.notes()

    def __repr__(self) -> str:
        return f"<slcache.Result {self.label}: {self._document['host']['requests']} requests>"


#: A device that ends later than this, and than this share of the time, after the last request.
_LAG_NS = 1e9
_LAG_SHARE = 0.01
_LATENCIES = ("mean", "p50", "p99", "p99_9", "max")


def heading(runs: Runs) -> list[Text]:
    """Return the lines above all else: the state, what the workload is, and who fell behind."""
    told, label = notes.state_line(runs.values()), next(iter(runs.values()))["trace"]["label"]
    first = [Text(told)] if told else []
    first += [] if label is None else [Text(f"workload: {label}", "bold")]
    told = behind(runs)
    return first + ([Text(told, "yellow")] if told else [])


#: What is the matter where a device falls behind.
_BACKLOG = "latencies are mostly this backlog (closed replay keeps a fixed number outstanding)"


def behind(runs: Runs) -> str:
    """Return a sentence on those who fell behind in open replay; empty if nobody did."""
    late = {label: document for label, document in runs.items() if _is_late(document)}
    if len(late) < 2:
        return "".join(overload(*each) for each in runs.items())
    known = {label: document["host"]["iops"] for label, document in late.items()}
    least, most = (
        f"{known[name]:,.0f} ({printable(name)})"
        for name in (choose(known, key=lambda each: known[each]) for choose in (min, max))
    )
    offered = next(iter(late.values()))["trace"].get("offered_iops")
    load = f"offered {offered:,.0f} requests/s, " if offered else ""
    return (
        f"{len(late)} of {len(runs)} schemes do not keep up with the trace: {load}served {least} "
        f"to {most} requests/s; {_BACKLOG}"
    )


def _is_late(document: Document) -> bool:
    host = document["host"]
    backlog = host.get("backlog")
    return bool(backlog) and backlog["lag_ns"] > max(_LAG_NS, host["duration_ns"] * _LAG_SHARE)


def overload(label: str, document: Document) -> str:
    """Return how far a run's device fell behind, if it did in open replay."""
    if not _is_late(document):
        return ""
    host, backlog = document["host"], document["host"]["backlog"]
    offered, served, load = document["trace"].get("offered_iops"), host["iops"], ""
    if offered and served:
        times = offered / served
        load = f" (offered {offered:,.0f} requests/s, served {served:,.0f}: {times:.2f} times)"
    return (
        f"{printable(label)}: the device does not keep up with the trace: up to "
        f"{backlog['requests_max']:,} requests waited, and it finished "
        f"{units.span(backlog['lag_ns'] / 1e3)} after the last arrival{load}; {_BACKLOG}"
    )


def run_table(label: str, document: Document, gb_per_day: float | None = None) -> Cells:
    """Return one run's latencies by side, then its flash's and its disk's figures, as a table."""
    lines = (
        _flash_line(document),
        _disk_line(document),
        _pace_line(document),
        endurance.life_line(document, gb_per_day),
        endurance.gain_line(document),
    )
    below = "\n".join(filter(None, lines))
    return grid.latencies({label: document}, _LATENCIES, title=label, caption=below)


def _pace_line(document: Document) -> str | None:
    """Return a run's pace, or None where no time passed."""
    values = [column.value(document) for column in grid.PACE_COLUMNS]
    iops, rate, used, _ = (
        "–" if value is None else column.show(value)
        for column, value in zip(grid.PACE_COLUMNS, values, strict=True)
    )
    return None if values[0] is None else f"{iops} IOPS, {rate} MB/s; flash {used} of the time busy"


def _flash_line(document: Document) -> str:
    amplification = document["figures"]["waf"]
    causes = ", ".join(
        f"{name} {value:.2f}" for name, value in document["waf"]["by_cause"].items() if value
    )
    of = f" ({causes})" if causes else ""
    waf = "no host writes" if amplification is None else f"WAF {amplification:.2f}{of}"
    simulated = units.duration(document["host"]["duration_ns"] / 1e3)
    return f"{waf}; {units.count(document['figures']['erases'])} erases; {simulated} simulated"


def _disk_line(document: Document) -> str | None:
    """Return one sentence of a run's disk, or None without one."""
    disk = document.get("disk")
    if disk is None:
        return None
    power, spins = units.significant(disk["mean_power_w"]), disk["spin_ups"]
    total = sum(state["time_s"] for state in disk["states"])
    states = power_states(disk) if total else []
    shares = (f"{each['state']} {units.percent(each['time_s'] / total)}" for each in states)
    parts = [
        f"{units.energy(disk['energy_j'])}, {power} W on average",
        ", ".join(shares) or "no time passed",
        f"{units.count(spins)} spin-up{'' if spins == 1 else 's'}",
    ]
    for kind in ("read", "write"):
        ops = [op for op in disk["ops"] if op["kind"] == kind]
        count, size = (sum(op[key] for op in ops) for key in ("count", "bytes"))
        parts.append(f"{units.count(count)} {kind}s ({units.size(size)})")
    miss = document["figures"]["miss_rate"]
    parts += [] if miss is None else [f"miss rate {units.percent(miss)}"]
    return "disk: " + "; ".join(parts)
