"""Figures of merit read from result documents, and the same divided by a reference scheme's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]

#: A percentile that fewer requests than these lie beyond says little.
FEW_BEYOND = 10
#: Differences of at most this share count as equal wherever schemes are ranked.
TIE = 0.01


def latency(document: Document, side: str, key: str) -> float | None:
    """Return a latency in µs of `read` or `write`, or None where the trace has no such request."""
    host = document["host"][side]
    return float(host["latency_us"][key]) if host["requests"] else None


def is_thin(document: Document, side: str, key: str) -> bool:
    """Return whether few requests carry a percentile: fewer than ten took longer.

    Means, the least and the most are none, and older documents do not tell.
    """
    host = document["host"][side]
    beyond = host.get("requests_beyond", {}).get(key)
    return beyond is not None and bool(host["requests"]) and beyond < FEW_BEYOND


def waf(document: Document) -> float | None:
    """Return the write amplification, or None where the host wrote nothing."""
    total = document["waf"]["total"]
    return float(total) if total is not None and document["host"]["write"]["bytes"] else None


def cache_bytes(document: Document) -> int | None:
    """Return what the scheme's cache takes in SLC mode, or None in a document that does not say."""
    found = document.get("cache")
    return None if found is None else int(found["slc_bytes"])


def state(document: Document, key: str) -> float | None:
    """Return a figure of the state before the run; None in a document that does not say."""
    found = (document.get("state") or {}).get(key)
    return None if found is None else float(found)


def of_cache(document: Document, key: str) -> float | None:
    """Return what became of the SLC cache; None without one, or in an older document."""
    found: float | None = ((document.get("state") or {}).get("cache") or {}).get(key)
    return found


def cache_limit_bytes(document: Document) -> float | None:
    """Return what the SLC cache might take at time 0; in an older document, on an empty device."""
    found = of_cache(document, "limit_bytes")
    return cache_bytes(document) if found is None else found


def erases(document: Document) -> float:
    """Return the number of block erases."""
    return float(sum(op["count"] for op in document["flash"]["ops"] if op["kind"] == "erase"))


def flash_time(document: Document) -> float:
    """Return the time in µs that flash operations took, summed over all units."""
    return float(sum(op["time_us"] for op in document["flash"]["ops"]))


def iops(document: Document) -> float | None:
    """Return the reads and writes completed per second, or None where no time passed."""
    host = document["host"]
    return float(host["iops"]) if host["duration_ns"] else None


def bytes_per_s(document: Document) -> float | None:
    """Return the bytes read and written per second, or None where no time passed."""
    host = document["host"]
    return float(host["bytes"] * 1e9 / host["duration_ns"]) if host["duration_ns"] else None


def duration(document: Document) -> float | None:
    """Return the time in µs from 0 to the completion of the last request, or None without one."""
    ns = document["host"]["duration_ns"]
    return float(ns / 1e3) if ns else None


def utilisation(document: Document) -> float | None:
    """Return the share of the flash's time that operations took, up to the last of them.

    None where there was none, and of older documents, which do not tell when that was.
    """
    until_ns, units = document["flash"].get("ops_until_ns"), array_units(document.get("config", {}))
    return flash_time(document) * 1e3 / (until_ns * units) if until_ns and units else None


def array_units(config: Mapping[str, Any]) -> int | None:
    """Return how many array operations the flash can do at a time, where `config` tells."""
    try:
        units = sum(
            pool["channels"]
            * pool["chips"]
            * pool["dies"]
            * (1 if pool["plane_parallelism"] == "serial" else pool["planes"])
            for pool in config["device"]["pool"]
        )
    except (KeyError, TypeError):
        # A result's schema leaves the configuration open.
        return None
    return int(units) if units > 0 else None


def energy(document: Document) -> float | None:
    """Return the disk's energy in J, or None where there is no disk."""
    disk = document.get("disk")
    return None if disk is None else float(disk["energy_j"])


def miss_rate(document: Document) -> float | None:
    """Return the share of what the host read that came from the disk, or None without a disk."""
    value = document["scheme"]["figures"].get("miss_rate") if document.get("disk") else None
    return None if value is None else float(value)


def figures(document: Document) -> dict[str, float | None]:
    """Return the figures that `normalised` compares; a device with a disk has two more."""
    of_disk = {"energy": energy(document), "miss_rate": miss_rate(document)}
    return {
        "read_mean": latency(document, "read", "mean"),
        "read_p99": latency(document, "read", "p99"),
        "write_mean": latency(document, "write", "mean"),
        "write_p99": latency(document, "write", "p99"),
        "waf": waf(document),
        "flash_time": flash_time(document),
        "erases": erases(document),
        "iops": iops(document),
        "bytes_per_s": bytes_per_s(document),
        "utilisation": utilisation(document),
        "duration": duration(document),
        **(of_disk if document.get("disk") else {}),
    }


def ratio(value: float | None, reference: float | None) -> float | None:
    """Return value / reference, or None where that is not a number."""
    if value is None or not reference:
        return None
    return value / reference


def normalised(labels: Sequence[str], documents: Sequence[Document], to: str) -> dict[str, Any]:
    """Return every scheme's figures divided by those of the scheme labelled `to`."""
    table = dict(zip(labels, map(figures, documents), strict=True))
    reference = table[to]
    keys = list(dict.fromkeys(key for row in table.values() for key in row))
    return {
        "to": to,
        "schemes": {
            label: {key: ratio(row.get(key), reference.get(key)) for key in keys}
            for label, row in table.items()
        },
    }


def equal(a: float, b: float) -> bool:
    """Return whether two figures are equal within the tie margin."""
    return abs(a - b) <= TIE * max(abs(a), abs(b))


def looks_ahead(document: Document) -> bool:
    """Return whether the scheme knew its trace, as no device can."""
    return "oracle_bytes" in document["scheme"].get("figures", {})


def winners(values: Sequence[float | None], *, most: bool = False) -> set[int]:
    """Return the positions of the lowest figure, or of the highest, and of those equal to it.

    The set is empty where nobody wins: fewer than two figures, or all of them equal.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return set()
    best = max(known) if most else min(known)
    first = {i for i, value in enumerate(values) if value is not None and equal(value, best)}
    return set() if len(first) == len(known) else first


def attribution(document: Document, side: str) -> dict[str, float]:
    """Return the mean latency in µs of one side by component, `service ...` and `wait ...`."""
    host = document["host"][side]
    if not host["requests"]:
        return {}
    parts = host["attribution_us"]
    named = {f"service {key}": float(value) for key, value in parts["service"].items()}
    named |= {f"wait {key}": float(value) for key, value in parts["wait"].items()}
    total = sum(named.values())
    scale = float(host["latency_us"]["mean"]) / total if total else 0.0
    return {key: value * scale for key, value in named.items()}
