"""Evaluations of papers: tables, grids, smaller experiments, short runs and lifespans."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import slcache as sl
from charted import axis, nodes, rows
from slcache import ConfigError
from slcache.execute.engine import Engine
from slcache.execute.run import Run
from slcache.execute.tasks import Done, Task, perform
from slcache.names import leaves
from slcache.reproduce import figures, notation, points
from slcache.reproduce import plan as plans
from slcache.reproduce.claims import rows_of
from slcache.reproduce.experiment import Experiment, Job, TraceInput, pick, run_of, tables_of, twins
from slcache.reproduce.figures import Drawing
from slcache.reproduce.measures import value
from slcache.reproduce.parts import FigureSpec, Grid, Lifespans, Optima, Pick, Yardstick
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Key, PointTable
from slcache.trace import Trace

GRID = Grid("static", "baseline", {"u": [0.1, 0.5, 0.9]})

#: A figure by trace and seed, over the three settings of the grid: the optimum of the means lies
#: in the middle on a, although one seed has it at the end, and at the first setting on b.
CURVES = {
    ("a", 1): (9.0, 4.0, 6.0),
    ("a", 2): (9.0, 5.0, 4.9),
    ("b", 1): (2.0, 3.0, 8.0),
    ("b", 2): (2.0, 3.0, 8.0),
}


def document(**scheme_figures: float) -> dict[str, Any]:
    """Return the parts of a result that the figures are read from."""
    return {"scheme": {"figures": scheme_figures, "series": []}}


def table() -> PointTable:
    names = [variant.name for variant in GRID.variants]
    documents = {
        (trace, name, seed): document(lifetime=cost, model_optimum=0.4)
        for (trace, seed), costs in CURVES.items()
        for name, cost in zip(names, costs, strict=True)
    }
    documents |= {
        (trace, "own", seed): document(lifetime=5.0, fast_share=0.45) for trace, seed in CURVES
    }
    return PointTable(documents, "own", ["a", "b"], [GRID])


def test_paper_simulation_model_and_scheme_stand_side_by_side() -> None:
    spec = Optima(
        *(["p"], "static", "lifetime", "least", "own", "fast_share", "model_optimum"),
        paper={"p": {"a": 0.9}},
    )
    first, second = points.optima_of([spec], {"p": table()})
    assert (first["workload"], first["paper"], first["ours"]) == ("a", 0.9, 0.5)
    assert (first["spread"], first["near"]) == ([0.5, 0.9], [0.5, 0.5])
    assert (first["predicted"], first["chosen"]) == pytest.approx((0.4, 0.45))
    assert first["paper_worse"] == pytest.approx(5.45 / 4.5 - 1)
    assert first["adaptive_worse"] == pytest.approx(5.0 / 4.5 - 1)
    assert (second["paper"], second["paper_worse"], second["ours"]) == (None, None, 0.1)
    # Of a measure that should be large less is worse.
    (line, _) = points.optima_of([replace(spec, which="most")], {"p": table()})
    assert line["ours"] == 0.1
    assert line["adaptive_worse"] == pytest.approx(1 - 5.0 / 9.0)
    documents: dict[Any, Any] = dict(table().documents)
    best = Pick("best", ["p"], "lifetime", "least", grid="static")
    pick(best, documents, documents, [variant.name for variant in GRID.variants])
    shown = {seed: documents["a", "best", seed] for seed in (1, 2)}
    assert [shown[seed]["scheme"]["figures"]["lifetime"] for seed in (1, 2)] == [4.0, 5.0]
    assert {each["picked"] for each in shown.values()} == {"static 0.5"}


def shown(learned: list[float], random: float, constants: dict[str, float]) -> PointTable:
    """Return the table of a trace with its best and worst constant picked."""
    main: dict[Key, Any] = {
        ("t", name, seed): document(lifetime=of)
        for seed, own in enumerate(learned)
        for name, of in (("rl", own), ("chance", random))
    }
    grid = {("t", name, 0): document(lifetime=of) for name, of in constants.items()}
    for name, which in (("best", "most"), ("worst", "least")):
        pick(Pick(name, ["main"], "lifetime", which, source="grid"), grid, main)
    return PointTable(main, "rl", ["t"])


CONSTANTS = {"c 1": 10.0, "c 2": 20.0, "c 3": 15.0}


@pytest.mark.parametrize(
    ("constants", "learned", "verdict", "share", "random"),
    [
        (CONSTANTS, [12.0, 18.0], "below", 0.5, 0.1),
        (CONSTANTS, [19.9, 20.0], "as good as", 0.995, 0.1),
        (CONSTANTS, [24.0, 26.0], "beats", 1.5, 0.1),
        (CONSTANTS, [5.0], "below", -0.5, 0.1),
        # Constants that are all alike give no share.
        ({"c 1": 5.0, "c 2": 5.0}, [5.0], "as good as", None, None),
    ],
)
def test_learning_is_held_against_the_best_constant(
    constants: dict[str, float],
    learned: list[float],
    verdict: str,
    share: float | None,
    random: float | None,
) -> None:
    spec = Yardstick("main", "lifetime", "rl", "best", "worst", "chance")
    table = shown(learned, 11.0, constants)
    # One run of what does not learn stands beside every seed.
    for seed in range(len(learned)):
        ends = [table.get("lifetime", "t", name, seed) for name in ("worst", "best")]
        assert ends == [min(constants.values()), max(constants.values())]
    (line,) = points.learned_of(spec, {"main": table})
    first = max(constants, key=lambda name: constants[name])
    assert (line["verdict"], line["best_is"]) == (verdict, first)
    assert [line["share"], line["random_share"]] == pytest.approx([share, random])
    assert line["spread"] == [min(learned), max(learned)]
    assert f"1 {verdict} it (t)" in points.sentence([line])


def test_a_figure_over_a_grid_has_a_curve_and_a_line_for_each_scheme() -> None:
    spec = FigureSpec(
        *("3", "lines-by-measure", "t"),
        measure="lifetime",
        scheme="static",
        schemes=["own"],
        which="least",
    )
    first, second = figures.draw(spec, plans.load("hierarchy"), table())["concat"]
    means = [row["y"] for row in rows(first) if row.get("key") == "static" and "told" not in row]
    assert means == [9.0, 4.5, 5.45]
    (star,) = [row for row in rows(first) if "told" in row and "x" in row]
    assert (star["x"], star["y"]) == (0.5, 4.5)
    assert {"datum": 5.0} in [node.get("encoding", {}).get("y") for node in nodes(first)]
    (star,) = [row for row in rows(second) if "told" in row and "x" in row]
    assert star["x"] == 0.1
    plan, of = plans.load("hyssd"), ("lifetime", "grid", "up")
    assert Drawing(SPEC, plan, trends()).curve(*of) == {0: 0.05, 0.5: 0.1, 1: 0.25}
    relative = replace(SPEC, relative_to="other")
    assert Drawing(relative, plan, trends()).curve(*of, 1) == {0: 1, 0.5: 1.9, 1: 0.5}
    bare = replace(SPEC, relative_to="", per=10)
    assert Drawing(bare, plan, trends()).curve(*of) == {0: 1, 0.5: 2, 1: 5}


TRENDS = [0, 0.5, 1]
#: A figure by trace and seed over the settings: one trace rises steeply, one hardly falls.
RISES = {
    "grid": {("up", 1): (10, 19, 40), ("up", 2): (10, 21, 60), ("flat", 1): (100, 99.5, 98.5)},
    "other": {("up", 1): (10, 10, 80), ("up", 2): (10, 10, 80), ("flat", 1): (50, 50, 50)},
}


def trends(curves: dict[str, Any] = RISES) -> PointTable:
    """Return a table of two grids beside a scheme whose figure is 200 everywhere."""
    documents = {
        (trace, f"{name} {setting}", seed): document(lifetime=cost)
        for name, of in curves.items()
        for (trace, seed), costs in of.items()
        for setting, cost in zip(TRENDS, costs, strict=True)
    }
    documents |= {(t, "alone", seed): document(lifetime=200.0) for t, seed in curves["grid"]}
    grids = [Grid(name, "baseline", {"r": TRENDS}) for name in ("grid", "other")]
    return PointTable(documents, "alone", ["up", "flat"], grids)


SPEC = FigureSpec(
    *("7", "lines-by-workload", "t"),
    measures=["lifetime"],
    names=["lifetime"],
    scheme="grid",
    relative_to="alone",
    times=100,
)


@pytest.mark.parametrize(
    ("kind", "more", "panels", "lines"),
    [
        ("lines-by-workload", {}, 1, 2),
        ("lines-by-measure", {}, 2, 1),
        ("lines-by-grid", {"measure": "lifetime", "schemes": ["grid"]}, 2, 1),
    ],
)
def test_lines_are_over_sizes(kind: str, more: dict[str, Any], panels: int, lines: int) -> None:
    figure = figures.draw(replace(SPEC, kind=kind, **more), plans.load("hyssd"), trends())
    assert len(figure["concat"]) == panels
    for panel in figure["concat"]:
        found = [row for row in rows(panel) if "key" in row]
        assert len({row["key"] for row in found}) == lines
        assert [row["x"] for row in found[:3]] == [0, 50, 100]
        assert {"datum": 1.0} in [node.get("encoding", {}).get("y") for node in nodes(panel)]


@pytest.mark.parametrize(("cost", "scale"), [(49 * 50, None), (51 * 50, "log")])
def test_lines_far_apart_are_drawn_over_logarithms(cost: float, scale: str | None) -> None:
    curves: dict[str, Any] = RISES
    flat = {("flat", 1): (cost, cost, cost)}
    far = {name: of | flat for name, of in curves.items()}
    figure = figures.draw(replace(SPEC, relative_to=""), plans.load("hyssd"), trends(far))
    assert axis(figure["concat"][0], "y")["scale"].get("type") == scale


#: How much smaller an experiment is than the paper's, on which traces, in which parts, and what
#: of a run's configuration is divided.
SMALLER: dict[str, tuple[int, list[str], list[str], set[str]]] = {
    # The paper's worked example is small at any size; the SLC SSD alone has one of the two.
    "hyssd": (
        4,
        ["financial", "exchange"],
        ["st", "mt"],
        {"user_bytes", "blocks", "period_writes"},
    ),
    "nvc": (
        *(8, ["financial1", "financial2"], ["hdd", "policies"]),
        {"user_bytes", "blocks", "slc_blocks", "buffer.bytes"},
    ),
}


@pytest.mark.parametrize("paper", SMALLER)
def test_the_smaller_experiment_is_the_papers_in_every_part(paper: str) -> None:
    smaller, traces, parts, divided = SMALLER[paper]

    def jobs(plan: Plan) -> list[Job]:
        return Experiment(plan, twins(plan, traces), {part: [1] for part in parts}).jobs

    def sizes(job: Job) -> dict[str, Any]:
        found = {
            name: size
            for name, size in leaves(job.run.config)
            if {name, name.rpartition(".")[2]} & divided
        }
        return {**found, "requests": int(job.input.set.get("requests", job.input.requests))}

    plan, seen = plans.load(paper), set()
    for small, full in zip(jobs(plan), jobs(plan.full_size()), strict=True):
        assert small.run.title == full.run.title
        less = {name: size * smaller for name, size in sizes(small).items()}
        assert less == pytest.approx(sizes(full), rel=0.002)
        seen |= {name.rpartition(".")[2] for name in less}
    assert {name.rpartition(".")[2] for name in divided} <= seen


@pytest.mark.parametrize("trace", ["bonnie", "desktop", "financial1", "financial2"])
def test_the_second_pass_writes_what_the_first_does(trace: str) -> None:
    """What a pass programs is a difference of two runs, of the same trace once and twice."""
    plan, per_request = plans.load("nvc"), {}
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
    sl.Trace("nvc-financial1", options={"workload.requests": "20000"}).convert(path)
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


def tables_of_two(
    plan: Plan, traces: list[str], parts: list[str], folder: Path
) -> dict[str, PointTable]:
    """Return what two seeds make of parts of a plan."""
    experiment = Experiment(plan, twins(plan, traces), {p: [1, 2] for p in parts}, of_some=True)
    with Engine(folder) as engine:
        return tables_of([experiment], engine)[0]


@pytest.mark.long
def test_a_short_evaluation_of_hyssd_judges_compares_and_draws_what_it_ran(tmp_path: Path) -> None:
    loaded, constants = plans.load("hyssd"), [0.3, 0.6, 0.9]
    workloads = [replace(w, reduced={**w.reduced, "requests": 40000}) for w in loaded.workloads]
    (grid,) = loaded.grids
    less = replace(grid, vary=dict.fromkeys(grid.vary, constants))
    plan = replace(loaded, workloads=workloads, grids=[less])
    tables = tables_of_two(plan, ["financial"], ["st", "slc"], tmp_path)
    of_part = [claim for claim in plan.claims if claim.part == "st"]
    missing = [row.id for row in rows_of(of_part, tables) if row.ours is None]
    assert missing == [claim.id for claim in of_part if "exchange" in claim.traces]
    # The best constant stands beside the paper's and the model's.
    lines = points.optima_of(plan.optima, tables)
    assert {line["measure"] for line in lines} == {"response_us", "measured_cost_us", "lifetime"}
    for line in lines:
        assert line["ours"] in constants
        assert 0.05 <= (line["predicted"] or 0.0) <= 0.97
    for spec in plan.figures:
        if spec.part == "st":
            assert rows(figures.draw(spec, plan, tables["st"]))


@pytest.mark.long
def test_a_short_evaluation_of_rl_learns_between_constants_and_chance(tmp_path: Path) -> None:
    """Two seeds, two constants and a lesson, on twins of 45 to 150 steps of the agent."""
    loaded, traces = plans.load("rl"), ["pc", "oltp"]
    plan = replace(
        loaded,
        workloads=[replace(w, set={"requests": 60000}) for w in loaded.named(traces)],
        grids=[
            replace(grid, vary={key: of[-1 - (grid.name == "constant") :] for key, of in many})
            for grid in loaded.grids
            for many in [grid.vary.items()]
        ],
        variants=[replace(v, after=["pc"] if v.after else []) for v in loaded.variants],
    )
    tables = tables_of_two(plan, traces, [part.name for part in plan.parts], tmp_path)
    table = tables["main"]
    # The parts of a run's time add up to it; the last erase may outlast the last request.
    for (_, scheme, _), lasted in table.documents.items():
        names = ("slc_write_s", "dense_write_s", "migration_s", "gc_s", "whole_s")
        *each, whole = [value(name, lasted) or 0.0 for name in names]
        assert sum(each) == pytest.approx(whole, rel=0.01), scheme
    # Each seed learns on the same trace.
    assert len({d["trace"]["sha256"] for key, d in table.documents.items() if key[0] == "pc"}) == 1
    assert len(set(table.values("write_mb_per_s", "rl", "pc"))) == 2
    assert len(set(table.values("write_mb_per_s", "dwa", "pc"))) == 1
    lines = {line["workload"]: line for line in points.learned_of(plan.yardstick, tables)}
    assert lines.keys() == set(traces)
    for line in lines.values():
        assert line["best"] >= line["worst"] > 0
        assert line["random"] is not None
        assert line["best_is"].startswith("constant ")
    # A lesson changes what is learned later.
    untrained, trained = (
        tables["pre-training"].documents["oltp", name, 1] for name in ("rl", "pre-trained")
    )
    assert untrained["trace"]["sha256"] == trained["trace"]["sha256"]
    assert untrained["scheme"]["series"] != trained["scheme"]["series"]


def bare(each: TraceInput) -> Run:
    return run_of(each, "n", [], 1, device="tiny", scheme="tlc-only", settings={}, seed=1)


@pytest.mark.parametrize("mebibytes", [30, 400])
def test_a_trace_is_repeated_as_often_as_asked(mebibytes: int, tmp_path: Path) -> None:
    asked = mebibytes << 20
    each = TraceInput(
        "w", "ips-wdev_0", 8000, set={"requests": "8000"}, repeat_to_write_bytes=asked
    )
    once = Trace(each.path, options=replace(each, repeat_to_write_bytes=0).options(1)).info()
    path = tmp_path / "repeated.parquet"
    assert perform(Task(str(path), "repeat", bare(each))) == Done(str(path))
    told = Trace(path).info()
    assert told["write_bytes"] == pytest.approx(asked, rel=0.1)
    assert told["requests"] == pytest.approx(once["requests"] * asked / once["write_bytes"], abs=1)
    # A shorter one is a part of the trace; a longer one comes back to the same pages.
    assert told["touched_4kib_pages"] <= once["touched_4kib_pages"]


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
        notation.written_out(said, "p/plan.toml")
    assert str(error.value).startswith(f"p/plan.toml: {told}")


def test_what_is_said_once_holds_for_all(tmp_path: Path) -> None:
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
    found = notation.written_out(whole, "plan.toml")
    first, second = found["parts"]
    assert (first["replay"], first["settings"]) == ("open", {"a.x": 1, "b.x": 2})
    assert (second["replay"], second["settings"]) == ("closed:1", {"a.x": 1, "b.x": 1})
    told = [(w["name"], w["twin"], w["requests"], w.get("reduced")) for w in found["workloads"]]
    assert told == [("v", "t-v", 5, {"requests": 1}), ("w", "t-w", 7, None), ("v", "s", 5, {})]
    file = tmp_path / "t.csv"
    file.write_text(
        "128166372003061629,hm,1,Write,0,4096,1\n128166372003061630,hm,1,Wrote,0,4096,1\n"
    )
    each = TraceInput("w", "", 2, repeat_to_write_bytes=1 << 20, file=str(file))
    task = Task(str(tmp_path / "r.parquet"), "repeat", bare(each))
    done = perform(task)
    assert done.kind == "TraceError"
    assert 't.csv:2: column 4 (Type): "Wrote" is not' in (done.error or "")
    file.write_text("128166372003061629,hm,1,Read,0,4096,1\n")
    assert "t.csv: no writes to repeat" in (perform(task).error or "")


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
LASTING = Lifespans("p", ["mixed"], "slc", "dense")


def lasted(**scheme_figures: float) -> dict[str, Any]:
    return {
        "config": {"device": {"pool": [POOL]}},
        "scheme": {"figures": scheme_figures, "series": []},
    }


def lasting(without: str = "") -> dict[Any, Any]:
    """Return results with the lifespans they have."""
    runs = {
        "mixed 0": lasted(host_bytes=10, dense_bytes=40),
        "mixed 0.25": lasted(host_bytes=10, slc_bytes=100, dense_bytes=50),
        "mixed 1": lasted(host_bytes=10, slc_bytes=20),
        "slc 0.25": lasted(slc_bytes=250),
        "slc 1": lasted(slc_bytes=20),
        "dense 0.75": lasted(dense_bytes=125),
        "dense 1": lasted(dense_bytes=40),
    }
    documents: dict[Any, Any] = {("w", n, 1): d for n, d in runs.items() if n != without}
    points.add_lifespans(LASTING, {"p": documents}, GRIDS)
    return documents


def test_a_lifespan_is_that_of_the_model_with_the_volumes_of_the_runs() -> None:
    assert points.chip(lasted()) == {
        "slc_cycles": 50,
        "dense_cycles": 10,
        "slc_block_bytes": 100,
        "dense_bits": 2,
        "blocks": 20,
    }
    # D_S = 25,000 and D_M = 30,000: N_S = 250 passes and N_M = 600. Then D_M has 17,500 left, for
    # 140 passes of 125 with the region at its size, or 437.5 of 40 as if it were the whole chip.
    # A chip of one mode is its own last region.
    passes = {"mixed 0.25": (390, 687.5), "mixed 0": (1000, 1000), "mixed 1": (5000, 5000)}
    documents = lasting()
    for name, of in passes.items():
        for measure, each in zip(("lifespan_bytes", "lifespan_full_chip_bytes"), of, strict=True):
            assert value(measure, documents["w", name, 1]) == pytest.approx(10 * each)
    # Without the runs of one region there is no lifespan.
    documents = lasting(without="dense 0.75")
    found = [value("lifespan_bytes", documents["w", n, 1]) for n in ("mixed 0.25", "slc 1")]
    assert found == [None, None]
    assert value("lifespan_bytes", documents["w", "mixed 0", 1]) is not None
    first, both = lasting(), lasting()
    for key, told in both.items():
        own = told["scheme"]["figures"]
        less = {name: 2 * of - 10 for name, of in own.items() if name != "host_bytes"}
        both[key] = lasted(**less, host_bytes=20)
    points.add_lifespans(replace(LASTING, part="two", less="p"), {"p": first, "two": both}, GRIDS)
    mixed = both["w", "mixed 0.25", 1]["lifespan"]["own"]
    assert mixed["passes"] == pytest.approx(25_000 / 90 + (30_000 - 40 * 25_000 / 90) / 115)
    assert mixed["host_bytes"] == pytest.approx(10 * mixed["passes"])
    del first["w", "slc 0.25", 1]
    points.add_lifespans(replace(LASTING, part="two", less="p"), {"p": first, "two": both}, GRIDS)
    assert both["w", "mixed 0.25", 1]["lifespan"]["own"] is None
