"""Runs one after another in this process: whoever waits sees each go on, and may cancel it."""

from __future__ import annotations

from collections import deque

from slcache import _core, api
from slcache.execute import given, tasks
from slcache.execute.tasks import Done, Task
from slcache.traces.api import Progress


class Inline:
    """No other process; a trace that can be read only once is copied, so that all runs can read it.

    What is wrong with a run is raised as it is.
    """

    here = True
    slots = 1

    def __init__(self, progress: Progress | None, level: int = 0) -> None:
        self._progress = progress
        #: How much results are packed, which pays where they are kept.
        self._level = level
        self._tasks: deque[Task] = deque()
        self._opened: dict[str, _core.Rereadable] = {}

    def submit(self, task: Task) -> None:
        """Take a task."""
        self._tasks.append(task)

    def finished(self, timeout_s: float) -> list[Done]:
        """Do the first of the tasks."""
        task = self._tasks.popleft()
        progress = api.prefixed(task.run.title, self._progress)
        text = tasks.document(task.run, self._trace(task.run.source), progress=progress)
        return [tasks.finished(task.name, text, self._level)]

    def _trace(self, text: str) -> str | _core.Rereadable:
        source = given.trace_of(text)
        if not isinstance(source, str):
            return source
        if source not in self._opened:
            self._opened[source] = _core.rereadable(source, progress=self._progress)
        return self._opened[source]

    def close(self) -> None:
        """Forget what is left."""
        self._tasks.clear()
