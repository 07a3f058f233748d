"""One piece of work as it goes to a worker, and what comes back: plain data, both of them.

A worker needs nothing but slcache: a trace or state that it cannot see is read or made anew, with
the same result.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from slcache import _core, named
from slcache._core import ConfigError, RunError, TraceError
from slcache.files import Drawn
from slcache.given.content import Run
from slcache.metrics import METRICS, PARTS, Value
from slcache.runs import given, store
from slcache.traces.api import Progress, Trace, cut

#: The figures of a run, by metric.
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Task:
    """A run, or the making of a file that runs need: a state, a repeated trace, a memory."""

    #: Key of the result, or the file that is made.
    name: str
    kind: Literal["point", "state", "repeat", "memory"]
    trace: str
    trace_options: list[tuple[str, str]]
    device: str
    scheme: str
    sets: list[str]
    seed: int | None
    replay: str | None
    #: What was prepared of the trace, if it was.
    prepared: str | None = None
    #: The state that a run starts from.
    state: str | None = None
    #: A repeated trace has so many bytes of writes.
    write_bytes: int = 0
    #: The memory that the scheme begins with, the table of requests to write, and the timelines.
    memory_in: str | None = None
    log: str | None = None
    timelines: tuple[Drawn, ...] = ()
    #: What people call it.
    title: str = ""
    #: The code that the call names of which it is a part.
    code: tuple[str, ...] = ()

    def reads(self) -> set[str]:
        """Return the files that it reads, which other tasks may make."""
        return {path for path in (self.trace, self.state, self.memory_in) if path is not None}

    def shared(self) -> list[str]:
        """Return the files that were made for several tasks, and that a worker must see."""
        return [path for path in (self.prepared, self.memory_in) if path is not None]

    def run(self) -> Run:
        """Return the device, the scheme and what is said of them as the engine takes them."""
        return {
            "device": given.device_of(self.device),
            "scheme": self.scheme,
            "sets": self.sets,
            "seed": self.seed,
            "replay": self.replay,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the task as JSON has it."""
        return asdict(self)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Task:
        """Return the task that JSON tells."""
        options = [(key, value) for key, value in told["trace_options"]]
        drawn = tuple(tuple(each) for each in told["timelines"])
        plain = {"trace_options": options, "timelines": drawn, "code": tuple(told["code"])}
        return cls(**{**told, **plain})


@dataclass(frozen=True)
class Done:
    """What became of a task."""

    name: str
    #: The result document as a store keeps it.
    content: bytes = b""
    values: Values = field(default_factory=dict)
    #: What the run took: `wall_s`, `cpu_s` and `peak_rss_bytes`.
    costs: Mapping[str, float] = field(default_factory=dict)
    #: Why the run failed, and would again; the exception that says so, and what it is about.
    error: str | None = None
    kind: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    #: How the worker was lost; another may do better.
    lost: str | None = None


def perform(task: Task) -> Done:
    """Do a task; what is wrong with the run itself is told, not raised."""
    with named.call(task.code):
        return _performed(task)


def _performed(task: Task) -> Done:
    try:
        if task.kind == "point":
            return finished(task.name, _document(task))
        if task.kind == "repeat":
            # It is for this driver alone.
            _repeat(task, Path(task.name))
        else:
            with store.making(Path(task.name)) as path:
                _MAKINGS[task.kind](task, path)
        return Done(task.name)
    except (ConfigError, TraceError, RunError, MemoryError, OSError) as error:
        kind = type(error).__name__
        place = {name: getattr(error, name, None) for name in ("key", "line", "file")}
        return Done(task.name, error=str(error) or kind, kind=kind, about=place)


def values(document: Mapping[str, Any]) -> dict[str, Value]:
    """Return the figures of a result document."""
    return {name: metric.value(document) for name, metric in (METRICS | PARTS).items()}


def costs(document: Mapping[str, Any]) -> dict[str, float]:
    """Return what a run took."""
    return {name: document["sim"][name] for name in ("wall_s", "cpu_s", "peak_rss_bytes")}


def _state(task: Task, path: Path) -> None:
    _core.save_state(path, task.run(), progress=None)


def _repeat(task: Task, path: Path) -> None:
    """Write a trace over and over, or its beginning, up to the bytes of writes wanted."""
    trace = Trace(task.trace, options=dict(task.trace_options))
    told = trace.info()
    if not told["write_bytes"]:
        raise TraceError(f"{task.trace}: no writes to repeat")
    times = task.write_bytes / told["write_bytes"]
    every = told["requests"] + told["flushes"] + told["trims"]
    take = round(times * every)
    if times > 1:
        cut(trace, path, copies=f"{take}/{every}")
    else:
        cut(trace, path, take=take)


_MAKINGS: Mapping[str, Callable[[Task, Path], object]] = {
    "state": _state,
    "memory": lambda task, path: _document(task, os.fspath(path)),
}


def finished(name: str, text: str, level: int = 1) -> Done:
    """Return what became of a run that has this result document."""
    document = json.loads(text)
    content = store.packed(name, text.encode(), level)
    return Done(name, content=content, values=values(document), costs=costs(document))


def _document(task: Task, memory_out: str | None = None) -> str:
    """Return the result document, as JSON."""
    prepared = task.prepared is not None and Path(task.prepared).exists()
    started = task.state is not None and Path(task.state).exists()
    return run(
        task,
        _core.prepared(given.label(task.trace), Path(task.prepared or ""))
        if prepared
        else given.trace_of(task.trace),
        snapshot_in=task.state if started else None,
        memory_out=memory_out,
    )


def run(
    task: Task,
    trace: str | _core.Rereadable,
    *,
    snapshot_in: str | None = None,
    memory_out: str | None = None,
    progress: Progress | None = None,
) -> str:
    """Run a task's trace, wherever it is read from, and return the result document, as JSON."""
    whole = task.run()
    whole |= {
        "trace_options": task.trace_options,
        "snapshot_in": snapshot_in,
        "memory_in": task.memory_in,
        "memory_out": memory_out,
        "log": task.log,
        "timelines": list(task.timelines),
    }
    return _core.run(trace, whole, progress=progress)
