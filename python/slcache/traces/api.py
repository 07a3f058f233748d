"""Block traces: what they hold, what is wrong with them, and new ones made from them."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from slcache import _core, files
from slcache.errors import ConfigError, UsageError, about
from slcache.given.arguments import checked
from slcache.given.once import checked_seed, flatten, once
from slcache.report import pictures
from slcache.traces import twins
from slcache.words.leaves import leaves

#: Called a few times a second with (phase, done, total); returning False cancels the work, and
#: returning nothing goes on.
Progress = Callable[[str, int, int], bool | None]
Path = str | os.PathLike[str]
#: The seed a workload is drawn with where none is given.
DEFAULT_SEED = 0
#: Most options of a reader, and most keys of a workload that are changed.
OPTIONS_MAX = 1_000
_WHOLE_MAX = (1 << 64) - 1


class Trace:
    """A block trace on disk: its statistics, its problems, and copies of it.

    `format` and `options` say how to read it.
    """

    @checked
    def __init__(
        self,
        path: Path,
        format: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self._options = reader_options(format, options)

    @checked
    def info(self, on_progress: Progress | None = None) -> dict[str, Any]:
        """Return counts, footprint and statistics."""
        return _document(_core.trace_info(self.path, self._options, on_progress))

    @checked
    def lint(self, on_progress: Progress | None = None) -> dict[str, Any]:
        """Return every problem that would stop or distort a run, with its line."""
        return _document(_core.trace_lint(self.path, self._options, on_progress))

    @checked
    def picture(self, path: Path) -> None:
        """Draw sizes, times, hot set and addresses in a .png, .svg, .pdf or .html file."""
        pictures.check(path)
        pictures.save_trace(self.info(), path)

    @checked
    def twin(self, output: Path) -> dict[str, Any]:
        """Write a workload file, a `.toml`, whose requests have this trace's figures.

        Returns the figures, those that were fitted and given up with the reasons, and what else
        it does not carry.
        """
        name = os.fspath(output)
        if not name.endswith(".toml"):
            raise about(UsageError(f"{name}: a workload's name ends with .toml"), file=name)
        made = twins.of_info(self.info())
        twins.save(made, name, files.inputs(self.path))
        return {"file": name, **made.to_dict()}

    @checked
    def convert(
        self,
        output: Path,
        *,
        to: str | None = None,
        lossy: Sequence[str] = (),
        on_progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Write the trace in another format; the name's ending says it where `to` does not.

        What the format has no place for is an error unless `lossy` names it. Returns what was
        read, lost and written.
        """
        text = _core.trace_convert(
            self.path,
            os.fspath(output),
            trace_options=self._options,
            format=to,
            lossy=",".join(lossy),
            progress=on_progress,
        )
        return _document(text)

    @checked
    def transform(
        self,
        kind: str,
        output: Path,
        *,
        to: str | None = None,
        lossy: Sequence[str] = (),
        on_progress: Progress | None = None,
        **parameters: Any,  # noqa: ANN401
    ) -> dict[str, Any]:
        """Write a changed copy: `sample`, `window`, `scale`, `remap`, `repeat` or `split`.

        `trace.transform("window", "hour.parquet", from_ns=0, to_ns=3600 * 10**9)` keeps an hour;
        `pipeline` with `steps=[{"kind": "window", ...}, ...]` does several at once. Returns what
        was read, done, lost and written.
        """
        if kind == "merge":
            raise about(UsageError("several traces are merged by slcache.merge"), "kind")
        text = _core.trace_transform(
            kind,
            [self.path],
            os.fspath(output),
            params=_given(parameters),
            trace_options=self._options,
            format=to,
            lossy=",".join(lossy),
            progress=on_progress,
        )
        return _document(text)

    def __repr__(self) -> str:
        return f"<slcache.Trace {self.path}>"


@checked
def merge(
    traces: Sequence[Path],
    output: Path,
    *,
    addresses: str = "streams",
    offsets_bytes: Sequence[int] | None = None,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
    to: str | None = None,
    lossy: Sequence[str] = (),
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Write several traces as one, in order of time.

    `addresses` is `streams` (each trace a volume of its own), `one` (one address space, shifted
    by `offsets_bytes`) or `stacked` (one behind the other). Returns what was read and written.
    """
    parameters = {"addresses": addresses, "offsets_bytes": offsets_bytes}
    text = _core.trace_transform(
        "merge",
        [os.fspath(trace) for trace in traces],
        os.fspath(output),
        params=_given(parameters),
        trace_options=reader_options(trace_format, trace_options),
        format=to,
        lossy=",".join(lossy),
        progress=on_progress,
    )
    return _document(text)


@checked
def generate(
    spec: Path,
    output: Path,
    *,
    seed: int = DEFAULT_SEED,
    overrides: Mapping[str, object] | None = None,
    to: str | None = None,
    lossy: Sequence[str] = (),
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the requests of a workload, a file or the name of a preset, as a trace.

    `overrides` change single keys of it: `{"twin.update_ratio": 0.5}`. Returns what was written.
    """
    text = _core.trace_generate(
        os.fspath(spec),
        os.fspath(output),
        seed=checked_seed(seed),
        overrides=_overrides(overrides),
        format=to,
        lossy=",".join(lossy),
        progress=on_progress,
    )
    return _document(text)


@checked
def workloads(*, described: bool = True) -> list[dict[str, Any]]:
    """Return the catalogue of workload presets.

    `described` ones have what is given, free and follows, which takes a second to work out.
    """
    return list(json.loads(_core.workloads(described)))


@checked
def workload(spec: Path, overrides: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Return a workload's figures: which are given, which are free and why, which follow."""
    return _document(_core.workload(os.fspath(spec), _overrides(overrides)))


def is_workload(trace: Path) -> bool:
    """Return whether a trace argument names a workload: a `.toml` file, or a preset."""
    name = os.fspath(trace)
    if name.endswith(".toml"):
        return True
    return name in _core.workload_names() and not pathlib.Path(name).exists()


def _document(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    return document


def _given(parameters: Mapping[str, object]) -> str:
    """Return the parameters that are given, as JSON; UsageError for numbers beyond all of them."""
    given = {key: value for key, value in parameters.items() if value is not None}
    for key, value in leaves(given):
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(number, int) and number > _WHOLE_MAX for number in numbers):
            raise about(UsageError(f"{key}: is beyond {_WHOLE_MAX}, the largest whole number"), key)
    return json.dumps(given)


def _overrides(overrides: Mapping[str, object] | None) -> list[tuple[str, str]]:
    """Return the settings of a workload, dotted or nested, as the engine takes them."""
    named = _limited(once(flatten(overrides or {}), "workload key "), "workload key")
    return [(key, str(value)) for key, value in named.items()]


def _limited(said: dict[str, Any], what: str) -> dict[str, Any]:
    """Return what is said, unless it is more than any reader has: each costs a look at all."""
    if len(said) > OPTIONS_MAX:
        key = list(said)[OPTIONS_MAX]
        told = f"{what} {key} = {said[key]!s:.60}: the {OPTIONS_MAX + 1:,}st of {len(said):,}"
        raise about(ConfigError(f"{told}; at most {OPTIONS_MAX:,} are taken"), key)
    return said


def reader_options(
    trace_format: str | None, options: Mapping[str, str] | None, seed: int | None = None
) -> list[tuple[str, str]]:
    """Return a trace's reader options, with the format and the seed of a workload among them."""
    named = {"format": trace_format, "seed": None if seed is None else str(checked_seed(seed))}
    given = [(key, value) for key, value in named.items() if value is not None]
    every = once([*given, *(options or {}).items()], "trace option ")
    return list(_limited(every, "trace option").items())
