"""Models that can be asked alone, and figures read from results, are those of closed forms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import slcache
from slcache import ConfigError
from slcache.reproduce import equations
from slcache.reproduce.measures import ResultReader, measures, value
from slcache.reproduce.notation import MethodCall, leaves
from slcache.results.result import runs_of

GIB = 1 << 30


def tier(
    read_us: float, program_us: float, copyback_us: float, erase_us: float, pages: int, gib: int
) -> dict[str, float]:
    us = (read_us, program_us, copyback_us, erase_us)
    return dict(
        zip(equations.TIER_KEYS, (*(1e3 * each for each in us), pages, gib * GIB), strict=True)
    )


#: The paper's chips, with a page as the unit.
TIERS = {"fast": tier(125, 300, 225, 1500, 64, 2), "dense": tier(350, 2500, 2450, 3000, 384, 8)}
ASKED: dict[str, Any] = {
    "data_bytes": 9 * GIB,
    "write_share": 0.6,
    "write_hits": lambda u: u**0.25,
    "read_hits": 0.5,
}


def expected(u: float) -> float:
    """The equations of the docstring, written again."""

    def write(name: str, filled: float) -> float:
        this = TIERS[name]
        live, units = equations.victim_utilisation(filled), this["units_per_block"]
        freed = math.floor((1 - live) * units)
        cleaning = live * units * this["copyback_ns"] + this["erase_ns"]
        return cleaning / freed + this["program_ns"]

    hits, fast = u**0.25, write("fast", u)
    dense = write("dense", (9 - 2 * u) / 8)
    missed = TIERS["fast"]["read_ns"] + dense
    reads = 0.5 * TIERS["fast"]["read_ns"] + 0.5 * TIERS["dense"]["read_ns"]
    return float(0.6 * (fast + (1 - hits) * missed) + 0.4 * reads)


def test_costs_are_those_of_the_equations() -> None:
    found = equations.hyssd_cost(TIERS, **ASKED, utilisation=np.arange(0.52, 0.98, 0.02))
    assert found.cost_ns == pytest.approx([expected(u) for u in found.utilisation])
    assert found.best == found.utilisation[np.argmin(found.cost_ns)]
    # Hits may be a number, a sequence, an array or a function.
    forms: list[equations.Hits] = [[0.5, 0.5], np.array([0.5, 0.5]), lambda _: 0.5]
    at = [0.6, 0.7]
    half = equations.hyssd_cost(TIERS, **{**ASKED, "write_hits": 0.5}, utilisation=at)
    for hits in forms:
        same = equations.hyssd_cost(TIERS, **{**ASKED, "write_hits": hits}, utilisation=at)
        assert same.cost_ns.tolist() == half.cost_ns.tolist()
    mixed = 0.6 * found.write_ns + 0.4 * found.read_ns
    assert found.cost_ns == pytest.approx(mixed)
    held = 2 * found.utilisation + 8 * found.dense_utilisation
    assert held == pytest.approx(np.full_like(held, 9.0))
    found = equations.hyssd_cost(TIERS, **ASKED)
    assert len(found.utilisation) == 93
    assert np.isinf(found.cost_ns[found.utilisation <= 0.5]).all()
    assert np.isfinite(found.cost_ns[found.utilisation > 0.51]).all()
    assert equations.hyssd_cost(TIERS, **{**ASKED, "data_bytes": 10 * GIB}).best is None


def test_the_victims_utilisation_is_an_inverse() -> None:
    assert 1 / (1 - equations.victim_utilisation(1 / 1.3)) == pytest.approx(2.364, abs=5e-4)
    utilisation = np.linspace(0.01, 0.99, 50)
    victim = equations.victim_utilisation(utilisation)
    assert (victim - 1) / np.log(victim) == pytest.approx(utilisation, abs=1e-9)
    assert [equations.victim_utilisation(0), equations.victim_utilisation(1)] == [0.0, 1.0]
    with pytest.raises(ValueError, match=r"utilisation\[0\] = 1\.2: must be a number from 0 to 1"):
        equations.victim_utilisation(1.2)
    found = bursty("ips-agc")
    fast = found["fast_share"]
    assert fast is not None
    assert found["agc_moves_per_host_page"] == 0
    # What was fast and has not been switched is the whole cache at most: two pages per bit.
    assert found["balance_gap"] == pytest.approx(1 - 3 * fast)
    assert -2 * CACHE_PAGES / HOST_PAGES <= 1 - 3 * fast <= 0
    assert found["write_wait_agc_us"] == 0


def test_a_device_gives_its_tiers_by_the_unit() -> None:
    fast = tier(250, 600, 450, 1500, 32, 2)
    dense = {**tier(350, 2500, 2450, 3000, 384, 1), "bytes": 5462 * 384 * 8192}
    at = {"utilisation": [0.5, 0.6, 0.7, 0.8, 0.9]}
    asked = {**ASKED, **at, "data_bytes": 16 * GIB}
    by_hand = equations.hyssd_cost({"fast": fast, "dense": dense}, **asked)
    on = {**ASKED, **at, "data_bytes": None}
    for unit in (None, 8192):
        found = equations.hyssd_cost("hyssd-st", **on, unit_bytes=unit)
        # The bus is in whole ns there.
        assert found.cost_ns == pytest.approx(by_hand.cost_ns, rel=1e-5)
        assert found.dense_utilisation == pytest.approx(by_hand.dense_utilisation)
    with pytest.raises(ConfigError, match="no such preset"):
        equations.hyssd_cost("nothing", **on)
    with pytest.raises(ConfigError, match="unit_bytes"):
        equations.hyssd_cost("hyssd-st", **on, unit_bytes=5000)


#: Ten blocks of 100 bytes: D_S = 50,000 r and D_M = 20,000 (1 - r).
CHIP = dict(zip(equations.CHIP_KEYS, (50, 10, 100, 2, 10), strict=True))


def volumes(*values: float) -> dict[str, float]:
    return dict(zip(equations.VOLUME_KEYS, values, strict=True))


def test_a_flash_cache_lasts_as_long_as_both_of_its_regions() -> None:
    # N_S = 125, N_M = 100; what is left of D_S, 5,000, lasts 20 passes of 250.
    dense = equations.nvc_lifespan(CHIP, slc_share=0.5, volumes=volumes(80, 200, 100, 250, 999))
    assert (dense.first, dense.slc_passes, dense.dense_passes) == ("dense", 125, 100)
    assert (dense.passes, dense.host_bytes) == (120, 9600)
    assert dense.even_slc_share == 2 * 200 / (5 * 100 + 2 * 200)
    # N_S = 50, N_M = 100; what is left of D_M, 5,000, lasts 40 passes of 125.
    slc = equations.nvc_lifespan(CHIP, slc_share=0.5, volumes=volumes(80, 500, 100, 999, 125))
    assert (slc.first, slc.passes, slc.host_bytes) == ("slc", 90, 7200)
    unread = equations.nvc_lifespan(CHIP, slc_share=0.5, volumes=volumes(0, 0, 0, 0, 0))
    assert (unread.first, unread.passes, unread.host_bytes) == ("neither", math.inf, None)
    # One region needs only what it alone programs.
    alone = {"host_bytes": 80, "slc_only_bytes": 250}
    slc = equations.nvc_lifespan(CHIP, slc_share=1, volumes=alone)
    assert (slc.first, slc.passes, slc.host_bytes, slc.slc_passes) == ("slc", 200, 16000, None)
    alone = {"host_bytes": 80, "dense_only_bytes": 125}
    dense = equations.nvc_lifespan(CHIP, slc_share=0, volumes=alone)
    assert (dense.first, dense.passes, dense.dense_passes) == ("dense", 160, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # Of costs.
        ({"write_share": 1.5}, r"write_share = 1\.5: must be a number from 0 to 1"),
        ({"data_bytes": -1}, r"data_bytes = -1: must be a number finite and at least 0"),
        ({"data_bytes": None}, r"data_bytes: missing"),
        ({"unit_bytes": 8192}, r"unit_bytes = 8192: leave it out"),
        ({"data_bytes": math.inf}, r"data_bytes = inf"),
        ({"utilisation": [0.5, 2]}, r"utilisation\[1\] = 2: must be a number from 0 to 1"),
        ({"utilisation": [math.nan]}, r"utilisation\[0\] = nan"),
        ({"read_hits": [0.5]}, r"read_hits: has 1 values, and utilisation has 93"),
        (
            {"write_hits": lambda u: u - 1},
            r"write_hits\[0\] = -0\.95: must be a number from 0 to 1",
        ),
        ({"write_hits": "many"}, r"write_hits\[0\] = 'many': must be a number"),
        ({"device": {"fast": TIERS["fast"]}}, r"device: has no 'dense'"),
        ({"device": {**TIERS, "dense": {}}}, r"device\['dense'\]: read_ns is missing"),
        (
            {"device": {**TIERS, "dense": {**TIERS["dense"], "pages": 3}}},
            r"device\['dense'\]: unknown key 'pages'",
        ),
        (
            {"device": {**TIERS, "fast": {**TIERS["fast"], "bytes": 0}}},
            r"device\['fast'\]\['bytes'\] = 0: must be above 0",
        ),
        # Of lifespans.
        ({"slc_share": 1.5}, r"slc_share = 1\.5: must be a number from 0 to 1"),
        ({"chip": {**CHIP, "slc_cycles": 0}}, r"chip\['slc_cycles'\] = 0: must be above 0"),
        ({"chip": {"blocks": 1}}, r"chip: slc_cycles is missing"),
        ({"volumes": {"host_bytes": 1}}, r"volumes: slc_bytes is missing"),
        ({"volumes": {"passes": 1}}, r"volumes: unknown key 'passes'"),
        ({"slc_share": 0, "volumes": {"host_bytes": 1}}, r"volumes: dense_only_bytes is missing"),
        ({"volumes": volumes(1, -1, 1, 1, 1)}, r"volumes\['slc_bytes'\] = -1: must be a number"),
    ],
)
def test_what_has_no_meaning_is_named(change: dict[str, Any], message: str) -> None:
    lasts: dict[str, Any] = {"chip": CHIP, "slc_share": 0.5, "volumes": volumes(1, 1, 1, 1, 1)}
    of_costs = {"device": TIERS, **ASKED}
    known: tuple[Any, dict[str, Any]] = (equations.hyssd_cost, of_costs)
    ask, asked = (equations.nvc_lifespan, lasts) if change.keys() <= lasts.keys() else known
    with pytest.raises(ValueError, match=message):
        ask(**{**asked, **change})


#: Pages of the SLC cache of ips-384g, and of a write of 32 KiB.
CACHE_PAGES = (4 << 30) // 4096
PAGES_PER_WRITE = 8
WRITES = 150_000
HOST_PAGES = WRITES * PAGES_PER_WRITE


def bursty(scheme: str) -> dict[str, float | None]:
    """Return the measures of a burst that is larger than the cache."""
    document = slcache.run(
        "ips-bursty",
        device="ips-384g",
        scheme=scheme,
        replay="closed:1",
        settings={"trace.prefill": "none"},
        trace_options={"workload.requests": str(WRITES)},
    ).to_dict()
    return {name: value(name, document) for name in measures()}


def test_the_cliff_and_the_programmed_pages_are_those_of_the_cache() -> None:
    found = bursty("turbo-write")
    assert found["cliff_writes"] == pytest.approx(CACHE_PAGES / PAGES_PER_WRITE, rel=0.01)
    programmed = HOST_PAGES + CACHE_PAGES
    pages = {"slc": CACHE_PAGES, "moved": CACHE_PAGES, "dense": HOST_PAGES - CACHE_PAGES}
    for name, of in pages.items():
        assert found[f"{name}_program_share"] == pytest.approx(of / programmed)
    assert found["waf_pages"] == pytest.approx(programmed / HOST_PAGES)
    kinds = [("program", "slc", "host"), ("read", "qlc", "rmw"), ("program", "qlc", "pad")]
    kinds += [("program", "qlc", "migration"), ("erase", "slc", "migration")]
    kinds += [("read", "slc", "gc"), ("erase", "qlc", "gc"), ("read", "qlc", "host")]
    ops = [
        {"kind": kind, "mode": mode, "cause": cause, "time_us": 1e6 * 2**i}
        for i, (kind, mode, cause) in enumerate(kinds)
    ]
    seconds = {"slc_write_s": 1, "dense_write_s": 2 + 4, "migration_s": 8 + 16}
    seconds |= {"slc_gc_s": 32, "dense_gc_s": 64}
    assert {name: value(name, {"flash": {"ops": ops}}) for name in seconds} == seconds


def test_means_and_tails_are_of_the_requests_that_there_are(comparison: slcache.Comparison) -> None:
    real = runs_of(comparison)["baseline"]
    assert value("write_mean_us", real) == real["host"]["write"]["latency_us"]["mean"]
    assert value("write_requests", real) == real["host"]["write"]["requests"]
    read = {"requests": 1, "latency_us": {"mean": 1000.0, "p99": 5000.0}}
    write = {
        "requests": 3,
        "latency_us": {"mean": 5000.0, "p99": 9000.0},
        "attribution_us": {"wait": {"agc": 10.0}},
    }
    backlog = {"requests_max": 7, "lag_ns": 3_000_000_000}
    none = {"requests": 0, "latency_us": {"mean": None, "p99": None}}
    figures = {"write_p99_ms": 9.0, "write_wait_agc_us": 10 / 3, "write_wait_migration_us": 0.0}
    figures |= {"response_ms": 4.0, "read_p99_ms": 5.0, "read_request_share": 0.25}
    host = {"read": read, "write": write, "backlog": backlog}
    of_reads: dict[str, float | None] = {"lag_s": 3.0, "backlog_requests": 7.0}
    without = {"response_ms": 5.0, "read_p99_ms": None, "lag_s": None}
    for of, told in (
        (host, {**figures, **of_reads}),
        ({**host, "read": none, "backlog": None}, without),
    ):
        assert {name: value(name, {"host": of}) for name in told} == told


def run(windows: Sequence[tuple[int, float]]) -> dict[str, Any]:
    """Return a result with so many writes of so many microseconds in each window."""
    columns = {
        "write_requests": [writes for writes, _ in windows],
        "write_latency_ns_sum": [int(writes * us * 1000) for writes, us in windows],
    }
    return {"series": {"columns": columns}}


RISING = [(25_000, us) for us in (100, 110, 132, 198)]


@pytest.mark.parametrize(
    ("measure", "windows", "figure"),
    [
        # Before and after a cliff, weighted by the writes.
        ("write_before_cliff_us", [(10, 500), (0, 0), (30, 540), (10, 2000), (30, 600)], 530),
        ("write_after_cliff_us", [(10, 500), (0, 0), (30, 540), (10, 2000), (30, 600)], 950),
        ("write_after_cliff_us", [(10, 500), (10, 900)], None),
        # A rise is that of the worst quarter of the first writes; fewer say nothing.
        ("write_rise", [*RISING, (25_000, 1)], 0.1),
        ("write_rise", [*RISING[:3], (25_000, 99)], -0.25),
        ("write_rise", RISING[:3], None),
    ],
)
def test_latencies_over_time_are_those_of_their_windows(
    measure: str, windows: list[tuple[int, float]], figure: float | None
) -> None:
    assert value(measure, run(windows)) == (figure and pytest.approx(figure))


def test_every_row_reads_by_methods_and_rows_that_there_are() -> None:
    for name, term in measures().items():
        for leaf in leaves(term):
            if isinstance(leaf, MethodCall):
                assert callable(getattr(ResultReader, leaf.method)), name
            else:
                assert isinstance(leaf, float) or "." in str(leaf) or leaf in measures(), name
