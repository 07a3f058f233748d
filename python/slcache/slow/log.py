"""A run's log of requests (`--log`), as arrays: who waited how long, for what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slcache.errors import ResultError, about

Numbers = NDArray[np.int64]

_NEEDED = ("scheme", "operation", "request", "arrival_ns", "completion_ns", "sectors", "latency_ns")


@dataclass(frozen=True)
class Log:
    """The requests of a log in the order of their arrival; times are ns of the run's clock.

    `parts_ns` has a row for each request and a column for each of `parts`, such as
    `service_array` or `wait_gc`; a row adds up to the latency.
    """

    path: str
    scheme: str
    request: Numbers
    operation: NDArray[np.str_]
    arrival_ns: Numbers
    completion_ns: Numbers
    sectors: Numbers
    latency_ns: Numbers
    parts: tuple[str, ...]
    parts_ns: Numbers

    def only(self, kept: NDArray[Any]) -> Log:
        """Return some of the requests, by mask or index."""
        return Log(
            self.path,
            self.scheme,
            self.request[kept],
            self.operation[kept],
            self.arrival_ns[kept],
            self.completion_ns[kept],
            self.sectors[kept],
            self.latency_ns[kept],
            self.parts,
            self.parts_ns[kept],
        )

    def __len__(self) -> int:
        return len(self.request)


def read(path: Path | str) -> Log:
    """Return a log; ResultError where the file is none, or its figures do not add up."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(str(path)) as file:
            log = _of(path, file)
    except (OSError, pa.ArrowException) as error:
        raise _wrong(path, f"cannot be read as Parquet: {error}") from error
    _check(log)
    return log


def _of(path: Path | str, file: Any) -> Log:  # noqa: ANN401
    names = file.schema_arrow.names
    parts = [n for n in names if n.startswith(("service_", "wait_")) and n != "service_ns"]
    missing = [name for name in _NEEDED if name not in names]
    if missing or not parts:
        lacks = missing[0] if missing else "wait_*_ns"
        raise _wrong(path, f"is no log of requests: it has no column {lacks}")
    whole = {name: _whole(path, file, name) for name in _NEEDED[2:]}
    # Of some thirty parts a run has a handful; a column at a time they take no room.
    columns = ((part, _whole(path, file, part)) for part in parts)
    some = {part: values for part, values in columns if values.any()}
    some = some or {parts[0]: whole["latency_ns"]}
    return Log(
        path=str(path),
        scheme=_scheme(path, _column(file, "scheme")),
        operation=_column(file, "operation").to_numpy().astype(np.str_),
        parts=tuple(part.removesuffix("_ns") for part in some),
        parts_ns=np.stack(list(some.values()), axis=1),
        **whole,
    )


def _column(file: Any, name: str) -> Any:  # noqa: ANN401
    return file.read([name])[name]


def _scheme(path: Path | str, column: Any) -> str:  # noqa: ANN401
    found = column.unique().to_pylist()
    if len(found) != 1:
        told = "no request" if not found else f"requests of {len(found)} schemes"
        raise _wrong(path, f"has {told}; must have those of one run")
    return str(found[0])


def _whole(path: Path | str, file: Any, name: str) -> Numbers:  # noqa: ANN401
    column = _column(file, name)
    if column.null_count or str(column.type) != "int64":
        raise _wrong(path, f"column {name} is {column.type}; must be int64 without nulls")
    values: Numbers = column.to_numpy()
    return values


def _check(log: Log) -> None:
    off = np.flatnonzero(log.parts_ns.sum(axis=1) != log.latency_ns)
    late = np.flatnonzero(log.completion_ns - log.arrival_ns != log.latency_ns)
    twice = len(np.unique(log.request)) != len(log)
    for rows, told in (
        (off, "parts do not add up to latency_ns"),
        (late, "latency_ns is not completion_ns less arrival_ns"),
    ):
        if len(rows):
            raise _wrong(log.path, f"request {log.request[rows[0]]}: {told}; the log was edited")
    if twice or np.any(np.diff(log.arrival_ns) < 0):
        told = "a request is there twice" if twice else "requests are not in order of arrival"
        raise _wrong(log.path, f"{told}; the log was edited")


def _wrong(path: Path | str, told: str) -> ResultError:
    return about(ResultError(f"{path}: {told}"), file=str(path))
