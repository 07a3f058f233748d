"""What a plan says once for many: written out for each key, part, workload and reading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from slcache import ConfigError
from slcache.reproduce.reading import PROBABLE

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
        name: {**said, "id": name, "options": _chosen(options, said, f"{where}: reading: {name}")}
        for name, said in _tables(table, "reading", where).items()
    }
    unused = options.keys() - {name for said in readings.values() for name in said["options"]}
    if unused:
        raise ConfigError(f"{where}: option {min(unused)} is in no reading")
    # In files a list of tables is called after one of them.
    found = {f"{key}s" if isinstance(said, list) and key in _TABLES else key: said
             for key, said in table.items()}  # fmt: skip
    return {**found, "reading": readings.pop(PROBABLE, None), "others": list(readings.values())}


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
