"""A search from its first batch to its files."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from slcache import api, files
from slcache.errors import RunError
from slcache.execute import given
from slcache.execute.engine import Engine
from slcache.execute.executors import Executor
from slcache.search import prefixes as beginnings
from slcache.search.bisection import Bisection
from slcache.search.outcome import FILES, Tuning
from slcache.search.runs import Asked, Runs
from slcache.search.search import BATCH, Plan, Search, Tried, check_figures
from slcache.sweep.points import told as told_of
from slcache.sweep.study import StudyError
from slcache.sweep.table import Row
from slcache.traces.api import Progress


def searched(
    asked: Asked,
    plan: Plan,
    *,
    out: api.Path | None,
    store: api.Path | None,
    minutes: float | None,
    executor: Executor | str,
    jobs: int | None,
    progress: Progress | None,
) -> Tuning:
    """Search, and write what was found to `out`."""
    read = given.inputs((asked.trace,), (asked.device,), asked.config)
    if out is not None:
        files.Transaction(out, FILES, read).check()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(out) / "store" if out is not None else Path(scratch)
        kept = Path(store) if store is not None else folder
        told = _Told(asked.seeds if asked.resample is None else asked.resample, progress)
        with Engine(kept, executor, jobs, told.of_batch, word="points", share=True) as engine:
            found = _searched(asked, plan, kept, minutes, engine, told)
    if out is not None:
        files.write(out, found.files(), read)
    return found


def _searched(
    asked: Asked,
    plan: Plan,
    store: Path,
    minutes: float | None,
    engine: Engine,
    told: _Told,
) -> Tuning:
    """Search, and return what was found."""
    trace = None
    if plan.prefixes:
        drawn = asked.seed is not None and given.is_workload(asked.trace)
        options = {**asked.trace_options, **({"seed": str(asked.seed)} if drawn else {})}
        trace = beginnings.Prefixes(asked.trace, options, store / "prefixes", told.progress)
    runs = Runs(asked, engine, trace)
    search: Search | Bisection
    if plan.goals.key is None:
        search = Search(plan, runs.evaluate)
    else:
        search = Bisection(plan, runs.evaluate, asked.refused(plan.goals.key))
    told.most = search.most
    until = None if minutes is None else time.monotonic() + 60 * minutes
    tried = search.run(_budget(search, told, until))
    rows: list[Row] = []
    for each in tried:
        rows += runs.rows_of(each, len(rows))
    if all(row.status == "impossible" for row in rows):
        raise StudyError("\n".join(told_of([row.point for row in rows])))
    if plan.goals.key is not None:
        _check_bounds(plan, tried)
    return Tuning(asked, plan, tried, runs.kept, rows)


def _budget(search: Search | Bisection, told: _Told, until: float | None) -> Callable[[int], bool]:
    """Return whether the search goes on after so many points: until the time is over."""

    def more(count: int) -> bool:
        told.tried = count
        if count <= BATCH:
            done = [each.found for each in search.tried if each.found.status == "done"]
            if done:
                check_figures(search.plan.goals.metrics, done, "first ")
        return until is None or not count or time.monotonic() < until

    return more


def _check_bounds(plan: Plan, tried: Sequence[Tried]) -> None:
    """Raise RunError where nothing was measured that a bound is about."""
    done = [each.found for each in tried if each.found.status == "done"]
    if not done:
        reasons = dict.fromkeys(str(t.found.reason) for t in tried if t.found.status == "failed")
        raise RunError(f"no value of {plan.goals.key} can be run: {'; '.join(reasons)}")
    check_figures(plan.goals.names, done)


class _Told:
    """Tells how far the search is, in runs, while a batch goes on."""

    def __init__(self, each: int, progress: Progress | None) -> None:
        #: Runs of each point.
        self._each, self.progress = each, progress
        #: Points tried, and how many there will be at most.
        self.tried = self.most = 0

    def of_batch(self, phase: str, done: int, total: int) -> bool | None:
        """Report a batch's progress as part of the whole search's."""
        if self.progress is None:
            return True
        if not phase.startswith("points"):
            return self.progress(phase, done, total)
        before = self.tried * self._each
        most = self.most and max(self.most * self._each, before + total)
        return self.progress("points", before + done, most)
