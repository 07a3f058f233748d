"""What a caller gives in place of files; settings, of which each key may come once."""

from __future__ import annotations

import datetime
import json
import math
import operator
import os
import pathlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Required, TypedDict, TypeVar

from slcache import _core
from slcache.errors import ConfigError, UsageError, about
from slcache.files import Path

_V = TypeVar("_V")
#: The largest seed: what a configuration can hold.
SEED_MAX = 2**63 - 1


def unique(pairs: Iterable[tuple[str, _V]], what: str = "") -> dict[str, _V]:
    """Return pairs as a dictionary; a key that is given twice is a ConfigError, never a choice.

    `what` says what the keys are. The engine finds those that are one key in two spellings.
    """
    said: dict[str, _V] = {}
    for key, value in pairs:
        if key in said:
            told = f"{what}{key}: given twice, as {said[key]} and {value}; give one of the two"
            raise about(ConfigError(told), key)
        said[key] = value
    return said


def duplicate(names: Iterable[str], spelled: Mapping[str, str] | None = None) -> str | None:
    """Return what is named twice; `spelled` has what another spelling of a name means."""
    said: dict[str, str] = {}
    for name in names:
        own = (spelled or {}).get(name, name)
        if own in said:
            other = "" if said[own] == name else f", as {said[own]} and {name}"
            return f"{own} is given twice{other}"
        said[own] = name
    return None


def flatten(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield nested settings as dotted keys with their values; an empty table is one."""
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", of_python(value)


def of_python(value: Any) -> Any:  # noqa: ANN401
    """Return NumPy's arrays and numbers as Python's, in lists too."""
    if isinstance(value, list | tuple):
        return [of_python(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def checked_seed(seed: int) -> int:
    """Return a seed; raises ConfigError for one that a configuration cannot hold."""
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise about(ConfigError(f"seed = {seed!r:.60}: must be a whole number"), "seed")
    seed = operator.index(seed)
    if not 0 <= seed <= SEED_MAX:
        shown = seed if abs(seed) < 10**60 else "a number of more than 60 digits"
        raise about(ConfigError(f"seed = {shown}: must be between 0 and {SEED_MAX}"), "seed")
    return seed


def one_name(key: str, scheme: str) -> str:
    """Return a key as it is spelled in full: keys outside the sections are the scheme's."""
    inside = re.match(r"(device|scheme|host|buffer|precondition|trace|run)\b", key)
    return re.sub(r"\[(\d+)\]", r".\1", key if inside else f"scheme.{scheme}.{key}")


#: A preset's name, a path, or what the file would hold.
Content = Path | Mapping[str, Any]


class EngineRun(TypedDict, total=False):
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


#: Begins a text that holds content: no path has this character.
_HELD = "\0"


def text_of(given: Content, what: str = "device") -> str:
    """Return the text that travels for a path or a dict; ConfigError for other values."""
    return _HELD + json_of(given, what) if isinstance(given, Mapping) else os.fspath(given)


def content_of(given: Content) -> Content:
    """Return a path, or the dict that a text stands for."""
    is_held = isinstance(given, str) and given.startswith(_HELD)
    return json.loads(str(given)[1:]) if is_held else given


def path_of(given: Content) -> str | None:
    """Return the path or name, of what is not given by its content."""
    found = content_of(given)
    return None if isinstance(found, Mapping) else os.fspath(found)


def label(given: Content) -> str:
    """Return what tables call it: its path, or the name in its content."""
    found = content_of(given)
    if not isinstance(found, Mapping):
        return os.fspath(found)
    device = found.get("device")
    of = device if isinstance(device, Mapping) else found
    return str(of.get("name", "unnamed"))


def device_of(device: Content) -> str | _core.DeviceContent:
    """Return a device as the engine takes it; raises ConfigError, naming the key of a value."""
    found = content_of(device)
    if isinstance(found, Mapping):
        return _core.DeviceContent(json_of(found, "device"))
    return os.fspath(found)


def trace_of(trace: Content) -> str | _core.Rereadable:
    """Return a trace, or the workload that a dict is, as the engine takes it."""
    found = content_of(trace)
    if isinstance(found, Mapping):
        return _core.workload_content(json_of(found, "trace"))
    return os.fspath(found)


def is_workload(trace: Content) -> bool:
    """Return whether requests are drawn, by a `.toml` file, a preset or a dict."""
    name = path_of(trace)
    if name is None or name.endswith(".toml"):
        return True
    return name in _core.workload_names() and not pathlib.Path(name).exists()


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


def json_of(content: Mapping[str, Any], what: str) -> str:
    """Return a dict as JSON; keys are told as they stand in it."""
    return json.dumps({_name(key, what): plain(value, str(key)) for key, value in content.items()})


#: Single keys, dotted or nested; a whole configuration, as results have it; or a file of either.
Settings = Mapping[str, Any] | Path
#: Options by their names: text, numbers, True and False, which arrive as text.
OptionValues = Mapping[str, Any]


class FileValue(str):
    """A setting's value that a file says, with the file and the place for errors to name."""

    __slots__ = ("file", "where")
    file: str
    where: str

    def __new__(cls, value: str, where: str, file: str) -> FileValue:
        """Return the value as text, such as TOML has it."""
        self = super().__new__(cls, value)
        self.where, self.file = where, file
        return self

    def __reduce__(self) -> tuple[type[FileValue], tuple[str, str, str]]:
        """Return what a worker makes it of again."""
        return FileValue, (str(self), self.where, self.file)


@dataclass(frozen=True)
class DeviceSettings:
    """What a configuration says: a device and a scheme where it is whole, and settings."""

    #: As `run` takes it; None where only settings are said.
    device: Any = None
    scheme: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)


def is_whole(config: Mapping[str, Any]) -> bool:
    """Return whether a configuration describes its device, as the one in a result does."""
    device = config.get("device")
    return isinstance(device, Mapping) and isinstance(device.get("pool"), list)


def whole(config: Mapping[str, Any]) -> DeviceSettings:
    """Return a whole configuration as a device that brings its scheme along.

    What it says of its scheme is that scheme's default, so that others can be compared with it.
    """
    parts = {key: part for key, part in config.items() if key != "scheme"}
    schemes = config.get("scheme") or {}
    device = without_none({**parts, "scheme-defaults": schemes})
    only = next(iter(schemes)) if isinstance(schemes, Mapping) and len(schemes) == 1 else None
    return DeviceSettings(device, only)


def unpack(
    device: Content | None, settings: Settings | None, config: Path | None = None, word: str = ""
) -> tuple[Content, str | None, dict[str, Any]]:
    """Return the device, the scheme that a whole configuration has, and single settings.

    Those of the file `config` stand below the others. `word` is the argument that the device is
    from, if not that of its name.
    """
    above, below = (
        settings_of(settings),
        DeviceSettings() if config is None else read_settings(config),
    )
    told = [(above, "the settings describe"), (below, f"{config} describes")]
    whole = [(each, said) for each, said in told if each.device is not None]
    if len(whole) + (device is not None) > 1:
        word = (word or "device") if device is not None else "config"
        raise about(UsageError(f"{whole[0][1]} a device; leave {word} out"), word)
    found = whole[0][0] if whole else DeviceSettings(device)
    if found.device is None:
        raise missing("device")
    return found.device, found.scheme, {**below.settings, **above.settings}


def missing(name: str) -> UsageError:
    """Return the error for what neither an argument nor a whole configuration says."""
    return about(UsageError(f"{name} is missing: give it, or a whole configuration"), name)


def settings_of(settings: Settings | None) -> DeviceSettings:
    """Return what settings say, given as keys, as a whole configuration, or as a file."""
    if isinstance(settings, str | os.PathLike):
        return read_settings(settings)
    if settings is not None and is_whole(settings):
        return whole(settings)
    return DeviceSettings(settings=dict(settings or {}))


def read_settings(path: Path) -> DeviceSettings:
    """Return what a configuration file says, in TOML or JSON, or the `config` of a result.

    A file that describes its device is whole, and is named as the device; any other changes single
    keys. Raises ConfigError.
    """
    name = os.fspath(path)
    said = _core.config_file(name)
    if any(key == "device.pool" for key, _, _ in said):
        return DeviceSettings(name, _scheme([key for key, _, _ in said]))
    return DeviceSettings(
        settings={key: FileValue(value, where, name) for key, value, where in said}
    )


def settings_files(settings: Mapping[str, Any]) -> list[str]:
    """Return the files that say some of the settings."""
    said = (value.file for value in settings.values() if isinstance(value, FileValue))
    return list(dict.fromkeys(said))


def setting_text(key: str, value: object) -> str:
    """Return a setting as the engine takes it."""
    setting = f"{key}={value_text(value, key)}"
    return _core.placed(value.where, setting) if isinstance(value, FileValue) else setting


def _scheme(keys: list[str]) -> str | None:
    named = {key.split(".")[1] for key in keys if key.startswith("scheme.")}
    return named.pop() if len(named) == 1 else None


def without_none(value: Any) -> Any:  # noqa: ANN401
    """Return a configuration without what is absent: files have no word for nothing."""
    if isinstance(value, Mapping):
        return {key: without_none(v) for key, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_none(item) for item in value if item is not None]
    return value
