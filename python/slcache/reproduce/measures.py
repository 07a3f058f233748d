"""Figures read from a result document, by the names that plans and claims use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Document = Mapping[str, Any]
Measure = Callable[[Document], float | None]


def _latency(side: str, key: str) -> Measure:
    def read(document: Document) -> float | None:
        host = document["host"][side]
        return float(host["latency_us"][key]) if host["requests"] else None

    return read


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
        if op["kind"] in ("program", "reprogram") and op["cause"] != "pad"
    )
    return every / host if host else None


def _dense_share(document: Document) -> float | None:
    """Return the share of host pages that were programmed outside SLC mode."""
    host = [
        op
        for op in document["flash"]["ops"]
        if op["kind"] in ("program", "reprogram") and op["cause"] == "host"
    ]
    pages = sum(op["pages"] for op in host)
    return sum(op["pages"] for op in host if op["mode"] != "slc") / pages if pages else None


def series(document: Document, name: str) -> tuple[int, list[float]]:
    """Return a scheme's values over its write requests, and how many lie between two of them."""
    for entry in document["scheme"]["series"]:
        if entry["name"] == name:
            return int(entry["writes_per_value"]), [float(value) for value in entry["values"]]
    return 1, []


def _over(name: str, reduce: Callable[[list[float]], float]) -> Measure:
    def read(document: Document) -> float | None:
        _, values = series(document, name)
        return reduce(values) if values else None

    return read


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
        f"{side}_{key}_us": _latency(side, key)
        for side in ("read", "write")
        for key in ("mean", "p50", "p99", "p99_9", "p99_99", "max")
    },
    "waf": _waf,
    "waf_pages": _waf_pages,
    "dense_write_share": _dense_share,
    "erases": _ops("erase", "count", None, ()),
    "slc_reads": _ops("read", "count", "slc", ("host",)),
    "slc_reads_all": _ops("read", "count", "slc", ()),
    "gc_reads": _ops("read", "count", None, ("migration",)),
    "migrated_bytes": _ops("program", "bytes", None, ("migration",)),
    "host_program_pages": _ops("program", "pages", None, ("host",)),
    "smt_entries": _table("sector mapping table", "entries"),
    "smt_bytes": _table("sector mapping table", "bytes"),
    "extra_table_bytes": _extra_tables,
    "l1_share_max": _over("l2_share", lambda values: 1 - min(values)),
    "l2_share_range": _over("l2_share", lambda values: max(values) - min(values)),
    "small_update_share": _small_updates(over=False),
    "large_update_share": _small_updates(over=True),
    "write_requests": lambda document: float(document["host"]["write"]["requests"]),
}


def value(name: str, document: Document) -> float | None:
    """Return a measure of a result; None where the run has no such figure."""
    known = MEASURES.get(name)
    return known(document) if known else _figure(name)(document)
