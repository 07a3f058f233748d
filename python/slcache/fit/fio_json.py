"""What fio tells of jobs in JSON (`--output-format=json`): a test for each job, or a refusal.

Times are `clat_ns`: ns from the submission to the completion, as of fio 3. Percentiles are of a
histogram with 64 bins for each power of two, so that each lies in a bin of 1.6 % (its HOWTO,
"JSON output").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field, create_model

from slcache.bandwidth.curves import Values
from slcache.errors import ConfigError
from slcache.fit import latency, logs
from slcache.fit.latency import LatencyTest, Role
from slcache.fit.logs import LogFile, Told
from slcache.options import parsing, typed

T = TypeVar("T")
#: Requests, or flushes, of a job at least.
LEAST, LEAST_FLUSHES = 1000, 100
#: Half a bin of a histogram; ranks at which one is looked at.
_BIN, _RANKS = 1 / 128, 2000
_PERCENTILES = {"p50": 50.0, "p99": 99.0, "p99_9": 99.9}
_NEEDED = ("50.000000", "99.000000")
#: Requests outstanding may be more than asked for by this share, from roundings.
_BEYOND = 0.02
#: Engines with one request outstanding, whatever iodepth says; the first is fio's own choice.
_SYNCHRONOUS = ("psync", "sync", "vsync", "pvsync", "pvsync2", "mmap")
#: Options with which a job is no one loop of equal requests, unless they have these values.
_PLAIN = {
    "direct": ("1",),
    "numjobs": ("1",),
    "kb_base": ("1024",),
    "io_submit_mode": ("inline",),
    "random_distribution": ("random",),
    "unified_rw_reporting": ("none", "0"),
    "zonemode": ("none",),
    "buffered": ("0",),
    "verify": ("0",),
    **dict.fromkeys(("fsync", "fdatasync"), ("0", "1")),
    **dict.fromkeys(("sync",), ("0", "none", "1", "sync", "dsync")),
    **dict.fromkeys(("thinktime", "rate", "rate_iops", "flow", "latency_target"), ("0",)),
    **dict.fromkeys(("bsrange", "bssplit", "read_iolog", "percentage_random", "zonesize"), ()),
    **dict.fromkeys(("iodepth_low", "iodepth_batch_complete_min", "sync_file_range"), ()),
    **dict.fromkeys(("iodepth_batch", "iodepth_batch_submit"), ("1",)),
}


def _whole(said: object) -> int:
    if not re.fullmatch(r"\d{1,9}", str(said)):
        raise ValueError(f"{logs.quoted(str(said))} is no whole number")
    return int(str(said))


def _size(said: object) -> int:
    if not re.fullmatch(r"\w{1,20}", str(said)):
        raise ValueError(f"{logs.quoted(str(said))} is not one size, such as 4k")
    return parsing.size_bytes(str(said).rstrip("bB"))


#: Options are texts.
Percent = Annotated[int, BeforeValidator(_whole), Field(le=100)]


class FioLoop(BaseModel):
    """What a job's options say of its requests."""

    rw: Literal["read", "write", "randread", "randwrite", "randrw"]
    bs: Annotated[int, BeforeValidator(_size), Field(ge=512, le=16 << 20, multiple_of=512)] = 4096
    iodepth: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=65536)] = 1
    ioengine: str = _SYNCHRONOUS[0]
    rwmixread: Percent = 50
    rwmixwrite: Percent | None = None


#: The options with those that have to be as they are, or left out.
_OPTIONS: dict[str, Any] = {
    key: (Literal[plain] if plain else None, ... if key == "direct" else (*plain, None)[0])
    for key, plain in _PLAIN.items()
}
FioOptions = create_model("FioOptions", __base__=FioLoop, **_OPTIONS)


@dataclass(frozen=True)
class FioJob:
    """A job: its options, and what it did; sides that it does not have are whatever fio writes."""

    jobname: str
    error: Literal[0]
    options: Annotated[dict[str, Any], Field(alias="job options")]
    read: dict[str, Any] = field(default_factory=dict)
    write: dict[str, Any] = field(default_factory=dict)
    sync: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FioDocument:
    """The jobs of a run, and what their options have in common."""

    version: Annotated[str, Field(alias="fio version")]
    jobs: Annotated[list[FioJob], Field(min_length=1)]
    shared: Annotated[dict[str, Any], Field(alias="global options")] = field(default_factory=dict)


@dataclass(frozen=True)
class FioSide:
    """Requests of a direction, or flushes, and how many a second."""

    total_ios: Annotated[int, Field(ge=0, le=2**63 - 1)]
    iops: Annotated[float, Field(ge=1e-3, le=1e8)] = 1.0


Ns = Annotated[float, Field(ge=0, le=1e11)]


@dataclass(frozen=True)
class FioLatencies:
    """Their latencies."""

    min: Ns
    max: Ns
    mean: Annotated[float, Field(ge=1, le=1e11)]
    #: Which fio writes by itself, with clat_percentiles=1.
    percentile: dict[Annotated[str, Field(pattern=r"^\d{1,3}\.\d{1,9}$")], Ns]


def is_one(text: str) -> bool:
    """Return whether a text is of this form: a document, behind what fio may say before it."""
    return re.match(r"((fio|note|warning):[^\n]*\n|\s)*\{", text) is not None


def read(source: LogFile, text: str) -> list[LatencyTest]:
    """Return the tests that a document holds; TraceError where one is none."""
    whole = _built(source, FioDocument, _document(source, text), "")
    if not (found := re.match(r"fio-(\d+)\.", whole.version)) or int(found[1]) < 3:
        version = logs.quoted(whole.version)
        logs.refuse(source.path, f"fio version = {version}: must be fio-3 or newer, which has ns")
    return [_job(source, job, whole.shared, i) for i, job in enumerate(whole.jobs, 1)]


def _document(source: LogFile, text: str) -> Any:  # noqa: ANN401
    before = text[: text.index("{")]
    try:
        return parsing.json_text(text[len(before) :])
    except parsing.MalformedError as error:
        line = None if error.line is None else before.count("\n") + error.line
        logs.refuse(source.path, f"{error}: no JSON as fio writes it, or cut short", line)


def _built(source: LogFile, kind: type[T], table: Any, where: str) -> T:  # noqa: ANN401
    """Return a table as what it should be; TraceError with the first fault."""
    try:
        return typed.build(kind, table, where)
    except ConfigError as error:
        logs.refuse(source.path, str(error).split("\n")[0].removeprefix(": "))


def _job(source: LogFile, job: FioJob, shared: Mapping[str, Any], number: int) -> LatencyTest:
    """Return the test that a job was: one loop of equal requests, unbuffered."""
    place = f"job {number} {logs.quoted(job.jobname)}"
    loop: Any = _built(source, FioOptions, {**shared, **job.options}, f"{place}: job options")
    if loop.ioengine in _SYNCHRONOUS and loop.iodepth > 1:
        told = f"ioengine {loop.ioengine} has one request outstanding, whatever iodepth says"
        logs.refuse(source.path, f"{place}: {told}; use libaio or io_uring")
    rw, writes = loop.rw, loop.rw.endswith("write")
    synced = writes and loop.sync not in ("0", "none")
    flushed = writes and (loop.fsync, loop.fdatasync) != ("0", "0")
    least = LEAST_FLUSHES if synced or flushed else LEAST

    def side(name: str, depth: int, kind: str = "clat_ns") -> tuple[dict[str, float], int, Values]:
        table = getattr(job, name)
        counted = _built(source, FioSide, table, f"{place}: {name}")
        if counted.total_ios < least:
            told = f"{counted.total_ios} requests: must be at least {least}"
            logs.refuse(source.path, f"{place}: {name}: total_ios: {told}")
        at = f"{place}: {name}: {kind}"
        waits = _built(source, FioLatencies, table.get(kind), at)
        figures, values = _figures(source, waits, at)
        if kind == "clat_ns":
            figures["iops"] = counted.iops
            if counted.iops * waits.mean / 1e9 > depth * (1 + _BEYOND):
                told = f"{counted.iops:g} of {waits.mean / 1e3:.4g} µs: more than iodepth = {depth}"
                logs.refuse(source.path, f"{place}: {name}: iops: {told} were outstanding")
        return figures, counted.total_ios, values

    names = ("read", "write") if rw == "randrw" else (rw.removeprefix("rand"),)
    sides = {name: side(name, loop.iodepth) for name in names}
    figures: dict[str, Mapping[str, float]] = {name: of for name, (of, *_) in sides.items()}
    main, count, fitted = sides[names[0]]
    role = latency.role_of(job.jobname, rw, synced, flushed)
    if role == Role.synced:
        figures = {"sync": {"mean": main["mean"]}}
    if role == Role.flushed:
        figures["flush"], _, fitted = side("sync", 1, "lat_ns")
    mixed = loop.rwmixread if loop.rwmixwrite is None else 100 - loop.rwmixwrite
    single = loop.iodepth == 1 and not flushed
    return LatencyTest(
        source=source,
        name=logs.quoted(job.jobname),
        role=role,
        rw=rw,
        reads=mixed if rw == "randrw" else 100 * rw.endswith("read"),
        block_bytes=loop.bs,
        depth=loop.iodepth,
        count=sum(each for _, each, _ in sides.values()),
        fitted=fitted,
        draws=(fitted * (1 - _BIN), fitted * (1 + _BIN)),
        turnaround=_turnaround(source, main, count) if single else None,
        figures=figures,
    )


def _figures(source: LogFile, waits: FioLatencies, at: str) -> tuple[dict[str, float], Values]:
    """Return the figures of latencies in us, and the latencies in order of size."""
    if not waits.min <= waits.mean <= waits.max:
        told = f"{waits.mean:g}: must be between min = {waits.min:g} and max = {waits.max:g}"
        logs.refuse(source.path, f"{at}: mean: {told}")
    ranks, values = [0.0], [waits.min]
    for key, value in waits.percentile.items():
        if not ranks[-1] < float(key) <= 100:
            logs.refuse(source.path, f"{at}: percentile: {key}: must be above the one before it")
        if not values[-1] * (1 - 2 * _BIN) <= value <= waits.max * (1 + 2 * _BIN):
            told = f"must be between the {values[-1]:g} before it and max = {waits.max:g}"
            logs.refuse(source.path, f"{at}: percentile: {key}: {value:g}: {told}")
        ranks.append(float(key))
        values.append(max(value, values[-1]))
    if missing := [key for key in _NEEDED if float(key) not in ranks]:
        told = f"{missing[0]} is missing; leave percentile_list out"
        logs.refuse(source.path, f"{at}: percentile: {told}")
    if ranks[-1] < 100:
        ranks, values = [*ranks, 100.0], [*values, max(waits.max, values[-1])]
    figures = {
        name: float(np.interp(rank, ranks, values)) / 1e3
        for name, rank in _PERCENTILES.items()
        if rank in ranks
    }
    spread = (np.arange(_RANKS) + 0.5) * 100 / _RANKS
    return figures | {"mean": waits.mean / 1e3}, np.interp(spread, ranks, values)


def _turnaround(source: LogFile, figures: Mapping[str, float], count: int) -> Told:
    """Return what the host takes from a completion to its next request."""
    between = 1e9 / figures["iops"] - 1e3 * figures["mean"]
    # The time that a job took is in whole milliseconds.
    ends = tuple(max(0.0, between + more / count) for more in (-1e6, 0.0, 1e6))
    return Told((ends[1],), ((ends[0], ends[2]),), source.name)
