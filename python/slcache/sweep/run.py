"""A study from beginning to end: its points, what they share, their runs and the tables."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import Any

from slcache import api, bounded, files
from slcache import named as code
from slcache._core import RunError
from slcache.execute import driver
from slcache.execute.engine import Engine
from slcache.execute.executors import Executor
from slcache.given import parsing
from slcache.given.arguments import checked
from slcache.sentences import wording
from slcache.sweep import outcome, points, study, study_file, table
from slcache.sweep.axes import Axis
from slcache.sweep.batch import Batch
from slcache.sweep.outcome import Sweep
from slcache.sweep.points import Point
from slcache.sweep.study import Study, StudyError
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
    table.check_names(whole)
    if out is not None:
        files.Transaction(out, _names(Path(out), path), whole.inputs()).check()
    keep = _Temporary() if out is None and store is None else None
    place = Path(store) if store is not None else Path(keep.path if keep else out or "") / "store"
    possible = possible_points(whole, skip_impossible=skip_impossible)
    with Engine(place, executor, jobs, on_progress, word="points", share=True) as engine:
        batch = Batch(possible, engine, whole.judged_by)
        batch.check_room(skip_impossible=skip_impossible)
        if out is not None and (told := _replaced(whole, Path(out), path)):
            warnings.warn(told, stacklevel=2)
        if out is not None and not _is_there(Path(out), path):
            files.write(out, {study.NAME: whole.to_toml().encode()}, whole.inputs())
        try:
            rows = batch.rows(fail_fast=fail_fast)
        except driver.FailedError as error:
            raise RunError(f"a point failed: {error}") from error
    found = Sweep(whole, rows, engine.store, kept=batch.kept, keep=keep)
    if out is not None:
        _write(found, Path(out), report=report)
    return found


def possible_points(whole: Study, *, skip_impossible: bool) -> list[Point]:
    """Return the points of a study; StudyError for impossible ones that may not be."""
    found = points.points(whole)
    impossible = [point for point in found if point.reason is not None]
    # Where nothing can run there is nothing to leave out.
    if impossible and (not skip_impossible or len(impossible) == len(found)):
        raise StudyError("\n".join(points.told(impossible)))
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


def _replaced(whole: Study, out: Path, path: Path | None) -> str:
    """Return what becomes of a folder's table that is of another study; empty where none is."""
    if not (out / outcome.TABLES[0]).is_file() or _is_there(out, path):
        return ""
    try:
        said = _meant(bounded.text(out / study.NAME))
    except (OSError, ValueError):
        return f"{out / outcome.TABLES[0]}: is of something else than this study, and is replaced"
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
    if report:
        with files.Transaction(out, [REPORT], inputs) as outputs:
            outputs.write(REPORT, found.report().encode())


class _Temporary:
    """A folder that lives as long as this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="slcache-sweep-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
