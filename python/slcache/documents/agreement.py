"""Figures that a result document says twice: whoever edited one of them is told of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from slcache.documents import checks

#: A key, its value, and what it must be.
Disagreement = tuple[str, Any, str]
#: Percentiles of a latency in their order, with both ends.
_RISING = ("min", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
_SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999}
#: Kinds of requests that have latencies.
_TIMED = ("read", "write", "flush")
#: Sums of fractions agree to so much of themselves.
_NEAR = 1e-6


def check(document: Mapping[str, Any], place: str = "") -> None:
    """Raise ResultError for a run, or a comparison of some, whose figures contradict another."""
    if "runs" not in document:
        for key, value, needed in disagreements(document):
            raise checks.wrong(f"{place}{key}", f" = {checks.short(value)}: must be {needed}")
        return
    others = document.get("seeds", {}).get("others", [])
    for part, parts in (("runs", document["runs"]), ("seeds.others", others)):
        for number, each in enumerate(parts):
            check(each, f"{place}{part}[{number}].")


def disagreements(document: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield every figure of a document that its others contradict."""
    host = document["host"]
    yield from _of_counts(host)
    trace = document["trace"]
    requests = trace["reads"] + trace["writes"]
    yield from _same("trace.requests", trace["requests"], requests, "the sum of reads and writes")
    for kind in ("flush", "trim"):
        served, came = host[kind]["requests"], trace["flushes" if kind == "flush" else "trims"]
        if served > came:
            yield f"host.{kind}.requests", served, f"at most {came}, as many as the trace has"
    for kind in _TIMED:
        yield from _of_kind(f"host.{kind}", host[kind])
    yield from _of_waf(document["waf"])
    yield from _of_figures(document)
    for place, pool in enumerate(document["wear"]["pools"]):
        yield from _of_pool(f"wear.pools[{place}]", pool)
    yield from _of_series(document["series"]["columns"], host)


def _of_figures(document: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield the figures that stand elsewhere too, and are another number there."""
    host, waf = document["host"], document["waf"]["total"]
    told = {
        "waf": waf if host["write"]["bytes"] else None,
        "duration_ns": host["duration_ns"],
        "iops": host["iops"] if host["duration_ns"] else None,
        "slc_bytes": document["cache"]["slc_bytes"],
        "lifetime_host_bytes": document["wear"]["lifetime_host_bytes"],
        "erases": sum(op["count"] for op in document["flash"]["ops"] if op["kind"] == "erase"),
    }
    for side in ("read", "write"):
        for name, us in host[side]["latency_us"].items():
            told[f"{side}_{name}_ns"] = None if us is None else us * 1000
    for name, other in told.items():
        value = document["figures"].get(name, other)
        if (value is None) != (other is None):
            yield f"figures.{name}", value, f"{other}, as elsewhere in the document"
        elif value is not None and other is not None:
            yield from _same(f"figures.{name}", value, other, "as elsewhere in the document")


def _of_counts(host: Mapping[str, Any]) -> Iterator[Disagreement]:
    requests = host["read"]["requests"] + host["write"]["requests"]
    yield from _same("host.requests", host["requests"], requests, "the sum of reads and writes")
    moved = host["read"]["bytes"] + host["write"]["bytes"]
    yield from _same("host.bytes", host["bytes"], moved, "the sum of reads and writes")
    if host["duration_ns"]:
        rate = host["requests"] * 1e9 / host["duration_ns"]
        yield from _same("host.iops", host["iops"], rate, "requests by duration_ns")


def _of_kind(key: str, side: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield what contradicts itself in the latencies of a kind of request."""
    latency, requests = side["latency_us"], side["requests"]
    for name, beyond in side["requests_beyond"].items():
        if beyond > requests:
            yield f"{key}.requests_beyond.{name}", beyond, f"at most the {requests} requests"
    for name, value in latency.items():
        if (value is None) != (requests == 0):
            told = "a number where there are requests, else null"
            yield f"{key}.latency_us.{name}", value, told
            return
    if requests == 0:
        return
    rising = [name for name in _RISING if name in latency]
    for less, more in pairwise(rising):
        if latency[less] > latency[more]:
            yield f"{key}.latency_us.{more}", latency[more], f"at least {less}, {latency[less]}"
    if not latency["min"] <= latency["mean"] <= latency["max"]:
        yield f"{key}.latency_us.mean", latency["mean"], "from min to max"
    yield from _of_distribution(key, latency, side.get("cdf", []))
    parts = side.get("attribution_us")
    if parts is not None:
        whole = math.fsum([*parts["service"].values(), *parts["wait"].values()])
        yield from _same(f"{key}.attribution_us.total", parts["total"], whole, "its parts' sum")
        mean, told = parts["total"] / requests, "the attribution's total by requests"
        yield from _same(f"{key}.latency_us.mean", latency["mean"], mean, told)


def _of_distribution(
    key: str, latency: Mapping[str, Any], cdf: Sequence[tuple[float, float]]
) -> Iterator[Disagreement]:
    """Yield the percentiles that do not lie where the distribution has their share."""
    for name, share in _SHARES.items():
        reached = [us for us, part in cdf if part >= share]
        before = [us for us, part in cdf if part < share]
        if reached and name in latency:
            low, high = max(before, default=0), min(reached)
            if not low - _NEAR <= latency[name] <= high + _NEAR:
                told = f"between {low} and {high}, as in {key}.cdf"
                yield f"{key}.latency_us.{name}", latency[name], told


def _of_waf(waf: Mapping[str, Any]) -> Iterator[Disagreement]:
    if waf["total"] is None:
        return
    for name in ("by_cause", "by_mode"):
        told = math.fsum(waf[name].values())
        yield from _same("waf.total", waf["total"], told, f"the sum of waf.{name}")


def _of_pool(key: str, pool: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yield what contradicts the histogram of a pool's erases."""
    rows = pool["histogram"]
    blocks, erases = sum(n for _, n in rows), sum(times * n for times, n in rows)
    yield from _same(f"{key}.blocks", pool["blocks"], blocks, "those of the histogram")
    yield from _same(f"{key}.erases", pool["erases"], erases, "those of the histogram")
    for name, found in (("min", min), ("max", max)):
        if rows:
            told = found(times for times, _ in rows)
            yield from _same(f"{key}.{name}", pool[name], told, "that of the histogram")
    if blocks:
        yield from _same(f"{key}.mean", pool["mean"], erases / blocks, "erases by blocks")


def _of_series(columns: Mapping[str, Any], host: Mapping[str, Any]) -> Iterator[Disagreement]:
    for kind in ("read", "write"):
        column = columns.get(f"{kind}_requests")
        if column:
            key = f"series.columns.{kind}_requests"
            told = f"the requests of host.{kind}"
            yield from _same(f"the sum of {key}", sum(column), host[kind]["requests"], told)
        longest = [ns for ns in columns.get(f"{kind}_latency_ns_max", ()) if ns is not None]
        if longest:
            key, most = f"host.{kind}.latency_us.max", host[kind]["latency_us"]["max"]
            yield from _same(key, most, max(longest) / 1000, "the longest of the series")


def _same(key: str, value: float, other: float, told: str) -> Iterator[Disagreement]:
    if not math.isclose(value, other, rel_tol=_NEAR, abs_tol=_NEAR):
        yield key, value, f"{other:.12g}, {told}"
