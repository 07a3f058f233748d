"""Figures read from a result document, by the names that plans and claims use."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Mapping
from typing import Any

from slcache.reproduce import cliffs, costs, responses, tiers
from slcache.words import kinds

Document = Mapping[str, Any]
Measure = Callable[[Document], float | None]


def _write_wait(cause: str) -> Measure:
    """Return a reader of the mean time a write waits for work of some cause."""

    def read(document: Document) -> float | None:
        host = document["host"]["write"]
        waits = host["attribution_us"]["wait"]
        return float(waits.get(cause, 0.0)) / host["requests"] if host["requests"] else None

    return read


def _balance_gap(document: Document) -> float | None:
    """Return (1 - f) + A - 2 (f - e) of in-place switch with AGC: 0 in a steady state."""
    names = (
        "fast_share",
        "agc_moves_per_host_page",
        "slc_pages_refreshed_by_erase_per_host_page",
    )
    f, a, e = (_figure(name)(document) for name in names)
    return None if f is None or a is None or e is None else (1 - f) + a - 2 * (f - e)


def _ops(kind: str, field: str, mode: str | None, causes: tuple[str, ...]) -> Measure:
    def read(document: Document) -> float:
        return float(
            sum(
                op[field]
                for op in document["flash"]["ops"]
                if op["kind"] == kind
                and (mode is None or op["mode"] == mode)
                and (not causes or op["cause"] in causes)
            )
        )

    return read


def _write_throughput(document: Document) -> float | None:
    """Return MB/s of host writes over the whole run."""
    host = document["host"]
    ns = host["duration_ns"]
    return 1000 * float(host["write"]["bytes"]) / ns if ns else None


def _changes(name: str) -> Measure:
    """Return a reader of how far a series moves from one value to the next, on average."""

    def mean(values: list[float]) -> float:
        steps = [abs(after - before) for before, after in itertools.pairwise(values)]
        return statistics.fmean(steps) if steps else 0.0

    return _over(name, mean)


def _at(name: str, wanted: float) -> Measure:
    """Return a reader of the share of a series at one value."""
    return _over(name, lambda values: sum(value == wanted for value in values) / len(values))


def _spare_share(document: Document) -> float:
    """Return the part of the device's blocks that user data do not fill."""
    device = document["config"]["device"]
    pool = device["pool"][0]
    units = pool["channels"] * pool["chips"] * pool["dies"] * pool["planes"]
    bits = max(i for i, mode in enumerate(("slc", "mlc", "tlc", "qlc"), 1) if pool.get(mode))
    raw = units * pool["blocks"] * pool["wordlines"] * bits * pool["page_bytes"]
    return 1 - float(device["user_bytes"] / raw)


def _fast_gib(document: Document) -> float | None:
    """Return how much data the faster of two SSDs holds at the end."""
    _, values = series(document, "utilisation")
    pool = document["config"]["device"]["pool"][0]
    units = pool["channels"] * pool["chips"] * pool["dies"] * pool["planes"]
    capacity = units * pool["blocks"] * pool["wordlines"] * pool["page_bytes"]
    return float(values[-1] * capacity / 2**30) if values else None


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


def _figure(name: str) -> Measure:
    def read(document: Document) -> float | None:
        value = document["scheme"]["figures"].get(name)
        return None if value is None else float(value)

    return read


def _table(name: str, field: str) -> Measure:
    def read(document: Document) -> float | None:
        tables = [t for t in document["scheme"]["tables"] if t["name"] == name]
        return float(tables[0][field]) if tables else None

    return read


def _extra_tables(document: Document) -> float:
    tables = document["scheme"]["tables"]
    return float(sum(t["bytes"] for t in tables if t["name"] != "page mapping table"))


def _waf(document: Document) -> float | None:
    total = document["waf"]["total"]
    return None if total is None else float(total)


def _waf_pages(document: Document) -> float | None:
    """Return pages programmed per page that the host wrote, padding left out."""
    host = _ops("program", "pages", None, ("host",))(document) or 0.0
    host += _ops("reprogram", "pages", None, ("host",))(document) or 0.0
    every = sum(
        op["pages"]
        for op in document["flash"]["ops"]
        if op["kind"] in kinds.STORES and op["cause"] != "pad"
    )
    return every / host if host else None


def _waf_vain(document: Document) -> float | None:
    """Return the same with AGC's moves only where they were in vain: the host wrote the data later.

    A scheme without AGC makes no such moves.
    """
    vain = _figure("waf_extra")(document)
    return _waf_pages(document) if vain is None else vain


def _reads_per_migrated_page(document: Document) -> float | None:
    """Return the flash reads of migration for each page that it programs."""
    pages = _ops("program", "pages", None, ("migration",))(document)
    reads = _ops("read", "count", None, ("migration",))(document)
    return None if reads is None or not pages else reads / pages


def _dense_share(document: Document) -> float | None:
    """Return the share of host pages that were programmed outside SLC mode."""
    host = [
        op
        for op in document["flash"]["ops"]
        if op["kind"] in kinds.STORES and op["cause"] == "host"
    ]
    pages = sum(op["pages"] for op in host)
    return sum(op["pages"] for op in host if op["mode"] != "slc") / pages if pages else None


def _program_share(causes: tuple[str, ...], *, slc: bool | None = None) -> Measure:
    """Return a reader of the share of all programmed pages, padding left out."""

    def read(document: Document) -> float | None:
        ops = [op for op in document["flash"]["ops"] if op["kind"] in kinds.STORES]
        every = sum(op["pages"] for op in ops if op["cause"] != "pad")
        chosen = sum(
            op["pages"]
            for op in ops
            if op["cause"] in causes and (slc is None or slc == (op["mode"] == "slc"))
        )
        return chosen / every if every else None

    return read


def _blocks_per_plane(document: Document) -> float:
    return float(document["config"]["device"]["pool"][0]["blocks"])


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


def _over(name: str, reduce: Callable[[list[float]], float]) -> Measure:
    def read(document: Document) -> float | None:
        _, values = series(document, name)
        return reduce(values) if values else None

    return read


def _late_us(values: list[float]) -> float:
    """Return the mean of nanoseconds over the later half of a run, in us."""
    return statistics.fmean(values[len(values) // 2 :]) / 1000


def _small_updates(*, over: bool) -> Measure:
    """Return a reader of the trace's statistics, which the evaluation puts beside a result."""

    def read(document: Document) -> float | None:
        statistics = document.get("trace_info")
        if statistics is None or not statistics["update_writes"]:
            return None
        share = float(statistics["update_writes_up_to_4kib_share"])
        return 1 - share if over else share

    return read


MEASURES: dict[str, Measure] = {
    **{
        f"{side}_{key}_us": responses.latency(side, key)
        for side in ("read", "write")
        for key in ("mean", "p50", "p99", "p99_9", "p99_99", "max")
    },
    **{
        f"write_wait_{cause}_us": _write_wait(cause)
        for cause in ("host", "migration", "gc", "agc", "pad", "rmw", "channel", "stage", "merge")
    },
    "response_us": responses.mean(1),
    "response_ms": responses.mean(1000),
    **{
        f"{side}_{key}_ms": responses.latency(side, key, 1000)
        for side in ("read", "write")
        for key in ("mean", "p50", "p99", "p99_9")
    },
    "lag_s": responses.backlog("lag_ns", 1e9),
    "backlog_requests": responses.backlog("requests_max", 1),
    "read_request_share": responses.read_share,
    "balance_gap": _balance_gap,
    "waf": _waf,
    "waf_pages": _waf_pages,
    "waf_vain": _waf_vain,
    "dense_write_share": _dense_share,
    "slc_program_share": _program_share(("host",), slc=True),
    "dense_program_share": _program_share(("host",), slc=False),
    "moved_program_share": _program_share(("migration", "agc", "gc")),
    "blocks_per_plane": _blocks_per_plane,
    "erases": _ops("erase", "count", None, ()),
    "slc_reads": _ops("read", "count", "slc", ("host",)),
    "slc_reads_all": _ops("read", "count", "slc", ()),
    "gc_reads": _ops("read", "count", None, ("migration",)),
    "gc_reads_per_migrated_page": _reads_per_migrated_page,
    "migrated_bytes": _ops("program", "bytes", None, ("migration",)),
    "host_program_pages": _ops("program", "pages", None, ("host",)),
    "q_table_bytes": _table("Q-table", "bytes"),
    "smt_entries": _table("sector mapping table", "entries"),
    "smt_bytes": _table("sector mapping table", "bytes"),
    "extra_table_bytes": _extra_tables,
    "l1_share_max": _over("l2_share", lambda values: 1 - min(values)),
    "l2_share_range": _over("l2_share", lambda values: max(values) - min(values)),
    "small_update_share": _small_updates(over=False),
    "large_update_share": _small_updates(over=True),
    "write_mb_per_s": _write_throughput,
    "whole_s": lambda document: float(document["host"]["duration_ns"]) / 1e9,
    "slc_write_s": costs.time("slc"),
    "dense_write_s": costs.time("dense"),
    "migration_s": costs.time("any", "migration"),
    "dense_gc_s": costs.time("dense", "gc", "agc"),
    "slc_gc_s": costs.time("slc", "gc", "agc"),
    "gc_s": costs.time("any", "gc", "agc"),
    "reclaim_s": costs.time("any", "migration", "gc", "agc"),
    "slc_blocks_mean": _over("slc_blocks", statistics.fmean),
    "slc_blocks_change": _changes("slc_blocks"),
    "theta_kib_mean": _over("theta_bytes", lambda values: statistics.fmean(values) / 1024),
    "theta_at_512_kib": _at("theta_bytes", 512 * 1024),
    "measured_cost_us": _over("measured_cost_ns", _late_us),
    "predicted_cost_us": _over("predicted_cost_ns", _late_us),
    "utilisation_target_mean": _over("utilisation_target", statistics.fmean),
    "utilisation_least": _over("utilisation_target", min),
    "utilisation_range": _over("utilisation_target", lambda values: max(values) - min(values)),
    "spare_share": _spare_share,
    "large_write_share": _large_write_share,
    "fast_gib": _fast_gib,
    "dense_gib": _dense_gib,
    **tiers.MEASURES,
    **cliffs.MEASURES,
    "write_requests": lambda document: float(document["host"]["write"]["requests"]),
}


def value(name: str, document: Document) -> float | None:
    """Return a measure of a result; None where the run has no such figure."""
    known = MEASURES.get(name)
    return known(document) if known else _figure(name)(document)
