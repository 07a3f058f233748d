"""What a caller gives in place of files, and configurations in files and dicts."""

from __future__ import annotations

import datetime
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Required, TypedDict

from slcache import _core
from slcache.errors import ConfigError, UsageError, about
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
        return _core.DeviceContent(held(device, "device"))
    return os.fspath(device)


def trace_of(trace: Content) -> str | _core.Rereadable:
    """Return a trace, or the workload that a dict is, as the engine takes it."""
    if isinstance(trace, Mapping):
        return _core.workload_content(held(trace, "trace"))
    return os.fspath(trace)


def path_of(given: Content) -> Path | None:
    """Return the path or name, of what is not given by its content."""
    return None if isinstance(given, Mapping) else given


def value_text(value: object, key: str) -> str:
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


def held(content: Mapping[str, Any], what: str) -> str:
    """Return a dict as JSON; keys are told as they stand in it."""
    return json.dumps({_name(key, what): plain(value, str(key)) for key, value in content.items()})


#: Single keys, dotted or nested; a whole configuration, as results have it; or a file of either.
Settings = Mapping[str, Any] | Path


class Placed(str):
    """A setting's value that a file says, with the file and the place for errors to name."""

    __slots__ = ("file", "where")
    file: str
    where: str

    def __new__(cls, value: str, where: str, file: str) -> Placed:
        """Return the value as text, such as TOML has it."""
        self = super().__new__(cls, value)
        self.where, self.file = where, file
        return self

    def __reduce__(self) -> tuple[type[Placed], tuple[str, str, str]]:
        """Return what a worker makes it of again."""
        return Placed, (str(self), self.where, self.file)


@dataclass(frozen=True)
class Configuration:
    """What a configuration says: a device and a scheme where it is whole, and settings."""

    #: As `run` takes it; None where only settings are said.
    device: Any = None
    scheme: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)


def is_whole(config: Mapping[str, Any]) -> bool:
    """Return whether a configuration describes its device, as the one in a result does."""
    device = config.get("device")
    return isinstance(device, Mapping) and isinstance(device.get("pool"), list)


def whole(config: Mapping[str, Any]) -> Configuration:
    """Return a whole configuration as a device that brings its scheme along.

    What it says of its scheme is that scheme's default, so that others can be compared with it.
    """
    parts = {key: part for key, part in config.items() if key != "scheme"}
    schemes = config.get("scheme") or {}
    device = _without_none({**parts, "scheme-defaults": schemes})
    only = next(iter(schemes)) if isinstance(schemes, Mapping) and len(schemes) == 1 else None
    return Configuration(device, only)


def unpacked(
    device: Content | None, settings: Settings | None, config: Path | None = None, word: str = ""
) -> tuple[Content, str | None, dict[str, Any]]:
    """Return the device, the scheme that a whole configuration has, and single settings.

    Those of the file `config` stand below the others. `word` is the argument that the device is
    from, if not that of its name.
    """
    above, below = of(settings), Configuration() if config is None else read(config)
    told = [(above, "the settings describe"), (below, f"{config} describes")]
    whole = [(each, said) for each, said in told if each.device is not None]
    if len(whole) + (device is not None) > 1:
        word = (word or "device") if device is not None else "config"
        raise about(UsageError(f"{whole[0][1]} a device; leave {word} out"), word)
    found = whole[0][0] if whole else Configuration(device)
    if found.device is None:
        raise missing("device")
    return found.device, found.scheme, {**below.settings, **above.settings}


def missing(name: str) -> UsageError:
    """Return the error for what neither an argument nor a whole configuration says."""
    return about(UsageError(f"{name} is missing: give it, or a whole configuration"), name)


def of(settings: Settings | None) -> Configuration:
    """Return what settings say, given as keys, as a whole configuration, or as a file."""
    if isinstance(settings, str | os.PathLike):
        return read(settings)
    if settings is not None and is_whole(settings):
        return whole(settings)
    return Configuration(settings=dict(settings or {}))


def read(path: Path) -> Configuration:
    """Return what a configuration file says, in TOML or JSON, or the `config` of a result.

    A file that describes its device is whole, and is named as the device; any other changes single
    keys. Raises ConfigError.
    """
    name = os.fspath(path)
    said = _core.config_file(name)
    if any(key == "device.pool" for key, _, _ in said):
        return Configuration(name, _scheme([key for key, _, _ in said]))
    return Configuration(settings={key: Placed(value, where, name) for key, value, where in said})


def read_by(settings: Mapping[str, Any]) -> list[str]:
    """Return the files that say some of the settings."""
    said = (value.file for value in settings.values() if isinstance(value, Placed))
    return list(dict.fromkeys(said))


def literal(key: str, value: object) -> str:
    """Return a setting as the engine takes it."""
    setting = f"{key}={value_text(value, key)}"
    return _core.placed(value.where, setting) if isinstance(value, Placed) else setting


def _scheme(keys: list[str]) -> str | None:
    named = {key.split(".")[1] for key in keys if key.startswith("scheme.")}
    return named.pop() if len(named) == 1 else None


def _without_none(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        return {key: _without_none(v) for key, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_none(item) for item in value if item is not None]
    return value
