"""The Python interface of a single run."""

from __future__ import annotations

import functools
import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slcache import _core, catalogue, files
from slcache import named as code
from slcache.errors import UsageError, about
from slcache.given import content, quantity
from slcache.given.arguments import checked
from slcache.given.content import Content, Settings, path_of, trace_of
from slcache.given.once import once
from slcache.given.quantity import time_ns
from slcache.results.result import Result
from slcache.traces.api import Path, Progress, Trace, is_workload, reader_options

if TYPE_CHECKING:
    from slcache.files import Drawn

__all__ = ["Path", "Progress", "Trace", "run"]


@checked
def run(
    trace: Content,
    *,
    device: Content | None = None,
    scheme: str | None = None,
    settings: Settings | None = None,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
    address: str | None = None,
    replay: str | None = None,
    window: str | None = None,
    seed: int | None = None,
    state: str | None = None,
    load_state: Path | None = None,
    save_state: Path | None = None,
    memory_in: Path | None = None,
    memory_out: Path | None = None,
    log: Path | None = None,
    timeline: Path | None = None,
    timeline_from: str | None = None,
    timeline_until: str | None = None,
    timeline_around: str | None = None,
    timeline_every: int | None = None,
    gb_per_day: float | None = None,
    on_progress: Progress | None = None,
    progress: Progress | None = None,
) -> Result:
    """Replay a trace on a device under one scheme.

    `trace` is a file, or a workload: a `.toml` file, the name of a preset or a dict with what
    such a file holds, drawn with `seed` and changed by `trace_options` such as
    `{"workload.requests": "100000"}`. `device` is a preset's name, the path of a `.toml` file or
    a dict with what such a file holds; `settings` changes single configuration keys, dotted or
    nested: `{"scheme.baseline.slc_blocks": 64}`, or is a configuration file, or all of a
    configuration with its device and scheme, such as a result's `config`. `address` says what
    becomes of requests beyond the device's capacity: `error`, `wrap`, `compact` or `clip`.
    `window` is how long the windows of the time series are, such as `"10ms"`. `state` is that
    of the device before the run, in place of the `precondition` keys: `empty`, `full=0.9`,
    `worn=0.9,0.3` (filled, and overwritten at random by so many times that) or `steady` (0.9 full,
    and overwritten until the write amplification is steady). `save_state` keeps
    the preconditioned device, `load_state` starts from one. `memory_out` keeps what the scheme has
    learned in the end, `memory_in` lets it begin with that. `log` writes a Parquet table with a
    row per request: when it came, when it was served, where its latency went. `timeline` writes
    what channels and planes did and for which request, for ui.perfetto.dev, or as a table where it
    ends in `.parquet`; `timeline_from` and `timeline_until` are times such as `"1.5s"`,
    `timeline_around` is `slowest`, `request=N` or `cliff` and runs twice, `timeline_every=N` keeps
    every N-th request and its operations, and the device's own work. `gb_per_day` is what is
    written a day where years are told, by default what the trace writes in its own times.
    `on_progress(phase, done, total)` is called a few times a second, and cancels by returning
    False; `progress` is its former name. Other threads go on while the simulation runs. Raises
    ConfigError, TraceError or RunError.
    """
    quantity.check_not_loaded(state, load_state)
    device, own, given = content.unpacked(device, settings)
    chosen = scheme or own
    if chosen is None:
        raise content.missing("scheme")
    settings = addressed(given, address, window, state)
    if catalogue.of_catalogue(chosen) == "custom":
        # The files that a class is written in are known when it is loaded.
        catalogue.resolve(device=device, scheme=chosen, settings=settings, replay=replay, seed=seed)
    path = path_of(trace)
    replayed: Callable[..., Result] = functools.partial(
        _replayed,
        trace_of(trace),
        {
            **catalogue.given(device, chosen, settings, replay=replay, seed=seed),
            "trace_options": reader_options_of(trace, trace_format, trace_options, seed),
            "snapshot_in": _named(load_state),
            "memory_in": _named(memory_in),
        },
        files.inputs(
            path, path_of(device), load_state, memory_in, *content.read_by(settings), *code.files()
        ),
        reporting(on_progress, progress),
    )
    written = {"save_state": save_state, "memory_out": memory_out, "log": log}
    said = (timeline_from, timeline_until, timeline_around, timeline_every)
    if timeline is None and said == (None,) * 4:
        return replayed(**written).told_at(gb_per_day)
    # What reads logs is loaded by whoever wants a timeline.
    from slcache.slow import stretch

    drawn = stretch.drawn(timeline, said, path, replayed)
    result = replayed(**written, timelines=(drawn,))
    stretch.name(result.documents[0], drawn)
    return result.told_at(gb_per_day)


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


def addressed(
    settings: Mapping[str, Any] | None,
    address: str | None,
    window: str | None = None,
    state: str | None = None,
) -> dict[str, Any]:
    """Return the settings with what has an argument of its own; no key may be said twice."""
    own: list[tuple[str, Any]] = [] if address is None else [("trace.address", address)]
    own += [] if window is None else [("run.series_window_ns", _window_ns(window))]
    # What a file says is below all others.
    said = {k: v for k, v in catalogue.flat(settings).items() if isinstance(v, content.Placed)}
    above = once([*((k, v) for k, v in catalogue.flat(settings).items() if k not in said), *own])
    return {**said, **above, **quantity.begun(state, above)}


def _window_ns(window: str) -> int:
    try:
        found = time_ns(window)
    except ValueError as error:
        raise about(UsageError(f"window = {window}: {error}"), "window") from error
    if found <= 0:
        raise about(UsageError(f"window = {window}: must be longer than 0"), "window")
    return found


def reporting(on_progress: Progress | None, progress: Progress | None) -> Progress | None:
    """Return the report of progress, by the name it has or the one it had."""
    if on_progress is not None and progress is not None:
        raise about(UsageError("on_progress and progress are one argument; give one"), "progress")
    return progress if on_progress is None else on_progress


def _named(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def checked_log(log: Path) -> Path:
    """Return the file of a request log; UsageError where its name promises another format."""
    if pathlib.Path(log).suffix not in ("", ".parquet", ".pq"):
        told = f"log = {os.fspath(log)!r}: a log of requests is Parquet; name it FILE.parquet"
        raise about(UsageError(told), "log")
    return log


def reader_options_of(
    trace: Content, trace_format: str | None, options: Mapping[str, str] | None, seed: int | None
) -> list[tuple[str, str]]:
    """Return the reader's options; the run's seed draws a workload."""
    named = path_of(trace)
    drawn = seed if named is None or is_workload(named) else None
    return reader_options(trace_format, options, drawn)


def prefixed(scheme: str, progress: Progress | None) -> Progress | None:
    """Return a report of progress that names the scheme with each phase."""
    if progress is None:
        return None
    return lambda phase, done, total: progress(f"{scheme}: {phase}", done, total)
