"""What a claim's expression comes to, and the verdict: statements, and numbers beside a paper's."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from slcache.documents import normalise
from slcache.reproduce import quantities
from slcache.reproduce.optima import optimum
from slcache.reproduce.points import Call, Points, Reference, Table, Term, evaluate, mean, means
from slcache.reproduce.quantities import Number
from slcache.reproduce.verdicts import (
    CONSISTENT,
    LIMIT,
    NO_CHANGE,
    NOT_REPRODUCED,
    REPRODUCED,
    Expected,
    Finding,
    counted,
    of_change,
    of_ends,
    of_limit,
    of_value,
    sign,
    when,
)


def _ends(points: Points, paper: Expected) -> Finding | None:
    """Judge the lowest and highest of the column, or of the change, over traces and settings."""
    each = points.curves()
    if not each:
        return None
    values = [value for of in each.values() for value in of.values()]
    ours = [min(values), max(values)]
    off = [our - theirs for our, theirs in zip(ours, paper.paper, strict=True)]
    same = bool(points.rivals) and all(sign(end) == sign(paper.paper[0]) for end in ours)
    verdict = of_ends(ours, paper.paper, paper.tolerance, same=same)
    detail: dict[str, Any] = {"per_trace": means(each)}
    if points.is_grid:
        detail = {"ends": {name: [min(of.values()), max(of.values())] for name, of in each.items()}}
    told = same if points.rivals else None
    return Finding(ours, None, max(off, key=abs), told, None, verdict, detail)


def _order(points: Points, paper: Expected) -> Finding | None:
    """Judge the schemes by the mean of the column relative to the reference, ascending."""
    ranks = [group.split(" = ") for group in paper.paper]
    known = points.table.relative_means(points.call.column, points.traces)
    if any(name not in known for group in ranks for name in group):
        return None
    # Schemes that the claim does not rank may have been run beside the others.
    ranked = {name: mean for name, mean in known.items() if any(name in group for group in ranks)}
    ours = sorted(ranked, key=lambda name: ranked[name])
    ends = ours[0] in ranks[0] and ours[-1] in ranks[-1]
    same = _in_order(ranks, ranked)
    detail = {"relative_to_reference": ranked}
    return Finding(_with_ties(ours, ranked), None, None, None, same, when(same, ends), detail)


def _in_order(ranks: Sequence[Sequence[str]], ranked: Mapping[str, float]) -> bool:
    """Return whether every group is equal within and below the next one."""
    within = all(normalise.equal(ranked[a], ranked[b]) for of in ranks for a in of for b in of)
    below = all(
        ranked[a] < ranked[b] and not normalise.equal(ranked[a], ranked[b])
        for low, high in itertools.pairwise(ranks)
        for a, b in itertools.product(low, high)
    )
    return within and below


def _with_ties(names: Sequence[str], ranked: Mapping[str, float]) -> list[str]:
    """Return the order with equals joined, as claims write it."""
    groups: list[list[str]] = []
    for name in names:
        if groups and normalise.equal(ranked[groups[-1][-1]], ranked[name]):
            groups[-1].append(name)
        else:
            groups.append([name])
    return [" = ".join(group) for group in groups]


def _ahead(points: Points, paper: Expected, which: str) -> Finding | None:
    """Judge whether the scheme, or a grid on average, has the least or the most of the column."""
    best = max if which == "most" else min
    among, winners = points.call.more.get("among"), {}
    for name in points.traces:
        found = {s: _held(points, s, name) for s in among or points.table.schemes}
        values = {scheme: value for scheme, value in found.items() if value is not None}
        if points.scheme in values and len(values) > 1 and any(values.values()):
            top = best(values.values())
            winners[name] = [s for s, value in values.items() if normalise.equal(value, top)]
    won = {name: points.scheme in who for name, who in winners.items()}
    count = counted(won, {"winners": winners})
    if count is None or points.is_grid:
        return count
    known = points.table.relative_means(points.call.column, points.traces)
    rivals = [known[s] for s in among or known if s in known]
    average = bool(rivals) and normalise.equal(known[points.scheme], best(rivals))
    every = paper.paper == "every trace"
    holds = all(won.values()) if every else average
    ours = count.ours if every else f"{'yes' if average else 'no'}; on {count.ours}"
    return Finding(ours, None, None, None, holds, when(holds, average), count.detail)


def _held(points: Points, scheme: str, trace: str) -> float | None:
    """Return a scheme's figure; of grids the mean of this one's over the first one's."""
    if not points.is_grid:
        return points.mean(scheme, trace)
    table, column = points.table, points.call.column
    settings = table.curve(column, points.scheme, trace)
    grids = (scheme, points.call.more["among"][0])
    own, base = (table.beside(settings, column, name, trace) for name in grids)
    parts = [figure / base[at] for at, figure in own.items() if base.get(at)]
    return statistics.fmean(parts) if parts else None


def _on(points: Points, paper: Expected, way: int) -> Finding | None:
    """Count the traces on which the change goes one way by more than 1 %."""
    each = means(points.changes())
    if not each or len(each) < points.call.more.get("of", 0):
        return None
    chosen = [name for name, change in each.items() if way * change > NO_CHANGE]
    (low, high), count = paper.paper, len(chosen)
    near = low <= LIMIT * count and count <= LIMIT * high
    verdict = when(low <= count <= high, near)
    detail = {"per_trace": each, "counted": chosen}
    return Finding(f"{count} of {len(each)} traces", verdict=verdict, detail=detail)


def _goes(points: Points, _: Expected, way: int) -> Finding | None:
    """Judge whether the column goes one way over the grid, or the change from trace to trace."""
    return (_over_grid if points.is_grid else _over_traces)(points, way)


def _over_grid(points: Points, way: int) -> Finding | None:
    """Judge whether curves go one way; a step back of up to 1 % of the top is none."""
    every = {name: list(curve.values()) for name, curve in points.figures().items()}
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


def _over_traces(points: Points, way: int) -> Finding | None:
    """Judge whether the change goes one way over the traces named, in their order."""
    known = means(points.changes())
    each = {name: known[name] for name in points.call.on if name in known}
    if not 2 <= len(each) == len(points.call.on):
        return None
    values = list(each.values())
    steps = [way * (after - before) > 0 for before, after in itertools.pairwise(values)]
    ours = f"at {sum(steps)} of {len(steps)} steps"
    ends = way * (values[-1] - values[0]) > 0
    return Finding(ours, verdict=when(all(steps), ends), detail={"per_trace": each})


def _inside(points: Points, paper: Expected, which: str) -> Finding | None:
    """Judge whether the least or most is inside the grid, or between two settings."""
    times, every = points.call.more.get("times", 1), points.figures()
    best = {name: times * optimum(of, which) for name, of in every.items()}
    if paper.form == "range":
        low, high = paper.paper[0] - paper.tolerance, paper.paper[1] + paper.tolerance
        holds = {name: low <= at <= high for name, at in best.items()}
    else:
        holds = {n: best[n] not in (times * min(of), times * max(of)) for n, of in every.items()}
    return counted(holds, {"per_trace": best})


def _above(points: Points, _: Expected) -> Finding | None:
    """Judge where the column is above so much: on traces, or at some settings of a grid alone."""
    limit = points.call.more.get("more_than", 0)
    if not points.is_grid:
        each = means(points.figures())
        return counted({n: value > limit for n, value in each.items()}, {"per_trace": each})
    every, there = points.without("at").figures(), set(points.call.more.get("at", ()))
    above = {
        name: [at for at, figure in curve.items() if figure > limit]
        for name, curve in every.items()
        if there < set(curve)
    }
    holds = {n: there <= set(found) and len(found) < len(every[n]) for n, found in above.items()}
    found = counted(holds, {"above": above})
    return found and replace(found, ours="; ".join(map(_at, above.values())))


def _at(settings: Sequence[float]) -> str:
    return f"above at {', '.join(f'{at:g}' for at in settings)}" if settings else "nowhere above"


def _ends_below(points: Points, _: Expected) -> Finding | None:
    """Judge whether both ends of the grid are below the mean of the rest, on every trace."""
    each = {}
    for name, curve in points.figures().items():
        if inside := sorted(curve)[1:-1]:
            middle = statistics.fmean(curve[at] for at in inside)
            each[name] = [curve[min(curve)], middle, curve[max(curve)]]
    holds = {name: max(first, last) < middle for name, (first, middle, last) in each.items()}
    return counted(holds, {"first, mean, last": each})


def _widest(points: Points, paper: Expected) -> Finding | None:
    """Judge on which trace most over least of the grid is most."""
    each = quantities.reduced(points.figures(), quantities.swing)
    if len(each) < 2 or paper.paper not in each:
        return None
    ours = max(each, key=lambda name: each[name])
    return Finding(ours, verdict=when(ours == paper.paper), detail={"per_trace": each})


def _apart(points: Points, paper: Expected) -> Finding | None:
    """Judge whether the traces named are all below, or above, all the others."""
    levels = means(points.without("on").curves())
    own = [level for name, level in levels.items() if name in points.call.on]
    others = [level for name, level in levels.items() if name not in points.call.on]
    if not own or not others:
        return None
    below = paper.paper == "below"
    split = max(own) < min(others) if below else min(own) > max(others)
    less = statistics.fmean(own) < statistics.fmean(others)
    verdict, detail = when(split, less == below), {"per_trace": levels}
    return Finding("yes" if split else "no", None, None, less == below, None, verdict, detail)


#: Forms of what a paper has, or the very words, that functions fit.
_NUMBER = ("number", "limit", "direction")
_EACH = ("every trace",)
_STEPS, _PLACES = (*_EACH, "at every step"), (*_EACH, "range")
_AHEAD, _THERE = (*_EACH, "on average"), (*_EACH, "above there")


@dataclass(frozen=True)
class Function:
    """A function: how it is found, what it takes, and which forms of a paper's figure it fits."""

    find: Callable[..., Any]
    #: Its keywords, and those of them that it cannot do without.
    keywords: str = "on at"
    needs: str = ""
    #: The least and the most schemes that it takes.
    schemes: tuple[int, int] = (1, 1)
    forms: tuple[str, ...] = _NUMBER
    #: Whether the scheme is a grid: always, or where no other is named.
    grid: str = ""
    #: Whether it is of the traces named beside all others.
    of_others: bool = False

    @property
    def stands_alone(self) -> bool:
        """Whether it comes to no number."""
        return self.forms != _NUMBER

    def is_of_a_grid(self, call: Call) -> bool:
        """Return whether a call's first scheme must be a grid."""
        return self.grid == "always" or (self.grid == "alone" and len(call.schemes) == 1)


_grid = partial(Function, grid="always")

FUNCTIONS = {
    "change": Function(quantities.change, "on at which", schemes=(2, 9)),
    "largest": Function(quantities.largest),
    "total": Function(quantities.total, schemes=(0, 1)),
    "span": _grid(partial(quantities.widest_of, reduce=quantities.span, seeds=True)),
    "swing": _grid(partial(quantities.widest_of, reduce=quantities.swing)),
    "count": Function(quantities.count, "on of more_than", "more_than"),
    "where_least": _grid(partial(quantities.best, which="least"), "on", "on"),
    "where_most": _grid(partial(quantities.best, which="most"), "on", "on"),
    "reaches": _grid(quantities.reaches, "on times", "on times"),
    "more_there": _grid(quantities.more_there, "on at", "at", (2, 2)),
    "ends": Function(_ends, schemes=(1, 2), forms=("range",)),
    "order": Function(_order, "on", schemes=(0, 0), forms=("order",)),
    "least": Function(partial(_ahead, which="least"), "on among", forms=_AHEAD),
    "most": Function(partial(_ahead, which="most"), "on among", forms=_AHEAD),
    "up_on": Function(partial(_on, way=1), "on of", schemes=(2, 2), forms=("range",)),
    "down_on": Function(partial(_on, way=-1), "on of", schemes=(2, 2), forms=("range",)),
    "rises": Function(partial(_goes, way=1), schemes=(1, 2), forms=_STEPS, grid="alone"),
    "falls": Function(partial(_goes, way=-1), schemes=(1, 2), forms=_STEPS, grid="alone"),
    "valley": _grid(partial(_inside, which="least"), "on times", forms=_PLACES),
    "peak": _grid(partial(_inside, which="most"), "on times", forms=_PLACES),
    "above": Function(_above, "on at more_than", forms=_THERE),
    "ends_below": _grid(_ends_below, forms=_EACH),
    "widest": _grid(_widest, forms=("words",)),
    "apart": Function(_apart, "on", "on", (1, 2), ("direction",), of_others=True),
}


def find(term: Term, paper: Expected, table: Table, before: Mapping[str, Finding]) -> Finding:
    """Return what the runs say of an expression; `before` are the claims judged before it."""
    if isinstance(term, Call) and FUNCTIONS[term.function].stands_alone:
        found = FUNCTIONS[term.function].find(Points(term, table), paper)
    else:

        def number(leaf: Call | Reference) -> Number | None:
            if isinstance(leaf, Call):
                of_points: Number | None = FUNCTIONS[leaf.function].find(Points(leaf, table))
                return of_points
            known = before[leaf.claim]
            # A direction against nothing has no size.
            if not isinstance(known.ours, int | float):
                return None
            return Number(known.ours, ends=known.spread, relative=known.same_sign is not None)

        value = evaluate(term, number, _combined)
        found = None if value is None else _of_number(value, paper)
    return found or Finding(None)


def _combined(apply: Callable[..., float], parts: Sequence[Number | float]) -> Number | float:
    """Return arithmetic over numbers, seed by seed where all have the same."""
    numbers = [part for part in parts if isinstance(part, Number)]
    if not numbers:
        return apply(*parts)
    if text := next((each for each in numbers if isinstance(each.ours, str)), None):
        return text
    seeds = [set(each.seeds) for each in numbers]
    common = [seed for seed in numbers[0].seeds if all(seed in of for of in seeds)]
    ends = [each.ends for each in numbers if each.ends]
    return Number(
        apply(*(part.ours if isinstance(part, Number) else part for part in parts)),
        {s: apply(*(p.seeds[s] if isinstance(p, Number) else p for p in parts)) for s in common},
        numbers[0].detail if len(numbers) == 1 else {},
        [mean(*each) for each in zip(*ends, strict=True)] if apply is mean and ends else None,
        relative=apply is mean and all(each.relative for each in numbers),
        setting=all(each.setting for each in numbers),
    )


def _of_number(found: Number, paper: Expected) -> Finding | None:
    """Judge a number by its size, its direction alone, or the paper's limit."""
    ours, spread, detail = found.ours, found.spread, found.detail
    if found.setting:
        detail = {"per_seed": list(found.seeds.values())}
    if isinstance(ours, str) and found.some is None:
        return Finding(ours, verdict=NOT_REPRODUCED, detail=detail)
    if paper.form == "direction":
        same = found.some and paper.paper == "above"
        if not isinstance(ours, str):
            same = sign(ours) == (1 if paper.paper == "above" else -1)
        shown = {} if found.relative else detail
        return Finding(ours, spread, None, same, verdict=when(bool(same)), detail=shown)
    if isinstance(ours, str):
        return None
    theirs = float(paper.paper)
    if paper.form == "limit":
        return Finding(ours, spread, ours - theirs, verdict=of_limit(ours, theirs), detail=detail)
    if not found.relative:
        verdict = of_value(ours, theirs, paper.tolerance)
        return Finding(ours, spread, ours - theirs, verdict=verdict, detail=detail)
    verdict = of_change(ours, theirs, paper.tolerance)
    beyond = {"above": ours > theirs, "below": ours < theirs}.get(paper.better, False)
    verdict = CONSISTENT if beyond and verdict != REPRODUCED else verdict
    same = sign(ours) == sign(theirs)
    return Finding(ours, spread, ours - theirs, same, None, verdict, detail)
