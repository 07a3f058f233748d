"""A search from its first batch to its files."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from slcache import _core, api, catalogue, files
from slcache.errors import ConfigError, RunError, UsageError, about
from slcache.execute import given
from slcache.execute.driver import Executor
from slcache.execute.engine import Engine
from slcache.given.once import flatten, once, twice
from slcache.search import points as beginnings
from slcache.search.batches import WHOLE, Batches, Bisection, Found, Tried, check_figures
from slcache.search.goals import Search
from slcache.search.optuna import Sampled
from slcache.search.outcome import FILES, Tuning
from slcache.search.points import Points, of_scheme
from slcache.search.space import Space
from slcache.sweep import batch
from slcache.sweep import points as sweep_points
from slcache.sweep import study as studies
from slcache.sweep.axes import Axis
from slcache.sweep.batch import Row
from slcache.sweep.points import READER, WORKLOAD
from slcache.sweep.points import told as told_of
from slcache.sweep.run import TABLES
from slcache.sweep.study import Study, StudyError
from slcache.traces.api import Progress


def space(schemes: Sequence[str], vary: Mapping[str, object]) -> Space:
    """Return the space; raises UsageError or ConfigError."""
    if not schemes:
        raise about(UsageError("scheme: a search needs at least one"), "scheme")
    try:
        axes = [Axis.read(key, said) for key, said in once(flatten(vary)).items()]
    except ValueError as error:
        raise ConfigError(str(error)) from error
    said = twice(schemes, catalogue.modes())
    if said is not None:
        raise about(UsageError(f"scheme: {said}"), "scheme")
    if not axes and len(schemes) < 2:
        raise about(UsageError("vary: a search needs at least one key that may be varied"), "vary")
    return Space(schemes, axes)


def check(study: Study, search: Search, space: Space) -> None:
    """Raise UsageError or ConfigError for a search that cannot be, before anything is run."""
    (trace,) = study.traces
    if _core.is_read_once(given.label(trace)):
        told = f"a search reads its trace again and again, and {trace} can be read only once"
        raise about(UsageError(f"{told}: give a file that stays"), "trace")
    batch.check_names(study)
    sweep_points.check_keys(study)
    if study.seeds > 1 and not given.is_workload(trace):
        alone = study.model_copy(update={"seeds": 1})
        corners = (of_scheme(alone, scheme, space.corners(scheme)) for scheme in study.schemes)
        every = (point.config for each in corners for point in sweep_points.points(each))
        if known := [config for config in every if config is not None]:
            given.check_seeds(study.seeds, known)
    for scheme in study.schemes:
        # A key that no scheme knows is an error before anything is run.
        sweep_points.points(of_scheme(study, scheme, [space.first(scheme)]))
    if search.prefixes:
        _check_prefixes(search, space, trace)


def _check_prefixes(search: Search, space: Space, trace: str) -> None:
    """Raise UsageError for a search that cannot judge points by a beginning of the trace."""
    told = None
    if given.path_of(trace) is None:
        told = "need a trace or workload that is a file or a preset, not a dict"
    of_trace = [a.key for a in space.axes if a.key.startswith((READER, WORKLOAD))]
    if search.goals.several:
        names = ", ".join(search.goals.metrics)
        told = f"points are stopped by one metric, not by several: {names}"
    elif search.suggested_by not in ("tpe", "random"):
        told = f"go with the samplers tpe and random, not {search.suggested_by}"
    elif of_trace:
        told = f"{of_trace[0]} is varied, and with it the trace"
    if told is not None:
        raise about(UsageError(f"prefixes: {told}"), "prefixes")


def searched(
    study: Study,
    search: Search,
    space: Space,
    *,
    out: api.Path | None,
    store: api.Path | None,
    executor: Executor | str,
    jobs: int | None,
    progress: Progress | None,
) -> Tuning:
    """Search, and write what was found to `out`."""
    if out is not None:
        files.Transaction(out, FILES, study.inputs()).check()
        document, table, *_ = (Path(out) / name for name in FILES)
        asked = Path(out) / studies.NAME
        if table.is_file() and (asked.is_file() or not document.is_file()):
            beside = f" with {studies.NAME}" if asked.is_file() else ""
            replaced = f"{table}: is of something else than this search, and is replaced{beside}"
            warnings.warn(replaced, stacklevel=2)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(out) / "store" if out is not None else Path(scratch)
        kept = Path(store) if store is not None else folder
        told = _Told(study.repeats, progress)
        with Engine(kept, executor, jobs, told.of_batch, word="points", share=True) as engine:
            trace = _beginnings(study, kept, progress) if search.prefixes else None
            found = _searched(study, search, space, Points(study, engine, trace), told)
    if out is not None:
        files.write(out, found.files(), study.inputs())
        files.drop(out, (studies.NAME, TABLES[1]), study.inputs())
    return found


def _beginnings(study: Study, store: Path, progress: Progress | None) -> beginnings.Prefixes:
    """Return the beginnings of the trace, drawn by the seed where it is a workload."""
    (trace,) = study.traces
    drawn = study.seed is not None and given.is_workload(trace)
    options = {**study.trace_options, **({"seed": str(study.seed)} if drawn else {})}
    return beginnings.Prefixes(trace, options, store / "prefixes", progress)


def _searched(study: Study, search: Search, space: Space, points: Points, told: _Told) -> Tuning:
    """Search, and return what was found."""
    goals, sampler = search.goals, search.suggested_by
    until = None if search.minutes is None else time.monotonic() + 60 * search.minutes
    if sampler is None:
        key, _ = goals.wanted
        bisection = Bisection(space, goals, points.refused(key, space.axes[0].values))
        told.most, batches = bisection.most, bisection.batches()
    else:
        told.most = search.points_most or 0
        sampled = Sampled(
            space, goals, sampler, search.sampler_seed, search.points_most, search.shares
        )
        batches = sampled.batches(lambda: until is None or time.monotonic() < until)
    tried = _run(batches, points, search, told)
    rows: list[Row] = []
    for each in tried:
        rows += points.rows_of(each, len(rows))
    if all(row.status == "impossible" for row in rows):
        raise StudyError("\n".join(told_of([row.point for row in rows])))
    if sampler is None:
        _check_bounds(search, tried)
    return Tuning(study, search, space, tried, points.kept, rows)


def _run(batches: Batches, points: Points, search: Search, told: _Told) -> list[Tried]:
    """Run the batches of a search, and return the points that it tried."""
    try:
        batch = next(batches)
        while True:
            found = points.run(batch)
            if batch.share == WHOLE:
                if not told.tried:
                    _check_first(search, found)
                told.tried += len(batch.points)
            batch = batches.send(found)
    except StopIteration as end:
        tried: list[Tried] = end.value
        return tried


def _check_first(search: Search, found: Sequence[Found]) -> None:
    """Raise RunError where no point of the first batch has a metric that is searched by."""
    if done := [each for each in found if each.status == "done"]:
        check_figures(search.goals.metrics, done, "first ")


def _check_bounds(search: Search, tried: Sequence[Tried]) -> None:
    """Raise RunError where nothing was measured that a bound is about."""
    done = [each.found for each in tried if each.found.status == "done"]
    if not done:
        reasons = dict.fromkeys(str(t.found.reason) for t in tried if t.found.status == "failed")
        raise RunError(f"no value of {search.goals.key} can be run: {'; '.join(reasons)}")
    check_figures(search.goals.names, done)


class _Told:
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
