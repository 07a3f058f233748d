"""The least writes that any scheme needs, and how fast a device is where its cache is full."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slcache
from slcache import ConfigError, UsageError, bounds, catalogue, cliffs
from slcache.bandwidth import curves
from slcache.bandwidth.curves import BandwidthCurve, Values
from slcache.cli.cliff import table
from support import json_of, write_trace
from support import slcache as command
from test_gains import hot

DEMO = "examples/linkbench-40s.blkparse.zst"


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a trace that writes two units ten times in turn, and another once."""
    rows = [(i, "Write", 4096 * (i % 2), 4096) for i in range(20)]
    file = tmp_path_factory.mktemp("bound") / "t.csv"
    return write_trace(file, [*rows, (20, "Write", 8192, 4096), (21, "Read", 0, 8192)])


def test_sizes_keep_what_can_be_counted_by_hand(rewritten: Path) -> None:
    found = bounds.of_trace(rewritten, [0, 4096, 8192, 12288])
    assert (found["versions"], found["units"], found["alive_max"]) == (21, 3, 3)
    kept = [(row["kept"], row["kept_died"]) for row in found["sizes"]]
    # With one slot: one of the two units' versions, and the last one of all.
    assert kept == [(0, 0), (10, 9), (20, 18), (21, 18)]
    assert [row["least"] for row in found["sizes"]] == [21, 11, 1, 0]
    found = bounds.of_trace(DEMO)
    sizes = [row["bytes"] for row in found["sizes"]]
    assert sizes == [1 << (20 + i) for i in range(len(sizes))]
    assert [row["kept"] == found["versions"] for row in found["sizes"]].index(True) == (
        len(sizes) - 1
    )
    assert sizes[-2] < found["alive_max"] * 4096 <= sizes[-1]
    large = bounds.of_trace(DEMO, [1 << 25], unit_bytes=16384)
    assert large["versions"] < found["versions"]
    assert large["alive_max"] * 4 >= found["alive_max"]


@pytest.mark.long
def test_the_verb_tells_the_same_in_every_form(rewritten: Path, tmp_path: Path) -> None:
    picture = tmp_path / "bound.svg"
    told = command("bound", rewritten, "--sizes", "4KiB..16KiB*2", "--picture", picture)
    assert "At most 12.0 KiB are alive" in told.stdout.decode()
    assert picture.read_text().startswith("<svg")
    found = json.loads(command("bound", rewritten, "--sizes", "4KiB,8KiB,16KiB", "--json").stdout)
    assert found == bounds.of_trace(str(rewritten), [4096, 8192, 16384])
    csv = command("bound", rewritten, "--sizes", "4KiB", "--format", "csv").stdout.decode()
    assert csv.splitlines()[1].split(",")[0] == "4096"
    # Every column of numbers tells its unit, and no sentence another share than the table.
    on_tiny = command("bound", rewritten, "--device", "tiny", "--format", "csv").stdout.decode()
    for header in (csv, on_tiny):
        bare = [name for name in header.splitlines()[0].split(",") if not name.endswith("]")]
        assert bare in ([], ["blocks_per_plane"])
    assert "kept [units of 4096 bytes]" in csv
    assert told.stdout.decode().count("%") == 3
    on = ("bound", rewritten, "--device")
    document = json.loads(command(*on, "tiny", "--json").stdout)
    assert document == bounds.on_device(str(rewritten), device="tiny")
    assert b"Wear is in lives of a block" in command(*on, "tiny", "--picture", picture).stdout
    # Of some cells no endurance is known.
    assert b"The endurance of the cells is not known" in command(*on, "hierarchy-44g").stdout


#: A block of each of tiny's four planes, in SLC mode.
STEP = 4 * 8 * 4096


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("device") / "hot.csv", hot(1500))


def test_units_and_sizes_are_the_device_s(trace: Path) -> None:
    found = bounds.on_device(trace, device="tiny")
    sizes = [row["bytes"] for row in found["sizes"]]
    assert sizes == [STEP << power for power in range(len(sizes))]
    assert [row["blocks_per_plane"] for row in found["sizes"]] == [
        1 << power for power in range(len(sizes))
    ]
    alone = bounds.of_trace(trace, sizes)
    assert found["versions"] == alone["versions"]
    for row, other in zip(found["sizes"], alone["sizes"], strict=True):
        for key in ("kept", "kept_died", "least", "least_drained"):
            assert row[key] == other[key]


def test_time_and_wear_by_hand(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "t.csv", [(i, "Write", 4096 * (i % 2), 4096) for i in range(20)])
    found = bounds.on_device(trace, device="tiny", sizes_bytes=[4096, 8192])
    assert found["unit_program_ns"] == {"slc": 200_000, "dense": 1_000_000}
    for row, kept in zip(found["sizes"], (10, 20), strict=True):
        assert row["kept"] == kept
        assert row["program_ns_least"] == 200_000 * kept + 1_000_000 * (20 - kept)
        # Blocks of 8 wordlines: 8 units for 1000 cycles, or 24 for 100.
        assert row["block_lives_least"] == pytest.approx(kept / 8000 + (20 - kept) / 2400)
    buffer = {"buffer.bytes": 4096}
    held = bounds.on_device(trace, device="tiny", sizes_bytes=[4096], settings=buffer)
    (row,) = held["sizes"]
    assert (held["buffer_slots"], row["kept"]) == (1, 20)
    # Half of the versions die in the buffer, which is never programmed.
    assert row["program_ns_least"] == 200_000 * 10
    none = command("bound", write_trace(tmp_path / "reads.csv", [(0, "Read", 0, 4096)]))
    assert none.returncode == 4
    assert "has no writes" in none.stderr.decode()
    with pytest.raises(ConfigError, match="all flash is cache"):
        bounds.on_device(trace, device="nvc-hdd")


#: Chips whose programs can be faster than those of a page in turn.
CHIPS: dict[str, dict[str, Any]] = {
    "per page": {},
    "varied": {"slc.program_variation": 0.5, "tlc.program_variation": 0.3},
    "one shot": {"tlc.program": "one-shot", "tlc.program_ns": [900_000]},
    "planes together": {"plane_parallelism": "multi-plane"},
    "folds": {"tlc.fold.program_ns": 600_000},
    "copy-back": {"slc.copyback_ns": 90_000, "tlc.copyback_ns": 400_000},
    "varied folds": {"tlc.program_variation": 0.3, "tlc.fold.program_ns": 600_000},
}


@pytest.mark.parametrize("chips", CHIPS)
@pytest.mark.parametrize("scheme", ["baseline", "sector", "turbo-write", "clairvoyant"])
def test_no_run_takes_less(trace: Path, scheme: str, chips: str) -> None:
    on: dict[str, Any] = {
        "device": "tiny",
        "settings": {f"device.pool.0.{key}": value for key, value in CHIPS[chips].items()},
    }
    counted = {**on, "settings": {**on["settings"], "run.bound": True}}
    document = slcache.run(trace, scheme=scheme, **counted).to_dict()
    size = document["bound"]["capacity_slots"] * 4096
    (least,) = bounds.on_device(trace, sizes_bytes=[size], **on)["sizes"]
    assert document["bound"]["counted"] >= least["least"]
    programs = [op for op in document["flash"]["ops"] if op["kind"] != "read" and op["pages"]]
    assert sum(op["time_us"] for op in programs) * 1e3 >= least["program_ns_least"]
    lives = {"slc": 1 / 8000, "tlc": 1 / 2400}
    assert sum(lives[op["mode"]] * op["count"] for op in programs) >= least["block_lives_least"]


@pytest.mark.parametrize(
    ("chips", "dense_ns"),
    [
        ("per page", 1_000_000),
        ("varied", 700_000),
        ("one shot", 300_000),
        ("planes together", 500_000),
        ("folds", 200_000),
        ("copy-back", 400_000),
        ("varied folds", 200_000),
    ],
)
def test_a_unit_costs_what_the_fastest_program_does(
    trace: Path, chips: str, dense_ns: float
) -> None:
    settings = {f"device.pool.0.{key}": value for key, value in CHIPS[chips].items()}
    found = bounds.on_device(trace, device="tiny", settings=settings)
    assert found["unit_program_ns"]["dense"] == pytest.approx(dense_ns)


GIB = 1 << 30


def series(
    written: list[int], latest_s: list[float] | None = None, window_ns: int = 1_000_000_000
) -> dict[str, Any]:
    """Return what the curves read of a result: bytes and longest latency by window."""
    latest = [int(1e9 * value) for value in latest_s or [0.0] * len(written)]
    # Of 64 KiB each.
    requests = [bytes_ >> 16 for bytes_ in written]
    columns = {"write_bytes": written, "write_requests": requests, "write_latency_ns_max": latest}
    return {
        "config": {},
        "series": {"window_ns": window_ns, "columns": columns},
        "host": {"duration_ns": window_ns * len(written)},
    }


def test_stalls_count_as_time() -> None:
    fast_then_stalling = [GIB] * 100 + [GIB, 0, 0, 0] * 100
    curve = curves.sustained(series(fast_then_stalling))
    written, rate = curve.written_bytes / GIB, curve.mb_per_s
    assert written[-1] == pytest.approx(200)
    assert rate[0] == pytest.approx(GIB / 1e6)
    assert rate[(written > 104) & (written < 196)].mean() == pytest.approx(GIB / 4 / 1e6, rel=0.05)
    assert curve.cliff_bytes == pytest.approx(100 * GIB, rel=0.02)
    uneven = [GIB] * 100 + ([GIB] * 3 + [0] * 3) * 100
    assert curves.sustained(series(uneven)).last_mb_per_s == pytest.approx(GIB / 2 / 1e6, rel=0.05)
    # So does time before the first completion, and a last window for what it lasted.
    curve = curves.sustained(series([0, GIB]))
    assert [*curve.mb_per_s, curve.last_mb_per_s] == pytest.approx([GIB / 2 / 1e6] * 2, rel=1e-3)
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
    assert [*curve.written_bytes / GIB] == pytest.approx([2, 3, 4, 5, 6])
    assert curve.cliff_bytes == pytest.approx(2 * GIB)
    # Bursts that outlast the pause have none.
    longer = series([gib] * 8, [1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 5.0, 6.0])
    longer["host"]["duration_ns"] = 8_000_000_000
    curve = curves.in_bursts(longer, burst_bytes=4 * gib, pause_ns=2_000_000_000)
    assert curve.bursts == ()
    assert curve.mb_per_s == pytest.approx([mb])


def completed(
    at_ns: list[int], window_ns: int, burst_ns: list[int] | None = None
) -> dict[str, Any]:
    """Return what the curves read of writes of 64 KiB that are completed at these times."""
    windows = [at // window_ns for at in at_ns]
    latest = [0.0] * (windows[-1] + 1)
    for at, window, begun in zip(at_ns, windows, burst_ns or at_ns, strict=True):
        latest[window] = max(latest[window], (at - begun) / 1e9)
    written = [(1 << 16) * windows.count(window) for window in range(len(latest))]
    return series(written, latest, window_ns) | {"host": {"duration_ns": at_ns[-1]}}


@pytest.mark.parametrize("every_ns", [30_000, 340_000, 990_000, 1_040_000, 6_530_000])
def test_first_and_last_are_bytes_by_time_and_not_above_the_flash(every_ns: int) -> None:
    """However the writes fall into windows: the longer of the times that are possible."""
    peak = (1 << 16) / every_ns * 1e3
    curve = curves.sustained(completed([every_ns * (i + 1) for i in range(1600)], 1_000_000))
    for found in (curve.first_mb_per_s, curve.last_mb_per_s):
        assert 0.93 * peak < found <= peak * (1 + 1e-9)
    assert curve.cliff_bytes is None
    # A stall in each tenth is time, at first as well, and no cliff.
    stalls = [every_ns * (i + 1 + 100 * ((i + 80) // 160)) for i in range(1600)]
    curve = curves.sustained(completed(stalls, 1_000_000))
    assert curve.first_mb_per_s == pytest.approx(peak * 160 / 260, rel=0.07)
    assert curve.last_mb_per_s == pytest.approx(peak * 160 / 260, rel=0.07)
    assert curve.cliff_bytes is None


def test_a_cliff_is_a_fall_that_lasts() -> None:
    def cliff(*parts: tuple[int, int]) -> float | None:
        """Of so many hundredths of 5 GiB at so many seconds a GiB."""
        written = [gib for many, s in parts for gib in ([0] * (s - 1) + [GIB]) * (5 * many)]
        found = curves.sustained(series(written)).cliff_bytes
        return None if found is None else found / (5 * GIB)

    assert cliff((40, 1), (60, 2)) == pytest.approx(40)
    assert cliff((93, 1), (7, 4)) == pytest.approx(93)
    assert cliff((40, 1), (30, 9), (30, 1)) == pytest.approx(40)
    # What the buffer takes at once is not the start.
    buffered = series([6 * GIB, *([GIB] * 94)]) | {"config": {"buffer": {"bytes": 5 * GIB}}}
    curve = curves.sustained(buffered)
    assert curve.first_mb_per_s == pytest.approx(GIB / 1e6, rel=1e-3)
    assert curve.cliff_bytes is None
    latest = [1.0, 2.0, 3.0, 4.0] * 2
    burst = series([6 * GIB, GIB, GIB, GIB] * 2, latest) | {"config": buffered["config"]}
    curve = curves.in_bursts(burst, 9 * GIB, 5_000_000_000)
    assert curve.first_mb_per_s == pytest.approx(GIB / 1e6)
    assert curve.cliff_bytes is None
    assert curve.bursts[0].start_mb_per_s == pytest.approx(6 * GIB / 1e6)
    # It stands still for a moment, in the end too; it is slow at first; it makes up for it.
    assert cliff((50, 1), (1, 3), (49, 1)) is None
    assert cliff((99, 1), (1, 2)) is None
    assert cliff((5, 3), (95, 1)) is None
    assert cliff((40, 2), (10, 3), (50, 1)) is None


@pytest.mark.parametrize("pause_ms", [10, 90, 300, 600])
def test_idle_time_between_bursts_is_no_time_of_the_device(pause_ms: int) -> None:
    """5 bursts of 400 writes, of which the first 1,000 take 0.25 ms each and others 1 ms."""
    done, begun, now = [], [], 0
    for i in range(2000):
        begun.append(i // 400 * pause_ms * 1_000_000)
        now = max(now, begun[-1]) + (250_000 if i < 1000 else 1_000_000)
        done.append(now)
    document = completed(done, 1_000_000, begun)
    curve = curves.in_bursts(document, 400 << 16, pause_ms * 1_000_000)
    assert bool(curve.bursts) == (pause_ms == 600)
    assert curve.cliff_bytes == pytest.approx(1000 << 16, rel=0.02)
    assert curve.first_mb_per_s == pytest.approx((1 << 16) / 250, rel=0.02)
    assert curve.last_mb_per_s == pytest.approx((1 << 16) / 1000, rel=0.02)


def test_the_verb_writes_figures_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = ["cliff", "--device", "tiny", "--amount", "1500KiB", "--bs", "16k", "--iodepth", "8"]
    found = json_of(*both, "--schemes", "tlc-only,baseline", "--out", tmp_path, "--json")["schemes"]
    assert set(found) == {"tlc-only", "baseline"}
    assert found["baseline"]["written_bytes"][-1] == pytest.approx(1500 << 10, rel=0.02)
    assert {path.name for path in tmp_path.iterdir()} == {"cliff.json", "cliff.svg", "cliff.png"}
    paused = ["--pattern", "bursts", "--bursts", "3", "--pause", "5s", "--json"]
    done = command(*both, "--schemes", "tlc-only", *paused)
    bursts = json.loads(done.stdout)["schemes"]["tlc-only"]["bursts"]
    assert len(bursts) == 3
    for burst in bursts:
        last = found["tlc-only"]["last_mb_per_s"]
        assert burst["mean_mb_per_s"] == pytest.approx(last, rel=0.25)
    # How much it will be is told before.
    monkeypatch.setattr("slcache.cli.cliff._MUCH_BYTES", 4 << 20)
    told = b"note: 3 runs write 4.36 MiB in all, and each up to 1.45 MiB; --amount takes less"
    assert told in command(*both, "--schemes", "tlc-only,baseline", "--bound").stderr
    assert b" in all" not in done.stderr
    # Bursts that run into one another are writes without a break, which is said.
    merged = command(*both, "--schemes", "tlc-only", *paused[:-2], "1ms")
    assert b"note: tlc-only: a burst lasts longer than the 1.00 ms" in merged.stderr
    assert b"last MB/s" in merged.stdout
    # Speeds of a column have as many digits, be they whole or not.
    speeds = BandwidthCurve(np.array([2e6]), np.array([11.0]), 10.98, 11.04)
    (row,) = table({"baseline": speeds}).rows
    assert [row[1].plain, row[3].plain] == ["11.0", "11.0"]


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


@pytest.mark.long
def test_the_default_amount_overflows_every_cache() -> None:
    # What ips-coop has in each of 128 planes: SLC blocks, and two layers of each of the others.
    most = 128 * (128 * 128 + (2048 - 128) * 2 * 2) * 4096
    for scheme in ("tlc-only", "turbo-write", "ips-coop"):
        assert cliffs.default_amount("ips-384g", scheme) == 3 * most
    larger = {**{"device.user_bytes": "190GiB"}, "scheme.turbo-write.slc_blocks": 250}
    own = cliffs.cache_bytes(
        catalogue.resolve(device="ips-384g", scheme="turbo-write", settings=larger)
    )
    assert own > most
    assert cliffs.default_amount("ips-384g", "turbo-write", larger) == 3 * own
    assert cliffs.default_amount("ips-384g", "tlc-only", larger) == 3 * most
    device = next(d["user_bytes"] for d in catalogue.devices() if d["name"] == "gc-8g")
    assert cliffs.default_amount("gc-8g", "tlc-only", {"scheme.tlc-only.mode": "mlc"}) == device


@pytest.mark.few(8)
@pytest.mark.parametrize(
    "device",
    [
        pytest.param(name, marks=pytest.mark.long) if name.endswith("-like") else name
        for name in (entry["name"] for entry in catalogue.devices())
    ],
)
def test_the_default_amount_is_of_caches_that_schemes_have(device: str) -> None:
    """No cache is left unfilled, unused cells are none, and companions change nothing."""
    try:
        fit, _ = catalogue.fitting(device=device)
    except ConfigError:
        pytest.skip("no scheme fits")
    caches = {
        name: cliffs.cache_bytes(catalogue.resolve(device=device, scheme=name)) for name in fit
    }
    user = next(entry["user_bytes"] for entry in catalogue.devices() if entry["name"] == device)
    together = cliffs.loads(cliffs.Pattern(), device=device, schemes=fit[::-1])
    for name, load in together.items():
        assert cliffs.loads(cliffs.Pattern(), device=device, schemes=[name])[name] == load
        assert load.amount_bytes in {min(user, 3 * cache) for cache in caches.values()} | {user}
        assert load.amount_bytes >= min(user, 3 * caches[name])


def test_the_start_is_seen_however_much_is_written() -> None:
    def first(amount: int) -> float:
        how: dict[str, Any] = {"amount_bytes": amount, "write_bytes": 256 << 10}
        found = cliffs.cliff(device="rl-32g", schemes=["baseline"], **how)
        return float(found.curves["baseline"].first_mb_per_s)

    assert first(8 << 30) == pytest.approx(first(768 << 20), rel=0.05)
    small = ("--amount", "2GiB", "--set", "scheme.baseline.slc_blocks=4")
    done = command("cliff", "--device", "rl-32g", "--schemes", "baseline", *small)
    assert done.returncode == 0
    assert b"baseline: its cache of 16.0 MiB is less than a hundredth" in done.stderr
    steps = [(60.0 * (i + 1), 4000.0 / (i + 1)) for i in range(6)]
    assert len(curves.find_phases(*curve(steps, 2)).phases) == curves.MOST
    assert len(curves.find_phases(*curve(steps, 2), most=6).phases) == 6
    values = np.random.default_rng(7).standard_normal(17)
    values[6:] += 3

    def cost(cuts: list[int]) -> float:
        parts = [values[a + (a > 0) : b] for a, b in pairwise(cuts)]
        return sum(float(((part - part.mean()) ** 2).sum()) + 1.5 for part in parts)

    every = [[0, 17], *([0, a, 17] for a in range(5, 13))]
    every += [[0, a, b, 17] for a in range(5, 13) for b in range(a + 5, 13)]
    assert cost(curves._cuts(values, 4, 1.5)) == pytest.approx(min(map(cost, every)))


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
    found = curves.find_phases(*curve(parts, seed)).phases
    assert [p.to_gb for p in found] == pytest.approx([end for end, _ in parts], rel=0.02)
    assert [p.mb_per_s for p in found] == pytest.approx([speed for _, speed in parts], rel=0.02)
    assert [p.from_gb for p in found[1:]] == [p.to_gb for p in found[:-1]]


@pytest.mark.parametrize("seed", range(4))
def test_a_speed_that_does_not_change_is_one_phase(seed: int) -> None:
    found = curves.find_phases(*curve([(500.0, 1200.0)], seed))
    assert [(p.from_gb, p.to_gb) for p in found.phases] == [(0.0, 500.0)]
    assert found.phases[0].mb_per_s == pytest.approx(1200, rel=0.01)


def test_a_cache_that_comes_back_is_found_each_time_and_waves_are_not() -> None:
    parts = [(20.0, 2200.0)]
    for number in range(1, 5):
        parts += [(110.0 * number - 3, 630.0), (110.0 * number + 17, 2200.0)]
    parts.append((500.0, 630.0))
    gb, speeds = curve(parts, 1, noise=0.0, dips=0.0)
    found = curves.find_phases(gb, speeds, 16)
    assert [p.to_gb for p in found.phases] == pytest.approx([end for end, _ in parts], abs=1.0)
    for length in (8, 20, 45):
        waves = 1000 * (1 + 0.2 * np.sin(2 * np.pi * gb / length))
        assert len(curves.find_phases(gb, waves, 16).phases) == 1, length
    # Without noise an end within a point is exact.
    exact = curves.find_phases(*curve([(61.3, 4800.0), (250.0, 1500.0)], 0, noise=0.0, dips=0.0))
    assert [p.to_gb for p in exact.phases] == pytest.approx([61.3, 250.0])
    assert exact.phases[0].mb_per_s == pytest.approx(4800)
    assert exact.stalls == ()
    gb, speeds = curve([(100.0, 4000.0), (300.0, 1000.0)], 3, dips=0.0)
    plain = curves.find_phases(gb, speeds)
    speeds[40:44] = 100.0
    speeds[200] = 100.0
    found = curves.find_phases(gb, speeds)
    assert [(s.from_gb, s.to_gb) for s in found.stalls] == [(40.0, 44.0), (200.0, 201.0)]
    assert found.stalls[0].mb_per_s == pytest.approx(100.0)
    assert [p.to_gb for p in found.phases] == pytest.approx([p.to_gb for p in plain.phases], 1e-3)
    assert found.phases[0].mb_per_s == pytest.approx(plain.phases[0].mb_per_s, rel=0.01)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("turns", [[0.7] * 20 + [1.3] * 20, [1.5, 1.5, 0.3], [1.6, 0.2]])
def test_waves_within_a_phase_are_none_and_their_mean_is_by_time(
    turns: list[float], seed: int
) -> None:
    gb, speeds = curve([(100.0, 4000.0), (600.0, 1500.0), (900.0, 500.0)], seed, dips=0.0)
    # Planes that fold in step, or a drive that folds a row of blocks while it takes nothing.
    speeds[600:] *= np.resize(turns, 300)
    found = curves.find_phases(gb, speeds).phases
    assert [p.to_gb for p in found] == pytest.approx([100.0, 600.0, 900.0], rel=0.02)
    last = 500.0 / float(np.mean(1 / np.resize(turns, 300)))
    speeds_of = [p.mean_mb_per_s for p in found]
    assert speeds_of == pytest.approx([4000.0, 1500.0, last], rel=0.03)


@pytest.mark.parametrize("before", range(6))
@pytest.mark.parametrize("share", [0.12, 0.6])
def test_a_stall_beside_the_end_of_a_phase_is_part_of_none(share: float, before: int) -> None:
    gb, speeds = curve([(100.0, 4000.0), (300.0, 600.0), (400.0, 4000.0)], 3, dips=0.0)
    speeds[[99 - before, 98 - before]] = [share * 4000, (share + 0.1) * 4000]
    found = curves.find_phases(gb, speeds)
    assert [p.to_gb for p in found.phases] == pytest.approx([100.0, 300.0, 400.0], abs=2.5)
    speeds_of = [p.mean_mb_per_s for p in found.phases]
    assert speeds_of == pytest.approx([4000.0, 600.0, 4000.0], rel=0.02)


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
        curves.find_phases(np.array(gb, float), np.array(speeds, float))
