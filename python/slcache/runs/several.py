"""Several runs whose results are wanted together: one by one, or in processes of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from slcache import _core, api, files
from slcache.errors import UsageError, about
from slcache.results import Result
from slcache.runs import given
from slcache.runs.run import Run
from slcache.traces import Progress

if TYPE_CHECKING:
    from slcache.runs.tasks import Done, Task


def results(asked: Sequence[Run], jobs: int, progress: Progress | None) -> list[Result]:
    """Return the results of runs in their order, of which `jobs` go on at a time.

    The first that fails ends all of them with its exception. `progress` cancels by returning False.
    """
    read = [path for each in asked for path in each.reads()]
    files.check((each.log for each in asked if each.log is not None), read)
    if jobs == 1:
        return _one_by_one(asked, progress)
    for each in asked:
        path = given.path_of(each.trace)
        if path is not None and _core.is_read_once(path):
            told = f"jobs = {jobs}: {path} can be read only once: give a file, or jobs = 1"
            raise about(UsageError(told), "jobs")
    documents = _documents([each.task(each.title) for each in asked], jobs, progress)
    pairs = zip(asked, documents, strict=True)
    return [Result.made(document, None, each.reads()) for each, document in pairs]


def _one_by_one(asked: Sequence[Run], progress: Progress | None) -> list[Result]:
    """Return the results of runs in this process; a pipe is copied, so that all can read it."""
    opened: dict[str, _core.Rereadable] = {}
    found = []
    for each in asked:
        source = given.trace_of(each.trace)
        if isinstance(source, str):
            if source not in opened:
                opened[source] = _core.rereadable(source, progress=progress)
            source = opened[source]
        result = api.replayed(
            source,
            path=given.path_of(each.trace),
            device=given.content_of(each.device),
            scheme=each.scheme,
            settings=each.settings,
            trace_options=list(each.trace_options),
            replay=each.replay,
            seed=each.seed,
            memory_in=each.memory_in,
            log=each.log,
            progress=api.prefixed(each.title, progress),
        )
        found.append(result)
    return found


def _documents(tasks: Sequence[Task], jobs: int, progress: Progress | None) -> list[dict[str, Any]]:
    """Return the result documents of tasks, done in processes of their own."""
    from slcache.runs import driver, store
    from slcache.runs.executors import named

    found: dict[str, dict[str, Any]] = {}

    def keep(done: Done) -> None:
        found[done.name] = store.unpacked(done.content)

    def report(state: driver.Progress) -> None:
        if progress is not None and progress("runs", state.done, state.total) is False:
            raise KeyboardInterrupt

    work = driver.Work({task.name: task for task in tasks})
    try:
        with named.workers("local", min(jobs, len(tasks))) as executor:
            driver.run(work, executor, keep, 0, report, fail_fast=True)
    except driver.FailedError as error:
        raise error.told() from None
    return [found[task.name] for task in tasks]
