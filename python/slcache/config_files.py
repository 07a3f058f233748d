"""Configurations in files and dictionaries: whole ones, and those that change single keys."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slcache import _core, content, saved
from slcache.content import Content
from slcache.errors import ConfigError, UsageError, about
from slcache.once import flatten, once

Path = str | os.PathLike[str]
#: Single keys, dotted or nested; a whole configuration, as results have it; or a file of either.
Settings = Mapping[str, Any] | Path


class Placed(str):
    """A setting's value that a file says, with the place for errors to name."""

    __slots__ = ("where",)
    where: str

    def __new__(cls, value: str, where: str) -> Placed:
        """Return the value as text, such as TOML has it."""
        self = super().__new__(cls, value)
        self.where = where
        return self


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
    device: Content | None, settings: Settings | None
) -> tuple[Content, str | None, dict[str, Any]]:
    """Return the device, the scheme that a whole configuration has, and single settings."""
    found = of(settings)
    if device is not None and found.device is not None:
        raise about(UsageError("the settings describe a device; leave device out"), "device")
    chosen = device if found.device is None else found.device
    if chosen is None:
        raise missing("device")
    return held_device(chosen), found.scheme, found.settings


def held_device(device: Content) -> Content:
    """Return a device; a `.json` file is a whole configuration with one, such as a result's."""
    if isinstance(device, Mapping) or pathlib.Path(device).suffix != ".json":
        return device
    found = read(device).device
    if found is None:
        name = os.fspath(device)
        raise about(ConfigError(f"{name}: describes no device"), "device", file=name)
    chosen: Content = found
    return chosen


def missing(name: str) -> UsageError:
    """Return the error for what neither an argument nor a whole configuration says."""
    return about(UsageError(f"{name} is missing: the settings are no whole configuration"), name)


def of(settings: Settings | None) -> Configuration:
    """Return what settings say, given as keys, as a whole configuration, or as a file."""
    if isinstance(settings, str | os.PathLike):
        return read(settings)
    if settings is not None and is_whole(settings):
        return whole(settings)
    return Configuration(settings=dict(settings or {}))


def read(path: Path) -> Configuration:
    """Return what a configuration file says, in TOML or JSON, or the `config` of a result.

    A file that describes its device is whole; any other changes single keys. Raises ConfigError.
    """
    name = os.fspath(path)
    if pathlib.Path(name).suffix != ".json":
        lines = _core.config_file(name)
        if any(key == "device.pool" for key, _, _ in lines):
            return Configuration(name, _scheme([key for key, _, _ in lines]))
        settings = {key: Placed(value, where) for key, value, where in lines}
        return Configuration(settings=settings)
    config = _json(name)
    if is_whole(config):
        return whole(config)
    flat = once(flatten(config))
    return Configuration(settings={k: Placed(_toml(v, k, name), name) for k, v in flat.items()})


def literal(key: str, value: object) -> str:
    """Return a setting as the engine takes it."""
    setting = f"{key}={content.literal(value, key)}"
    return _core.placed(value.where, setting) if isinstance(value, Placed) else setting


def _scheme(keys: list[str]) -> str | None:
    named = {key.split(".")[1] for key in keys if key.startswith("scheme.")}
    return named.pop() if len(named) == 1 else None


def _json(name: str) -> dict[str, Any]:
    try:
        document = json.loads(pathlib.Path(name).read_bytes())
    except json.JSONDecodeError as error:
        told = f"{name}:{error.lineno}: not JSON: {error.msg} at column {error.colno}"
        raise about(ConfigError(told), line=error.lineno, file=name) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise about(ConfigError(f"{name}: not JSON: {error}"), file=name) from None
    except OSError as error:
        told = f"{name}: cannot be read: {error.strerror or error}"
        raise about(ConfigError(told), file=name) from None
    if saved.is_comparison(document):
        told = f"{name}: a comparison has a configuration for each run; give one of its runs"
        raise about(ConfigError(told), file=name)
    config = document.get("config") if isinstance(document, dict) else None
    found = config if isinstance(config, dict) else document
    if not isinstance(found, dict):
        raise about(ConfigError(f"{name}: a configuration is an object"), file=name)
    return found


def _toml(value: object, key: str, name: str) -> str:
    if value is None:
        told = f"{name}: {key} = null: leave it out; only a whole configuration says none"
        raise about(ConfigError(told), key, file=name)
    return json.dumps(value, ensure_ascii=False)


def _without_none(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        return {key: _without_none(v) for key, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_none(item) for item in value if item is not None]
    return value
