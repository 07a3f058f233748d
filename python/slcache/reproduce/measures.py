"""The figures of a result that plans and claims use."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

from slcache.documents.normalise import BITS, densest, latency, slc_block_bytes, slc_bytes
from slcache.reproduce.readers import Document, Reader, at, figure, ops, over, ratio, scaled, table
from slcache.words.kinds import STORES

#: A window is behind the cliff when its mean write latency is so many times the first one's.
CLIFF = 2.0

#: The writes that papers show of a run.
FIRST_WRITES = 100_000


def write_latency(document: Document) -> list[tuple[float, float]]:
    """Return writes done so far and their mean latency in us, for every window with writes."""
    windows = _windows(document)
    done = itertools.accumulate(writes for writes, _ in windows)
    return [(float(d), ns / writes / 1000) for d, (writes, ns) in zip(done, windows, strict=True)]


def _windows(document: Document) -> list[tuple[int, int]]:
    """Return the writes of every window that has some, and the sum of their latencies."""
    columns = document["series"]["columns"]
    every = zip(columns["write_requests"], columns["write_latency_ns_sum"], strict=True)
    return [(writes, ns) for writes, ns in every if writes]


def cliff_writes(document: Document) -> float | None:
    """Return the writes done when their latency rises for the first time; None if it never does."""
    points = write_latency(document)
    rises = (writes for writes, us in points if us > CLIFF * points[0][1])
    return next(rises, None)


def mean_us(*, after: bool) -> Reader:
    """Return a reader of the mean write latency before the cliff, or from it on."""

    def read(document: Document) -> float | None:
        windows = _windows(document)
        first = windows[0][1] / windows[0][0] if windows else 0.0
        cliff = next(
            (i for i, (writes, ns) in enumerate(windows) if ns > CLIFF * first * writes), None
        )
        if cliff is None:
            return None
        return _mean_us(windows[cliff:] if after else windows[:cliff])

    return read


def rise(document: Document) -> float | None:
    """Return the least change from one quarter of the first writes to the next, as a part.

    Above zero the latency rises all the time, neither at once nor for a while.
    """
    quarters: list[list[tuple[int, int]]] = [[], [], [], []]
    done = 0
    for writes, ns in _windows(document):
        at = 4 * done // FIRST_WRITES
        if at > 3:
            break
        quarters[at].append((writes, ns))
        done += writes
    means = [_mean_us(quarter) for quarter in quarters if quarter]
    if len(means) < 4 or not all(means):
        return None
    return min(after / before - 1 for before, after in itertools.pairwise(means))


def _mean_us(windows: Sequence[tuple[int, int]]) -> float:
    return sum(ns for _, ns in windows) / sum(writes for writes, _ in windows) / 1000


CLIFFS: dict[str, Reader] = {
    "cliff_writes": cliff_writes,
    "write_before_cliff_us": mean_us(after=False),
    "write_after_cliff_us": mean_us(after=True),
    "write_rise": rise,
}


def state_share(*names: str) -> Reader:
    """Return a reader of the share of the run that the disk was in some states."""

    def read(document: Document) -> float | None:
        states = (document.get("disk") or {}).get("states", [])
        whole = sum(state["time_s"] for state in states)
        chosen = sum(state["time_s"] for state in states if state["state"] in names)
        return chosen / whole if whole else None

    return read


def disk_busy(document: Document) -> float | None:
    """Return the share of the time up to the last operation that the disk served some."""
    told, until_ns = document.get("disk"), document["flash"].get("ops_until_ns")
    if told is None or not until_ns:
        return None
    return float(sum(op["time_us"] for op in told["ops"]) * 1000 / until_ns)


def moved_in_flash(document: Document) -> float | None:
    """Return the share of the service time of flash and disk that moves take in flash alone.

    What leaves for the disk is written there at another cost: `gc_time_share` has both.
    """
    told = document.get("disk")
    if told is None:
        return None
    flash = document["flash"]["ops"]
    moved = sum(op["time_us"] for op in flash if op["cause"] in ("gc", "migration"))
    whole = sum(op["time_us"] for op in [*flash, *told["ops"]])
    return float(moved / whole) if whole else None


def miss_rate(document: Document) -> float | None:
    """Return the misses among the reads that reach the flash."""
    missed, dram = figure("miss_rate")(document), figure("dram_hit_rate")(document)
    return None if missed is None or dram is None or dram >= 1 else missed / (1 - dram)


def programmed(document: Document) -> float | None:
    """Return the bytes programmed in both regions."""
    slc, dense = figure("slc_bytes")(document), figure("dense_bytes")(document)
    return None if slc is None or dense is None else slc + dense


def capacity_bytes(document: Document) -> float | None:
    """Return what the two regions of a chip hold together."""
    scheme = document["config"]["scheme"].get("nvc")
    pool = document["config"]["device"]["pool"][0]
    slc = scheme and scheme["slc_blocks"]
    if slc is None:
        return None
    return float(slc_block_bytes(pool) * (slc + BITS[densest(pool)] * (pool["blocks"] - slc)))


def slc_to_dense_blocks(document: Document) -> float | None:
    """Return SLC blocks per dense block."""
    scheme = document["config"]["scheme"].get("nvc")
    blocks = document["config"]["device"]["pool"][0]["blocks"]
    slc = scheme and scheme["slc_blocks"]
    return float(slc / (blocks - slc)) if slc and slc < blocks else None


TIERS: dict[str, Reader] = {
    "disk_energy_j": at("disk", "energy_j"),
    "disk_power_w": at("disk", "mean_power_w"),
    "disk_spin_ups": at("disk", "spin_ups"),
    "disk_standby_share": state_share("standby"),
    "disk_busy_share": disk_busy,
    "flash_gc_time_share": moved_in_flash,
    "lifespan_bytes": at("lifespan", "own", "host_bytes"),
    "lifespan_full_chip_bytes": at("lifespan", "full_chip", "host_bytes"),
    "lifespan_tb": at("lifespan", "own", "host_bytes", per=1e12),
    "lifespan_full_chip_tb": at("lifespan", "full_chip", "host_bytes", per=1e12),
    "nvc_miss_rate": miss_rate,
    "programmed_bytes": programmed,
    "nvc_capacity_bytes": capacity_bytes,
    "slc_to_dense_blocks": slc_to_dense_blocks,
}


#: Causes of what is moved in the background.
_CLEANING, _RECLAIM = ("gc", "agc"), ("migration", "gc", "agc")
#: All pages programmed, and those of the host's own data; padding holds none.
_PAGES = ops("pages", *STORES, but=("pad",))
_HOST_PAGES = ops("pages", *STORES, causes=("host",))


def _latency(side: str, key: str, per: float) -> Reader:
    return scaled(lambda document: latency(document, side, key), per)


def _response_us(document: Document) -> float | None:
    """Return the mean latency of all reads and writes."""
    sides = [side for name in ("read", "write") if (side := document["host"][name])["requests"]]
    requests = sum(side["requests"] for side in sides)
    us = sum(side["requests"] * side["latency_us"]["mean"] for side in sides)
    return us / requests if requests else None


def _read_share(document: Document) -> float | None:
    """Return the share of the requests that are reads."""
    reads, writes = (document["host"][side]["requests"] for side in ("read", "write"))
    return reads / (reads + writes) if reads + writes else None


def _write_wait(cause: str) -> Reader:
    """Return a reader of the mean time a write waits for work of some cause."""

    def read(document: Document) -> float | None:
        host = document["host"]["write"]
        waits = host["attribution_us"]["wait"]
        return float(waits.get(cause, 0.0)) / host["requests"] if host["requests"] else None

    return read


def _balance_gap(document: Document) -> float | None:
    """Return (1 - f) + A - 2 (f - e) of in-place switch with AGC: 0 in a steady state."""
    names = ("fast_share", "agc_moves_per_host_page", "slc_pages_refreshed_by_erase_per_host_page")
    f, a, e = (figure(name)(document) for name in names)
    return None if f is None or a is None or e is None else (1 - f) + a - 2 * (f - e)


def _write_throughput(document: Document) -> float | None:
    """Return MB/s of host writes over the whole run."""
    host = document["host"]
    ns = host["duration_ns"]
    return 1000 * float(host["write"]["bytes"]) / ns if ns else None


def _spare_share(document: Document) -> float:
    """Return the part of the device's blocks that user data do not fill."""
    device = document["config"]["device"]
    pool = device["pool"][0]
    return 1 - float(device["user_bytes"] / (slc_bytes(pool) * BITS[densest(pool)]))


def _fast_gib(document: Document) -> float | None:
    """Return how much data the faster of two SSDs holds at the end."""
    capacity = slc_bytes(document["config"]["device"]["pool"][0])
    return over("utilisation", lambda values: float(values[-1] * capacity / 2**30))(document)


def _dense_gib(document: Document) -> float | None:
    """Return how much the other one holds, where all user data are valid."""
    fast = _fast_gib(document)
    user = float(document["config"]["device"]["user_bytes"] / 2**30)
    return None if fast is None else user - fast


def _large_write_share(document: Document) -> float | None:
    """Return the share of the trace's write requests of more than 512 KiB."""
    told = document.get("trace_info")
    if told is None or not told["writes"]:
        return None
    large = sum(b["writes"] for b in told["size_histogram"] if b["from_bytes"] > 512 * 1024)
    return float(large / told["writes"])


def _small_update_share(document: Document) -> float | None:
    """Return a share of the trace's statistics, which the evaluation puts beside a result."""
    told = document.get("trace_info")
    if told is None or not told["update_writes"]:
        return None
    return float(told["update_writes_up_to_4kib_share"])


def _l1_share_max(document: Document) -> float | None:
    """Return the largest share of L1, as the division has it or as its blocks have it."""
    division = over("l2_share", lambda values: 1 - min(values))(document)
    blocks = figure("l1_block_share_max")(document)
    return max((share for share in (division, blocks) if share is not None), default=None)


def _large_update_share(document: Document) -> float | None:
    share = _small_update_share(document)
    return None if share is None else 1 - share


def _extra_tables(document: Document) -> float:
    tables = document["scheme"]["tables"]
    return float(sum(t["bytes"] for t in tables if t["name"] != "page mapping table"))


#: Pages programmed per page that the host wrote.
_waf_pages = ratio(_PAGES, ops("pages", "program", "reprogram", causes=("host",)))


def _waf_vain(document: Document) -> float | None:
    """Return the same with AGC's moves only where they were in vain: the host wrote the data later.

    A scheme without AGC makes no such moves.
    """
    vain = figure("waf_extra")(document)
    return _waf_pages(document) if vain is None else vain


def _seconds(*causes: str, slc: bool | None = None) -> Reader:
    """Return a reader of the time spent on what some causes demand, or on host writes.

    What is neither migrated nor cleaned is a host write: its page, what is read to merge it, the
    room left empty in it.
    """
    but = () if causes else (*_RECLAIM, ("read", "host"))
    return scaled(ops("time_us", causes=causes, but=but, slc=slc), 1e6)


def _mean_step(values: list[float]) -> float:
    """Return how far a series moves from one value to the next, on average."""
    steps = [abs(after - before) for before, after in itertools.pairwise(values)]
    return statistics.fmean(steps) if steps else 0.0


def _late_us(values: list[float]) -> float:
    """Return the mean of nanoseconds over the later half of a run, in us."""
    return statistics.fmean(values[len(values) // 2 :]) / 1000


def _range(values: list[float]) -> float:
    return max(values) - min(values)


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
    "response_ms": scaled(_response_us, 1000),
    "lag_s": at("host", "backlog", "lag_ns", per=1e9),
    "backlog_requests": at("host", "backlog", "requests_max"),
    "read_request_share": _read_share,
    "balance_gap": _balance_gap,
    "waf": at("waf", "total"),
    "waf_pages": _waf_pages,
    "waf_vain": _waf_vain,
    "dense_write_share": ratio(ops("pages", *STORES, causes=("host",), slc=False), _HOST_PAGES),
    "slc_program_share": ratio(ops("pages", *STORES, causes=("host",), slc=True), _PAGES),
    "dense_program_share": ratio(ops("pages", *STORES, causes=("host",), slc=False), _PAGES),
    "moved_program_share": ratio(ops("pages", *STORES, causes=_RECLAIM), _PAGES),
    "blocks_per_plane": lambda document: float(document["config"]["device"]["pool"][0]["blocks"]),
    "erases": ops("count", "erase"),
    "slc_reads": ops("count", "read", causes=("host",), slc=True),
    "gc_reads": ops("count", "read", causes=("migration",)),
    "gc_reads_per_migrated_page": ratio(
        ops("count", "read", causes=("migration",)), ops("pages", "program", causes=("migration",))
    ),
    "migrated_bytes": ops("bytes", "program", causes=("migration",)),
    "q_table_bytes": table("Q-table", "bytes"),
    "smt_entries": table("sector mapping table", "entries"),
    "smt_bytes": table("sector mapping table", "bytes"),
    "extra_table_bytes": _extra_tables,
    "l1_share_max": _l1_share_max,
    "l2_share_range": over("l2_share", _range),
    "small_update_share": _small_update_share,
    "large_update_share": _large_update_share,
    "write_mb_per_s": _write_throughput,
    "whole_s": at("host", "duration_ns", per=1e9),
    "slc_write_s": _seconds(slc=True),
    "dense_write_s": _seconds(slc=False),
    "migration_s": _seconds("migration"),
    "dense_gc_s": _seconds(*_CLEANING, slc=False),
    "slc_gc_s": _seconds(*_CLEANING, slc=True),
    "gc_s": _seconds(*_CLEANING),
    "reclaim_s": _seconds(*_RECLAIM),
    "slc_blocks_mean": over("slc_blocks", statistics.fmean),
    "slc_blocks_change": over("slc_blocks", _mean_step),
    "theta_kib_mean": over("theta_bytes", lambda values: statistics.fmean(values) / 1024),
    "theta_at_512_kib": over("theta_bytes", lambda values: values.count(2.0**19) / len(values)),
    "measured_cost_us": over("measured_cost_ns", _late_us),
    "predicted_cost_us": over("predicted_cost_ns", _late_us),
    "utilisation_target_mean": over("utilisation_target", statistics.fmean),
    "utilisation_least": over("utilisation_target", min),
    "utilisation_range": over("utilisation_target", _range),
    "spare_share": _spare_share,
    "large_write_share": _large_write_share,
    "fast_gib": _fast_gib,
    "dense_gib": _dense_gib,
    **TIERS,
    **CLIFFS,
    "write_requests": at("host", "write", "requests"),
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
    """Return a measure of a result; None where the run has no such figure."""
    return MEASURES.get(name, figure(name))(document)
