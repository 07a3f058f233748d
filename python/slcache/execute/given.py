"""Traces and devices as texts that travel, and the draws of a recording."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from slcache import _core, files
from slcache import trace as traces
from slcache.documents.figures import by_seed
from slcache.errors import UsageError, about
from slcache.options import content
from slcache.options.content import Content
from slcache.options.parsing import time_ns

#: Begins a text that holds content: no path has this character.
_HELD = "\0"


def text_of(given: Content, what: str = "device") -> str:
    """Return the text of what is given as a path or as a dict; ConfigError for other values."""
    return _HELD + content.json_of(given, what) if isinstance(given, Mapping) else os.fspath(given)


def content_of(text: str) -> Content:
    """Return a path, or the dict that a text stands for."""
    return json.loads(text[1:]) if text.startswith(_HELD) else text


def label(text: str) -> str:
    """Return what tables call it: its path, or the name in its content."""
    held = content_of(text)
    if not isinstance(held, Mapping):
        return text
    device = held.get("device")
    of = device if isinstance(device, Mapping) else held
    return str(of.get("name", "unnamed"))


def path_of(text: str) -> str | None:
    """Return the path, of what is not given by its content."""
    return None if text.startswith(_HELD) else text


def device_of(text: str) -> str | _core.DeviceContent:
    """Return a device as the engine takes it."""
    return content.device_of(content_of(text))


def trace_of(text: str) -> str | _core.Rereadable:
    """Return a trace or workload as the engine takes it."""
    return content.trace_of(content_of(text))


def is_workload(text: str) -> bool:
    """Return whether requests are drawn, by a file, a preset or a dict."""
    return text.startswith(_HELD) or traces.is_workload(text)


def inputs(of: Sequence[str], devices: Sequence[str], config: str | None) -> list[files.Path]:
    """Return the files that are read for these traces, devices and settings."""
    named = [path for text in of if (path := path_of(text)) is not None]
    others = [path for text in devices if (path := path_of(text)) is not None]
    return [
        *(file for path in named for file in files.inputs(path)),
        *(path for path in others if path.endswith((".toml", ".json"))),
        *([] if config is None else [config]),
    ]


#: The reader's options: the number of a draw, and how long its stretches are on average.
DRAW, BLOCK = "resample", "resample_block_ns"

#: Adds the draw of a seed to the options of a trace's reader.
Drawn = Callable[[Mapping[str, str] | None, int | None], Mapping[str, str] | None]


def of_trace(draws: int | None, block: str | None, trace: str, seeds: int) -> Drawn:
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


def _length_ns(block: str) -> int:
    try:
        return time_ns(block)
    except ValueError as error:
        raise about(UsageError(f"resample_block: {error}"), "resample_block") from error


def _refuse(name: str, value: object, told: str) -> None:
    raise about(UsageError(f"{name} = {value}: {told}"), name)
