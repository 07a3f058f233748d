"""Parts of an evaluation, lifespans over grids of shares, and the learning paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError, api
from slcache.execute.engine import Engine
from slcache.execute.run import Run
from slcache.execute.tasks import Done, Task, perform
from slcache.reproduce import inputs, lifespans, optima, sensitivity, toml
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment, run
from slcache.reproduce.inputs import Input, run_of, twins
from slcache.reproduce.lifespans import Lifespans
from slcache.reproduce.measures import value
from slcache.reproduce.parts import Grid, Part
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Table
from slcache.reproduce.reading import LITERAL, PROBABLE, Sensitivity, Variation


def bare(each: Input) -> Run:
    return run_of(each, "n", [], 1, device="tiny", scheme="tlc-only", settings={}, seed=1)


@pytest.mark.parametrize("mebibytes", [30, 400])
def test_a_trace_is_repeated_until_it_has_written_what_was_asked(
    mebibytes: int, tmp_path: Path
) -> None:
    asked = mebibytes << 20
    each = Input("w", "ips-wdev_0", 20000, set={"requests": "20000"}, repeat_to_write_bytes=asked)
    once = api.Trace(each.path, options=replace(each, repeat_to_write_bytes=0).options(1)).info()
    path = tmp_path / "repeated.parquet"
    task = Task(str(path), "repeat", bare(each))
    assert perform(task) == Done(str(path))
    told = api.Trace(path).info()
    assert told["write_bytes"] == pytest.approx(asked, rel=0.1)
    assert told["requests"] == pytest.approx(once["requests"] * asked / once["write_bytes"], abs=1)
    # A shorter one is a part of the trace; a longer one comes back to the same pages.
    assert told["touched_4kib_pages"] <= once["touched_4kib_pages"]


def test_a_trace_that_cannot_be_read_is_told_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(
        "128166372003061629,hm,1,Write,0,4096,1\n128166372003061630,hm,1,Wrote,0,4096,1\n"
    )
    each = Input("w", "", 2, repeat_to_write_bytes=1 << 20, file=str(file))
    task = Task(str(tmp_path / "r.parquet"), "repeat", bare(each))
    done = perform(task)
    assert done.kind == "TraceError"
    assert 't.csv:2: column 4 (Type): "Wrote" is not' in (done.error or "")
    file.write_text("128166372003061629,hm,1,Read,0,4096,1\n")
    assert "t.csv: no writes to repeat" in (perform(task).error or "")


def small(vary: Variation) -> Plan:
    """Return the Hierarchy evaluation with a study of one thing on its smallest trace."""
    whole = plans.load("hierarchy")
    quick = twins(whole, ["web_1"])[0]
    workload = replace(whole.named(["web_1"])[0], set={"requests": 20000})
    assert quick.name == workload.name
    return replace(
        whole, workloads=[workload], sensitivity=Sensitivity(["web_1"], [1], [vary], minutes=1)
    )


def test_a_study_is_run_when_asked_for_and_taken_up_later(tmp_path: Path) -> None:
    vary = Variation("L1", "open", [0.25, 0.75], ["scheme.hierarchy.l1_share_max"])
    plan = small(vary)
    with Engine(tmp_path) as engine:
        assert sensitivity.study(plan, engine, run=False) == []
        study = sensitivity.study(plan, engine)
    assert [point["value"] for point in study[0]["points"]] == ["default", "0.25", "0.75"]
    shares = [
        next(claim["ours"] for claim in point["claims"] if claim["id"] == "l1-at-most-half")
        for point in study[0]["points"]
    ]
    assert shares[1] < shares[0] < shares[2]
    assert sensitivity.study(plan, engine, run=False) == study


def test_settings_of_a_point_are_made_together() -> None:
    points: list[dict[str, Any]] = [{"replay": "closed:4", "scheme.sa.merge.timeout_ns": 5}]
    plan = small(Variation("x", "open", points=points, names=["both"]))
    jobs = Experiment(plan, twins(plan, ["web_1"]), {"main": [1]}, points[0]).jobs
    assert {job.run.replay for job in jobs} == {"closed:4"}
    own = {job.run.scheme: job.run.settings.get("scheme.sa.merge.timeout_ns") for job in jobs}
    assert own == {"baseline": None, "sa": 5, "sector": None, "hierarchy": None}


def test_a_point_takes_away_what_the_part_sets() -> None:
    plan = plans.load("hierarchy")
    key = "scheme.sa.merge.timeout_ns"
    for point, own in (({}, 1000000), ({key: "default"}, None)):
        jobs = Experiment(plan, twins(plan, ["web_1"]), {"main": [1]}, point).jobs
        assert [job.run.settings.get(key) for job in jobs if job.run.scheme == "sa"] == [own]


def test_only_the_named_parts_are_run() -> None:
    plan = plans.load("ips")
    jobs = Experiment(plan, twins(plan, ["wdev_0"]), {"daily": [1, 2]}).jobs
    assert {(job.part.name, job.seed) for job in jobs} == {("daily", 1), ("daily", 2)}
    assert {job.run.scheme for job in jobs} == set(plan.part("daily").schemes)


def test_every_point_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    source = plans.EXPERIMENTS / "hierarchy"
    text = (source / "plan.toml").read_text().replace('names = ["64 KiB", ', "names = [")
    (folder / "plan.toml").write_text(text)
    (folder / "claims.toml").write_text((source / "claims.toml").read_text())
    monkeypatch.setattr(plans, "EXPERIMENTS", tmp_path)
    with pytest.raises(ConfigError, match="merge buffer: 1 names for 2 points"):
        plans.load("toy")


def test_levels_of_factors_are_combined_in_every_way() -> None:
    waits: list[dict[str, Any]] = [
        {"level": "short", "scheme.sa.merge.timeout_ns": 5},
        {"level": "usual"},
    ]
    clocks: list[dict[str, Any]] = [{"level": "x 1"}, {"level": "x 0.01", "host.time_scale": 0.01}]
    variation = Variation("x", "open", cross=[waits, clocks])
    assert dict(variation.each()) == {
        "short, x 1": {"scheme.sa.merge.timeout_ns": 5},
        "short, x 0.01": {"scheme.sa.merge.timeout_ns": 5, "host.time_scale": 0.01},
        "usual, x 1": {},
        "usual, x 0.01": {"host.time_scale": 0.01},
    }
    assert variation.faults() == []
    untitled = Variation("x", "open", cross=[clocks, [{"host.time_scale": 0.01}]])
    assert untitled.faults() == ["x: cross: factor 2: level is missing: what a level is called"]


@pytest.mark.parametrize("paper", plans.papers())
def test_quick_mode_counts_no_workload_that_it_does_not_run(paper: str) -> None:
    plan = plans.load(paper)
    parts = {
        part.name: [1] for part in plan.parts if part.name in (plan.quick.parts or [part.name])
    }
    named = twins(plan, plan.quick.names())
    chosen = [each for each in named if plan.quick.runs(each.name, each.parts)]
    run = [job.input for job in Experiment(plan, chosen, parts).jobs]
    assert all(each in run for each in chosen)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"volume": 3}, "volume = 3"),
        ({"volume": {"a": 3}}, "volume = {'a': 3}"),
        ({"workload": {}}, "workload = {}"),
        ({"defaults": 3}, "defaults = [3]"),
        ({"part": [3]}, "part = [3]"),
        ({"volume": {"a": {}}, "workload": [{"volumes": ["b"]}]}, "workload 1: volumes: no b"),
        ({"volume": {"a": {}}, "workload": [{"each": {"b": {}}}]}, "workload 1: each: no b"),
        ({"x": {"{a,b}.c": 1, "b.c": 2}}, "x: b.c is given twice"),
        ({"reading": {"r": {"options": ["o"]}}}, "reading: r: options: no o"),
        ({"option": {"o": {}}}, "option o is in no reading"),
    ],
)
def test_what_is_said_once_is_said_of_something(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        toml.written_out(said, "p/plan.toml")
    assert str(error.value).startswith(f"p/plan.toml: {told}")


def test_what_is_said_once_holds_for_all() -> None:
    whole = {
        "defaults": {"replay": "open", "settings": {"{a,b}.x": 1}},
        "part": [{"name": "p", "settings": {"b.x": 2}}, {"name": "q", "replay": "closed:1"}],
        "volume": {
            "v": {"figures": {"requests": 5}, "reduced": {"requests": 1}},
            "w": {"requests": 7},
        },
        "workload": [
            {"parts": ["p"], "twin": "t-{name}"},
            {
                "parts": ["q"],
                "twin": "u",
                "reduced": {},
                "volumes": ["v"],
                "each": {"v": {"twin": "s"}},
            },
        ],
    }
    found = toml.written_out(whole, "plan.toml")
    first, second = found["parts"]
    assert (first["replay"], first["settings"]) == ("open", {"a.x": 1, "b.x": 2})
    assert (second["replay"], second["settings"]) == ("closed:1", {"a.x": 1, "b.x": 1})
    told = [(w["name"], w["twin"], w["requests"], w.get("reduced")) for w in found["workloads"]]
    assert told == [("v", "t-v", 5, {"requests": 1}), ("w", "t-w", 7, None), ("v", "s", 5, {})]


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
    none, some = Experiment(plan, inputs.twins(plan, ["web_1"]), {"p": [1]}).jobs
    assert (none.name, none.run.scheme, none.run.settings) == ("g 0", "tlc-only", reduced)
    assert (some.name, some.run.scheme) == ("g 0.25", "baseline")
    assert some.run.settings == {**reduced, "scheme.baseline.slc_blocks": blocks}


def test_a_share_of_something_unknown_is_refused() -> None:
    plan = shared()
    wrong = replace(plan, grids=[replace(SHARES, share_of="device.pool.0.block")])
    with pytest.raises(ConfigError, match=r"a share of device\.pool\.0\.block: .* no whole number"):
        _ = Experiment(wrong, inputs.twins(wrong, ["web_1"]), {"p": [1]}).jobs


@pytest.mark.parametrize(("reduced", "blocks"), [({}, 1024), ({"device.pool.0.blocks": 100}, 200)])
def test_a_variation_may_multiply_what_a_run_has(reduced: dict[str, Any], blocks: int) -> None:
    variation = Variation("n", "w", [2], ["device.pool.0.blocks"], times=True)
    ((title, table),) = variation.each()
    assert title == "2 times"
    plan = shared(**reduced)
    jobs = Experiment(plan, inputs.twins(plan, ["web_1"]), {"p": [1]}, table).jobs
    none, some = [job.run.settings for job in jobs]
    assert none == {"device.pool.0.blocks": blocks}
    assert some == {**none, "scheme.baseline.slc_blocks": blocks // 4}


#: Requests of each twin: 45 to 150 steps of the agent.
REQUESTS = 60000


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Table]:
    """Return what two seeds, two constants and one pre-trained agent make of short twins."""
    plan = short()
    chosen = twins(plan, ["pc", "oltp"])
    seeds = {part.name: [1, 2] for part in plan.parts}
    with Engine(tmp_path_factory.mktemp("learning")) as engine:
        return run([Experiment(plan, chosen, seeds, of_some=True)], engine)[0]


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
    lines = {line["workload"]: line for line in optima.learned(spec, tables)}
    assert set(lines) == {"pc", "oltp"}
    for line in lines.values():
        assert line["best"] >= line["worst"] > 0
        assert line["random"] is not None
        assert line["best_is"].startswith("constant ")


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
    for job in Experiment(plan, twins(plan, ["pc", "oltp"]), seeds).jobs:
        found[job.part.name].add(job.run.config["precondition"]["fill"])
    # Where the paper varies the fill itself, there is one reading.
    assert found.pop("fill") == {0, 0.3, 0.5, 0.7, 0.9}
    assert found == {name: {fill} for name in ["main", "constants", "pre-training"]}
