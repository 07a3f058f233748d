"""A run's table of operations (`--timeline NAME.parquet`): what planes and dies did, and when."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slcache.bounded import regular
from slcache.errors import ResultError, about
from slcache.slow import operations
from slcache.slow.log import Numbers, parquet, wrong

_NAMES = ("kind", "cause")
_TIMES = ("queued_ns", "begin_ns", "end_ns")
_NUMBERS = ("operation", "request", "plane", "block", *_TIMES, "leads", "suspended")


@dataclass(frozen=True)
class Operations:
    """Operations in the order of their ends; those of one command lie behind one another.

    `unit` is what runs one command at a time, a plane or a die, and -1 the disk. Commands have
    numbers, which their operations share.
    """

    kind: NDArray[np.str_]
    cause: NDArray[np.str_]
    operation: Numbers
    request: Numbers
    plane: Numbers
    block: Numbers
    queued_ns: Numbers
    begin_ns: Numbers
    end_ns: Numbers
    leads: Numbers
    suspended: Numbers
    unit: Numbers
    command: Numbers


@dataclass(frozen=True)
class Table:
    """A table of the operations of a log's run."""

    path: str
    #: The unit of each plane.
    unit_of: Numbers

    def between(self, from_ns: int, until_ns: int) -> Operations:
        """Return the operations that were at work in a stretch of time, its ends included."""
        wanted = [("end_ns", ">=", from_ns), ("begin_ns", "<=", until_ns)]
        columns = _columns(self.path, (*_NAMES, *_NUMBERS), wanted)
        plane = columns["plane"]
        return Operations(
            **columns,
            unit=np.where(plane < 0, -1, self.unit_of[plane]),
            command=np.cumsum(columns["leads"]),
        )

    def covered_ns(self) -> tuple[int, int]:
        """Return when its first operation begins and its last one ends."""
        columns = _columns(self.path, ("begin_ns", "end_ns"), None)
        return int(columns["begin_ns"].min()), int(columns["end_ns"].max())


def opened(path: Path | str, log: Path | str) -> Table:
    """Return the table; ResultError where the file is none, or of another run than the log."""
    table = operations.read(path)
    of_log = _run_of(log)
    for part, said in (("config", table.config), ("provenance", table.provenance)):
        key = _differing(said, of_log[part], part)
        if key:
            raise of_two_runs(path, log, key)
    return Table(str(path), _units(table.config["device"]["pool"]))


def of_two_runs(path: Path | str, log: Path | str, told: str) -> ResultError:
    """Return what is wrong with a table of operations of another run than a log."""
    return about(ResultError(f"{path} and {log} are not of one run: {told}"), file=str(path))


def _columns(path: Path | str, names: tuple[str, ...], wanted: Any) -> dict[str, Any]:  # noqa: ANN401
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(str(regular(Path(path))), columns=list(names), filters=wanted)
    except (OSError, pa.ArrowException) as error:
        raise wrong(path, f"cannot be read as a table of operations: {error}") from error
    found = {name: table[name].to_numpy() for name in names}
    return {name: each.astype(np.str_) if name in _NAMES else each for name, each in found.items()}


def _run_of(log: Path | str) -> dict[str, Any]:
    """Return what a log of requests says in its footer."""
    with parquet(log) as file:
        said = file.metadata.metadata or {}
    try:
        found: dict[str, Any] = json.loads(said[b"slcache.requests"])
        if not {"config", "provenance"} <= found.keys():
            raise KeyError
    except (KeyError, ValueError, AttributeError) as error:
        told = "does not say in its footer what run it is of; must be a log of requests"
        raise wrong(log, told) from error
    return found


def _differing(one: Any, other: Any, key: str) -> str:  # noqa: ANN401
    """Return the first thing in which two documents differ, with both values; empty for none."""
    if isinstance(one, dict) and isinstance(other, dict):
        inner = (_differing(one.get(k), other.get(k), f"{key}.{k}") for k in sorted({*one, *other}))
        return next((found for found in inner if found), "")
    if one is None or other is None:
        return "" if one == other else f"{key} is in one of them alone"
    return "" if one == other else f"{key} is {json.dumps(one)} and {json.dumps(other)}"


def _units(pools: list[dict[str, Any]]) -> Numbers:
    """Return the unit of each plane: itself where planes work alone, else its die."""
    found: list[int] = []
    for pool in pools:
        planes = pool["planes"]
        dies = pool["channels"] * pool["chips"] * pool["dies"]
        wide = 1 if pool["plane_parallelism"] == "independent" else planes
        first = found[-1] + 1 if found else 0
        found += [first + place // wide for place in range(dies * planes)]
    return np.array(found, dtype=np.int64)
