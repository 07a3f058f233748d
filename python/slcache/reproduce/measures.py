"""The figures of a result that plans and claims use."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from slcache.documents.normalise import BITS, densest, slc_block_bytes, slc_bytes
from slcache.words.kinds import STORES

Document = Mapping[str, Any]

#: A window is behind the cliff when its mean write latency is so many times the first one's.
CLIFF = 2.0
#: The writes that papers show of a run.
FIRST_WRITES = 100_000
#: Writes of a window, and the sum of their latencies in ns.
Windows = Sequence[tuple[int, int]]


T = TypeVar("T")


class AbsentError(Exception):
    """A run has no such figure."""


@dataclass(frozen=True)
class Result:
    """A document to read figures from; each method raises AbsentError for what it lacks."""

    document: Document

    def at(self, *path: str) -> float:
        """Return the number at the end of a path."""
        found: Any = self.document
        for key in path:
            found = None if found is None else found.get(key)
        return float(present(found))

    def figure(self, name: str) -> float:
        """Return a figure that the scheme reports under its own name."""
        return self.at("scheme", "figures", name)

    def table(self, name: str, field: str) -> float:
        """Return a field of one of the scheme's mapping tables."""
        found = (t[field] for t in self.document["scheme"]["tables"] if t["name"] == name)
        return float(present(next(found, None)))

    def values(self, name: str) -> list[float]:
        """Return the values of one of the scheme's series."""
        _, values = series(self.document, name)
        return present(values or None)

    def requests(self, side: str) -> int:
        """Return how many reads or writes there are."""
        return int(self.document["host"][side]["requests"])

    @property
    def pool(self) -> Document:
        """The first pool of the device."""
        found: Document = self.document["config"]["device"]["pool"][0]
        return found

    @property
    def user_bytes(self) -> int:
        """What the device can hold."""
        return int(self.document["config"]["device"]["user_bytes"])

    def ops(
        self,
        field: str,
        *kinds: str,
        causes: Collection[str] = (),
        but: Collection[str | tuple[str, str]] = (),
        slc: bool | None = None,
    ) -> float:
        """Return a sum over flash operations, of all kinds and causes where none is named.

        `but` are causes that are left out, or kinds with their cause; `slc` chooses operations in
        SLC mode, or all others.
        """
        chosen = (
            op[field]
            for op in self.document["flash"]["ops"]
            if (not kinds or op["kind"] in kinds)
            and (not causes or op["cause"] in causes)
            and op["cause"] not in but
            and (op["kind"], op["cause"]) not in but
            and (slc is None or slc == (op["mode"] == "slc"))
        )
        return float(sum(chosen))

    @property
    def disk_ops_us(self) -> float:
        """How long the disk served requests."""
        return float(sum(op["time_us"] for op in present(self.document.get("disk"))["ops"]))

    @property
    def windows(self) -> Windows:
        """The windows of the time series that have writes."""
        columns = self.document["series"]["columns"]
        every = zip(columns["write_requests"], columns["write_latency_ns_sum"], strict=True)
        return [(writes, ns) for writes, ns in every if writes]

    @property
    def cliff(self) -> int:
        """The window where the latency of writes rises for the first time."""
        writes, ns = present(next(iter(self.windows), None))
        first = ns / writes
        behind = (i for i, (n, ns) in enumerate(self.windows) if ns > CLIFF * first * n)
        return int(present(next(behind, None)))


def present(found: T | None) -> T:
    """Return what a document has; AbsentError for nothing."""
    if found is None:
        raise AbsentError
    return found


def series(document: Document, name: str) -> tuple[int, list[float]]:
    """Return a scheme's values over its windows, and what lies between two of them.

    That is a number of requests, write requests or bytes, as the scheme counts its windows.
    """
    for entry in document["scheme"]["series"]:
        if entry["name"] == name:
            step = next(entry[key] for key in entry if key.endswith("_per_value"))
            return int(step), [
                math.inf if value is None else float(value) for value in entry["values"]
            ]
    return 1, []


def write_latency(document: Document) -> list[tuple[float, float]]:
    """Return writes done so far and their mean latency in us, for every window with writes."""
    windows = Result(document).windows
    done = itertools.accumulate(writes for writes, _ in windows)
    return [(float(d), ns / writes / 1000) for d, (writes, ns) in zip(done, windows, strict=True)]


def _cliff_writes(r: Result) -> float:
    """Return the writes done when their latency rises for the first time."""
    points = write_latency(r.document)
    return present(next((writes for writes, us in points if us > CLIFF * points[0][1]), None))


def _mean_us(windows: Windows) -> float:
    return sum(ns for _, ns in windows) / sum(writes for writes, _ in windows) / 1000


def _write_rise(r: Result) -> float:
    """Return the least change from one quarter of the first writes to the next, as a part.

    Above zero the latency rises all the time, neither at once nor for a while.
    """
    quarters: list[list[tuple[int, int]]] = [[], [], [], []]
    done = 0
    for writes, ns in r.windows:
        at = 4 * done // FIRST_WRITES
        if at > 3:
            break
        quarters[at].append((writes, ns))
        done += writes
    means = [_mean_us(quarter) for quarter in quarters]
    return present(
        min(after / before - 1 for before, after in itertools.pairwise(means))
        if all(means)
        else None
    )


def _standby_share(r: Result) -> float:
    states = present(r.document.get("disk"))["states"]
    chosen = sum(state["time_s"] for state in states if state["state"] == "standby")
    return float(chosen / sum(state["time_s"] for state in states))


def _moved_in_flash(r: Result) -> float:
    """Return the share of the service time of flash and disk that moves take in flash alone.

    What leaves for the disk is written there at another cost: `gc_time_share` has both.
    """
    moved = r.ops("time_us", causes=("gc", "migration"))
    served = [*r.document["flash"]["ops"], *present(r.document.get("disk"))["ops"]]
    return moved / float(sum(op["time_us"] for op in served))


def _nvc_miss_rate(r: Result) -> float:
    """Return the misses among the reads that reach the flash."""
    missed, dram = r.figure("miss_rate"), r.figure("dram_hit_rate")
    return missed / max(0.0, 1 - dram)


def _slc_blocks(r: Result) -> int:
    """Return how many blocks of a chip of two regions are SLC ones."""
    scheme = present(r.document["config"]["scheme"].get("nvc"))
    return int(present(scheme["slc_blocks"]))


def _nvc_capacity_bytes(r: Result) -> float:
    """Return what the two regions of a chip hold together."""
    slc, bits = _slc_blocks(r), BITS[densest(r.pool)]
    return float(slc_block_bytes(r.pool) * (slc + bits * (r.pool["blocks"] - slc)))


def _slc_to_dense_blocks(r: Result) -> float:
    """Return SLC blocks per dense block."""
    slc = _slc_blocks(r)
    return float(present(slc / (r.pool["blocks"] - slc) or None))


def _response_us(r: Result) -> float:
    """Return the mean latency of all reads and writes."""
    sides = [(n, side) for side in ("read", "write") if (n := r.requests(side))]
    us = sum(n * r.at("host", side, "latency_us", "mean") for n, side in sides)
    return us / sum(n for n, _ in sides)


def _balance_gap(r: Result) -> float:
    """Return (1 - f) + A - 2 (f - e) of in-place switch with AGC: 0 in a steady state."""
    f, a = r.figure("fast_share"), r.figure("agc_moves_per_host_page")
    return (1 - f) + a - 2 * (f - r.figure("slc_pages_refreshed_by_erase_per_host_page"))


def _spare_share(r: Result) -> float:
    """Return the part of the device's blocks that user data do not fill."""
    return 1 - float(r.user_bytes / (slc_bytes(r.pool) * BITS[densest(r.pool)]))


def _fast_gib(r: Result) -> float:
    """Return how much data the faster of two SSDs holds at the end."""
    return r.values("utilisation")[-1] * slc_bytes(r.pool) / 2**30


def _large_write_share(r: Result) -> float:
    """Return the share of the trace's write requests of more than 512 KiB."""
    told = present(r.document.get("trace_info"))
    large = sum(b["writes"] for b in told["size_histogram"] if b["from_bytes"] > 512 * 1024)
    return float(large / told["writes"])


def _small_update_share(r: Result) -> float:
    """Return a share of the trace's statistics, which the evaluation puts beside a result."""
    told = present(r.document.get("trace_info"))
    return float(present(told["update_writes_up_to_4kib_share"] if told["update_writes"] else None))


def _l1_share_max(r: Result) -> float:
    """Return the largest share of L1, as the division has it or as its blocks have it."""
    _, division = series(r.document, "l2_share")
    blocks = r.document["scheme"]["figures"].get("l1_block_share_max")
    shares = [1 - share for share in division] + ([] if blocks is None else [float(blocks)])
    return float(present(max(shares, default=None)))


def _extra_table_bytes(r: Result) -> float:
    tables = r.document["scheme"]["tables"]
    return float(sum(t["bytes"] for t in tables if t["name"] != "page mapping table"))


#: Causes of what is moved in the background.
_CLEANING, _RECLAIM = ("gc", "agc"), ("migration", "gc", "agc")


def _pages(r: Result, *causes: str, slc: bool | None = None) -> float:
    """Return pages programmed; padding holds none."""
    return r.ops("pages", *STORES, causes=causes, but=("pad",), slc=slc)


def _waf_pages(r: Result) -> float:
    """Return pages programmed per page that the host wrote."""
    return _pages(r) / r.ops("pages", "program", "reprogram", causes=("host",))


def _waf_vain(r: Result) -> float:
    """Return the same with AGC's moves only where they were in vain: the host wrote the data later.

    A scheme without AGC makes no such moves.
    """
    vain = r.document["scheme"]["figures"].get("waf_extra")
    return _waf_pages(r) if vain is None else float(vain)


def _seconds(r: Result, *causes: str, slc: bool | None = None) -> float:
    """Return the time spent on what some causes demand, or on host writes.

    What is neither migrated nor cleaned is a host write: its page, what is read to merge it, the
    room left empty in it.
    """
    but = () if causes else (*_RECLAIM, ("read", "host"))
    return r.ops("time_us", causes=causes, but=but, slc=slc) / 1e6


def _mean_step(values: Sequence[float]) -> float:
    """Return how far a series moves from one value to the next, on average."""
    steps = [abs(after - before) for before, after in itertools.pairwise(values)]
    return statistics.fmean(steps) if steps else 0.0


def _late_us(values: Sequence[float]) -> float:
    """Return the mean of nanoseconds over the later half of a run, in us."""
    return statistics.fmean(values[len(values) // 2 :]) / 1000


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


Reader = Callable[[Result], float]


def _latency(side: str, key: str, per: float) -> Reader:
    return lambda r: r.at("host", side, "latency_us", key) / per


def _write_wait(cause: str) -> Reader:
    """Return a reader of the mean time a write waits for work of some cause."""
    return lambda r: (
        float(r.document["host"]["write"]["attribution_us"]["wait"].get(cause, 0.0))
        / r.requests("write")
    )


def _over(name: str, reduce: Callable[[Sequence[float]], float]) -> Reader:
    """Return a reader of one number for all of a series."""
    return lambda r: reduce(r.values(name))


MEASURES: dict[str, Reader] = {
    **{
        f"{side}_{key}_{unit}": _latency(side, key, per)
        for side in ("read", "write")
        for key in ("mean", "p50", "p99", "p99_9", "p99_99", "max")
        for unit, per in (("us", 1), ("ms", 1000))
    },
    **{
        f"write_wait_{cause}_us": _write_wait(cause)
        for cause in ("host", "migration", "gc", "agc", "pad", "rmw", "channel", "stage", "merge")
    },
    "response_us": _response_us,
    "response_ms": lambda r: _response_us(r) / 1000,
    "lag_s": lambda r: r.at("host", "backlog", "lag_ns") / 1e9,
    "backlog_requests": lambda r: r.at("host", "backlog", "requests_max"),
    "read_request_share": lambda r: r.requests("read") / (r.requests("read") + r.requests("write")),
    "balance_gap": _balance_gap,
    "waf": lambda r: r.at("waf", "total"),
    "waf_pages": _waf_pages,
    "waf_vain": _waf_vain,
    "dense_write_share": lambda r: _pages(r, "host", slc=False) / _pages(r, "host"),
    "slc_program_share": lambda r: _pages(r, "host", slc=True) / _pages(r),
    "dense_program_share": lambda r: _pages(r, "host", slc=False) / _pages(r),
    "moved_program_share": lambda r: _pages(r, *_RECLAIM) / _pages(r),
    "blocks_per_plane": lambda r: float(r.pool["blocks"]),
    "erases": lambda r: r.ops("count", "erase"),
    "slc_reads": lambda r: r.ops("count", "read", causes=("host",), slc=True),
    "gc_reads": lambda r: r.ops("count", "read", causes=("migration",)),
    "gc_reads_per_migrated_page": lambda r: (
        r.ops("count", "read", causes=("migration",))
        / r.ops("pages", "program", causes=("migration",))
    ),
    "migrated_bytes": lambda r: r.ops("bytes", "program", causes=("migration",)),
    "q_table_bytes": lambda r: r.table("Q-table", "bytes"),
    "smt_entries": lambda r: r.table("sector mapping table", "entries"),
    "smt_bytes": lambda r: r.table("sector mapping table", "bytes"),
    "extra_table_bytes": _extra_table_bytes,
    "l1_share_max": _l1_share_max,
    "l2_share_range": _over("l2_share", _range),
    "small_update_share": _small_update_share,
    "large_update_share": lambda r: 1 - _small_update_share(r),
    "write_mb_per_s": lambda r: (
        1000 * r.at("host", "write", "bytes") / r.document["host"]["duration_ns"]
    ),
    "whole_s": lambda r: r.at("host", "duration_ns") / 1e9,
    "slc_write_s": lambda r: _seconds(r, slc=True),
    "dense_write_s": lambda r: _seconds(r, slc=False),
    "migration_s": lambda r: _seconds(r, "migration"),
    "dense_gc_s": lambda r: _seconds(r, *_CLEANING, slc=False),
    "slc_gc_s": lambda r: _seconds(r, *_CLEANING, slc=True),
    "gc_s": lambda r: _seconds(r, *_CLEANING),
    "reclaim_s": lambda r: _seconds(r, *_RECLAIM),
    "slc_blocks_mean": _over("slc_blocks", statistics.fmean),
    "slc_blocks_change": _over("slc_blocks", _mean_step),
    "theta_kib_mean": _over("theta_bytes", lambda values: statistics.fmean(values) / 1024),
    "theta_at_512_kib": _over("theta_bytes", lambda values: values.count(2.0**19) / len(values)),
    "measured_cost_us": _over("measured_cost_ns", _late_us),
    "predicted_cost_us": _over("predicted_cost_ns", _late_us),
    "utilisation_target_mean": _over("utilisation_target", statistics.fmean),
    "utilisation_least": _over("utilisation_target", min),
    "utilisation_range": _over("utilisation_target", _range),
    "spare_share": _spare_share,
    "large_write_share": _large_write_share,
    "fast_gib": _fast_gib,
    "dense_gib": lambda r: float(r.user_bytes / 2**30) - _fast_gib(r),
    "disk_energy_j": lambda r: r.at("disk", "energy_j"),
    "disk_power_w": lambda r: r.at("disk", "mean_power_w"),
    "disk_spin_ups": lambda r: r.at("disk", "spin_ups"),
    "disk_standby_share": _standby_share,
    "disk_busy_share": lambda r: r.disk_ops_us * 1000 / r.at("flash", "ops_until_ns"),
    "flash_gc_time_share": _moved_in_flash,
    "lifespan_bytes": lambda r: r.at("lifespan", "own", "host_bytes"),
    "lifespan_full_chip_bytes": lambda r: r.at("lifespan", "full_chip", "host_bytes"),
    "lifespan_tb": lambda r: r.at("lifespan", "own", "host_bytes") / 1e12,
    "lifespan_full_chip_tb": lambda r: r.at("lifespan", "full_chip", "host_bytes") / 1e12,
    "nvc_miss_rate": _nvc_miss_rate,
    "programmed_bytes": lambda r: r.figure("slc_bytes") + r.figure("dense_bytes"),
    "nvc_capacity_bytes": _nvc_capacity_bytes,
    "slc_to_dense_blocks": _slc_to_dense_blocks,
    "cliff_writes": _cliff_writes,
    "write_before_cliff_us": lambda r: _mean_us(r.windows[: r.cliff]),
    "write_after_cliff_us": lambda r: _mean_us(r.windows[r.cliff :]),
    "write_rise": _write_rise,
    "write_requests": lambda r: r.at("host", "write", "requests"),
}

#: Figures that schemes report under their own names, of those that plans and claims use.
_REPORTED = """
agc_moves_per_host_page dense_from_dense_bytes dense_from_disk_bytes dense_from_host_bytes
dense_from_slc_bytes fast_share gc_time_share host_bytes lifetime lifetime_dense lifetime_fast
model_optimum slc_from_dense_bytes slc_from_disk_bytes slc_from_slc_bytes
slc_pages_refreshed_by_erase_per_host_page waf_all waf_extra write_hit_rate
"""
NAMES = frozenset((*MEASURES, *_REPORTED.split()))


def value(name: str, document: Document) -> float | None:
    """Return a measure of a result; None where the run has no such figure, or a divisor is 0."""
    result = Result(document)
    try:
        return MEASURES[name](result) if name in MEASURES else result.figure(name)
    except (AbsentError, ZeroDivisionError):
        return None
