"""What a request waited for, step by step: a step is operations of one block, or of none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np

from slcache.slow import occupied
from slcache.slow.chain import SERVED, Chain, Piece, Request, found
from slcache.slow.log import Log
from slcache.slow.occupied import Operations, Table


@dataclass(frozen=True)
class Step:
    """Operations of one block that were in the way of a request, or its own; or another part."""

    #: The request's own operation, one in its way, or waiting that no operation stands for.
    what: Literal["own", "behind", "other"]
    #: The part of the log that it belongs to; empty of its own operations, which have several.
    part: str
    ns: int
    #: When it began, ns; none of what no operation stands for.
    at_ns: int | None = None
    operations: int = 0
    kind: str = ""
    cause: str = ""
    #: -1: of the disk, of the map.
    plane: int = -1
    block: int = -1
    #: The requests whose operations they are.
    requests: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        if self.what == "other":
            return {"what": self.what, "part": self.part, "ns": self.ns}
        places = {"plane": self.plane, "block": self.block}
        place = {name: None if at < 0 else at for name, at in places.items()}
        part = {"part": self.part} if self.part else {}
        told = ("at_ns", "ns", "operations", "kind", "cause")
        facts = {name: getattr(self, name) for name in told}
        return {"what": self.what, **part, **facts, **place, "requests": list(self.requests)}


@dataclass(frozen=True)
class Told:
    """The steps of a request, which add up to its latency; or why there are none."""

    steps: tuple[Step, ...] = ()
    #: What its own operations' time is, by parts of the log.
    own_ns: dict[str, int] | None = None
    untold: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        if self.untold:
            return {"untold": self.untold}
        return {"steps": [step.to_dict() for step in self.steps], "own_ns": self.own_ns}


def told(slow: Log, table: Table, log: Log) -> list[Told]:
    """Return the steps of each of some requests, from the operations of the run.

    ResultError where operations are not of the requests that the whole log has: both files may
    have one configuration and two traces.
    """
    return [_told(_request(slow, index), table, log) for index in range(len(slow))]


def _request(log: Log, index: int) -> Request:
    parts = dict(zip(log.parts, log.parts_ns[index].tolist(), strict=True))
    return Request(
        int(log.request[index]),
        str(log.operation[index]),
        int(log.arrival_ns[index]),
        int(log.completion_ns[index]),
        {name: ns for name, ns in parts.items() if ns},
    )


def _told(asked: Request, table: Table, log: Log) -> Told:
    operations = table.between(asked.arrival_ns, asked.completion_ns)
    _check(operations, table, log)
    chain = found(operations, asked)
    if chain is None:
        return Told(untold=_missing(asked, table))
    inside = chain.inside_ns(asked) if chain.pieces else {}
    served = {name: ns for name, ns in asked.parts_ns.items() if name in SERVED}
    own_ns = {name: ns for name, ns in {**served, **inside}.items() if ns}
    steps = [*_merged(operations, chain), *_others(asked, chain, own_ns)]
    return Told(tuple(steps), own_ns)


def _check(operations: Operations, table: Table, log: Log) -> None:
    numbers = operations.request[operations.request >= 0]
    places = np.searchsorted(log.request, numbers).clip(max=len(log) - 1)
    early = operations.queued_ns[operations.request >= 0] < log.arrival_ns[places]
    wrong = np.flatnonzero(early | (log.request[places] != numbers))
    if len(wrong):
        told = f"request {numbers[wrong[0]]} has operations in the one before it is in the other"
        raise occupied.of_two_runs(table.path, log.path, told)


def _missing(asked: Request, table: Table) -> str:
    """Return why the operations of a table do not tell what a request waited for."""
    from_ns, until_ns = table.covered_ns()
    if from_ns <= asked.arrival_ns and asked.completion_ns <= until_ns:
        return f"{table.path} does not say which operation was the last that it waited for"
    return (
        f"{table.path} has the operations from {from_ns:,} to {until_ns:,} ns; the request was "
        f"under way from {asked.arrival_ns:,} to {asked.completion_ns:,} ns, which "
        f"--around request={asked.number} covers"
    )


def _merged(operations: Operations, chain: Chain) -> Iterator[Step]:
    """Yield the pieces of a chain, those of one block that lie behind one another as one.

    Reads and programs of moves alternate: while the part stays the same, each block has one step.
    """
    pieces = sorted(chain.pieces, key=lambda piece: piece.at_ns)
    rows = [piece.row for piece in pieces]
    columns = (operations.kind, operations.cause, operations.plane, operations.block)
    blocks = zip(*(column[rows].tolist() for column in columns), strict=True)
    behind = zip(pieces, blocks, strict=True)
    for _, run in groupby(behind, key=lambda each: each[0].part):
        by_block: dict[tuple[Any, ...], list[Piece]] = {}
        for piece, block in run:
            by_block.setdefault(block, []).append(piece)
        for block, together in by_block.items():
            yield _step(operations, block, together)


def _step(operations: Operations, block: tuple[Any, ...], pieces: Sequence[Piece]) -> Step:
    first = pieces[0]
    kind, cause, plane, number = block
    requests = {*operations.request[[piece.row for piece in pieces]].tolist()}
    return Step(
        what="behind" if first.part else "own",
        part=first.part,
        ns=sum(piece.ns for piece in pieces),
        at_ns=first.at_ns,
        operations=len(pieces),
        kind=kind,
        cause=cause,
        plane=plane,
        block=number,
        requests=tuple(sorted(each for each in requests if each >= 0)),
    )


def _others(asked: Request, chain: Chain, own_ns: dict[str, int]) -> Sequence[Step]:
    """Return the parts of the latency, or what is left of them, that no operation stands for."""
    chained_ns = chain.totals_ns()
    left = {
        name: ns - own_ns.get(name, 0) - chained_ns[name] for name, ns in asked.parts_ns.items()
    }
    ordered = sorted(left.items(), key=lambda part: -part[1])
    return [Step("other", name, ns) for name, ns in ordered if ns]
