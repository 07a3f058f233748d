"""Reading the evaluation's own files: defaults written out, models with known keys, faults."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails

from slcache import ConfigError
from slcache.options import parsing

Table = dict[str, Any]

_TABLES = ("part", "workload", "variant", "grid", "pick", "lifespan", "figure", "table")
_BRACES = re.compile(r"\{([^{}]*)\}")


def written_out(table: Table, where: str) -> Table:
    """Return a plan's tables as its model has them; raises ConfigError."""
    table = _opened(table, where)
    (common,) = _list({"defaults": [table.pop("defaults", {})]}, "defaults", where)
    table["part"] = [_merged(common, part) for part in _list(table, "part", where)]
    table["workload"] = _workloads(table, where)
    options = _tables(table, "option", where)
    readings = {
        name: {**said, "options": _chosen(options, said, f"{where}: reading: {name}")}
        for name, said in _tables(table, "reading", where).items()
    }
    unused = options.keys() - {name for said in readings.values() for name in said["options"]}
    if unused:
        raise ConfigError(f"{where}: option {min(unused)} is in no reading")
    # In files a list of tables is called after one of them.
    found = {f"{key}s" if isinstance(said, list) and key in _TABLES else key: said
             for key, said in table.items()}  # fmt: skip
    return {**found, "reading": readings}


def each(key: str) -> list[str]:
    """Return the keys that one stands for: `scheme.{sa,sector}.trigger` is two."""
    found = _BRACES.search(key)
    if found is None:
        return [key]
    head, tails = key[: found.start()], each(key[found.end() :])
    return [head + name + tail for name in found[1].split(",") for tail in tails]


def _opened(value: Any, where: str) -> Any:  # noqa: ANN401
    """Return a value with the keys of its tables, and its lists of settings, written out."""
    if isinstance(value, list):
        return [_opened(one, where) for one in value]
    if not isinstance(value, dict):
        return value
    found: Table = {}
    for many, said in value.items():
        for key in each(many):
            if key in found:
                raise ConfigError(f"{where}: {key} is given twice")
            found[key] = _opened(said, f"{where}: {key}")
    if isinstance(said := found.get("settings"), list):
        found["settings"] = [key for many in said for key in each(str(many))]
    return found


def _merged(*tables: Mapping[str, Any]) -> Table:
    """Return tables over each other, those in them too; an empty one takes away what is below."""
    found: Table = {}
    for key, said in (item for table in tables for item in table.items()):
        both = isinstance(said, dict) and isinstance(found.get(key), dict)
        found[key] = _merged(found[key], said) if both and said else said
    return found


def _workloads(table: Table, where: str) -> list[Table]:
    """Return every volume in every group of parts; what is said of one in a group stands above."""
    volumes = _tables(table, "volume", where)
    groups = _list(table, "workload", where) or [{}]
    found = []
    for i, group in enumerate(groups):
        at = f"{where}: workload {i + 1}"
        own = _tables(group, "each", at)
        names = group.pop("volumes", list(volumes))
        _refuse(names, {**volumes, **own}, f"{at}: volumes")
        _refuse(own, names, f"{at}: each")
        for name in names:
            whole = _merged(volumes.get(name, {}), group, own.get(name, {}), {"name": name})
            whole.setdefault("requests", whole.get("figures", {}).get("requests", 0))
            texts = {key: said for key, said in whole.items() if isinstance(said, str)}
            found.append(whole | {k: said.replace("{name}", name) for k, said in texts.items()})
    return found


def _chosen(options: Table, reading: Table, where: str) -> Table:
    names = reading.get("options", [])
    _refuse(names, options, f"{where}: options")
    return {name: options[name] for name in names}


def _tables(table: Table, key: str, where: str) -> dict[str, Table]:
    """Take out a table of tables; raises ConfigError for anything else."""
    found = table.pop(key, {})
    if isinstance(found, dict) and all(isinstance(one, dict) for one in found.values()):
        return found
    raise ConfigError(f"{where}: {key} = {found!r}: a table of tables is expected")


def _list(table: Table, key: str, where: str) -> list[Table]:
    """Take out a list of tables; raises ConfigError for anything else."""
    found = table.pop(key, [])
    if isinstance(found, list) and all(isinstance(one, dict) for one in found):
        return found
    raise ConfigError(f"{where}: {key} = {found!r}: a list of tables is expected")


def _refuse(names: Iterable[str], known: Iterable[str], where: str) -> None:
    """Raise ConfigError for a name that nothing bears."""
    for name in names:
        if name not in known:
            raise ConfigError(f"{where}: no {name}; allowed: {', '.join(known)}")


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
    table: Mapping[str, Any],
    where: str,
    known: Mapping[str, Sequence[str]] | None = None,
) -> T:
    """Return a model made of a table; raises ConfigError for all faults, with their places.

    `known` are the names that `Named` texts may be; none is refused without them.
    """
    try:
        # Texts of JSON are taken strictly, and tables in them for models all the same.
        text = json.dumps(table, default=str)
        found: T = _reader(typing.cast(Any, kind)).validate_json(text, strict=True, context=known)
        return found
    except ValidationError as error:
        faults = dict.fromkeys(_fault(kind, one) for one in error.errors())
        raise ConfigError("\n".join(f"{where}: {fault}" for fault in faults)) from None


@functools.cache
def _reader(kind: type) -> TypeAdapter[Any]:
    """Return what reads a model; to make it takes longer than to read with it."""
    return TypeAdapter(kind)


def named(kind: str) -> AfterValidator:
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
    of_key = error["loc"][-1] == "[key]"
    *place, key = error["loc"][:-2] if of_key else error["loc"]
    steps = [f" {one + 1}" if isinstance(one, int) else f": {one}" for one in place]
    at = "".join([*steps, ": "]).removeprefix(": ")
    if error["type"] == "missing":
        return f"{at}{key} is missing"
    if error["type"] == "unexpected_keyword_argument":
        return f"{at}unknown key {key}; allowed: {', '.join(_keys(kind, place))}"
    whole = f"{at.removesuffix(': ')} {key + 1}" if isinstance(key, int) else f"{at}{key}"
    if error["type"] == "value_error":
        return f"{whole}: {error['ctx']['error']}"
    return f"{whole} = {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"


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
