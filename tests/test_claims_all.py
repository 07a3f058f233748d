"""Every check of every paper's claims can pass, can fail, and can be without data."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from slcache.reproduce import papers, plan
from slcache.reproduce.claims import Claim
from slcache.reproduce.expressions import Call, evaluate
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.parts import Variant
from slcache.reproduce.points import Key, Table

PLANS = {paper: plan.load(paper) for paper in papers()}
CLAIMS = [(paper, claim) for paper, loaded in PLANS.items() for claim in loaded.claims]
CASES = [
    pytest.param(paper, claim, id=f"{paper}-{claim.id}")
    for paper, claim in CLAIMS
    if not claim.not_simulable
]


def call_of(paper: str, claim: Claim) -> Call:
    """Return the function that a claim is of, or the first claim that it is made of."""
    if claim.calls:
        return claim.calls[0]
    return call_of(paper, next(c for c in PLANS[paper].claims if c.id == claim.of[0]))


@dataclass(frozen=True)
class Place:
    """Where a figure is asked for: a trace of a claim's, or another, and a setting of a grid."""

    call: Call
    paper: Any
    measure: str
    workload: str
    #: Its number among the traces, how many there are, and whether the claim names it.
    trace: int
    traces: int
    named: bool
    scheme: str
    #: Whether it is the claim's scheme, or a point of the claim's grid.
    own: bool
    at: float | None
    setting: int
    settings: int


Figures = Callable[[Place], float | None]


@dataclass(frozen=True)
class Frame:
    """What every table of a part has; to find the points of its grids takes a while."""

    reference: str
    traces: list[str]
    schemes: list[str]
    #: Of each point its grid, its number there, and the variant.
    points: Mapping[str, tuple[str, int, Variant]]
    #: How many points a grid has.
    sizes: Mapping[str, int]


@functools.cache
def frame(paper: str, part: str) -> Frame:
    """Return what a part's tables have."""
    of = PLANS[paper]
    found = next(p for p in of.parts if p.name == (part or of.parts[0].name))
    schemes = [variant.name for variant in of.expand(found.schemes)]
    schemes += [pick.name for pick in of.picks if found.name in pick.parts]
    grids = {grid.name: grid.variants for grid in of.grids}
    points = {v.name: (name, i, v) for name, each in grids.items() for i, v in enumerate(each)}
    sizes = {name: len(each) for name, each in grids.items()}
    return Frame(found.reference, of.traces_of(found), schemes, points, sizes)


class Synthetic(Table):
    """A table of a part whose figures are made up."""

    def __init__(
        self, paper: str, part: str, claim: Claim, figures: Figures, without: str = ""
    ) -> None:
        known = frame(paper, part)
        names = list(dict.fromkeys([*known.traces, *claim.traces]))
        documents: dict[Key, dict[str, Any]] = {
            (w, s, 1): {} for w in names for s in known.schemes if w != without
        }
        super().__init__(documents, known.reference, names, PLANS[paper].grids, known.traces)
        self.names, self.claim, self.figures = names, claim, figures
        self.call = call_of(paper, claim)
        self.points, self.sizes = known.points, known.sizes

    def get(self, measure: str, workload: str, scheme: str, seed: int) -> float | None:
        """Return the made-up figure of a run that was made."""
        if (workload, scheme, seed) not in self.documents:
            return None
        claim = self.claim
        grid, setting, variant = self.points.get(scheme, ("", 0, None))
        named = [name for name in self.names if not claim.traces or name in claim.traces]
        place = Place(
            call=self.call,
            paper=claim.paper,
            measure=measure,
            workload=workload,
            trace=named.index(workload) if workload in named else 0,
            traces=len(named),
            named=workload in named,
            scheme=scheme,
            own=self.call.schemes[:1] in ((scheme,), (grid,)),
            at=variant.point[0] if variant else None,
            setting=setting,
            settings=self.sizes.get(grid, 1),
        )
        return self.figures(place)


def judge(paper: str, claim: Claim, figures: Figures, without: str = "") -> Row:
    """Return the row of a claim, with those that it is of judged before it."""
    loaded = PLANS[paper]
    claims = [c for c in loaded.claims if c.id in claim.of] + [replace(claim, cannot_hold="")]
    # Those that it is of are all about one scheme.
    every = ["", *(part.name for part in loaded.parts)]
    tables = {part: Synthetic(paper, part, claims[0], figures, without) for part in every}
    return ledger(claims, tables)[-1]


def numbers(claim: Claim) -> list[float]:
    """Return the figures of a claim, and those between the ends of a range."""
    paper = claim.expected.paper
    found = paper if isinstance(paper, list) else [paper]
    return [float(x) for x in found if isinstance(x, int | float)]


def said(call: Call) -> dict[str, Any]:
    return call.more.model_dump(exclude_unset=True)


def scale(call: Call) -> float:
    """Return what a call's column is of a figure, which is 1 where it has none."""
    found = evaluate(call.column, lambda _: 1.0)
    assert found
    return float(found)


def part_of_way(ends: list[float], place: Place) -> float:
    """Return a figure between two ends, by the trace or by the setting."""
    low, high = ends[0], ends[-1]
    number, count = (place.trace, place.traces) if place.traces > 1 else (0, 1)
    if place.settings > 1:
        number, count = place.setting, place.settings
    return low + (high - low) * number / (count - 1) if count > 1 else low


def beside(ends: list[float], base: float) -> Figures:
    """Return figures of the claim's scheme between two ends above those of all others."""
    return lambda p: base + (part_of_way(ends, p) if p.own or not base else 0)


def two_of(sizes: tuple[float, float]) -> Figures:
    """Return figures of which the first measure that is asked for has one size, others another."""
    order: list[str] = []

    def figure(p: Place) -> float:
        if p.measure not in order:
            order.append(p.measure)
        return sizes[order.index(p.measure) % 2] if p.own else 1.0

    return figure


def on_first(count: int, there: float, elsewhere: float) -> Figures:
    """Return figures of the claim's scheme that are others on its first traces."""
    return lambda p: (there if p.trace < count else elsewhere) if p.own else 100.0


def at_points(there: float, elsewhere: float) -> Figures:
    """Return figures that are others at the claim's settings."""
    return lambda p: (there if p.at in p.call.more.at else elsewhere) if p.own else 1.0


def on_named(there: float, elsewhere: float) -> Figures:
    """Return curves that rise further on the trace that the paper names."""
    return lambda p: (there if p.workload == p.paper else elsewhere) if p.setting else 0.5


def peaks(first: int, others: int, height: float) -> Figures:
    """Return curves with a peak or a valley, at one setting on the first trace."""
    return lambda p: 3 + height * (p.setting == (others if p.trace else first))


def step(at: int, height: float) -> Figures:
    """Return curves with a step."""
    return lambda p: height if p.setting >= at else 1.0


def bump(height: float) -> Figures:
    """Return curves that are flat but for one setting."""
    return lambda p: 100.0 + (height if p.setting == 1 else 0.0)


def changes(claim: Claim) -> Iterator[Figures]:
    """Give figures that differ from a rival's by the paper's change, and by others."""
    ends = numbers(claim)
    given = [[x] for x in (*ends, 0.0, -60.0, 50.0, 900.0)] + ([ends] if ends else [])
    for of in given:
        yield beside(of, 100)
    # The first of two other claims moves more than the second, or less.
    yield two_of((3.0, 1.1))
    yield two_of((1.1, 3.0))


def levels(claim: Claim, call: Call) -> Iterator[Figures]:
    """Give figures of the paper's size, and others; on so many of the traces each."""
    limit = call.more.more_than or (
        call.more.times if "times" in call.more.model_fields_set else 0.0
    )
    ends = [x / scale(call) for x in numbers(claim)]
    given = [[x] for x in (*ends, limit / 2, limit * 2, 0.0, 1.0, 1e12)]
    for of in [*given, ends] if ends else given:
        yield beside(of, 0)
    low, high = (limit / 2, limit * 2) if limit else (50, 200)
    for count in range(12):
        yield on_first(count, high, low)
        yield on_first(count, low, high)


def ranks(claim: Claim) -> Iterator[Figures]:
    """Give schemes in the paper's order and the other way, and traces likewise."""
    groups = claim.paper if isinstance(claim.paper, list) else []
    place = {n: i for i, g in enumerate(groups) if isinstance(g, str) for n in g.split(" = ")}
    yield lambda p: 1.0 + place.get(p.scheme, 0)
    yield lambda p: 9.0 - place.get(p.scheme, 0)
    yield lambda p: 1.0 if p.own else 5.0
    yield lambda p: 9.0 if p.own else 5.0
    yield lambda p: 1.0 + p.trace * p.own
    yield lambda p: 20.0 - p.trace * p.own
    yield lambda p: (1.0 if p.named else 9.0) if p.own else 5.0
    yield lambda p: (9.0 if p.named else 1.0) if p.own else 5.0


def curves(claim: Claim, call: Call) -> Iterator[Figures]:
    """Give grids that rise, fall, have a peak or a valley, a step, or one trace that stands out."""
    yield lambda p: 1.0 + p.setting
    yield lambda p: 1.0 + p.settings - p.setting
    yield lambda p: 1.0 if p.setting in (0, p.settings - 1) else 5.0
    yield lambda p: 5.0 if p.setting in (0, p.settings - 1) else 1.0
    for size in [x / scale(call) for x in numbers(claim)] + [50.0]:
        yield bump(size)
    limit = float(said(call).get("more_than", said(call).get("times", 1.0)))
    for more, less in itertools.permutations((2.0, 1.0)):
        if call.more.at:
            yield at_points(0.7 * more * limit, 0.7 * less * limit)
        yield on_named(more, less)
    for first, last in itertools.product(range(12), repeat=2):
        yield peaks(first, last, 1.0)
        yield peaks(first, last, -1.0)
    for at in range(1, 12):
        yield step(at, limit)


def tried(claim: Claim, call: Call) -> Iterator[Figures]:
    yield from changes(claim)
    yield from levels(claim, call)
    yield from ranks(claim)
    yield from curves(claim, call)


def given_by(paper: str, claim: Claim) -> dict[str, Figures]:
    """Return made-up figures by the verdict that they get, until one passes and one fails."""
    found: dict[str, Figures] = {}
    for figures in tried(claim, call_of(paper, claim)):
        found.setdefault(judge(paper, claim, figures).verdict, figures)
        if {"reproduced", "not reproduced"} <= found.keys():
            break
    return found


@pytest.mark.few(3)
@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_a_check_can_pass_fail_and_lack_data(paper: str, claim: Claim) -> None:
    found = given_by(paper, claim)
    # What keeps a limit is no more than consistent.
    passing = found.get("reproduced") or found.get("consistent")
    assert passing is not None, "nothing that can be measured passes"
    assert "not reproduced" in found, "nothing that can be measured fails"
    none = judge(paper, claim, lambda _: None)
    assert (none.verdict, none.ours, none.missing) == ("no data", None, [])
    for name in wanted(paper, claim):
        less = judge(paper, claim, passing, without=name)
        assert less.verdict in ("not judged", "no data")
        assert less.missing == [name]
        assert f"Not run: {name}." in less.reason


def wanted(paper: str, claim: Claim) -> list[str]:
    """Return the traces that a claim is of."""
    loaded = PLANS[paper]
    claims = [c for c in loaded.claims if c.id in claim.of] or [claim]
    part = next(p for p in loaded.parts if p.name == (claims[0].part or loaded.parts[0].name))
    return claims[0].traces or loaded.traces_of(part)
