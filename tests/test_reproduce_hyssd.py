"""The evaluation of HySSD: its inputs, its smaller experiment, and short runs of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import slcache
from charted import rows
from slcache.execute.engine import Engine
from slcache.reproduce import figures, optima
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment, run
from slcache.reproduce.inputs import Job, twins
from slcache.reproduce.ledger import ledger
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Table

#: Table I: GB read and written, KB per read and per write.
TABLE_I = {"financial": (6.76, 28.16, 5.73, 7.2), "exchange": (37.43, 41.34, 9.81, 12.56)}

#: How much smaller the evaluation's experiment is than the paper's.
SMALLER = 4


@pytest.mark.parametrize("name", TABLE_I)
def test_published_files_are_known_by_the_counts_of_table_i(name: str) -> None:
    read, written, mean_read, mean_write = TABLE_I[name]
    reads, writes = read * 2**20 / mean_read, written * 2**20 / mean_write
    for workload in plans.load("hyssd").named([name]):
        assert workload.requests == pytest.approx(reads + writes, rel=1e-3)
        assert workload.figures["requests"] == workload.requests
        assert workload.figures["write_share"] == pytest.approx(writes / (reads + writes), abs=1e-3)


def jobs(plan: Plan) -> list[Job]:
    seeds = {part.name: [1] for part in plan.parts}
    return Experiment(plan, twins(plan, list(TABLE_I)), seeds).jobs


def sizes(job: Job) -> dict[str, Any]:
    """Return what of a run's configuration and twin the paper's experiment is divided in."""
    config = job.run.config
    scheme = config["scheme"][job.run.scheme]
    return {
        "requests": int(job.input.set.get("requests", job.input.requests)),
        "user_bytes": config["device"]["user_bytes"],
        "fast blocks": config["device"]["pool"][0]["blocks"],
        "dense blocks": config["device"]["pool"][1]["blocks"],
        "period": scheme["period_writes"],
    }


def test_the_smaller_experiment_is_the_papers_in_every_part() -> None:
    loaded = plans.load("hyssd")
    # The paper's worked example is small at any size; the SLC SSD alone has one of the two.
    whole = replace(loaded, parts=[part for part in loaded.parts if part.name in ("st", "mt")])
    for small, full in zip(jobs(whole), jobs(whole.full_size()), strict=True):
        assert small.run.title == full.run.title
        pairs = [(full_, sizes(small)[name]) for name, full_ in sizes(full).items()]
        assert [large / less for large, less in pairs] == pytest.approx([SMALLER] * 5, rel=1e-3)


def test_a_setting_may_be_for_one_variant_alone() -> None:
    plan = plans.load("hyssd")
    settings = {"life:scheme.hyssd.lifetime.step": 0.05}
    chosen = twins(plan, ["financial"])
    steps = {
        job.name: job.run.settings.get("scheme.hyssd.lifetime.step")
        for job in Experiment(plan, chosen, {"st": [1]}, settings).jobs
    }
    assert steps.pop("life") == 0.05
    assert set(steps.values()) == {None}


@pytest.fixture(scope="module")
def short() -> Plan:
    """Return the plan with short twins and three constants."""
    plan = plans.load("hyssd")
    workloads = [
        replace(each, reduced={**each.reduced, "requests": 40000}) for each in plan.workloads
    ]
    (grid,) = plan.grids
    less = replace(grid, vary={key: [0.3, 0.6, 0.9] for key in grid.vary})
    return replace(plan, workloads=workloads, grids=[less])


@pytest.fixture(scope="module")
def tables(short: Plan, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Table]:
    with Engine(tmp_path_factory.mktemp("hyssd")) as engine:
        seeds = {"st": [1, 2], "slc": [1, 2]}
        experiment = Experiment(short, twins(short, ["financial"]), seeds, of_some=True)
        return run([experiment], engine)[0]


def test_every_claim_of_a_part_that_was_run_is_judged(
    short: Plan, tables: dict[str, Table]
) -> None:
    rows = ledger([claim for claim in short.claims if claim.part == "st"], tables)
    about = {claim.id: claim.traces for claim in short.claims}
    missing = [row.id for row in rows if row.ours is None]
    assert missing == [row.id for row in rows if "exchange" in about[row.id]]


def test_the_best_constant_stands_beside_the_papers_and_the_models(
    short: Plan, tables: dict[str, Table]
) -> None:
    lines = optima.study(short.optima, tables)
    assert {line["measure"] for line in lines} == {"response_us", "measured_cost_us", "lifetime"}
    for line in lines:
        assert line["ours"] in {0.3, 0.6, 0.9}
        assert line["predicted"] is not None
        assert 0.05 <= line["predicted"] <= 0.97


def test_every_figure_is_drawn(short: Plan, tables: dict[str, Table]) -> None:
    for spec in short.figures:
        if spec.part == "st":
            assert rows(figures.draw(spec, short, tables["st"]))


def test_the_twins_have_the_amounts_of_table_i() -> None:
    for name, (read, written, *_) in TABLE_I.items():
        reached = slcache.workload(f"hyssd-{name}")["figures"]
        assert reached["read_bytes"]["reached"] == pytest.approx(read * 2**30, rel=1e-3)
        assert reached["write_bytes"]["reached"] == pytest.approx(written * 2**30, rel=1e-3)
