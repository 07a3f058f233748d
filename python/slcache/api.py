"""The Python interface of a single run."""

from __future__ import annotations

import functools
import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slcache import _core, catalogue, files
from slcache import named as code
from slcache.errors import UsageError, about
from slcache.given import content, quantity
from slcache.given.content import Content, path_of, trace_of
from slcache.given.options import DEVICE, Simulated, option, takes
from slcache.results.result import Result
from slcache.traces.api import Path, Progress, Trace, is_workload, reader_options

if TYPE_CHECKING:
    from slcache.files import Drawn
    from slcache.reproduce.setups import Setup

__all__ = ["Path", "Progress", "Trace", "run"]


@dataclass(frozen=True, kw_only=True)
class _Target:
    """A device and a scheme."""

    device: Content | None = option(*DEVICE, offer="devices")
    scheme: str | None = option(
        "NAME",
        "A scheme (see `slcache schemes`); not needed if --config has one.",
        offer="scheme",
        alias="--schemes",
    )


@dataclass(frozen=True, kw_only=True)
class Run(Simulated, _Target):
    """What a single run takes."""

    save_state: Path | None = option(
        "FILE", "Save the device's state at the start of the replay, after preconditioning."
    )
    load_state: Path | None = option(
        "FILE", "Start from a saved device state instead of preconditioning."
    )
    memory_out: Path | None = option("FILE", "Save what the scheme has learned during the run.")

    @property
    def reads(self) -> list[Path]:
        """The files that it reads, whatever settings name beside them."""
        named = (path_of(each) for each in (self.trace, self.device) if each is not None)
        return files.inputs(*named, self.config, self.load_state, self.memory_in)

    @property
    def writes(self) -> list[Path]:
        """The files that it writes."""
        every = (self.log, self.timeline, self.save_state, self.memory_out)
        return [path for path in every if path is not None]


@takes(Run)
def run(asked: Run) -> Result:
    """Replay a trace on a device under one scheme.

    A trace is a file, or a workload: a `.toml` file, the name of a preset or a dict with what such
    a file holds. A device is a preset's name, the path of a `.toml` file or a dict with what such a
    file holds. `settings` has keys of the configuration, dotted or nested:
    `{"scheme.baseline.slc_blocks": 64}`; or is a configuration file, or all of a configuration with
    its device and scheme, such as a result's `config`. `on_progress(phase, done, total)` is called
    a few times a second, and cancels by returning False; `progress` is its former name. Other
    threads go on while the simulation runs. Raises ConfigError, TraceError or RunError.
    """
    quantity.check_not_loaded(asked.state, asked.load_state)
    device, own, settings = asked.begun(asked.device)
    chosen = asked.scheme or own
    if chosen is None:
        raise content.missing("scheme")
    settings = asked.above_setup([chosen], settings)
    how: dict[str, Any] = {"replay": asked.replayed_as, "seed": asked.seed}
    if catalogue.of_catalogue(chosen) == "custom":
        # The files that a class is written in are known when it is loaded.
        catalogue.resolve(device=device, scheme=chosen, settings=settings, **how)
    replayed: Callable[..., Result] = functools.partial(
        _replayed,
        trace_of(asked.trace),
        {
            **catalogue.given(device, chosen, settings, **how),
            "trace_options": reader_options_of(asked.trace, asked.reader(), asked.seed),
            "snapshot_in": _named(asked.load_state),
            "memory_in": _named(asked.memory_in),
        },
        [*asked.reads, *content.read_by(settings), *code.files()],
        asked.report,
    )
    written = {
        "save_state": asked.save_state, "memory_out": asked.memory_out, "log": asked.log
    }  # fmt: skip
    if asked.is_drawn:
        # What reads logs is loaded by whoever wants a timeline.
        from slcache.slow import stretch

        drawn = stretch.drawn(asked.timeline, asked.stretch, path_of(asked.trace), replayed)
        result = replayed(**written, timelines=(drawn,))
        stretch.name(result.documents[0], drawn)
    else:
        result = replayed(**written)
    name_reading(asked.setup, [result])
    return result.told_at(asked.gb_per_day)


def name_reading(setup: Setup | None, runs: Sequence[Result]) -> None:
    """Name the reading in the documents of runs that have just been made."""
    if setup is not None:
        for run in runs:
            run.documents[0]["provenance"]["reading"] = setup.name


def _replayed(
    trace: str | _core.Rereadable,
    run: content.Run,
    read: Sequence[Path],
    progress: Progress | None,
    *,
    save_state: Path | None = None,
    memory_out: Path | None = None,
    log: Path | None = None,
    timelines: Sequence[Drawn] = (),
) -> Result:
    """Replay a trace and write what is asked for, none of it in the place of what is read."""
    written = (save_state, memory_out, log, *(drawn[0] for drawn in timelines))
    files.check((name for name in written if name is not None), read)
    whole: content.Run = {
        **run,
        "snapshot_out": _named(save_state),
        "memory_out": _named(memory_out),
        "log": _named(None if log is None else checked_log(log)),
        "timelines": list(timelines),
    }
    return Result.made(json.loads(_core.run(trace, whole, progress=progress)), None, read)


def _named(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def checked_log(log: Path) -> Path:
    """Return the file of a request log; UsageError where its name promises another format."""
    if pathlib.Path(log).suffix not in ("", ".parquet", ".pq"):
        told = f"log = {os.fspath(log)!r}: a log of requests is Parquet; name it FILE.parquet"
        raise about(UsageError(told), "log")
    return log


def reader_options_of(
    trace: Content, options: Mapping[str, str] | None, seed: int | None
) -> list[tuple[str, str]]:
    """Return the reader's options; the run's seed draws a workload."""
    named = path_of(trace)
    drawn = seed if named is None or is_workload(named) else None
    return reader_options(None, options, drawn)


def prefixed(scheme: str, progress: Progress | None) -> Progress | None:
    """Return a report of progress that names the scheme with each phase."""
    if progress is None:
        return None
    return lambda phase, done, total: progress(f"{scheme}: {phase}", done, total)
