"""Main effects, held against additive models of which the effects are known."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from slcache.study import additive, sentences
from slcache.study.additive import LEVELS_MOST
from slcache.study.analysis import Analysis
from slcache.study.effects import Effect, Effects, main_effects
from slcache.study.outcome import Outcome, Setting
from studies import row

A = {1: 0.0, 2: 30.0, 4: -30.0}
B = {"fifo": 5.0, "greedy": -5.0}
MEAN = 100.0


def of(found: Effects, factor: str) -> Effect:
    return next(effect for effect in found.effects if effect.factor == factor)


def means(effect: Effect) -> dict[object, float]:
    return {level.low: level.mean for level in effect.levels}


def known_effects(pairs: Sequence[tuple[int, str]]) -> Effects:
    columns: dict[str, Sequence[Setting]] = {"a": [a for a, _ in pairs], "b": [b for _, b in pairs]}
    return main_effects(columns, [MEAN + A[a] + B[b] for a, b in pairs])


def known(found: Effects, pairs: Sequence[tuple[int, str]]) -> None:
    """Hold effects against the model's: with the other parameter as it is among the points."""
    of_b = np.mean([B[b] for _, b in pairs])
    of_a = np.mean([A[a] for a, _ in pairs])
    assert means(of(found, "a")) == pytest.approx({a: MEAN + add + of_b for a, add in A.items()})
    assert means(of(found, "b")) == pytest.approx({b: MEAN + add + of_a for b, add in B.items()})


def test_a_full_grid_gives_the_models_effects_and_shares() -> None:
    pairs = list(itertools.product(A, B))
    found = known_effects(pairs)
    known(found, pairs)
    assert found.balanced
    # Variances of the effects: 600 of a, 25 of b.
    assert of(found, "a").share == pytest.approx(600 / 625)
    assert of(found, "b").share == pytest.approx(25 / 625)
    assert found.rest == pytest.approx(0.0, abs=1e-9)
    assert [effect.factor for effect in found.effects] == ["a", "b"]


def test_missing_points_do_not_bend_the_effects() -> None:
    pairs = list(itertools.product(A, B))
    left = [pair for pair in pairs if pair not in ((4, "fifo"), (1, "greedy"))]
    found = known_effects(left)
    known(found, left)
    assert not found.balanced
    assert {effect.means for effect in found.effects} == {"model"}
    # The plain means of the points would have it the other way round, by 25 instead of 10.
    plain = {b: np.mean([A[a] + B[b] for a, each in left if each == b]) for b in B}
    assert plain["fifo"] - plain["greedy"] == pytest.approx(25)


def test_points_drawn_at_random_give_the_same_effects() -> None:
    rng = random.Random(3)
    pairs = [(rng.choice(list(A)), rng.choice(list(B))) for _ in range(40)]
    known(known_effects(pairs), pairs)


def test_one_at_a_time_gives_the_same_effects() -> None:
    pairs = [(1, "fifo"), (2, "fifo"), (4, "fifo"), (1, "greedy")]
    known(known_effects(pairs), pairs)


def test_what_parameters_do_together_is_nobodys_share() -> None:
    pairs = list(itertools.product((0, 1), (0, 1)))
    columns: dict[str, Sequence[Setting]] = {"a": [a for a, _ in pairs], "b": [b for _, b in pairs]}
    found = main_effects(columns, [float(a ^ b) for a, b in pairs])
    assert [effect.share for effect in found.effects] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert found.rest == pytest.approx(1.0)


def test_parameters_that_change_together_are_not_told_apart() -> None:
    columns: dict[str, Sequence[Setting]] = {
        "a": [1, 2, 3] * 4,
        "b": ["x", "y", "z"] * 4,
        "c": [1, 2] * 6,
    }
    found = main_effects(columns, [float(i % 3) for i in range(12)])
    assert [of(found, name).apart for name in "abc"] == [False, False, True]
    assert of(found, "a").share is None
    assert means(of(found, "a")) == pytest.approx({1: 0.0, 2: 1.0, 3: 2.0})
    assert means(of(found, "c")) == pytest.approx({1: 1.0, 2: 1.0})


def test_a_model_that_would_say_what_no_run_can_show_is_not_used() -> None:
    """Latencies multiply: an additive model of these points has some below 0."""
    rng = random.Random(8)
    points = [(rng.randrange(4), rng.randrange(4)) for _ in range(30)]
    values = [10.0 ** (a + b) for a, b in points]
    columns: dict[str, Sequence[Setting]] = {
        "a": [a for a, _ in points],
        "b": [b for _, b in points],
    }
    found = main_effects(columns, values)
    assert "plain" in {effect.means for effect in found.effects}
    assert all(level.mean > 0 for effect in found.effects for level in effect.levels)
    for effect in found.effects:
        if effect.means == "plain":
            own = [v for v, a in zip(values, columns[effect.factor], strict=True) if a == 3]
            assert means(effect)[3] == pytest.approx(np.mean(own))


def test_schemes_with_keys_of_their_own_are_compared_over_the_same_loads() -> None:
    """A scheme with more points does not bend what a load that all of them have does."""
    loads = (1, 2)
    points: list[tuple[str, int | None, int]]
    points = [("cached", b, t) for b in (1, 2, 3) for t in loads]
    points += [("plain", None, t) for t in loads]
    columns: dict[str, Sequence[Setting]] = {
        "scheme": [s for s, _, _ in points],
        "blocks": [b for _, b, _ in points],
        "load": [t for _, _, t in points],
    }
    found = main_effects(columns, [(b or 9) * 10.0**t for _, b, t in points])
    assert found.balanced
    assert means(of(found, "load")) == pytest.approx({1: 37.5, 2: 375.0})


def test_chance_explains_nothing_of_drawn_points() -> None:
    rng = np.random.default_rng(5)
    shares = []
    for _ in range(60):
        columns: dict[str, Sequence[Setting]] = {name: rng.random(60).tolist() for name in "abc"}
        found = main_effects(columns, rng.random(60).tolist())
        assert all(effect.ranges for effect in found.effects)
        shares += [effect.share or 0.0 for effect in found.effects]
    # Six ranges of 60 points explain 5/59 of pure noise, were that not taken off.
    assert np.mean(shares) < 0.04


def test_a_slope_over_many_values_is_seen_in_ranges() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.random(600), rng.random(600)
    columns: dict[str, Sequence[Setting]] = {"a": a.tolist(), "b": b.tolist()}
    found = main_effects(columns, (10 * a + 2 * b).tolist())
    effect = of(found, "a")
    for level in effect.levels:
        assert level.mean == pytest.approx(10 * level.place + 2 * b.mean(), abs=0.15)
    assert sum(level.count for level in effect.levels) == 600
    # Variances of the slopes: 100/12 and 4/12, less what lies within ranges.
    assert (of(found, "a").share or 0) == pytest.approx(100 / 104, abs=0.05)


def test_a_parameter_of_some_points_is_judged_among_them() -> None:
    columns: dict[str, Sequence[Setting]] = {
        "scheme": ["plain", "plain", "cached", "cached", "cached", "cached"],
        "blocks": [None, None, 1, 2, 1, 2],
        "load": [1, 2, 1, 1, 2, 2],
    }
    found = main_effects(columns, [50.0, 52.0, 10.0, 20.0, 12.0, 22.0])
    blocks = of(found, "blocks")
    assert means(blocks) == pytest.approx({1: 11.0, 2: 21.0})
    assert blocks.absent == 2
    assert means(of(found, "scheme")) == pytest.approx({"plain": 51.0, "cached": 16.0})
    assert means(of(found, "load"))[2] - means(of(found, "load"))[1] == pytest.approx(2.0)


def test_equal_values_have_no_shares() -> None:
    found = main_effects({"a": [1, 2], "b": [1, 1]}, [0.1 + 0.2, 0.3])
    assert [(effect.factor, effect.share) for effect in found.effects] == [("a", None)]


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_points_have_no_effects(count: int) -> None:
    assert main_effects({"a": [1] * count}, [1.0] * count).effects == []


def test_a_parameter_may_have_many_more_levels_than_others() -> None:
    """A model with as many equations as the other has levels; the effects are known."""
    count = LEVELS_MOST + 100
    points = [(f"t{i}", b) for i in range(count) for b in B][1:]
    columns: dict[str, Sequence[Setting]] = {
        "t": [t for t, _ in points],
        "b": [b for _, b in points],
    }
    found = main_effects(columns, [MEAN + int(t[1:]) + B[b] for t, b in points])
    each = means(of(found, "t"))
    assert [each[f"t{i}"] - each["t0"] for i in (1, 700)] == pytest.approx([1.0, 700.0])
    assert means(of(found, "b"))["fifo"] - means(of(found, "b"))["greedy"] == pytest.approx(10.0)
    assert {effect.means for effect in found.effects} == {"model"}


@pytest.mark.parametrize(("most", "fitted"), [(3, True), (2, False)])
def test_too_many_levels_are_said(most: int, fitted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (additive, sentences):
        monkeypatch.setattr(module, "LEVELS_MOST", most)
    pairs = [(t, b) for t in ("p", "q", "r", "s") for b in ("x", "y", "z")][1:]
    rows = [row({"t": t, "b": b}, {"waf": 2.0 + (t == "q") + (b == "y")}) for t, b in pairs]
    found = Analysis.of(Outcome.of(pa.Table.from_pylist(rows)), ["waf"])
    told = [(e.factor, e.share is not None, e.apart, e.means) for e in found.effects["waf"].effects]
    (said,) = (line for line in sentences.design(found) if "no full grid" in line)
    if fitted:
        assert sorted(told) == [("b", True, True, "model"), ("t", True, True, "model")]
        return
    assert sorted(told) == [("b", False, False, "plain"), ("t", False, False, "plain")]
    assert "waf: " in said
    assert "too many levels for an additive model (t 4 and b 3)" in said
    assert "at most 2 are fitted" in said
    assert sentences.effects(found.effects["waf"], {"t": "t", "b": "b"}) == []
