"""Where runs go on, and the driver that has what tasks read made first."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from slcache.errors import ConfigError, Error, RunError, TraceError, UsageError, about
from slcache.execute.local import Local
from slcache.execute.tasks import Done, Task

#: By kind: the library, which is the extra of that name too.
_LIBRARIES = {"dask": "distributed", "ray": "ray"}


class Executor(Protocol):
    """Runs tasks somewhere."""

    #: Whether workers see the folder and files that the driver sees, by the same names.
    here: bool

    @property
    def slots(self) -> int:
        """How many tasks it wants to have at a time."""

    def submit(self, task: Task) -> None:
        """Take a task."""

    def finished(self, timeout_s: float) -> list[Done]:
        """Return what has become of tasks since; waits for the first of them, but no longer."""

    def close(self) -> None:
        """End what is still running, at once."""


def check(text: str, workers: int | None) -> None:
    """Raise UsageError for what is no executor, or cannot be one here."""
    match = re.fullmatch(r"(dask|ray)://(.*)", text)
    if match is None:
        if text != "local":
            told = f"executor = {text}: must be local, dask://[HOST:PORT] or ray://[HOST:PORT]"
            raise about(UsageError(told), "executor")
        return
    kind, address = match.groups()
    if address and workers is not None:
        raise about(UsageError(f"jobs = {workers}: {text} has workers of its own"), "jobs")
    if importlib.util.find_spec(_LIBRARIES[kind]) is None:
        told = f"executor = {text}: needs pip install 'slcache[{kind}]'"
        raise about(UsageError(told), "executor")


@contextmanager
def workers(asked: Executor | str, count: int | None) -> Iterator[Executor]:
    """Yield an executor, given or by its name; one that is made here is ended.

    It has `count` processes where it starts them on this machine. Raises UsageError as `check`
    does, and RunError where no cluster answers.
    """
    if not isinstance(asked, str):
        if not hasattr(asked, "submit"):
            told = f"executor = {asked!r:.60}: must be a name such as local, or take tasks"
            raise about(UsageError(told), "executor")
        yield asked
        return
    check(asked, count)
    made = _made(asked, count)
    try:
        yield made
    finally:
        made.close()


def _made(text: str, workers: int | None) -> Executor:
    """Return an executor of this name; raises RunError where no cluster answers."""
    if text == "local":
        return Local(workers)
    kind, address = text.split("://", 1)
    module = importlib.import_module(f"slcache.execute.{kind}")
    found: Executor = getattr(module, kind.capitalize())(address, workers)
    return found


#: How often a task is tried whose worker is lost.
TRIES = 3
#: Tasks that wait beside those that are running, so that no worker waits for the driver.
_AHEAD = 2
_LOOK_S = 0.1
_ERRORS = {each.__name__: each for each in (ConfigError, TraceError)}


@dataclass
class Progress:
    """How far runs are; results that were there before them do not count."""

    total: int
    kept: int
    done: int = 0
    failed: int = 0
    lost: int = 0
    cpu_s: float = 0.0

    def told(self, what: str = "points") -> str:
        """Return a sentence of it."""
        parts = [f"{self.done} of {self.total} done", f"{self.total - self.done} left"]
        parts += [f"{self.kept} kept"] if self.kept else []
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.lost} workers lost"] if self.lost else []
        return f"{what} ({', '.join(parts)}, CPU time {self.cpu_s:,.0f} s)"


class FailedError(Exception):
    """A point failed, and that was to be the end."""

    def __init__(self, done: Done) -> None:
        super().__init__(done.error)
        self.done = done

    def told(self, title: str = "") -> Error:
        """Return the exception that a run of this title would have raised here."""
        kind = _ERRORS.get(self.done.kind, RunError)
        return about(kind(f"{title}: {self}" if title else str(self)), **self.done.about)


def run(
    points: Mapping[str, Task],
    makings: Mapping[str, Task],
    executor: Executor,
    keep: Callable[[Done], None],
    kept: int,
    report: Callable[[Progress], None],
    *,
    fail_fast: bool = False,
) -> dict[str, Done]:
    """Return what became of each point, by its key; its result was given to `keep` by then.

    `makings`, by name, make the files that other tasks read, which wait for them.
    `report` is called several times a second, and ends the sweep by raising. Whoever made the
    executor ends it, and with it what is still running.
    """
    progress = Progress(len(points), kept)
    report(progress)
    loop = _Loop(points, makings, executor, keep, progress, fail_fast)
    while loop.pending:
        loop.step()
        report(progress)
    return loop.results


class _Loop:
    """The state of a sweep while it runs."""

    def __init__(
        self,
        points: Mapping[str, Task],
        makings: Mapping[str, Task],
        executor: Executor,
        keep: Callable[[Done], None],
        progress: Progress,
        fail_fast: bool,
    ) -> None:
        self.results: dict[str, Done] = {}
        self.progress = progress
        self._executor, self._keep, self._fail_fast = executor, keep, fail_fast
        self._tries: dict[str, int] = {}
        #: What each task still waits for, and which tasks wait for it.
        self._needs: dict[str, set[str]] = {}
        self._waiting: dict[str, list[Task]] = {name: [] for name in makings}
        self._ready: deque[Task] = deque()
        for task in (*makings.values(), *points.values()):
            needs = task.reads() & makings.keys()
            self._needs[task.name] = needs
            if not needs:
                self._ready.append(task)
            for name in needs:
                self._waiting[name].append(task)
        self._running: dict[str, Task] = {}
        self._not_made: set[str] = set()

    @property
    def pending(self) -> bool:
        """Whether anything is still to be done."""
        return bool(self._ready or self._running)

    def step(self) -> None:
        """Give the executor what it has room for, and take what it has done."""
        while self._ready and len(self._running) < self._executor.slots + _AHEAD:
            task = self._ready.popleft()
            self._running[task.name] = task
            # What has its name may be damaged.
            lacks = task.state in self._not_made
            self._executor.submit(dataclasses.replace(task, state=None) if lacks else task)
        for done in self._executor.finished(_LOOK_S):
            # An executor that is used again may still be at work for what was ended before.
            if done.name not in self._running:
                continue
            task = self._running.pop(done.name)
            if done.lost is not None:
                if self._again(task):
                    continue
                done = dataclasses.replace(done, error=f"{done.lost} ({TRIES} times)", lost=None)
            self._ended(task, done)

    def _again(self, task: Task) -> bool:
        """Whether a task whose worker was lost is tried once more."""
        self.progress.lost += 1
        self._tries[task.name] = self._tries.get(task.name, 0) + 1
        if self._tries[task.name] >= TRIES:
            return False
        self._ready.appendleft(task)
        return True

    def _ended(self, task: Task, done: Done) -> None:
        if task.kind == "point":
            self._point(done)
            return
        if done.error is not None:
            self._not_made.add(task.name)
        # Without a state points precondition for themselves; other files they cannot do without.
        missing = done.error is not None and task.kind != "state"
        for other in reversed(self._waiting.pop(task.name)):
            needs = self._needs[other.name]
            if task.name not in needs:
                continue
            needs.remove(task.name)
            if missing:
                needs.clear()
                self._ended(other, dataclasses.replace(done, name=other.name))
            elif not needs:
                self._ready.appendleft(other)

    def _point(self, done: Done) -> None:
        if done.error is None:
            self._keep(done)
            # A sweep of many points must not hold all results.
            done = dataclasses.replace(done, content=b"")
        self.results[done.name] = done
        self.progress.done += 1
        self.progress.cpu_s += done.costs.get("cpu_s", 0.0)
        if done.error is not None:
            self.progress.failed += 1
            if self._fail_fast:
                raise FailedError(done)
