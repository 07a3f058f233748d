"""A run's log of requests (`--log`), as arrays: who waited how long, for what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slcache import frame
from slcache.errors import ResultError, about

if TYPE_CHECKING:
    import polars as pl

Numbers = NDArray[np.int64]

_NEEDED = ("scheme", "operation", "request", "arrival_ns", "completion_ns", "sectors", "latency_ns")
#: The requests that a host makes.
_OPERATIONS = ("read", "write", "trim", "flush")
#: The most that each column may hold, at least 0; bytes are counted in 64 bits too.
_MOST = 2**63 - 1
_SECTORS_MOST = _MOST // 512
#: The lower half of a number.
_LOW = (1 << 32) - 1


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

    @property
    def total_ns(self) -> int:
        """The time that all requests took, together."""
        return total(self.latency_ns)

    def __len__(self) -> int:
        return len(self.request)


def read(path: Path | str) -> Log:
    """Return a log; ResultError where the file is none, or its figures do not add up."""
    with frame.reading(Path(path)) as file:
        import polars as pl

        log = _of(str(path), pl.scan_parquet(file, glob=False))
    _check(log)
    return log


def _of(path: str, rows: pl.LazyFrame) -> Log:
    schema = rows.collect_schema()
    parts = [n for n in schema if n.startswith(("service_", "wait_")) and n != "service_ns"]
    missing = [name for name in _NEEDED if name not in schema]
    if missing or not parts:
        lacks = missing[0] if missing else "wait_*_ns"
        raise _wrong(path, f"is no log of requests: it has no column {lacks}")
    words = {name: _words(path, rows.select(name)) for name in _NEEDED[:2]}
    needed = {
        name: _whole(path, rows.select(name), most=_SECTORS_MOST if name == "sectors" else _MOST)
        for name in _NEEDED[2:]
    }
    # Of some thirty parts a run has a handful; a column at a time they take no room.
    columns = ((part, _whole(path, rows.select(part))) for part in parts)
    some = {part: values for part, values in columns if values.any()}
    some = some or {parts[0]: needed["latency_ns"]}
    return Log(
        path=path,
        scheme=_scheme(path, words["scheme"]),
        operation=_operations(path, words["operation"]),
        parts=tuple(part.removesuffix("_ns") for part in some),
        parts_ns=np.stack(list(some.values()), axis=1),
        **needed,
    )


def _column(path: str, rows: pl.LazyFrame, kind: str, called: str) -> pl.Series:
    """Return the only column of some rows; ResultError where it is of another kind."""
    column = rows.collect().to_series()
    if column.null_count() or str(column.dtype) != kind:
        told = f"column {column.name} is {column.dtype}; must be {called} without nulls"
        raise _wrong(path, told)
    return column


def _whole(path: str, rows: pl.LazyFrame, most: int = _MOST) -> Numbers:
    """Return a column of whole numbers from 0; ResultError where it holds anything else."""
    column = _column(path, rows, "Int64", "int64")
    values: Numbers = column.to_numpy()
    odd = np.flatnonzero((values < 0) | (values > most))
    if len(odd):
        told = f"holds {values[odd[0]]} in row {odd[0]}; must be 0 to {most:,}"
        raise _edited(path, f"column {column.name} {told}")
    return values


def _words(path: str, rows: pl.LazyFrame) -> pl.Series:
    return _column(path, rows, "String", "string")


def _scheme(path: str, column: pl.Series) -> str:
    """Return the scheme that a log's rows name; ResultError for none or several."""
    names = column.unique()
    if len(names) != 1:
        told = f"requests of {len(names)} schemes" if len(names) else "no request"
        raise _wrong(path, f"has {told}; must have those of one run")
    return str(names[0])


def _operations(path: str, column: pl.Series) -> NDArray[np.str_]:
    """Return what each request does; ResultError where that is nothing that a host asks for."""
    import polars as pl

    known = column.cast(pl.Enum(_OPERATIONS), strict=False)
    if known.null_count():
        row = known.is_null().arg_true()[0]
        told = f"{column[row]!r:.60} in row {row}; must be {', '.join(_OPERATIONS)}"
        raise _edited(path, f"column operation holds {told}")
    found: NDArray[np.str_] = np.array(_OPERATIONS)[known.to_physical().to_numpy()]
    return found


def total(values: Numbers) -> int:
    """Return a sum that is right beyond 64 bits, as that of many long times is."""
    return (int((values >> 32).sum()) << 32) + int((values & _LOW).sum())


def _check(log: Log) -> None:
    # In halves, which cannot overflow.
    high, low = (log.parts_ns >> 32).sum(axis=1), (log.parts_ns & _LOW).sum(axis=1)
    sums = (high + (low >> 32) != log.latency_ns >> 32) | (low & _LOW != log.latency_ns & _LOW)
    off = np.flatnonzero(sums)
    late = np.flatnonzero(log.completion_ns - log.arrival_ns != log.latency_ns)
    twice = len(np.unique(log.request)) != len(log)
    for rows, told in (
        (off, "parts do not add up to latency_ns"),
        (late, "latency_ns is not completion_ns less arrival_ns"),
    ):
        if len(rows):
            raise _edited(log.path, f"request {log.request[rows[0]]}: {told}")
    if twice or np.any(np.diff(log.arrival_ns) < 0):
        told = "a request is there twice" if twice else "requests are not in order of arrival"
        raise _edited(log.path, told)


def _edited(path: str, told: str) -> ResultError:
    """Return what no run has written into a file."""
    return _wrong(path, f"{told}; the file was edited")


def _wrong(path: str, told: str) -> ResultError:
    """Return what is wrong with a file."""
    return about(ResultError(f"{path}: {told}"), file=path)
