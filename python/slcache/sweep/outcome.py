"""What a sweep has found: its table, its documents and the files it is written as."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slcache import _core, frame
from slcache.execute import given
from slcache.execute.store import Store
from slcache.metrics import GAIN_SHARE
from slcache.results.result import Result
from slcache.sweep.points import alike, told

if TYPE_CHECKING:
    import polars as pl

    from slcache.study.analysis import Analysis
    from slcache.sweep.study import Study
    from slcache.sweep.table import Row

_VERSION = 2
#: The files of both tables.
TABLES = ("points.parquet", "costs.parquet")


class Sweep:
    """A study that has been run."""

    def __init__(
        self,
        study: Study,
        rows: Sequence[Row],
        store: Store,
        *,
        kept: int,
        keep: object = None,
    ) -> None:
        self.study = study
        self.rows = list(rows)
        #: How many results were there before.
        self.kept = kept
        self._store = store
        #: Whatever must live as long as the results are asked for, such as a temporary folder.
        self._keep = keep

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per point: its parameters, what became of it, and its figures."""
        from slcache.sweep import table

        return table.points(self.study, self.rows)

    @cached_property
    def costs(self) -> pl.DataFrame:
        """A row per finished point: the time and memory that its run took."""
        from slcache.sweep import table

        return table.costs(self.rows)

    def counts(self) -> dict[str, int]:
        """Return how many points there are of each status."""
        status = [row.status for row in self.rows]
        return {name: status.count(name) for name in ("done", "failed", "impossible")}

    def document(self, row: int) -> dict[str, Any]:
        """Return the result document of a row of the table, counted from 0.

        Raises KeyError where the point has none.
        """
        asked = self.rows[row]
        found = self._store.get(asked.key) if asked.status == "done" and asked.key else None
        if found is None:
            raise KeyError(f"row {row} has no result: {asked.reason or asked.status}")
        # The same trace may have been run under another name.
        found["trace"]["path"] = given.label(asked.point.trace)
        return found

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield the result documents of the finished points, in the order of the table."""
        for number, row in enumerate(self.rows):
            if row.status == "done":
                yield self.document(number)

    def result(self, row: int) -> Result:
        """Return the result of a row of the table, for tables and figures of it alone."""
        return Result.made(self.document(row), None, ())

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as one document: the study, its points and how many there are."""
        return {
            "schema_version": _VERSION,
            "study": self.study.to_dict(),
            "counts": {**self.counts(), "kept": self.kept},
            "points": self.table.to_dicts(),
            "provenance": {"version": _core.version(), "commit": _core.commit()},
        }

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def problems(self) -> list[str]:
        """Return a sentence for each reason why points have no result, or seeds say nothing."""
        failed = Counter(row.reason for row in self.rows if row.status == "failed")
        impossible = [row.point for row in self.rows if row.status == "impossible"]
        lacking = Counter(row.no_reference for row in self.rows if row.no_reference is not None)
        return [
            *told(impossible),
            *(f"{count} failed: {reason}" for reason, count in failed.items()),
            *(f"{GAIN_SHARE}: {n} without a reference: {why}" for why, n in lacking.items()),
            *alike([row.point for row in self.rows]),
        ]

    def files(self) -> dict[str, bytes]:
        """Return the tables by the names of their files."""
        contents = map(frame.parquet, (self.table, self.costs))
        return dict(zip(TABLES, contents, strict=True))

    def analysis(self, metrics: Sequence[str] = ()) -> Analysis:
        """Return main effects, front and spread over seeds of some metrics."""
        from slcache.study.analysis import Analysis
        from slcache.study.outcome import Outcome

        return Analysis.of(Outcome.of(self.table), metrics or self.study.judged_by)

    def report(self, metrics: Sequence[str] = ()) -> str:
        """Return the report as one self-contained HTML page."""
        from slcache.sweep import report

        devices = ", ".join(map(given.label, self.study.devices))
        title = f"{', '.join(self.study.schemes)} on {devices}"
        return report.render(self.analysis(metrics), title, self.study.to_toml(), study=self.study)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.counts().items() if count)
        return f"<slcache.Sweep of {len(self.rows)} points: {counts}>"
