"""What claims say of a measure over the whole of a grid: where it rises, how far, against what."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from slcache import normalise
from slcache.reproduce.claims import Claim
from slcache.reproduce.grids import optimum
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import (
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

Curve = Mapping[float, float]

#: What a setting such as 0.3, made megabytes, may be off.
_ROUNDING = 1e-9


def _curves(claim: Claim, table: Table, seed: int | None = None) -> dict[str, dict[float, float]]:
    """Return the measure over the grid by trace: the means over the seeds, or one seed's."""
    curves = {
        name: {
            at: figure
            for at, figure in table.curve(claim.measure, claim.scheme, name, seed).items()
            if not claim.points or at in claim.points
        }
        for name in table.workloads_of(claim)
    }
    return {name: curve for name, curve in curves.items() if curve}


def _monotone(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge whether a curve goes one way; a step back of up to 1 % of its top is none."""
    up = 1 if claim.kind == "rises" else -1
    curves = {name: list(curve.values()) for name, curve in _curves(claim, table).items()}
    holds = {
        name: all(up * _step(values, i - 1, i) >= -normalise.TIE for i in range(1, len(values)))
        and up * _step(values, 0, -1) > normalise.TIE
        for name, values in curves.items()
        if len(values) > 1
    }
    found = counted(holds, {"ends": {name: [of[0], of[-1]] for name, of in curves.items()}})
    if found and found.verdict == NOT_REPRODUCED:
        way = all(up * _step(values, 0, -1) > normalise.TIE for values in curves.values())
        return replace(found, verdict=SAME_DIRECTION if way else NOT_REPRODUCED)
    return found


def _step(values: Sequence[float], before: int, after: int) -> float:
    """Return how much further a curve is at one place than at another, as a part of its top."""
    top = max(map(abs, values))
    return (values[after] - values[before]) / top if top else 0.0


def _difference(curve: Curve) -> float | None:
    return max(curve.values()) - min(curve.values())


def _ratio(curve: Curve) -> float | None:
    least = min(curve.values())
    return 100 * (max(curve.values()) / least - 1) if least > 0 else None


def _each(
    claim: Claim, table: Table, of: Callable[[Curve], float | None], seed: int | None = None
) -> dict[str, float]:
    found = {name: of(curve) for name, curve in _curves(claim, table, seed).items()}
    return {name: figure for name, figure in found.items() if figure is not None}


def _swing(claim: Claim, table: Table, _: object) -> Finding | None:
    each = {name: claim.scale * size for name, size in _each(claim, table, _difference).items()}
    if not each:
        return None
    ours = max(each.values())
    seeds = [_each(claim, table, _difference, seed) for seed in table.seeds]
    spread = [claim.scale * max(of.values()) for of in seeds if of]
    distance = ours - float(claim.paper)
    verdict = REPRODUCED if abs(distance) <= claim.tolerance else NOT_REPRODUCED
    return Finding(
        ours, [min(spread), max(spread)], distance, verdict=verdict, detail={"per_trace": each}
    )


def _steady(claim: Claim, table: Table, _: object) -> Finding | None:
    return _bounded(claim, _each(claim, table, _ratio))


def _bound(claim: Claim, table: Table, _: object) -> Finding | None:
    tops = _each(claim, table, lambda curve: max(curve.values()))
    return _bounded(claim, {name: claim.scale * top for name, top in tops.items()})


def _bounded(claim: Claim, each: Mapping[str, float]) -> Finding | None:
    if not each:
        return None
    ours = max(each.values())
    paper = float(claim.paper)
    verdict = of_limit(ours, paper)
    return Finding(ours, None, ours - paper, verdict=verdict, detail={"per_trace": dict(each)})


def _widest(claim: Claim, table: Table, _: object) -> Finding | None:
    each = _each(claim, table, _ratio)
    if len(each) < 2 or claim.paper not in each:
        return None
    ours = max(each, key=lambda name: each[name])
    verdict = REPRODUCED if ours == claim.paper else NOT_REPRODUCED
    return Finding(ours, verdict=verdict, detail={"per_trace": each})


def _reaches(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge where a measure first is so many times that of the grid's first setting."""
    curves = list(_curves(claim, table).values())
    if not curves or not curves[0][min(curves[0])]:
        return None
    found = _first(claim, curves[0])
    curves_of_seeds = [_curves(claim, table, seed) for seed in table.seeds]
    each = [_first(claim, curve) for of in curves_of_seeds for curve in of.values()]
    known = [at for at in each if at is not None]
    detail = {"times": {f"{at:g}": y / curves[0][min(curves[0])] for at, y in curves[0].items()}}
    if found is None:
        most = max(detail["times"].values())
        return Finding(f"never: {most:.2f} at most", verdict=NOT_REPRODUCED, detail=detail)
    distance = found - float(claim.paper)
    verdict = REPRODUCED if abs(distance) <= claim.tolerance + _ROUNDING else NOT_REPRODUCED
    spread = [min(known), max(known)] if known else None
    return Finding(found, spread, distance, verdict=verdict, detail=detail)


def _first(claim: Claim, curve: Curve) -> float | None:
    least = claim.threshold * curve[min(curve)]
    return next((claim.scale * at for at in sorted(curve) if curve[at] >= least), None)


def _ratios(claim: Claim, table: Table, seed: int | None = None) -> dict[str, dict[float, float]]:
    """Return grid / against - 1 in percent by trace and setting."""
    (rival,) = claim.rivals
    found = {}
    for name, curve in _curves(claim, table, seed).items():
        others = table.beside(curve, claim.measure, rival, name, seed)
        found[name] = {at: 100 * (curve[at] / other - 1) for at, other in others.items() if other}
    return {name: changes for name, changes in found.items() if changes}


def _grid_range(claim: Claim, table: Table, _: object) -> Finding | None:
    each = _ratios(claim, table)
    if not each:
        return None
    ends = {name: [min(of.values()), max(of.values())] for name, of in each.items()}
    ours = [min(low for low, _ in ends.values()), max(high for _, high in ends.values())]
    off = [our - paper for our, paper in zip(ours, claim.paper, strict=True)]
    same = all(sign(figure) == sign(claim.paper[0]) for figure in ours)
    verdict = of_ends(ours, claim.paper, claim.tolerance, same=same)
    return Finding(ours, None, max(off, key=abs), same, verdict=verdict, detail={"ends": ends})


def _mean(each: Mapping[str, Curve]) -> float:
    """Return the mean over the traces of the mean over the settings."""
    return statistics.fmean(statistics.fmean(of.values()) for of in each.values())


def _grid_change(claim: Claim, table: Table, _: object) -> Finding | None:
    each = _ratios(claim, table)
    if not each:
        return None
    seeds = [of for seed in table.seeds if (of := _ratios(claim, table, seed))]
    ours = _mean(each)
    spread = [min(map(_mean, seeds)), max(map(_mean, seeds))]
    detail = {"per_trace": {name: statistics.fmean(of.values()) for name, of in each.items()}}
    if claim.kind == "grid-sign":
        same = sign(ours) == (1 if claim.paper == "above" else -1)
        verdict = REPRODUCED if same else NOT_REPRODUCED
        return Finding(ours, spread, None, same, verdict=verdict, detail=detail)
    paper = float(claim.paper)
    same, verdict = sign(ours) == sign(paper), of_change(ours, paper, claim.tolerance)
    return Finding(ours, spread, ours - paper, same, verdict=verdict, detail=detail)


def _more(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge whether a change is more at some settings than at the others."""
    every = _ratios(replace(claim, points=[]), table)
    if not every:
        return None
    here = [figure for of in every.values() for at, figure in of.items() if at in claim.points]
    there = [figure for of in every.values() for at, figure in of.items() if at not in claim.points]
    if not here or not there:
        return None
    ours = statistics.fmean(here) - statistics.fmean(there)
    holds = ours > NO_CHANGE
    verdict = REPRODUCED if holds else NOT_REPRODUCED
    return Finding(ours, None, None, holds, verdict=verdict, detail={"changes": every})


def _where(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge whether the measure is above the threshold at some settings, and not everywhere."""
    curves = _curves(replace(claim, points=[]), table)
    above = {
        name: [at for at, figure in curve.items() if figure > claim.threshold]
        for name, curve in curves.items()
        if set(claim.points) < set(curve)
    }
    holds = {
        name: set(claim.points) <= set(found) and len(found) < len(curves[name])
        for name, found in above.items()
    }
    found = counted(holds, {"above": above})
    return found and replace(found, ours="; ".join(map(_at, above.values())))


def _at(settings: Sequence[float]) -> str:
    return f"above at {', '.join(f'{at:g}' for at in settings)}" if settings else "nowhere above"


def _grid_extreme(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge on how many traces the grid is ahead of the others on average over the settings."""
    order = max if claim.kind == "grid-most" else min
    winners = {}
    for name in table.workloads_of(claim):
        means = {grid: _level(claim, table, grid, name) for grid in claim.among}
        known = {grid: mean for grid, mean in means.items() if mean is not None}
        if claim.scheme in known and len(known) > 1:
            top = order(known.values())
            winners[name] = [g for g, mean in known.items() if normalise.equal(mean, top)]
    holds = {name: claim.scheme in who for name, who in winners.items()}
    return counted(holds, {"winners": winners})


def _level(claim: Claim, table: Table, grid: str, workload: str) -> float | None:
    """Return the mean over the claimed grid's settings of a grid / the first of those named."""
    settings = table.curve(claim.measure, claim.scheme, workload)
    own, base = (
        table.beside(settings, claim.measure, name, workload) for name in (grid, claim.among[0])
    )
    parts = [figure / base[at] for at, figure in own.items() if base.get(at)]
    return statistics.fmean(parts) if parts else None


def _ends_below(claim: Claim, table: Table, _: object) -> Finding | None:
    each = {}
    for name, curve in _curves(claim, table).items():
        inside = sorted(curve)[1:-1]
        if inside:
            middle = statistics.fmean(curve[at] for at in inside)
            each[name] = [curve[min(curve)], middle, curve[max(curve)]]
    holds = {name: max(first, last) < middle for name, (first, middle, last) in each.items()}
    return counted(holds, {"first, mean, last": each})


def _peak_within(claim: Claim, table: Table, _: object) -> Finding | None:
    peaks = {
        name: claim.scale * optimum(curve, claim.which)
        for name, curve in _curves(claim, table).items()
    }
    low, high = claim.paper
    holds = {
        name: low - claim.tolerance <= at <= high + claim.tolerance for name, at in peaks.items()
    }
    return counted(holds, {"per_trace": peaks})


def _apart(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge whether the claim's traces are all below, or above, all the others."""
    levels = {}
    for name in table.workloads:
        changes = _of_trace(claim, table, name)
        if changes:
            levels[name] = statistics.fmean(changes)
    own = [level for name, level in levels.items() if name in claim.workloads]
    others = [level for name, level in levels.items() if name not in claim.workloads]
    if not own or not others:
        return None
    below = claim.paper == "below"
    whole = max(own) < min(others) if below else min(own) > max(others)
    less = statistics.fmean(own) < statistics.fmean(others)
    verdict = REPRODUCED if whole else SAME_DIRECTION if less == below else NOT_REPRODUCED
    ours = "yes" if whole else "no"
    return Finding(ours, None, None, less == below, verdict=verdict, detail={"per_trace": levels})


def _of_trace(claim: Claim, table: Table, name: str) -> Iterable[float]:
    alone = replace(claim, workloads=[name])
    each = _ratios(alone, table) if claim.rivals else _curves(alone, table)
    return list(each.get(name, {}).values())


FIND = {
    "rises": _monotone,
    "falls": _monotone,
    "swing": _swing,
    "steady": _steady,
    "widest": _widest,
    "reaches": _reaches,
    "grid-range": _grid_range,
    "grid-change": _grid_change,
    "grid-sign": _grid_change,
    "grid-more": _more,
    "grid-bound": _bound,
    "grid-where": _where,
    "grid-most": _grid_extreme,
    "grid-least": _grid_extreme,
    "ends-below": _ends_below,
    "peak-within": _peak_within,
    "apart": _apart,
}
