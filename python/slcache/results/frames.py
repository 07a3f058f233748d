"""The figures, tables and files of one run and of several schemes side by side."""

from __future__ import annotations

import importlib
import json
import pathlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from slcache import frame
from slcache.documents import saved
from slcache.files import Path, Transaction
from slcache.given.arguments import checked, refuse
from slcache.words import labels

if TYPE_CHECKING:
    import polars as pl
    from altair import ConcatChart as Chart

    from slcache.tables.tabular import Table

#: What a result is written as; where there is a disk, its tables come too.
FILES = ("result.json", "series.parquet", "latency.parquet", "ops.parquet", "report.html")


class Frames(ABC):
    """The tables, figures and files that one run and a comparison have in common."""

    #: Written a day where years are told, 10^9 bytes; None: as the trace does in its own times.
    gb_per_day: float | None = None

    def told_at(self, gb_per_day: float | None) -> Self:
        """Return this result, its years told for so much a day."""
        self.gb_per_day = gb_per_day
        return self

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
    def inputs(self) -> Sequence[Path]:
        """The files that were read, which saving does not replace."""

    @property
    @abstractmethod
    def labelled(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The documents with their schemes' names, of all seeds where there are several."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document as a dictionary of its own."""

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot_latency(self) -> Chart:
        """Draw the latency distributions: cumulative, and the tail on a log axis."""
        return self._drawn("run", "latency")

    def plot_writes(self) -> Chart:
        """Draw what was programmed, in bytes by cause and cell mode."""
        return self._drawn("run", "writes")

    def plot_series(self) -> Chart:
        """Draw throughput, latency and cache occupancy over time."""
        return self._drawn("series", "draw")

    def plot_windows(self) -> Chart:
        """Draw what schemes report over their windows: sizes, thresholds, learning curves."""
        return self._drawn("scheme", "windows")

    @checked
    def plot_histogram(self, name: str) -> Chart:
        """Draw what schemes counted by bins, such as `actions` or `states`."""
        return self._drawn("scheme", "histogram", name)

    @checked
    def plot_curve(self, name: str) -> Chart:
        """Draw what schemes' models predict beside what was measured, such as `cost`."""
        return self._drawn("scheme", "curve", name)

    def plot_wear(self) -> Chart:
        """Draw how block erases are distributed, per pool and cell mode."""
        return self._drawn("run", "wear")

    def plot_power(self) -> Chart:
        """Draw the power states that disks were in over time."""
        return self._drawn("run", "power")

    def plot_energy(self) -> Chart:
        """Draw the energy that disks took, by power state."""
        return self._drawn("run", "energy")

    def plot_disk(self) -> Chart:
        """Draw the time that disks worked, by cause and kind of operation."""
        return self._drawn("run", "work")

    def plot_attribution(self) -> Chart:
        """Draw the mean latency by component: service and what requests waited for."""
        return self._drawn("run", "attribution")

    def _drawn(self, room: str, name: str, *given: object) -> Chart:
        """Draw what a room of `charts` does, with a note where the trace is no recording."""
        from slcache.charts import files, spec

        # Each is loaded by whoever draws it.
        draw = getattr(importlib.import_module(f"slcache.charts.{room}"), name)
        picture = draw(self.labels, self.documents, *given)
        return files.notebook(spec.noted(picture, labels.of_runs(self.documents)))

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
        return frame.table(name, list(zip(self.labels, self.documents, strict=True)))

    @abstractmethod
    def _told(self) -> tuple[Table, list[str]]:
        """Return the table that says most, and the sentences on it."""

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from slcache.report import terminal
        from slcache.tables import notebook

        table, lines = self._told()
        above = [line.plain for line in terminal.label_line(self.documents)]
        return notebook.html(table, [*above, *lines])

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
