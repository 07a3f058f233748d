"""How long requests take, and how far a device falls behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Document = Mapping[str, Any]
Reader = Callable[[Document], float | None]


def latency(side: str, key: str, us_per_unit: int = 1) -> Reader:
    """Return a reader of a latency of reads or writes; None where there are none."""

    def read(document: Document) -> float | None:
        host = document["host"][side]
        return float(host["latency_us"][key]) / us_per_unit if host["requests"] else None

    return read


def mean(us_per_unit: int) -> Reader:
    """Return a reader of the mean latency of all reads and writes."""

    def read(document: Document) -> float | None:
        sides = [side for name in ("read", "write") if (side := document["host"][name])["requests"]]
        requests = sum(side["requests"] for side in sides)
        us = sum(side["requests"] * side["latency_us"]["mean"] for side in sides)
        return us / requests / us_per_unit if requests else None

    return read


def backlog(key: str, unit: float) -> Reader:
    """Return a reader of how far the device fell behind; None where requests wait for it."""

    def read(document: Document) -> float | None:
        told = document["host"]["backlog"]
        return None if told is None else told[key] / unit

    return read


def read_share(document: Document) -> float | None:
    """Return the share of the requests that are reads."""
    reads, writes = (document["host"][side]["requests"] for side in ("read", "write"))
    return reads / (reads + writes) if reads + writes else None
