"""Several runs whose results are wanted together: one by one here, or wherever runs go on."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from slcache import _core, files
from slcache.errors import UsageError, about
from slcache.execute.run import Run
from slcache.options import content
from slcache.options.models import ExecutionOptions
from slcache.results.result import Result
from slcache.trace import Progress

if TYPE_CHECKING:
    from slcache.execute.tasks import Done, Task


def with_title(scheme: str, progress: Progress | None) -> Progress | None:
    """Return a report of progress that names the scheme with each phase."""
    if progress is None:
        return None
    return lambda phase, done, total: progress(f"{scheme}: {phase}", done, total)


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
        # Who imports slcache runs nothing yet.
        from slcache.execute import tasks

        task = self._tasks.popleft()
        progress = with_title(task.run.title, self._progress)
        text = task.run.document(self._trace(task.run.source), progress=progress)
        return [tasks.done_of(task.name, text, self._level)]

    def _trace(self, text: str) -> str | _core.Rereadable:
        source = content.trace_of(text)
        if not isinstance(source, str):
            return source
        if source not in self._opened:
            self._opened[source] = _core.rereadable(source, progress=self._progress)
        return self._opened[source]

    def close(self) -> None:
        """Forget what is left."""
        self._tasks.clear()


def results(
    asked: Sequence[Run], where: ExecutionOptions, progress: Progress | None
) -> list[Result]:
    """Return the results of runs in their order, which go on `where` it is said.

    With one job they go on in this process, one by one. The first that fails ends all of them with
    its exception; what is done is kept where there is a store. `progress` cancels by returning
    False.
    """
    # What only runs need is loaded with the first of them.
    from slcache.execute.engine import Engine

    read = [path for each in asked for path in each.reads()]
    files.check((path for each in asked for path in each.writes), read)
    here = where.executor == "local" and where.jobs in (None, 1)
    if not here or where.store is not None:
        _check_pipes(asked, where, here=here)
    place = None if where.store is None else Path(where.store)
    if here:
        inline = Inline(progress, 0 if place is None else 1)
        engine = Engine(place, inline, None, progress if len(asked) > 1 else None, titles=False)
    else:
        engine = Engine(place, where.executor, where.jobs, progress, titles=False)
    with engine:
        documents = engine.results(asked)
    pairs = zip(asked, documents, strict=True)
    return [Result.made(document, None, each.reads()) for each, document in pairs]


def _check_pipes(asked: Sequence[Run], where: ExecutionOptions, *, here: bool) -> None:
    """Raise UsageError for a trace that can be read only once where that is not enough."""
    paths = (content.path_of(each.trace) for each in asked)
    pipe = next((path for path in paths if path is not None and _core.is_read_once(path)), None)
    if pipe is None:
        return
    if here:
        name, instead = "store", "leave store out"
    elif where.executor == "local":
        name, instead = "jobs", "jobs = 1"
    else:
        name, instead = "executor", "leave executor out"
    told = f"{name} = {getattr(where, name)}: {pipe} can be read only once: give a file, or"
    raise about(UsageError(f"{told} {instead}"), name)
