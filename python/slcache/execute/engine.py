"""One engine of runs: what they share, what is kept, and the driver of what is left to run."""

from __future__ import annotations

import dataclasses
import json
import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from slcache import _core, files
from slcache.errors import ConfigError, Error, RunError, TraceError, about
from slcache.execute import executors, store, tasks
from slcache.execute.executors import Executor
from slcache.execute.run import REPEAT, ReaderOptions, Run, identity
from slcache.execute.tasks import Done, Task
from slcache.options import content
from slcache.trace import Progress

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


#: A trace with the options that it is read with.
TraceReading = tuple[str, tuple[tuple[str, str], ...]]


def trace_reading(run: Run) -> TraceReading:
    """Return how a run reads its trace."""
    return run.trace, tuple(run.trace_options)


class Traces:
    """Traces that are looked at once, however many runs read them."""

    def __init__(self, folder: Path, progress: Progress | None) -> None:
        self._folder, self._progress = folder, progress
        self._opened: dict[str, str | _core.Rereadable] = {}
        self._fingerprints: dict[TraceReading, str] = {}
        #: Prepared files that were looked at or made here.
        self._known: set[Path] = set()

    def fingerprint(self, trace: str, options: ReaderOptions) -> str:
        """Return the hash of what a trace is read from; raises TraceError."""
        one = trace, tuple(options)
        if one not in self._fingerprints:
            self._fingerprints[one] = _core.fingerprint(
                self._open(trace), trace_options=list(options), progress=self._progress
            )
        return self._fingerprints[one]

    def prepared(self, runs: Iterable[Run], *, here: bool) -> dict[TraceReading, Path]:
        """Parse every trace that several runs read, or that can be read only once.

        If they are not read `here`, every trace that is a file: what is prepared of it is found
        from any folder. Returns the prepared files; raises TraceError.
        """
        uses = Counter(map(trace_reading, runs))
        return {
            each: self._prepared(each)
            for each, times in uses.items()
            if times > 1
            or not (here or content.is_workload(each[0]))
            or _core.is_read_once(each[0])
        }

    def _prepared(self, one: TraceReading) -> Path:
        trace, options = one
        parts = {"trace": self.fingerprint(trace, options), "options": options}
        path = self._folder / f"{store.key(parts)}.parquet"
        if path not in self._known and not store.sound(path):
            with store.making(path) as made:
                _core.prepare(
                    self._open(trace), made, trace_options=list(options), progress=self._progress
                )
        self._known.add(path)
        return path

    def _open(self, trace: str) -> str | _core.Rereadable:
        """Return a trace that can be read twice; a pipe is copied."""
        if trace not in self._opened:
            once = _core.is_read_once(trace)
            self._opened[trace] = (
                _core.rereadable(trace, progress=self._progress)
                if once
                else content.trace_of(trace)
            )
        return self._opened[trace]


#: The parts of a configuration that a preconditioned state depends on.
_OF_STATE = ("device", "scheme", "buffer", "run", "precondition")


class Engine:
    """Runs whatever is asked of it, and keeps it; leaving the block ends its workers.

    Results are kept below the folder `place`; without one they are not. `executor` is a name as
    `--executor` has it, with `jobs` processes where it starts them, or workers that somebody else
    ends. `progress` is called as things go on, with the runs as `word` calls them, and cancels by
    returning False. Errors begin with the run's title, unless they are to tell no `titles`. Runs
    that `share` a trace or a preconditioned state have it made once, in the store too.
    """

    def __init__(
        self,
        place: Path | None,
        executor: Executor | str = "local",
        jobs: int | None = None,
        progress: Progress | None = None,
        *,
        titles: bool = True,
        word: str = "runs",
        share: bool = False,
    ) -> None:
        self._keeps = place is not None
        if place is not None:
            files.check_folder(place)
        # Workers may be elsewhere.
        self._place = (place or Path()).absolute()
        self.store = store.Store(self._place / "results")
        self.progress, self._titles, self._word = progress, titles, word
        self._asked, self._jobs, self._share = executor, jobs, share
        self._executor: Executor | None = None
        self._scratch: Path | None = None
        self._workers, self._files = ExitStack(), ExitStack()
        self._traces = Traces(self._place / "traces", progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Workers read the files.
        self._workers.close()
        self._files.close()

    def fingerprint(self, trace: str, options: ReaderOptions) -> str:
        """Return the hash of what a trace is read from; raises TraceError."""
        return self._traces.fingerprint(trace, options)

    def key(self, run: Run) -> str:
        """Return the name under which a run's result is kept."""
        assert self._is_kept(run)
        return store.key(self._identity(run))

    def _identity(self, run: Run) -> dict[str, Any]:
        return identity(
            run.config,
            self.fingerprint(run.trace, run.trace_options),
            run.trace_options,
            changed=run.changed,
            after=None if run.after is None else self._identity(run.after),
        )

    def _is_kept(self, run: Run) -> bool:
        """Return whether a result is kept: files have to be written, a memory may be another."""
        return self._keeps and not run.writes and run.memory_in is None

    def kept(self, runs: Sequence[Run]) -> bool:
        """Return whether every result is there already."""
        return all(self.store.get(self.key(run)) is not None for run in runs)

    def known(self, keys: Iterable[str]) -> dict[str, Done]:
        """Return the figures of the results that are there already."""
        found = ((key, self.store.get(key)) for key in keys)
        return {
            key: tasks.done_of_document(document) for key, document in found if document is not None
        }

    def short(self, runs: Mapping[str, Run]) -> dict[str, str]:
        """Return by name why runs that are to go on here cannot have the memory they need."""
        if self._asked != "local":
            return {}
        known: dict[str, str | None] = {}
        found = {}
        for key, run in runs.items():
            # What a run takes depends on the device and how full it is made.
            name = json.dumps([run.config["device"], run.config["precondition"]["fill"]])
            if name not in known:
                known[name] = _core.shortage(run.engine_run())
            if (reason := known[name]) is not None:
                found[key] = reason
        return found

    def results(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        """Return the result documents of runs in their order; runs only what is not kept.

        The first run that fails ends all of them with its exception, and what is done is kept.
        """
        keys = [self.key(run) if self._is_kept(run) else run.title for run in runs]
        # Equal runs are one.
        of_key = dict(zip(keys, runs, strict=True))
        for key, run in zip(keys, runs, strict=True):
            # Without a store a run's title tells it: two runs of one title would be one.
            assert self._is_kept(run) or of_key[key] == run, f"two runs are called {key!r}"
        found = {
            key: kept
            for key, run in of_key.items()
            if self._is_kept(run) and (kept := self.store.get(key)) is not None
        }
        todo = {key: run for key, run in of_key.items() if key not in found}
        if reasons := self.short(todo):
            told = dict.fromkeys(f"{todo[key].title}: {why}" for key, why in reasons.items())
            raise ConfigError("\n".join(told))

        def take(done: Done) -> None:
            found[done.name] = store.unpack(done.content)

        try:
            self.outcomes(todo, len(found), take, fail_fast=True)
        except FailedError as error:
            title = todo[error.done.name].title if self._titles else ""
            raise error.told(title) from None
        return [found[key] for key in keys]

    def outcomes(
        self,
        runs: Mapping[str, Run],
        kept: int = 0,
        take: Callable[[Done], object] = lambda _: None,
        *,
        fail_fast: bool = False,
    ) -> dict[str, Done]:
        """Do runs, by their keys, and return what became of each, its result kept by then.

        `take` is given each result as it comes; `kept` are told of as results that were there
        before. With `fail_fast` the first that fails is a `driver.FailedError`.
        """
        if not runs:
            return {}
        makings: dict[str, Task] = {}
        # The longest first, so that none is left alone at the end.
        order = sorted(runs.items(), key=lambda item: -item[1].size)
        points = {key: self._task(key, run, makings) for key, run in order}
        if self._executor is None:
            found = executors.workers(self._asked, self._jobs)
            self._executor = self._workers.enter_context(found)
        if self._share:
            self._add_shared(points, makings, here=self._executor.here)
        with store.Keeper(self.store) as keeper:

            def keep(done: Done) -> None:
                if self._is_kept(runs[done.name]):
                    keeper.keep(done.name, done.content)
                take(done)

            def report(state: RunProgress) -> None:
                self.tell(state.told(self._word), state.done, state.total)

            outcomes = Driver(
                points, makings, self._executor, keep, kept, report, fail_fast=fail_fast
            ).run()
        for task in makings.values():
            if task.kind == "repeat":
                Path(task.name).unlink()
        return outcomes

    def tell(self, phase: str, done: int, total: int) -> None:
        """Say how things go on; raises KeyboardInterrupt where they are not to."""
        if self.progress is not None and self.progress(phase, done, total) is False:
            raise KeyboardInterrupt

    def _task(
        self,
        name: str,
        run: Run,
        makings: dict[str, Task],
        kind: Literal["point", "memory"] = "point",
    ) -> Task:
        """Return the task of a run; what makes the files that it needs is added to `makings`."""
        memory = run.memory_in if run.after is None else self._memory(run.after, makings)
        if REPEAT in run.changed:
            run = replace(run, written=self._repeated(run, makings))
        return Task(name, kind, replace(run, memory_in=memory))

    def _memory(self, run: Run, makings: dict[str, Task]) -> str:
        """Return the file with what a scheme has learned in a run; kept for later ones."""
        path = self._place / "memories" / f"{self.key(run)}.memory"
        name = os.fspath(path)
        if name not in makings and not store.sound(path):
            makings[name] = self._task(name, run, makings, "memory")
        return name

    def _repeated(self, run: Run, makings: dict[str, Task]) -> str:
        """Return the file with a repeated trace: large, and so gone when the runs are done."""
        if self._scratch is None:
            self._place.mkdir(parents=True, exist_ok=True)
            self._scratch = self._files.enter_context(files.scratch(self._place))
        read = self.fingerprint(run.trace, run.trace_options)
        parts = identity({}, read, run.trace_options, changed=run.changed)
        path = self._scratch / f"{store.key(parts)}.parquet"
        return makings.setdefault(os.fspath(path), Task(os.fspath(path), "repeat", run)).name

    def _add_shared(self, points: dict[str, Task], makings: dict[str, Task], *, here: bool) -> None:
        """Have tasks start from what several of them share, made before the first of them."""
        parsed = self._traces.prepared((task.run for task in points.values()), here=here)
        starts = self._starts(points.values())
        for key, task in points.items():
            state = starts.get(key)
            if state is not None and state not in makings and not store.sound(Path(state)):
                makings[state] = Task(state, "state", task.run)
            file = parsed.get(trace_reading(task.run))
            points[key] = replace(
                task, prepared=None if file is None else os.fspath(file), state=state
            )

    def _starts(self, points: Collection[Task]) -> dict[str, str]:
        """Return the file of the state that each run starts from, where several share one."""
        found = {}
        for task in points:
            config = task.run.config
            if config["precondition"]["fill"]:
                name = store.key({"state": {part: config[part] for part in _OF_STATE}})
                found[task.name] = self._place / "states" / f"{name}.slcstate"
        uses = Counter(found.values())
        return {
            name: os.fspath(path) for name, path in found.items() if uses[path] > 1 or path.exists()
        }
