"""Where the time of a run goes: host writes, migration and cleaning, by cell mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Document = Mapping[str, Any]


def time(modes: str, *causes: str) -> Callable[[Document], float]:
    """Return a reader of the seconds spent on host writes, or on what some causes demand.

    `modes` is "slc", "dense" or "any". What is neither migrated nor cleaned is a host write: its
    page, what is read to merge it, the room left empty in it.
    """

    def read(document: Document) -> float:
        chosen = (op for op in document["flash"]["ops"] if _within(op, modes))
        return sum(float(op["time_us"]) for op in chosen if _wanted(op, causes)) / 1e6

    return read


def _within(op: Mapping[str, Any], modes: str) -> bool:
    return modes == "any" or (op["mode"] == "slc") == (modes == "slc")


def _wanted(op: Mapping[str, Any], causes: tuple[str, ...]) -> bool:
    if causes:
        return op["cause"] in causes
    host_read = op["kind"] == "read" and op["cause"] == "host"
    return not host_read and op["cause"] not in ("migration", "gc", "agc")
