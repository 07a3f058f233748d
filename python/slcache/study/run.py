"""A study from beginning to end: its points, their runs, its tables and documents."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slcache import files, frame
from slcache import named as code
from slcache._core import ConfigError, RunError
from slcache.documents import JsonDocument, provenance
from slcache.execute import driver
from slcache.execute.engine import Engine
from slcache.execute.store import Store
from slcache.metrics import GAIN_SHARE
from slcache.options import content
from slcache.results.result import Result
from slcache.study import model, points
from slcache.study.api import Course
from slcache.study.folder import TABLES, check_study, hashed, is_same
from slcache.study.model import Study
from slcache.study.points import Batch, Point

if TYPE_CHECKING:
    import polars as pl

    from slcache.study.analysis import Analysis

_VERSION = 2


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(JsonDocument):
    """A study that has been run."""

    study: Study
    points: Sequence[Point]
    _store: Store
    #: How many results were there before.
    kept: int
    #: Whatever must live as long as the results are asked for, such as a temporary folder.
    _keep: object = None

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per point: its parameters, what became of it, and its figures."""
        return points.table(self.study, self.points)

    @cached_property
    def costs(self) -> pl.DataFrame:
        """A row per finished point: the time and memory that its run took."""
        return points.costs(self.points)

    def counts(self) -> dict[str, int]:
        """Return how many points there are of each status."""
        status = [each.status for each in self.points]
        return {name: status.count(name) for name in ("done", "failed", "impossible")}

    def document(self, row: int) -> dict[str, Any]:
        """Return the result document of a row of the table, counted from 0.

        Raises KeyError where the point has none.
        """
        asked = self.points[row]
        found = self._store.get(asked.key) if asked.status == "done" and asked.key else None
        if found is None:
            raise KeyError(f"row {row} has no result: {asked.reason or asked.status}")
        # The same trace may have been run under another name.
        found["trace"]["path"] = content.label(asked.run.trace)
        return found

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield the result documents of the finished points, in the order of the table."""
        done = (number for number, each in enumerate(self.points) if each.status == "done")
        yield from map(self.document, done)

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
            "provenance": provenance(),
        }

    def problems(self) -> list[str]:
        """Return a sentence for each reason why points lack figures, or these say less."""
        ended = ((each.status, each.reason) for each in self.points if each.reason)
        reasons = Counter(each for each in ended if each[0] in ("failed", "done"))
        lacking = Counter(each.no_reference for each in self.points if each.no_reference)
        return [
            *points.told(self.points),
            *(f"{count} {status}: {reason}" for (status, reason), count in reasons.items()),
            *(f"{GAIN_SHARE}: {n} without a reference: {why}" for why, n in lacking.items()),
            *points.alike(self.points),
        ]

    def files(self) -> dict[str, bytes]:
        """Return the tables by the names of their files."""
        contents = frame.parquet(self.table, hashed(self.study)), frame.parquet(self.costs)
        return dict(zip(TABLES, contents, strict=True))

    def analysis(self, metrics: Sequence[str] = ()) -> Analysis:
        """Return main effects, front and spread over seeds of some metrics."""
        from slcache.study.analysis import Analysis
        from slcache.study.outcome import Outcome

        return Analysis.of(Outcome.of(self.table), metrics or self.study.judged_by)

    def report(self, metrics: Sequence[str] = ()) -> str:
        """Return the report as one self-contained HTML page."""
        from slcache.study import page

        devices = ", ".join(map(content.label, self.study.devices))
        title = f"{', '.join(self.study.schemes)} on {devices}"
        return page.render(self.analysis(metrics), title, self.study.to_toml(), study=self.study)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.counts().items() if count)
        return f"<slcache.Sweep of {len(self.points)} points: {counts}>"


#: The report's file, beside the tables.
REPORT = "report.html"


def run_study(whole: Study, course: Course) -> Sweep:
    """Run what is left of a study, and write its tables as `slcache.sweep` tells.

    `executor` may be an object that has workers already and keeps them.
    """
    out, store, skip_impossible = course.out, course.store, course.skip_impossible
    path = whole.file
    # A file that is named may name code; a call has that told already.
    code.also(whole.code if path is not None else ())
    inputs = whole.inputs()
    folder = None if out is None else Path(out)
    # What was read where it would be written stays as it is.
    stays = folder is not None and path is not None and is_same(path, folder / model.NAME)
    if folder is not None:
        replaced = check_study(whole, folder)
        names = [*TABLES, REPORT, *([] if stays else [model.NAME])]
        files.Transaction(folder, names, inputs).check()
    keep = _Temporary() if out is None and store is None else None
    place = Path(store) if store is not None else (keep.path if keep else Path(out or "")) / "store"
    possible = _possible(whole, skip_impossible=skip_impossible)
    with Engine(
        place, course.executor, course.jobs, course.on_progress, word="points", share=True
    ) as engine:
        with _told_by_file(whole):
            wanted = Batch(possible, engine, whole.judged_by)
        if (refused := wanted.leave_out_largest()) and not skip_impossible:
            raise points.impossible(whole, refused)
        if folder is not None:
            if replaced:
                warnings.warn(replaced, stacklevel=2)
            if not stays:
                files.write(folder, {model.NAME: whole.to_toml().encode()}, inputs)
        try:
            ended = wanted.run(fail_fast=course.fail_fast)
        except driver.FailedError as error:
            raise RunError(f"a point failed: {error}") from error
    found = Sweep(whole, ended, engine.store, wanted.kept, keep)
    if folder is not None:
        files.write(folder, found.files(), inputs)
        # Last, so that nothing of it costs a table.
        if course.report:
            with files.Transaction(folder, [REPORT], inputs) as outputs:
                outputs.write(REPORT, found.report().encode())
    return found


def _possible(whole: Study, *, skip_impossible: bool) -> list[Point]:
    """Return the points of a study; StudyError for impossible ones that may not be."""
    with _told_by_file(whole):
        found = points.points(whole)
    impossible = sum(each.status == "impossible" for each in found)
    # Where nothing can run there is nothing to leave out.
    if impossible and (not skip_impossible or impossible == len(found)):
        raise points.impossible(whole, found)
    return found


@contextmanager
def _told_by_file(whole: Study) -> Iterator[None]:
    """Tell what is no point at all, such as an unknown device, with the file that says it."""
    try:
        yield
    except ConfigError as error:
        if whole.file is None:
            raise
        raise model.of_file(whole.file, error) from error


class _Temporary:
    """A folder that lives as long as this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="slcache-sweep-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
