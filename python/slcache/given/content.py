"""What Python gives in place of a file: what a device or workload file holds, as a dict."""

from __future__ import annotations

import datetime
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Required, TypedDict

from slcache import _core
from slcache.errors import ConfigError, about
from slcache.files import Path

#: A preset's name, a path, or what the file would hold.
Content = Path | Mapping[str, Any]


class Run(TypedDict, total=False):
    """What is run: a device, a scheme, what is said of them, how its trace is read, its files."""

    device: Required[str | _core.DeviceContent]
    scheme: Required[str]
    sets: list[str]
    seed: int | None
    replay: str | None
    trace_options: list[tuple[str, str]]
    snapshot_in: str | None
    snapshot_out: str | None
    memory_in: str | None
    memory_out: str | None
    log: str | None
    #: File, first and last time in ns, and every how many operations are drawn.
    timelines: list[tuple[str, int, int, int]]


def device_of(device: Content) -> str | _core.DeviceContent:
    """Return a device as the engine takes it; raises ConfigError, naming the key of a value."""
    if isinstance(device, Mapping):
        return _core.DeviceContent(_json(device, "device"))
    return os.fspath(device)


def trace_of(trace: Content) -> str | _core.Rereadable:
    """Return a trace, or the workload that a dict is, as the engine takes it."""
    if isinstance(trace, Mapping):
        return _core.workload_content(_json(trace, "trace"))
    return os.fspath(trace)


def path_of(given: Content) -> Path | None:
    """Return the path or name, of what is not given by its content."""
    return None if isinstance(given, Mapping) else given


def literal(value: object, key: str) -> str:
    """Return a setting's value as the engine reads it; text stands for itself."""
    return value if isinstance(value, str) else json.dumps(plain(value, key))


def plain(value: Any, key: str) -> object:  # noqa: ANN401
    """Return a value as what a file can hold; raises ConfigError for what has no such form."""
    match value:
        case Mapping():
            return {
                _name(name, key): plain(inner, f"{key}.{name}") for name, inner in value.items()
            }
        case bool() | str():
            return value
        case _ if _is_of_numpy(value):
            return plain(value.tolist(), key)
        case int():
            return value
        case float() if math.isfinite(value):
            return value
        case os.PathLike():
            return os.fspath(value)
        case Sequence() if not isinstance(value, bytes | bytearray | memoryview):
            return [plain(inner, f"{key}[{i}]") for i, inner in enumerate(value)]
        case None | float() | datetime.date() | datetime.time():
            told = f"{key} = {value}: must be text, a number, true or false, a list or a table"
        case _:
            told = f"{key}: a {type(value).__name__} is nothing that a file can hold"
    raise about(ConfigError(told), key)


def _is_of_numpy(value: object) -> bool:
    """Return whether a value is a number or array of NumPy, which who gives none need not load."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic | numpy.ndarray)


def _name(name: object, key: str) -> str:
    if not isinstance(name, str):
        raise about(ConfigError(f"{key}: the key {name!r} is no text"), key)
    return name


def _json(content: Mapping[str, Any], what: str) -> str:
    """Return a dict as JSON; keys are told as they stand in it."""
    held = {_name(key, what): plain(value, str(key)) for key, value in content.items()}
    return json.dumps(held)
