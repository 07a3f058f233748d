"""A study read from what describes it: a TOML file, or a document of the same keys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from slcache._core import ConfigError
from slcache.given import parsing
from slcache.given.arguments import own_word
from slcache.given.once import once
from slcache.sweep.study import NAME, Study, StudyError


def read(path: Path) -> Study:
    """Return the study of a file; StudyError names file and key of what is wrong."""
    try:
        told = parsing.toml_file(path)
    except ValueError as error:
        raise StudyError(str(error)) from error
    try:
        return of(told, (os.fspath(path),))
    except ConfigError as error:
        told_of = (f"{path}: {line}" for line in str(error).splitlines())
        raise StudyError("\n".join(told_of)) from error


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


def of(told: Mapping[str, Any], read_from: tuple[str, ...] = ()) -> Study:
    """Return the study that a document describes; StudyError names what is wrong."""
    known = [each.alias or name for name, each in Study.model_fields.items() if not each.exclude]
    said = once((own_word(key, known), value) for key, value in told.items())
    if unknown := said.keys() - known:
        raise StudyError(f"{min(unknown)}: unknown key; known: {', '.join(known)}")
    return Study(**said, read_from=read_from)
