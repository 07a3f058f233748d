"""The evaluation of the learning paper on a small part of its twins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from slcache.execute.engine import Engine
from slcache.reproduce import optima
from slcache.reproduce import plan as plans
from slcache.reproduce.inputs import twins
from slcache.reproduce.measures import value
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Table
from slcache.reproduce.reading import LITERAL, PROBABLE
from slcache.reproduce.tabulate import jobs_of, tabulate

#: Requests of each twin: 45 to 150 steps of the agent.
REQUESTS = 60000


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Table]:
    """Return what two seeds, two constants and one pre-trained agent make of short twins."""
    plan = short()
    chosen = twins(plan, ["pc", "oltp"])
    seeds = {part.name: [1, 2] for part in plan.parts}
    with Engine(tmp_path_factory.mktemp("learning")) as engine:
        return tabulate(plan, chosen, seeds, {}, engine)


def short() -> Plan:
    """Return the paper's plan with short twins and few constants."""
    plan = plans.load("rl")
    workloads = [replace(w, set={"requests": REQUESTS}) for w in plan.named(["pc", "oltp"])]
    grids = [
        replace(grid, vary={key: values[-1:] for key, values in grid.vary.items()})
        if grid.name != "constant"
        else replace(grid, vary={key: values[-2:] for key, values in grid.vary.items()})
        for grid in plan.grids
    ]
    variants = [replace(v, after=["pc"] if v.after else []) for v in plan.variants]
    return replace(plan, workloads=workloads, grids=grids, variants=variants)


def test_the_parts_of_a_runs_time_add_up_to_it(tables: dict[str, Table]) -> None:
    parts = ("slc_write_s", "dense_write_s", "migration_s", "gc_s")
    for (_, scheme, _), document in tables["main"].documents.items():
        figures = [value(name, document) for name in (*parts, "whole_s")]
        *each, whole = [figure or 0.0 for figure in figures]
        # The last erase may outlast the last request.
        assert sum(each) == pytest.approx(whole, rel=0.01), scheme


def test_each_seed_learns_on_the_same_trace(tables: dict[str, Table]) -> None:
    table = tables["main"]
    traces = {
        document["trace"]["sha256"] for key, document in table.documents.items() if key[0] == "pc"
    }
    assert len(traces) == 1
    assert len(set(table.values("write_mb_per_s", "rl", "pc"))) == 2
    assert len(set(table.values("write_mb_per_s", "dwa", "pc"))) == 1


def test_learning_stands_between_constants_and_chance(tables: dict[str, Table]) -> None:
    spec = plans.load("rl").yardstick
    assert spec is not None
    lines = {line.workload: line for line in optima.learned(spec, tables)}
    assert set(lines) == {"pc", "oltp"}
    for line in lines.values():
        assert line.best >= line.worst > 0
        assert line.random is not None
        assert line.best_is.startswith("constant ")


def test_a_lesson_changes_what_is_learned_later(tables: dict[str, Table]) -> None:
    table = tables["pre-training"]
    untrained = table.documents["oltp", "rl", 1]
    trained = table.documents["oltp", "pre-trained", 1]
    assert untrained["trace"]["sha256"] == trained["trace"]["sha256"]
    assert untrained["scheme"]["series"] != trained["scheme"]["series"]


@pytest.mark.parametrize(("reading", "fill"), [(LITERAL, 0), (PROBABLE, 0.95)])
def test_the_probable_reading_fills_the_device(reading: str, fill: float) -> None:
    plan = plans.load("rl").under(reading)
    found: dict[str, set[float]] = {part.name: set() for part in plan.parts}
    seeds = {name: [1] for name in found}
    for part, job in jobs_of(plan, twins(plan, ["pc", "oltp"]), seeds, {}):
        found[part.name].add(job.run.config["precondition"]["fill"])
    # Where the paper varies the fill itself, there is one reading.
    assert found.pop("fill") == {0, 0.3, 0.5, 0.7, 0.9}
    assert found == {name: {fill} for name in ["main", "constants", "pre-training"]}
