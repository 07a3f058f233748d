"""The driver, which has what tasks read made first, and tasks tried again whose worker is lost."""

from __future__ import annotations

import dataclasses
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter

from slcache.errors import ConfigError, Error, RunError, TraceError, about
from slcache.execute.executors import Executor
from slcache.execute.tasks import Done, Task

#: How often a task is tried whose worker is lost.
TRIES = 3
#: Tasks that wait beside those that are running, so that no worker waits for the driver.
_AHEAD = 2
_LOOK_S = 0.1
_ERRORS = {each.__name__: each for each in (ConfigError, TraceError)}


@dataclass
class RunProgress:
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


class Driver:
    """Has tasks done, and the files that they read made first.

    `makings`, by name, make the files that other tasks read, which wait for them. Each result is
    given to `keep`. `report` is called several times a second, and ends the sweep by raising.
    Whoever made the executor ends it, and with it what is still running.
    """

    def __init__(
        self,
        points: Mapping[str, Task],
        makings: Mapping[str, Task],
        executor: Executor,
        keep: Callable[[Done], None],
        kept: int,
        report: Callable[[RunProgress], None],
        *,
        fail_fast: bool = False,
    ) -> None:
        self._results: dict[str, Done] = {}
        self._progress, self._report = RunProgress(len(points), kept), report
        self._executor, self._keep, self._fail_fast = executor, keep, fail_fast
        self._tasks = {task.name: task for task in (*makings.values(), *points.values())}
        #: The files that each task reads, and that others make.
        self._needs = {name: task.reads() & makings.keys() for name, task in self._tasks.items()}
        self._order = TopologicalSorter(self._needs)
        self._order.prepare()
        self._ready = deque(self._order.get_ready())
        self._running: dict[str, Task] = {}
        self._lost: Counter[str] = Counter()
        self._not_made: dict[str, Done] = {}

    def run(self) -> dict[str, Done]:
        """Return what became of each point, by its key."""
        self._report(self._progress)
        while self._ready or self._running:
            self._step()
            self._report(self._progress)
        return self._results

    def _step(self) -> None:
        """Give the executor what it has room for, and take what it has done."""
        while self._ready and len(self._running) < self._executor.slots + _AHEAD:
            self._begin(self._tasks[self._ready.popleft()])
        for done in self._executor.finished(_LOOK_S) if self._running else ():
            # An executor that is used again may still be at work for what was ended before.
            task = self._running.pop(done.name, None)
            if task is None:
                continue
            if done.lost is not None:
                self._progress.lost += 1
                self._lost[task.name] += 1
                if self._lost[task.name] < TRIES:
                    self._ready.appendleft(task.name)
                    continue
                done = dataclasses.replace(done, error=f"{done.lost} ({TRIES} times)", lost=None)
            self._ended(task, done)

    def _begin(self, task: Task) -> None:
        """Have a task done, if what it needs could be made.

        Without a state points precondition for themselves; other files they cannot do without.
        """
        lacks = [name for name in self._needs[task.name] if name in self._not_made]
        missing = next((self._not_made[name] for name in lacks if name != task.state), None)
        if missing is not None:
            self._ended(task, dataclasses.replace(missing, name=task.name))
            return
        self._running[task.name] = task
        # What has its name may be damaged.
        self._executor.submit(dataclasses.replace(task, state=None) if lacks else task)

    def _ended(self, task: Task, done: Done) -> None:
        self._order.done(task.name)
        self._ready.extendleft(reversed(self._order.get_ready()))
        if task.kind != "point":
            self._not_made |= {} if done.error is None else {task.name: done}
            return
        if done.error is None:
            self._keep(done)
            # A sweep of many points must not hold all results.
            done = dataclasses.replace(done, content=b"")
        self._results[done.name] = done
        self._progress.done += 1
        self._progress.cpu_s += done.costs.get("cpu_s", 0.0)
        if done.error is not None:
            self._progress.failed += 1
            if self._fail_fast:
                raise FailedError(done)
