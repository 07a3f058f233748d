"""A design's answer follows from its points, and is told with what weakens it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from slcache import ConfigError, RunError, UsageError, design, models
from slcache.design import flash as flashes
from slcache.design import passes
from slcache.design import point as points
from slcache.design.constraint import Constraint
from slcache.design.flash import Flash
from slcache.design.outcome import Design
from slcache.design.runs import BOTH, DENSE_ONLY, SLC_ONLY

FLASH = Flash("chip", "mlc", 64, 2, slc_cycles=50, dense_cycles=10, slc_block_bytes=1000)


def document(
    read_us: float = 100.0, energy_j: float = 7.0, *, written: float = 1.0, **figures: float
) -> dict[str, Any]:
    """Return what a point reads of a result; half of what the host wrote left the DRAM buffer."""
    read = {"requests": 1, "latency_us": {"mean": read_us}}
    return {
        "scheme": {"figures": {"host_bytes": written / 2, **figures}},
        "host": {"read": read, "write": {"bytes": written}},
        "disk": {"energy_j": energy_j},
    }


def two_regions(slc_blocks: int, read_us: float = 100.0, **volumes: float) -> points.Point:
    """Return a point of two regions with the volumes of the model, kB."""
    given = {"host": 8, "slc": 20, "dense": 10, "slc_only": 25, "dense_only": 99, **volumes}
    kb = {name: 1000.0 * value for name, value in given.items()}
    both = {"written": kb["host"], "slc_bytes": kb["slc"], "dense_bytes": kb["dense"]}
    documents = {
        BOTH: document(read_us, **both, slc_cleanings=3, dense_cleanings=2, miss_rate=0.1),
        SLC_ONLY: document(slc_bytes=kb["slc_only"]),
        DENSE_ONLY: document(dense_bytes=kb["dense_only"]),
    }
    return points.made(FLASH, slc_blocks, documents)


def dense_alone() -> points.Point:
    """Return the point without SLC: D_M = 10 x 2 x 128 kB = 2,560 kB are 100 passes of 25.6 kB."""
    alone = document(90.0, written=8000.0, dense_bytes=25_600.0, dense_cleanings=1)
    return points.made(FLASH, 0, {DENSE_ONLY: alone})


def made(*found: points.Point, lifespan: str = "2x", **change: Any) -> Design:  # noqa: ANN401
    """Return a design of these points."""
    given: dict[str, Any] = {
        "trace": "t.csv",
        "label": None,
        "flash": FLASH,
        "constraint": Constraint.read(lifespan),
        "goal": "latency",
        "policy": 0,
        "only_full_chip": False,
        "passes": 2,
        "first_requests": None,
        "candidates": [0, 16, 32, 48, 64],
        "points": found,
    }
    return Design(**{**given, **change})


def test_a_point_has_the_lifespan_of_its_three_runs() -> None:
    # Half of 128 blocks: D_S = 50 x 64 kB = 3,200 kB are 160 passes of 20, D_M = 1,280 kB are 128
    # of 10; the 640 left of D_S last 25.6 passes of 25.
    point = two_regions(32)
    assert point.lifespan.first == "dense"
    assert (point.lifespan.slc_passes, point.lifespan.dense_passes) == (160, 128)
    assert point.lifespan.passes == pytest.approx(153.6)
    assert point.life_bytes == pytest.approx(153.6 * 8000)
    assert (point.slc_share, point.slc_bytes, point.dense_bytes) == (0.5, 64_000, 128_000)
    alone = dense_alone()
    assert (alone.life_bytes, alone.volumes) == (
        100 * 8000,
        {"host_bytes": 8000, "dense_only_bytes": 25_600},
    )
    assert alone.miss_rate is None


def test_a_workload_that_writes_nothing_has_no_lifespan() -> None:
    with pytest.raises(RunError, match="the host writes nothing"):
        two_regions(32, host=0)
    with pytest.raises(RunError, match="nothing is programmed into flash"):
        points.made(FLASH, 0, {DENSE_ONLY: document(written=8000.0, dense_bytes=0)})


def test_the_smallest_region_that_suffices_is_chosen() -> None:
    short, enough, more = two_regions(16, slc=40, dense_only=20), two_regions(32), two_regions(48)
    found = made(dense_alone(), short, enough, more, lifespan="1.9x")
    assert found.times(enough) == pytest.approx(1.536)
    assert found.chosen == more
    assert (found.slc_blocks, found.r_min) == (48, 0.75)
    assert made(dense_alone(), short, enough, more, lifespan="1.2MB").chosen == enough
    assert [point.slc_blocks for point in found.neighbours] == [32]
    assert found.rises
    assert found.better == []


def test_a_larger_region_that_is_better_all_the_same_is_told() -> None:
    found = made(dense_alone(), two_regions(32, 120.0), two_regions(48, 110.0), lifespan="1.5x")
    assert found.slc_blocks == 32
    assert [point.slc_blocks for point in found.better] == [48]
    told = " ".join(design.sentences(found))
    assert "a lower read latency than the 120 µs of the smallest: 48 of 64 blocks of" in told
    assert "by 8.3 %." in told
    worse = made(dense_alone(), two_regions(32), two_regions(48, 110.0), lifespan="1.5x")
    assert "No larger region that was tried has a lower read latency" in " ".join(
        design.sentences(worse)
    )


def test_a_lifespan_that_no_region_reaches_is_an_answer() -> None:
    found = made(dense_alone(), two_regions(32), lifespan="3.072x")
    assert (found.chosen, found.slc_blocks, found.r_min) == (None, None, None)
    assert found.nearest.slc_blocks == 32
    told = " ".join(design.sentences(found))
    assert "No region that was tried lasts 3.072×" in told
    assert "50.0 % too little" in told
    plain = json.loads(found.to_json())
    assert plain["constraint"]["met"] is False
    assert plain["nearest"]["share_of_constraint"] == pytest.approx(0.5)


def test_what_weakens_the_answer_is_told() -> None:
    falling = made(dense_alone(), two_regions(32), two_regions(48, slc=90), first_requests=1000)
    told = " ".join(design.sentences(falling))
    assert not falling.rises
    assert "does not rise all the way" in told
    assert "Only the first 1,000 requests" in told
    assert "begins with empty flash" not in told
    assert "overloaded" not in told
    cold = made(dense_alone(), two_regions(32), passes=1)
    assert "One pass was run, which begins with empty flash" in " ".join(design.sentences(cold))


def test_the_document_is_plain_and_its_files_are_complete() -> None:
    endless = two_regions(32, dense=0)
    found = made(dense_alone(), endless)
    plain = json.loads(found.to_json())
    assert [point["slc_blocks"] for point in plain["points"]] == [0, 32]
    assert plain["points"][1]["lifespan"]["dense_passes"] is None, "infinite"
    assert plain["points"][1]["volumes"] == dict(endless.volumes)
    assert plain["chip"]["blocks"] == 128
    files = found.files()
    assert files["design.png"].startswith(b"\x89PNG")
    assert b"<svg" in files["design.svg"]


def pool(**change: Any) -> dict[str, Any]:  # noqa: ANN401
    count = dict.fromkeys(("channels", "chips", "dies"), 1)
    modes = {"slc": {"endurance_cycles": 50}, "tlc": {"endurance_cycles": 3}}
    return {
        **count,
        "planes": 2,
        "blocks": 64,
        "wordlines": 8,
        "page_bytes": 512,
        **modes,
        **change,
    }


def config(*pools: Mapping[str, Any]) -> dict[str, Any]:
    device = {"name": "mine", "pool": list(pools)}
    return {"device": device, "scheme": {"nvc": {"dense_mode": "tlc"}}}


def test_the_chip_is_the_devices() -> None:
    flash = flashes.of_config(config(pool()))
    assert flash.chip == dict(zip(models.CHIP_KEYS, (50, 3, 4096, 3, 128), strict=True))
    assert flash.sizes(4) == [0, 16, 32, 48, 64]
    assert flash.sizes(5) == [0, 13, 26, 38, 51, 64]


def test_a_chip_without_endurance_has_no_lifespan() -> None:
    unknown = config(pool(tlc={"endurance_cycles": None}))
    with pytest.raises(ConfigError, match=r"device\.pool\[0\]\.tlc\.endurance_cycles: missing"):
        flashes.of_config(unknown)
    with pytest.raises(ConfigError, match=r"device\.pool: has 2 pools"):
        flashes.of_config(config(pool(), pool()))
    with pytest.raises(ConfigError, match="candidates = 65: must be between 1 and 64"):
        flashes.of_config(config(pool())).sizes(65)


@pytest.mark.parametrize("blocks", [1, 2, 20, 31, 32, 33, 2048])
def test_a_number_of_candidates_that_nobody_gave_fits_every_chip(blocks: int) -> None:
    sizes = flashes.of_config(config(pool(blocks=blocks))).sizes(None)
    assert sizes == sorted(set(sizes))
    assert (sizes[0], sizes[-1], len(sizes)) == (0, blocks, min(blocks, 32) + 1)


LIFESPANS = ["1e30T", "1" + "0" * 30 + "T", "9" * 400, "9" * 400 + "x", "9" * 5000 + "T", "nanx"]


@pytest.mark.parametrize(
    "asked", [*LIFESPANS, 10**400, 10**5000, -(10**5000), 0, -1], ids=lambda _: ""
)
def test_a_lifespan_is_refused_or_can_be_compared(asked: str | int) -> None:
    with pytest.raises(UsageError, match="lifespan = ") as caught:
        Constraint.read(asked)
    assert len(str(caught.value)) < 300
    assert Constraint.read("8388608T").least_bytes(1.0) == 2.0**63


def passed(*passes: tuple[float, float, float]) -> dict[str, Any]:
    """Return the document of a run whose passes had so many kB, misses and µs of a read."""
    kb, misses, read_us = (sum(each) / len(passes) for each in zip(*passes, strict=True))
    count = len(passes)
    found = document(
        read_us, 7.0 * count, written=count * 8.0, slc_bytes=count * kb, miss_rate=misses
    )
    found["host"]["read"]["requests"] = count * 10
    return found


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_last_pass_is_the_difference_of_two_runs(k: int) -> None:
    cold, warm, end = (90.0, 1.0, 500.0), (40.0, 0.5, 100.0), (30.0, 0.25, 80.0)
    each = [cold, *[warm] * (k - 2), end]
    alone = passes.last(k, passed(*each), passed(*each[:-1]))
    assert alone["scheme"]["figures"]["slc_bytes"] == pytest.approx(30)
    assert alone["scheme"]["figures"]["miss_rate"] == pytest.approx(0.25)
    assert alone["host"]["read"]["latency_us"]["mean"] == pytest.approx(80)
    assert alone["host"]["write"]["bytes"] == pytest.approx(8)
    assert alone["disk"]["energy_j"] == pytest.approx(7)
    assert passes.last(1, passed(cold)) == passed(cold)
