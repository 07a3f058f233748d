"""What the runs say about each kind of claim, and the verdict on it."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from slcache import normalise
from slcache.reproduce import across, grids, trends
from slcache.reproduce.claims import Claim
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import (
    CONSISTENT,
    NO_CHANGE,
    NOT_REPRODUCED,
    REPRODUCED,
    SAME_DIRECTION,
    Finding,
    counted,
    of_change,
    of_ends,
    of_limit,
    sign,
)


def find(claim: Claim, table: Table, rows: Mapping[str, Finding]) -> Finding:
    """Return what the runs say about a claim; `rows` are the claims judged before it."""
    found = _FIND[claim.kind](claim, table, rows)
    return found or Finding(None)


def _change(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    per_seed = []
    for seed in table.seeds:
        changes = [_percent(table.ratios(claim, rival, seed)) for rival in claim.rivals]
        known = [c for c in changes if c is not None]
        if len(known) != len(claim.rivals):
            return None
        per_seed.append(statistics.fmean(known))
    return _number(claim, per_seed, _per_workload(claim, table)) if per_seed else None


def _per_workload(claim: Claim, table: Table) -> dict[str, Any]:
    """Return each trace's change, and the average taken in other ways."""
    if len(claim.rivals) != 1:
        return {}
    rival = claim.rivals[0]
    each = {
        name: 100 * (statistics.fmean(values) - 1)
        for name in table.workloads_of(claim)
        if (values := [r for s in table.seeds if (r := table.ratio(claim, rival, name, s))])
    }
    ratios = [1 + change / 100 for change in each.values()]
    if not ratios:
        return {}
    sums = [table.total(claim.measure, s, claim) for s in (claim.scheme, rival)]
    detail: dict[str, Any] = {"per_trace": each, "undefined": table.undefined(claim, rival)}
    if all(ratio > 0 for ratio in ratios):
        detail["geometric_mean"] = 100 * (statistics.geometric_mean(ratios) - 1)
    if sums[1]:
        detail["of_sums"] = 100 * (sums[0] / sums[1] - 1)
    return detail


def _percent(ratios: Sequence[float]) -> float | None:
    return 100 * (statistics.fmean(ratios) - 1) if ratios else None


def _number(claim: Claim, per_seed: Sequence[float], detail: dict[str, Any]) -> Finding:
    ours, paper = statistics.fmean(per_seed), float(claim.paper)
    spread = [min(per_seed), max(per_seed)]
    beyond = {"above": ours > paper, "below": ours < paper}.get(claim.better, False)
    verdict = of_change(ours, paper, claim.tolerance)
    verdict = CONSISTENT if beyond and verdict != REPRODUCED else verdict
    return Finding(ours, spread, ours - paper, sign(ours) == sign(paper), None, verdict, detail)


def _mean(claim: Claim, _: Table, rows: Mapping[str, Finding]) -> Finding | None:
    parts = [rows[name] for name in claim.of]
    if any(part.ours is None for part in parts):
        return None
    spreads = [part.spread for part in parts if part.spread]
    found = _number(claim, [statistics.fmean(part.ours for part in parts)], {})
    ends = [statistics.fmean(ends) for ends in zip(*spreads, strict=True)]
    return Finding(found.ours, ends, found.distance, found.same_sign, None, found.verdict)


def _range(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    each = _per_workload(claim, table).get("per_trace", {})
    return _ends(claim, each, signed=True) if each else None


def _highest(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    (rival,) = claim.rivals
    ratios = [table.ratios(claim, rival, seed) for seed in table.seeds]
    per_seed = [100 * (max(of_seed) - 1) for of_seed in ratios if of_seed]
    each = _per_workload(claim, table)
    if not per_seed or not each:
        return None
    # The mean of the seeds' maxima would count every seed's luck: the trace that gains most on
    # average is what is meant.
    top = max(each["per_trace"].values())
    found = _number(claim, [top], {"per_trace": each["per_trace"]})
    return replace(found, spread=[min(per_seed), max(per_seed)])


def _span(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    each = {
        name: claim.scale * value
        for name in table.workloads_of(claim)
        if (value := table.mean(claim.measure, claim.scheme, name)) is not None
    }
    return _ends(claim, each, signed=False) if each else None


def _ends(claim: Claim, each: dict[str, float], *, signed: bool) -> Finding:
    ours = [min(each.values()), max(each.values())]
    off = [our - paper for our, paper in zip(ours, claim.paper, strict=True)]
    same = signed and all(sign(value) == sign(claim.paper[0]) for value in each.values())
    verdict = of_ends(ours, claim.paper, claim.tolerance, same=same)
    return Finding(
        *(ours, None, max(off, key=abs), same if signed else None, None, verdict),
        {"per_trace": each},
    )


def _order(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    ranks = [group.split(" = ") for group in claim.paper]
    known = table.relative_means(claim.measure, claim)
    if any(name not in known for group in ranks for name in group):
        return None
    # Schemes that the claim does not rank may have been run beside the others.
    means = {name: mean for name, mean in known.items() if any(name in group for group in ranks)}
    ours = [name for name, _ in sorted(means.items(), key=lambda item: item[1])]
    ends = ours[0] in ranks[0] and ours[-1] in ranks[-1]
    same = _in_order(ranks, means)
    verdict = REPRODUCED if same else SAME_DIRECTION if ends else NOT_REPRODUCED
    shown = _with_ties(ours, means)
    return Finding(shown, None, None, None, same, verdict, {"relative_to_reference": means})


def _in_order(ranks: Sequence[Sequence[str]], means: dict[str, float]) -> bool:
    """Return whether every group is equal within and below the next one."""
    within = all(
        normalise.equal(means[a], means[b]) for group in ranks for a in group for b in group
    )
    below = all(
        means[a] < means[b] and not normalise.equal(means[a], means[b])
        for low, high in itertools.pairwise(ranks)
        for a in low
        for b in high
    )
    return within and below


def _with_ties(names: Sequence[str], means: dict[str, float]) -> list[str]:
    """Return the order with equals joined, as claims write it."""
    groups: list[list[str]] = []
    for name in names:
        if groups and normalise.equal(means[groups[-1][-1]], means[name]):
            groups[-1].append(name)
        else:
            groups.append([name])
    return [" = ".join(group) for group in groups]


def _extreme(claim: Claim, table: Table, rows: Mapping[str, Finding]) -> Finding | None:
    del rows
    best = min if claim.kind == "least" else max
    winners = {}
    for name in table.workloads_of(claim):
        values = {
            s: v
            for s in claim.among or table.schemes
            if (v := table.mean(claim.measure, s, name)) is not None
        }
        if not values or not any(values.values()) or claim.scheme not in values:
            continue
        top = best(values.values())
        winners[name] = [s for s, v in values.items() if normalise.equal(v, top)]
    if not winners:
        return None
    won = [name for name, who in winners.items() if claim.scheme in who]
    ours = f"{len(won)} of {len(winners)} traces"
    every = claim.paper == "every trace"
    means = table.relative_means(claim.measure, claim)
    rivals = [means[s] for s in claim.among or means if s in means]
    average = bool(rivals) and normalise.equal(means[claim.scheme], best(rivals))
    holds = len(won) == len(winners) if every else average
    verdict = REPRODUCED if holds else SAME_DIRECTION if average else NOT_REPRODUCED
    if not every:
        ours = f"{'yes' if average else 'no'}; on {ours}"
    return Finding(ours, None, None, None, holds, verdict, {"winners": winners})


def _zero(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    schemes = [claim.scheme] if claim.scheme else table.schemes
    known = {
        scheme: [
            value
            for name in table.workloads_of(claim)
            if (value := table.mean(claim.measure, scheme, name)) is not None
        ]
        for scheme in schemes
    }
    each = {scheme: sum(values) for scheme, values in known.items() if values}
    if not each:
        return None
    ours = max(each.values())
    verdict = REPRODUCED if ours == 0 else NOT_REPRODUCED
    return Finding(ours, None, ours, None, None, verdict, {"per_scheme": each})


def _largest(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    values = [
        claim.scale * value
        for name in table.workloads_of(claim)
        if (value := table.largest(claim.measure, claim.scheme, name)) is not None
    ]
    if not values:
        return None
    ours = max(values)
    distance = ours - claim.paper
    near = REPRODUCED if abs(distance) <= claim.tolerance else NOT_REPRODUCED
    verdict = of_limit(ours, claim.paper) if claim.kind == "bound" else near
    return Finding(ours, None, distance, None, None, verdict)


def _direction(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    (rival,) = claim.rivals
    nothing = _beside_nothing(claim, table, rival)
    if nothing:
        return nothing
    changes = [_percent(table.ratios(claim, rival, seed)) for seed in table.seeds]
    known = [change for change in changes if change is not None]
    if not known:
        return None
    ours = statistics.fmean(known)
    same = sign(ours) == (1 if claim.paper == "above" else -1)
    verdict = REPRODUCED if same else NOT_REPRODUCED
    return Finding(ours, [min(known), max(known)], None, same, None, verdict)


def _beside_nothing(claim: Claim, table: Table, rival: str) -> Finding | None:
    """Judge a direction by the sums where the rival has nothing of it on any trace.

    More than nothing has no size as a change, but it has a direction.
    """
    both = [
        (own, other)
        for name in table.workloads_of(claim)
        if (own := table.mean(claim.measure, claim.scheme, name)) is not None
        and (other := table.mean(claim.measure, rival, name)) is not None
    ]
    if not both or any(other for _, other in both):
        return None
    total = sum(own for own, _ in both)
    same = total > 0 and claim.paper == "above"
    verdict = REPRODUCED if same else NOT_REPRODUCED
    return Finding(f"{total:.3g} against 0", None, None, same, None, verdict)


def _count(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    each = {
        name: value
        for name in table.workloads_of(claim)
        if (value := table.mean(claim.measure, claim.scheme, name)) is not None
    }
    if not each or len(each) < claim.total:
        return None
    ours = sum(value > claim.threshold for value in each.values())
    distance = ours - claim.paper
    verdict = REPRODUCED if abs(distance) <= claim.tolerance else NOT_REPRODUCED
    return Finding(ours, None, distance, None, None, verdict, {"per_trace": each})


def _moves(claim: Claim, table: Table, _: Mapping[str, Finding]) -> Finding | None:
    each = {
        name: value
        for name in table.workloads_of(claim)
        if (value := table.mean(claim.measure, claim.scheme, name)) is not None
    }
    return counted({name: value > 0 for name, value in each.items()}, {"per_trace": each})


def _exceeds(claim: Claim, _: Table, rows: Mapping[str, Finding]) -> Finding | None:
    found = [rows[name].ours for name in claim.of]
    # A direction against nothing has no size.
    sizes = [abs(ours) for ours in found if isinstance(ours, float)]
    if len(sizes) < len(claim.of):
        return None
    ours = sizes[0] - sizes[1]
    verdict = REPRODUCED if ours > NO_CHANGE else NOT_REPRODUCED
    return Finding(ours, None, None, ours > 0, None, verdict)


_FIND = {
    "change": _change,
    "range": _range,
    "highest": _highest,
    "span": _span,
    "mean": _mean,
    "order": _order,
    "least": _extreme,
    "most": _extreme,
    "zero": _zero,
    "bound": _largest,
    "value": _largest,
    "sign": _direction,
    "count": _count,
    "moves": _moves,
    "optimum": grids.at,
    "inside": grids.inside,
    "shift": grids.shift,
    "exceeds": _exceeds,
    **across.FIND,
    **trends.FIND,
}
