# ruff: noqa: ANN401 - `toy` is a function with options
"""Two readings of a paper: what the probable one changes, and what is said under each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from charted import axis, only, rows
from slcache import ConfigError
from slcache.cli import ledger as cli_ledger
from slcache.execute.engine import Engine
from slcache.options.models import Request
from slcache.reproduce import evaluation as evaluations
from slcache.reproduce import figures, report
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment, twins
from slcache.reproduce.ledger import PaperEvaluation
from slcache.reproduce.parts import (
    LITERAL,
    PROBABLE,
    PaperReading,
    PlanPart,
    ReadingOption,
    Workload,
)
from slcache.reproduce.plan import Plan, faults_of_reading
from support import validator

TOY = """
title = "Toy"
authors = "Nobody"
minutes = 1
seeds = [1]
[[part]]
name = "main"
device = "hierarchy-44g"
schemes = ["baseline", "sector"]
reference = "baseline"
settings = { "trace.address" = "compact", "scheme.sector.merge.timeout_ns" = 1000000 }
[volume]
web_1 = { twin = "hierarchy-web_1", reduced = { requests = 5000 }, figures = { requests = 5000 } }
[quick]
workloads = ["web_1"]
seeds = [1]
[[figure]]
id = "1"
kind = "bars"
title = "Mean write latency"
measure = "write_mean_us"
[[table]]
title = "Writes"
measures = ["write_mean_us"]
names = ["mean"]
[sensitivity]
minutes = 1
workloads = ["web_1"]
seeds = [1]
vary = [
    { name = "Waiting", why = "open", settings = ["scheme.sector.merge.timeout_ns"], values = [10000000] },
VARY]
"""  # noqa: E501
WAIT = """
text = "partial writes wait 0.1 ms"
why = "a source"
settings = { "scheme.sector.merge.timeout_ns" = 100000 }
"""
OPTIONS = {"wait": WAIT}


CLAIMS = """
sector = { figure = "1", text = "Sector writes faster", ours = 'change(write_mean_us, "sector", "baseline")', paper = "-20 %" }
mean = { figure = "1", text = "so does the mean", ours = 'mean(claim("sector"))', paper = "-20 %" }
speed = { figure = "2", class = "calibrated", text = "1,090 MB/s", paper = 1090, not_simulable = "measured on a product" }
"""  # noqa: E501


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that loads the toy paper with what stands for its reading."""

    def load(
        options: dict[str, str] = OPTIONS,
        vary: str = "",
        other: dict[str, str] | None = None,
        readings: str | None = None,
    ) -> Plan:
        folder = tmp_path / "papers" / "toy"
        folder.mkdir(parents=True, exist_ok=True)
        text = TOY.replace("VARY", vary)
        for name, said in {**options, **(other or {})}.items():
            text += f"[option.{name}]{said}"
        several = [("probable", "most probable", options), ("brief", "brief waits", other)]
        found = (f"{n} = {{ name = '{t}', options = {list(of)} }}\n" for n, t, of in several if of)
        text += "[reading]\n" + ("".join(found) if readings is None else readings)
        (folder / "plan.toml").write_text(text)
        (folder / "claims.toml").write_text(CLAIMS)
        monkeypatch.setattr(plans, "EXPERIMENTS", tmp_path / "papers")
        return plans.load("toy")

    return load


def run(out: Path, **more: Any) -> tuple[PaperEvaluation, list[tuple[int, int]]]:
    seen: list[tuple[int, int]] = []

    def progress(_: str, done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    return evaluations.evaluate(Request(paper="toy", out=out, **more), progress), seen


def test_every_claim_is_judged_and_drawn_under_both_readings(toy: Any, tmp_path: Path) -> None:
    toy()
    both, seen = run(tmp_path / "out")
    # Baseline has no such option: of four runs it has one that both readings share.
    assert seen[-1] == (3, 3)
    assert len(list((tmp_path / "out/store/results").glob("*.json.gz"))) == 3
    document = json.loads(both.to_json())
    validator("reproduce").validate(document)
    writes, mean, _ = document["claims"]
    # Most partial writes wait in vain, so those that wait a tenth as long are faster.
    assert writes["probable"]["ours"] < writes["ours"]
    assert mean["probable"]["ours"] == writes["probable"]["ours"]
    none = {"cannot be simulated": 1}
    assert document["counts_by_class"]["calibrated"] == {"literal": none, "probable": none}
    assert sum(document["counts_probable"].values()) == 3
    assert document["reading"]["name"] == "most probable"
    assert document["reading"]["options"][0]["why"] == "a source"
    page = report.render(both)
    assert "<li>partial writes wait 0.1 ms" in page
    assert page.count("data-chart aria") == 2
    assert "Writes, most probable reading" in page
    # The readings of a figure have one scale.
    (spec,) = both.plan.figures
    drawn = [figures.draw(spec, view.plan, view.tables[""]) for view in both.views]
    tops = [max(row["y"] for row in rows(chart) if "y" in row) for chart in drawn]
    assert tops[0] != tops[1]
    figures.same_scale(spec, drawn)
    ends = [axis(only(chart), "y")["scale"] for chart in drawn]
    assert {(each["domainMin"], each["domainMax"]) for each in ends} == {(0, max(tops))}
    # A reading that was not run says nothing.
    for reading in (LITERAL, PROBABLE):
        alone, _ = run(tmp_path / "out", reading=reading)
        assert report.render(alone).count("data-chart aria") == 1
        row, whole = alone.claims[0], both.claims[0]
        document = json.loads(alone.to_json())
        assert document["reading"]["run"] == [reading]
        if reading == LITERAL:
            assert (row.ours, row.probable) == (whole.ours, None)
            assert document["counts_probable"] is None
        else:
            assert (row.ours, row.verdict) == (None, "no data")
            assert row.probable == whole.probable


def test_a_published_file_is_run_under_both_readings(toy: Any, tmp_path: Path) -> None:
    toy({**OPTIONS, "skew": "\ntext = 't'\nwhy = 'w'\ntwin = { update_skew = 0.5 }\n"})
    folder = tmp_path / "traces"
    folder.mkdir()
    package.generate(
        "hierarchy-web_1",
        folder / "file.csv.gz",
        to="msr",
        overrides={"requests": 5000},
        lossy=["label", "response", "time"],
    )
    evaluation, seen = run(tmp_path / "out", traces=folder)
    assert all(each.file for view in evaluation.views for each in view.experiment.inputs)
    # A figure of the twins changes nothing of a file: Baseline's run is still shared.
    assert seen[-1] == (3, 3)
    row = evaluation.claims[0]
    assert row.probable is not None
    assert row.probable.ours < row.ours


def test_a_figure_that_both_readings_share_is_drawn_once(toy: Any, tmp_path: Path) -> None:
    toy({"wait": WAIT.replace("100000 }", "1000000 }")})
    evaluation, seen = run(tmp_path / "out")
    assert seen[-1] == (2, 2)
    page = report.render(evaluation)
    assert page.count("data-chart aria") == 1
    assert "Both readings" in page
    plan = toy({})
    assert plan.under(PROBABLE) is plan
    evaluation, _ = run(tmp_path / "out")
    document = json.loads(evaluation.to_json())
    assert (document["reading"], document["counts_probable"]) == (None, None)
    assert document["claims"][0]["probable"] is None
    page = report.render(evaluation)
    assert "reading" not in page.split(">Claims</h2>")[1].split("<h2 ")[0]


OF_AN_OPTION = [
    ("parts = ['mian']", "parts 1: no part mian; allowed: main"),
    ("devices = { mian = 'tiny' }", "devices: no part mian; allowed: main"),
    ("devices = { main = 'tinny' }", "devices: main: no device tinny; allowed: "),
    ("set = {}", "unknown key set; allowed: text, why, settings"),
    ("parts = 'main'", "parts = 'main'"),
    ("", "one of settings, devices and twin is missing: it changes nothing"),
    (
        "settings = { 'scheme.hierarchy.merge.timeout_ns' = 1 }",
        "scheme.hierarchy.merge.timeout_ns is a setting of no run",
    ),
    # What another option says.
    (WAIT.splitlines()[-1], "settings.scheme.sector.merge.timeout_ns is given for main by an"),
]
OF_A_READING = [
    ("probable = { options = ['wait'] }", "reading: probable: name is missing"),
    ("probable = { name = 1, options = ['wait'] }", "reading: probable: name = 1"),
    (
        "probable = { name = 'x', options = ['wiat'] }",
        "reading: probable: options: no wiat; allowed: wait",
    ),
    ("literal = { name = 'x', options = ['wait'] }", "reading: literal"),
    ("", "option wait is in no reading"),
]


@pytest.mark.parametrize(
    ("options", "readings", "vary", "message"),
    [
        *(
            ({**OPTIONS, "x": f"\ntext = 't'\nwhy = 'w'\n{said}\n"}, None, "", told)
            for said, told in OF_AN_OPTION
        ),
        *((OPTIONS, said, "", told) for said, told in OF_A_READING),
    ],
)
def test_a_reading_that_says_nothing_sure_is_refused(
    toy: Any, options: dict[str, str], readings: str | None, vary: str, message: str
) -> None:
    with pytest.raises(ConfigError) as error:
        toy(options, vary, readings=readings)
    assert str(error.value).startswith("toy/plan.toml: ")
    assert message in str(error.value)


def test_a_study_starts_from_the_literal_reading_and_names_the_front(
    toy: Any, tmp_path: Path
) -> None:
    levels = [("fast", '"host.time_scale" = 0.5'), ("as it is", '"host.time_scale" = 1')]
    factor = ", ".join(f'{{ level = "{name}", {setting} }}' for name, setting in levels)
    wait = '{ level = "long", "scheme.sector.merge.timeout_ns" = 10000000 }'
    plan = toy(vary=f"{{ name = 'Both', why = 'y', cross = [[{factor}], [{wait}]] }},")
    with Engine(tmp_path / "out" / "store") as engine:
        assert evaluations.variations_of(plan, engine, run=False) == []
    evaluation, _ = run(tmp_path / "out", sensitivity=True)
    waiting, both = evaluation.sensitivity
    assert [each["reading"] for each in evaluation.sensitivity] == [LITERAL, LITERAL]
    assert [point["value"] for point in waiting["points"]] == ["default", "10000000"]
    waits = [point["claims"][0]["ours"] for point in waiting["points"]]
    assert waits[0] < waits[1]
    assert waits[0] == evaluation.claims[0].ours
    with Engine(tmp_path / "out" / "store") as engine:
        assert evaluations.variations_of(plan, engine, run=False) == [waiting, both]
    probable, _ = run(tmp_path / "out", reading=PROBABLE)
    assert probable.sensitivity == []
    assert waiting["front"] == []
    named = {each["value"] for each in both["front"]}
    assert named <= {"fast, long", "as it is, long"}
    assert named
    validator("reproduce").validate(json.loads(evaluation.to_json()))
    assert "are beaten by no other on all" in report.render(evaluation)
    told = " ".join(str(part) for part in cli_ledger.parts(evaluation))
    assert "beaten by no other on all figures" in told


def option(**more: Any) -> ReadingOption:
    return ReadingOption("t", "w", **more)


def test_an_option_is_for_its_parts_alone() -> None:
    parts = [
        PlanPart("a", "tiny", ["sa"], "sa", settings={"x": 1}),
        PlanPart("b", "tiny", ["sa"], "sa"),
    ]
    reading = PaperReading(
        "r",
        {
            "one": option(settings={"x": 2}, parts=["b"]),
            "two": option(devices={"a": "rl-32g"}),
            "three": option(twin={"update_skew": 0.5}),
            "four": option(settings={"y": 3}, workloads=["one"]),
        },
    )
    first, second = reading.parts(parts)
    assert (first.device, first.settings) == ("rl-32g", {"x": 1})
    assert (second.device, second.settings) == ("tiny", {"x": 2})
    workloads = [
        Workload("one", "hierarchy-web_1", parts=["b"], set={"requests": 9}),
        Workload("pattern", "ips-bursty", parts=["b"], set={"requests": 9}),
    ]
    found = [(w.name, w.parts, w.set, w.settings) for w in reading.workloads(workloads)]
    assert found == [
        ("one", ["b"], {"requests": 9, "twin.update_skew": 0.5}, {"y": 3}),
        ("pattern", ["b"], {"requests": 9}, {}),
    ]
    smaller = {"twin.update_skew": 0.1}
    workloads = [
        Workload("twin", "hierarchy-web_1", parts=["a"], reduced=smaller),
        Workload("pattern", "ips-bursty", parts=["b"]),
    ]
    given = {
        "one": option(twin={"update_skew": 0.5}, parts=["a"]),
        "two": option(settings={"x": 1}, devices={"b": "tiny"}, workloads=["twin"]),
    }
    assert faults_of_reading(PaperReading("r", given), parts, workloads) == [
        "option one: twin: figures are of all parts, and of twins",
        "option one: twin.update_skew has no effect on twin: its reduced figures give it too",
        "option two: workloads: only settings can be of some workloads",
    ]
    given = {"none": option(twin={"update_skew": 0.5})}
    assert faults_of_reading(PaperReading("r", given), parts, workloads[1:]) == [
        "option none: twin: figures are of all parts, and of twins"
    ]


def test_a_further_reading_replaces_the_probable_one(toy: Any, tmp_path: Path) -> None:
    half, tenth = (WAIT.replace("100000", ns) for ns in ("500000", "10000"))
    toy({"half": half}, other={"tenth": tenth})
    probable, _ = run(tmp_path / "out", reading=PROBABLE)
    brief, _ = run(tmp_path / "out", reading="brief")
    rows = [each.claims[0].probable for each in (probable, brief)]
    assert rows[0] is not None
    assert rows[1] is not None
    assert rows[1].ours < rows[0].ours
    document = json.loads(brief.to_json())
    assert (document["reading"]["name"], document["reading"]["run"]) == ("brief waits", [PROBABLE])
    validator("reproduce").validate(document)
    told = " ".join(str(part) for part in cli_ledger.parts(brief))
    assert "The brief waits reading differs from the literal one:" in told
    plan = toy({"wait": WAIT + "twin = { update_skew = 0.5 }\n"}).under(PROBABLE)
    (each,) = twins(plan, ["web_1"], {"twin.read_skew": 0.2})
    assert each.set == {"requests": "5000", **{"twin.update_skew": "0.5", "twin.read_skew": "0.2"}}
    (job, *_) = Experiment(plan, [each], {"main": [1]}).jobs
    assert job.input.options(1)["workload.twin.update_skew"] == "0.5"
