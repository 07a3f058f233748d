"""The answer of a search for a size in words, and of any search by the same name."""

from __future__ import annotations

from collections.abc import Iterator

from slcache.design import wording as region
from slcache.design.outcome import Design
from slcache.design.sized import Size, Sized
from slcache.sentences import wording as words
from slcache.study import wording
from slcache.tune.goals import Bound

#: What may be better than the answer.
_BEYOND = {"smallest": "a smaller one", "largest": "a larger one"}


def sentences(found: Design | Sized) -> list[str]:
    """Return what was found, what stands beside it and what weakens it, whichever search it was."""
    if isinstance(found, Design):
        return region.sentences(found)
    answer = _none(found) if found.chosen is None else _chosen(found, found.chosen)
    return [*answer, *_failed(found), *_weak(found)]


def left_out(found: Sized) -> Iterator[str]:
    """Yield which sizes are refused, with the reason."""
    for each in found.stretches:
        alone = each.count == 1
        sizes = f"{each.first} is" if alone else f"{each.first} to {each.last} are"
        yield f"{found.plan.key} = {sizes} left out: {each.reason}"


def bound(one: Bound) -> str:
    """Return a bound with its value in a unit."""
    return f"{one.side}{wording.figure(one.metric, one.value)}"


def _chosen(found: Sized, chosen: Size) -> Iterator[str]:
    key, find = found.plan.key, found.plan.find
    told = f"{size(chosen)}: {found.line(chosen)}"
    yield f"The {find} {key} that keeps {_asked(found)} is {told}."
    if found.neighbours:
        beside = "; ".join(
            f"{size(p)}: {found.line(p)}{'' if found.meets(p) else f' ({_missed(found, p)})'}"
            for p in found.neighbours
        )
        yield f"Beside it: {beside}."
    end = found.candidates[0 if find == "smallest" else -1]
    if chosen.size == end and len(found.candidates) > 1:
        other = "largest" if find == "smallest" else "smallest"
        yield (
            f"It is the {find} of all that can be: beyond the range there may be better ones. "
            f"Where the bounds set the other end, ask for the {other}."
        )


def _none(found: Sized) -> Iterator[str]:
    first, last = found.points[0], found.points[-1]
    ends = f"{size(first)}: {found.line(first)}; {size(last)}: {found.line(last)}"
    yield f"No {found.plan.key} that was tried keeps {_asked(found)}. At both ends: {ends}."
    nearest = found.nearest
    yield f"The nearest is {size(nearest)}: {found.line(nearest)}; {_missed(found, nearest)}."


def _missed(found: Sized, point: Size) -> str:
    """Return which bounds a point breaks, and by how much."""
    if point.found.status != "done":
        return "it did not run"
    shares = {bound(each): each.broken(point.found.figures) for each in found.plan.goals.bounds}
    return "; ".join(
        f"{name} is missed by {100 * by:.3g} %" for name, by in shares.items() if by > 0
    )


def _failed(found: Sized) -> Iterator[str]:
    """Yield the sizes that met no bound because they did not run."""
    for point in found.points:
        if point.found.status != "done":
            yield f"{found.plan.key} = {size(point)} {point.found.status}: {point.found.reason}"


def _weak(found: Sized) -> Iterator[str]:
    """Yield what speaks against the answer: bisection is sure of what only rises or falls."""
    turning = [name for name in found.plan.metrics if found.turns(name)]
    for name in turning:
        where = words.listed([wording.setting(each) for each in found.turns(name)])
        yield f"{name} is not monotone in {found.plan.key}: it turns at {where}."
    gaps = len(found.candidates) - len(found.points)
    if turning and gaps:
        tried = f"{len(found.points):,} of {len(found.candidates):,} sizes were tried"
        which = "one" if found.chosen is None else _BEYOND[found.plan.find]
        yield f"{tried}: among the others there may be {which} that does."


def size(point: Size) -> str:
    """Return a size as settings spell it."""
    return wording.setting(point.size)


def _asked(found: Sized) -> str:
    return " and ".join(map(bound, found.plan.goals.bounds))
