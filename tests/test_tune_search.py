"""The search itself, over functions of which the best points are known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

pytest.importorskip("optuna")

from slcache.search.batches import Batch, Found, Tried
from slcache.search.goals import SAMPLERS, Bound, Sampler, Search
from slcache.search.optuna import BATCH, Sampled
from slcache.search.space import Known, Space, key_of
from slcache.study import fronts
from slcache.study.axes import Axis, Value

Figures = Mapping[str, float | None]
WHOLE = Fraction(1)


def space(*axes: str, schemes: Sequence[str] = ("s",)) -> Space:
    return Space(schemes, [Axis.read(*text.split("=")) for text in axes])


def run(search: Sampled, evaluate: Callable[[Batch], Sequence[Found]]) -> list[Tried]:
    """Return the points that a search tries, told what `evaluate` makes of each batch."""
    batches = search.batches()
    batch = next(batches)
    try:
        while True:
            batch = batches.send(evaluate(batch))
    except StopIteration as end:
        tried: list[Tried] = end.value
        return tried


def searched(search: Sampled, figures: Callable[[Mapping[str, Any]], Figures | str]) -> list[Tried]:
    """Search with points that have figures, or are impossible for a reason."""

    def evaluate(batch: Batch) -> list[Found]:
        found = [figures(point) for point in batch.points]
        return [
            Found("impossible", one) if isinstance(one, str) else Found("done", None, one)
            for one in found
        ]

    return run(search, evaluate)


SMALL = space("scheme.a.x=1..12", "scheme.b.k=p,q,r", "t=1,2,4,8", schemes=("a", "b"))


def trade(point: Mapping[str, Any]) -> Figures:
    if point["scheme"] == "b":
        size = {"p": 3.0, "q": 40.0, "r": 9.0}[point["scheme.b.k"]]
    else:
        size = float(point["scheme.a.x"])
    return {"write_p99_ns": 1000 / size + point["t"], "waf": size + abs(point["t"] - 4)}


def front_of(points: Sequence[Mapping[str, Any]]) -> set[Any]:
    values = [list(trade(point).values()) for point in points]
    return {key_of(points[i]) for i in fronts.front(values, ["min", "min"])}  # type: ignore[arg-type]


def every() -> list[dict[str, Value]]:
    """Return all points, in the order of the grid."""
    found: list[dict[str, Value]] = [
        {"scheme": "a", "scheme.a.x": x, "t": t} for x in range(1, 13) for t in (1, 2, 4, 8)
    ]
    return found + [{"scheme": "b", "scheme.b.k": k, "t": t} for k in "pqr" for t in (1, 2, 4, 8)]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_finite_space_is_tried_to_the_end_and_no_point_twice(sampler: Sampler) -> None:
    points = [t.settings for t in searched(Sampled(SMALL, Search(sampler=sampler)), trade)]
    assert len(points) == SMALL.size == 60
    assert {key_of(point) for point in points} == {key_of(point) for point in every()}
    assert front_of(points) == front_of(every())


def test_draws_are_among_all_points_that_are_left() -> None:
    """As if those were listed, in the order of the grid, and one of the list chosen."""
    left = every()
    known, rng, chooser = Known(SMALL), random.Random(7), random.Random(7)
    while left:
        drawn = known.another(rng)
        assert drawn == chooser.choice(left)
        assert list(drawn) == list(left[left.index(drawn)])
        known.add(drawn)
        left.remove(drawn)
    assert known.another(rng) is None


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_same_seed_tries_the_same_points_in_the_same_batches(sampler: Sampler) -> None:
    """However many workers there are; more points begin with the same."""
    searches = [
        Sampled(SMALL, Search(sampler=sampler, sampler_seed=seed, points=points))
        for seed, points in ((1, 24), (1, 20), (2, 24))
    ]
    one, fewer, other = ([key_of(t.settings) for t in searched(s, trade)] for s in searches)
    assert one[:20] == fewer
    assert one != other
    assert len(one) == 24
    batches: list[int] = []

    def evaluate(batch: Batch) -> list[Found]:
        batches.append(len(batch.points))
        return [Found("done", None, trade(point)) for point in batch.points]

    run(Sampled(SMALL, Search(sampler=sampler, points=20)), evaluate)
    assert batches == [BATCH, BATCH, 4]


WIDE = space("x=0..1000", "y=0.01..100@log", "k=a,b,c")


def bowl(point: Mapping[str, Any]) -> Figures:
    far = abs(point["x"] - 700) / 100 + abs(math.log10(point["y"]) - 1) * 3
    return {"waf": far + (0.0 if point["k"] == "b" else 4.0), "slc_bytes": point["x"]}


@pytest.mark.parametrize("goal", ["min", pytest.param("max", marks=pytest.mark.slow)])
def test_learning_beats_chance(goal: str) -> None:
    """TPE comes nearer to the best of 3 million points than as many draws by chance."""
    sign = 1 if goal == "min" else -1

    def best(sampler: Sampler, seed: int) -> float:
        how: dict[str, Any] = {"minimise" if goal == "min" else "maximise": "waf"}
        search = Search(**how, sampler=sampler, sampler_seed=seed, points=80)
        tried = searched(Sampled(WIDE, search), lambda p: {"waf": sign * (bowl(p)["waf"] or 0)})
        return min(sign * (each.found.figures["waf"] or 0) for each in tried)

    seeds = range(3)
    assert sum(best("tpe", s) for s in seeds) < 0.6 * sum(best("random", s) for s in seeds)


@pytest.mark.parametrize(
    ("how", "refused", "late", "share"),
    [
        # By chance, 70 % would be impossible; the best lie at the border.
        ({}, range(301, 1001), 40, 0.5),
        # Before anything has run there is no worst figure to tell of what cannot run.
        ({"sampler_seed": 2, "points": 64}, range(900), 24, 0.3),
        ({"such_that": "slc_bytes<=300"}, range(0), 40, 0.5),
    ],
    ids=["impossible", "impossible first", "bounds"],
)
def test_samplers_learn_what_is_impossible_and_what_keeps_bounds(
    how: dict[str, Any], refused: Sequence[int], late: int, share: float
) -> None:
    goals = Search(minimise="waf", **{"points": 80, **how})
    tried = searched(
        Sampled(WIDE, goals), lambda p: "out of range" if p["x"] in refused else bowl(p)
    )
    good = [each.found.status == "done" and goals.kept(each.found.figures) for each in tried]
    assert any(good[:BATCH]) == (refused != range(900))
    assert share * len(good[late:]) < sum(good[late:])
    assert not all(good)


def prefixed(seed: int = 1) -> tuple[list[Tried], list[tuple[Fraction, int]]]:
    ran: list[tuple[Fraction, int]] = []

    def evaluate(batch: Batch) -> list[Found]:
        share, points = batch.share, batch.points
        ran.append((share, len(points)))
        # A beginning shows twice what the whole does.
        return [
            Found("done", None, {"waf": (bowl(p)["waf"] or 0) * (1 if share == WHOLE else 2)})
            for p in points
        ]

    search = Sampled(WIDE, Search(minimise="waf", sampler_seed=seed, points=60, prefixes=True))
    return run(search, evaluate), ran


def test_prefixes_stop_most_points_and_keep_the_good_whose_figures_are_of_the_whole() -> None:
    tried, ran = prefixed()
    of = {share: sum(n for s, n in ran if s == share) for share, _ in ran}
    assert of[Fraction(1, 9)] == 60
    assert of[Fraction(1, 9)] > of[Fraction(1, 3)] > of[WHOLE] > 5
    # Within a batch too: the best are judged first, and others held against them.
    assert [each.found.status for each in tried[:BATCH]].count("stopped") >= 3
    stopped = [each for each in tried if each.found.status == "stopped"]
    done = [each for each in tried if each.found.status == "done"]
    assert len(done) == of[WHOLE]
    assert min(bowl(t.settings)["waf"] or 0 for t in tried) == min(
        bowl(t.settings)["waf"] or 0 for t in done
    )
    mean = [sum(bowl(t.settings)["waf"] or 0 for t in g) / len(g) for g in (stopped, done)]
    assert mean[1] < mean[0]
    for each in tried:
        if each.found.status == "stopped":
            assert each.found.figures == {}
            assert each.found.reason in ("after 1/9 of the trace", "after 1/3 of the trace")
        else:
            assert each.found.figures == {"waf": bowl(each.settings)["waf"]}
        assert each.prefixes[0] == (Fraction(1, 9), 2 * (bowl(each.settings)["waf"] or 0))
    assert prefixed()[0] == tried


@pytest.mark.parametrize(
    ("text", "figures", "kept"),
    [
        ("waf<=2", {"waf": 2.0}, True),
        ("waf <= 2", {"waf": 2.1}, False),
        ("waf>=2", {"waf": 2.1}, True),
        ("slc_bytes<=4KiB", {"slc_bytes": 4097}, False),
        ("read_p99_ns<=1.5us", {"read_p99_ns": 1500}, True),
        ("read_p99_ns<=1500", {"read_p99_ns": 1501}, False),
        ("waf<=2", {"waf": None}, False),
    ],
)
def test_bounds_are_read_with_units(text: str, figures: Figures, kept: bool) -> None:
    assert (Bound.read(text).broken(figures) <= 0) == kept


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("waf<2", "METRIC<=VALUE"),
        ("waff<=2", "did you mean waf"),
        ("waf<=x", "waf: could not convert"),
        ("slc_bytes<=4 apples", "slc_bytes: '4 apples' is not a size"),
    ],
)
def test_broken_bounds_are_told(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Bound.read(text)


def test_goals_are_named_once() -> None:
    assert Search().metrics == {"write_p99_ns": "min", "waf": "min"}
    assert Search(maximise="iops").metrics == {"iops": "max"}
    assert Search(maximise="waf").against == ["waf"]
    with pytest.raises(ValueError, match="waf is given twice"):
        Search(minimise="waf", maximise="waf").check()
    with pytest.raises(ValueError, match="is no metric"):
        Search(minimise="speed").check()
