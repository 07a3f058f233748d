"""The cliff's curve counts stalls and leaves pauses out; phases of a fill are found in noise."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slcache import ConfigError, UsageError, catalogue, cliffs
from slcache.bandwidth import curves, phases
from slcache.bandwidth.phases import Values
from support import json_of, slcache

GIB = 1 << 30


def series(
    written: list[int], latest_s: list[float] | None = None, window_ns: int = 1_000_000_000
) -> dict[str, Any]:
    """Return what the curves read of a result: bytes and longest latency by window."""
    latest = [int(1e9 * value) for value in latest_s or [0.0] * len(written)]
    columns = {"write_bytes": written, "write_latency_ns_max": latest}
    return {
        "series": {"window_ns": window_ns, "columns": columns},
        "host": {"duration_ns": window_ns * len(written)},
    }


def test_stalls_count_as_time() -> None:
    fast_then_stalling = [GIB] * 100 + [GIB, 0, 0, 0] * 100
    curve = curves.sustained(series(fast_then_stalling))
    written, rate = curve.written_gib, curve.mb_per_s
    assert written[-1] == pytest.approx(200)
    assert rate[0] == pytest.approx(GIB / 1e6)
    slow = rate[(written > 104) & (written < 196)]
    assert slow.mean() == pytest.approx(GIB / 4 / 1e6, rel=0.05)
    assert curve.cliff_gib == pytest.approx(100, abs=2)
    uneven = [GIB] * 100 + ([GIB] * 3 + [0] * 3) * 100
    assert curves.sustained(series(uneven)).last_mb_per_s == pytest.approx(GIB / 2 / 1e6, rel=0.05)
    # So does time before the first completion, and a last window for what it lasted.
    curve = curves.sustained(series([0, GIB]))
    assert [*curve.mb_per_s, curve.last_mb_per_s] == pytest.approx([GIB / 2 / 1e6] * 2)
    document = series([GIB, GIB // 2])
    document["host"]["duration_ns"] = 1_500_000_000
    assert curves.sustained(document).mb_per_s == pytest.approx([GIB / 1e6])
    gib, mb = GIB, GIB / 1e6
    curve = curves.in_bursts(
        series([2 * gib, gib, 0, 0, gib, gib, gib], [0.8, 1.8, 0, 0, 0.4, 1.4, 2.4]),
        burst_bytes=3 * gib,
        pause_ns=4_000_000_000,
    )
    first, second = curve.bursts
    assert [first.seconds, second.seconds] == pytest.approx([1.8, 2.4])
    assert first.start_mb_per_s == pytest.approx(2 * mb / 0.8)
    assert second.mean_mb_per_s == pytest.approx(3 * mb / 2.4)
    assert curve.written_gib == pytest.approx([2, 3, 4, 5, 6])
    assert curve.cliff_gib == pytest.approx(2)
    # Bursts that outlast the pause have none.
    longer = series([gib] * 8, [1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 5.0, 6.0])
    curve = curves.in_bursts(longer, burst_bytes=4 * gib, pause_ns=2_000_000_000)
    assert curve.bursts == ()
    assert curve.mb_per_s == pytest.approx([mb])


def test_the_verb_writes_figures_and_pictures_and_pauses_change_no_bandwidth_without_a_cache(
    tmp_path: Path,
) -> None:
    both = ["cliff", "--device", "tiny", "--amount", "1500KiB", "--bs", "16k", "--iodepth", "8"]
    found = json_of(*both, "--schemes", "tlc-only,baseline", "--out", tmp_path, "--json")["schemes"]
    assert set(found) == {"tlc-only", "baseline"}
    assert found["baseline"]["written_gib"][-1] == pytest.approx(1500 / 2**20, rel=0.02)
    assert {path.name for path in tmp_path.iterdir()} == {"cliff.json", "cliff.svg", "cliff.png"}
    paused = ["--pattern", "bursts", "--bursts", "3", "--pause", "5s", "--json"]
    done = slcache(*both, "--schemes", "tlc-only", *paused)
    bursts = json.loads(done.stdout)["schemes"]["tlc-only"]["bursts"]
    assert len(bursts) == 3
    for burst in bursts:
        last = found["tlc-only"]["last_mb_per_s"]
        assert burst["mean_mb_per_s"] == pytest.approx(last, rel=0.25)


@pytest.mark.parametrize("write_bytes", [4096, 12288])
@pytest.mark.parametrize("more", [1, 904, 4095, 4096])
def test_a_span_is_whole_writes_or_refused(write_bytes: int, more: int) -> None:
    span = 5 * write_bytes + more
    pattern = cliffs.Pattern(amount_bytes=1 << 20, write_bytes=write_bytes, span_bytes=span)
    if more % write_bytes == 0:
        load = cliffs.loads(pattern, device="tiny", schemes=["baseline"])["baseline"]
        assert load.footprint_bytes == span
        return
    told = f"span_bytes = {span}: must be whole writes of {write_bytes} bytes, such as"
    with pytest.raises(UsageError, match=f"{told} {span - more}"):
        cliffs.loads(pattern, device="tiny", schemes=["baseline"])


def test_the_default_amount_overflows_every_cache() -> None:
    gib = 1 << 30
    for scheme in ("tlc-only", "turbo-write", "ips-coop"):
        assert cliffs.default_amount("ips-384g", scheme) == 3 * (8 + 4) * gib
    roomy = {"device.user_bytes": "190GiB"}
    larger = {**roomy, "scheme.turbo-write.slc_blocks": 250}
    own = cliffs.cache_bytes(
        catalogue.resolve(device="ips-384g", scheme="turbo-write", settings=larger)
    )
    assert own > (8 + 4) * gib
    assert cliffs.default_amount("ips-384g", "turbo-write", larger) == 3 * own
    assert cliffs.default_amount("ips-384g", "tlc-only", larger) == 3 * (8 + 4) * gib
    device = next(d["user_bytes"] for d in catalogue.devices() if d["name"] == "gc-8g")
    assert cliffs.default_amount("gc-8g", "tlc-only", {"scheme.tlc-only.mode": "mlc"}) == device


@pytest.mark.few(8)
@pytest.mark.parametrize("device", [entry["name"] for entry in catalogue.devices()])
def test_no_device_lets_companions_change_the_load(device: str) -> None:
    try:
        fit, _ = catalogue.fitting(device=device)
    except ConfigError:
        pytest.skip("no scheme fits")
    together = cliffs.loads(cliffs.Pattern(), device=device, schemes=fit[::-1])
    for scheme in fit:
        alone = cliffs.loads(cliffs.Pattern(), device=device, schemes=[scheme])
        assert alone[scheme] == together[scheme], (device, scheme)


def test_the_start_is_seen_however_much_is_written() -> None:
    def first(amount: int) -> float:
        how: dict[str, Any] = {"amount_bytes": amount, "write_bytes": 256 << 10}
        found = cliffs.cliff(device="rl-32g", schemes=["baseline"], **how)
        return float(found.curves["baseline"].first_mb_per_s)

    assert first(8 << 30) == pytest.approx(first(768 << 20), rel=0.05)
    small = ("--amount", "2GiB", "--set", "scheme.baseline.slc_blocks=4")
    done = slcache("cliff", "--device", "rl-32g", "--schemes", "baseline", *small)
    assert done.returncode == 0
    assert b"baseline: its cache of 16.0 MiB is less than a hundredth" in done.stderr
    steps = [(60.0 * (i + 1), 4000.0 / (i + 1)) for i in range(6)]
    assert len(phases.find(*curve(steps, 2)).phases) == phases.MOST
    assert len(phases.find(*curve(steps, 2), most=6).phases) == 6
    values = np.random.default_rng(7).standard_normal(17)
    values[6:] += 3

    def cost(cuts: list[int]) -> float:
        parts = [values[a + (a > 0) : b] for a, b in pairwise(cuts)]
        return sum(float(((part - part.mean()) ** 2).sum()) + 1.5 for part in parts)

    every = [[0, 17], *([0, a, 17] for a in range(5, 13))]
    every += [[0, a, b, 17] for a in range(5, 13) for b in range(a + 5, 13)]
    assert cost(phases._cuts(values, 4, 1.5)) == pytest.approx(min(map(cost, every)))


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
    assert [p.to_gb for p in found.phases] == pytest.approx([p.to_gb for p in plain.phases], 1e-3)
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
