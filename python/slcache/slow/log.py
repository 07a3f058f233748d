"""A run's log of requests (`--log`), as arrays: who waited how long, for what."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slcache.bounded import regular
from slcache.errors import ResultError, about

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
    with _parquet(path) as file:
        log = _of(path, file)
    _check(log)
    return log


@contextlib.contextmanager
def _parquet(path: Path | str) -> Iterator[Any]:
    """Open a Parquet file; whatever is wrong with it is a ResultError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(str(regular(Path(path)))) as file:
            yield file
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise _wrong(path, f"cannot be read as Parquet: {error}") from error


def _of(path: Path | str, file: Any) -> Log:  # noqa: ANN401
    names = file.schema_arrow.names
    parts = [n for n in names if n.startswith(("service_", "wait_")) and n != "service_ns"]
    missing = [name for name in _NEEDED if name not in names]
    if missing or not parts:
        lacks = missing[0] if missing else "wait_*_ns"
        raise _wrong(path, f"is no log of requests: it has no column {lacks}")
    _once(path, names, (*_NEEDED, *parts))
    needed = {
        name: _whole(path, file, name, most=_SECTORS_MOST if name == "sectors" else _MOST)
        for name in _NEEDED[2:]
    }
    # Of some thirty parts a run has a handful; a column at a time they take no room.
    columns = ((part, _whole(path, file, part)) for part in parts)
    some = {part: values for part, values in columns if values.any()}
    some = some or {parts[0]: needed["latency_ns"]}
    names, places = _words(path, file, "operation", _OPERATIONS)
    return Log(
        path=str(path),
        scheme=_scheme(path, file),
        operation=np.asarray(names, dtype=np.str_)[places],
        parts=tuple(part.removesuffix("_ns") for part in some),
        parts_ns=np.stack(list(some.values()), axis=1),
        **needed,
    )


def _once(path: Path | str, names: Sequence[str], needed: Sequence[str]) -> None:
    """Raise ResultError where one of the columns is there twice."""
    for name in needed:
        if names.count(name) > 1:
            raise _edited(path, f"column {name} is there {names.count(name)} times")


def _scheme(path: Path | str, file: Any) -> str:  # noqa: ANN401
    """Return the scheme that a log's rows name; ResultError for none or several."""
    names, _ = _words(path, file, "scheme")
    if len(names) != 1:
        told = f"requests of {len(names)} schemes" if names else "no request"
        raise _wrong(path, f"has {told}; must have those of one run")
    return names[0]


def _whole(path: Path | str, file: Any, name: str, most: int = _MOST) -> Numbers:  # noqa: ANN401
    """Return a column of whole numbers from 0; ResultError where it holds anything else."""
    column = file.read([name])[name]
    if column.null_count or str(column.type) != "int64":
        raise _wrong(path, f"column {name} is {column.type}; must be int64 without nulls")
    values: Numbers = column.to_numpy()
    rows = np.flatnonzero((values < 0) | (values > most))
    if len(rows):
        told = f"holds {values[rows[0]]} in row {rows[0]}; must be 0 to {most:,}"
        raise _edited(path, f"column {name} {told}")
    return values


def _words(
    path: Path | str,
    file: Any,  # noqa: ANN401
    name: str,
    known: Sequence[str] = (),
) -> tuple[list[str], Numbers]:
    """Return the few words of a column, each a known one if such are given, and that of each row.

    A row's is a place among the words.
    """
    column = file.read([name])[name]
    if column.null_count or str(column.type) != "string":
        raise _wrong(path, f"column {name} is {column.type}; must be string without nulls")
    # Chunks have one dictionary, whose words stand in the order of their coming.
    chunks = column.dictionary_encode().chunks
    found = [chunk.indices.to_numpy() for chunk in chunks]
    names = chunks[0].dictionary.to_pylist() if chunks else []
    places = np.concatenate([*found, np.empty(0, np.int64)]).astype(np.int64)
    for place, word in enumerate(names):
        if known and word not in known:
            row = np.flatnonzero(places == place)[0]
            told = f"column {name} holds {word!r:.60} in row {row}; must be {', '.join(known)}"
            raise _edited(path, told)
    return names, places


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


def _edited(path: Path | str, told: str) -> ResultError:
    """Return what no run has written into a file."""
    return _wrong(path, f"{told}; the file was edited")


def _wrong(path: Path | str, told: str) -> ResultError:
    """Return what is wrong with a file."""
    return about(ResultError(f"{path}: {told}"), file=str(path))
