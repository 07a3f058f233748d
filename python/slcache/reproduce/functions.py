"""What claims' functions find of the points: numbers, statements, and the verdicts on them."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import Field

from slcache.documents import figures
from slcache.documents.schemata import CLOSED
from slcache.reproduce.measures import AbsentError, present
from slcache.reproduce.notation import Expected, mean
from slcache.reproduce.points import Curve, Curves, PointSelection, means, optimum

REPRODUCED = "reproduced"
#: The paper gives a limit, and ours keeps it: less than a figure that comes out.
CONSISTENT = "consistent"
SAME_DIRECTION = "same direction"
NOT_REPRODUCED = "not reproduced"
CANNOT_HOLD = "cannot hold"
NOT_SIMULABLE = "cannot be simulated"
#: A figure of some of the traces that the claim is of: it is shown, and says nothing of all.
NOT_JUDGED = "not judged"
NOT_RUN = "no data"
#: What runs can say of a claim that they can tell of.
JUDGED = (REPRODUCED, CONSISTENT, SAME_DIRECTION, NOT_REPRODUCED)
VERDICTS = (*JUDGED, CANNOT_HOLD, NOT_SIMULABLE, NOT_JUDGED, NOT_RUN)
Verdict = Annotated[str, Field(json_schema_extra={"enum": [*VERDICTS]})]

#: What arithmetic may be off.
_ROUNDING = 1e-9
#: A change of at most so many percent has no direction.
NO_CHANGE = 100 * figures.TIE
#: How many times as large, or as small, as the paper's a figure of the same direction may be:
#: +81 % is no likeness of +30 %.
LIMIT = 2


@dataclass(frozen=True)
class Finding:
    """What the runs say about a claim."""

    ours: Any
    """In the claim's unit; null without data."""
    spread: list[Any] | None = None
    """Lowest and highest over the seeds."""
    distance: float | None = None
    same_sign: bool | None = None
    same_order: bool | None = None
    verdict: Verdict = NOT_RUN
    detail: Mapping[str, Any] = field(default_factory=dict)
    """What the figure was made of."""
    missing: list[str] = field(default_factory=list)
    """Traces that the claim is of and that were not run."""

    __pydantic_config__ = CLOSED


def sign(percent: float) -> int:
    """Return -1, 0 or 1; a change too small to have a direction is 0."""
    return 0 if abs(percent) <= NO_CHANGE else int(math.copysign(1, percent))


def alike(ours: float, paper: float) -> bool:
    """Return whether a change has the paper's direction, and half to twice its size."""
    size, limit = abs(ours), abs(paper)
    same = sign(ours) == sign(paper) != 0
    return same and limit <= LIMIT * size and size <= LIMIT * limit


def when(holds: bool, likeness: bool = False) -> str:
    """Return the verdict on what holds, is like it at least, or does not hold."""
    return REPRODUCED if holds else SAME_DIRECTION if likeness else NOT_REPRODUCED


# ---- Functions that come to a number. AbsentError where the runs have no such.


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


def combined(apply: Callable[..., float], parts: Sequence[Number | float]) -> Number | float:
    """Return arithmetic over numbers, seed by seed where all have the same."""
    numbers = [part for part in parts if isinstance(part, Number)]
    if not numbers:
        return apply(*parts)
    if text := next((each for each in numbers if isinstance(each.ours, str)), None):
        return text
    common = [s for s in numbers[0].seeds if all(s in each.seeds for each in numbers)]
    ends = [each.ends for each in numbers if each.ends]
    return Number(
        apply(*(part.ours if isinstance(part, Number) else part for part in parts)),
        {s: apply(*(p.seeds[s] if isinstance(p, Number) else p for p in parts)) for s in common},
        numbers[0].detail if len(numbers) == 1 else {},
        [mean(*each) for each in zip(*ends, strict=True)] if apply is mean and ends else None,
        relative=apply is mean and all(each.relative for each in numbers),
        setting=all(each.setting for each in numbers),
    )


def judged(found: Number, paper: Expected) -> Finding:
    """Judge a number by its size, its direction alone, or the paper's limit."""
    ours, spread = found.ours, found.spread
    detail = {"per_seed": list(found.seeds.values())} if found.setting else found.detail
    if isinstance(ours, str) and found.some is None:
        return Finding(ours, verdict=NOT_REPRODUCED, detail=detail)
    if paper.form == "direction":
        above = paper.paper == "above"
        same = found.some and above if isinstance(ours, str) else sign(ours) == (1 if above else -1)
        shown = {} if found.relative else detail
        return Finding(ours, spread, None, same, verdict=when(bool(same)), detail=shown)
    if isinstance(ours, str):
        raise AbsentError
    theirs = float(paper.paper)
    near, same = abs(ours - theirs) <= paper.tolerance, sign(ours) == sign(theirs)
    if paper.form == "limit":
        verdict = CONSISTENT if ours <= theirs else NOT_REPRODUCED
    elif not found.relative:
        # Settings such as 0.3, made a percentage, are rounded.
        verdict = when(abs(ours - theirs) <= paper.tolerance + _ROUNDING)
    else:
        verdict = when(near and (same or theirs == 0), alike(ours, theirs))
        beyond = {"above": ours > theirs, "below": ours < theirs}.get(paper.better, False)
        verdict = CONSISTENT if beyond and verdict != REPRODUCED else verdict
    told = same if found.relative and paper.form != "limit" else None
    return Finding(ours, spread, ours - theirs, told, None, verdict, detail)


def change(points: PointSelection) -> Number:
    """Return the change's mean over rivals, traces and settings, or that of the trace with most."""
    over, seeds = max if points.more.which == "most" else statistics.fmean, {}
    for seed in points.table.seeds:
        each = [means(points.changes(seed, rival)) for rival in points.rivals]
        if all(each):
            seeds[seed] = statistics.fmean(over(of.values()) for of in each)
    if not seeds:
        return _beside_nothing(points)
    detail = _averages(points) if len(points.rivals) == 1 else {}
    # The mean of the seeds' maxima would count every seed's luck: the trace that gains most on
    # average is what is meant.
    of = detail["per_trace"] if over is max else seeds
    return Number(over(of.values()), seeds, detail, relative=True)


def _averages(points: PointSelection) -> dict[str, Any]:
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


def _beside_nothing(points: PointSelection) -> Number:
    """Tell of the sums where the rival has nothing of it on any trace.

    More than nothing has no size as a change, but it has a direction.
    """
    schemes = (points.scheme, points.rivals[0])
    each = [[points.mean(scheme, name) for scheme in schemes] for name in points.traces]
    both = [(own, other) for own, other in each if own is not None and other is not None]
    if not both or any(other for _, other in both):
        raise AbsentError
    whole = sum(own for own, _ in both)
    return Number(f"{whole:.3g} against 0", some=whole > 0)


def largest(points: PointSelection) -> Number:
    """Return the largest figure of the traces and seeds; of a grid's settings the largest mean."""
    if points.is_grid:
        return widest_of(points, max)
    known = (points.table.values(points.call.column, points.scheme, n) for n in points.traces)
    return Number(present(max(itertools.chain.from_iterable(known), default=None)))


def total(points: PointSelection) -> Number:
    """Return the sum over the traces, of the scheme that has most."""
    sums = {s: points.figures(scheme=s) for s in points.call.schemes or points.table.schemes}
    each = {scheme: sum(means(of).values()) for scheme, of in sums.items() if of}
    return Number(present(max(each.values(), default=None)), detail={"per_scheme": each})


def widest_of(
    points: PointSelection,
    reduce: Callable[[Sequence[float]], float | None],
    *,
    seeds: bool = False,
) -> Number:
    """Return what a grid's figures come to on the trace where that is most."""
    each = _reduced(points.figures(), reduce)
    of_seeds = {s: _reduced(points.figures(s), reduce) for s in points.table.seeds if seeds}
    most = {seed: max(of.values()) for seed, of in of_seeds.items() if of}
    return Number(present(max(each.values(), default=None)), most, {"per_trace": each})


def _reduced(curves: Curves, reduce: Callable[[Sequence[float]], float | None]) -> dict[str, float]:
    """Return what each trace's curve comes to, where it comes to something."""
    found = {name: reduce(list(curve.values())) for name, curve in curves.items()}
    return {name: figure for name, figure in found.items() if figure is not None}


def span(figures: Sequence[float]) -> float:
    """Return how far the least and the most are apart."""
    return max(figures) - min(figures)


def swing(figures: Sequence[float]) -> float | None:
    """Return by how many percent the most is above the least."""
    return 100 * (max(figures) / min(figures) - 1) if min(figures) > 0 else None


def _enough(points: PointSelection, each: dict[str, float]) -> dict[str, float]:
    """Return figures by trace; AbsentError where they are of fewer traces than are needed."""
    return present(each if each and len(each) >= points.more.of else None)


def count_above(points: PointSelection) -> Number:
    """Count the traces where the column is above so much."""
    each = _enough(points, means(points.figures()))
    above = sum(figure > points.more.more_than for figure in each.values())
    return Number(above, detail={"per_trace": each})


def where(points: PointSelection, which: str) -> Number:
    """Return the setting of the grid with the least, or most, of the column on the trace named."""
    (trace,) = points.more.on
    curves = {seed: points.figures(seed).get(trace) for seed in points.table.seeds}
    seeds = {seed: optimum(curve, which) for seed, curve in curves.items() if curve}
    return Number(optimum(present(points.figures().get(trace)), which), seeds, setting=True)


def reaches(points: PointSelection) -> Number:
    """Return the first setting where the column is so many times that of the grid's first."""
    curve = present(next(iter(points.figures().values()), None))
    each = [(seed, c) for seed in points.table.seeds for c in points.figures(seed).values()]
    firsts = {seed: _first(c, points.more.times) for seed, c in each}
    detail = {"times": {f"{at:g}": of / curve[min(curve)] for at, of in curve.items()}}
    ours = _first(curve, points.more.times)
    if ours is None:
        return Number(f"never: {max(detail['times'].values()):.2f} at most", detail=detail)
    return Number(ours, {s: at for s, at in firsts.items() if at is not None}, detail)


def _first(curve: Curve, times: float) -> float | None:
    least = times * curve[min(curve)]
    return next((at for at in sorted(curve) if curve[at] >= least), None)


def more_there(points: PointSelection) -> Number:
    """Return by how many points a change is more at some settings than at the others."""
    every, there = points.without("at").changes(), points.more.at
    figures = [(x in there, change) for of in every.values() for x, change in of.items()]
    own, others = ([change for at, change in figures if at is named] for named in (True, False))
    if not own or not others:
        raise AbsentError
    return Number(statistics.fmean(own) - statistics.fmean(others), detail={"changes": every})


# ---- Statements.


def _each(
    curves: Curves,
    name: str,
    show: Callable[[Curve], Any],
    holds: Callable[[Curve, Any], bool],
) -> Finding:
    """Judge a claim of every trace by its curve and what is shown of that."""
    shown = {trace: show(curve) for trace, curve in curves.items()}
    return _counted({n: holds(curves[n], of) for n, of in shown.items()}, {name: shown})


def _counted(holds: Mapping[str, bool], detail: dict[str, Any]) -> Finding:
    """Judge a claim of every trace by those that it holds on: half of them is a likeness."""
    count, total = sum(holds.values()), present(len(holds) or None)
    verdict = when(count == total, LIMIT * count >= total)
    return Finding(f"{count} of {total} traces", verdict=verdict, detail=detail)


def ends(points: PointSelection, paper: Expected) -> Finding:
    """Judge the lowest and highest of the column, or of the change, over traces and settings."""
    each = present(points.curves() or None)
    values = [value for of in each.values() for value in of.values()]
    ours, theirs = [min(values), max(values)], paper.paper
    off = [our - their for our, their in zip(ours, theirs, strict=True)]
    same = bool(points.rivals) and all(sign(end) == sign(theirs[0]) for end in ours)
    near = all(abs(each) <= paper.tolerance for each in off)
    verdict = when(near, same and all(map(alike, ours, theirs)))
    detail: dict[str, Any] = {"per_trace": means(each)}
    if points.is_grid:
        detail = {"ends": {name: [min(of.values()), max(of.values())] for name, of in each.items()}}
    told = same if points.rivals else None
    return Finding(ours, None, max(off, key=abs), told, None, verdict, detail)


def order(points: PointSelection, paper: Expected) -> Finding:
    """Judge the schemes by the mean of the column relative to the reference, ascending."""
    ranks = [group.split(" = ") for group in paper.paper]
    named = [name for group in ranks for name in group]
    known = points.table.relative_means(points.call.column, points.traces)
    # Schemes that the claim does not rank may have been run beside the others.
    ranked = {name: mean for name, mean in known.items() if name in named}
    if len(ranked) < len({*named}):
        raise AbsentError
    ours = sorted(ranked, key=lambda name: ranked[name])
    ends = ours[0] in ranks[0] and ours[-1] in ranks[-1]
    # Every group is equal within and below the next one.
    same = all(figures.equal(ranked[a], ranked[b]) for of in ranks for a in of for b in of) and all(
        ranked[a] < ranked[b] and not figures.equal(ranked[a], ranked[b])
        for low, high in itertools.pairwise(ranks)
        for a, b in itertools.product(low, high)
    )
    detail = {"relative_to_reference": ranked}
    return Finding(_with_ties(ours, ranked), None, None, None, same, when(same, ends), detail)


def _with_ties(names: Sequence[str], ranked: Mapping[str, float]) -> list[str]:
    """Return the order with equals joined, as claims write it."""
    groups: list[list[str]] = []
    for name in names:
        if groups and figures.equal(ranked[groups[-1][-1]], ranked[name]):
            groups[-1].append(name)
        else:
            groups.append([name])
    return [" = ".join(group) for group in groups]


def ahead(points: PointSelection, paper: Expected, which: str) -> Finding:
    """Judge whether the scheme, or a grid on average, has the least or the most of the column."""
    best = max if which == "most" else min
    among, winners = points.more.among, {}
    for name in points.traces:
        found = {s: _held(points, s, name) for s in among or points.table.schemes}
        values = {scheme: value for scheme, value in found.items() if value is not None}
        if points.scheme in values and len(values) > 1 and any(values.values()):
            top = best(values.values())
            winners[name] = [s for s, value in values.items() if figures.equal(value, top)]
    won = {name: points.scheme in who for name, who in winners.items()}
    count = _counted(won, {"winners": winners})
    if points.is_grid:
        return count
    known = points.table.relative_means(points.call.column, points.traces)
    rivals = [known[s] for s in among or known if s in known]
    average = bool(rivals) and figures.equal(known[points.scheme], best(rivals))
    every = paper.paper == "every trace"
    holds = all(won.values()) if every else average
    ours = count.ours if every else f"{'yes' if average else 'no'}; on {count.ours}"
    return replace(count, ours=ours, same_order=holds, verdict=when(holds, average))


def _held(points: PointSelection, scheme: str, trace: str) -> float | None:
    """Return a scheme's figure; of grids the mean of this one's over the first one's."""
    if not points.is_grid:
        return points.mean(scheme, trace)
    table, column, base = points.table, points.call.column, points.more.among[0]
    settings = table.curve(column, points.scheme, trace)
    parts = [
        ratio for at, ratio in table.ratios(column, scheme, base, trace).items() if at in settings
    ]
    return statistics.fmean(parts) if parts else None


def counted_on(points: PointSelection, paper: Expected, way: int) -> Finding:
    """Count the traces on which the change goes one way by more than 1 %."""
    each = _enough(points, means(points.changes()))
    chosen = [name for name, change in each.items() if way * change > NO_CHANGE]
    (low, high), count = paper.paper, len(chosen)
    verdict = when(low <= count <= high, low <= LIMIT * count and count <= LIMIT * high)
    detail = {"per_trace": each, "counted": chosen}
    return Finding(f"{count} of {len(each)} traces", verdict=verdict, detail=detail)


def goes(points: PointSelection, _: Expected, way: int) -> Finding:
    """Judge whether the column goes one way over the grid, or the change from trace to trace."""
    return (_over_grid if points.is_grid else _over_traces)(points, way)


def _over_grid(points: PointSelection, way: int) -> Finding:
    """Judge whether curves go one way; a step back of up to 1 % of the top is none."""
    every = {name: list(curve.values()) for name, curve in points.figures().items()}
    moves = {name: way * _step(values, 0, -1) > figures.TIE for name, values in every.items()}
    holds = {
        name: all(way * _step(of, i - 1, i) >= -figures.TIE for i in range(1, len(of)))
        and moves[name]
        for name, of in every.items()
        if len(of) > 1
    }
    found = _counted(holds, {"ends": {name: [of[0], of[-1]] for name, of in every.items()}})
    if found.verdict == NOT_REPRODUCED:
        return replace(found, verdict=when(False, all(moves.values())))
    return found


def _step(values: Sequence[float], before: int, after: int) -> float:
    """Return how much further a curve is at one place than at another, as a part of its top."""
    top = max(map(abs, values))
    return (values[after] - values[before]) / top if top else 0.0


def _over_traces(points: PointSelection, way: int) -> Finding:
    """Judge whether the change goes one way over the traces named, in their order."""
    known = means(points.changes())
    each = {name: known[name] for name in points.more.on if name in known}
    if not 2 <= len(each) == len(points.more.on):
        raise AbsentError
    values = list(each.values())
    steps = [way * (after - before) > 0 for before, after in itertools.pairwise(values)]
    ours = f"at {sum(steps)} of {len(steps)} steps"
    verdict = when(all(steps), way * (values[-1] - values[0]) > 0)
    return Finding(ours, verdict=verdict, detail={"per_trace": each})


def inside(points: PointSelection, paper: Expected, which: str) -> Finding:
    """Judge whether the least or most is inside the grid, or between two settings."""
    times = points.more.times

    def holds(curve: Curve, at: float) -> bool:
        if paper.form != "range":
            return at not in (times * min(curve), times * max(curve))
        return bool(paper.paper[0] - paper.tolerance <= at <= paper.paper[1] + paper.tolerance)

    curves = points.figures()
    return _each(curves, "per_trace", lambda curve: times * optimum(curve, which), holds)


def is_above(points: PointSelection, _: Expected) -> Finding:
    """Judge where the column is above so much: on traces, or at some settings of a grid alone."""
    limit, there = points.more.more_than, set(points.more.at)
    if not points.is_grid:
        each = {name: {0.0: of} for name, of in means(points.figures()).items()}
        return _each(each, "per_trace", lambda curve: curve[0.0], lambda _, figure: figure > limit)
    every = points.without("at").figures()
    found = _each(
        {name: curve for name, curve in every.items() if there < set(curve)},
        "above",
        lambda curve: [at for at, figure in curve.items() if figure > limit],
        lambda curve, above: there <= set(above) and len(above) < len(curve),
    )
    return replace(found, ours="; ".join(map(_at, found.detail["above"].values())))


def _at(settings: Sequence[float]) -> str:
    return f"above at {', '.join(f'{at:g}' for at in settings)}" if settings else "nowhere above"


def ends_below(points: PointSelection, _: Expected) -> Finding:
    """Judge whether both ends of the grid are below the mean of the rest, on every trace."""

    def shown(curve: Curve) -> list[float]:
        middle = statistics.fmean(curve[at] for at in sorted(curve)[1:-1])
        return [curve[min(curve)], middle, curve[max(curve)]]

    curves = {name: curve for name, curve in points.figures().items() if len(curve) > 2}
    return _each(curves, "first, mean, last", shown, lambda _, of: max(of[0], of[2]) < of[1])


def widest(points: PointSelection, paper: Expected) -> Finding:
    """Judge on which trace most over least of the grid is most."""
    each = _reduced(points.figures(), swing)
    if len(each) < 2 or paper.paper not in each:
        raise AbsentError
    ours = max(each, key=lambda name: each[name])
    return Finding(ours, verdict=when(ours == paper.paper), detail={"per_trace": each})


def apart(points: PointSelection, paper: Expected) -> Finding:
    """Judge whether the traces named are all below, or above, all the others."""
    levels = means(points.without("on").curves())
    own, others = (
        [level for name, level in levels.items() if (name in points.more.on) is named]
        for named in (True, False)
    )
    if not own or not others:
        raise AbsentError
    below = paper.paper == "below"
    split = max(own) < min(others) if below else min(own) > max(others)
    same = below == (statistics.fmean(own) < statistics.fmean(others))
    verdict, detail = when(split, same), {"per_trace": levels}
    return Finding("yes" if split else "no", None, None, same, None, verdict, detail)


# ---- All of them.
