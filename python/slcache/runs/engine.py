"""Has runs done whose results are not kept yet: one store and one executor for several calls."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from slcache import _core, files
from slcache.errors import ConfigError
from slcache.runs import driver, given, room, store
from slcache.runs.executors import Executor, named
from slcache.runs.keeper import Keeper
from slcache.runs.run import REPEAT, Options, Run, identity
from slcache.runs.tasks import Done, Task
from slcache.traces.api import Progress


class Engine:
    """Runs whatever is asked of it, and keeps it; leaving the block ends its workers.

    Results are kept below the folder `place`; without one they are not. `executor` is a name as
    `--executor` has it, with `jobs` processes where it starts them, or workers that somebody else
    ends. `progress` is called as things go on, and cancels by returning False. Errors begin with
    the run's title, unless they are to tell no `titles`.
    """

    def __init__(
        self,
        place: Path | None,
        executor: Executor | str = "local",
        jobs: int | None = None,
        progress: Progress | None = None,
        *,
        titles: bool = True,
    ) -> None:
        self._keeps = place is not None
        # Workers may be elsewhere.
        self._place = (place or Path()).absolute()
        self.store = store.Store(self._place / "results")
        self.progress, self._titles = progress, titles
        self._asked, self._jobs = executor, jobs
        self._executor: Executor | None = None
        self._scratch: Path | None = None
        self._workers, self._files = ExitStack(), ExitStack()
        self._fingerprints: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}

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

    def fingerprint(self, trace: str, options: Options) -> str:
        """Return the hash of what a trace is read from; raises TraceError."""
        reading = (trace, tuple(options))
        if reading not in self._fingerprints:
            self._fingerprints[reading] = _core.fingerprint(
                given.trace_of(trace), trace_options=list(options), progress=self.progress
            )
        return self._fingerprints[reading]

    def key(self, run: Run) -> str:
        """Return the name under which a run's result is kept."""
        assert self._is_kept(run)
        return store.key(self._identity(run))

    def _is_kept(self, run: Run) -> bool:
        """Return whether a result is kept: files have to be written, a memory may be another."""
        writes = run.log is not None or bool(run.timelines)
        return self._keeps and not writes and run.memory_in is None

    def kept(self, runs: Sequence[Run]) -> bool:
        """Return whether every result is there already."""
        return all(self.store.get(self.key(run)) is not None for run in runs)

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
        if todo:
            found |= self._done(todo, len(found))
        return [found[key] for key in keys]

    def _done(self, todo: Mapping[str, Run], kept: int) -> dict[str, dict[str, Any]]:
        """Return the results of runs by their keys, each kept as soon as it is there."""
        makings: dict[str, Task] = {}
        # The longest first, so that none is left alone at the end.
        order = sorted(todo.items(), key=lambda item: -item[1].size)
        work = driver.Work({key: self._task(key, run, makings) for key, run in order}, makings)
        self._check_room(work, todo)
        if self._executor is None:
            self._executor = self._workers.enter_context(named.workers(self._asked, self._jobs))
        found: dict[str, dict[str, Any]] = {}
        try:
            with Keeper(self.store) as keeper:

                def keep(done: Done) -> None:
                    if self._is_kept(todo[done.name]):
                        keeper.keep(done)
                    found[done.name] = store.unpacked(done.content)

                def report(state: driver.Progress) -> None:
                    self.tell(state.told("runs"), state.done, state.total)

                driver.run(work, self._executor, keep, kept, report, fail_fast=True)
        except driver.FailedError as error:
            title = todo[error.done.name].title if self._titles else ""
            raise error.told(title) from None
        for task in work.makings.values():
            if task.kind == "repeat":
                Path(task.name).unlink()
        return found

    def tell(self, phase: str, done: int, total: int) -> None:
        """Say how things go on; raises KeyboardInterrupt where they are not to."""
        if self.progress is not None and self.progress(phase, done, total) is False:
            raise KeyboardInterrupt

    def _check_room(self, work: driver.Work, runs: Mapping[str, Run]) -> None:
        """Raise ConfigError for runs that do not fit into the memory of this machine."""
        if self._asked == "local":
            reasons = room.short((runs[key].config, task) for key, task in work.points.items())
            if reasons:
                told = dict.fromkeys(f"{runs[key].title}: {why}" for key, why in reasons.items())
                raise ConfigError("\n".join(told))

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
            run = dataclasses.replace(run, written=self._repeated(run, makings))
        return dataclasses.replace(run, memory_in=memory).task(name, kind)

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
        name = os.fspath(path)
        if name not in makings:
            making = run.task(name, "repeat")
            makings[name] = dataclasses.replace(making, write_bytes=run.changed[REPEAT] or 0)
        return name

    def _identity(self, run: Run) -> dict[str, Any]:
        return identity(
            run.config,
            self.fingerprint(run.trace, run.trace_options),
            run.trace_options,
            changed=run.changed,
            after=None if run.after is None else self._identity(run.after),
        )
