"""Parts of an evaluation: repeated traces, and what is varied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from slcache import ConfigError, api
from slcache.execute.engine import Engine
from slcache.execute.tasks import Done, Task, perform
from slcache.reproduce import plan as plans
from slcache.reproduce import sensitivity, toml
from slcache.reproduce.inputs import Input, Job, twins
from slcache.reproduce.plan import Plan
from slcache.reproduce.reading import Sensitivity, Variation
from slcache.reproduce.tabulate import jobs_of


@pytest.mark.parametrize("mebibytes", [30, 400])
def test_a_trace_is_repeated_until_it_has_written_what_was_asked(
    mebibytes: int, tmp_path: Path
) -> None:
    asked = mebibytes << 20
    each = Input("w", "ips-wdev_0", True, 20000, (), {"requests": "20000"}, asked)
    once = api.Trace(each.path, options=replace(each, repeat_to_write_bytes=0).options(1)).info()
    path = tmp_path / "repeated.parquet"
    task = Task(str(path), "repeat", Job(each, "tiny", "tlc-only", 1).run)
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
    each = Input("w", str(file), False, 2, repeat_to_write_bytes=1 << 20)
    task = Task(str(tmp_path / "r.parquet"), "repeat", Job(each, "tiny", "tlc-only", 1).run)
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
    jobs = [job for _, job in jobs_of(plan, twins(plan, ["web_1"]), {"main": [1]}, points[0])]
    assert {job.replay for job in jobs} == {"closed:4"}
    own = {job.scheme: job.settings.get("scheme.sa.merge.timeout_ns") for job in jobs}
    assert own == {"baseline": None, "sa": 5, "sector": None, "hierarchy": None}


def test_a_point_takes_away_what_the_part_sets() -> None:
    plan = plans.load("hierarchy")
    key = "scheme.sa.merge.timeout_ns"
    for point, own in (({}, 1000000), ({key: "default"}, None)):
        jobs = [job for _, job in jobs_of(plan, twins(plan, ["web_1"]), {"main": [1]}, point)]
        assert [job.settings.get(key) for job in jobs if job.scheme == "sa"] == [own]


def test_only_the_named_parts_are_run() -> None:
    plan = plans.load("ips")
    jobs = jobs_of(plan, twins(plan, ["wdev_0"]), {"daily": [1, 2]}, {})
    assert {(part.name, job.seed) for part, job in jobs} == {("daily", 1), ("daily", 2)}
    assert {job.scheme for _, job in jobs} == set(plan.part("daily").schemes)


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
    assert dict(zip(variation.titles(), variation.tables(), strict=True)) == {
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
    run = {job.input for _, job in jobs_of(plan, chosen, parts, {})}
    assert run == set(chosen)


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
