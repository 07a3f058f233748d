"""A study from beginning to end: its folder, the runs of its points, its tables and documents."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slcache import code, frame
from slcache.documents import JsonDocument, figures, provenance
from slcache.errors import ConfigError, RunError, UsageError, about, one_line
from slcache.execute.engine import Engine, FailedError
from slcache.execute.run import Run, beside
from slcache.execute.store import Store
from slcache.execute.tasks import Done
from slcache.files import Transaction, text_of, write
from slcache.metrics import GAIN_SHARE
from slcache.names import joined
from slcache.options import content, parsing
from slcache.options.content import value_text
from slcache.results.result import Result
from slcache.sentences import notes
from slcache.study import Course, model, points
from slcache.study.axes import StudyAxis, plain
from slcache.study.model import Study, StudyError
from slcache.study.points import StudyPoint

if TYPE_CHECKING:
    import polars as pl

    from slcache.study.analysis import Analysis

#: The files of both tables, and what a search writes as its document.
TABLES, SEARCH = ("points.parquet", "costs.parquet"), "tune.json"
#: Keys that say which points of a study there are, and what is told of them.
_CHOSEN = ("vary", "point", "sample", "sample_seed", "seeds", "resample", "metric")
#: Lists that an extended study has more of.
_LISTS = ("trace", "device", "scheme")


def check_study(study: Study, out: Path) -> None:
    """Raise UsageError for a folder of a search, or of a study that this one does not extend.

    A study is extended by one that has all of its points.
    """
    if (out / SEARCH).is_file():
        raise _taken(out, "a search")
    edited = study.file is not None and is_same(study.file, out / model.NAME)
    if edited or not _has_results(out):
        return
    try:
        said = _meant(text_of(out / model.NAME))
    except (OSError, ValueError):
        raise _taken(out, f"a study whose {model.NAME} cannot be read") from None
    now = _meant(study.to_toml())
    differ = _differing(said, now)
    if other := [key for key in differ if not _extends(key, said.get(key), now.get(key))]:
        raise _taken(out, f"a study with another {joined(other)}")
    if not {*differ} - {"metric"} or not (out / TABLES[0]).is_file():
        return
    there = points.identities(model.read_study(out / model.NAME))
    if lost := len(there - points.identities(study)):
        raise _taken(out, f"a study of {len(there):,} points, {lost:,} of which this one lacks")


def check_search(asked: Mapping[str, Any], out: Path) -> None:
    """Raise UsageError for a folder of a study, or of a search that asks for something else.

    A search may have another number of points.
    """
    if not (out / SEARCH).is_file():
        if _has_results(out):
            raise _taken(out, "a study")
        return
    try:
        document = parsing.json_text(text_of(out / SEARCH))
    except (OSError, ValueError):
        document = None
    said = document.get("asked") if isinstance(document, Mapping) else None
    if not isinstance(said, Mapping):
        raise _taken(out, f"a search whose {SEARCH} cannot be read")
    now = json.loads(json.dumps(asked))
    if other := [key for key in _differing(said, now) if key != "points"]:
        raise _taken(out, f"a search with another {joined(other)}")


def _has_results(out: Path) -> bool:
    """Return whether a study ran there: a slip in its first words costs no folder."""
    begun = (out / model.NAME).is_file() and any((out / "store" / "results").glob("*"))
    return begun or (out / TABLES[0]).is_file()


def is_same(path: Path, other: Path) -> bool:
    """Return whether both are one file, which is there."""
    return other.exists() and path.samefile(other)


def _differing(said: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [key for key in {**said, **now} if said.get(key) != now.get(key)]


def _extends(key: str, said: Any, now: Any) -> bool:  # noqa: ANN401
    """Return whether a study with another value of a key has the same runs and others."""
    if key in _LISTS and isinstance(said, list) and isinstance(now, list):
        return all(each in now for each in said)
    return key in _CHOSEN


def _meant(text: str) -> dict[str, Any]:
    """Return what the text of a study says, whatever form its ranges have; raises ValueError."""
    told = parsing.toml_text(text)
    vary = told.get("vary", {})
    if not isinstance(vary, dict):
        raise ValueError("vary: must be a table")
    return {**told, "vary": {key: StudyAxis.read(key, values) for key, values in vary.items()}}


def study_hash(study: Study) -> str:
    """Return a hash of what is run: equal of studies that have the same points in this order."""
    told = {key: value for key, value in study.to_dict().items() if key != "metric"}
    said = {
        **told,
        "set": {key: value_text(value, key) for key, value in study.fixed.items()},
        "vary": {key: StudyAxis.read(key, values).told for key, values in study.varied.items()},
        "point": [{key: plain(value) for key, value in point.items()} for point in study.listed],
    }
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def is_of(table: Path, study: Study) -> bool:
    """Return whether a table is of a study, or says of none."""
    said = frame.study_of(table)
    try:
        return said is None or said == study_hash(study)
    except ValueError:
        # It was edited, and is no study any more.
        return False


def _taken(out: Path, what: str) -> UsageError:
    told = f"out = {out}: has the results of {what}, which would be lost"
    return about(UsageError(f"{told}; name another folder, or delete this one"), "out")


class StudyBatch:
    """The points of a study, or some that a search asks for, on an engine.

    With `gain_share` among the metrics each is held against the same run without a cache. Raises
    StudyError for a trace under two names: it would count twice in comparisons.
    """

    def __init__(
        self, points: list[StudyPoint], engine: Engine, metrics: Sequence[str] = ()
    ) -> None:
        self._points, self._engine = points, engine
        self._runs: dict[str, Run] = {}
        #: By the place of a point: the key of its result.
        self._keys = {i: self._key(p.run) for i, p in enumerate(points) if p.status is None}
        asked = set(self._runs)
        named: dict[tuple[object, ...], str] = {}
        for run in (each.run for each in points if each.status is None):
            read = engine.fingerprint(run.trace, run.trace_options)
            first = named.setdefault((read, *run.trace_options), run.trace)
            if first != run.trace:
                both = f"{content.label(first)} and {content.label(run.trace)}"
                raise StudyError(f"trace: {both} are the same trace; give it once")
        #: What each is held against: a scheme, and the key of its result or why there is none.
        self._against: dict[int, tuple[str, str | None, str]] = {}
        if GAIN_SHARE in metrics:
            self._add_references()
        self._known = engine.known(self._runs)
        #: How many results of points were there before.
        self.kept = len(asked & self._known.keys())

    def _key(self, run: Run) -> str:
        key = self._engine.key(run)
        self._runs.setdefault(key, run)
        return key

    def _add_references(self) -> None:
        known: dict[str, Mapping[str, Any] | str] = {}
        for place in self._keys:
            other = beside(self._points[place].run)
            if other.device not in known:
                try:
                    known[other.device] = other.config
                except ConfigError as error:
                    known[other.device] = one_line(error)
            config = known[other.device]
            key, why = None, "does not fit into memory"
            if isinstance(config, str):
                why = config
            else:
                key = self._key(replace(other, resolved=config))
            self._against[place] = other.scheme, key, why

    @property
    def todo(self) -> dict[str, Run]:
        """A run for every key of which there is no result."""
        return {key: run for key, run in self._runs.items() if key not in self._known}

    def leave_out_largest(self) -> list[StudyPoint]:
        """Make those points impossible that are to run here and do not fit into memory.

        They are returned. What was run elsewhere is a result as any other.
        """
        reasons = self._engine.short(self.todo)
        refused = []
        for place, key in self._keys.items():
            if key in reasons:
                point = replace(self._points[place], status="impossible", reason=reasons[key])
                self._points[place] = point
                refused.append(point)
        self._runs = {key: run for key, run in self._runs.items() if key not in reasons}
        return refused

    def run(self, *, fail_fast: bool = False) -> list[StudyPoint]:
        """Run what is left, and return the points, in their order, with what became of them."""
        done = self._engine.outcomes(self.todo, self.kept, fail_fast=fail_fast)
        results = {**self._known, **done}
        return [
            self._ended(place, each, results) if each.status is None else each
            for place, each in enumerate(self._points)
        ]

    def _ended(self, place: int, point: StudyPoint, results: Mapping[str, Done]) -> StudyPoint:
        done = results[self._keys[place]]
        ended = replace(
            point,
            key=self._keys[place],
            status="done" if done.error is None else "failed",
            reason=done.error or done.note,
            thin=done.thin,
            values=done.values,
            costs=done.costs,
        )
        if place not in self._against or not done.values:
            return ended
        scheme, key, why = self._against[place]
        other = results.get(key or "", Done("", error=why))
        least = done.values["dense_least_bytes"]
        share = figures.gain_share_of(
            done.values["dense_bytes"], least, other.values.get("dense_bytes")
        )
        alone = None if other.error is None else f"{scheme}: {other.error}"
        return replace(ended, values={**done.values, GAIN_SHARE: share}, no_reference=alone)


_VERSION = 2


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(JsonDocument):
    """A study that has been run."""

    study: Study
    points: Sequence[StudyPoint]
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
        reasons = Counter(
            (each.status, why)
            for each in self.points
            if each.reason and each.status in ("failed", "done")
            for why in each.reason.split(notes.BETWEEN, -1 if each.status == "done" else 0)
        )
        lacking = Counter(each.no_reference for each in self.points if each.no_reference)
        return [
            *points.refusals(self.points),
            *(f"{count} {status}: {reason}" for (status, reason), count in reasons.items()),
            *(f"{GAIN_SHARE}: {n} without a reference: {why}" for why, n in lacking.items()),
            *points.alike(self.points),
        ]

    def files(self) -> dict[str, bytes]:
        """Return the tables by the names of their files."""
        contents = frame.parquet(self.table, study_hash(self.study)), frame.parquet(self.costs)
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
        check_study(whole, folder)
        names = [*TABLES, REPORT, *([] if stays else [model.NAME])]
        Transaction(folder, names, inputs).check()
    keep = _Temporary() if out is None and store is None else None
    place = Path(store) if store is not None else (keep.path if keep else Path(out or "")) / "store"
    possible = _possible(whole, skip_impossible=skip_impossible)
    with Engine(
        place, course.executor, course.jobs, course.on_progress, word="points", share=True
    ) as engine:
        with _told_by_file(whole):
            wanted = StudyBatch(possible, engine, whole.judged_by)
        if (refused := wanted.leave_out_largest()) and not skip_impossible:
            raise points.impossible(whole, refused)
        if folder is not None and not stays:
            write(folder, {model.NAME: whole.to_toml().encode()}, inputs)
        try:
            ended = wanted.run(fail_fast=course.fail_fast)
        except FailedError as error:
            raise RunError(f"a point failed: {error}") from error
    found = Sweep(whole, ended, engine.store, wanted.kept, keep)
    if folder is not None:
        write(folder, found.files(), inputs)
        # Last, so that nothing of it costs a table.
        if course.report:
            with Transaction(folder, [REPORT], inputs) as outputs:
                outputs.write(REPORT, found.report().encode())
    return found


def _possible(whole: Study, *, skip_impossible: bool) -> list[StudyPoint]:
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
        raise model.with_file(whole.file, error) from error


class _Temporary:
    """A folder that lives as long as this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="slcache-sweep-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
