"""What the runs say about each kind of claim, and the verdict on it."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from slcache.documents import normalise
from slcache.reproduce import shapes
from slcache.reproduce.claims import Claim
from slcache.reproduce.quantities import changes, curves, means, over_seeds, relative
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import (
    CONSISTENT,
    LIMIT,
    NO_CHANGE,
    REPRODUCED,
    Finding,
    counted,
    of_change,
    of_ends,
    of_limit,
    of_value,
    sign,
    when,
)

Rows = Mapping[str, Finding]


def find(claim: Claim, table: Table, rows: Rows) -> Finding:
    """Return what the runs say about a claim; `rows` are the claims judged before it."""
    found = _FIND[claim.kind](claim, table, rows)
    return found or Finding(None)


def _change(claim: Claim, table: Table, _: Rows) -> Finding | None:
    """Judge a change by its size, or by its direction alone."""
    direction = claim.paper in ("above", "below")
    nothing = _beside_nothing(claim, table) if direction else None
    per_seed = [of for seed in table.seeds if (of := _level(claim, table, seed)) is not None]
    if nothing or not per_seed:
        return nothing
    ours, spread = statistics.fmean(per_seed), [min(per_seed), max(per_seed)]
    detail = _detail(claim, table)
    if claim.which == "most":
        # The mean of the seeds' maxima would count every seed's luck: the trace that gains most
        # on average is what is meant.
        ours = max(detail["per_trace"].values())
    if not direction:
        return _number(claim, ours, spread, detail)
    same = sign(ours) == (1 if claim.paper == "above" else -1)
    return Finding(ours, spread, None, same, verdict=when(same))


def _level(claim: Claim, table: Table, seed: int) -> float | None:
    """Return a seed's change: the mean over rivals, traces and settings, or the most of a trace."""
    each = [means(changes(claim, table, rival, seed)) for rival in claim.rivals]
    if not all(each):
        return None
    over = max if claim.which == "most" else statistics.fmean
    return statistics.fmean(over(of.values()) for of in each)


def _detail(claim: Claim, table: Table) -> dict[str, Any]:
    """Return each trace's change, and the average taken in other ways."""
    if len(claim.rivals) != 1:
        return {}
    (rival,) = claim.rivals
    each = means(over_seeds(claim, table))
    detail: dict[str, Any] = {"per_trace": each}
    if table.is_grid(claim.scheme):
        return detail
    detail["undefined"] = [name for name in table.workloads_of(claim) if name not in each]
    ratios = [1 + change / 100 for change in each.values()]
    if all(ratio > 0 for ratio in ratios):
        detail["geometric_mean"] = 100 * (statistics.geometric_mean(ratios) - 1)
    own, other = (table.total(claim.measure, s, claim) for s in (claim.scheme, rival))
    if other:
        detail["of_sums"] = 100 * (own / other - 1)
    return detail


def _number(
    claim: Claim, ours: float, spread: list[float] | None, detail: dict[str, Any]
) -> Finding:
    paper = float(claim.paper)
    beyond = {"above": ours > paper, "below": ours < paper}.get(claim.better, False)
    verdict = of_change(ours, paper, claim.tolerance)
    verdict = CONSISTENT if beyond and verdict != REPRODUCED else verdict
    return Finding(ours, spread, ours - paper, sign(ours) == sign(paper), None, verdict, detail)


def _beside_nothing(claim: Claim, table: Table) -> Finding | None:
    """Judge a direction by the sums where the rival has nothing of it on any trace.

    More than nothing has no size as a change, but it has a direction.
    """
    (rival,) = claim.rivals
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
    return Finding(f"{total:.3g} against 0", None, None, same, verdict=when(same))


def _mean(claim: Claim, _: Table, rows: Rows) -> Finding | None:
    parts = [rows[name] for name in claim.of]
    if any(part.ours is None for part in parts):
        return None
    spreads = [part.spread for part in parts if part.spread]
    ends = [statistics.fmean(ends) for ends in zip(*spreads, strict=True)]
    return _number(claim, statistics.fmean(part.ours for part in parts), ends, {})


def _range(claim: Claim, table: Table, _: Rows) -> Finding | None:
    """Judge the lowest and the highest of changes, or of the measure itself."""
    each = over_seeds(claim, table) if claim.rivals else curves(claim, table, claim.scale)
    if not each:
        return None
    values = [value for of in each.values() for value in of.values()]
    ours = [min(values), max(values)]
    off = [our - paper for our, paper in zip(ours, claim.paper, strict=True)]
    same = bool(claim.rivals) and all(sign(end) == sign(claim.paper[0]) for end in ours)
    verdict = of_ends(ours, claim.paper, claim.tolerance, same=same)
    if table.is_grid(claim.scheme):
        ends = {name: [min(of.values()), max(of.values())] for name, of in each.items()}
        detail: dict[str, Any] = {"ends": ends}
    else:
        detail = {"per_trace": means(each)}
    told = same if claim.rivals else None
    return Finding(ours, None, max(off, key=abs), told, None, verdict, detail)


def _order(claim: Claim, table: Table, _: Rows) -> Finding | None:
    ranks = [group.split(" = ") for group in claim.paper]
    known = table.relative_means(claim.measure, claim)
    if any(name not in known for group in ranks for name in group):
        return None
    # Schemes that the claim does not rank may have been run beside the others.
    means = {name: mean for name, mean in known.items() if any(name in group for group in ranks)}
    ours = [name for name, _ in sorted(means.items(), key=lambda item: item[1])]
    ends = ours[0] in ranks[0] and ours[-1] in ranks[-1]
    same = _in_order(ranks, means)
    detail = {"relative_to_reference": means}
    shown = _with_ties(ours, means)
    return Finding(shown, None, None, None, same, when(same, ends), detail)


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


def _ahead(claim: Claim, table: Table, _: Rows) -> Finding | None:
    """Judge on how many traces a scheme, or a grid on average, has the least or the most."""
    best, winners = max if claim.which == "most" else min, {}
    of_grids = table.is_grid(claim.scheme)
    for name in table.workloads_of(claim):
        values = {
            s: value
            for s in claim.among or table.schemes
            if (value := relative(claim, table, s, name) if of_grids else
                table.mean(claim.measure, s, name)) is not None
        }  # fmt: skip
        if claim.scheme in values and len(values) > 1 and any(values.values()):
            top = best(values.values())
            winners[name] = [s for s, value in values.items() if normalise.equal(value, top)]
    won = {name: claim.scheme in who for name, who in winners.items()}
    found = counted(won, {"winners": winners})
    return found if found is None or of_grids else _on_average(claim, table, found, won)


def _on_average(claim: Claim, table: Table, found: Finding, won: Mapping[str, bool]) -> Finding:
    """Judge schemes that are ahead on some traces by their means over all."""
    every = claim.paper == "every trace"
    known = table.relative_means(claim.measure, claim)
    rivals = [known[s] for s in claim.among or known if s in known]
    best = max if claim.which == "most" else min
    average = bool(rivals) and normalise.equal(known[claim.scheme], best(rivals))
    holds = all(won.values()) if every else average
    ours = found.ours if every else f"{'yes' if average else 'no'}; on {found.ours}"
    return Finding(ours, None, None, None, holds, when(holds, average), found.detail)


def _value(claim: Claim, table: Table, _: Rows) -> Finding | None:
    """Judge one figure: the largest of the traces, or the widest over a grid, or the sum."""
    each, told = _figures(claim, table), "per_scheme" if claim.over == "sum" else "per_trace"
    if not each:
        return None
    ours, paper = max(each.values()), float(claim.paper)
    judged = of_limit(ours, paper) if claim.kind == "bound" else of_value(ours, claim)
    shown = table.is_grid(claim.scheme) or claim.over == "sum"
    spread = None
    if claim.over == "difference" and claim.kind == "value":
        tops = [max(of.values()) for s in table.seeds if (of := _figures(claim, table, s))]
        spread = [min(tops), max(tops)]
    detail = {told: each} if shown else {}
    return Finding(ours, spread, ours - paper, verdict=judged, detail=detail)


def _figures(claim: Claim, table: Table, seed: int | None = None) -> dict[str, float]:
    """Return the figure that a value is the largest of, by trace, or by scheme for a sum."""
    if claim.over == "sum":
        schemes = [claim.scheme] if claim.scheme else table.schemes
        sums = {s: curves(claim, table, claim.scale, scheme=s) for s in schemes}
        return {s: sum(means(of).values()) for s, of in sums.items() if of}
    if claim.over:
        return shapes.widths(curves(claim, table, seed=seed), claim)
    if table.is_grid(claim.scheme):
        of = curves(claim, table, claim.scale)
        return {name: max(curve.values()) for name, curve in of.items()}
    known = {n: table.values(claim.measure, claim.scheme, n) for n in table.workloads_of(claim)}
    return {name: claim.scale * max(values) for name, values in known.items() if values}


def _count(claim: Claim, table: Table, _: Rows) -> Finding | None:
    """Judge on how many traces a measure is above the threshold, or a change up or down."""
    each = means(over_seeds(claim, table) if claim.rivals else curves(claim, table))
    if not each or len(each) < claim.total:
        return None
    if not claim.rivals:
        ours = sum(value > claim.threshold for value in each.values())
        verdict = of_value(ours, claim)
        return Finding(ours, None, ours - claim.paper, None, None, verdict, {"per_trace": each})
    way = 1 if claim.way == "up" else -1
    chosen = [name for name, change in each.items() if way * change > NO_CHANGE]
    (low, high), count = claim.paper, len(chosen)
    near = low <= LIMIT * count and count <= LIMIT * high
    verdict = when(low <= count <= high, near)
    detail = {"per_trace": each, "counted": chosen}
    return Finding(f"{count} of {len(each)} traces", verdict=verdict, detail=detail)


def _exceeds(claim: Claim, _: Table, rows: Rows) -> Finding | None:
    found = [rows[name].ours for name in claim.of]
    # A direction against nothing has no size.
    sizes = [abs(ours) for ours in found if isinstance(ours, float)]
    if len(sizes) < len(claim.of):
        return None
    ours = sizes[0] - sizes[1]
    return Finding(ours, None, None, ours > 0, verdict=when(ours > NO_CHANGE))


_FIND = {
    "change": _change,
    "range": _range,
    "mean": _mean,
    "order": _order,
    "ahead": _ahead,
    "value": _value,
    "bound": _value,
    "count": _count,
    "exceeds": _exceeds,
    **shapes.FIND,
}
