"""Block traces: what they hold, what is wrong with them, and new ones made from them.

>>> import slcache
>>> slcache.trace.info("web.csv.gz")["write_share"]
>>> slcache.trace.convert("web.csv.gz", "web.parquet")

`slcache.Trace` is the same for one trace, of which format and options are said once.
"""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from slcache import _core, files
from slcache.errors import ConfigError, UsageError, about
from slcache.files import Path
from slcache.names import leaves
from slcache.options import checked
from slcache.options.content import OptionValues, checked_seed, flatten, unique
from slcache.trace import twins

__all__ = ["convert", "generate", "info", "lint", "picture", "twin"]

#: Called a few times a second with (phase, done, total); returning False cancels the work, and
#: returning nothing goes on.
Progress = Callable[[str, int, int], bool | None]

#: The seed a workload is drawn with where none is given.
DEFAULT_SEED = 0
#: Most options of a reader, and most keys of a workload that are changed.
OPTIONS_MAX = 1_000
_WHOLE_MAX = (1 << 64) - 1
#: Options of the reader that take a part of a trace, copies of it, or a draw.
_OF_PARTS = frozenset({"from_ns", "to_ns", "skip", "take", "copies", "time_scale", "resample"})


class Trace:
    """A block trace on disk: its statistics, its problems, and copies of it.

    `format` and `options` say how to read it.
    """

    @checked
    def __init__(
        self,
        path: Path,
        format: str | None = None,
        options: OptionValues | None = None,
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
        from slcache.charts import pictures

        pictures.check_name(path)
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
    def twin_by_blocks(
        self,
        output: Path,
        *,
        to: str | None = None,
        lossy: Sequence[str] = (),
        on_progress: Progress | None = None,
        **parameters: Any,  # noqa: ANN401
    ) -> dict[str, Any]:
        """Write a trace of this one's blocks in random order, at addresses of their own.

        Parameters are `seed`, `requests`, `footprint_bytes`, `pause_ns`, `block_requests`,
        `stages`, `places` and `regions`. Returns what was read, done, lost and written.
        """
        given = {key: value for key, value in parameters.items() if value is not None}
        return _converted(
            [self.path], output, self._options, to, lossy, on_progress, blocks=_json(given)
        )

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
        return _converted([self.path], output, self._options, to, lossy, on_progress)

    def __repr__(self) -> str:
        return f"<slcache.Trace {self.path}>"


def cut(
    trace: Trace,
    output: Path,
    *,
    take: int | None = None,
    copies: str | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the first requests of what the options of a trace take of it, or copies of it."""
    named = {"take": None if take is None else str(take), "copies": copies}
    part = [(key, value) for key, value in named.items() if value is not None]
    options = trace._options
    if not _OF_PARTS & dict(options).keys():
        return _converted([trace.path], output, [*options, *part], None, (), on_progress)
    with files.scratch(pathlib.Path(output).parent) as folder:
        whole = os.fspath(folder / "whole.parquet")
        _converted([trace.path], whole, options, None, (), on_progress)
        return _converted([whole], output, part, None, (), on_progress)


@checked
def convert(
    trace: Path | Sequence[Path],
    output: Path,
    *,
    to: str | None = None,
    lossy: Sequence[str] = (),
    trace_format: str | None = None,
    trace_options: OptionValues | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Write a trace in another format, or several as one in order of time.

    The output's ending says the format where `to` does not. What it has no place for is an error
    unless `lossy` names it. Each of several traces becomes a volume of its own, unless their option
    `volume` is `merge`. Returns what was read, lost and written.
    """
    traces = [trace] if isinstance(trace, str | os.PathLike) else trace
    options = reader_options(trace_format, trace_options)
    return _converted([os.fspath(each) for each in traces], output, options, to, lossy, on_progress)


def _converted(
    inputs: list[str],
    output: Path,
    options: list[tuple[str, str]],
    to: str | None,
    lossy: Sequence[str],
    on_progress: Progress | None,
    *,
    blocks: str | None = None,
) -> dict[str, Any]:
    text = _core.trace_convert(
        inputs,
        os.fspath(output),
        trace_options=options,
        format=to,
        lossy=",".join(lossy),
        blocks=blocks,
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


def _document(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    return document


def _json(given: Mapping[str, object]) -> str:
    """Return parameters as JSON; UsageError for numbers beyond all of them."""
    for key, value in leaves(given):
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(number, int) and number > _WHOLE_MAX for number in numbers):
            raise about(UsageError(f"{key}: is beyond {_WHOLE_MAX}, the largest whole number"), key)
    return json.dumps(given)


def _overrides(overrides: Mapping[str, object] | None) -> list[tuple[str, str]]:
    """Return the settings of a workload, dotted or nested, as the engine takes them."""
    named = _limited(unique(flatten(overrides or {}), "workload key "), "workload key")
    return [(key, str(value)) for key, value in named.items()]


def _limited(said: dict[str, Any], what: str) -> dict[str, Any]:
    """Return what is said, unless it is more than any reader has: each costs a look at all."""
    if len(said) > OPTIONS_MAX:
        key = list(said)[OPTIONS_MAX]
        told = f"{what} {key} = {said[key]!s:.60}: the {OPTIONS_MAX + 1:,}st of {len(said):,}"
        raise about(ConfigError(f"{told}; at most {OPTIONS_MAX:,} are taken"), key)
    return said


def reader_options(
    trace_format: str | None, options: OptionValues | None, seed: int | None = None
) -> list[tuple[str, str]]:
    """Return a trace's reader options, with the format and the seed of a workload among them."""
    named = {"format": trace_format, "seed": None if seed is None else str(checked_seed(seed))}
    given = [(key, value) for key, value in named.items() if value is not None]
    every = unique([*given, *(options or {}).items()], "trace option ")
    return list(_limited(every, "trace option").items())


@checked
def info(
    trace: Path,
    *,
    trace_format: str | None = None,
    trace_options: OptionValues | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return a trace's counts, footprint and statistics."""
    return Trace(trace, trace_format, trace_options).info(on_progress)


@checked
def lint(
    trace: Path,
    *,
    trace_format: str | None = None,
    trace_options: OptionValues | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return every problem that would stop or distort a run, with its line."""
    return Trace(trace, trace_format, trace_options).lint(on_progress)


@checked
def picture(
    trace: Path,
    output: Path,
    *,
    trace_format: str | None = None,
    trace_options: OptionValues | None = None,
) -> None:
    """Draw sizes, times, hot set and addresses in a .png, .svg, .pdf or .html file."""
    Trace(trace, trace_format, trace_options).picture(output)


@checked
def twin(
    trace: Path,
    output: Path,
    *,
    trace_format: str | None = None,
    trace_options: OptionValues | None = None,
) -> dict[str, Any]:
    """Write a workload file, a `.toml`, whose requests have a trace's figures, and return these.

    What was fitted or given up is there with the reasons, and what else it does not carry.
    """
    return Trace(trace, trace_format, trace_options).twin(output)
