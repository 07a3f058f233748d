"""A run's log of requests (`--log`), as arrays: who waited how long, for what."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
        columns = (*_NEEDED[1:], "parts_ns")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})

    def __len__(self) -> int:
        return len(self.request)


def read(path: Path | str) -> Log:
    """Return a log; ResultError where the file is none, or its figures do not add up."""
    with parquet(path) as file:
        log = _of(path, file)
    _check(log)
    return log


@contextlib.contextmanager
def parquet(path: Path | str, content: bytes | None = None) -> Iterator[Any]:
    """Open a Parquet file, or what it holds; whatever is wrong with it is a ResultError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        source = str(path) if content is None else pa.BufferReader(content)
        with pq.ParquetFile(source) as file:
            yield file
    except (OSError, pa.ArrowException) as error:
        raise wrong(path, f"cannot be read as Parquet: {error}") from error


def _of(path: Path | str, file: Any) -> Log:  # noqa: ANN401
    names = file.schema_arrow.names
    parts = [n for n in names if n.startswith(("service_", "wait_")) and n != "service_ns"]
    missing = [name for name in _NEEDED if name not in names]
    if missing or not parts:
        lacks = missing[0] if missing else "wait_*_ns"
        raise wrong(path, f"is no log of requests: it has no column {lacks}")
    needed = {name: whole(path, file, name) for name in _NEEDED[2:]}
    # Of some thirty parts a run has a handful; a column at a time they take no room.
    columns = ((part, whole(path, file, part)) for part in parts)
    some = {part: values for part, values in columns if values.any()}
    some = some or {parts[0]: needed["latency_ns"]}
    schemes = _column(file, "scheme").unique().to_pylist()
    return Log(
        path=str(path),
        scheme=of_one_run(path, schemes, "has", "request"),
        operation=_column(file, "operation").to_numpy().astype(np.str_),
        parts=tuple(part.removesuffix("_ns") for part in some),
        parts_ns=np.stack(list(some.values()), axis=1),
        **needed,
    )


def _column(file: Any, name: str) -> Any:  # noqa: ANN401
    return file.read([name])[name]


def of_one_run(path: Path | str, schemes: Sequence[Any], where: str, what: str) -> str:
    """Return the scheme that a file's rows name; ResultError for none or several."""
    if len(schemes) != 1:
        told = f"{what}s of {len(schemes)} schemes" if schemes else f"no {what}"
        raise wrong(path, f"{where} {told}; must have those of one run")
    return str(schemes[0])


def whole(path: Path | str, file: Any, name: str) -> Numbers:  # noqa: ANN401
    """Return a column of whole numbers; ResultError where it holds anything else."""
    column = _column(file, name)
    if column.null_count or str(column.type) != "int64":
        raise wrong(path, f"column {name} is {column.type}; must be int64 without nulls")
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
            raise wrong(log.path, f"request {log.request[rows[0]]}: {told}; the log was edited")
    if twice or np.any(np.diff(log.arrival_ns) < 0):
        told = "a request is there twice" if twice else "requests are not in order of arrival"
        raise wrong(log.path, f"{told}; the log was edited")


def wrong(path: Path | str, told: str) -> ResultError:
    """Return what is wrong with a file."""
    return about(ResultError(f"{path}: {told}"), file=str(path))
