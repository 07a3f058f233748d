"""Which operations of several runs a page shows, side by side: as many as it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slcache.documents.pools import planes
from slcache.slow.log import Numbers
from slcache.slow.operations import Operations

#: The most operations of a run that a page shows.
MOST = 4000


@dataclass(frozen=True)
class Shown:
    """The operations of a run that are shown, by plane and by their beginning."""

    operations: Operations
    #: Their places in the table.
    rows: Numbers
    #: The moment of the run that stands at 0 of the axis, and what the axis covers, ns.
    zero_ns: int
    span_ns: int

    @property
    def planes(self) -> list[int]:
        """The planes that do anything here, in their order; -1 is the disk."""
        found: list[int] = np.unique(self.operations.plane[self.rows]).tolist()
        return found


def chosen(runs: Sequence[Operations], most: int = MOST) -> list[Shown]:
    """Return what is shown of each run: one length of time for all, `most` operations at most.

    It is the middle of what the tables have. Where they overlap in time it is one stretch of it;
    else each run has a stretch of its own, as around each scheme's slowest request.
    """
    begins = [int(run.begin_ns.min()) for run in runs]
    ends = [int(run.end_ns.max()) for run in runs]
    together = max(begins) < min(ends)
    if together:
        middles = [(max(begins) + min(ends)) // 2] * len(runs)
        begins, ends = [min(begins)] * len(runs), [max(ends)] * len(runs)
    else:
        middles = [(begin + end) // 2 for begin, end in zip(begins, ends, strict=True)]
    half_ns = min(_half_ns(run, at, most) for run, at in zip(runs, middles, strict=True))
    # No further than anything happens.
    before = max(min(half_ns, at - begin) for at, begin in zip(middles, begins, strict=True))
    behind = max(min(half_ns, end - at) for at, end in zip(middles, ends, strict=True))
    return [
        Shown(run, _rows(run, at - before, at + behind, most), at - before, before + behind)
        for run, at in zip(runs, middles, strict=True)
    ]


def _half_ns(run: Operations, middle_ns: int, most: int) -> int:
    """Return how far from a moment one may go and meet at most so many operations."""
    if len(run) <= most:
        return int(np.iinfo(np.int64).max)
    away = np.maximum(np.maximum(run.begin_ns - middle_ns, middle_ns - run.end_ns), 0)
    return max(int(np.partition(away, most)[most]) - 1, 0)


def _rows(run: Operations, begin_ns: int, end_ns: int, most: int) -> Numbers:
    rows = np.flatnonzero((run.end_ns >= begin_ns) & (run.begin_ns <= end_ns))
    return rows[np.lexsort((run.begin_ns[rows], run.plane[rows]))][:most]


def busy_ns(run: Operations) -> dict[str, int]:
    """Return the time that planes, and the disk, worked on each cause, over the whole table."""
    spent = (run.end_ns - run.begin_ns).astype(np.int64)
    sums = np.zeros(len(run.cause.names), np.int64)
    np.add.at(sums, run.cause.places, spent)
    return dict(zip(run.cause.names, sums.tolist(), strict=True))


def busy_share(run: Operations) -> float | None:
    """Return the share of the flash's time that planes worked, as results tell it.

    Idle planes count, and the disk does not. None where the configuration does not tell how many
    operations the flash can do at a time.
    """
    count = _array_units(run.config)
    on_planes = run.plane >= 0
    spent = int((run.end_ns - run.begin_ns)[on_planes].sum())
    span = int(run.end_ns.max() - run.begin_ns.min())
    return spent / max(span * count, 1) if count else None


def _array_units(config: Mapping[str, Any]) -> int | None:
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
        return None
    return int(units) if units > 0 else None


def place(config: Mapping[str, Any], plane: int) -> tuple[str, str]:
    """Return what a plane is called: its die with the channel, and its place in the die."""
    if plane < 0:
        return "disk", ""
    pools = config["device"]["pool"]
    channel, first = 0, 0
    for pool in pools:
        if plane < first + planes(pool):
            break
        channel, first = channel + pool["channels"], first + planes(pool)
    within = plane - first
    channel += within // (pool["chips"] * pool["dies"] * pool["planes"])
    name = f"{pool['name']} " if len(pools) > 1 else ""
    return f"channel {channel}, {name}die {within // pool['planes']}", (
        f"plane {within % pool['planes']}"
    )
