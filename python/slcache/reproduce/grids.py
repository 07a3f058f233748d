"""Where a measure has its optimum over a grid of one setting, and what claims say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slcache.reproduce.claims import Claim
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import NOT_REPRODUCED, REPRODUCED, Finding, counted

#: What a setting such as 0.3, made a percentage, may be off.
_ROUNDING = 1e-9


def optimum(curve: Mapping[float, float], which: str) -> float:
    """Return the setting with the least or the most of a measure, the first of equals."""
    order = max if which == "most" else min
    return order(curve, key=lambda at: curve[at])


def at(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge where the optimum lies on the claim's only trace."""
    found = _found(claim, table, *claim.workloads)
    return found and _number(claim, *found)


def shift(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge how much further the optimum lies on the last trace than on the first."""
    ends = [_found(claim, table, claim.workloads[i]) for i in (0, -1)]
    if ends[0] is None or ends[1] is None:
        return None
    (first, of_first), (last, of_last) = ends[0], ends[1]
    # A published file has one seed where a twin beside it has several.
    each = [b - a for a, b in zip(of_first, of_last, strict=False)]
    return _number(claim, last - first, each)


def inside(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge on how many traces the optimum is neither the first nor the last of the grid."""
    each = {}
    for name in table.workloads_of(claim):
        curve = table.curve(claim.measure, claim.scheme, name)
        if curve:
            best = optimum(curve, claim.which)
            each[name] = claim.scale * best, best not in (min(curve), max(curve))
    detail = {"per_trace": {name: best for name, (best, _) in each.items()}}
    return counted({name: within for name, (_, within) in each.items()}, detail)


def _found(claim: Claim, table: Table, workload: str) -> tuple[float, list[float]] | None:
    """Return where the optimum of the seeds' means lies, in the claim's unit, and of each seed."""
    mean = table.curve(claim.measure, claim.scheme, workload)
    if not mean:
        return None
    curves = [table.curve(claim.measure, claim.scheme, workload, seed) for seed in table.seeds]
    each = [claim.scale * optimum(curve, claim.which) for curve in curves if curve]
    return claim.scale * optimum(mean, claim.which), each


def _number(claim: Claim, ours: float, each: list[float]) -> Finding:
    distance = ours - float(claim.paper)
    holds = abs(distance) <= claim.tolerance + _ROUNDING
    detail: dict[str, Any] = {"per_seed": each}
    verdict = REPRODUCED if holds else NOT_REPRODUCED
    return Finding(ours, [min(each), max(each)], distance, verdict=verdict, detail=detail)
