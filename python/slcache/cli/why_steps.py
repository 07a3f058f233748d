"""What single requests waited for, step by step, as `why` prints it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table
from slcache.words import kinds, units

if TYPE_CHECKING:
    from slcache.slow.answer import Answer
    from slcache.slow.steps import Step, Told

#: Steps of a request that are printed; JSON and CSV have all.
_STEPS = 12


def part_in_words(part: str) -> str:
    """Return a part such as `wait_gc` in words."""
    kind, _, name = part.partition("_")
    table = kinds.SERVICES if kind == "service" else kinds.WAITS
    return kinds.words(table, name.replace("_", "-"))


def time_of(ns: float) -> str:
    """Return a time given in ns, as in `1.25 ms`."""
    return units.duration(ns / 1e3)


def tables(found: Answer) -> Iterator[Table | str]:
    """Yield the steps of each request, or why they are not known."""
    for index, told in enumerate(found.told):
        number, arrival = int(found.slow.request[index]), int(found.slow.arrival_ns[index])
        latency = time_of(int(found.slow.latency_ns[index]))
        if told.untold:
            yield f"Request {number}, {latency}: {told.untold}."
        elif told.steps:
            yield _table(told, number, arrival, f"request {number}: {latency}")


def sheets(found: Answer) -> list[Sheet]:
    """Return the steps of all requests as a table for other programs, where there are any."""
    rows = [
        {"request": int(found.slow.request[index])} | _flat(step)
        for index, told in enumerate(found.told)
        for step in told.steps
    ]
    return [Sheet(rows)] if rows else []


def _flat(step: Step) -> dict[str, object]:
    each = step.to_dict()
    columns = ("what", "part", "at_ns", "ns", "operations", "kind", "cause", "plane", "block")
    requests = " ".join(map(str, step.requests))
    return {name: each.get(name) for name in columns} | {"requests": requests}


def _table(told: Told, request: int, arrival_ns: int, title: str) -> Table:
    parts = [f"{time_of(ns)} {part_in_words(part)}" for part, ns in (told.own_ns or {}).items()]
    caption = f"Its own operations: {', '.join(parts)}." if parts else ""
    table = Table("after", ["takes", Column("what", text=True)], title=title, caption=caption)
    shown, left = _longest(told.steps)
    for step in shown:
        after = "" if step.at_ns is None else time_of(step.at_ns - arrival_ns)
        table.add(after, time_of(step.ns), words(step, request))
    if left:
        table.add("", time_of(sum(step.ns for step in left)), f"{len(left)} other steps")
    return table


def _longest(steps: Sequence[Step]) -> tuple[list[Step], list[Step]]:
    """Return the steps to print, in their order, and the others."""
    kept = sorted(range(len(steps)), key=lambda place: -steps[place].ns)[:_STEPS]
    shown = [step for place, step in enumerate(steps) if place in kept]
    return shown, [step for place, step in enumerate(steps) if place not in kept]


def words(step: Step, request: int) -> str:
    """Return a step of a request in words."""
    if step.what == "other":
        return part_in_words(step.part)
    kind = "operation" if step.plane < 0 else step.kind
    counted = f"{step.operations} {kind}s" if step.operations > 1 else kind
    told = f"{counted} {_place(step)}"
    if step.what == "own":
        if step.requests == (request,):
            return f"its own {told}"
        return f"the {told}, shared with request {step.requests[0]}"
    before = "suspended by" if step.part == "wait_suspended" else "behind"
    article = "" if step.operations > 1 else "the "
    return f"{before} {article}{told} ({_why(step)})"


def _place(step: Step) -> str:
    if step.plane < 0:
        return "of the disk"
    block = "the map" if step.block < 0 else f"block {step.block}"
    return f"of {block} on plane {step.plane}"


def _why(step: Step) -> str:
    cause = "host" if step.cause == "host" else kinds.words(kinds.CAUSES, step.cause)
    count = len(step.requests)
    if not count:
        return cause
    whose = f"request {step.requests[0]}" if count == 1 else f"{count} requests"
    return whose if step.cause == "host" else f"{cause}, {whose}"
