"""Several runs whose results are wanted together: one by one, or in processes of their own."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from slcache import _core, api, config_files, files
from slcache.content import Content, path_of, trace_of
from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.results import Result
from slcache.runs import given
from slcache.traces import Progress

if TYPE_CHECKING:
    from slcache.runs.tasks import Done, Task

_ERRORS = {each.__name__: each for each in (_core.ConfigError, _core.TraceError)}


@dataclass(frozen=True)
class Asked:
    """A run, as `slcache.run` takes it."""

    #: What tells it from the others.
    name: str
    trace: Content
    device: Content
    scheme: str
    settings: Mapping[str, Any]
    trace_options: list[tuple[str, str]] = field(default_factory=list)
    replay: str | None = None
    seed: int | None = None
    memory_in: Path | None = None
    log: pathlib.Path | None = None

    def read(self) -> list[Path]:
        """Return the files that it reads."""
        said = config_files.read_by(self.settings)
        return files.inputs(path_of(self.trace), path_of(self.device), self.memory_in, *said)

    def task(self) -> Task:
        """Return the run as it goes to another process."""
        # What only other processes need is loaded with the first of them.
        from slcache.runs.tasks import Task

        log = None if self.log is None else os.fspath(api.checked_log(self.log))
        return Task(
            name=self.name,
            kind="point",
            trace=given.text_of(self.trace),
            trace_options=self.trace_options,
            device=given.text_of(self.device),
            scheme=self.scheme,
            sets=api.sets(self.settings),
            seed=self.seed,
            replay=self.replay,
            memory_in=None if self.memory_in is None else os.fspath(self.memory_in),
            log=log,
        )


def results(asked: Sequence[Asked], jobs: int, progress: Progress | None) -> list[Result]:
    """Return the results of runs in their order, of which `jobs` go on at a time.

    The first that fails ends all of them with its exception. `progress` cancels by returning False.
    """
    read = [path for each in asked for path in each.read()]
    files.check((each.log for each in asked if each.log is not None), read)
    if jobs == 1:
        return _one_by_one(asked, progress)
    for each in asked:
        if isinstance(each.trace, str | os.PathLike) and _core.is_read_once(os.fspath(each.trace)):
            told = f"jobs = {jobs}: {each.trace} can be read only once: give a file, or jobs = 1"
            raise about(UsageError(told), "jobs")
    documents = _documents([each.task() for each in asked], jobs, progress)
    pairs = zip(asked, documents, strict=True)
    return [Result.made(document, None, each.read()) for each, document in pairs]


def _one_by_one(asked: Sequence[Asked], progress: Progress | None) -> list[Result]:
    """Return the results of runs in this process; a pipe is copied, so that all can read it."""
    opened: dict[str, _core.Rereadable] = {}
    found = []
    for each in asked:
        source = trace_of(each.trace)
        if isinstance(source, str):
            if source not in opened:
                opened[source] = _core.rereadable(source, progress=progress)
            source = opened[source]
        result = api.replayed(
            source,
            path=path_of(each.trace),
            device=each.device,
            scheme=each.scheme,
            settings=each.settings,
            trace_options=each.trace_options,
            replay=each.replay,
            seed=each.seed,
            memory_in=each.memory_in,
            log=each.log,
            progress=api.prefixed(each.name, progress),
        )
        found.append(result)
    return found


def _documents(tasks: Sequence[Task], jobs: int, progress: Progress | None) -> list[dict[str, Any]]:
    """Return the result documents of tasks, done in processes of their own."""
    from slcache.runs import driver, store
    from slcache.runs.executors.local import Local

    found: dict[str, dict[str, Any]] = {}

    def keep(done: Done) -> None:
        found[done.name] = store.unpacked(done.content)

    def report(state: driver.Progress) -> None:
        if progress is not None and progress("runs", state.done, state.total) is False:
            raise KeyboardInterrupt

    executor = Local(min(jobs, len(tasks)))
    work = driver.Work({task.name: task for task in tasks})
    try:
        driver.run(work, executor, keep, 0, report, fail_fast=True)
    except driver.FailedError as error:
        kind = _ERRORS.get(error.done.kind, _core.RunError)
        raise about(kind(str(error)), **error.done.about) from None
    finally:
        executor.close()
    return [found[task.name] for task in tasks]
