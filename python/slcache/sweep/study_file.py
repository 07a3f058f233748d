"""A study read from what describes it: a TOML file, or a document of the same keys."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slcache import api
from slcache._core import ConfigError
from slcache.execute import given
from slcache.given import config_files, parsing
from slcache.given.arguments import own_word
from slcache.given.once import flatten, once
from slcache.sweep.axes import Value
from slcache.sweep.sampling import Combination, Sampling
from slcache.sweep.study import NAME, Study, StudyError


def read(path: Path) -> Study:
    """Return the study of a file; StudyError names file and key of what is wrong."""
    try:
        told = parsing.toml_file(path)
    except ValueError as error:
        raise StudyError(str(error)) from error
    try:
        return replace(of(told), read_from=(os.fspath(path),))
    except ConfigError as error:
        raise StudyError(f"{path}: {error}") from error


def of_folder(folder: Path) -> Path | None:
    """Return the file of a study that has its folder here, if there is one.

    A folder is a document: a study of it that runs code of Python is to be named itself.
    """
    path = folder / NAME
    if not path.exists():
        return None
    if code := read(path).code:
        told = f"{path} names {code[0]}, and no document loads code of Python"
        raise StudyError(f"{told}; to load it, name the study's file: slcache sweep {path}")
    return path


def is_study(path: Path) -> bool:
    """Return whether a TOML file describes a study, and not a workload; True where it is broken.

    A workload has no traces.
    """
    try:
        return not {"trace", "workload"}.isdisjoint(parsing.toml_file(path))
    except ValueError:
        return True
    except OSError:
        return path.name == NAME


def of(told: Mapping[str, Any]) -> Study:
    """Return the study that a document describes; StudyError names what is wrong."""
    spelled = [(own_word(key, _READERS), value) for key, value in told.items()]
    told = once(spelled)
    unknown = set(told) - _READERS.keys()
    if unknown:
        raise StudyError(f"{min(unknown)}: unknown key; known: {', '.join(_READERS)}")
    said = {key: _READERS[key](key, value) for key, value in told.items()}
    return Study(
        traces=said.get("trace", ()),
        **configured(said.get("config"), said.get("device", ()), said.get("scheme", ())),
        vary=said.get("vary", {}),
        listed=said.get("point", ()),
        sampling=sampling(said.get("sample", "grid"), said.get("sample_seed", 1)),
        seeds=said.get("seeds", 1),
        resample=said.get("resample"),
        resample_block=said.get("resample_block"),
        seed=said.get("seed"),
        settings=said.get("set", {}),
        trace_options={k: _said(v) for k, v in said.get("trace_options", {}).items()},
        replay=said.get("replay"),
        metrics=said.get("metric", ()),
    )


def sampling(text: str, seed: int) -> Sampling:
    """Return how points are chosen; raises StudyError."""
    try:
        return Sampling.read(text, seed)
    except ValueError as error:
        raise StudyError(str(error)) from error


def configured(
    config: api.Path | None, devices: tuple[str, ...], schemes: tuple[str, ...]
) -> dict[str, Any]:
    """Return the devices, the schemes and the file of a study that has a configuration file.

    A whole configuration is a device, with its scheme where no other is said.
    """
    found = config_files.Configuration() if config is None else config_files.read(config)
    path = None if config is None else os.fspath(config)
    if path is None or found.device is None:
        return {"devices": devices, "schemes": schemes, "config": path}
    if devices:
        raise StudyError(f"{path} describes a device; leave device out")
    own = () if found.scheme is None else (found.scheme,)
    return {"devices": (path,), "schemes": schemes or own, "config": None}


def _names(key: str, value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, Sequence) or not all(isinstance(name, str) for name in listed):
        raise StudyError(f"{key} = {value}: must be a name or a list of names")
    return tuple(listed)


def _texts(key: str, value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    texts = [given.text_of(each) for each in listed if isinstance(each, str | Mapping)]
    if len(texts) != len(listed):
        raise StudyError(f"{key} = {value}: must be a name, a table, or a list of them")
    for each in listed:
        if isinstance(each, str) and (not each or "\0" in each):
            raise StudyError(f"{key} = {each!r:.60}: is no name and no path")
    return tuple(texts)


def _whole(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise StudyError(f"{key} = {value}: must be a whole number from 0")
    return value


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise StudyError(f"{key} = {value}: must be text")
    return value


def _table(key: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise StudyError(f"{key} = {value}: must be a table of keys and values")
    return once(flatten(value))


def _points(key: str, value: object) -> tuple[Combination, ...]:
    if not isinstance(value, list) or not value:
        raise StudyError(f"{key} = {value}: must be tables of keys and values, [[point]]")
    points = tuple(_table(key, point) for point in value)
    for point in points:
        for name, each in point.items():
            if not isinstance(each, Value):
                raise StudyError(f"{key}: {name} = {each}: must be a number, text, true or false")
    return points


_READERS: dict[str, Any] = {
    "trace": _texts,
    "device": _texts,
    "scheme": _names,
    "seeds": _whole,
    "resample": _whole,
    "resample_block": _text,
    "seed": _whole,
    "replay": _text,
    "metric": _names,
    "config": _text,
    "sample": _text,
    "sample_seed": _whole,
    "set": _table,
    "trace_options": _table,
    "vary": _table,
    "point": _points,
}


def _said(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
