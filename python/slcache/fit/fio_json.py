"""What fio tells of jobs in JSON (`--output-format=json`): a test for each job, or a refusal.

Times are `clat_ns`: ns from the submission to the completion, as of fio 3. Percentiles are of a
histogram with 64 bins for each power of two, so that each lies in a bin of 1.6 % (its HOWTO,
"JSON output").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from slcache.bandwidth.curves import Values
from slcache.fit import latency, logs
from slcache.fit.latency import LatencyTest, Role
from slcache.fit.logs import LogFile, Told
from slcache.options import parsing

#: Requests, or flushes, of a job at least.
LEAST, LEAST_FLUSHES = 1000, 100
#: Half a bin of a histogram; ranks at which one is looked at.
_BIN, _RANKS = 1 / 128, 2000
_PERCENTILES = {"p50": "50.000000", "p99": "99.000000", "p99_9": "99.900000"}
#: Requests outstanding may be more than asked for by this share, from roundings.
_BEYOND = 0.02
_MOST_NS, _MOST_A_SECOND, _MOST_ERROR = 1e11, 1e8, 1e9
_KINDS = ("read", "write", "randread", "randwrite", "randrw")
_SIZE, _UNITS = re.compile(r"(\d{1,18})([kmgt]?)b?", re.IGNORECASE), "kmgt"
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


def is_one(text: str) -> bool:
    """Return whether a text is of this form: a document, behind what fio may say before it."""
    return re.match(r"((fio|note|warning):[^\n]*\n|\s)*\{", text) is not None


def read(source: LogFile, text: str) -> list[LatencyTest]:
    """Return the tests that a document holds; TraceError where one is none."""
    whole = _Place(source, (), _document(source, text))
    version = whole.text("fio version")
    if not (found := re.match(r"fio-(\d+)\.", version)) or int(found[1]) < 3:
        whole.refuse("fio version", f"{logs.quoted(version)}: must be fio-3 or newer, which has ns")
    shared = whole.table("global options") if "global options" in whole.here else None
    jobs = whole.here.get("jobs")
    if not isinstance(jobs, list) or not jobs:
        whole.refuse("jobs", "must be a list with a job at least")
    return [
        _job(_Place(source, (f"jobs[{i}]",), job), shared.here if shared else {})
        for i, job in enumerate(jobs)
    ]


def _document(source: LogFile, text: str) -> Any:  # noqa: ANN401
    before = text[: text.index("{")]
    try:
        return parsing.json_text(text[len(before) :])
    except parsing.MalformedError as error:
        line = None if error.line is None else before.count("\n") + error.line
        logs.refuse(source.path, f"{error}: no JSON as fio writes it, or cut short", line)


class _Place:
    """A table of the document, which knows where it is."""

    def __init__(self, source: LogFile, path: tuple[str, ...], here: Any) -> None:  # noqa: ANN401
        self.source, self.path = source, path
        if not isinstance(here, dict):
            logs.refuse(source.path, f"{'.'.join(path) or 'the document'}: must be a table")
        self.here: dict[str, Any] = here

    def refuse(self, key: str, told: str) -> NoReturn:
        """Raise what is wrong with a key."""
        place = ".".join((*self.path, key)) if key else ".".join(self.path)
        logs.refuse(self.source.path, f"{place}: {told}")

    def table(self, key: str) -> _Place:
        """Return a table in it."""
        if not isinstance(self.here.get(key), dict):
            self.refuse(key, "missing, or no table")
        return _Place(self.source, (*self.path, key), self.here[key])

    def text(self, key: str) -> str:
        """Return a text in it."""
        value = self.here.get(key)
        if not isinstance(value, str):
            self.refuse(key, "missing, or no text")
        return value

    def number(self, key: str, most: float, least: float = 0.0) -> float:
        """Return a number in it."""
        value = self.here.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(key, "missing, or no number")
        if not least <= value <= most:
            self.refuse(key, f"{logs.quoted(str(value))}: must be {least:g} to {most:g}")
        return float(value)


def _job(job: _Place, shared: Mapping[str, Any]) -> LatencyTest:
    """Return the test that a job was."""
    name = job.text("jobname")
    job.path = (*job.path, logs.quoted(name))
    if job.number("error", _MOST_ERROR, -_MOST_ERROR):
        job.refuse("error", f"{job.here['error']}: the job failed")
    own = job.table("job options")
    options = _Place(job.source, own.path, {**shared, **own.here})
    _check_plain(options)
    rw = options.text("rw")
    if rw not in _KINDS:
        options.refuse("rw", f"{logs.quoted(rw)}: must be one of {', '.join(_KINDS)}")
    size, depth = _size(options, "bs"), _depth(options)
    synced, flushed = (
        rw.endswith("write")
        and any(options.here.get(key, "0") not in ("0", "none") for key in keys)
        for keys in (("sync",), ("fsync", "fdatasync"))
    )
    least = LEAST_FLUSHES if synced or flushed else LEAST
    sides = {side: _side(job.table(side), depth, least) for side in _sides(rw)}
    figures: dict[str, Mapping[str, float]] = {n: side for n, (side, *_) in sides.items()}
    main, count, fitted = next(iter(sides.values()))
    role = latency.role_of(name, rw, synced, flushed)
    if role == Role.synced:
        figures = {"sync": {"mean": main["mean"]}}
    if role == Role.flushed:
        figures["flush"], _, fitted = _side(job.table("sync"), 1, least, "lat_ns")
    return LatencyTest(
        source=job.source,
        name=logs.quoted(name),
        role=role,
        rw=rw,
        reads=_mix(options) if rw == "randrw" else 100 * rw.endswith("read"),
        block_bytes=size,
        depth=depth,
        count=sum(each for _, each, _ in sides.values()) if len(sides) > 1 else count,
        fitted=fitted,
        draws=(fitted * (1 - _BIN), fitted * (1 + _BIN)),
        turnaround=_turnaround(job.source, main, count) if depth == 1 and not flushed else None,
        figures=figures,
    )


def _check_plain(options: _Place) -> None:
    for key, plain in _PLAIN.items():
        value = options.here.get(key)
        if value is None and key != "direct":
            continue
        if value not in plain:
            told = "missing" if value is None else logs.quoted(str(value))
            must = f"must be {' or '.join(plain)}" if plain else "must be left out"
            options.refuse(key, f"{told}: {must}; a test is one loop of equal requests, unbuffered")


def _sides(rw: str) -> tuple[str, ...]:
    """Return the directions that a job goes."""
    return ("read", "write") if rw == "randrw" else (rw.removeprefix("rand"),)


def _size(options: _Place, key: str) -> int:
    text = options.here.get(key, options.here.get("blocksize", "4k"))
    found = _SIZE.fullmatch(text) if isinstance(text, str) else None
    power = 1 + _UNITS.index(found[2].lower()) if found and found[2] else 0
    value = int(found[1]) << (10 * power) if found else 0
    if not 512 <= value <= 16 << 20 or value % 512:
        told = logs.quoted(str(text))
        options.refuse(key, f"{told}: must be one size, such as 4k, of 512 bytes to 16 MiB")
    return value


def _whole(options: _Place, key: str, default: str, most: int) -> int:
    text = options.here.get(key, default)
    if not isinstance(text, str) or not re.fullmatch(r"\d{1,9}", text) or int(text) > most:
        options.refuse(key, f"{logs.quoted(str(text))}: must be a whole number up to {most}")
    return int(text)


def _depth(options: _Place) -> int:
    depth = _whole(options, "iodepth", "1", 65536)
    engine = options.here.get("ioengine", _SYNCHRONOUS[0])
    if depth < 1:
        options.refuse("iodepth", "0: must be at least 1")
    if engine in _SYNCHRONOUS and depth > 1:
        told = f"{depth}: ioengine {engine} has one request outstanding, whatever it says"
        options.refuse("iodepth", f"{told}; use libaio or io_uring")
    return depth


def _mix(options: _Place) -> int:
    if "rwmixwrite" in options.here:
        return 100 - _whole(options, "rwmixwrite", "50", 100)
    return _whole(options, "rwmixread", "50", 100)


def _side(
    side: _Place, depth: int, least: int, kind: str = "clat_ns"
) -> tuple[dict[str, float], int, Values]:
    """Return the figures of a direction, its requests, and its latencies in order of size."""
    count = int(side.number("total_ios", 2**63))
    if count < least:
        side.refuse("total_ios", f"{count} requests: must be at least {least}")
    if kind not in side.here and kind.removesuffix("_ns") in side.here:
        side.refuse(kind, "missing: of a fio before 3, which has µs")
    waits = side.table(kind)
    low, high, mean = (waits.number(key, _MOST_NS) for key in ("min", "max", "mean"))
    if not low <= mean <= high or mean < 1:
        waits.refuse("mean", f"{mean:g}: must be between min = {low:g} and max = {high:g}")
    ranks, values = _percentiles(waits, low, high)
    figures = {name: float(np.interp(float(at), ranks, values)) / 1e3
               for name, at in _PERCENTILES.items() if float(at) in ranks}  # fmt: skip
    figures["mean"] = mean / 1e3
    if kind == "clat_ns":
        rate = side.number("iops", _MOST_A_SECOND, 1e-3)
        if rate * mean / 1e9 > depth * (1 + _BEYOND):
            told = f"{rate:g} of {mean / 1e3:.4g} µs: more than iodepth = {depth} were outstanding"
            side.refuse("iops", told)
        figures["iops"] = rate
    at = (np.arange(_RANKS) + 0.5) * 100 / _RANKS
    return figures, count, np.interp(at, ranks, values)


def _percentiles(waits: _Place, low: float, high: float) -> tuple[Values, Values]:
    """Return the ranks that are printed, with the least and the most, and the ns at each."""
    if "percentile" not in waits.here:
        waits.refuse("percentile", "missing: log it with clat_percentiles=1, as fio does by itself")
    table = waits.table("percentile")
    for key in ("50.000000", "99.000000"):
        if key not in table.here:
            table.refuse(key, "missing; leave percentile_list out")
    ranks, values = [0.0], [low]
    for key in table.here:
        if not re.fullmatch(r"\d{1,3}\.\d{1,9}", key) or not ranks[-1] < float(key) <= 100:
            table.refuse(logs.quoted(key), "must be percentiles, from the lowest to the highest")
        value = table.number(key, _MOST_NS)
        if not values[-1] * (1 - 2 * _BIN) <= value <= high * (1 + 2 * _BIN):
            told = f"{value:g}: must be between the {values[-1]:g} before it and max = {high:g}"
            table.refuse(key, told)
        ranks.append(float(key))
        values.append(max(value, values[-1]))
    if ranks[-1] < 100:
        ranks, values = [*ranks, 100.0], [*values, max(high, values[-1])]
    return np.array(ranks), np.array(values)


def _turnaround(source: LogFile, figures: Mapping[str, float], count: int) -> Told:
    """Return what the host takes from a completion to its next request."""
    between = 1e9 / figures["iops"] - 1e3 * figures["mean"]
    # The time that a job took is in whole milliseconds.
    ends = tuple(max(0.0, between + more / count) for more in (-1e6, 0.0, 1e6))
    return Told((ends[1],), ((ends[0], ends[2]),), source.name)
