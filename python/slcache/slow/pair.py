"""Two runs of one trace: which requests were slow in one and not in the other, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from slcache.errors import UsageError, about
from slcache.slow.answer import Chosen, Group, Incident, groups, incidents, why
from slcache.slow.log import Log, total


@dataclass(frozen=True)
class Moved:
    """Requests that took long in one run alone; each is told of by the run it was slow in."""

    first: Log
    second: Log
    above_ns: int
    slow_in_both: int
    #: What was slow in the first run alone, and in the second alone.
    faster: tuple[list[Group], list[Incident]]
    slower: tuple[list[Group], list[Incident]]
    #: What the second mean is above the first, ns, by part; the parts add up to it.
    mean_ns: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain data, times in ns."""
        return {
            "files": [self.first.path, self.second.path],
            "schemes": [self.first.scheme, self.second.scheme],
            "requests": len(self.first),
            "above_ns": self.above_ns,
            "slow_in_both": self.slow_in_both,
            "faster_in_second": _plain(*self.faster),
            "slower_in_second": _plain(*self.slower),
            "mean_ns": self.mean_ns,
        }


def _plain(found: list[Group], times: list[Incident]) -> dict[str, Any]:
    return {"groups": [*map(vars, found)], "incidents": [*map(vars, times)]}


def moved(first: Log, second: Log, chosen: Chosen) -> Moved:
    """Return what was slow in one of two runs; UsageError where they are not of one trace.

    What is slow in both runs is what the choice says of the first one.
    """
    if chosen.request is not None or chosen.slowest is not None:
        name = "request" if chosen.request is not None else "slowest"
        raise about(UsageError(f"{name} is of one log; two are compared"), name)
    above = why(first, chosen).above_ns
    if chosen.operation is not None:
        first = first.only(first.operation == chosen.operation)
        second = second.only(second.operation == chosen.operation)
    _same(first, second)
    was, now = first.latency_ns >= above, second.latency_ns >= above
    gone, come = first.only(was & ~now), second.only(now & ~was)
    return Moved(
        first,
        second,
        above,
        int((was & now).sum()),
        (groups(gone), incidents(gone)),
        (groups(come), incidents(come)),
        _difference(first, second),
    )


def _same(first: Log, second: Log) -> None:
    same = len(first) == len(second) and all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("request", "operation", "sectors")
    )
    if not same:
        told = f"{first.path} and {second.path} have other requests: must be runs of one trace"
        raise about(UsageError(told), "log")


def _difference(first: Log, second: Log) -> dict[str, float]:
    """Return by part what the second mean is above the first, the largest difference first."""
    totals: dict[str, int] = {}
    for log, sign in ((first, -1), (second, 1)):
        for name, column in zip(log.parts, log.parts_ns.T, strict=True):
            totals[name] = totals.get(name, 0) + sign * total(column)
    ordered = sorted(totals.items(), key=lambda part: -abs(part[1]))
    return {name: ns / len(first) for name, ns in ordered if ns}
