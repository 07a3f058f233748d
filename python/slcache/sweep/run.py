"""A study from beginning to end: its points, their runs, its tables and documents."""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slcache import _core, api, bounded, files, frame
from slcache import named as code
from slcache._core import ConfigError, RunError
from slcache.execute import driver, given
from slcache.execute.driver import Executor
from slcache.execute.engine import Engine
from slcache.execute.store import Store
from slcache.given import parsing
from slcache.given.arguments import checked
from slcache.metrics import GAIN_SHARE
from slcache.results.result import Result
from slcache.sentences import wording
from slcache.sweep import batch, points, study
from slcache.sweep.axes import Axis
from slcache.sweep.batch import Batch
from slcache.sweep.points import Point, alike, told
from slcache.sweep.study import Study, StudyError
from slcache.traces.api import Progress

if TYPE_CHECKING:
    import polars as pl

    from slcache.study.analysis import Analysis
    from slcache.sweep.batch import Row
    from slcache.sweep.study import Study

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
        from slcache.sweep import batch

        return batch.points(self.study, self.rows)

    @cached_property
    def costs(self) -> pl.DataFrame:
        """A row per finished point: the time and memory that its run took."""
        from slcache.sweep import batch

        return batch.costs(self.rows)

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


#: The report's file, beside the tables.
REPORT = "report.html"
#: What a search writes beside its table: a study in its folder takes the place of all of it.
OF_A_SEARCH = ("tune.json", "best.toml", "front.svg", "front.png")


@checked
def run_study(
    asked: Study | api.Path,
    *,
    out: api.Path | None = None,
    store: api.Path | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    skip_impossible: bool = False,
    fail_fast: bool = False,
    report: bool = False,
    on_progress: Progress | None = None,
) -> Sweep:
    """Run what is left of a study, or of the study of a file, and write its tables.

    `out` gets `points.parquet`, `costs.parquet` and `study.toml`; without it nothing is written.
    Results are kept in `store`, by default `out/store`: what is there is not run again. `jobs`
    processes work at a time, by default one a processor; `executor` is `local`, or a cluster like
    `dask://HOST:PORT` or `ray://auto` (`dask://` and `ray://` start one of `jobs` processes here),
    or an object that has workers already and keeps them. Points that cannot run are a ConfigError,
    or rows of the table with `skip_impossible`, which is an error again where none can run. A run
    that fails is a row too; with `fail_fast` it is a RunError at once. `on_progress(phase, done,
    total)` is called as things go on, and cancels by returning False. `out` has a `report` too, if
    one is wanted.
    """
    whole, path = _asked(asked)
    batch.check_names(whole)
    if out is not None:
        files.Transaction(out, _names(Path(out), path), whole.inputs()).check()
    keep = _Temporary() if out is None and store is None else None
    place = Path(store) if store is not None else Path(keep.path if keep else out or "") / "store"
    possible = possible_points(whole, path, skip_impossible=skip_impossible)
    with Engine(place, executor, jobs, on_progress, word="points", share=True) as engine:
        wanted = Batch(possible, engine, whole.judged_by)
        wanted.check_room(skip_impossible=skip_impossible)
        if out is not None and (told := _replaced(whole, Path(out), path)):
            warnings.warn(told, stacklevel=2)
        if out is not None and not _is_there(Path(out), path):
            files.write(out, {study.NAME: whole.to_toml().encode()}, whole.inputs())
        try:
            rows = wanted.rows(fail_fast=fail_fast)
        except driver.FailedError as error:
            raise RunError(f"a point failed: {error}") from error
    found = Sweep(whole, rows, engine.store, kept=wanted.kept, keep=keep)
    if out is not None:
        _write(found, Path(out), report=report)
    return found


def possible_points(
    whole: Study, path: Path | None = None, *, skip_impossible: bool
) -> list[Point]:
    """Return the points of a study; StudyError for impossible ones that may not be.

    What is no point at all, such as an unknown device, is told with the file that says it.
    """
    try:
        found = points.points(whole)
    except ConfigError as error:
        if path is None:
            raise
        raise study.of_file(path, error) from error
    impossible = [point for point in found if point.reason is not None]
    # Where nothing can run there is nothing to leave out.
    if impossible and (not skip_impossible or len(impossible) == len(found)):
        raise StudyError("\n".join(points.told(impossible)))
    return found


def _asked(asked: Study | api.Path) -> tuple[Study, Path | None]:
    """Return a study, and the file that it is read from, if any."""
    if isinstance(asked, Study):
        return asked, None
    whole = study.read(Path(asked))
    code.also(whole.code)
    return whole, Path(asked)


def _names(out: Path, path: Path | None) -> list[str]:
    """Return the names of the files that a study writes to `out`."""
    names = [*TABLES, REPORT]
    return names if _is_there(out, path) else [*names, study.NAME]


def _is_there(out: Path, path: Path | None) -> bool:
    """Return whether what was asked for was read where it would be written."""
    target = out / study.NAME
    return path is not None and target.exists() and path.samefile(target)


def _replaced(whole: Study, out: Path, path: Path | None) -> str:
    """Return what becomes of a folder's table that is of another study; empty where none is."""
    if (out / OF_A_SEARCH[0]).is_file():
        return f"{out}: the table there is of a search, and is replaced with {OF_A_SEARCH[0]}"
    if not (out / TABLES[0]).is_file() or _is_there(out, path):
        return ""
    try:
        said = _meant(bounded.text(out / study.NAME))
    except (OSError, ValueError):
        return f"{out / TABLES[0]}: is of something else than this study, and is replaced"
    now = _meant(whole.to_toml())
    differ = [key for key in {**said, **now} if said.get(key) != now.get(key)]
    if not differ:
        return ""
    return (
        f"{out}: the table there is of a study with another {wording.listed(differ)}, and is "
        "replaced by this one's; kept results stay"
    )


def _meant(text: str) -> dict[str, Any]:
    """Return what the text of a study says, whatever form its ranges have; raises ValueError."""
    told = parsing.toml_text(text)
    vary = told.get("vary", {})
    if not isinstance(vary, dict):
        raise ValueError("vary: must be a table")
    return {**told, "vary": {key: Axis.read(key, values) for key, values in vary.items()}}


def _write(found: Sweep, out: Path, *, report: bool) -> None:
    """Write the tables, then the report, so that nothing of it costs a table."""
    inputs = found.study.inputs()
    files.write(out, found.files(), inputs)
    files.drop(out, OF_A_SEARCH, inputs)
    if report:
        with files.Transaction(out, [REPORT], inputs) as outputs:
            outputs.write(REPORT, found.report().encode())


class _Temporary:
    """A folder that lives as long as this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="slcache-sweep-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
