"""A run's table of operations (`--timeline FILE.parquet`), as arrays: what planes did, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slcache.documents.pools import planes
from slcache.errors import ResultError
from slcache.slow import log
from slcache.slow.log import parquet, wrong

Numbers = log.Numbers

#: What the footer says the operations are of.
_KEY = b"slcache.operations"
_WORDS = ("scheme", "kind", "mode", "cause", "class")
#: The least that each column may hold; -1 stands for none.
_LEAST = {
    **{"operation": 0, "request": -1, "channel": -1, "plane": -1, "block": -1, "page": 0},
    **{"pages": 0, "queued_ns": 0, "begin_ns": 0, "end_ns": 0, "leads": 0, "suspended": 0},
}
_FLAGS = ("leads", "suspended")
#: What the planes of a pool are counted by.
_PARTS = ("channels", "chips", "dies", "planes")


@dataclass(frozen=True)
class Words:
    """A column of few words: the place of each row's word in `names`."""

    names: Sequence[str]
    places: Numbers

    def all(self) -> NDArray[np.str_]:
        """Return the word of each row."""
        return np.asarray(self.names, dtype=np.str_)[self.places]


@dataclass(frozen=True)
class Operations:
    """The operations of a table in the order of their ends; times are ns of the run's clock.

    What only some operations are asked for is read when it is: a column takes room for all.
    """

    path: str
    scheme: str
    #: Configuration and provenance of the run.
    config: Mapping[str, Any]
    provenance: Mapping[str, Any]
    begin_ns: Numbers
    end_ns: Numbers
    plane: Numbers
    cause: Words
    _content: Any

    def __len__(self) -> int:
        return len(self.begin_ns)

    def numbers(self, name: str, rows: NDArray[Any]) -> Numbers:
        """Return a column of numbers for some of the operations, by index."""
        with parquet(self.path, self._content) as file:
            found: Numbers = _whole(self.path, file, name)[rows]
        return found

    def words(self, name: str, rows: NDArray[Any]) -> Words:
        """Return a column of words for some of the operations, by index."""
        with parquet(self.path, self._content) as file:
            found = _words(self.path, file, name)
        return Words(found.names, found.places[rows])


def read(path: Path | str, content: bytes | None = None) -> Operations:
    """Return a table of operations; ResultError where the file is none, or was edited wrongly.

    With `content` nothing is read from the path, which only names it.
    """
    with parquet(path, content) as file:
        _check_columns(path, file.schema_arrow.names)
        config, provenance = _footer(path, file)
        times = {name: _whole(path, file, name) for name in ("queued_ns", "begin_ns", "end_ns")}
        _check_times(path, **times)
        plane = _whole(path, file, "plane")
        _check_planes(path, plane, config)
        _check_apart(path, plane, times["begin_ns"], times["end_ns"])
        schemes = _words(path, file, "scheme").names
        return Operations(
            path=str(path),
            scheme=log.of_one_run(path, schemes, "column scheme:", "operation"),
            config=config,
            provenance=provenance,
            begin_ns=times["begin_ns"],
            end_ns=times["end_ns"],
            plane=plane,
            cause=_words(path, file, "cause"),
            _content=content,
        )


def _check_columns(path: Path | str, names: Sequence[str]) -> None:
    for name in (*_WORDS, *_LEAST):
        if name not in names:
            raise wrong(path, f"is no table of operations: it has no column {name}")
        if names.count(name) > 1:
            raise _edited(path, name, f"is there {names.count(name)} times")


def _footer(path: Path | str, file: Any) -> tuple[dict[str, Any], dict[str, Any]]:  # noqa: ANN401
    told = (file.schema_arrow.metadata or {}).get(_KEY)
    try:
        document = json.loads(told or b"")
        config, provenance = document["config"], document["provenance"]
        pools = config["device"]["pool"]
        named = all(isinstance(pool["name"], str) for pool in pools)
        counted = all(isinstance(pool[part], int) for pool in pools for part in _PARTS)
        whole = named and counted and min(map(planes, pools), default=1) > 0
        whole = whole and isinstance(provenance, dict)
    except (ValueError, LookupError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise wrong(path, f"the footer has no configuration under {_KEY.decode()}")
    return config, provenance


def _whole(path: Path | str, file: Any, name: str) -> Numbers:  # noqa: ANN401
    values = log.whole(path, file, name)
    if len(values) and int(values.min()) < _LEAST[name]:
        raise _edited(path, name, f"holds {values.min()}; must be at least {_LEAST[name]}")
    if name in _FLAGS and len(values) and int(values.max()) > 1:
        raise _edited(path, name, f"holds {values.max()}; must be 0 or 1")
    return values


def _words(path: Path | str, file: Any, name: str) -> Words:  # noqa: ANN401
    column = file.read([name])[name]
    if column.null_count or str(column.type) != "string":
        raise wrong(path, f"column {name} is {column.type}; must be string without nulls")
    # Chunks have one dictionary, whose words stand in the order of their coming.
    chunks = column.dictionary_encode().chunks
    places = [chunk.indices.to_numpy() for chunk in chunks]
    names = chunks[0].dictionary.to_pylist() if chunks else []
    return Words(names, np.concatenate([*places, np.empty(0, np.int64)]).astype(np.int64))


def _check_times(path: Path | str, queued_ns: Numbers, begin_ns: Numbers, end_ns: Numbers) -> None:
    for name, broken, told in (
        ("begin_ns", begin_ns < queued_ns, "is before queued_ns"),
        ("end_ns", end_ns < begin_ns, "is before begin_ns"),
        ("end_ns", np.diff(end_ns, prepend=0) < 0, "is not in order"),
    ):
        rows = np.flatnonzero(broken)
        if len(rows):
            raise _edited(path, name, f"{told} in row {rows[0]}")


def _check_planes(path: Path | str, plane: Numbers, config: Mapping[str, Any]) -> None:
    count = sum(planes(pool) for pool in config["device"]["pool"])
    if len(plane) and int(plane.max()) >= count:
        raise _edited(path, "plane", f"holds {plane.max()}; the device has {count:,} planes")


def _check_apart(path: Path | str, plane: Numbers, begin_ns: Numbers, end_ns: Numbers) -> None:
    """Refuse operations that a plane, or the disk, would do at a time; it does one."""
    # Rows are in the order of their ends, and stay in it within a plane.
    order = np.argsort(plane, kind="stable")
    same = np.diff(plane[order]) == 0
    rows = order[1:][same & (begin_ns[order][1:] < end_ns[order][:-1])]
    if len(rows):
        told = f"is before the end of what plane {plane[rows[0]]} does before, in row {rows[0]}"
        raise _edited(path, "begin_ns", told)


def _edited(path: Path | str, column: str, told: str) -> ResultError:
    return wrong(path, f"column {column} {told}; the table was edited")
