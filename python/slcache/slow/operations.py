"""A run's table of operations (`--timeline FILE.parquet`), as arrays: what planes did, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slcache.documents.pools import planes
from slcache.slow import log
from slcache.slow.log import Words, edited, parquet, wrong

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
_PARTS = ("channels", "chips", "dies", "planes", "blocks")


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
            found = log.words(self.path, file, name)
        return Words(found.names, found.places[rows])


def read(path: Path | str, content: bytes | None = None) -> Operations:
    """Return a table of operations; ResultError where the file is none, or was edited wrongly.

    With `content` nothing is read from the path, which only names it.
    """
    with parquet(path, content) as file:
        _check_columns(path, file)
        config, provenance = _footer(path, file)
        times = {name: _whole(path, file, name) for name in ("queued_ns", "begin_ns", "end_ns")}
        _check_times(path, **times)
        plane = _whole(path, file, "plane")
        _check_places(path, file, plane, config)
        _check_apart(path, plane, times["begin_ns"], times["end_ns"])
        schemes = log.words(path, file, "scheme").names
        return Operations(
            path=str(path),
            scheme=log.of_one_run(path, schemes, "column scheme:", "operation"),
            config=config,
            provenance=provenance,
            begin_ns=times["begin_ns"],
            end_ns=times["end_ns"],
            plane=plane,
            cause=log.words(path, file, "cause"),
            _content=content,
        )


def _check_columns(path: Path | str, file: Any) -> None:  # noqa: ANN401
    names = file.schema_arrow.names
    for name in (*_WORDS, *_LEAST):
        if name not in names:
            raise wrong(path, f"is no table of operations: it has no column {name}")
    log.once(path, names, (*_WORDS, *_LEAST))
    for name in (*_WORDS, *_LEAST):
        # Each is looked at now, and read again by who asks for it: all at once take much room.
        log.words(path, file, name) if name in _WORDS else _whole(path, file, name)


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
    return log.whole(path, file, name, _LEAST[name], *([1] if name in _FLAGS else []))


def _check_times(path: Path | str, queued_ns: Numbers, begin_ns: Numbers, end_ns: Numbers) -> None:
    for name, broken, told in (
        ("begin_ns", begin_ns < queued_ns, "is before queued_ns"),
        ("end_ns", end_ns < begin_ns, "is before begin_ns"),
        ("end_ns", np.diff(end_ns, prepend=0) < 0, "is not in order"),
    ):
        rows = np.flatnonzero(broken)
        if len(rows):
            raise edited(path, f"column {name} {told} in row {rows[0]}")


def _check_places(path: Path | str, file: Any, plane: Numbers, config: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Refuse places that the device has not, and those in flash of an operation of the disk."""
    pools = config["device"]["pool"]
    log.within(path, "plane", plane, -1, sum(map(planes, pools)) - 1)
    channels = sum(pool["channels"] for pool in pools)
    log.within(path, "channel", _whole(path, file, "channel"), -1, channels - 1)
    # That of the disk, -1, finds the last.
    most = np.array([pool["blocks"] - 1 for pool in pools for _ in range(planes(pool))] + [-1])
    log.within(path, "block", _whole(path, file, "block"), -1, most[plane])


def _check_apart(path: Path | str, plane: Numbers, begin_ns: Numbers, end_ns: Numbers) -> None:
    """Refuse operations that a plane, or the disk, would do at a time; it does one."""
    # Rows are in the order of their ends, and stay in it within a plane.
    order = np.argsort(plane, kind="stable")
    same = np.diff(plane[order]) == 0
    rows = order[1:][same & (begin_ns[order][1:] < end_ns[order][:-1])]
    if len(rows):
        told = f"is before the end of what plane {plane[rows[0]]} does before, in row {rows[0]}"
        raise edited(path, f"column begin_ns {told}")
