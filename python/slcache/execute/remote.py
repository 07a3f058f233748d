"""What a worker on another machine does, and what is checked before it may."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from slcache import _core
from slcache.errors import RunError
from slcache.execute import given, tasks
from slcache.execute.tasks import Done, Task
from slcache.files import Drawn


def version() -> str:
    """Return what two programs have in common whose results may stand for each other."""
    return f"{_core.version()} ({_core.commit()})"


def packed(task: Task) -> Task:
    """Return a task as it is sent: the files that it names are found from any folder."""
    run = task.run
    there = replace(
        run,
        device=_found(run.device),
        # What is prepared of a trace only names it.
        trace=run.trace if task.prepared is not None else _found(run.trace),
        memory_in=None if run.memory_in is None else Path(run.memory_in).absolute(),
        log=None if run.log is None else Path(run.log).absolute(),
        timelines=tuple(_beside(drawn) for drawn in run.timelines),
    )
    return replace(task, run=there)


def _beside(drawn: Drawn) -> Drawn:
    path, begin, end, every = drawn
    return os.fspath(Path(path).absolute()), begin, end, every


def _found(text: str) -> str:
    path = given.path_of(text)
    return text if path is None or not Path(path).exists() else os.fspath(Path(path).absolute())


def perform(task: Task, driver: str) -> Done:
    """Do a task that a driver of some version has sent."""
    if version() != driver:
        return Done(task.name, error=f"the worker has slcache {version()}, the driver {driver}")
    unseen = [path for path in task.shared() if not Path(path).exists()]
    if unseen:
        return Done(
            task.name,
            error=f"the worker does not see {unseen[0]}: out and store must be folders that all "
            "machines share",
        )
    return tasks.perform(task)


def check(workers: Mapping[str, str]) -> None:
    """Raise RunError unless all workers, told by name and version, have the driver's program."""
    others = {name: found for name, found in workers.items() if found != version()}
    if others:
        name, found = min(others.items())
        raise RunError(f"the worker {name} has slcache {found}, the driver {version()}")
