"""Reading the evaluation's own files: tables with known keys, faults that name file and key."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from slcache import ConfigError
from slcache.given import parsing

T = TypeVar("T")


def load(path: Path) -> dict[str, Any]:
    """Return a TOML file's tables; raises ConfigError."""
    try:
        return parsing.toml_file(path)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error


def build(kind: type[T], table: Mapping[str, Any], where: str) -> T:
    """Return a dataclass made of a table; raises ConfigError for missing and unknown keys.

    A key that Python keeps for itself, such as class, is the field class_. Tables below it are made
    into the dataclasses of their fields; `[[part]]` is a member of the field parts.
    """
    members = dataclasses.fields(kind)  # type: ignore[arg-type]
    known = typing.get_type_hints(kind)
    fields = {_key(field.name, known[field.name]): field for field in members}
    hints = {key: known[field.name] for key, field in fields.items()}
    table = {
        key: built(hints[key], value, f"{where}: {key}") if key in hints else value
        for key, value in table.items()
    }
    unknown = [key for key in table if key not in fields]
    missing = [
        name
        for name, field in fields.items()
        if name not in table
        and field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
    ]
    problems = [f"{where}: unknown key {key}; allowed: {', '.join(fields)}" for key in unknown]
    problems += [f"{where}: {name} is missing" for name in missing]
    problems += [
        f"{where}: {name} = {value!r} is not {_name(hints[name])}"
        for name, value in table.items()
        if name in hints and not _fits(value, hints[name])
    ]
    if problems:
        raise ConfigError("\n".join(problems))
    return kind(**{fields[key].name: value for key, value in table.items()})


def _key(name: str, hint: Any) -> str:  # noqa: ANN401
    """Return what a field is called in the file."""
    of_tables = typing.get_origin(hint) is list and dataclasses.is_dataclass(hint.__args__[0])
    return name.removesuffix("s") if of_tables else name.rstrip("_")


def built(hint: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    """Return a value with its tables made into dataclasses, as a field's type has them."""
    if isinstance(value, dict) and dataclasses.is_dataclass(hint):
        return build(typing.cast(type[Any], hint), value, where)
    arguments = typing.get_args(hint)
    if isinstance(value, list) and typing.get_origin(hint) is list:
        return [built(arguments[0], each, f"{where} {i + 1}") for i, each in enumerate(value)]
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return built(arguments[0], value, where)
    return value


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401
    if hint is Any:
        return True
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, argument) for argument in arguments)
    if origin is list:
        return isinstance(value, list) and all(_fits(item, arguments[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(_fits(v, arguments[1]) for v in value.values())
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _name(hint: Any) -> str:  # noqa: ANN401
    return hint.__name__ if isinstance(hint, type) else str(hint)
