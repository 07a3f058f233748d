"""Tables of TOML and JSON that are read as models: each fault in them is told with its place."""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails

from slcache.errors import ConfigError
from slcache.options import parsing

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


def build(
    kind: type[T],
    table: Mapping[str, Any] | Sequence[Any],
    where: str,
    known: Mapping[str, Sequence[str]] | None = None,
) -> T:
    """Return a model made of a table; raises ConfigError for all faults, with their places.

    `known` are the names that `Named` texts may be; none is refused without them.
    """
    try:
        # Texts of JSON are taken strictly, and tables in them for models all the same.
        text = json.dumps(table, default=str)
        found: T = _reader(kind).validate_json(text, strict=True, context=known)
        return found
    except ValidationError as error:
        faults = dict.fromkeys(_fault(kind, one) for one in error.errors())
        raise ConfigError("\n".join(f"{where}: {fault}" for fault in faults)) from None


#: What reads a model; to make it takes longer than to read with it.
_reader: Callable[[Any], TypeAdapter[Any]] = functools.cache(TypeAdapter)


def name_of(kind: str) -> AfterValidator:
    """Return the check that something of a kind bears a name; an empty name is none."""

    def check(name: str, info: ValidationInfo) -> str:
        known = (info.context or {}).get(kind, (name,))
        if name and name not in known:
            raise ValueError(f"no {kind} {name}; allowed: {', '.join(known)}")
        return name

    return AfterValidator(check)


def _fault(kind: type, error: ErrorDetails) -> str:
    """Return what is wrong, with its place: `sensitivity: vary 2: why is missing`."""
    # A key of a table that is no name stands behind itself.
    loc = error["loc"] or ("it",)
    *place, key = loc[:-2] if loc[-1] == "[key]" else loc
    steps = [f" {one + 1}" if isinstance(one, int) else f": {one}" for one in place]
    at = "".join([*steps, ": "]).lstrip(": ")
    if error["type"] == "missing":
        return f"{at}{key} is missing"
    if error["type"] == "unexpected_keyword_argument":
        return f"{at}unknown key {key}; allowed: {', '.join(_keys_at(kind, place))}"
    whole = f"{at.removesuffix(': ')} {key + 1}" if isinstance(key, int) else f"{at}{key}"
    if error["type"] == "value_error":
        return f"{whole}: {error['ctx']['error']}"
    return f"{whole} = {error['input']!r:.60}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _keys_at(kind: Any, place: Sequence[int | str]) -> list[str]:  # noqa: ANN401
    """Return the keys of the model at a place."""
    for step in place:
        if dataclasses.is_dataclass(kind):
            kind = typing.get_type_hints(kind)[str(step)]
        else:
            kind = typing.get_args(kind)[-1]
        if typing.get_origin(kind) in (typing.Union, types.UnionType):
            kind = typing.get_args(kind)[0]
    return [field.name for field in dataclasses.fields(kind)]


def refuse(faults: Sequence[str]) -> None:
    """Raise ConfigError for all faults at once, where there are any."""
    if faults:
        raise ConfigError("\n".join(faults))
