"""One run, what tells it from others, the same run without a cache, and draws of a recording."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slcache import _core, catalogue, files
from slcache.documents.figures import by_seed
from slcache.errors import ConfigError, UsageError, about
from slcache.files import Path
from slcache.options import content
from slcache.options.content import Content, EngineRun, is_workload
from slcache.options.parsing import time_ns
from slcache.trace import Progress, reader_options

if TYPE_CHECKING:
    from slcache.files import Timeline


#: The reader's options: the number of a draw, and how long its stretches are on average.
DRAW, BLOCK = "resample", "resample_block_ns"

#: Adds the draw of a seed to the options of a trace's reader.
Draws = Callable[[Mapping[str, str] | None, int | None], Mapping[str, str] | None]


def draws_of(draws: int | None, block: str | None, trace: str, seeds: int) -> Draws:
    """Return what draws add to a reader's options; UsageError where they mean nothing."""
    if draws is None:
        if block is not None:
            _refuse("resample_block", block, "is the length of a draw's stretches; give resample")
        return lambda said, _: said
    if seeds > 1:
        _refuse("resample", draws, "every draw has a seed of its own; leave seeds out")
    if is_workload(trace):
        _refuse("resample", draws, "a workload is drawn anew by seeds; only a recording needs it")
    own = {} if block is None else {BLOCK: str(_length_ns(block))}

    def drawn(said: Mapping[str, str] | None, number: int | None) -> Mapping[str, str]:
        options = {**own, DRAW: str(number)}
        for key in options.keys() & (said or {}).keys():
            argument = "resample" if key == DRAW else "resample_block"
            told = f"says the reader's option {key} of every draw; leave that option out"
            _refuse(argument, draws if key == DRAW else block, told)
        return {**(said or {}), **options}

    return drawn


def check_seeds(seeds: int, configs: Iterable[Mapping[str, Any]]) -> None:
    """Raise UsageError where every seed would give the same figures of a recording."""
    if not any(map(by_seed, configs)):
        told = (
            "the trace is a recording, and nothing else of these runs is drawn: every seed would "
            "give the same figures; resample=N of compare, sweep and tune draws it anew"
        )
        _refuse("seeds", seeds, told)


def reader_options_of(
    trace: Content, options: Mapping[str, str] | None, seed: int | None
) -> list[tuple[str, str]]:
    """Return the reader's options; the run's seed draws a workload."""
    return reader_options(None, options, seed if is_workload(trace) else None)


def _length_ns(block: str) -> int:
    try:
        return time_ns(block)
    except ValueError as error:
        raise about(UsageError(f"resample_block: {error}"), "resample_block") from error


def _refuse(name: str, value: object, told: str) -> None:
    raise about(UsageError(f"{name} = {value}: {told}"), name)


#: Options of a trace's reader.
ReaderOptions = Sequence[tuple[str, str]]
#: The change of a trace that is repeated until it has written so many bytes.
REPEAT = "repeat_to_write_bytes"


@dataclass(frozen=True)
class Run:
    """A trace on a device under a scheme, with what is made for it before."""

    #: What people call it.
    title: str
    #: Trace and device are texts of `slcache.options.content`.
    trace: str
    device: str
    scheme: str
    settings: Mapping[str, Any]
    trace_options: ReaderOptions = ()
    replay: str | None = None
    seed: int | None = None
    #: What is done to the trace before it is run.
    changed: Mapping[str, int | None] = field(default_factory=dict)
    #: The file that holds the changed trace; one that is to be repeated has none yet.
    written: str | None = None
    #: The run before this one, in the end of which the scheme has the memory it begins with here.
    after: Run | None = None
    #: About how many requests it has: the longest runs go first.
    size: int = 0
    #: Of runs that are not kept: the memory that the scheme begins with and where what it learned
    #: goes, the state to start from and where that is saved, the table of requests to write, and
    #: the timelines.
    memory_in: Path | None = None
    memory_out: Path | None = None
    load_state: Path | None = None
    save_state: Path | None = None
    log: Path | None = None
    timelines: tuple[Timeline, ...] = ()
    #: The configuration, where it is known already.
    resolved: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def source(self) -> str:
        """The trace that is read, which may be a changed one."""
        return self.written or self.trace

    def reads(self) -> list[Path]:
        """Return the files that it reads."""
        said = content.settings_files(self.settings)
        paths = content.path_of(self.trace), content.path_of(self.device)
        return files.inputs(*paths, self.memory_in, *said)

    @property
    def writes(self) -> list[Path]:
        """The files that it writes beside its result; UsageError for a log of another format."""
        if self.log is not None and pathlib.Path(self.log).suffix not in ("", ".parquet", ".pq"):
            told = f"log = {os.fspath(self.log)!r}: a log of requests is Parquet"
            raise about(UsageError(f"{told}; name it FILE.parquet"), "log")
        own = (self.save_state, self.memory_out, self.log)
        named = [path for path in own if path is not None]
        return [*named, *(drawn[0] for drawn in self.timelines)]

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """The configuration that it runs with; raises ConfigError."""
        if self.resolved is not None:
            return self.resolved
        return catalogue.resolve(
            device=content.content_of(self.device),
            scheme=self.scheme,
            settings=self.settings,
            replay=self.replay,
            seed=self.seed,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return what a worker is sent: it has the configuration made by the engine."""
        whole = {name: value for name, value in self.__dict__.items() if name != "config"}
        return {**whole, "resolved": None}

    def engine_run(self) -> EngineRun:
        """Return the device, the scheme and what is said of them as the engine takes them."""
        return catalogue.engine_run(
            self.device, self.scheme, self.settings, replay=self.replay, seed=self.seed
        )

    def document(self, trace: str | _core.Rereadable, *, progress: Progress | None = None) -> str:
        """Run a trace, wherever it is read from, and return the result document, as JSON."""
        whole: EngineRun = {
            **self.engine_run(),
            # How a trace was read is in the file that was made of it.
            "trace_options": [] if self.written else list(self.trace_options),
            "snapshot_in": _named(self.load_state),
            "snapshot_out": _named(self.save_state),
            "memory_in": _named(self.memory_in),
            "memory_out": _named(self.memory_out),
            "log": _named(self.log),
            "timelines": list(self.timelines),
        }
        return _core.run(trace, whole, progress=progress)


def _named(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def identity(
    config: Mapping[str, Any],
    trace: str,
    options: ReaderOptions,
    *,
    changed: Mapping[str, int | None] | None = None,
    after: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a run's result depends on, but for the version; `trace` is its fingerprint.

    Runs of which it is equal have one result, whichever verb asks for them.
    """
    parts = {"config": config, "trace": trace, "options": sorted(options)}
    more = {"changed": changed, "after": after}
    return parts | {key: value for key, value in more.items() if value}


def beside(run: Run) -> Run:
    """Return a run without a cache, else the same; its `config` raises where none can be."""
    scheme = "tlc-only" if run.config["device"].get("disk") is None else "disk-only"
    parts = {key: part for key, part in run.config.items() if key != "scheme"}
    return replace(
        run,
        title=f"{run.title}, {scheme} beside it",
        device=content.text_of(content.without_none(parts)),
        scheme=scheme,
        settings={},
        replay=None,
        seed=None,
        after=None,
        memory_in=None,
        log=None,
        timelines=(),
        resolved=None,
    )


def reference(run: Run) -> Run | None:
    """Return the run beside one; None of what has no cache, and where the device needs one."""
    other = beside(run)
    with suppress(ConfigError):
        return other if other.config and other.scheme != run.scheme else None
    return None
