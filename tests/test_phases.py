"""Phases of a fill: found in noise, apart from stalls, and none where there are none."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from slcache.bandwidth import phases
from slcache.bandwidth.phases import Values


def curve(
    parts: list[tuple[float, float]], seed: int, noise: float = 0.05, dips: float = 0.02
) -> tuple[Values, Values]:
    """Return a fill by (to GB, MB/s), a point per GB; what stalls is eight times as slow."""
    random = np.random.default_rng(seed)
    ends = np.arange(1.0, round(parts[-1][0]) + 1)
    # Time is what adds up within the point in which a phase ends.
    bounds = np.array([0.0, *(end for end, _ in parts)])
    times = np.concatenate([[0.0], np.cumsum(np.diff(bounds) / [speed for _, speed in parts])])
    speeds = 1 / np.diff(np.interp(np.concatenate([[0.0], ends]), bounds, times))
    speeds *= np.exp(noise * random.standard_normal(len(ends)))
    speeds[random.random(len(ends)) < dips] /= 8
    return ends, speeds


def hidden(seed: int) -> list[tuple[float, float]]:
    """Return the three phases of a drive that only the seed knows."""
    random = np.random.default_rng(seed)
    first, second = random.uniform(40, 300), random.uniform(400, 900)
    fast, slow = random.uniform(3000, 7000), random.uniform(800, 2200)
    return [(first, fast), (second, slow), (1000.0, slow * random.uniform(0.3, 0.7))]


@pytest.mark.parametrize("seed", range(8))
def test_three_phases_are_found_in_noise_with_dips(seed: int) -> None:
    parts = hidden(seed)
    found = phases.find(*curve(parts, seed)).phases
    assert [p.to_gb for p in found] == pytest.approx([end for end, _ in parts], rel=0.02)
    assert [p.mb_per_s for p in found] == pytest.approx([speed for _, speed in parts], rel=0.02)
    assert [p.from_gb for p in found[1:]] == [p.to_gb for p in found[:-1]]


@pytest.mark.parametrize("seed", range(4))
def test_a_speed_that_does_not_change_is_one_phase(seed: int) -> None:
    found = phases.find(*curve([(500.0, 1200.0)], seed))
    assert [(p.from_gb, p.to_gb) for p in found.phases] == [(0.0, 500.0)]
    assert found.phases[0].mb_per_s == pytest.approx(1200, rel=0.01)


def test_a_cache_that_comes_back_is_found_each_time_and_waves_are_not() -> None:
    parts = [(20.0, 2200.0)]
    for number in range(1, 5):
        parts += [(110.0 * number - 3, 630.0), (110.0 * number + 17, 2200.0)]
    parts.append((500.0, 630.0))
    gb, speeds = curve(parts, 1, noise=0.0, dips=0.0)
    found = phases.find(gb, speeds, 16)
    assert [p.to_gb for p in found.phases] == pytest.approx([end for end, _ in parts], abs=1.0)
    for length in (8, 20, 45):
        waves = 1000 * (1 + 0.2 * np.sin(2 * np.pi * gb / length))
        assert len(phases.find(gb, waves, 16).phases) == 1, length


def test_stalls_are_told_apart_and_move_no_phase() -> None:
    # Without noise an end within a point is exact.
    exact = phases.find(*curve([(61.3, 4800.0), (250.0, 1500.0)], 0, noise=0.0, dips=0.0))
    assert [p.to_gb for p in exact.phases] == pytest.approx([61.3, 250.0])
    assert exact.phases[0].mb_per_s == pytest.approx(4800)
    assert exact.stalls == ()
    gb, speeds = curve([(100.0, 4000.0), (300.0, 1000.0)], 3, dips=0.0)
    plain = phases.find(gb, speeds)
    speeds[40:44] = 100.0
    speeds[200] = 100.0
    found = phases.find(gb, speeds)
    assert [(s.from_gb, s.to_gb) for s in found.stalls] == [(40.0, 44.0), (200.0, 201.0)]
    assert found.stalls[0].mb_per_s == pytest.approx(100.0)
    assert [p.to_gb for p in found.phases] == pytest.approx(
        [p.to_gb for p in plain.phases], rel=0.001
    )
    assert found.phases[0].mb_per_s == pytest.approx(plain.phases[0].mb_per_s, rel=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_waves_within_a_phase_are_none_and_their_mean_is_by_time(seed: int) -> None:
    gb, speeds = curve([(100.0, 4000.0), (600.0, 1500.0), (900.0, 500.0)], seed, dips=0.0)
    # Planes that fold in step: 350 and 650 MB/s in turn, which is 455 by time.
    last = np.arange(600, 900)
    speeds[last] *= np.where((last // 20) % 2, 0.7, 1.3)
    found = phases.find(gb, speeds).phases
    assert [p.to_gb for p in found] == pytest.approx([100.0, 600.0, 900.0], rel=0.02)
    means = [p.mean_mb_per_s for p in found]
    assert means == pytest.approx([4000.0, 1500.0, 455.0], rel=0.02)


def test_no_more_phases_than_asked_for() -> None:
    steps = [(60.0 * (i + 1), 4000.0 / (i + 1)) for i in range(6)]
    assert len(phases.find(*curve(steps, 2)).phases) == phases.MOST
    assert len(phases.find(*curve(steps, 2), most=6).phases) == 6


@pytest.mark.parametrize(
    ("gb", "speeds", "told"),
    [
        ([1, 2, 3, 4], [9, 9, 9, 9], "4 points: a phase takes at least 5"),
        ([1, 2, 3, 4, 5], [9, 9, 0, 9, 9], "a speed is not above 0"),
        ([1, 2, 3, 4, 5], [9, 9, float("nan"), 9, 9], "a speed is not above 0"),
        ([1, 2, 2, 4, 5], [9, 9, 9, 9, 9], "do not rise"),
        ([1, 2, 3, 4, 5], [9, 9, 9, 9], "a speed for each amount"),
    ],
)
def test_what_is_no_curve_is_told_in_words(gb: list[float], speeds: list[float], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        phases.find(np.array(gb, float), np.array(speeds, float))


def test_cuts_cost_as_little_as_any() -> None:
    values = np.random.default_rng(7).standard_normal(17)
    values[6:] += 3

    def cost(cuts: list[int]) -> float:
        parts = [values[a + (a > 0) : b] for a, b in pairwise(cuts)]
        return sum(float(((part - part.mean()) ** 2).sum()) + 1.5 for part in parts)

    every = [[0, 17], *([0, a, 17] for a in range(5, 13))]
    every += [[0, a, b, 17] for a in range(5, 13) for b in range(a + 5, 13)]
    assert cost(phases._cuts(values, 4, 1.5)) == pytest.approx(min(map(cost, every)))
