"""What claims say of a scheme against another from trace to trace: how many, and which way."""

from __future__ import annotations

import itertools

from slcache import normalise
from slcache.reproduce.claims import Claim
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import LIMIT, NOT_REPRODUCED, REPRODUCED, SAME_DIRECTION, Finding


def _changes(claim: Claim, table: Table) -> dict[str, float]:
    """Return scheme / against - 1 by trace: the means over the seeds."""
    (rival,) = claim.rivals
    found = {}
    for name in claim.workloads or table.workloads:
        own, other = (table.mean(claim.measure, s, name) for s in (claim.scheme, rival))
        if own is not None and other:
            found[name] = own / other - 1
    return found


def _count(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge on how many traces the scheme is ahead of, or behind, the other."""
    each = _changes(claim, table)
    if not each or len(each) < claim.total:
        return None
    sign = 1 if claim.kind == "above" else -1
    chosen = [name for name, change in each.items() if sign * change > normalise.TIE]
    low, high = claim.paper
    verdict = NOT_REPRODUCED
    if low <= len(chosen) <= high:
        verdict = REPRODUCED
    elif low <= LIMIT * len(chosen) and len(chosen) <= LIMIT * high:
        verdict = SAME_DIRECTION
    percent = {name: 100 * change for name, change in each.items()}
    ours = f"{len(chosen)} of {len(each)} traces"
    return Finding(ours, verdict=verdict, detail={"per_trace": percent, "counted": chosen})


def _one_way(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge whether the change goes one way over the claim's traces, in their order."""
    each = _changes(claim, table)
    if len(each) < 2 or len(each) < len(claim.workloads):
        return None
    sign = 1 if claim.kind == "climbs" else -1
    steps = [sign * (after - before) > 0 for before, after in itertools.pairwise(each.values())]
    changes = list(each.values())
    verdict = REPRODUCED if all(steps) else NOT_REPRODUCED
    if verdict == NOT_REPRODUCED and sign * (changes[-1] - changes[0]) > 0:
        verdict = SAME_DIRECTION
    percent = {name: 100 * change for name, change in each.items()}
    return Finding(
        f"at {sum(steps)} of {len(steps)} steps", verdict=verdict, detail={"per_trace": percent}
    )


FIND = {"above": _count, "below": _count, "climbs": _one_way, "sinks": _one_way}
