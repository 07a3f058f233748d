"""The cliff's curve counts stalls and leaves pauses out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError, UsageError, catalogue, cliffs
from slcache.bandwidth import curves
from support import slcache

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


def test_a_burst_is_timed_from_its_start() -> None:
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
    done = slcache(*both, "--schemes", "tlc-only,baseline", "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["schemes"]
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


#: Devices on which every scheme's default amount is written in less than a second; every scheme
#: of the second fits the first too.
SMALL = {"tiny": 16 << 10, "rl-32g": 256 << 10}


@pytest.mark.parametrize(
    ("device", "bursts"),
    [
        ("tiny", None),
        ("tiny", 3),
        *(pytest.param("rl-32g", bursts, marks=pytest.mark.slow) for bursts in (None, 3)),
    ],
)
def test_companions_do_not_change_a_row(device: str, bursts: int | None) -> None:
    fit, _ = catalogue.fitting(device=device)
    how: dict[str, Any] = {"write_bytes": SMALL[device], "bursts": bursts}
    if bursts:
        how["pause_ns"] = 60 * 10**9
    everyone = cliffs.cliff(device=device, schemes=fit, **how).to_dict()["schemes"]
    for scheme in fit:
        alone = cliffs.cliff(device=device, schemes=[scheme], **how).to_dict()["schemes"]
        ((label, row),) = alone.items()
        assert row == everyone[label], scheme


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


def test_a_cache_too_small_to_see_is_told() -> None:
    small = ("--amount", "2GiB", "--set", "scheme.baseline.slc_blocks=4")
    done = slcache("cliff", "--device", "rl-32g", "--schemes", "baseline", *small)
    assert done.returncode == 0
    assert b"baseline: its cache of 16.0 MiB is less than a hundredth" in done.stderr
