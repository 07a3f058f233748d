"""What a worker on another machine does, and what is checked before it may."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from slcache import _core
from slcache._core import RunError
from slcache.files import Drawn
from slcache.runs import given, tasks
from slcache.runs.tasks import Done, Task


def version() -> str:
    """Return what two programs have in common whose results may stand for each other."""
    return f"{_core.version()} ({_core.commit()})"


def packed(task: Task) -> dict[str, Any]:
    """Return a task as it is sent: the files that it names are found from any folder."""
    device, trace = _found(task.device), _found(task.trace)
    # What is prepared of a trace only names it.
    named = task.trace if task.prepared is not None else trace
    there = dataclasses.replace(
        task,
        device=device,
        trace=named,
        memory_in=_absolute(task.memory_in),
        log=_absolute(task.log),
        timelines=tuple(_beside(drawn) for drawn in task.timelines),
    )
    return there.to_dict()


def _beside(drawn: Drawn) -> Drawn:
    path, begin, end, every = drawn
    return os.fspath(Path(path).absolute()), begin, end, every


def _absolute(path: str | None) -> str | None:
    return None if path is None else os.fspath(Path(path).absolute())


def _found(text: str) -> str:
    path = given.path_of(text)
    return text if path is None or not Path(path).exists() else os.fspath(Path(path).absolute())


def perform(told: Mapping[str, Any], driver: str) -> Done:
    """Do a task that a driver of some version has sent."""
    task = Task.of(told)
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
