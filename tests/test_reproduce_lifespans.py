"""Grids over shares of the blocks, and the lifespans that their runs give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from slcache import ConfigError
from slcache.reproduce import inputs, lifespans
from slcache.reproduce import plan as plans
from slcache.reproduce.lifespans import Lifespans
from slcache.reproduce.measures import value
from slcache.reproduce.parts import Grid, Part
from slcache.reproduce.plan import Plan
from slcache.reproduce.reading import Variation
from slcache.reproduce.tabulate import jobs_of

#: Wordlines of 100 bytes, one to a block; 10 blocks on each of two planes.
POOL = {
    **{"channels": 2, "chips": 1, "dies": 1, "planes": 1, "blocks": 10},
    **{"wordlines": 1, "page_bytes": 100},
    "slc": {"endurance_cycles": 50},
    "mlc": {"endurance_cycles": 10},
}

GRIDS = [
    Grid("mixed", "baseline", {"r": [0, 0.25, 1]}),
    Grid("slc", "baseline", {"r": [0.25, 1]}),
    Grid("dense", "baseline", {"r": [0.75, 1]}),
]
SPEC = Lifespans("p", ["mixed"], "slc", "dense")


def document(**scheme_figures: float) -> dict[str, Any]:
    return {
        "config": {"device": {"pool": [POOL]}},
        "scheme": {"figures": scheme_figures, "series": []},
    }


def test_what_a_chip_endures_is_read_from_its_configuration() -> None:
    assert lifespans.chip(document()) == {
        "slc_cycles": 50,
        "dense_cycles": 10,
        "slc_block_bytes": 100,
        "dense_bits": 2,
        "blocks": 20,
    }


def lasting(without: str = "") -> dict[Any, Any]:
    """Return results with the lifespans they have."""
    runs = {
        "mixed 0": document(host_bytes=10, dense_bytes=40),
        "mixed 0.25": document(host_bytes=10, slc_bytes=100, dense_bytes=50),
        "mixed 1": document(host_bytes=10, slc_bytes=20),
        "slc 0.25": document(slc_bytes=250),
        "slc 1": document(slc_bytes=20),
        "dense 0.75": document(dense_bytes=125),
        "dense 1": document(dense_bytes=40),
    }
    documents: dict[Any, Any] = {("w", n, 1): d for n, d in runs.items() if n != without}
    lifespans.add(SPEC, {"p": documents}, GRIDS)
    return documents


def test_a_lifespan_is_that_of_the_model_with_the_volumes_of_the_runs() -> None:
    # D_S = 25,000 and D_M = 30,000: N_S = 250 passes and N_M = 600. Then D_M has 17,500 left, for
    # 140 passes of 125 with the region at its size, or 437.5 of 40 as if it were the whole chip.
    documents = lasting()
    mixed = documents["w", "mixed 0.25", 1]
    assert value("lifespan_bytes", mixed) == pytest.approx(10 * (250 + 140))
    assert value("lifespan_full_chip_bytes", mixed) == pytest.approx(10 * (250 + 437.5))


def test_a_chip_of_one_mode_is_its_own_last_region() -> None:
    documents = lasting()
    for name, passes in (("mixed 0", 40_000 / 40), ("mixed 1", 100_000 / 20)):
        for measure in ("lifespan_bytes", "lifespan_full_chip_bytes"):
            assert value(measure, documents["w", name, 1]) == pytest.approx(10 * passes)


def test_without_the_runs_of_one_region_there_is_no_lifespan() -> None:
    documents = lasting(without="dense 0.75")
    assert value("lifespan_bytes", documents["w", "mixed 0.25", 1]) is None
    assert value("lifespan_bytes", documents["w", "mixed 0", 1]) is not None
    assert value("lifespan_bytes", documents["w", "slc 1", 1]) is None


def test_the_last_pass_alone_is_what_two_program_less_what_one_does() -> None:
    """A first pass programs 10 more than those after it here: 90 and 40, 240 and 115 alone."""
    first, both = lasting(), lasting()
    for key, told in both.items():
        own = told["scheme"]["figures"]
        less = {name: 2 * of - 10 for name, of in own.items() if name != "host_bytes"}
        both[key] = document(**less, host_bytes=20)
    lifespans.add(replace(SPEC, part="two", less="p"), {"p": first, "two": both}, GRIDS)
    mixed = both["w", "mixed 0.25", 1]["lifespan"]["own"]
    assert mixed["passes"] == pytest.approx(25_000 / 90 + (30_000 - 40 * 25_000 / 90) / 115)
    assert mixed["host_bytes"] == pytest.approx(10 * mixed["passes"])
    del first["w", "slc 0.25", 1]
    lifespans.add(replace(SPEC, part="two", less="p"), {"p": first, "two": both}, GRIDS)
    assert both["w", "mixed 0.25", 1]["lifespan"]["own"] is None


SHARES = Grid(
    *("g", "baseline", {"scheme.baseline.slc_blocks": [0, 0.25]}),
    share_of="device.pool.0.blocks",
    instead={"0": "tlc-only"},
)


def shared(**reduced: object) -> Plan:
    whole = plans.load("hierarchy")
    (workload,) = whole.named(["web_1"])
    part = Part("p", "hierarchy-44g", ["g"], "g 0")
    small = replace(workload, reduced=reduced, parts=[])
    return replace(whole, parts=[part], workloads=[small], picks=[], grids=[SHARES])


@pytest.mark.parametrize(("reduced", "blocks"), [({}, 128), ({"device.pool.0.blocks": 100}, 25)])
def test_a_grid_of_shares_follows_the_size_of_the_device(
    reduced: dict[str, Any], blocks: int
) -> None:
    plan = shared(**reduced)
    none, some = [job for _, job in jobs_of(plan, inputs.twins(plan, ["web_1"]), {"p": [1]}, {})]
    assert (none.name, none.scheme, none.settings) == ("g 0", "tlc-only", reduced)
    assert (some.name, some.scheme) == ("g 0.25", "baseline")
    assert some.settings == {**reduced, "scheme.baseline.slc_blocks": blocks}


def test_a_share_of_something_unknown_is_refused() -> None:
    plan = shared()
    wrong = replace(plan, grids=[replace(SHARES, share_of="device.pool.0.block")])
    with pytest.raises(ConfigError, match=r"a share of device\.pool\.0\.block: .* no whole number"):
        jobs_of(wrong, inputs.twins(wrong, ["web_1"]), {"p": [1]}, {})


@pytest.mark.parametrize(("reduced", "blocks"), [({}, 1024), ({"device.pool.0.blocks": 100}, 200)])
def test_a_variation_may_multiply_what_a_run_has(reduced: dict[str, Any], blocks: int) -> None:
    variation = Variation("n", "w", [2], ["device.pool.0.blocks"], times=True)
    assert variation.titles() == ["2 times"]
    (table,) = variation.tables()
    plan = shared(**reduced)
    jobs = jobs_of(plan, inputs.twins(plan, ["web_1"]), {"p": [1]}, table)
    none, some = [job.settings for _, job in jobs]
    assert none == {"device.pool.0.blocks": blocks}
    assert some == {**none, "scheme.baseline.slc_blocks": blocks // 4}
