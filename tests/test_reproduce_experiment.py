"""What an experiment runs, and that it can: all faults are told before the first run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError
from slcache.execute.engine import Engine
from slcache.reproduce import beyond, inputs, sensitivity
from slcache.reproduce import evaluation as evaluations
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.inputs import Input, Job, twins
from slcache.reproduce.parts import Grid, Part, Variant
from slcache.reproduce.reading import Variation


def jobs(
    part: Part,
    paper: str = "rl",
    settings: dict[str, Any] | None = None,
    **more: Any,  # noqa: ANN401
) -> list[Job]:
    """Return the jobs of one part of a paper, on its smallest workload, with two seeds."""
    loaded, name = plans.load(paper), {"rl": "pc", "hierarchy": "web_1"}[paper]
    given = more.pop("workload", {})
    workload = replace(loaded.named([name])[0], **{"parts": [], **given})
    others = [each for each in loaded.workloads if each.name != name]
    plan = replace(loaded, parts=[part], picks=[], workloads=[workload, *others], **more)
    return Experiment(plan, twins(plan, [name]), {part.name: [4, 5]}, settings or {}).jobs


def drawn(job: Job) -> int:
    return int(dict(job.run.trace_options)["seed"])


OLD = Part("p", "rl-32g", ["old"], "old")


def test_what_learns_meets_one_trace_with_every_seed_and_the_others_run_once() -> None:
    part = replace(OLD, schemes=["old", "new"], learned=["new"])
    found = jobs(part, variants=[Variant("new", "baseline")])
    told = [(job.name, job.seed, drawn(job)) for job in found]
    assert told == [("old", 4, 4), ("new", 4, 4), ("new", 5, 4)]
    assert found[1].run.config != found[2].run.config
    assert found[1].run.trace_options == found[2].run.trace_options
    # Without learning every seed draws its own twin.
    assert [(job.seed, drawn(job)) for job in jobs(OLD)] == [(4, 4), (5, 5)]


def test_a_point_may_change_the_twins_and_their_draw() -> None:
    plan = replace(plans.load("rl"), parts=[OLD], picks=[])
    (each,) = twins(plan, ["pc"], {"twin.update_skew": 1.2, "seed": 7})
    assert (each.set, each.draw) == ({"twin.update_skew": "1.2"}, 7)
    loose = replace(each, parts=[])
    assert [drawn(job) for job in Experiment(plan, [loose], {"p": [1, 2]}).jobs] == [7, 7]


def test_lessons_are_part_of_what_a_run_is(tmp_path: Path) -> None:
    first, *others = (
        jobs(replace(OLD, schemes=["v"]), variants=[Variant("v", "baseline", after=after)])[0].run
        for after in (["oltp", "pc"], ["pc", "oltp"], [])
    )
    assert first.after is not None
    assert first.after.after is not None
    assert (first.after.after.trace, first.after.trace) == ("rl-oltp", "rl-pc")
    with Engine(tmp_path) as engine:
        assert len({engine.key(run) for run in (first, *others)}) == 3


WAIT = "scheme.sa.merge.timeout_ns"
SA = Part("p", "hierarchy-44g", ["baseline", "sa", "v"], "sa", settings={WAIT: 9})


@pytest.mark.parametrize(
    ("variant", "point", "found"),
    [
        ({}, {}, {"baseline": None, "sa": 9, "v": 9}),
        # What the variant says stands above the part, and above what is varied.
        ({WAIT: 7}, {}, {"baseline": None, "sa": 9, "v": 7}),
        ({WAIT: 7}, {WAIT: 5}, {"baseline": None, "sa": 5, "v": 7}),
        ({}, {WAIT: "default"}, {"baseline": None, "sa": None, "v": None}),
        ({}, {f"v:{WAIT}": 5}, {"baseline": None, "sa": 9, "v": 5}),
    ],
)
def test_a_setting_is_of_the_schemes_that_have_it_and_the_last_word_counts(
    variant: dict[str, Any], point: dict[str, Any], found: dict[str, int | None]
) -> None:
    of = {"replay": "closed:4", **point}
    made = jobs(SA, "hierarchy", of, variants=[Variant("v", "sa", variant)])
    assert {job.name: job.run.settings.get(WAIT) for job in made} == found
    # What is not of a scheme is of every run.
    assert {job.run.replay for job in made} == {"closed:4"}


def test_only_the_named_parts_are_run() -> None:
    plan = plans.load("ips")
    found = Experiment(plan, twins(plan, ["wdev_0"]), {"daily": [1, 2]}).jobs
    assert {(job.part.name, job.seed) for job in found} == {("daily", 1), ("daily", 2)}
    assert {job.run.scheme for job in found} == set(plan.part("daily").schemes)


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


def test_grids_and_factors_are_every_combination_of_their_values() -> None:
    found = Grid("g", "baseline", {"a": [1, 2], "b": ["x", "y"]}, {"c": 0}).variants
    assert [variant.name for variant in found] == ["g 1 x", "g 1 y", "g 2 x", "g 2 y"]
    assert (found[2].settings, found[2].point) == ({"c": 0, "a": 2, "b": "x"}, (2, "x"))
    waits: list[dict[str, Any]] = [{"level": "short", WAIT: 5}, {"level": "usual"}]
    clocks: list[dict[str, Any]] = [{"level": "x 1"}, {"level": "x 0.01", "host.time_scale": 0.01}]
    variation = Variation("x", "open", cross=[waits, clocks])
    assert dict(variation.each()) == {
        "short, x 1": {WAIT: 5},
        "short, x 0.01": {WAIT: 5, "host.time_scale": 0.01},
        "usual, x 1": {},
        "usual, x 0.01": {"host.time_scale": 0.01},
    }
    assert variation.faults() == []
    untitled = Variation("x", "open", cross=[clocks, [{"host.time_scale": 0.01}]])
    assert untitled.faults() == ["x: cross: factor 2: level is missing: what a level is called"]


BLOCKS, SLC = "device.pool.0.blocks", "scheme.baseline.slc_blocks"
SHARES = Grid(*("g", "baseline", {SLC: [0, 0.25]}), share_of=BLOCKS, instead={"0": "tlc-only"})
OVER_GRID = Part("p", "hierarchy-44g", ["g"], "g 0")


@pytest.mark.parametrize("blocks", [None, 100])
def test_a_grid_of_shares_follows_the_size_of_the_device(blocks: int | None) -> None:
    reduced = {BLOCKS: blocks} if blocks else {}
    workload = {"reduced": reduced}
    none, _, some, _ = jobs(OVER_GRID, "hierarchy", workload=workload, grids=[SHARES])
    assert (none.name, none.run.scheme, none.run.settings) == ("g 0", "tlc-only", reduced)
    assert (some.name, some.run.scheme) == ("g 0.25", "baseline")
    # The device has 512.
    assert some.run.settings == {**reduced, SLC: (blocks or 512) // 4}
    # A variation may multiply what a run has.
    ((title, table),) = Variation("n", "w", [2], [BLOCKS], times=True).each()
    assert title == "2 times"
    none, _, some, _ = jobs(OVER_GRID, "hierarchy", table, workload=workload, grids=[SHARES])
    assert none.run.settings == {BLOCKS: 2 * (blocks or 512)}
    assert some.run.settings == {**none.run.settings, SLC: (blocks or 512) // 2}


def test_a_share_of_something_unknown_is_refused() -> None:
    wrong = replace(SHARES, share_of="device.pool.0.block")
    with pytest.raises(ConfigError, match=r"a share of device\.pool\.0\.block: .* no whole number"):
        jobs(OVER_GRID, "hierarchy", grids=[wrong])


def test_a_smaller_twin_runs_on_a_smaller_device_and_is_repeated_less_often() -> None:
    whole = plans.load("hierarchy")
    settings = {"device.user_bytes": "1GiB", SLC: 8}
    workload = replace(
        whole.named(["web_1"])[0],
        parts=[],
        repeat_to_write_bytes=64 << 30,
        reduced={
            **settings,
            "requests": 1000,
            "scheme.sa.slc_blocks": 9,
            "repeat_to_write_bytes": 16 << 30,
        },
    )
    part = replace(OVER_GRID, schemes=["baseline"], reference="baseline")
    small = replace(whole, parts=[part], workloads=[workload], picks=[])
    assert small.reduced
    full = small.full_size()
    assert not full.reduced
    file = Input("web_1", "", file="published")
    for plan, chosen, found in (
        (small, twins(small, ["web_1"]), (settings, {"workload.requests": "1000"}, 16 << 30)),
        (full, twins(full, ["web_1"]), ({}, {}, 64 << 30)),
        # A published file runs on the paper's device.
        (small, [file], ({}, {}, 0)),
    ):
        (job,) = Experiment(plan, chosen, {"p": [1]}).jobs
        own = {key: said for key, said in job.input.options(1).items() if key != "seed"}
        assert (job.run.settings, own, job.input.repeat_to_write_bytes) == found


@pytest.mark.long
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("paper", plans.papers())
def test_every_run_of_every_plan_can_be_made(paper: str, full: bool) -> None:
    """No run is tried: the twins meet their figures and the configurations resolve."""
    plan = plans.load(paper).full_size() if full else plans.load(paper)
    for reading in plan.readings:
        read = plan.under(reading)
        chosen = twins(read, [workload.name for workload in read.workloads])
        jobs = Experiment(read, chosen, {p.name: [1] for p in read.parts}).jobs
        assert inputs.faults(jobs, reading) == []
    assert sensitivity.faults(plan) == []


@pytest.mark.long
@pytest.mark.parametrize("paper", plans.papers())
def test_every_run_on_recordings_can_be_made(paper: str, tmp_path: Path) -> None:
    (tmp_path / "any.blkparse.zst").touch()
    plan = plans.load(paper)
    assert plan.beyond is not None
    spec = replace(plan.beyond, only=[])
    jobs, _ = beyond.jobs_of(replace(plan, beyond=spec), tmp_path)
    assert {job.run.scheme for job in jobs} >= {v.scheme for v in plan.expand(spec.schemes)}
    assert inputs.faults(jobs, "beyond") == []


VARIED = [
    Variation("Sequential", "open", [0, 0.2], twin="twin.sequential_share"),
    Variation("Misspelt", "open", [0.5], twin="twin.update_skwe"),
    Variation("Flush", "open", ["maybe"], ["scheme.nvc.flush_clean"]),
]


@pytest.mark.long
def test_every_point_that_cannot_be_run_is_told_once_before_any_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plans.load("nvc")
    assert plan.sensitivity is not None
    broken = replace(plan, sensitivity=replace(plan.sensitivity, vary=VARIED))
    monkeypatch.setattr(plans, "load", lambda _: broken)
    request = evaluations.Request("nvc", tmp_path, sensitivity=True)
    with pytest.raises(ConfigError) as error:
        evaluations.evaluate(request)
    told = str(error.value).splitlines()
    assert told == sensitivity.faults(broken)
    assert told[0].startswith(
        "nvc/plan.toml: sensitivity: Sequential, 0: nvc-desktop: twin.sequential_share: 0 conflicts"
    )
    misspelt = [fault for fault in told[1:] if "Misspelt, 0.5" in fault]
    assert len(misspelt) == 2  # one for each twin
    assert all("unknown field `update_skwe`" in fault for fault in misspelt)
    flush = [fault for fault in told[1:] if "Flush, maybe" in fault]
    assert len(told) == 1 + len(misspelt) + len(flush)
    assert flush
    assert all("scheme.nvc.flush_clean" in fault for fault in flush)
    assert list(tmp_path.iterdir()) == []
