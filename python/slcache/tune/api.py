"""A search from beginning to end."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from slcache import _core, api, config_files, files
from slcache.content import Content
from slcache.errors import ConfigError, RunError, UsageError, about
from slcache.once import flatten, once, twice
from slcache.sweep import given, study, table
from slcache.sweep import points as sweep_points
from slcache.sweep.axes import Axis
from slcache.sweep.executors import Executor, named
from slcache.sweep.table import Row
from slcache.traces import Progress
from slcache.tune import prefixes as beginnings
from slcache.tune import samplers
from slcache.tune.goals import Goals
from slcache.tune.outcome import Tuning
from slcache.tune.runs import Asked, Runs
from slcache.tune.search import BATCH, Plan, Search, Tried
from slcache.tune.space import Space

#: Points that are tried where neither points nor minutes are given.
POINTS = 100


def tune(
    trace: Content,
    *,
    device: Content | None = None,
    scheme: str | Sequence[str] | None = None,
    vary: Mapping[str, object],
    minimise: Sequence[str] = (),
    maximise: Sequence[str] = (),
    keep: Sequence[str] = (),
    points: int | None = None,
    minutes: float | None = None,
    sampler: samplers.Name = "tpe",
    sampler_seed: int = 1,
    prefixes: bool = False,
    seeds: int = 1,
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
    config: api.Path | None = None,
    trace_options: Mapping[str, str] | None = None,
    address: str | None = None,
    replay: str | None = None,
    out: api.Path | None = None,
    store: api.Path | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    on_progress: Progress | None = None,
) -> Tuning:
    """Search for the settings that make some metrics least or most (needs `slcache[tune]`).

    `vary` has what a key may be, as in `slcache.sweep`: `"1..32"`, `"0.1..10@log"` or a list; a
    key under `scheme.NAME` belongs to the points of that scheme. `minimise` and `maximise` name
    metrics, by default write_p99_ns and waf are to be least; `keep` has bounds such as
    `"slc_bytes<=4GiB"`. The search ends after so many `points` or `minutes`, by default after 100
    points, or when all of the space has been tried. `prefixes` stops points that do badly over the
    beginning of the trace. `trace` and `device` may be dicts, as in `run`; `config` is a file with
    keys below `settings`, or a whole configuration with its device and scheme. The same arguments
    try the same points with any number of `jobs`; results are kept in `store`, by default
    `out/store`, so that a search that was ended goes on where it was.
    """
    samplers.check()
    place, schemes, config = _configured(config, device, scheme)
    plan = Plan(
        space=_space(schemes, place, vary),
        goals=_goals(minimise, maximise, keep),
        sampler=sampler,
        seed=sampler_seed,
        points=POINTS if points is None and minutes is None else points,
        prefixes=beginnings.SHARES if prefixes else (),
    )
    asked = Asked(
        trace=_trace(trace),
        device=place,
        schemes=plan.space.schemes,
        settings=api.flat(api.addressed(settings, address)),
        trace_options=dict(trace_options or {}),
        replay=replay,
        seeds=seeds,
        seed=seed,
        config=config,
    )
    _check(plan, asked)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(out) / "store" if out is not None else Path(scratch)
        kept = Path(store) if store is not None else folder
        workers = named.executor(executor, jobs) if isinstance(executor, str) else executor
        try:
            found = _searched(asked, plan, kept, minutes, workers, on_progress)
        finally:
            if workers is not executor:
                workers.close()
    if out is not None:
        _write(found, Path(out))
    return found


def _trace(said: Content) -> str:
    """Return the trace as a text; raises UsageError for several."""
    if isinstance(said, list | tuple):
        told = f"trace: a search is of one trace, and {len(said)} are given; a sweep takes several"
        raise about(UsageError(told), "trace")
    return given.text_of(said)


def _configured(
    config: api.Path | None, device: Content | None, scheme: str | Sequence[str] | None
) -> tuple[str, Sequence[str], str | None]:
    """Return the device, the schemes and the file of single keys that arguments say together."""
    devices = () if device is None else (given.text_of(device),)
    listed = scheme.split(",") if isinstance(scheme, str) else scheme or ()
    found = study.configured(config, devices, tuple(name.strip() for name in listed))
    for what in ("device", "scheme"):
        if not found[f"{what}s"]:
            raise config_files.missing(what)
    return found["devices"][0], found["schemes"], found["config"]


def _space(schemes: Sequence[str], device: str, vary: Mapping[str, object]) -> Space:
    """Return the space; raises UsageError or ConfigError."""
    names, _ = api.named(schemes, device=given.content_of(device))
    if not names:
        raise about(UsageError("scheme: a search needs at least one"), "scheme")
    try:
        axes = [Axis.read(key, said) for key, said in once(flatten(vary)).items()]
    except ValueError as error:
        raise ConfigError(str(error)) from error
    said = twice(names, api.canonical())
    if said is not None:
        raise about(UsageError(f"scheme: {said}"), "scheme")
    if not axes and len(names) < 2:
        raise about(UsageError("vary: a search needs at least one key that may be varied"), "vary")
    return Space(names, axes)


def _goals(minimise: Sequence[str], maximise: Sequence[str], keep: Sequence[str]) -> Goals:
    try:
        return Goals.read(minimise, maximise, keep)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _check(plan: Plan, asked: Asked) -> None:
    """Raise UsageError or ConfigError for a search that cannot be, before anything is run."""
    if plan.points is not None and plan.points < 1:
        raise about(UsageError(f"points = {plan.points}: must be 1 or more"), "points")
    if _core.is_read_once(given.label(asked.trace)):
        told = f"a search reads its trace again and again, and {asked.trace} can be read only once"
        raise about(UsageError(f"{told}: give a file that stays"), "trace")
    table.check_names(asked.whole(axis.key for axis in plan.space.axes))
    for scheme in asked.schemes:
        # A key that no scheme knows is an error before anything is run.
        sweep_points.points(asked.study(scheme, [plan.space.first(scheme)]))
    if plan.prefixes:
        _check_prefixes(plan, asked.trace)


def _check_prefixes(plan: Plan, trace: str) -> None:
    """Raise UsageError for a search that cannot judge points by a beginning of the trace."""
    told = None
    if given.path_of(trace) is None:
        told = "need a trace or workload that is a file or a preset, not a dict"
    of_trace = [a.key for a in plan.space.axes if a.key.startswith(("reader.", "workload."))]
    if plan.goals.several:
        names = ", ".join(plan.goals.metrics)
        told = f"points are stopped by one metric, not by several: {names}"
    elif plan.sampler not in ("tpe", "random"):
        told = f"go with the samplers tpe and random, not {plan.sampler}"
    elif of_trace:
        told = f"{of_trace[0]} is varied, and with it the trace"
    if told is not None:
        raise about(UsageError(f"prefixes: {told}"), "prefixes")


def _searched(
    asked: Asked,
    plan: Plan,
    store: Path,
    minutes: float | None,
    executor: Executor,
    progress: Progress | None,
) -> Tuning:
    """Search, and return what was found."""
    told = _Told(plan, progress)
    trace = None
    if plan.prefixes:
        drawn = asked.seed is not None and given.is_workload(asked.trace)
        options = {**asked.trace_options, **({"seed": str(asked.seed)} if drawn else {})}
        trace = beginnings.Prefixes(asked.trace, options, store / "prefixes", progress)
    runs = Runs(asked, store, executor, trace, told.of_batch)
    search = Search(plan, runs.evaluate)
    until = None if minutes is None else time.monotonic() + 60 * minutes
    tried = search.run(_budget(search, told, until))
    return Tuning(asked, plan, tried, runs.kept, _rows(tried, runs))


def _budget(search: Search, told: _Told, until: float | None) -> Callable[[int], bool]:
    """Return whether the search goes on after so many points: until the time is over."""

    def more(count: int) -> bool:
        told.tried = count
        done = [each for each in search.tried if each.found.status == "done"]
        if count <= BATCH and done:
            _check_figures(search.plan.goals, done)
        return until is None or not count or time.monotonic() < until

    return more


def _check_figures(goals: Goals, done: Sequence[Tried]) -> None:
    """Raise RunError where no run has a metric that is searched by."""
    for name in goals.metrics:
        if all(each.found.figures[name] is None for each in done):
            raise RunError(
                f"{name}: none of the first {len(done)} runs has it, so there is nothing to search "
                "by; does the trace have such requests?"
            )


def _rows(tried: Sequence[Tried], runs: Runs) -> list[Row]:
    """Return the rows of the table, in the order in which points were tried."""
    found: list[Row] = []
    for each in tried:
        found += runs.rows_of(each, len(found))
    return found


class _Told:
    """Tells how far the search is while a batch runs."""

    def __init__(self, plan: Plan, progress: Progress | None) -> None:
        self._most, self._progress = plan.points or 0, progress
        self.tried = 0

    def of_batch(self, phase: str, done: int, total: int) -> bool | None:
        """Report a batch's progress as part of the whole search's."""
        if self._progress is None:
            return True
        if not phase.startswith("points"):
            return self._progress(phase, done, total)
        return self._progress("points", self.tried + done, self._most)


def _write(found: Tuning, out: Path) -> None:
    """Write the files of a search: all of them or none."""
    inputs = given.inputs((found.asked.trace,), (found.asked.device,), found.asked.config)
    content = found.files()
    with files.Transaction(out, content, inputs) as outputs:
        for name, data in content.items():
            outputs.write(name, data)
