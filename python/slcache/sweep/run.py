"""A study from beginning to end: its points, what they share, their runs and the tables."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from slcache import api, files
from slcache import named as code
from slcache._core import RunError
from slcache.given.arguments import checked
from slcache.runs import driver, tasks
from slcache.runs.executors import Executor, named
from slcache.runs.keeper import Keeper
from slcache.sweep import outcome, study, study_file, table
from slcache.sweep.outcome import Sweep
from slcache.sweep.prepared import Prepared, asked_points
from slcache.sweep.shared import Traces
from slcache.sweep.study import Study
from slcache.traces.api import Progress

#: The report's file, beside the tables.
REPORT = "report.html"


@checked
def run_study(
    asked: Study | api.Path,
    *,
    out: api.Path | None = None,
    store: api.Path | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    skip_impossible: bool = False,
    allow_none: bool = False,
    fail_fast: bool = False,
    report: bool = False,
    traces: Traces | None = None,
    on_progress: Progress | None = None,
) -> Sweep:
    """Run what is left of a study, or of the study of a file, and write its tables.

    `out` gets `points.parquet`, `costs.parquet` and `study.toml`; without it nothing is written.
    Results are kept in `store`, by default `out/store`: what is there is not run again. `jobs`
    processes work at a time, by default one a processor; `executor` is `local`, or a cluster like
    `dask://HOST:PORT` or `ray://auto` (`dask://` and `ray://` start one of `jobs` processes here),
    or an object that has workers already and keeps them. Points that cannot run are a ConfigError,
    or rows of the table with `skip_impossible`, which is an error again where none can run unless
    `allow_none`. A run that fails is a row too; with `fail_fast` it is a RunError at once. `traces`
    are those of another study with the same store, hashed already. `on_progress(phase, done,
    total)` is called as things go on, and cancels by returning False. `out` has a `report` too, if
    one is wanted.
    """
    whole, path = _asked(asked)
    table.check_names(whole)
    if out is not None:
        files.Transaction(out, _names(Path(out), path), whole.inputs()).check()
    keep = _Temporary() if out is None and store is None else None
    place = Path(store) if store is not None else Path(keep.path if keep else out or "") / "store"
    # Workers may be elsewhere.
    place = place.absolute()
    points = asked_points(whole, skip_impossible=skip_impossible, allow_none=allow_none)
    traces = Traces(place / "traces", on_progress) if traces is None else traces
    prepared = Prepared(points, place, traces, whole.judged_by)
    if executor == "local":
        prepared.check_room(skip_impossible=skip_impossible)
    if out is not None:
        _write_study(whole, Path(out), path)
    results = _run(prepared, executor, jobs, on_progress, fail_fast=fail_fast)
    found = Sweep(whole, prepared.rows(results), prepared.store, kept=prepared.kept, keep=keep)
    if out is not None:
        _write(found, Path(out), report=report)
    return found


def _asked(asked: Study | api.Path) -> tuple[Study, Path | None]:
    """Return a study, and the file that it is read from, if any."""
    if isinstance(asked, Study):
        return asked, None
    whole = study_file.read(Path(asked))
    code.also(whole.code)
    return whole, Path(asked)


def _names(out: Path, path: Path | None) -> list[str]:
    """Return the names of the files that a study writes to `out`."""
    names = [*outcome.TABLES, REPORT]
    return names if _is_there(out, path) else [*names, study.NAME]


def _is_there(out: Path, path: Path | None) -> bool:
    """Return whether what was asked for was read where it would be written."""
    target = out / study.NAME
    return path is not None and target.exists() and path.samefile(target)


def _write(found: Sweep, out: Path, *, report: bool) -> None:
    """Write the tables, then the report, so that nothing of it costs a table."""
    inputs = found.study.inputs()
    files.write(out, found.files(), inputs)
    if report:
        with files.Transaction(out, [REPORT], inputs) as outputs:
            outputs.write(REPORT, found.report().encode())


class _Temporary:
    """A folder that lives as long as this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="slcache-sweep-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _run(
    prepared: Prepared,
    executor: Executor | str,
    jobs: int | None,
    progress: Progress | None,
    *,
    fail_fast: bool,
) -> dict[str, tasks.Done]:
    """Run what is left; no executor is made where nothing is, and one that was made is ended."""
    todo = prepared.todo()
    if not todo:
        return {}

    def report(state: driver.Progress) -> None:
        go_on = progress is None or progress(state.told(), state.done, state.total)
        if go_on is False:
            raise KeyboardInterrupt

    kept = prepared.kept
    try:
        with named.workers(executor, jobs) as workers, Keeper(prepared.store) as keeper:
            work = prepared.work(todo, here=workers.here)
            return driver.run(work, workers, keeper.keep, kept, report, fail_fast=fail_fast)
    except driver.FailedError as error:
        raise RunError(f"a point failed: {error}") from error


def _write_study(whole: Study, out: Path, path: Path | None) -> None:
    """Write what was asked for, unless it is what was read."""
    if not _is_there(out, path):
        files.write(out, {study.NAME: whole.to_toml().encode()}, whole.inputs())
