"""Devices and workloads of a study as one text each: a name, a path, or what such a file holds."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

from slcache import _core, files
from slcache.given import content
from slcache.given.content import Content
from slcache.traces import api as traces

#: Begins a text that holds content: no path has this character.
_HELD = "\0"


def text_of(given: Content) -> str:
    """Return the text of what is given as a path or as a dict; ConfigError for other values."""
    if not isinstance(given, Mapping):
        return os.fspath(given)
    held = {str(key): content.plain(value, str(key)) for key, value in given.items()}
    return _HELD + json.dumps(held, ensure_ascii=False)


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
