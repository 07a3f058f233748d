"""Reading the evaluation's own files: models with known keys, faults with their places."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from slcache import ConfigError
from slcache.given import parsing

T = TypeVar("T")

#: How a file's model, and those in it, are read: a key that they do not know is refused.
CLOSED = ConfigDict(extra="forbid")


def load(path: Path) -> dict[str, Any]:
    """Return a TOML file's tables; raises ConfigError."""
    try:
        return parsing.toml_file(path)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error


def build(kind: type[T], table: Mapping[str, Any], where: str) -> T:
    """Return a model made of a table; raises ConfigError for all faults, with their places."""
    try:
        # Texts of JSON are taken strictly, and tables in them for models all the same.
        return TypeAdapter(kind).validate_json(json.dumps(table, default=str), strict=True)
    except ValidationError as error:
        faults = dict.fromkeys(_fault(kind, one) for one in error.errors())
        raise ConfigError("\n".join(f"{where}: {fault}" for fault in faults)) from None


def _fault(kind: type, error: ErrorDetails) -> str:
    """Return what is wrong, with its place: `sensitivity: vary 2: why is missing`."""
    *place, key = error["loc"]
    steps = [f" {one + 1}" if isinstance(one, int) else f": {one}" for one in place]
    at = "".join([*steps, ": "]).removeprefix(": ")
    if error["type"] == "missing":
        return f"{at}{key} is missing"
    if error["type"] == "unexpected_keyword_argument":
        return f"{at}unknown key {key}; allowed: {', '.join(_keys(kind, place))}"
    named = f"{at.removesuffix(': ')} {key + 1}" if isinstance(key, int) else f"{at}{key}"
    return f"{named} = {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _keys(kind: Any, place: Sequence[int | str]) -> list[str]:  # noqa: ANN401
    """Return the keys of the model at a place."""
    for step in place:
        if dataclasses.is_dataclass(kind):
            kind = typing.get_type_hints(kind)[str(step)]
        else:
            kind = typing.get_args(kind)[-1]
        if typing.get_origin(kind) in (typing.Union, types.UnionType):
            kind = typing.get_args(kind)[0]
    return [field.name for field in dataclasses.fields(kind)]
