"""What claims are of: a measure, or its change against a rival, by trace and setting of a grid."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from slcache.reproduce.claims import Claim
from slcache.reproduce.table import Table

#: Figures by setting; a scheme that is no grid has one, at 0.
Curve = dict[float, float]


def curves(
    claim: Claim, table: Table, scale: float = 1.0, seed: int | None = None, scheme: str = ""
) -> dict[str, Curve]:
    """Return the measure by trace and setting: the means over the seeds, or one seed's."""
    found = {}
    for name in table.workloads_of(claim):
        curve = table.by_setting(claim.measure, scheme or claim.scheme, name, seed)
        wanted = {at: v for at, v in curve.items() if not claim.points or at in claim.points}
        found[name] = {at: scale * value for at, value in wanted.items()}
    return {name: curve for name, curve in found.items() if curve}


def changes(claim: Claim, table: Table, rival: str, seed: int) -> dict[str, Curve]:
    """Return a seed's scheme / rival - 1 in percent by trace and setting."""
    found = {}
    for name, curve in curves(claim, table, seed=seed).items():
        others = table.beside(curve, claim.measure, rival, name, seed)
        found[name] = {at: 100 * (curve[at] / other - 1) for at, other in others.items() if other}
    return {name: of for name, of in found.items() if of}


def over_seeds(claim: Claim, table: Table) -> dict[str, Curve]:
    """Return the same, the means over the seeds that have it, against the only rival."""
    (rival,) = claim.rivals
    seeds = [changes(claim, table, rival, seed) for seed in table.seeds]
    found: dict[str, dict[float, list[float]]] = {}
    for of in seeds:
        for name, curve in of.items():
            for at, change in curve.items():
                found.setdefault(name, {}).setdefault(at, []).append(change)
    order = [name for name in table.workloads_of(claim) if name in found]
    return {n: {at: statistics.fmean(of) for at, of in found[n].items()} for n in order}


def means(each: Mapping[str, Curve]) -> dict[str, float]:
    """Return each trace's mean over the settings."""
    return {name: statistics.fmean(of.values()) for name, of in each.items()}


def relative(claim: Claim, table: Table, grid: str, workload: str) -> float | None:
    """Return the mean over the claimed grid's settings of a grid / the first of those named."""
    settings = table.curve(claim.measure, claim.scheme, workload)
    own, base = (
        table.beside(settings, claim.measure, name, workload) for name in (grid, claim.among[0])
    )
    parts = [figure / base[at] for at, figure in own.items() if base.get(at)]
    return statistics.fmean(parts) if parts else None
