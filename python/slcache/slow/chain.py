"""The chain of operations at whose end a request was complete, proved by the parts of its latency.

The table of operations says what ran when, not which operation waited for which. So each chain that
may be the one is walked, and what was at work while its operations waited is counted as the model
counts it. Only a chain whose counts are the log's parts, to the nanosecond, is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from slcache.slow.log import Numbers
from slcache.slow.occupied import Operations
from slcache.words import kinds

#: Chains that are tried for one request, and operations in front of one another in them.
_TRIES = 64
_DEPTH = 4
#: Service by flash and disk; that by link and buffer is of no operation.
SERVED = ("service_array", "service_transfer", "service_disk_positioning", "service_disk_transfer")
#: What a request may wait for when its operations are over.
_AFTER = ("wait_buffer", "wait_merge", "wait_fetch", "wait_flush")
#: What a unit that does nothing may wait for.
_IDLE = ("wait_channel", "wait_order", "wait_spin_up")


@dataclass(frozen=True)
class Request:
    """A request of the log; its parts add up to the time from its arrival to its completion."""

    number: int
    operation: str
    arrival_ns: int
    completion_ns: int
    parts_ns: dict[str, int]

    def part(self, name: str) -> int:
        """Return a part of the latency, 0 where there is none."""
        return self.parts_ns.get(name, 0)

    @property
    def finish_ns(self) -> int:
        """When all was done that it waited for but its way to the host."""
        finish_ns = self.completion_ns - self.part("service_buffer")
        if self.operation == "read":
            finish_ns -= self.part("service_link") + self.part("wait_link")
        return finish_ns


@dataclass(frozen=True)
class Piece:
    """A stretch of the chain: its own operation, or another one that was in the way."""

    #: The part of the log that it belongs to; empty of its own operations.
    part: str
    #: The operation, by its place in the table.
    row: int
    at_ns: int
    ns: int


@dataclass
class Chain:
    """Operations that waited for one another, and what their units did meanwhile."""

    #: Whose operations they are.
    request: int
    pieces: list[Piece] = field(default_factory=list)
    #: The unit did nothing: while the operation waited, while it was suspended.
    idle_ns: int = 0
    suspended_idle_ns: int = 0
    #: From the end of one to where the next one is queued.
    between_ns: int = 0
    #: When the last one ended.
    end_ns: int = 0

    def totals_ns(self) -> Counter[str]:
        """Return how long the pieces of each part take together."""
        found: Counter[str] = Counter()
        for piece in self.pieces:
            found[piece.part] += piece.ns
        return found

    def agrees(self, asked: Request) -> bool:
        """Whether a request that waited for this would have the parts that the log has."""
        totals_ns = self.totals_ns()
        for cause in kinds.CAUSES:
            named, logged = totals_ns[f"wait_{cause}"], asked.part(f"wait_{cause}")
            # What a flush makes durable is part of that wait, and of no chain.
            if named > logged or (named < logged and cause != "flush"):
                return False
        channel, suspended = self.inside_ns(asked).values()
        served = sum(map(asked.part, SERVED))
        return (
            totals_ns[""] == served + channel + suspended
            and 0 <= channel <= asked.part("wait_channel")
            and suspended >= 0
            and self.between_ns <= asked.part("wait_source")
            and (not self.pieces or asked.finish_ns - self.end_ns <= sum(map(asked.part, _AFTER)))
        )

    def inside_ns(self, asked: Request) -> dict[str, int]:
        """Return the waiting within its own operations: for data to cross, and for suspensions."""
        behind = self.totals_ns()["wait_suspended"] + self.suspended_idle_ns
        return {
            "wait_channel": sum(map(asked.part, _IDLE)) - self.idle_ns,
            "wait_suspended": asked.part("wait_suspended") - behind,
        }


def found(operations: Operations, asked: Request) -> Chain | None:
    """Return the chain at whose end the request was complete; None where none is proved.

    A request that had nothing done in flash or on the disk has a chain without operations.
    """
    empty = Chain(asked.number)
    if empty.agrees(asked):
        return empty
    finish_ns = asked.finish_ns
    ended = (operations.suspended == 0) & (operations.end_ns <= finish_ns)
    own = np.flatnonzero(ended & (operations.request == asked.number))
    now = own[operations.end_ns[own] == finish_ns]
    proved = _proved(operations, asked, own, now)
    if proved is not None:
        return proved
    # It may share a program with another request, or have waited for more than its operations.
    shared = [_walked(operations, [row]) for row in _shared(operations, asked.number, finish_ns)]
    earlier = _proved(operations, asked, own, own[operations.end_ns[own] < finish_ns])
    fitting = [chain for chain in shared if chain.agrees(asked)] + ([earlier] if earlier else [])
    # Of two that fit nothing says which it was.
    return fitting[0] if len(fitting) == 1 else None


def _proved(operations: Operations, asked: Request, own: Numbers, last: Numbers) -> Chain | None:
    """Return the chain of the request's own operations that ends with the latest of some."""
    if not len(last):
        return None
    latest = last[operations.end_ns[last] == operations.end_ns[last].max()]
    source_ns = asked.part("wait_source")
    # Of several that end together the model books the one last that the table has last.
    paths = (
        path for row in latest[::-1].tolist() for path in _before(operations, own, [row], source_ns)
    )
    chains = (_walked(operations, path) for path in islice(paths, _TRIES))
    return next((chain for chain in chains if chain.agrees(asked)), None)


def _before(
    operations: Operations, rows: Numbers, path: list[int], source_ns: int
) -> Iterator[list[int]]:
    """Yield a path, then what it is with operations in front that it may have waited for."""
    yield path
    if len(path) == _DEPTH:
        return
    queued_ns, ends = operations.queued_ns[path[0]], operations.end_ns[rows]
    before = ends[ends <= queued_ns]
    if len(before):
        near = (ends == before.max()) | (ends == queued_ns - source_ns)
        for row in rows[near][::-1].tolist():
            if row not in path:
                yield from _before(operations, rows, [row, *path], source_ns)


def _shared(operations: Operations, request: int, finish_ns: int) -> list[int]:
    """Return programs of other requests that end at a moment."""
    others = (operations.request >= 0) & (operations.request != request)
    stores = np.isin(operations.kind, kinds.STORES) & (operations.suspended == 0)
    rows: list[int] = np.flatnonzero(others & stores & (operations.end_ns == finish_ns)).tolist()
    return rows


def _walked(operations: Operations, path: list[int]) -> Chain:
    """Return a path with what its units did while its operations waited."""
    request = int(operations.request[path[-1]])
    # By command, since others may be taken along in it.
    rows = np.flatnonzero(operations.request == request)[::-1]
    own = dict(zip(operations.command[rows].tolist(), rows.tolist(), strict=True))
    chain = Chain(request)
    until_ns = int(operations.queued_ns[path[0]])
    for row in path:
        at_ns = int(operations.queued_ns[row])
        chain.between_ns += at_ns - until_ns
        stretches = np.flatnonzero(operations.operation == operations.operation[row])
        stretches = stretches[operations.queued_ns[stretches] == at_ns]
        for stretch in stretches.tolist():
            begin_ns, end_ns = int(operations.begin_ns[stretch]), int(operations.end_ns[stretch])
            paused = stretch != stretches[0]
            idle_ns = begin_ns - at_ns
            for piece in _busy(operations, stretch, at_ns, own, paused=paused):
                chain.pieces.append(piece)
                idle_ns -= piece.ns
            if paused:
                chain.suspended_idle_ns += idle_ns
            else:
                chain.idle_ns += idle_ns
            chain.pieces.append(Piece("", stretch, begin_ns, end_ns - begin_ns))
            at_ns = end_ns
        until_ns = at_ns
    chain.end_ns = until_ns
    return chain


def _busy(
    operations: Operations, row: int, from_ns: int, own: dict[int, int], *, paused: bool
) -> Iterator[Piece]:
    """Yield what the unit of an operation did from a moment until the operation began."""
    until_ns = int(operations.begin_ns[row])
    at_work = (operations.unit == operations.unit[row]) & (operations.leads == 1)
    meanwhile = (operations.begin_ns < until_ns) & (operations.end_ns > from_ns)
    others = np.flatnonzero(at_work & meanwhile)
    begins_ns = np.maximum(operations.begin_ns[others], from_ns)
    ns = np.minimum(operations.end_ns[others], until_ns) - begins_ns
    columns = (others, begins_ns, ns, operations.command[others], operations.cause[others])
    for other, at_ns, long_ns, command, named in zip(*(c.tolist() for c in columns), strict=True):
        mine = own.get(command)
        if mine is None or paused:
            cause = "suspended" if paused else named
            yield Piece(f"wait_{cause}", other, at_ns, long_ns)
        else:
            yield Piece("", mine, at_ns, long_ns)
