"""Figures of merit read from result documents, and the same divided by a reference scheme's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]

#: Differences of at most this share count as equal wherever schemes are ranked.
TIE = 0.01


def latency(document: Document, side: str, key: str) -> float | None:
    """Return a latency in µs of `read` or `write`, or None where the trace has no such request."""
    host = document["host"][side]
    return float(host["latency_us"][key]) if host["requests"] else None


def waf(document: Document) -> float | None:
    """Return the write amplification, or None where the host wrote nothing."""
    total = document["waf"]["total"]
    return float(total) if total is not None and document["host"]["write"]["bytes"] else None


def cache_bytes(document: Document) -> int | None:
    """Return what the scheme's cache takes in SLC mode, or None in a document that does not say."""
    found = document.get("cache")
    return None if found is None else int(found["slc_bytes"])


def erases(document: Document) -> float:
    """Return the number of block erases."""
    return float(sum(op["count"] for op in document["flash"]["ops"] if op["kind"] == "erase"))


def flash_time(document: Document) -> float:
    """Return the time in µs that flash operations took, summed over all units."""
    return float(sum(op["time_us"] for op in document["flash"]["ops"]))


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


def winners(values: Sequence[float | None]) -> set[int]:
    """Return the positions of the lowest figure and of those equal to it.

    The set is empty where nobody wins: fewer than two figures, or all of them equal.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return set()
    best = min(known)
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
