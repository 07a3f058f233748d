"""Why requests were slow: from the log of a run, what they waited for, together and one by one."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from slcache import frame
from slcache.documents.schemata import CLOSED, shape
from slcache.errors import ResultError, UsageError, about
from slcache.sentences import notes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Answer", "Chosen", "Log", "Moved", "moved", "read", "why"]

Numbers = NDArray[np.int64]

_NEEDED = ("scheme", "operation", "request", "arrival_ns", "completion_ns", "sectors", "latency_ns")
#: The key of the footer with the run's configuration.
_ABOUT = "slcache.requests"
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
    #: What the footer tells of the device's state; older logs have nothing of it.
    state: notes.State | None = None

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

        about = pl.read_parquet_metadata(file).get(_ABOUT)
        log = _of(str(path), pl.scan_parquet(file, glob=False), about)
    _check(log)
    return log


def _of(path: str, rows: pl.LazyFrame, about: str | None) -> Log:
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
        state=_state(path, about),
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


def _state(path: str, about: str | None) -> notes.State | None:
    """Return the state by a footer; ResultError for one that no run has written."""
    try:
        told = {} if about is None else json.loads(about)
        return notes.state(told) if "state" in told else None
    except (KeyError, TypeError, ValueError):
        raise _edited(path, f"its footer {_ABOUT} is not that of a run") from None


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


#: The slow requests where nothing else is said: above this percentile.
PERCENTILE = 99.9


@dataclass(frozen=True)
class Chosen:
    """Which requests are asked about; one of the first four at most."""

    slowest: int | None = None
    request: int | None = None
    above_ns: int | None = None
    percentile: float | None = None
    operation: str | None = None


@dataclass(frozen=True)
class Group:
    """Slow requests that waited mostly for the same."""

    part: str
    requests: int
    total_ns: int
    #: Of this part alone.
    part_ns: int
    worst_ns: int

    __pydantic_config__ = CLOSED


@dataclass(frozen=True)
class Incident:
    """A stretch of time in which a slow request was under way at any moment."""

    from_ns: int
    to_ns: int
    requests: int
    total_ns: int
    worst_ns: int
    part: str

    __pydantic_config__ = CLOSED


@shape
class Found(TypedDict):
    """Slow requests by what they waited for, and by when."""

    groups: list[Group]
    """By what took most of their time, the longest together first."""
    incidents: list[Incident]
    """By the time that their requests took, the longest first."""


@shape
class SlowRequest(TypedDict):
    """A slow request."""

    request: int
    """Its place in the order of arrival."""
    operation: str
    arrival_ns: int
    bytes: int
    latency_ns: int
    parts_ns: dict[str, int]
    """Where its time went, without what is 0; they add up to the latency."""


@shape
class AnswerShape(Found):
    """Why requests of one run were slow."""

    file: str
    scheme: str
    requests: int
    above_ns: int
    """Requests were slow above this."""
    share_of_time: float
    """The slow requests' part of the time that all requests took."""
    slow: list[SlowRequest]
    """The slowest first."""


@shape
class MovedShape(TypedDict):
    """Which requests were slow in one of two runs alone."""

    files: list[str]
    schemes: list[str]
    requests: int
    above_ns: int
    slow_in_both: int
    faster_in_second: Found
    slower_in_second: Found
    mean_ns: dict[str, float]
    """What the second mean is above the first, by part; they add up to the difference."""


#: What the verb prints of one log, or of two.
Why = AnswerShape | MovedShape


@dataclass(frozen=True)
class Answer:
    """The slow requests of a log, the slowest first, and what they have in common."""

    log: Log
    slow: Log
    #: Requests were slow above this.
    above_ns: int
    groups: Sequence[Group]
    #: By the time that their requests took, the longest first.
    incidents: Sequence[Incident]

    @property
    def share(self) -> float:
        """The slow requests' part of the time that all requests took."""
        return self.slow_ns / max(1, self.log.total_ns)

    @property
    def slow_ns(self) -> int:
        """The time that the slow requests took, together."""
        return self.slow.total_ns

    def deciding(self, share: float = 0.9) -> Sequence[Incident]:
        """Return the fewest incidents that took this share of the slow requests' time."""
        total, found = 0, []
        for incident in self.incidents:
            if total >= share * self.slow_ns:
                break
            total += incident.total_ns
            found.append(incident)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain data, times in ns."""
        return {
            "file": self.log.path,
            "scheme": self.log.scheme,
            "requests": len(self.log),
            "above_ns": self.above_ns,
            "share_of_time": self.share,
            "groups": [vars(group) for group in self.groups],
            "incidents": [vars(incident) for incident in self.incidents],
            "slow": [row(self.slow, index) for index in range(len(self.slow))],
        }


def why(log: Log, chosen: Chosen) -> Answer:
    """Return why the chosen requests of a log were slow; UsageError where there are none."""
    kept = log if chosen.operation is None else log.only(log.operation == chosen.operation)
    if not len(kept):
        told = f"{log.path} has no {chosen.operation} requests"
        raise about(UsageError(told), "operation")
    above = _above(kept, chosen)
    if chosen.request is not None:
        slow = kept.only(kept.request == chosen.request)
        if not len(slow):
            told = f"request = {chosen.request}: not in {log.path}, which has {len(kept):,} from "
            raise about(UsageError(f"{told}{kept.request[0]} to {kept.request[-1]}"), "request")
    else:
        slow = kept.only(kept.latency_ns >= above)
    # Of equals the first to come.
    order = np.lexsort((slow.request, -slow.latency_ns))
    slow = slow.only(order[: chosen.slowest])
    return Answer(kept, slow, above, groups(slow), incidents(slow))


def _above(log: Log, chosen: Chosen) -> int:
    if chosen.request is not None:
        return 0
    if chosen.slowest is not None:
        if chosen.slowest < 1:
            raise about(UsageError(f"slowest = {chosen.slowest}: must be at least 1"), "slowest")
        return int(np.sort(log.latency_ns)[-min(chosen.slowest, len(log))])
    if chosen.above_ns is not None:
        if not np.any(log.latency_ns >= chosen.above_ns):
            told = f"no request took {chosen.above_ns:,} ns; the slowest {log.latency_ns.max():,}"
            raise about(UsageError(told), "above_ns")
        return chosen.above_ns
    percentile = PERCENTILE if chosen.percentile is None else chosen.percentile
    if not 0 <= percentile <= 100:
        told = f"percentile = {percentile}: must be between 0 and 100"
        raise about(UsageError(told), "percentile")
    # The least of those beyond it.
    return int(np.sort(log.latency_ns)[min(len(log) - 1, rank(percentile, len(log)))])


def rank(percentile: float, count: int) -> int:
    """Return how many of so many do not exceed a percentile, which is taken as it is written.

    As a number 99.9 is a little more, and so is the rank of it that is rounded up.
    """
    return math.ceil(Fraction(repr(percentile)) * count / 100)


def mostly(log: Log) -> Numbers:
    """Return which part took most of each request's time."""
    largest: Numbers = np.argmax(log.parts_ns, axis=1)
    return largest


def groups(slow: Log) -> list[Group]:
    """Return slow requests by what took most of their time, the longest together first."""
    part = mostly(slow)
    found = [
        Group(
            slow.parts[index],
            int(rows.sum()),
            total(slow.latency_ns[rows]),
            total(slow.parts_ns[rows, index]),
            int(slow.latency_ns[rows].max()),
        )
        for index in np.unique(part).tolist()
        for rows in [part == index]
    ]
    return sorted(found, key=lambda group: (-group.total_ns, group.part))


def incidents(slow: Log) -> list[Incident]:
    """Return the stretches of time in which slow requests overlap."""
    if not len(slow):
        return []
    by_time = slow.only(np.argsort(slow.arrival_ns, kind="stable"))
    reached = np.maximum.accumulate(by_time.completion_ns)
    begins = np.flatnonzero(by_time.arrival_ns[1:] > reached[:-1]) + 1
    found = []
    for first, end in zip([0, *begins.tolist()], [*begins.tolist(), len(by_time)], strict=True):
        part = by_time.only(np.arange(first, end))
        found.append(
            Incident(
                int(part.arrival_ns[0]),
                int(part.completion_ns.max()),
                len(part),
                part.total_ns,
                int(part.latency_ns.max()),
                part.parts[int(np.argmax(part.parts_ns.sum(axis=0, dtype=np.float64)))],
            )
        )
    return sorted(found, key=lambda incident: (-incident.total_ns, incident.from_ns))


def row(log: Log, index: int) -> SlowRequest:
    """Return a request as plain data; its parts, those that are not 0, add up to its latency."""
    parts = zip(log.parts, log.parts_ns[index].tolist(), strict=True)
    return {
        "request": int(log.request[index]),
        "operation": str(log.operation[index]),
        "arrival_ns": int(log.arrival_ns[index]),
        "bytes": int(log.sectors[index]) * 512,
        "latency_ns": int(log.latency_ns[index]),
        "parts_ns": {name: ns for name, ns in sorted(parts, key=lambda part: -part[1]) if ns},
    }


@dataclass(frozen=True)
class Moved:
    """Requests that took long in one run alone; each is told of by the run it was slow in."""

    first: Log
    second: Log
    above_ns: int
    slow_in_both: int
    #: What was slow in the first run alone, and in the second alone.
    faster: tuple[list[Group], list[Incident]]
    slower: tuple[list[Group], list[Incident]]
    #: What the second mean is above the first, ns, by part; the parts add up to it.
    mean_ns: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain data, times in ns."""
        return {
            "files": [self.first.path, self.second.path],
            "schemes": [self.first.scheme, self.second.scheme],
            "requests": len(self.first),
            "above_ns": self.above_ns,
            "slow_in_both": self.slow_in_both,
            "faster_in_second": _plain(*self.faster),
            "slower_in_second": _plain(*self.slower),
            "mean_ns": self.mean_ns,
        }


def _plain(found: list[Group], times: list[Incident]) -> dict[str, Any]:
    return {"groups": [*map(vars, found)], "incidents": [*map(vars, times)]}


def moved(first: Log, second: Log, chosen: Chosen) -> Moved:
    """Return what was slow in one of two runs; UsageError where they are not of one trace.

    What is slow in both runs is what the choice says of the first one.
    """
    if chosen.request is not None or chosen.slowest is not None:
        name = "request" if chosen.request is not None else "slowest"
        raise about(UsageError(f"{name} is of one log; two are compared"), name)
    above = why(first, chosen).above_ns
    if chosen.operation is not None:
        first = first.only(first.operation == chosen.operation)
        second = second.only(second.operation == chosen.operation)
    _same(first, second)
    was, now = first.latency_ns >= above, second.latency_ns >= above
    gone, come = first.only(was & ~now), second.only(now & ~was)
    return Moved(
        first,
        second,
        above,
        int((was & now).sum()),
        (groups(gone), incidents(gone)),
        (groups(come), incidents(come)),
        _difference(first, second),
    )


def _same(first: Log, second: Log) -> None:
    same = len(first) == len(second) and all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("request", "operation", "sectors")
    )
    if not same:
        told = f"{first.path} and {second.path} have other requests: must be runs of one trace"
        raise about(UsageError(told), "log")


def _difference(first: Log, second: Log) -> dict[str, float]:
    """Return by part what the second mean is above the first, the largest difference first."""
    totals: dict[str, int] = {}
    for log, sign in ((first, -1), (second, 1)):
        for name, column in zip(log.parts, log.parts_ns.T, strict=True):
            totals[name] = totals.get(name, 0) + sign * total(column)
    ordered = sorted(totals.items(), key=lambda part: -abs(part[1]))
    return {name: ns / len(first) for name, ns in ordered if ns}
