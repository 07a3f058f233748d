"""Tests of latency, and how files give them: tables, and fio's latency logs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from slcache.bandwidth.curves import Values
from slcache.drives import published
from slcache.fit import logs
from slcache.fit.device import PAGE_BYTES
from slcache.fit.logs import LogFile, Rows, Told, refuse

#: Tests are simulated over this at most, bytes.
_SPAN_BYTES = 1 << 30


class Role(StrEnum):
    """What a test is of."""

    reads = "random reads"
    erased = "random reads, erased"
    writes = "random writes"
    synced = "synchronous writes"
    flushed = "flushed writes"
    other = "other requests"


@dataclass(frozen=True)
class LatencyTest:
    """A test: one loop of equal requests."""

    source: LogFile
    name: str
    role: Role
    #: As fio has it, and reads in a hundred requests.
    rw: str
    reads: int
    block_bytes: int
    depth: int
    count: int
    #: Latencies in ns that parameters are fitted to, and the same drawn anew; those of flushes
    #: where there are some.
    fitted: Values
    draws: tuple[Values, ...]
    #: ns from a completion to the next request, on average; None where nothing tells.
    turnaround: Told | None
    #: What it is judged by: of each side in us, and requests a second.
    figures: Mapping[str, Mapping[str, float]]

    @property
    def log(self) -> str:
        """What evidence calls it."""
        return f"{self.name} of {self.source.name}" if self.name else self.source.name

    @property
    def title(self) -> str:
        """What tables call it."""
        of_mixed = f"{self.rw} ({self.reads} % reads)" if 0 < self.reads < 100 else self.rw
        kind = of_mixed if self.role == Role.other else self.role
        depth = f", {self.depth} outstanding" if self.depth > 1 else ""
        return f"{self.block_bytes / 1024:g} KiB {kind}{depth}"

    def trial(self, host_us: float, requests: int | None = None) -> published.Trial:
        """Return it as tests of published drives are simulated, or the beginning of it."""
        state = "erased" if self.role == Role.erased else "file" if self.reads else "empty"
        flushed = self.role in (Role.synced, Role.flushed)
        sides = self.figures.values()
        rate = sum(side.get("iops", 0) for side in sides) or 1e6 / next(iter(sides))["mean"]
        return published.Trial(
            name=self.title,
            drive=published.TestedDrive("fitted", "client"),
            source=self.log,
            # A synchronous write and its flush are one request: the host is not asked between.
            host_us=0.0 if self.role == Role.synced else host_us,
            rw=self.rw,
            reads=self.reads,
            size=self.block_bytes,
            depths=(self.depth,),
            span_bytes=max(_SPAN_BYTES, self.block_bytes),
            seconds=min(self.count, requests or self.count) / rate,
            state=state,
            phase="flush" if flushed else "reads" if self.reads == 100 else "in-cache",
            use="calibrate",
            figures=self.figures,
        )


def role_of(name: str, rw: str, synced: bool, flushed: bool) -> Role:
    """Return what a test is of, by its name and its options."""
    if synced or flushed:
        return Role.synced if synced else Role.flushed
    if rw == "randread":
        return Role.erased if name.startswith("erased") else Role.reads
    return Role.writes if rw == "randwrite" else Role.other


COLUMNS = ["rw", "bytes", "depth", "iops", "p50_us", "p99_us", "p99_9_us"]
_TABLE_KINDS = ("randread", "randwrite", "read", "write", "erased")
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,9})?")
_WHOLE = {"bytes": (512, 16 << 20), "depth": (1, 65536)}
_MOST = {"iops": 1e8, "p50_us": 1e8, "p99_us": 1e8, "p99_9_us": 1e8}
#: A test of which no length is printed has so many requests.
_REQUESTS = 100_000


def is_table(rows: Rows) -> bool:
    """Return whether a text is of this form: its first line has one of the columns."""
    return bool({cell.lower() for cell in rows[0][1]} & set(COLUMNS))


def read_table(source: LogFile, rows: Rows) -> list[LatencyTest]:
    """Return the tests of the rows; TraceError where one is none."""
    heading = [cell.lower() for cell in rows[0][1]]
    if heading != COLUMNS:
        refuse(source.path, f"must have the columns {','.join(COLUMNS)}, in this order", rows[0][0])
    if len(rows) == 1:
        refuse(source.path, "has no row")
    return [_test(source, line, cells) for line, cells in rows[1:]]


def _test(source: LogFile, line: int, cells: list[str]) -> LatencyTest:
    path = source.path
    if len(cells) != len(COLUMNS):
        refuse(path, f"{len(cells)} columns, {len(COLUMNS)} in the first line", line)
    said = dict(zip(COLUMNS, cells, strict=True))
    rw = said["rw"]
    if rw not in _TABLE_KINDS:
        refuse(path, f"rw = {logs.quoted(rw)}: must be one of {', '.join(_TABLE_KINDS)}", line)
    size, depth = (_whole(source, line, name, said[name]) for name in _WHOLE)
    printed = {name: _number(source, line, name, said[name]) for name in _MOST if said[name]}
    figures = {name.removesuffix("_us"): value for name, value in printed.items()}
    if "p50" not in figures:
        if "iops" not in figures:
            refuse(path, "neither iops nor p50_us", line)
        # Where no median is printed the mean is that of the rate.
        figures["mean"] = depth / figures["iops"] * 1e6
    if size % 512:
        refuse(path, f"bytes = {size}: must be a multiple of 512", line)
    ordered = [figures[name] for name in ("p50", "p99", "p99_9") if name in figures]
    if ordered != sorted(ordered):
        refuse(path, "p50_us, p99_us and p99_9_us must rise", line)
    name, kind = rw, "randread" if rw == "erased" else rw
    middle = 1e3 * figures.get("p50", figures.get("mean", 0.0))
    half = 500.0 * 10.0 ** -len(said["p50_us"].partition(".")[2])
    samples = np.array([middle])
    return LatencyTest(
        source=source,
        name=f"line {line}",
        role=role_of(name, kind, synced=False, flushed=False),
        rw=kind,
        reads=100 * kind.endswith("read"),
        block_bytes=size,
        depth=depth,
        count=_REQUESTS,
        fitted=samples,
        draws=(samples - half, samples + half),
        turnaround=_turnaround_of(source, figures) if depth == 1 else None,
        figures={"read" if kind.endswith("read") else "write": figures},
    )


def _turnaround_of(source: LogFile, figures: dict[str, float]) -> Told | None:
    """Return what the host takes beside the median, where both that and a rate are printed."""
    if not {"iops", "p50"} <= figures.keys():
        return None
    between = max(0.0, 1e9 / figures["iops"] - 1e3 * figures["p50"])
    return Told((between,), (), source.name)


def _whole(source: LogFile, line: int, name: str, cell: str) -> int:
    low, high = _WHOLE[name]
    if not re.fullmatch(r"\d{1,9}", cell) or not low <= int(cell) <= high:
        told = f"{name} = {logs.quoted(cell)}: must be a whole number from {low} to {high}"
        refuse(source.path, told, line)
    return int(cell)


def _number(source: LogFile, line: int, name: str, cell: str) -> float:
    if not _NUMBER.fullmatch(cell) or not 0.001 <= float(cell) <= _MOST[name]:
        told = f"{name} = {logs.quoted(cell)}: must be a number from 0.001 to {_MOST[name]:,.0f}"
        refuse(source.path, told, line)
    return float(cell)


#: Requests of a log, at least; stretches of it, of which every other one is judged by.
LEAST, STRETCHES = 1000, 40
#: Resamples of the stretches.
RESAMPLES = 200
#: Latencies take this share of the time, at least; more than all of it, by at most so much.
_SPENT, _BEYOND = 0.1, 0.02
#: Means of the first and the last quarter, without the slowest, differ by at most this share, or by
#: so many deviations: of a drive that makes some requests wait they differ by chance.
_STEADY, _SURE, _FAST = 0.1, 4.0, 0.95
#: Requests right behind the one before them, at most: more are no random ones.
_IN_ORDER = 0.5
_KINDS = {"0": "read", "1": "write"}
#: No chip programs a page faster than this, ns.
PROGRAM_NS = 50_000


def read_log(source: LogFile, rows: Rows) -> LatencyTest:
    """Return the latencies that a log holds; TraceError where they are no random requests alone."""
    path, first = source.path, rows[0][1]

    def check(line: int, cells: list[str]) -> None:
        if cells[2] not in _KINDS:
            refuse(path, f"direction {cells[2]}: must be 0 (reads) or 1 (writes)", line)
        if cells[2] != first[2]:
            told = f"{_KINDS[cells[2]]}s beside {_KINDS[first[2]]}s"
            refuse(path, f"{told}: those wait for one another; log them apart", line)
        if cells[3] != first[3]:
            refuse(path, f"block size {cells[3]} beside {first[3]}: must be one", line)

    found = logs.fio_columns(path, rows, "latency", check)
    if not found.sizes[0]:
        refuse(path, "averages: log it without log_avg_msec")
    if len(rows) < LEAST:
        refuse(path, f"{len(rows)} requests: must be at least {LEAST}")
    if found.offsets is not None:
        _check_random(path, found.offsets, found.sizes)
    turnaround = _turnaround(source, found.times, found.values)
    stretches = np.array_split(found.values, STRETCHES)
    _check_steady(path, stretches)
    kind, size = _KINDS[first[2]], int(found.sizes[0])
    rw, synced = f"rand{kind}", kind == "write" and _is_synced(path, size, found.values)
    kept, odd = stretches[::2], np.concatenate(stretches[1::2])
    drawn = np.random.default_rng(0).integers(len(kept), size=(RESAMPLES, len(kept)))
    # The mean of a host's own time is that of all requests.
    rate = 1e9 / (float(found.values.mean()) + turnaround.values[0])
    figures = _figures(odd, rate)
    return LatencyTest(
        source=source,
        name="",
        role=role_of(path.name, rw, synced, flushed=False),
        rw=rw,
        reads=100 * (kind == "read"),
        block_bytes=size,
        depth=1,
        count=len(rows),
        fitted=np.concatenate(kept),
        draws=tuple(np.concatenate([kept[i] for i in each]) for each in drawn),
        turnaround=turnaround,
        figures={"sync": {"mean": figures["p50"]}} if synced else {kind: figures},
    )


def _is_synced(path: Path, size: int, values: Values) -> bool:
    """Return whether writes end in the flash: no log says whether they were synchronous."""
    if float(np.median(values)) < PROGRAM_NS:
        return False
    if size != PAGE_BYTES:
        told = f"writes of {size} bytes that take a program or more: must be {PAGE_BYTES}"
        refuse(path, f"{told}, of which each is one; fio's JSON says more")
    return True


def _figures(values: Values, rate: float) -> dict[str, float]:
    """Return what latencies are judged by."""
    ranks = {"p50": 0.5, "p99": 0.99} | ({"p99_9": 0.999} if len(values) >= LEAST else {})
    found = {name: float(np.quantile(values, at)) / 1e3 for name, at in ranks.items()}
    return {**found, "iops": rate}


def _check_random(path: Path, offsets: Values, sizes: Values) -> None:
    share = float(np.mean(np.diff(offsets) == sizes[:-1]))
    if share > _IN_ORDER:
        refuse(
            path, f"{100 * share:.0f} % of the offsets are in order: the requests must be random"
        )


def _turnaround(source: LogFile, times_ms: Values, latencies: Values) -> Told:
    """Return what the host takes from a completion to its next request."""
    path = source.path
    elapsed, spent = (times_ms[-1] - times_ms[0]) * 1e6, float(latencies[1:].sum())
    told = f"latencies add up to {spent / 1e6:,.4g} ms in {elapsed / 1e6:,.4g} ms"
    # Times are whole milliseconds.
    if spent > elapsed * (1 + _BEYOND) + 2e6:
        refuse(path, f"{told}: more than one request was outstanding (iodepth, numjobs)")
    if spent < _SPENT * elapsed:
        refuse(path, f"{told}: the host paused, or they are no ns, as before fio 3")
    between = len(latencies) - 1
    ends = [max(0.0, float(elapsed - spent + more) / between) for more in (-1e6, 0.0, 1e6)]
    return Told((ends[1],), ((ends[0], ends[2]),), source.name)


def _check_steady(path: Path, stretches: list[Values]) -> None:
    """Refuse latencies that end otherwise than they begin, by more than their stretches differ."""
    means, quarter = np.array([_mean(each) for each in stretches]), len(stretches) // 4
    parts = means[:quarter], means[-quarter:]
    begin, end = (float(part.mean()) for part in parts)
    error = float(np.sqrt(sum(part.var(ddof=1) for part in parts) / quarter))
    if abs(end - begin) > max(_STEADY * begin, _SURE * error):
        told = f"from {begin / 1e3:,.4g} to {end / 1e3:,.4g} µs while it was logged"
        refuse(path, f"the mean goes {told}: no steady state; not identifiable")


def _mean(values: Values) -> float:
    """Return the mean without the slowest: a median leaps between kinds of pages."""
    return float(np.sort(values)[: round(_FAST * len(values))].mean())
