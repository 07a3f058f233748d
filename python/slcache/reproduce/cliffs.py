"""Measures of the write latency during a run: before and after a cliff, and how it rises."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from slcache.reproduce.readers import Document, Reader

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


MEASURES: dict[str, Reader] = {
    "cliff_writes": cliff_writes,
    "write_before_cliff_us": mean_us(after=False),
    "write_after_cliff_us": mean_us(after=True),
    "write_rise": rise,
}
