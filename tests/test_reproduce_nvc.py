"""The evaluation of the SLC/MLC combined cache: its claims on made-up results, and short runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import charted
import slcache as sl
from slcache.reproduce import figures
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.inputs import Job, twins
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.lifespans import add
from slcache.reproduce.measures import value
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Table

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


#: A result of every scheme such as the paper describes, by the share of SLC blocks.
POOL = {
    **{"channels": 1, "chips": 1, "dies": 1, "planes": 1, "blocks": 256},
    **{"wordlines": 64, "page_bytes": 4096},
    "slc": {"endurance_cycles": 50_000},
    "mlc": {"endurance_cycles": 10_000},
}
#: Misses with MLC blocks only, and how many points more there are with SLC ones.
MISSES = {
    "bonnie": (0.3, 0.27),
    "desktop": (0.25, 0.21),
    "financial1": (0.02, 0.19),
    "financial2": (0.02, 0.07),
}


def flash_op(cause: str, share: float) -> dict[str, Any]:
    """Return what a result tells of some programs of flash."""
    told = {"kind": "program", "mode": "slc", "pool": "nand", "count": 1, "pages": 1, "bytes": 4096}
    return {**told, "cause": cause, "time_us": 1e6 * share}


def made_up(name: str, scheme: str, r: float, policy: int, trace: str) -> dict[str, Any]:
    base, more = MISSES[trace]
    misses = 1.0 if scheme == "disk-only" else base + more * r * (1 + 0.1 * policy)
    disk = {
        "energy_j": 100 * misses if trace == "bonnie" else 50 + 8 * misses,
        "mean_power_w": 1.0,
        "spin_ups": 3,
        "until_ns": 10**12,
        "ops": [],
        "states": [{"state": "standby", "time_s": 1000.0, "energy_j": 1.0}],
    }
    moving = 0.02 if r in (0, 1) else (0.1 + 0.2 * r if trace == "financial1" else 0.05)
    lean = 1 if policy == 0 else 0.5 + 0.5 * r
    volumes = {
        "host_bytes": 1e9,
        "slc_bytes": 1e9 * (1 + lean * (1 - r)) * (r > 0),
        "dense_bytes": 1e9 * (lean * (1 - r) + (r == 0)),
        "slc_from_slc_bytes": 1e8 * r,
        "slc_from_dense_bytes": 1e8 * (1 - r),
        "slc_from_disk_bytes": 1e8 * r,
        "dense_from_slc_bytes": 1e8 * (1 - r),
        "dense_from_dense_bytes": 1e8 * (1 - r),
        "dense_from_disk_bytes": 0.0,
        "dense_from_host_bytes": 0.0,
    }
    rates = {"miss_rate": 0.8 * misses, "dram_hit_rate": 0.2, "gc_time_share": moving}
    side = {"requests": 10, "latency_us": {}}
    keys = ("mean", "p50", "p99", "p99_9")
    return {
        "config": {
            "device": {"pool": [POOL]},
            "scheme": {"nvc": {"slc_blocks": round(256 * r)}},
        },
        "host": {
            "read": {**side, "latency_us": dict.fromkeys(keys, 18_000 * misses)},
            "write": {**side, "latency_us": dict.fromkeys(keys, 20.0)},
            "backlog": {"lag_ns": 0, "requests_max": 1},
        },
        "disk": disk,
        "flash": {
            "ops": [flash_op("migration", moving), flash_op("host", 1 - moving)],
            "ops_until_ns": 10**12,
        },
        "scheme": {"figures": {**volumes, **rates}, "series": [], "tables": []},
    }


def made_up_tables(plan: Plan) -> dict[str, Table]:
    documents: dict[str, dict[Any, Any]] = {part.name: {} for part in plan.parts}
    for part in plan.parts:
        for variant in plan.expand(part.schemes):
            policy = int(variant.settings.get("scheme.nvc.policy", 0))
            r = float(variant.point[0]) if variant.point else 0.5
            r = 1 - r if variant.grid == "dense alone" else r
            # Thresholds that nothing meets are Policy 3.
            policy = 3 if variant.name == "tight" else policy
            for trace in TRACES:
                found = made_up(variant.name, variant.scheme, r, policy, trace)
                if part.name == "again":
                    told = found["scheme"]["figures"]
                    told |= {name: 2 * told[name] for name in told if name.endswith("_bytes")}
                documents[part.name][trace, variant.name, 1] = found
    for lasting in plan.lifespans:
        add(lasting, documents, plan.grids)
    tables = {
        part.name: Table(documents[part.name], part.reference, TRACES, plan.grids)
        for part in plan.parts
    }
    return {"": tables["hdd"], **tables}


@pytest.fixture(scope="module")
def made(plan: Plan) -> dict[str, Table]:
    return made_up_tables(plan)


@pytest.fixture(scope="module")
def rows(plan: Plan, made: dict[str, Table]) -> dict[str, Row]:
    return {row.id: row for row in ledger(plan.claims, made)}


def test_every_claim_is_judged(rows: dict[str, Row]) -> None:
    assert [row.id for row in rows.values() if row.ours is None] == []


def test_results_as_the_paper_tells_them_reproduce_its_claims(rows: dict[str, Row]) -> None:
    held = ["misses-bonnie", "misses-desktop", "misses-financial1", "misses-financial2"]
    held += ["latency-rises", "lifespan-rises", "energy-rises", "energy-bonnie"]
    held += ["gc-steady", "gc-financial1", "gc-financial1-rises", "gc-ends"]
    held += ["slc-to-slc", "dense-to-slc", "disk-to-slc", "dense-to-dense", "slc-to-dense"]
    held += ["financial-misses", "financial-latency", "writes-the-same", "policy-0-becomes-3"]
    held += ["policy-2-lifespan", "policy-3-lifespan", "policy-3-small"]
    assert [name for name in held if rows[name].verdict != "reproduced"] == []
    limits = ("energy-steady", "gc-small")
    assert [name for name in limits if rows[name].verdict != "consistent"] == []
    assert rows["region-ratio"].verdict == "cannot hold"
    assert rows["region-ratio"].ours == pytest.approx(1 / 3)


def test_every_figure_is_drawn(plan: Plan, made: dict[str, Table]) -> None:
    for spec in plan.figures:
        drawn = figures.draw(spec, plan, made[spec.part])
        assert all(map(charted.rows, drawn["concat"])), spec.id


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
