"""Figures of merit read from result documents, and the same divided by a reference scheme's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slcache import metrics

Document = Mapping[str, Any]

#: A percentile that fewer requests than these lie beyond says little.
FEW_BEYOND = 10
#: Differences of at most this share count as equal wherever schemes are ranked.
TIE = 0.01
#: What `normalised` compares, and what it has of a disk beside that.
COMPARED = (
    "read_mean_ns",
    "read_p99_ns",
    "write_mean_ns",
    "write_p99_ns",
    "waf",
    "flash_time_ns",
    "erases",
    "iops",
    "bytes_per_s",
    "utilisation",
    "duration_ns",
)
OF_DISK = ("energy_j", "miss_rate")


def latency(document: Document, side: str, key: str) -> float | None:
    """Return a latency in µs of `read` or `write`, or None where the trace has no such request."""
    found: float | None = document["host"][side]["latency_us"][key]
    return found


def is_thin(document: Document, metric: str) -> bool:
    """Return whether few requests carry a percentile: fewer than ten took longer.

    Means, the most and what is no latency are none.
    """
    side, _, key = metric.removesuffix("_ns").partition("_")
    host = document["host"][side] if side in ("read", "write") else {}
    beyond = host["requests_beyond"].get(key) if host else None
    return beyond is not None and bool(host["requests"]) and beyond < FEW_BEYOND


def figures(document: Document) -> dict[str, float | None]:
    """Return the figures that `normalised` compares; a device with a disk has two more."""
    names = COMPARED + OF_DISK if document.get("disk") else COMPARED
    return {metrics.short(name): document["figures"][name] for name in names}


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
    figures, parts = document["figures"], document["host"][side]["attribution_us"]
    told = {
        f"{kind} {name}": figures[f"{side}_{kind}_{name.replace('-', '_')}_ns"]
        for kind in ("service", "wait")
        for name in parts[kind]
    }
    return {name: ns / 1000 for name, ns in told.items() if ns is not None}
