"""One piece of work as it goes to a worker, what comes back, and what the worker does meanwhile.

A worker needs nothing but slcache: a trace or state that it cannot see is read or made anew, with
the same result.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from slcache import _core, metrics
from slcache.code import call, spoken
from slcache.documents import figures
from slcache.errors import ConfigError, RunError, TraceError
from slcache.execute import store
from slcache.execute.run import REPEAT, Run
from slcache.files import Timeline
from slcache.metrics import METRICS, PARTS, Value
from slcache.options.content import label, path_of, trace_of
from slcache.sentences import notes
from slcache.trace import Trace, cut

#: The figures of a run, by metric.
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Task:
    """A run, or the making of a file that runs need: a state, a repeated trace, a memory."""

    #: Key of the result, or the file that is made.
    name: str
    kind: Literal["point", "state", "repeat", "memory"]
    run: Run
    #: What was prepared of the trace, if it was.
    prepared: str | None = None
    #: The state that a run starts from.
    state: str | None = None
    #: The code that the call names of which it is a part.
    code: tuple[str, ...] = field(default_factory=lambda: tuple(spoken()))

    def reads(self) -> set[str]:
        """Return the files that it reads, which other tasks may make."""
        paths = (self.run.written or self.run.trace, self.state, self.run.memory_in)
        return {os.fspath(path) for path in paths if path is not None}

    def shared(self) -> list[str]:
        """Return the files that were made for several tasks, and that a worker must see."""
        paths = (self.prepared, self.run.memory_in)
        return [os.fspath(path) for path in paths if path is not None]


@dataclass(frozen=True)
class Done:
    """What became of a task."""

    name: str
    #: The result document as a store keeps it.
    content: bytes = b""
    values: Values = field(default_factory=dict)
    #: What the run took: `wall_s`, `cpu_s` and `peak_rss_bytes`.
    costs: Mapping[str, float] = field(default_factory=dict)
    #: What of the trace it did not serve as it is.
    note: str | None = None
    #: Percentiles that few requests lie beyond, with commas between.
    thin: str = ""
    #: Why the run failed, and would again; the exception that says so, and what it is about.
    error: str | None = None
    kind: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    #: How the worker was lost; another may do better.
    lost: str | None = None


def perform(task: Task) -> Done:
    """Do a task; what is wrong with the run itself is told, not raised."""
    try:
        with call(task.code):
            if task.kind == "point":
                return done_of(task.name, _point(task))
            if task.kind == "repeat":
                # It is for this driver alone.
                _repeat(task.run, Path(task.name))
            else:
                with store.making(Path(task.name)) as path:
                    _MAKINGS[task.kind](task.run, path)
            return Done(task.name)
    except (ConfigError, TraceError, RunError, MemoryError, OSError) as error:
        kind = type(error).__name__
        place = {name: getattr(error, name, None) for name in ("key", "line", "file")}
        return Done(task.name, error=str(error) or kind, kind=kind, about=place)


def _repeat(run: Run, path: Path) -> None:
    """Write a trace over and over, or its beginning, up to the bytes of writes wanted."""
    trace = Trace(run.trace, options=dict(run.trace_options))
    told = trace.info()
    if not told["write_bytes"]:
        raise TraceError(f"{run.trace}: no writes to repeat")
    times = (run.changed[REPEAT] or 0) / told["write_bytes"]
    every = told["requests"] + told["flushes"] + told["trims"]
    take = round(times * every)
    if times > 1:
        cut(trace, path, copies=f"{take}/{every}")
    else:
        cut(trace, path, take=take)


_MAKINGS: Mapping[str, Callable[[Run, Path], object]] = {
    "state": lambda run, path: _core.save_state(path, run.engine_run(), progress=None),
    "memory": lambda run, path: replace(run, memory_out=path).document(trace_of(run.source)),
}


def done_of(name: str, text: str, level: int = 1) -> Done:
    """Return what became of a run that has this result document."""
    document = json.loads(text)
    content = store.pack(name, text.encode(), level)
    return replace(done_of_document(document), name=name, content=content)


def done_of_document(document: Mapping[str, Any]) -> Done:
    """Return what a result document says of its run."""
    note = notes.BETWEEN.join([*notes.beyond(document), *notes.guessed(document)]) or None
    told = metrics.of_runs([document], METRICS | PARTS)
    values = {name: metric.value(document) for name, metric in told.items()}
    costs = {name: document["sim"][name] for name in ("wall_s", "cpu_s", "peak_rss_bytes")}
    thin = ",".join(name for name in values if figures.is_thin(document, name))
    return Done("", values=values, costs=costs, note=note, thin=thin)


def _point(task: Task) -> str:
    """Return the result document of a run, which starts from what was made for it."""
    run = task.run
    trace = trace_of(run.source)
    if task.prepared is not None and Path(task.prepared).exists():
        trace = _core.prepared(label(run.source), Path(task.prepared))
    started = task.state is not None and Path(task.state).exists()
    return replace(run, load_state=task.state if started else None).document(trace)


def serve() -> None:
    """Do tasks until there are no more: the process of a local worker.

    It ends as soon as its pipe does, also in the middle of a run: whoever started it is gone,
    killed or not.
    """
    pipe: Connection = Connection(int(sys.argv[1]))
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_take, args=(pipe, tasks), daemon=True).start()
    while True:
        done = perform(tasks.get())
        sys.stdout.flush()
        pipe.send(done)


def _take(pipe: Connection, tasks: queue.SimpleQueue[Task]) -> None:
    """Take tasks meanwhile: a run must not keep it from seeing that its driver is gone."""
    status = 1
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        status = 0
    except Exception:
        traceback.print_exc()
    _core.remove_scratches()
    os._exit(status)


def version() -> str:
    """Return what two programs have in common whose results may stand for each other."""
    return f"{_core.version()} ({_core.commit()})"


def portable(task: Task) -> Task:
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


def _beside(drawn: Timeline) -> Timeline:
    path, begin, end, every = drawn
    return os.fspath(Path(path).absolute()), begin, end, every


def _found(text: str) -> str:
    path = path_of(text)
    return text if path is None or not Path(path).exists() else os.fspath(Path(path).absolute())


def perform_sent(task: Task, driver: str) -> Done:
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
    return perform(task)


def check_versions(workers: Mapping[str, str]) -> None:
    """Raise RunError unless all workers, told by name and version, have the driver's program."""
    others = {name: found for name, found in workers.items() if found != version()}
    if others:
        name, found = min(others.items())
        raise RunError(f"the worker {name} has slcache {found}, the driver {version()}")
