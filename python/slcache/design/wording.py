"""The answer of a design in words."""

from __future__ import annotations

from slcache.design.outcome import Design
from slcache.design.point import Point
from slcache.words import units


def sentences(design: Design) -> list[str]:
    """Return what was found, what stands beside it and what weakens it."""
    chosen = design.chosen
    found = [_nearest(design)] if chosen is None else _chosen(design, chosen)
    return [*found, *_weak(design)]


def _chosen(design: Design, chosen: Point) -> list[str]:
    goal = "read latency" if design.goal == "latency" else "energy"
    lines = [
        f"r_min = {share(chosen)}: {_region(design, chosen)} in SLC mode last "
        f"{_life(design, chosen)}; asked for are {_asked(design)}."
    ]
    if design.neighbours:
        beside = (f"r = {share(p)} lasts {factor(design.times(p))}" for p in design.neighbours)
        lines.append(f"Beside it: {'; '.join(beside)}.")
    if chosen.of(design.goal) is None:
        lines.append(f"The trace reads nothing, so that no {goal} tells the points apart.")
    elif design.better:
        shown = "; ".join(f"{_region(design, p)} {_less(design, p)}" for p in design.better)
        lines.append(
            f"Larger regions that were tried have a lower {goal} than the "
            f"{_figure(design, chosen)} of the smallest: {shown}."
        )
    elif chosen != design.points[-1]:
        lines.append(f"No larger region that was tried has a lower {goal}.")
    return lines


def _nearest(design: Design) -> str:
    nearest = design.nearest
    short = 1 - nearest.life_bytes / design.least_bytes
    return (
        f"No region that was tried lasts {_asked(design)}. The nearest is r = "
        f"{share(nearest)}: {_region(design, nearest)} in SLC mode last "
        f"{_life(design, nearest)}, {units.percent(short)} too little."
    )


def _weak(design: Design) -> list[str]:
    """Return what speaks against the answer."""
    lines = []
    if not design.rises:
        lines.append(
            "The lifespan does not rise all the way with the SLC region: between the points that "
            "were tried there may be smaller regions that suffice."
        )
    idle = [point for point in design.points if not all(point.cleanings.values())]
    if idle:
        lines.append(
            f"At {len(idle)} of the {len(design.points)} sizes that were tried a region was not "
            "cleaned in the pass that counts: a later one has cleaning in its volumes (--passes)."
        )
    behind = [point for point in design.points if point.overload]
    if behind:
        lines.append(
            f"At {len(behind)} of the {len(design.points)} sizes that were tried the device is "
            f"overloaded. r = {share(behind[0])}: {behind[0].overload}."
        )
    if design.passes == 1:
        lines.append(
            "One pass was run, which begins with empty flash: what repeats is not the first pass."
        )
    if design.first_requests is not None:
        count = units.count(design.first_requests)
        lines.append(
            f"Only the first {count} requests were run: the answer is a first guess. A beginning "
            "touches fewer addresses than the whole and misses less when it is repeated."
        )
    return lines


def share(point: Point) -> str:
    """Return a point's share of SLC blocks, which is no percentage in the paper's words."""
    return units.trimmed(f"{point.slc_share:.5f}")


def factor(value: float) -> str:
    """Return a multiple with the digits that tell neighbours from the constraint."""
    return f"{value:.3f}×"


def _region(design: Design, point: Point) -> str:
    where = "blocks" if design.flash.planes == 1 else "blocks of every plane"
    size = f"{units.size(point.slc_bytes)}, " if point.slc_bytes else ""
    blocks = f"{units.count(point.slc_blocks)} of {units.count(design.flash.blocks)}"
    return f"{blocks} {where} ({size}{units.percent(point.slc_share)})"


def _life(design: Design, point: Point) -> str:
    times = factor(design.times(point))
    return f"{units.size(point.life_bytes)} of host writes, {times} what they do without SLC"


def _asked(design: Design) -> str:
    least = units.size(design.least_bytes)
    if design.constraint.times is None:
        return least
    return f"{factor(design.constraint.times)}, {least}"


def _less(design: Design, point: Point) -> str:
    assert design.chosen is not None
    figure, chosen = point.of(design.goal), design.chosen.of(design.goal)
    assert figure is not None
    assert chosen is not None
    return f"by {units.percent(1 - figure / chosen)}"


def _figure(design: Design, point: Point) -> str:
    figure = point.of(design.goal)
    assert figure is not None
    return units.duration(figure) if design.goal == "latency" else f"{units.significant(figure)} J"
