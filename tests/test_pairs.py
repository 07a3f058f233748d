"""Paired figures: factors and intervals on logarithms, counts of signs, and Holm's correction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from slcache.results import means
from slcache.results.intervals import LEVEL, Figure, Paired, against, paired, quantile, told_apart
from support import cases


def lognormal(seed: int, count: int, factor: float, sigma: float) -> tuple[list[float], ...]:
    """Pairs of seeds whose requests weigh on both, each with heavy tails of its own."""
    random = np.random.default_rng(seed)
    common = 2 * random.standard_normal(count)
    mine, other = (
        list(1e6 * times * np.exp(common + sigma * random.standard_normal(count)))
        for times in (factor, 1.0)
    )
    return mine, other


@pytest.mark.parametrize("count", [5, 10, 20])
def test_an_interval_covers_what_it_says(count: int) -> None:
    """The interval of 95 % holds the true factor in 93 to 97 of 100 tries."""
    tries = 1500
    covered = 0
    for seed in range(tries):
        found = paired(*lognormal(seed, count, 1.7, 1.5))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 1.7 <= found.high
    assert 0.93 <= covered / tries <= 0.97


@pytest.mark.parametrize("count", [3, 5, 6, 8, 10, 20])
@pytest.mark.parametrize("tails", ["normal", "t3", "cauchy"])
def test_equals_are_seldom_told_apart(count: int, tails: str) -> None:
    """Student's t and the sign test together err in 1 of 20 tries, or hardly more."""
    random = np.random.default_rng(count)
    freedom = {"normal": 1e9, "t3": 3.0, "cauchy": 1.0}[tails]
    tries = 1500
    wrong = 0
    for _ in range(tries):
        mine = np.exp(np.clip(random.standard_t(freedom, count), -300, 300))
        wrong += told_apart([paired(list(mine), [1.0] * count)]) == [True]
    assert wrong / tries <= 0.065


def test_many_equals_are_judged_together() -> None:
    """That one of twenty schemes that are equal is told apart is as seldom as for a single one."""
    tries, schemes = 150, 20
    wrong = 0
    for seed in range(tries):
        found = [paired(*lognormal(schemes * seed + i, 8, 1.0, 1.0)) for i in range(schemes)]
        wrong += any(told_apart(found))
    assert wrong / tries <= 0.08


@pytest.mark.parametrize("seed", range(cases(60)))
def test_pairs_have_no_direction_and_no_unit(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 12))
    mine, other = lognormal(seed, count, float(random.uniform(0.3, 3)), float(random.uniform(0, 2)))
    draws = bool(seed % 2)
    own = [mine[0] * 1.1, other[0]] if draws and seed % 4 == 1 else []
    one = paired(mine, other, draws=draws, own=own)
    back = paired(other, mine, draws=draws, own=own[::-1])
    assert (one.less, one.more) == (back.more, back.less)
    assert one.p == pytest.approx(back.p, rel=1e-6, abs=1e-12)
    for here, there in ((one.factor, back.factor), (one.low, back.high), (one.high, back.low)):
        assert here is not None
        assert there is not None
        assert here * there == pytest.approx(1)
    unit = float(random.uniform(1e-9, 1e9))
    mine_scaled, other_scaled, own_scaled = ([unit * v for v in of] for of in (mine, other, own))
    scaled = paired(mine_scaled, other_scaled, draws=draws, own=own_scaled)
    assert (scaled.less, scaled.more) == (one.less, one.more)
    assert scaled.factor == pytest.approx(one.factor)
    assert scaled.low == pytest.approx(one.low)
    # The counts are those of the data, and the order of seeds says nothing.
    assert one.less == sum(a < b for a, b in zip(mine, other, strict=True))
    assert one.more == count - one.less
    order = random.permutation(count)
    again = paired([mine[i] for i in order], [other[i] for i in order], draws=draws, own=own)
    assert again.factor == pytest.approx(one.factor)
    assert again.p == pytest.approx(one.p)


@pytest.mark.parametrize(("seeds", "sure"), [(4, False), (5, False), (6, True), (10, True)])
def test_seeds_that_all_agree_tell_from_six_on(seeds: int, sure: bool) -> None:
    """However much the sizes vary: 5 of 5 have p = 0.06, 6 of 6 have 0.03."""
    mine = [*[1.001] * (seeds - 1), 1e6]
    found = paired(mine, [1.0] * seeds)
    assert (found.less, found.more) == (0, seeds)
    assert found.p is not None
    assert found.p <= 2 * 0.5**seeds
    assert told_apart([found]) == [sure]
    assert ("not significant" in means.of_counts(seeds)) is not sure
    # Draws are of one recording: their count is no test.
    assert told_apart([paired(mine, [1.0] * seeds, draws=True)]) == [False]


def test_schemes_that_are_equal_are_told_together() -> None:
    """The best first: the least, or where that is better the most; of many how many more."""
    values = dict(zip(("base", *"abcdefg"), (10.0, 20, 20, 5, 5, 10, 30, 40), strict=True))
    noise = [1.0, 1.01, 0.99, 1.02, 1.0, 0.98]
    figures = {name: Figure([value * n for n in noise]) for name, value in values.items()}
    title = "Writes"
    text = means.winner(title, figures, "base")
    assert text == (
        "Writes: c has the lowest mean latency, 0.50× that of base, lower in 6 of 6; not told from "
        "it: d equal to c in all 6. Others: a and b 2.00× that of base, higher in 6 of 6; e equal "
        "to base in all 6; f 3.00× that of base, higher in 6 of 6; 1 more."
    )
    found = against(figures, "base")
    assert means.differing("IOPS", found, "base", most=True).startswith(
        "IOPS: g 4.00× that of base"
    )
    assert means.differing("WAF", found, "base").startswith("WAF: c and d 0.50× that of base")
    assert "; 1 not told apart." in means.differing("WAF", found, "base")
    # Ratios of 1.1 to 11.1 vary by nearly their mean: all are more than 1, which is no noise.
    ratios = [1.10, 1.15, 1.20, 1.20, 1.25, 1.30, 1.40, 1.50, 2.0, 11.1]
    wide = against({"slow": Figure(ratios), "base": Figure([1.0] * 10)}, "base")
    told = "IOPS: slow 1.64× [1.00, 2.69] that of base, higher in 10 of 10."
    assert means.differing("IOPS", wide, "base") == told


def test_the_verdict_tells_nothing_apart_that_the_table_does_not() -> None:
    """The best beside the reference is one difference, whomever the others are held against."""
    random = np.random.default_rng(5)
    for _ in range(60):
        base = np.exp(random.standard_normal(5))
        figures = {
            name: Figure(list(base * np.exp(0.1 * random.standard_normal(5) - 0.1 * (name == "a"))))
            for name in "abcdefgh"
        }
        averages = {name: float(np.mean(each.known)) for name, each in figures.items()}
        best = min(averages, key=lambda name: averages[name])
        text = means.winner("Writes", figures, "h")
        if best != "h" and against(figures, "h")[best].inside_noise:
            assert "lowest mean latency, " not in text
            assert "not told" in text


@pytest.mark.parametrize(
    ("mine", "other", "want"),
    [
        ([0.0, 0.0], [0.0, 0.0], Paired(pairs=2, less=0, more=0, p=1.0)),
        ([0.0, 0.0, 0.0], [4.0, 4.0, 4.0], Paired(pairs=3, less=3, more=0, p=0.0)),
        ([None, 2.0], [1.0, None], Paired(pairs=0, less=0, more=0)),
        ([None, 2.0], [1.0, 1.0], Paired(pairs=1, less=0, more=1, factor=2.0, mean=2.0)),
        ([-1.0, -1.0], [1.0, 1.0], Paired(pairs=2, less=2, more=0, p=0.0)),
        ([], [], Paired(pairs=0, less=0, more=0)),
    ],
)
def test_nothing_is_divided_by_nothing(
    mine: list[float | None], other: list[float | None], want: Paired
) -> None:
    """Where a figure is 0 there is no factor, and the differences are judged."""
    assert paired(mine, other) == want
    assert told_apart([want]) == [None if want.p is None else want.p < 1 - LEVEL]
    assert means.counted(want).startswith("of which there is nothing") is (want.pairs == 0)
    for size in (1e-300, 1e300):
        found = paired([size, 2 * size, 1.0], [1.0, 1.0, 1.0])
        assert all(v is None or math.isfinite(v) for v in (found.low, found.high, found.p))


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 99, 999])
def test_students_quantile_is_that_of_a_library(freedom: int) -> None:
    assert quantile(freedom) == pytest.approx(stdtrit(freedom, 0.5 + LEVEL / 2), rel=1e-12)
