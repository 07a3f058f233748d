"""What a simulation returned: one run, or several schemes side by side."""

from __future__ import annotations

import copy
import json
import pathlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from slcache.documents import contract, normalise, saved, timeline
from slcache.documents import gains as figures
from slcache.documents.timeline import Timeline
from slcache.errors import ResultError, UsageError, about
from slcache.files import Path, Transaction
from slcache.results import spare
from slcache.sentences import gains, notes, verdict
from slcache.tables import grid
from slcache.words import labels
from slcache.words.few import few

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure


#: What a result is written as; where there is a disk, its tables come too.
FILES = ("result.json", "series.parquet", "latency.parquet", "ops.parquet", "report.html")
_DISK_TABLES = ("disk", "power")
_TABLES = ("series", "latency", "ops", *_DISK_TABLES)


class _Frames(ABC):
    """The tables, figures and files that one run and a comparison have in common."""

    @property
    @abstractmethod
    def inputs(self) -> Sequence[Path]:
        """The files that were read, which saving does not replace."""

    @property
    @abstractmethod
    def labels(self) -> list[str]:
        """The schemes' names, in order."""

    @property
    @abstractmethod
    def documents(self) -> list[Mapping[str, Any]]:
        """The schemes' result documents, in order."""

    @property
    @abstractmethod
    def timelines(self) -> Sequence[Timeline | None]:
        """The tables of operations of the runs' timelines, in order; None where there is none."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document as a dictionary of its own."""

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @property
    def series(self) -> pa.Table:
        """The time series: one row per scheme and window."""
        return self._stacked("series")

    @property
    def ops(self) -> pa.Table:
        """The flash operations: one row per scheme, pool, kind, mode and cause."""
        return self._stacked("ops")

    @property
    def disk(self) -> pa.Table:
        """The disk's operations: one row per scheme, kind and cause; none without a disk."""
        return self._stacked("disk")

    @property
    def power(self) -> pa.Table:
        """The disk's power states over time: one row per scheme, window and state."""
        return self._stacked("power")

    @property
    def latency(self) -> pa.Table:
        """The latency distributions: one row per scheme, side and point."""
        return self._stacked("latency")

    def to_polars(self, table: str = "series") -> pl.DataFrame:
        """Return one of the tables as a Polars frame (needs `slcache[polars]`)."""
        from slcache.tables import arrow

        return arrow.to_polars(self._table(table))

    def to_pandas(self, table: str = "series") -> pd.DataFrame:
        """Return one of the tables as a pandas frame (needs `slcache[pandas]`)."""
        from slcache.tables import arrow

        return arrow.to_pandas(self._table(table))

    def _stacked(self, name: str) -> pa.Table:
        from slcache.tables import arrow

        of_one = getattr(arrow, name)
        return arrow.stack([of_one(d, n) for n, d in self._named()])

    def _table(self, name: str) -> pa.Table:
        if name not in _TABLES:
            told = f"no table {name!r}: one of {', '.join(_TABLES)}"
            raise about(UsageError(told), "table")
        return getattr(self, name)

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return what a notebook shows."""

    def plot_latency(self) -> Figure:
        """Draw the latency distributions: cumulative, and the tail on a log axis."""
        from slcache.plots import latency

        return self._labelled(latency.draw(self.labels, self.documents))

    def plot_writes(self) -> Figure:
        """Draw what was programmed, in bytes by cause and cell mode."""
        from slcache.plots import writes

        return self._labelled(writes.draw(self.labels, self.documents))

    def plot_series(self) -> Figure:
        """Draw throughput, latency and cache occupancy over time."""
        from slcache.plots import series

        return self._labelled(series.draw(self.labels, self.documents))

    def plot_windows(self) -> Figure:
        """Draw what schemes report over their windows: sizes, thresholds, learning curves."""
        from slcache.plots import windows

        return self._labelled(windows.draw(self.labels, self.documents))

    def plot_histogram(self, name: str) -> Figure:
        """Draw what schemes counted by bins, such as `actions` or `states`."""
        from slcache.plots import histograms

        return self._labelled(histograms.draw(self.labels, self.documents, name))

    def plot_curve(self, name: str) -> Figure:
        """Draw what schemes' models predict beside what was measured, such as `cost`."""
        from slcache.plots import curves

        return self._labelled(curves.draw(self.labels, self.documents, name))

    def plot_wear(self) -> Figure:
        """Draw how block erases are distributed, per pool and cell mode."""
        from slcache.plots import wear

        return self._labelled(wear.draw(self.labels, self.documents))

    def plot_power(self) -> Figure:
        """Draw the power states that disks were in over time."""
        from slcache.plots import power

        return self._labelled(power.draw(self.labels, self.documents))

    def plot_energy(self) -> Figure:
        """Draw the energy that disks took, by power state."""
        from slcache.plots import power

        return self._labelled(power.energy(self.labels, self.documents))

    def plot_disk(self) -> Figure:
        """Draw the time that disks worked, by cause and kind of operation."""
        from slcache.plots import power

        return self._labelled(power.work(self.labels, self.documents))

    def plot_attribution(self) -> Figure:
        """Draw the mean latency by component: service and what requests waited for."""
        from slcache.plots import attribution

        return self._labelled(attribution.draw(self.labels, self.documents))

    def save(self, path: Path) -> None:
        """Write result.json, the tables as Parquet and report.html: all of them or none.

        Runs with a timeline have the table of its operations beside these. `path` is a folder; a
        path that ends in `.json` gets the document alone. `load` takes either back.
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
        from slcache.tables import arrow

        files.write(saved.NAME, self._stored())
        with_disk = any(document.get("disk") for document in self.documents)
        for name in _TABLES if with_disk else _TABLES[: -len(_DISK_TABLES)]:
            files.write(f"{name}.parquet", arrow.parquet(getattr(self, name)))
        for name, drawn in zip(timeline.names(self.labels), self.timelines, strict=True):
            if drawn is not None:
                files.write(name, drawn.whole())
        files.write("report.html", self.report().encode())

    def _stored(self) -> bytes:
        return (self.to_json() + "\n").encode()

    @abstractmethod
    def report(self) -> str:
        """Return the report as one self-contained HTML page."""

    def _labelled(self, figure: Figure) -> Figure:
        """Return the figure with a note where the trace is no recording."""
        from slcache.plots import style

        return style.noted(figure, labels.of_runs(self.documents))

    def _named(self) -> list[tuple[str, Mapping[str, Any]]]:
        return list(zip(self.labels, self.documents, strict=True))


class Result(_Frames):
    """One scheme's run over one trace."""

    def __init__(
        self,
        document: Mapping[str, Any],
        label: str | None = None,
        inputs: Sequence[Path] = (),
    ) -> None:
        """Take a document, such as one from result.json; raises ResultError for a broken one."""
        self._take(contract.current(document), label, inputs)

    @classmethod
    def made(
        cls,
        document: Mapping[str, Any],
        label: str | None,
        inputs: Sequence[Path],
        drawn: Timeline | None = None,
    ) -> Self:
        """Return what the engine has just made, which needs no check."""
        self = cls.__new__(cls)
        self._take(document, label, inputs)
        self._timeline = drawn
        return self

    @classmethod
    def with_timeline(cls, run: Result, drawn: Timeline) -> Self:
        """Return a run that has just been made with the operations of its timeline."""
        document = run.documents[0]
        document["provenance"]["timeline"] = drawn.told()
        return cls.made(document, run.label, run.inputs, drawn)

    @classmethod
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
        self = cls.made(document, None, ())
        (self._timeline,) = timeline.beside(saved.file_of(path), self.labels, self.documents)
        return self

    def _take(self, document: Mapping[str, Any], label: str | None, inputs: Sequence[Path]) -> None:
        self._document = document
        self._inputs = tuple(inputs)
        self._timeline: Timeline | None = None
        self.label = label or str(document["scheme"]["name"])

    @property
    def inputs(self) -> Sequence[Path]:
        """The files of the trace and the device."""
        return self._inputs

    @property
    def labels(self) -> list[str]:
        """The scheme's name, as the only one."""
        return [self.label]

    @property
    def timelines(self) -> Sequence[Timeline | None]:
        """The table of the timeline's operations, as the only one."""
        return [self._timeline]

    @property
    def documents(self) -> list[Mapping[str, Any]]:
        """The result document, as the only one."""
        return [self._document]

    def to_dict(self) -> dict[str, Any]:
        """Return the result document as a dictionary of its own."""
        return copy.deepcopy(dict(self._document))

    def summary(self) -> str:
        """Return the figures that matter as a few lines of text."""
        from slcache.report import terminal

        table = terminal.run_table(self.label, self._document)
        return terminal.text(*terminal.label_line(self.documents), table, *self.notes())

    def notes(self) -> list[str]:
        """Return what to keep in mind while reading the figures, in sentences."""
        return notes.of_runs(self.documents)

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        from slcache.report import html

        return html.render(self.labels, self.documents, None, timelines=self.timelines)

    def _repr_html_(self) -> str:
        from slcache.report import terminal
        from slcache.tables import notebook

        above = (line.plain for line in terminal.label_line(self.documents))
        table = terminal.run_table(self.label, self._document)
        return notebook.html(table, [*above, *self.notes()])

    def __repr__(self) -> str:
        return f"<slcache.Result {self.label}: {self._document['host']['requests']} requests>"


class Comparison(_Frames):
    """Several schemes' runs over the same trace, which is checked, and on the same device.

    Where runs differ in the device or another setting, the verdict begins with saying so.
    """

    def __init__(
        self,
        runs: Sequence[Result],
        normalise_to: str | None = None,
        bounds: Mapping[str, Any] | None = None,
    ) -> None:
        labels = [run.label for run in runs]
        to = normalise_to if normalise_to is not None else (labels[0] if labels else "")
        if to not in labels:
            told = f"cannot normalise to {to!r}: the runs are {few(labels)}"
            raise about(UsageError(told), "normalise_to")
        if len(set(labels)) != len(labels):
            raise about(UsageError(f"schemes named twice: {few(labels)}"), "runs")
        self.runs = list(runs)
        self.reference = to
        #: The least dense programs of the trace for caches of several sizes, where it was counted.
        self.bounds = bounds
        contract.check_comparable(labels, self.documents)

    @classmethod
    def load(cls, path: Path) -> Comparison:
        """Return a comparison that was saved: a `.json` file, or a folder with `result.json`.

        Raises ResultError, which names file and key, for what is no whole document of one.
        """
        return cls.of(saved.read(path), path)

    @classmethod
    def of(cls, document: Mapping[str, Any], path: Path) -> Comparison:
        """Return the comparison of a checked document; ResultError names the file if it is none."""
        file = saved.file_of(path)
        if not saved.is_comparison(document):
            raise ResultError(f"{file}: a single run; Result.load reads it")
        if "seeds" in document:
            raise ResultError(f"{file}: several seeds; slcache.load reads it")
        try:
            return cls.made(document, file)
        except (ResultError, ValueError) as error:
            raise ResultError(f"{file}: {error}") from None

    @staticmethod
    def made(document: Mapping[str, Any], file: pathlib.Path | None = None) -> Comparison:
        """Return the comparison of a checked document; of several seeds, that of the first.

        Beside `file`, which it was read from, are the tables of timelines.
        """
        named = saved.named(document)
        drawn: Sequence[Timeline | None] = [None] * len(named)
        if file is not None:
            drawn = timeline.beside(file, list(named), list(named.values()))
        runs = [
            Result.made(run, name, (), own)
            for (name, run), own in zip(named.items(), drawn, strict=True)
        ]
        return Comparison(runs, document["normalised"]["to"], document.get("bounds"))

    @property
    def inputs(self) -> Sequence[Path]:
        """The files of the trace and the device."""
        return [path for run in self.runs for path in run.inputs]

    @property
    def labels(self) -> list[str]:
        """The schemes' names, in the order compared."""
        return [run.label for run in self.runs]

    @property
    def timelines(self) -> Sequence[Timeline | None]:
        """The tables of operations of the runs' timelines, in order; None where there is none."""
        return [drawn for run in self.runs for drawn in run.timelines]

    @property
    def documents(self) -> list[Mapping[str, Any]]:
        """The schemes' result documents, in the order compared."""
        return [run.documents[0] for run in self.runs]

    @property
    def every_run(self) -> list[Result]:
        """The runs, of all seeds where there are several."""
        return self.runs

    @property
    def normalised(self) -> dict[str, Any]:
        """Every scheme's figures divided by the reference's."""
        return normalise.normalised(self.labels, self.documents, self.reference)

    def to_dict(self) -> dict[str, Any]:
        """Return `{"runs": [...], "normalised": {...}}`, and what is known of the bounds."""
        document = {"runs": [run.to_dict() for run in self.runs], "normalised": self.normalised}
        if self.gain_rows():
            document["gains"] = figures.told(self.labels, self.documents, self.reference)
        if self.bounds is not None:
            document["bounds"] = copy.deepcopy(dict(self.bounds))
        return document

    def verdict(self) -> list[str]:
        """Return who wins, by how much and why, in sentences."""
        return verdict.verdict(self.labels, self.documents, self.reference)

    def notes(self) -> list[str]:
        """Return what to keep in mind while reading the table, in sentences."""
        unequal = (
            grid.unequal_caches(self.labels, self.documents),
            spare.unequal(self.labels, self.documents),
        )
        return [*filter(None, unequal), *notes.of_runs(self.documents)]

    def rows(self) -> list[grid.Row]:
        """Return the comparison table's rows as text."""
        return grid.rows(self.labels, self.documents, self.reference)

    def pace_rows(self) -> list[grid.Row]:
        """Return the rows of the table of IOPS, MB/s, utilisation and run time as text."""
        return grid.pace_rows(self.labels, self.documents, self.reference)

    def gain_rows(self) -> list[gains.Row]:
        """Return the rows of the table of dense programs beside the least; empty if not counted."""
        return gains.rows(self.labels, self.documents, self.reference)

    def gain_lines(self) -> list[str]:
        """Return the sentences on that table."""
        return gains.lines(self.labels, self.documents, self.reference)

    def summary(self) -> str:
        """Return the comparison tables and their verdict as text."""
        from slcache.report import terminal

        label = terminal.label_line(self.documents)
        tables = terminal.comparison_table(self.rows()), terminal.pace_table(self.pace_rows())
        beside = terminal.gain_tables(self.gain_rows(), self.gain_lines(), self.documents)
        return terminal.text(*label, *tables, *self.notes(), *self.verdict(), *beside)

    def plot_bars(self) -> Figure:
        """Draw mean and tail latency relative to the reference, reads and writes apart."""
        from slcache.plots import bars

        return self._labelled(bars.draw(self.labels, self.documents, self.reference))

    def report(self) -> str:
        """Return the report as one self-contained HTML page."""
        from slcache.report import html

        return html.render(
            self.labels,
            self.documents,
            self.reference,
            bounds=self.bounds,
            timelines=self.timelines,
        )

    def _repr_html_(self) -> str:
        from slcache.report import terminal
        from slcache.tables import notebook

        above = (line.plain for line in terminal.label_line(self.documents))
        table = terminal.comparison_table(self.rows())
        return notebook.html(table, [*above, *self.notes(), *self.verdict()])

    def __repr__(self) -> str:
        return f"<slcache.Comparison of {', '.join(self.labels)}>"
