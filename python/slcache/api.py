"""The Python interface: run, resolve, and the catalogues."""

from __future__ import annotations

import functools
import itertools
import json
import os
import pathlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slcache import _core, files
from slcache.errors import ConfigError, UsageError, about, one_line
from slcache.given import config_files
from slcache.given.arguments import checked
from slcache.given.config_files import Settings
from slcache.given.content import Content, device_of, path_of, trace_of
from slcache.given.once import checked_seed, flatten, once
from slcache.given.quantity import time_ns
from slcache.results.result import Result
from slcache.sentences import reasons
from slcache.traces.api import Path, Progress, Trace, is_workload, reader_options
from slcache.words import labels
from slcache.words.few import few

if TYPE_CHECKING:
    from slcache.files import Drawn

__all__ = [
    "Content",
    "Path",
    "Progress",
    "Trace",
    "check_schemes",
    "device_facts",
    "devices",
    "fitting",
    "formats",
    "resolve",
    "run",
    "schemes",
    "settings_for",
]


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
    timeline_kept: bool = True,
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
    `window` is how long the windows of the time series are, such as `"10ms"`. `save_state` keeps
    the preconditioned device, `load_state` starts from one. `memory_out` keeps what the scheme has
    learned in the end, `memory_in` lets it begin with that. `log` writes a Parquet table with a
    row per request: when it came, when it was served, where its latency went. `timeline` writes
    what channels and planes did and for which request, for ui.perfetto.dev, or as a table where it
    ends in `.parquet`; `timeline_from` and `timeline_until` are times such as `"1.5s"`,
    `timeline_around` is `slowest`, `request=N` or `cliff` and runs twice, `timeline_every=N` keeps
    every N-th request and its operations, and the device's own work. The result has the operations
    too, for its page, unless `timeline_kept` is False.
    `on_progress(phase, done, total)` is called a few times a second, and cancels by returning
    False; `progress` is its former name. Other threads go on while the simulation runs. Raises
    ConfigError, TraceError or RunError.
    """
    device, own, given = config_files.unpacked(device, settings)
    chosen = scheme or own
    if chosen is None:
        raise config_files.missing("scheme")
    run_logged: Callable[..., Result] = functools.partial(
        replayed,
        trace_of(trace),
        path=path_of(trace),
        device=device,
        scheme=chosen,
        settings=addressed(given, address, window),
        trace_options=reader_options_of(trace, trace_format, trace_options, seed),
        replay=replay,
        seed=seed,
        load_state=load_state,
        memory_in=memory_in,
        progress=reporting(on_progress, progress),
    )
    written = {"save_state": save_state, "memory_out": memory_out, "log": log}
    said = (timeline_from, timeline_until, timeline_around, timeline_every)
    if timeline is None and said == (None,) * 4:
        return run_logged(**written)
    # What reads logs is loaded by whoever wants a timeline.
    from slcache.slow import timelines

    drawn = timelines.drawn(timeline, said, path_of(trace), run_logged)
    if not timeline_kept:
        return run_logged(**written, timelines=(drawn,))
    with files.scratch() as folder:
        asked = timelines.with_table(drawn, folder / "operations.parquet")
        result = run_logged(**written, timelines=asked)
        return Result.with_timeline(result, timelines.table(asked))


def replayed(
    trace: str | _core.Rereadable,
    *,
    path: Path | None,
    device: Content,
    scheme: str,
    settings: Mapping[str, Any] | None,
    trace_options: list[tuple[str, str]],
    replay: str | None,
    seed: int | None,
    load_state: Path | None = None,
    save_state: Path | None = None,
    memory_in: Path | None = None,
    memory_out: Path | None = None,
    log: Path | None = None,
    timelines: Sequence[Drawn] = (),
    progress: Progress | None,
) -> Result:
    """Replay a trace of which it is known how to read it."""
    read = files.inputs(
        path, path_of(device), load_state, memory_in, *config_files.read_by(settings or {})
    )
    written = (save_state, memory_out, log, *(drawn[0] for drawn in timelines))
    files.check((name for name in written if name is not None), read)
    text = _core.run(
        trace,
        device=device_of(device),
        scheme=scheme,
        sets=sets(settings),
        trace_options=trace_options,
        seed=None if seed is None else checked_seed(seed),
        replay=replay,
        snapshot_in=_named(load_state),
        snapshot_out=_named(save_state),
        memory_in=_named(memory_in),
        memory_out=_named(memory_out),
        log=_named(None if log is None else checked_log(log)),
        timelines=list(timelines),
        progress=progress,
    )
    return Result.made(json.loads(text), None, read)


def addressed(
    settings: Mapping[str, Any] | None, address: str | None, window: str | None = None
) -> dict[str, Any]:
    """Return the settings with what has an argument of its own; no key may be said twice."""
    own: list[tuple[str, Any]] = [] if address is None else [("trace.address", address)]
    own += [] if window is None else [("run.series_window_ns", _window_ns(window))]
    # What a file says is below all others.
    said = {k: v for k, v in flat(settings).items() if isinstance(v, config_files.Placed)}
    above = once([*((k, v) for k, v in flat(settings).items() if k not in said), *own])
    return {**said, **above}


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


def named(
    schemes: Sequence[str] | str, *, device: Content, settings: Mapping[str, Any] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return the schemes that a list, names with commas or `all` mean, and those left out of all.

    Those left out are there with the reason.
    """
    listed = schemes.split(",") if isinstance(schemes, str) else schemes
    names = [name.strip() for name in listed if name.strip()]
    return rivals(device=device, settings=settings) if names == ["all"] else (names, {})


def rivals(
    *, device: Content, settings: Mapping[str, Any] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return the schemes of `fitting` that a device can be, and somebody proposed."""
    fit, problems = fitting(device=device, settings=settings)
    ahead = {str(entry["name"]) for entry in schemes() if entry.get("looks_ahead")}
    # `custom` without a class is no scheme that anyone proposed.
    return [name for name in fit if name not in ahead | {"custom"}], problems


def called(
    schemes: Sequence[str],
    *,
    device: Content,
    settings: Mapping[str, Any],
    replay: str | None = None,
    seed: int | None = None,
) -> dict[str, str]:
    """Return what results will call each of several schemes; two of one name are a ConfigError."""
    labelled = {}
    for name in schemes:
        own = settings_for(settings, name, schemes)
        try:
            config = resolve(device=device, scheme=name, settings=own, replay=replay, seed=seed)
        except ConfigError as error:
            if len(schemes) > 1 and _problem(device, name, {}) is not None:
                fit = ", ".join(fitting(device=device)[0])
                told = f"{name} does not run on this device: {one_line(error)}; these do: {fit}"
                raise about(ConfigError(told), error.key, file=error.file) from error
            raise
        labelled[name] = labels.of_scheme(config)
    once(((label, name) for name, label in labelled.items()), "scheme ")
    return labelled


def check_schemes(schemes: Sequence[str], normalise: str | None) -> None:
    """Raise ValueError unless the schemes are distinct and contain the reference."""
    if not schemes:
        raise about(UsageError("no scheme to compare"), "schemes")
    twice = sorted(name for name, count in Counter(schemes).items() if count > 1)
    if twice:
        raise about(UsageError(f"scheme named twice: {few(twice)}"), "schemes")
    if normalise is not None and normalise not in schemes:
        told = f"cannot normalise to {normalise!r}: comparing {few(schemes)}"
        raise about(UsageError(told), "normalise")


def remembering(names: Sequence[str]) -> list[str]:
    """Return those of several schemes that have a memory; a ConfigError where none has."""
    known = [entry["name"] for entry in schemes() if entry["memory_version"] is not None]
    found = [name for name in names if canonical().get(name, name) in known]
    if not found:
        told = f"none of the schemes {few(names)} has a memory; schemes with one: "
        raise about(ConfigError(told + ", ".join(known)), "memory_in")
    return found


@checked
def fitting(
    *, device: Content, settings: Mapping[str, Any] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return the schemes that a device can run, and the reason for each that it cannot.

    A scheme that only these settings keep from running is a ConfigError, as are settings that
    no scheme takes: what is wrong with them must not look like a property of the device.
    """
    given = flat(settings)
    known = [str(entry["name"]) for entry in schemes()]
    fit: list[str] = []
    refused: dict[str, ConfigError] = {}
    for name in known:
        own = settings_for(given, name, known)
        problem = _problem(device, name, own)
        if problem is None:
            fit.append(name)
        elif own and _problem(device, name, {}) is None:
            raise problem
        else:
            refused[name] = problem
    problems = {name: one_line(problem) for name, problem in refused.items()}
    if not fit:
        alike = len(set(problems.values())) == 1
        first = next(iter(refused.values()))
        lines = [f"{', '.join(names)}: {reason}" for names, reason in reasons.grouped(problems)]
        raise first if alike else ConfigError("\n".join(lines))
    return fit, problems


def _problem(device: Content, scheme: str, settings: Mapping[str, Any]) -> ConfigError | None:
    """Return why a scheme cannot run, or None."""
    try:
        resolve(device=device, scheme=scheme, settings=settings)
    except ConfigError as error:
        return error
    return None


def settings_for(
    settings: Mapping[str, Any], scheme: str, schemes: Sequence[str]
) -> dict[str, Any]:
    """Return the settings meant for one of several compared schemes."""
    own = {of_catalogue(scheme), labels.of_source(scheme)}
    names = ((of_catalogue(each), labels.of_source(each)) for each in schemes)
    others = set(itertools.chain.from_iterable(names))
    meant = {key: value for key, value in settings.items() if _scheme_of(key) not in others - own}
    # A scheme of one's own has its options under its class, too.
    prefix = f"scheme.{labels.of_source(scheme)}."
    ours = prefix if of_catalogue(scheme) == "custom" else None
    return {key.removeprefix(ours) if ours else key: value for key, value in meant.items()}


def of_catalogue(scheme: str) -> str:
    """Return a scheme as settings know it: without alias, `custom` for a source."""
    return "custom" if ":" in scheme else canonical().get(scheme, scheme)


def _scheme_of(key: str) -> str | None:
    """Return the scheme whose section a key is in."""
    parts = key.split(".", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "scheme" else None


@functools.cache
def canonical() -> dict[str, str]:
    """Return the schemes by their aliases: settings know them by one name."""
    return {alias["name"]: entry["name"] for entry in schemes() for alias in entry["aliases"]}


@checked
def resolve(
    *,
    device: Content | None = None,
    scheme: str | None = None,
    settings: Settings | None = None,
    replay: str | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """Return the complete configuration that would run; raises ConfigError with all problems."""
    device, own, given = config_files.unpacked(device, settings)
    chosen = scheme or own
    if chosen is None:
        raise config_files.missing("scheme")
    text = _core.resolve(
        device=device_of(device),
        scheme=chosen,
        sets=sets(given),
        seed=None if seed is None else checked_seed(seed),
        replay=replay,
    )
    document: dict[str, Any] = json.loads(text)
    return document


def sets(settings: Mapping[str, Any] | None) -> list[str]:
    """Return the settings as the engine takes them."""
    return [config_files.literal(key, value) for key, value in flat(settings).items()]


def schemes(*, device: Content | None = None) -> list[dict[str, Any]]:
    """Return the catalogue of schemes.

    With a device, knobs have the values that they may have there, `steps` or a `ladder`, and the
    `value` at which they stand; a scheme that the device cannot run has a `problem` instead.
    """
    entries: list[dict[str, Any]] = json.loads(_core.schemes())
    if device is None:
        return entries
    fit, problems = fitting(device=device)
    for entry in entries:
        name = entry["name"]
        if name in fit:
            knobs = _core.knobs(device=device_of(device), scheme=name, sets=[])
            entry["knobs"] = json.loads(knobs)
        else:
            entry["problem"] = problems[name]
    return entries


def devices() -> list[dict[str, Any]]:
    """Return the catalogue of device presets."""
    return list(json.loads(_core.devices()))


@checked
def device_facts(device: Path) -> dict[str, Any]:
    """Return what can be told of a preset or device file before anything runs on it.

    Sizes, over-provisioning, latencies of a single request, peak bandwidths, what each scheme's
    cache takes by default, at least and at most, and warnings; `slcache devices show` prints it.
    """
    facts: dict[str, Any] = json.loads(_core.device_facts(os.fspath(device)))
    return facts


def formats() -> list[dict[str, Any]]:
    """Return the catalogue of trace formats, with what is read, written and lost."""
    return list(json.loads(_core.trace_formats()))


def reader_options_of(
    trace: Content, trace_format: str | None, options: Mapping[str, str] | None, seed: int | None
) -> list[tuple[str, str]]:
    """Return the reader's options; the run's seed draws a workload."""
    named = path_of(trace)
    drawn = seed if named is None or is_workload(named) else None
    return reader_options(trace_format, options, drawn)


def flat(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return settings, dotted or nested, by their dotted names; no name may come twice."""
    return once(flatten(settings or {}))


def prefixed(scheme: str, progress: Progress | None) -> Progress | None:
    """Return a report of progress that names the scheme with each phase."""
    if progress is None:
        return None
    return lambda phase, done, total: progress(f"{scheme}: {phase}", done, total)
