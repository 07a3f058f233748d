"""The evaluation of the SLC/MLC combined cache: its claims on made-up results, and short runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache as sl
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.inputs import Job, twins
from slcache.reproduce.measures import value
from slcache.reproduce.plan import Plan

TRACES = ["bonnie", "desktop", "financial1", "financial2"]

#: How much smaller the evaluation's experiment is than the paper's.
SMALLER = 8

SEEDS = {"hdd": [1], "policies": [1]}


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plans.load("nvc")


def jobs(plan: Plan) -> list[Job]:
    return Experiment(plan, twins(plan, ["financial1", "financial2"]), SEEDS).jobs


def sizes(job: Job) -> dict[str, float]:
    """Return what of a run's configuration and twin the paper's experiment is divided in."""
    config = job.run.config
    scheme = config["scheme"][job.run.scheme] or {}
    return {
        "requests": int(job.input.set.get("requests", job.input.requests)),
        "user_bytes": config["device"]["user_bytes"],
        "blocks": config["device"]["pool"][0]["blocks"],
        "dram": config["buffer"]["bytes"],
        "region": scheme.get("slc_blocks", scheme.get("blocks", 0)),
    }


def test_the_smaller_experiment_is_the_papers_in_every_part(plan: Plan) -> None:
    for small, full in zip(jobs(plan), jobs(plan.full_size()), strict=True):
        assert small.run.title == full.run.title
        for name, size in sizes(full).items():
            assert sizes(small)[name] * SMALLER == pytest.approx(size, rel=0.002), name


@pytest.mark.parametrize("trace", TRACES)
def test_the_second_pass_writes_what_the_first_does(plan: Plan, trace: str) -> None:
    """What a pass programs is a difference of two runs, of the same trace once and twice."""
    per_request = {}
    for whole in (plan.full_size(), plan):
        every = twins(whole, [trace])
        once, twice = (next(e for e in every if part in e.parts) for part in ("hdd", "again"))
        assert (once.reduced, once.set) == (twice.reduced, twice.set)
        per_request[twice.requests] = twice.repeat_to_write_bytes / 2 / twice.requests
    # The paper's size has as much to a request, but for what a whole number of them leaves.
    assert max(per_request.values()) - min(per_request.values()) < 0.2
    found = sl.Trace(twice.path, options=twice.options(1)).info()
    assert twice.repeat_to_write_bytes == 2 * found["write_bytes"]


@pytest.mark.parametrize("scheme", ["nvc", "nvc-mlc-only", "nvc-slc-only"])
def test_moves_in_flash_are_told_beside_those_with_the_disk(scheme: str, tmp_path: Path) -> None:
    """Both are shares of one whole; between them lie the disk's operations for what moves."""
    path = tmp_path / "w.parquet"
    trace = sl.Trace("nvc-financial1", options={"workload.requests": "20000"})
    trace.convert(path)
    settings = {"device.pool.0.blocks": 16, "buffer.bytes": "256KiB"}
    found = sl.run(path, device="nvc-hdd", scheme=scheme, settings=settings).to_dict()
    ops = {part: found[part]["ops"] for part in ("flash", "disk")}
    whole = sum(op["time_us"] for part in ops.values() for op in part)
    flushes = sum(op["time_us"] for op in ops["disk"] if op["cause"] in ("gc", "migration"))
    inside, both = (value(name, found) for name in ("flash_gc_time_share", "gc_time_share"))
    assert inside is not None
    assert both is not None
    assert 0 < inside < both
    assert both - inside == pytest.approx(flushes / whole)
