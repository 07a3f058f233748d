"""Every check of every paper's claims can pass, can fail, and can be without data."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from slcache.reproduce import papers, plan
from slcache.reproduce.claims import Claim
from slcache.reproduce.expressions import Call, evaluate
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.parts import Part, Variant
from slcache.reproduce.points import Table

PLANS = {paper: plan.load(paper) for paper in papers()}
CASES = [
    pytest.param(paper, claim, id=f"{paper}-{claim.id}")
    for paper, loaded in PLANS.items()
    for claim in loaded.claims
    if not claim.not_simulable
]
#: A made-up figure for a place: a trace, by its number `t` of `traces` that the claim names or of
#: all, a scheme, which is the claim's `own` or another, or a setting `at` of a grid, by its number
#: `s` of `settings`.
Figures = Callable[[Any], float | None]


def first_of(paper: str, claim: Claim) -> tuple[Claim, Call]:
    """Return the claim that has the function, itself or one that it is made of, and that."""
    if claim.calls:
        return claim, claim.calls[0]
    return first_of(paper, next(c for c in PLANS[paper].claims if c.id == claim.of[0]))


@functools.cache
def points(paper: str) -> Mapping[str, tuple[str, int, int, Variant]]:
    """Return each point of the grids: its grid, its number there, how many, and the variant."""
    every = [(grid.name, grid.variants) for grid in PLANS[paper].grids]
    return {v.name: (name, i, len(of), v) for name, of in every for i, v in enumerate(of)}


@functools.cache
def schemes(paper: str, part: str) -> list[str]:
    """Return what the tables of a part have."""
    of = PLANS[paper]
    named = [variant.name for variant in of.expand(of.part(part).schemes)]
    return named + [pick.name for pick in of.picks if part in pick.parts]


class Synthetic(Table):
    """A table of a part whose figures are made up."""

    def __init__(
        self, paper: str, part: Part, claim: Claim, figures: Figures, without: str
    ) -> None:
        of, traces = PLANS[paper], PLANS[paper].traces_of(part)
        names = list(dict.fromkeys([*traces, *claim.traces]))
        documents: Any = {
            (w, s, 1): {} for w in names for s in schemes(paper, part.name) if w != without
        }
        super().__init__(documents, part.reference, names, of.grids, traces)
        self.named = [name for name in names if name in (claim.traces or names)]
        self.points, self.call, self.figures = points(paper), first_of(paper, claim)[1], figures

    def get(self, measure: str, workload: str, scheme: str, seed: int) -> float | None:
        """Return the made-up figure of a run that was made."""
        if (workload, scheme, seed) not in self.documents:
            return None
        grid, setting, count, variant = self.points.get(scheme, ("", 0, 1, None))
        named = workload in self.named
        place = SimpleNamespace(measure=measure, workload=workload, scheme=scheme, named=named)
        place.t, place.traces = self.named.index(workload) if named else 0, len(self.named)
        place.own = self.call.schemes[:1] in ((scheme,), (grid,))
        place.at, place.s, place.settings = variant and variant.point[0], setting, count
        return self.figures(place)


def judge(paper: str, claim: Claim, figures: Figures, without: str = "") -> Row:
    """Return the row of a claim, with those that it is of judged before it."""
    loaded = PLANS[paper]
    claims = [c for c in loaded.claims if c.id in claim.of] + [replace(claim, cannot_hold="")]
    # Those that it is of are all about one scheme.
    tables = {
        name: Synthetic(paper, loaded.part(name), claims[0], figures, without)
        for name in ("", *(part.name for part in loaded.parts))
    }
    return ledger(claims, tables)[-1]


def given(figures: Callable[..., float], *told: Any) -> Figures:  # noqa: ANN401
    """Return figures that are told these too."""
    return lambda p: figures(p, *told)


def beside(ends: list[float], base: float) -> Figures:
    """Return figures of the claim's scheme that go from end to end, above those of others."""

    def figure(p: Any) -> float:  # noqa: ANN401
        number, count = (p.s, p.settings) if p.settings > 1 else (p.t, p.traces)
        way = number / (count - 1) if count > 1 else 0
        return base + (ends[0] + (ends[-1] - ends[0]) * way if p.own or not base else 0)

    return figure


def two_of(*sizes: float) -> Figures:
    """Return figures of which the first measure that is asked for has one size, others another."""
    order: list[str] = []

    def figure(p: Any) -> float:  # noqa: ANN401
        order.extend([p.measure] * (p.measure not in order))
        return sizes[order.index(p.measure) % 2] if p.own else 1.0

    return figure


def tried(claim: Claim, call: Call) -> Iterator[Figures]:
    """Yield figures until one passes and one fails: of the paper's size and order, and others."""
    paper, more = claim.expected.paper, call.more
    found = paper if isinstance(paper, list) else [paper]
    ends = [float(x) for x in found if isinstance(x, int | float)]
    scale = float(evaluate(call.column, lambda _: 1.0))
    sized = [x / scale for x in ends]
    # As much more than a rival as the paper has it, and as large.
    yield from (beside([x], 100) for x in (*ends, 0.0, -60.0, 50.0, 900.0))
    yield from (beside(of, base) for of, base in ((ends, 100), (sized, 0)) if of)
    yield from (two_of(3.0, 1.1), two_of(1.1, 3.0))
    limit = more.more_than or (more.times if "times" in more.model_fields_set else 0.0)
    low, high = (limit / 2, limit * 2) if limit else (50, 200)
    yield from (beside([x], 0) for x in (*sized, limit / 2, limit * 2, 0.0, 1.0, 1e12))
    # On so many of the traces.
    for count, (there, other) in itertools.product(range(12), ((high, low), (low, high))):
        yield given(lambda p, n, a, b: (a if p.t < n else b) if p.own else 1e2, count, there, other)
    # Schemes in the paper's order and the other way, and traces likewise.
    place = {n: i for i, g in enumerate(found) if isinstance(g, str) for n in g.split(" = ")}
    for way in (1, -1):
        yield given(lambda p, way: 9.0 + way * place.get(p.scheme, 0), way)
        yield given(lambda p, way: 5.0 - 4 * way * p.own, way)
        yield given(lambda p, way: 20.0 + way * p.t * p.own, way)
        yield given(lambda p, way: 5.0 + (4 * way * (1 - 2 * p.named) if p.own else 0), way)
        # Grids that rise or fall, and have a valley or a peak.
        yield given(lambda p, way: 20.0 + way * p.s, way)
        yield given(lambda p, way: 5.0 + way * 4 * (p.s in (0, p.settings - 1)), way)
    for size in (*sized, 50.0):
        yield given(lambda p, size: 100.0 + size * (p.s == 1), size)
    top = 0.7 * (limit or 1.0)
    for a, b in ((2.0, 1.0), (1.0, 2.0)):
        yield given(lambda p, a, b: (top * (a if p.at in more.at else b)) if p.own else 1.0, a, b)
        # One trace stands out.
        yield given(lambda p, a, b: (a if p.workload == paper else b) if p.s else 0.5, a, b)
    for first, last, way in itertools.product(range(12), range(12), (1, -1)):
        yield given(lambda p, a, b, way: 3.0 + way * (p.s == (b if p.t else a)), first, last, way)
    for at in range(1, 12):
        yield given(lambda p, at: (limit or 1.0) if p.s >= at else 1.0, at)


@pytest.mark.few(3)
@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_a_check_can_pass_fail_and_lack_data(paper: str, claim: Claim) -> None:
    found: dict[str, Figures] = {}
    source, call = first_of(paper, claim)
    for figures in tried(claim, call):
        # What keeps a limit is no more than consistent.
        verdict = judge(paper, claim, figures).verdict.replace("consistent", "reproduced")
        found.setdefault(verdict, figures)
        if {"reproduced", "not reproduced"} <= found.keys():
            break
    assert "reproduced" in found, "nothing that can be measured passes"
    assert "not reproduced" in found, "nothing that can be measured fails"
    none = judge(paper, claim, lambda _: None)
    assert (none.verdict, none.ours, none.missing) == ("no data", None, [])
    for name in source.traces or PLANS[paper].traces_of(PLANS[paper].part(source.part)):
        less = judge(paper, claim, found["reproduced"], without=name)
        assert less.verdict in ("not judged", "no data")
        assert less.missing == [name]
        assert f"Not run: {name}." in less.reason
