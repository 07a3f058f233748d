"""What claims say of a measure over a grid or from trace to trace: ways, optima, contrasts."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace

from slcache.documents import normalise
from slcache.reproduce.claims import Claim
from slcache.reproduce.optima import optimum
from slcache.reproduce.quantities import Curve, curves, means, over_seeds
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import (
    NO_CHANGE,
    NOT_REPRODUCED,
    Finding,
    counted,
    of_value,
    when,
)


def widths(each: Mapping[str, Curve], claim: Claim) -> dict[str, float]:
    """Return by how much the most is above the least over a grid: as a difference, in percent."""
    ends = {name: (min(of.values()), max(of.values())) for name, of in each.items()}
    if claim.over == "difference":
        return {name: claim.scale * (most - least) for name, (least, most) in ends.items()}
    return {name: 100 * (most / least - 1) for name, (least, most) in ends.items() if least > 0}


def _goes(claim: Claim, table: Table, _: object) -> Finding | None:
    way = 1 if claim.way == "up" else -1
    return (_over_grid if table.is_grid(claim.scheme) else _over_traces)(claim, table, way)


def _over_grid(claim: Claim, table: Table, way: int) -> Finding | None:
    """Judge whether curves go one way; a step back of up to 1 % of the top is none."""
    every = {name: list(curve.values()) for name, curve in curves(claim, table).items()}
    holds = {
        name: all(way * _step(values, i - 1, i) >= -normalise.TIE for i in range(1, len(values)))
        and way * _step(values, 0, -1) > normalise.TIE
        for name, values in every.items()
        if len(values) > 1
    }
    found = counted(holds, {"ends": {name: [of[0], of[-1]] for name, of in every.items()}})
    if found and found.verdict == NOT_REPRODUCED:
        ends = all(way * _step(values, 0, -1) > normalise.TIE for values in every.values())
        return replace(found, verdict=when(False, ends))
    return found


def _step(values: Sequence[float], before: int, after: int) -> float:
    """Return how much further a curve is at one place than at another, as a part of its top."""
    top = max(map(abs, values))
    return (values[after] - values[before]) / top if top else 0.0


def _over_traces(claim: Claim, table: Table, way: int) -> Finding | None:
    """Judge whether the change goes one way over the claim's traces, in their order."""
    known = means(over_seeds(claim, table))
    each = {name: known[name] for name in claim.workloads if name in known}
    if len(each) < 2 or len(each) < len(claim.workloads):
        return None
    values = list(each.values())
    steps = [way * (after - before) > 0 for before, after in itertools.pairwise(values)]
    ends = way * (values[-1] - values[0]) > 0
    ours = f"at {sum(steps)} of {len(steps)} steps"
    return Finding(ours, verdict=when(all(steps), ends), detail={"per_trace": each})


def _optimum(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge where a measure has its least or most: a setting, inside the grid, between two."""
    every = curves(claim, table)
    best = {name: claim.scale * optimum(of, claim.which) for name, of in every.items()}
    if claim.paper == "every trace":
        ends = {n: (claim.scale * min(of), claim.scale * max(of)) for n, of in every.items()}
        return counted({n: best[n] not in ends[n] for n in best}, {"per_trace": best})
    if isinstance(claim.paper, list):
        low, high = claim.paper[0] - claim.tolerance, claim.paper[1] + claim.tolerance
        return counted({n: low <= at <= high for n, at in best.items()}, {"per_trace": best})
    if any(name not in best for name in claim.workloads):
        return None
    each = [_setting(claim, curves(claim, table, seed=seed)) for seed in table.seeds]
    known = [at for at in each if at is not None]
    ours = _setting(claim, every)
    assert ours is not None
    spread, distance = [min(known), max(known)], ours - claim.paper
    return Finding(
        ours, spread, distance, verdict=of_value(ours, claim), detail={"per_seed": known}
    )


def _setting(claim: Claim, every: Mapping[str, Curve]) -> float | None:
    """Return the best setting on the claim's trace, or how much further it is on its last."""
    found = [every.get(name) for name in claim.workloads]
    if not all(found):
        return None
    first, *more = (claim.scale * optimum(of, claim.which) for of in found if of)
    return more[-1] - first if more else first


def _above(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge where a measure is above the threshold: on traces, or at some settings of a grid."""
    if not table.is_grid(claim.scheme):
        each = means(curves(claim, table))
        holds = {name: value > claim.threshold for name, value in each.items()}
        return counted(holds, {"per_trace": each})
    every = curves(replace(claim, points=[]), table)
    above = {
        name: [at for at, figure in curve.items() if figure > claim.threshold]
        for name, curve in every.items()
        if set(claim.points) < set(curve)
    }
    holds = {
        name: set(claim.points) <= set(found) and len(found) < len(every[name])
        for name, found in above.items()
    }
    found = counted(holds, {"above": above})
    return found and replace(found, ours="; ".join(map(_at, above.values())))


def _at(settings: Sequence[float]) -> str:
    return f"above at {', '.join(f'{at:g}' for at in settings)}" if settings else "nowhere above"


def _ends_below(claim: Claim, table: Table, _: object) -> Finding | None:
    each = {}
    for name, curve in curves(claim, table).items():
        inside = sorted(curve)[1:-1]
        if inside:
            middle = statistics.fmean(curve[at] for at in inside)
            each[name] = [curve[min(curve)], middle, curve[max(curve)]]
    holds = {name: max(first, last) < middle for name, (first, middle, last) in each.items()}
    return counted(holds, {"first, mean, last": each})


def _reaches(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge where a measure first is so many times that of the grid's first setting."""
    every = list(curves(claim, table).values())
    if not every or not every[0][min(every[0])]:
        return None
    (curve, *_others), least = every, every[0][min(every[0])]
    found = _first(claim, curve)
    of_seeds = [curves(claim, table, seed=seed) for seed in table.seeds]
    known = [at for of in of_seeds for c in of.values() if (at := _first(claim, c)) is not None]
    detail = {"times": {f"{at:g}": y / least for at, y in curve.items()}}
    if found is None:
        most = max(detail["times"].values())
        return Finding(f"never: {most:.2f} at most", verdict=NOT_REPRODUCED, detail=detail)
    spread = [min(known), max(known)] if known else None
    verdict = of_value(found, claim)
    return Finding(found, spread, found - claim.paper, verdict=verdict, detail=detail)


def _first(claim: Claim, curve: Curve) -> float | None:
    least = claim.threshold * curve[min(curve)]
    return next((claim.scale * at for at in sorted(curve) if curve[at] >= least), None)


def _widest(claim: Claim, table: Table, _: object) -> Finding | None:
    each = widths(curves(claim, table), claim)
    if len(each) < 2 or claim.paper not in each:
        return None
    ours = max(each, key=lambda name: each[name])
    return Finding(ours, verdict=when(ours == claim.paper), detail={"per_trace": each})


def _apart(claim: Claim, table: Table, _: object) -> Finding | None:
    """Judge whether the claim's traces, or settings, are all below or above the others."""
    whole = replace(claim, workloads=[], points=[])
    every = over_seeds(whole, table) if claim.rivals else curves(whole, table)
    if claim.points:
        return _more(claim, every)
    levels = means(every)
    own = [level for name, level in levels.items() if name in claim.workloads]
    others = [level for name, level in levels.items() if name not in claim.workloads]
    if not own or not others:
        return None
    below = claim.paper == "below"
    split = max(own) < min(others) if below else min(own) > max(others)
    less = statistics.fmean(own) < statistics.fmean(others)
    verdict, detail = when(split, less == below), {"per_trace": levels}
    return Finding("yes" if split else "no", None, None, less == below, None, verdict, detail)


def _more(claim: Claim, every: Mapping[str, Curve]) -> Finding | None:
    """Judge whether a change is more at some settings than at the others, on average."""
    named = {n: of for n, of in every.items() if not claim.workloads or n in claim.workloads}
    figures = [(at in claim.points, change) for of in named.values() for at, change in of.items()]
    here, there = ([change for at, change in figures if at is named] for named in (True, False))
    if not here or not there:
        return None
    ours = statistics.fmean(here) - statistics.fmean(there)
    holds = ours > NO_CHANGE
    return Finding(ours, None, None, holds, verdict=when(holds), detail={"changes": named})


FIND = {
    "goes": _goes,
    "optimum": _optimum,
    "above": _above,
    "ends-below": _ends_below,
    "reaches": _reaches,
    "widest": _widest,
    "apart": _apart,
}
