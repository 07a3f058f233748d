"""Variants, grids, what is picked from them, and learning beside the best constant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.execute.engine import Engine
from slcache.reproduce import optima
from slcache.reproduce import plan as plans
from slcache.reproduce.claims import Claim
from slcache.reproduce.experiment import Experiment, pick
from slcache.reproduce.inputs import Job, twins
from slcache.reproduce.ledger import ledger
from slcache.reproduce.measures import value
from slcache.reproduce.parts import Grid, Part, Pick, Variant, Yardstick
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Table

#: Table 4 of the paper: MB of addresses, MB written, KB per request, shares of the bytes.
TABLE_4 = {
    "pc": (1029, 46426, 66.7, (29.47, 23.08, 27.03, 20.42)),
    "phone": (7606, 81833, 42.8, (25.22, 1.47, 1.76, 71.55)),
    "tpcc": (4622, 39506, 34.3, (53.25, 2.06, 16.05, 28.64)),
    "oltp": (5694, 25866, 35.8, (53.4, 5.01, 12.42, 29.17)),
    "linkbench": (4482, 38391, 28.2, (61.76, 3.21, 15.58, 19.45)),
    "ycsb-a": (30241, 97294, 896.3, (0.09, 0.06, 3.87, 95.98)),
}

GRID = Grid("g", "baseline", {"a": [1, 2], "b": ["x", "y"]}, {"c": 0})


@pytest.mark.parametrize("name", TABLE_4)
def test_the_twins_have_the_figures_of_table_4(name: str) -> None:
    space, total, mean, shares = TABLE_4[name]
    figures = slcache.workload(f"rl-{name}")["figures"]
    reached = {key: figure["reached"] for key, figure in figures.items()}
    assert reached["footprint_written_bytes"] == pytest.approx(space * 2**20, rel=1e-3)
    assert reached["write_bytes"] == pytest.approx(total * 2**20, rel=1e-3)
    assert reached["mean_write_bytes"] == pytest.approx(mean * 1024, rel=1e-3)
    stated = figures["write_sizes"]["stated"]
    assert tuple(size["share"] for size in stated) == shares
    workload = next(w for w in plans.load("rl").workloads if w.name == name)
    assert workload.requests == pytest.approx(total * 1024 / mean, rel=1e-3)


def test_a_grid_is_every_combination_of_its_values() -> None:
    found = GRID.variants
    assert [variant.name for variant in found] == ["g 1 x", "g 1 y", "g 2 x", "g 2 y"]
    assert found[2].settings == {"c": 0, "a": 2, "b": "x"}
    assert found[2].point == (2, "x")


def toy(part: Part, **more: Any) -> Plan:  # noqa: ANN401
    return replace(plans.load("rl"), parts=[part], picks=[], **more)


def jobs(part: Part, **more: Any) -> list[Job]:  # noqa: ANN401
    plan = toy(part, **more)
    workloads = [replace(w, parts=[]) for w in plan.named(["pc"])]
    chosen = twins(replace(plan, workloads=workloads), ["pc"])
    return Experiment(plan, chosen, {part.name: [4, 5]}).jobs


def drawn(job: Job) -> int:
    return int(dict(job.run.trace_options)["seed"])


def test_what_learns_meets_one_trace_with_every_seed_and_the_others_run_once() -> None:
    part = Part("p", "rl-32g", ["old", "new"], "old", learned=["new"])
    found = jobs(part, variants=[Variant("new", "baseline")])
    assert [(job.name, job.seed, drawn(job)) for job in found] == [
        ("old", 4, 4),
        ("new", 4, 4),
        ("new", 5, 4),
    ]
    assert found[1].run.config != found[2].run.config
    assert found[1].run.trace_options == found[2].run.trace_options


def test_without_learning_every_seed_draws_its_own_twin() -> None:
    found = jobs(Part("p", "rl-32g", ["old"], "old"))
    assert [(job.seed, drawn(job)) for job in found] == [(4, 4), (5, 5)]


def test_a_variant_runs_its_scheme_with_its_settings_over_those_of_the_part() -> None:
    settings = {"scheme.baseline.slc_blocks": 8, "trace.prefill": "none"}
    own = {"scheme.baseline.slc_blocks": 16}
    part = Part("p", "rl-32g", ["v"], "v", settings=settings)
    job = jobs(part, variants=[Variant("v", "baseline", own)])[0]
    assert (job.name, job.run.scheme) == ("v", "baseline")
    assert job.run.settings == {**settings, **own}


def test_lessons_are_part_of_what_a_run_is(tmp_path: Path) -> None:
    part = Part("p", "rl-32g", ["v"], "v")
    first, *others = (
        jobs(part, variants=[Variant("v", "baseline", after=after)])[0].run
        for after in (["oltp", "pc"], ["pc", "oltp"], [])
    )
    assert first.after is not None
    assert first.after.after is not None
    assert (first.after.after.trace, first.after.trace) == ("rl-oltp", "rl-pc")
    with Engine(tmp_path) as engine:
        assert len({engine.key(run) for run in (first, *others)}) == 3


def document(mb_per_s: float) -> dict[str, Any]:
    """Return the parts of a result that throughput is read from."""
    return {"host": {"duration_ns": 1000, "write": {"bytes": mb_per_s}}}


def shown(learned: list[float], random: float, constants: dict[str, float]) -> Table:
    """Return the table of a trace with its best and worst constant picked."""
    documents: dict[str, dict[tuple[str, str, int], Any]] = {
        "main": {("t", "rl", seed): document(x) for seed, x in enumerate(learned)},
        "grid": {("t", name, 0): document(x) for name, x in constants.items()},
    }
    documents["main"] |= {("t", "chance", seed): document(random) for seed in range(len(learned))}
    for name, which in (("best", "most"), ("worst", "least")):
        spec = Pick(name, ["main"], "write_mb_per_s", which, source="grid")
        pick(spec, documents["grid"], documents["main"])
    return Table(documents["main"], "rl", ["t"])


SPEC = Yardstick("main", "write_mb_per_s", "rl", "best", "worst", "chance")
CONSTANTS = {"c 1": 10.0, "c 2": 20.0, "c 3": 15.0}


def test_the_best_and_the_worst_constant_stand_beside_every_seed() -> None:
    table = shown([12.0, 14.0], 11.0, CONSTANTS)
    assert [table.get("write_mb_per_s", "t", "best", seed) for seed in (0, 1)] == [20.0, 20.0]
    assert table.get("write_mb_per_s", "t", "worst", 1) == 10.0


@pytest.mark.parametrize(
    ("learned", "verdict", "share"),
    [
        ([12.0, 18.0], "below", 0.5),
        ([19.9, 20.0], "as good as", 0.995),
        ([24.0, 26.0], "beats", 1.5),
        ([5.0], "below", -0.5),
    ],
)
def test_learning_is_held_against_the_best_constant(
    learned: list[float], verdict: str, share: float
) -> None:
    (line,) = optima.learned(SPEC, {"main": shown(learned, 11.0, CONSTANTS)})
    assert (line["verdict"], line["best_is"]) == (verdict, "c 2")
    assert (line["share"], line["random_share"]) == pytest.approx((share, 0.1))
    assert line["spread"] == [min(learned), max(learned)]
    assert f"1 {verdict} it (t)" in optima.sentence([line])


def test_constants_that_are_all_alike_give_no_share() -> None:
    (line,) = optima.learned(SPEC, {"main": shown([5.0], 5.0, {"c 1": 5.0, "c 2": 5.0})})
    assert (line["share"], line["verdict"]) == (None, "as good as")


def test_up_to_is_the_trace_that_gains_most() -> None:
    figures = {("a", 1): 10.0, ("a", 2): 14.0, ("b", 1): 11.0, ("b", 2): 11.0}
    documents = {(w, "new", s): document(x) for (w, s), x in figures.items()}
    documents |= {(w, "old", s): document(10.0) for w, s in figures}
    ours = 'change(write_mb_per_s, "new", "old", which="most")'
    claim = Claim("x", "8", "t", "20 ± 1 %", ours)
    (row,) = ledger([claim], {"": Table(documents, "old", ["a", "b"])})
    assert row.ours == pytest.approx(20.0)
    assert row.spread == pytest.approx([10.0, 40.0])
    assert row.verdict == "reproduced"


def test_the_most_is_among_the_schemes_that_the_claim_names() -> None:
    speeds = {"old": 10.0, "new": 12.0, "best constant": 20.0}
    table = Table({("a", name, 1): document(x) for name, x in speeds.items()}, "old", ["a"])
    verdicts = [
        ledger([Claim("x", "4", "t", "every trace", ours)], {"": table})[0].verdict
        for ours in (
            'most(write_mb_per_s, "new")',
            'most(write_mb_per_s, "new", among=["old", "new"])',
        )
    ]
    assert verdicts == ["not reproduced", "reproduced"]


def test_time_is_split_into_host_writes_migration_and_cleaning() -> None:
    kinds = [("program", "slc", "host"), ("read", "qlc", "rmw"), ("program", "qlc", "pad")]
    kinds += [("program", "qlc", "migration"), ("erase", "slc", "migration")]
    kinds += [("read", "slc", "gc"), ("erase", "qlc", "gc"), ("read", "qlc", "host")]
    ops = [
        {"kind": kind, "mode": mode, "cause": cause, "time_us": 1e6 * 2**i}
        for i, (kind, mode, cause) in enumerate(kinds)
    ]
    document = {"flash": {"ops": ops}}
    assert value("slc_write_s", document) == 1
    assert value("dense_write_s", document) == 2 + 4
    assert value("migration_s", document) == 8 + 16
    assert (value("slc_gc_s", document), value("dense_gc_s", document)) == (32, 64)


def test_a_point_may_change_the_twins_and_their_draw() -> None:
    plan = toy(Part("p", "rl-32g", ["old"], "old"))
    (each,) = twins(plan, ["pc"], {"twin.update_skew": 1.2, "seed": 7})
    assert (each.set, each.draw) == ({"twin.update_skew": "1.2"}, 7)
    part = plan.parts[0]
    loose = replace(each, parts=[])
    assert [drawn(job) for job in Experiment(plan, [loose], {part.name: [1, 2]}).jobs] == [7, 7]
