"""The functions of claims' expressions that come to a number."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slcache.reproduce.optima import optimum
from slcache.reproduce.points import Curve, Curves, Points, means

#: Makes one figure of a grid's; None where they have no such.
Reduce = Callable[[Sequence[float]], float | None]


@dataclass(frozen=True)
class Number:
    """A number of the points, with what the seeds say of it alone."""

    #: A text where it has no size.
    ours: Any
    seeds: Mapping[int, float] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)
    #: Lowest and highest, where no seeds are known.
    ends: list[float] | None = None
    #: Whether it is a change in percent, which has a direction.
    relative: bool = False
    #: Whether it is a setting, of which each seed has its own.
    setting: bool = False
    #: Whether a text means more than nothing.
    some: bool | None = None

    @property
    def spread(self) -> list[float] | None:
        """Return the lowest and the highest of the seeds."""
        return [min(self.seeds.values()), max(self.seeds.values())] if self.seeds else self.ends


def change(points: Points) -> Number | None:
    """Return the change's mean over rivals, traces and settings, or that of the trace with most."""
    most = points.call.more.get("which") == "most"
    seeds = {}
    for seed in points.table.seeds:
        each = [means(points.changes(seed, rival)) for rival in points.rivals]
        if all(each):
            over = max if most else statistics.fmean
            seeds[seed] = statistics.fmean(over(of.values()) for of in each)
    if not seeds:
        return _beside_nothing(points)
    detail = _averages(points) if len(points.rivals) == 1 else {}
    # The mean of the seeds' maxima would count every seed's luck: the trace that gains most on
    # average is what is meant.
    ours = max(detail["per_trace"].values()) if most else statistics.fmean(seeds.values())
    return Number(ours, seeds, detail, relative=True)


def _averages(points: Points) -> dict[str, Any]:
    """Return each trace's change, and the average taken in other ways."""
    each = means(points.changes())
    detail: dict[str, Any] = {"per_trace": each}
    if points.is_grid:
        return detail
    detail["undefined"] = [name for name in points.traces if name not in each]
    ratios = [1 + change / 100 for change in each.values()]
    if all(ratio > 0 for ratio in ratios):
        detail["geometric_mean"] = 100 * (statistics.geometric_mean(ratios) - 1)
    own, other = (
        sum(points.mean(scheme, name) or 0.0 for name in points.traces)
        for scheme in points.call.schemes
    )
    if other:
        detail["of_sums"] = 100 * (own / other - 1)
    return detail


def _beside_nothing(points: Points) -> Number | None:
    """Tell of the sums where the rival has nothing of it on any trace.

    More than nothing has no size as a change, but it has a direction.
    """
    (rival, *_) = points.rivals
    each = [
        [points.mean(scheme, name) for scheme in (points.scheme, rival)] for name in points.traces
    ]
    both = [(own, other) for own, other in each if own is not None and other is not None]
    if not both or any(other for _, other in both):
        return None
    whole = sum(own for own, _ in both)
    return Number(f"{whole:.3g} against 0", some=whole > 0)


def largest(points: Points) -> Number | None:
    """Return the largest figure of the traces and seeds; of a grid's settings the largest mean."""
    if points.is_grid:
        return widest_of(points, reduce=max)
    known = (points.table.values(points.call.column, points.scheme, n) for n in points.traces)
    each = [max(values) for values in known if values]
    return Number(max(each)) if each else None


def total(points: Points) -> Number | None:
    """Return the sum over the traces, of the scheme that has most."""
    sums = {s: points.figures(scheme=s) for s in points.call.schemes or points.table.schemes}
    each = {scheme: sum(means(of).values()) for scheme, of in sums.items() if of}
    return Number(max(each.values()), detail={"per_scheme": each}) if each else None


def widest_of(points: Points, reduce: Reduce, *, seeds: bool = False) -> Number | None:
    """Return what a grid's figures come to on the trace where that is most."""
    each = reduced(points.figures(), reduce)
    if not each:
        return None
    of_seeds = {s: reduced(points.figures(s), reduce) for s in points.table.seeds if seeds}
    most = {seed: max(of.values()) for seed, of in of_seeds.items() if of}
    return Number(max(each.values()), most, {"per_trace": each})


def reduced(curves: Curves, reduce: Reduce) -> dict[str, float]:
    """Return what each trace's curve comes to, where it comes to something."""
    found = {name: reduce(list(curve.values())) for name, curve in curves.items()}
    return {name: figure for name, figure in found.items() if figure is not None}


def span(figures: Sequence[float]) -> float:
    """Return the most less the least."""
    return max(figures) - min(figures)


def swing(figures: Sequence[float]) -> float | None:
    """Return by how many percent the most is above the least."""
    return 100 * (max(figures) / min(figures) - 1) if min(figures) > 0 else None


def count(points: Points) -> Number | None:
    """Count the traces where the column is above so much; nothing where there are fewer."""
    each, more = means(points.figures()), points.call.more
    if not each or len(each) < more.get("of", 0):
        return None
    above = sum(value > more["more_than"] for value in each.values())
    return Number(above, detail={"per_trace": each})


def best(points: Points, which: str) -> Number | None:
    """Return the setting of the grid with the least, or most, of the column on the trace named."""
    (trace,) = points.call.on
    curves = {seed: points.figures(seed).get(trace) for seed in points.table.seeds}
    seeds = {seed: optimum(curve, which) for seed, curve in curves.items() if curve}
    means_ = points.figures().get(trace)
    return Number(optimum(means_, which), seeds, setting=True) if means_ else None


def reaches(points: Points) -> Number | None:
    """Return the first setting where the column is so many times that of the grid's first."""
    every = list(points.figures().values())
    if not every or not (least := every[0][min(every[0])]):
        return None
    times = points.call.more["times"]
    found = {seed: list(points.figures(seed).values()) for seed in points.table.seeds}
    firsts = {s: _first(c, times) for s, of in found.items() for c in of}
    detail = {"times": {f"{at:g}": figure / least for at, figure in every[0].items()}}
    ours = _first(every[0], times)
    if ours is None:
        return Number(f"never: {max(detail['times'].values()):.2f} at most", detail=detail)
    return Number(ours, {s: at for s, at in firsts.items() if at is not None}, detail)


def _first(curve: Curve, times: float) -> float | None:
    least = times * curve[min(curve)]
    return next((at for at in sorted(curve) if curve[at] >= least), None)


def more_there(points: Points) -> Number | None:
    """Return by how many points a change is more at some settings than at the others."""
    every, there = points.without("at").changes(), points.call.more["at"]
    figures = [(x in there, change) for of in every.values() for x, change in of.items()]
    own, others = ([change for at, change in figures if at is named] for named in (True, False))
    if not own or not others:
        return None
    return Number(statistics.fmean(own) - statistics.fmean(others), detail={"changes": every})
