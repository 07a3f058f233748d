"""A search from its first batch to its files."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slcache import _core, files
from slcache.errors import ConfigError, RunError, UsageError, about
from slcache.execute import store as kept_files
from slcache.execute.engine import Engine
from slcache.execute.run import check_seeds
from slcache.options import content, options_of
from slcache.options.models import TraceOptions as Read
from slcache.search import Search
from slcache.search.space import Settings, Space
from slcache.search.strategies import (
    WHOLE,
    Batch,
    Batches,
    PointOutcome,
    SamplerSearch,
    TriedPoint,
    bisection,
    check_figures,
    steps_most,
)
from slcache.search.tuning import FILES, Tuning
from slcache.study import points as of_studies
from slcache.study.model import Study, StudyError
from slcache.study.points import READER, SCHEME, WORKLOAD, StudyPoint
from slcache.study.run import StudyBatch, check_search
from slcache.trace import Progress, Trace, cut, reader_options

if TYPE_CHECKING:
    from slcache.search import TuneArguments


class Prefixes:
    """The beginnings of one trace, written once and kept."""

    def __init__(
        self, trace: str, options: Mapping[str, str], folder: Path, progress: Progress | None = None
    ) -> None:
        self._trace = Trace(trace, options=options)
        self._options = reader_options(None, options)
        self._folder, self._progress = folder, progress
        self._requests: int | None = None
        self._known: set[Path] = set()

    def path(self, share: Fraction) -> Path:
        """Return the file with the first requests of the trace; raises TraceError."""
        read = _core.fingerprint(
            self._trace.path, trace_options=self._options, progress=self._progress
        )
        name = kept_files.key({"trace": read, "options": self._options, "first": str(share)})
        path = self._folder / f"{name}.parquet"
        if path not in self._known and not kept_files.sound(path):
            with kept_files.making(path) as made:
                cut(self._trace, made, take=self.requests(share), on_progress=self._progress)
        self._known.add(path)
        return path

    def requests(self, share: Fraction) -> int:
        """Return how many requests a share of the trace has, one at least."""
        if self._requests is None:
            self._requests = int(self._trace.info(self._progress)["requests"])
        return max(1, int(self._requests * share))


#: What makes each point of a study one run.
ALONE: Mapping[str, Any] = {"seeds": 1, "resample": None, "resample_block": None}


class SearchPoints:
    """The points of a search, on an engine."""

    def __init__(self, study: Study, engine: Engine, prefixes: Prefixes | None = None) -> None:
        self._study, self._engine, self._prefixes = study, engine, prefixes
        #: What the device or the scheme refuses, resolved once.
        self._impossible: dict[str, ConfigError] = {}
        #: Results that were in the store before.
        self.kept = 0

    def refused(self, points: Sequence[Settings]) -> list[bool]:
        """Return which points the device or their scheme refuses, whatever the seed."""
        alone = replace(self._study, **ALONE)
        found = of_studies.points(alone, self._impossible, points)
        return [point.status == "impossible" for point in found]

    def run(self, batch: Batch) -> list[PointOutcome]:
        """Return what became of the points of a batch."""
        study = self._study
        if batch.share != WHOLE:
            assert self._prefixes is not None
            # How the trace is read is in the file already; one seed is enough to judge by.
            own: dict[str, Any] = {**ALONE, **dict.fromkeys(options_of(Read))}
            study = replace(study, **{**own, "trace": self._prefixes.path(batch.share)})
        points = of_studies.points(study, self._impossible, batch.points)
        run = StudyBatch(points, self._engine, study.judged_by)
        run.leave_out_largest()
        # Whatever was run, the table is of the whole trace.
        (trace,) = self._study.traces
        rows = [replace(each, run=replace(each.run, trace=trace)) for each in run.run()]
        self.kept += run.kept if batch.share == WHOLE else 0
        each = study.repeats
        return [_found(rows[place : place + each]) for place in range(0, len(rows), each)]


def _found(rows: Sequence[StudyPoint]) -> PointOutcome:
    """Return what became of a point with several seeds: all must be done for it to be."""
    for status in ("impossible", "failed"):
        reason = next((row.reason for row in rows if row.status == status), None)
        if reason is not None:
            return PointOutcome(status, reason, rows=rows)
    means = {name: _mean([row.values[name] for row in rows]) for name in rows[0].values}
    return PointOutcome("done", None, means, rows)


def _mean(values: Sequence[float | int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def check(study: Study, search: Search, space: Space) -> None:
    """Raise UsageError or ConfigError for a search that cannot be, before anything is run."""
    (trace,) = study.traces
    if _core.is_read_once(content.label(trace)):
        told = f"a search reads its trace again and again, and {trace} can be read only once"
        raise about(UsageError(f"{told}: give a file that stays"), "trace")
    # A key that no scheme knows is an error before anything is run.
    of_studies.points(study, chosen=[space.first(scheme) for scheme in study.schemes])
    if study.seeds > 1 and not content.is_workload(trace):
        corners = [corner for scheme in study.schemes for corner in space.corners(scheme)]
        found = of_studies.points(replace(study, **ALONE), chosen=corners)
        if known := [each.run.resolved for each in found if each.run.resolved is not None]:
            check_seeds(study.seeds, known)
    told = _without_prefixes(search, space, trace) if search.prefixes else ""
    if told:
        raise about(UsageError(f"prefixes: {told}"), "prefixes")


def _without_prefixes(search: Search, space: Space, trace: str) -> str:
    """Return why points cannot be judged by a beginning of the trace; empty where they can."""
    of_trace = [a.key for a in space.axes if a.key.startswith((READER, WORKLOAD))]
    if len(search.metrics) > 1:
        return f"points are stopped by one metric, not by several: {', '.join(search.metrics)}"
    if search.suggested_by not in ("tpe", "random"):
        return f"go with the samplers tpe and random, not {search.suggested_by}"
    if of_trace:
        return f"{of_trace[0]} is varied, and with it the trace"
    if content.path_of(trace) is None:
        return "need a trace or workload that is a file or a preset, not a dict"
    return ""


def run_search(study: Study, search: TuneArguments, space: Space) -> Tuning:
    """Search, and write what was found to `out`."""
    out, store, progress = search.out, search.store, search.on_progress
    if out is not None:
        files.Transaction(out, FILES, study.inputs()).check()
        check_search(Tuning(study, search, space, [], 0, []).asked, Path(out))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(out) / "store" if out is not None else Path(scratch)
        kept = Path(store) if store is not None else folder
        told = _SearchProgress(study.repeats, progress)
        workers = search.executor, search.jobs
        with Engine(kept, *workers, told.of_batch, word="points", share=True) as engine:
            prefixes = _prefixes(study, kept, progress) if search.prefixes else None
            points = SearchPoints(study, engine, prefixes)
            tried = _tried(_batches(search, space, points, told), points, search, told)
    rows = [row for each in tried for row in each.found.rows]
    if all(row.status == "impossible" for row in rows):
        # Points, whatever their seeds.
        alone = [each.found.rows[0] for each in tried]
        raise StudyError("\n".join(of_studies.refusals(alone)))
    if search.wanted is not None:
        _check_bounds(search, tried)
    found = Tuning(study, search, space, tried, points.kept, rows)
    if out is not None:
        files.write(out, found.files(), study.inputs())
    return found


def _prefixes(study: Study, store: Path, progress: Progress | None) -> Prefixes:
    """Return the beginnings of the trace, drawn by the seed where it is a workload."""
    (trace,) = study.traces
    drawn = study.seed is not None and content.is_workload(trace)
    options = {**study.reader(), **({"seed": str(study.seed)} if drawn else {})}
    return Prefixes(trace, options, store / "prefixes", progress)


def _batches(search: Search, space: Space, points: SearchPoints, told: _SearchProgress) -> Batches:
    """Return the batches of a search."""
    if search.wanted is not None:
        (scheme,), (axis,) = space.schemes, space.axes
        refused = points.refused([{SCHEME: scheme, axis.key: value} for value in axis.values])
        told.most = sum(refused) + steps_most(len(refused) - sum(refused) - 1)
        return bisection(space, search, refused)
    most = search.points_most or 0
    told.most = min(most, space.size or most)
    until = None if search.minutes is None else time.monotonic() + 60 * search.minutes
    return SamplerSearch(space, search).batches(lambda: until is None or time.monotonic() < until)


def _tried(
    batches: Batches, points: SearchPoints, search: Search, told: _SearchProgress
) -> list[TriedPoint]:
    """Run the batches of a search, and return the points that it tried."""
    found: Sequence[PointOutcome] | None = None
    while True:
        try:
            # A generator begins with nothing.
            batch = next(batches) if found is None else batches.send(found)
        except StopIteration as end:
            tried: list[TriedPoint] = end.value
            return tried
        found = points.run(batch)
        if batch.share == WHOLE:
            done = [each for each in found if each.status == "done"]
            if done and not told.tried:
                check_figures(search.names, done, "first ")
            told.tried += len(batch.points)


def _check_bounds(search: Search, tried: Sequence[TriedPoint]) -> None:
    """Raise RunError where nothing was measured that a bound is about."""
    done = [each.found for each in tried if each.found.status == "done"]
    if not done:
        reasons = dict.fromkeys(str(t.found.reason) for t in tried if t.found.status == "failed")
        key = search.least or search.most
        raise RunError(f"no value of {key} can be run: {'; '.join(reasons)}")
    check_figures(search.names, done)


class _SearchProgress:
    """Tells how far the search is, in runs, while a batch goes on."""

    def __init__(self, each: int, progress: Progress | None) -> None:
        #: Runs of each point.
        self._each, self._progress = each, progress
        #: Points tried, and how many there will be at most.
        self.tried = self.most = 0

    def of_batch(self, phase: str, done: int, total: int) -> bool | None:
        """Report a batch's progress as part of the whole search's."""
        if self._progress is None:
            return True
        if not phase.startswith("points"):
            return self._progress(phase, done, total)
        before = self.tried * self._each
        most = self.most and max(self.most * self._each, before + total)
        return self._progress("points", before + done, most)
