"""An evaluation runs what its plan says, resumes, and tells faults before the first run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from slcache import ConfigError
from slcache.execute.engine import Engine
from slcache.options.models import Request
from slcache.reproduce import evaluation as evaluations
from slcache.reproduce import experiment
from slcache.reproduce import plan as plans
from slcache.reproduce.claims import EMERGENT, ClaimRow, PaperClaim, rows_of
from slcache.reproduce.evaluation import met, unbeaten
from slcache.reproduce.experiment import Experiment, Job, TraceInput, twins
from slcache.reproduce.functions import CANNOT_HOLD, NOT_SIMULABLE
from slcache.reproduce.parts import Beyond, Grid, PlanPart, PlanVariation, Variant, has_figures
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import PointTable
from support import mixed, process, slcache, validator, write_trace


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """The plan of a paper, whose quick mode is quicker."""
    whole = plans.load("hierarchy")
    small = replace(whole, quick=replace(whole.quick, requests=5000))
    monkeypatch.setattr(plans, "load", lambda _: small)
    return small


@pytest.mark.long
@pytest.mark.usefixtures("short")
def test_an_interrupted_evaluation_goes_on_and_prints_one_ledger(tmp_path: Path) -> None:
    request = Request(paper="hierarchy", out=tmp_path, quick=True, workloads=["web_1"])
    told: list[tuple[str, int, int]] = []

    def stop_after_one(phase: str, done: int, total: int) -> bool:
        told.append((phase, done, total))
        return done < 1

    with pytest.raises(KeyboardInterrupt):
        evaluations.evaluate(replace(request, jobs=1), stop_after_one)
    (_, done, every) = told[0]
    assert done == 0
    kept = len(list((tmp_path / "store/results").glob("*.json.gz")))
    assert 1 <= kept < every
    told.clear()
    evaluations.evaluate(request, lambda *of: told.append(of))
    left = every - kept
    phase = f"runs (0 of {left} done, {left} left, {kept} kept, CPU time 0 s)"
    assert told[0] == (phase, 0, left)
    words = ("reproduce", "hierarchy", "--quick", "--workloads", "web_1", "--json")
    shown = slcache(*words, "--out", tmp_path)
    assert b"judges at most 27 of 27 emergent claims, on twins of at most" in shown.stderr
    document = json.loads(shown.stdout)
    assert "gains" not in document
    assert document["inputs"][0]["source"] == "twin"
    verdicts = {claim["id"]: claim["verdict"] for claim in document["claims"]}
    assert verdicts["web_1-no-migration"] == "reproduced"
    assert verdicts["figure-7-axis"] == "cannot hold"
    assert json.loads((tmp_path / "ledger.json").read_text()) == document
    assert "Inputs: twins of all traces" in (tmp_path / "report.html").read_text()


@pytest.mark.long
def test_in_place_switch_halves_write_amplification(tmp_path: Path) -> None:
    words = ("reproduce", "ips", "--quick", "--workloads", "hm_1", "--bound", "--out", tmp_path)
    # A process of its own draws the figures, which tell what was not run.
    done = process(*words, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    validator("reproduce").validate(document)
    claims = {claim["id"]: claim for claim in document["claims"]}
    assert claims["ips-bursty-latency-hm_1"]["verdict"] == "reproduced"
    # Turbo Write programs each page twice, in-place switch once.
    assert claims["ips-bursty-waf-small"]["ours"] == pytest.approx(-50.0)
    # One trace of eleven says nothing of how many there are.
    assert claims["turbo-bursty-tlc-dominates"]["verdict"] == "no data"
    assert claims["coop-daily-latency"]["verdict"] == "no data"
    assert set(document["gains"]) == {"literal", "probable"}
    lines = {(line["part"], line["scheme"]): line for line in document["gains"]["literal"]}
    turbo, in_place = (lines["bursty", name] for name in ("turbo-write", "ips"))
    # A trace that fits the cache, which is emptied: no dense program is spared.
    assert turbo["above"] >= 1
    assert (in_place["share"], in_place["above"]) == (None, None)
    assert "turn dense where they lie" in in_place["why"]
    page = (tmp_path / "report.html").read_text()
    assert "not run in this mode" in page
    assert "How far from the best" in page
    text = " ".join(slcache(*words).stdout.decode().split())
    assert "Share of the dense programs that could be spared" in text


ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = re.compile(r"slcache reproduce (\w+)[^\n`]* --quick")


def test_a_quick_evaluation_that_is_shown_judges_half_of_what_is_emergent() -> None:
    shown = {name for page in PAGES for name in SHOWN.findall(page.read_text())}
    judged = {name: plans.load(name).quick_judges() for name in shown & set(plans.papers())}
    assert judged
    assert [name for name, (some, every) in judged.items() if 2 * some < every] == []


@pytest.mark.long
def test_it_judges_as_many_as_it_says(short: Plan, tmp_path: Path) -> None:
    request = Request(paper="hierarchy", out=tmp_path, quick=True, reading="literal")
    emergent = [row for row in evaluations.evaluate(request).claims if row.class_ == EMERGENT]
    able = [row for row in emergent if row.verdict not in (CANNOT_HOLD, NOT_SIMULABLE)]
    judged = [row for row in able if not row.missing and row.ours is not None]
    some, every = short.quick_judges()
    assert every == len(able)
    # Runs as short as these have no migrations, of which claims then say nothing.
    assert len(judged) <= some == sum(not row.missing for row in able)


@pytest.mark.parametrize("requests", [0, 1000, 10**9])
def test_only_twins_that_are_longer_are_cut(requests: int) -> None:
    plan = plans.load("ips")
    for each in twins(plan, [one.name for one in plan.workloads]):
        cut = each.within(requests)
        shorter = has_figures(each.path) and 0 < requests < each.requests
        assert cut.requests == (requests if shorter else each.requests), each
        assert cut.options(1).get("workload.requests") == (
            str(requests) if shorter else each.options(1).get("workload.requests")
        )


def found(paper: str, names: list[str], folder: Path) -> list[TraceInput]:
    plan = plans.load(paper)
    with Engine(folder.parent / "store") as engine:
        return experiment.published(plan, names, experiment.recognise(plan, folder, engine))


@pytest.mark.long
def test_a_file_with_the_figures_of_the_table_is_the_trace(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    # A file that says it is a twin, the trace under another name, and a part of one.
    package.generate("hierarchy-web_1", folder / "first.parquet")
    as_msr: dict[str, Any] = {"to": "msr", "lossy": ["label", "response", "time"]}
    package.generate("hierarchy-web_1", folder / "whatever.csv.gz", seed=3, **as_msr)
    short = {"requests": 9000}
    package.generate("hierarchy-lun1", folder / "web_1.csv.gz", overrides=short, **as_msr)
    (each,) = found("hierarchy", ["web_1"], folder)
    assert Path(each.file).name == Path(each.path).name == "whatever.csv.gz"
    assert each.options(1) == {}
    assert not any(i.file for i in found("hierarchy", ["lun1"], folder))
    folder = tmp_path / "volumes"
    folder.mkdir()
    msr(folder / "wdev_0.csv", 600)
    assert not any(each.file for each in found("ips", ["wdev_0"], folder))
    msr(folder / "x.csv", 60_000)
    bursty, daily, coop = found("ips", ["wdev_0"], folder)
    # The bursty part keeps nothing of the trace but how many writes it has.
    assert not bursty.file
    assert bursty.set["requests"] == "6"
    assert daily.file.endswith("x.csv")
    assert coop.path == daily.path
    assert coop.repeat_to_write_bytes == 64 << 30


def msr(path: Path, seconds_apart: int) -> None:
    """Write ten requests of volume wdev_0, six of them writes, at Windows file times."""
    lines = [
        f"{128_166_372_000_000_000 + i * seconds_apart * 10_000_000},wdev,0,"
        f"{'Write' if i < 6 else 'Read'},{8192 * i},4096,100"
        for i in range(10)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_only_the_named_recordings_run_with_the_measures_named(tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    folder.mkdir()
    (folder / "other.blkparse.zst").write_bytes(b"not read")
    for name in ("mine", "piece"):
        write_trace(folder / f"{name}.csv", mixed(200))
    spec = Beyond(
        device="tiny",
        schemes=["tlc-only"],
        replay="closed:8",
        more=["mine.csv", "gone.csv"],
        pieces=["piece.csv", "lost.csv"],
        only=["nothing"],
        measures=["lag_s", "disk_energy_j"],
        names=["lag", "energy"],
    )
    plan = replace(plans.load("hierarchy"), beyond=spec)
    with Engine(tmp_path) as engine:
        told = evaluations.figures_on_recordings(plan, folder, engine)
    assert told["left_out"] == ["gone.csv", "lost.csv"]
    assert told["measures"] == {"lag_s": "lag", "disk_energy_j": "energy"}
    assert told["traces"].keys() == {"mine", "piece"}
    (figures,) = told["traces"]["piece"].values()
    assert figures["lag_s"] >= 0
    assert figures["disk_energy_j"] is None
    # Pieces of real volumes keep their times.
    experiment, _ = evaluations.on_recordings(plan, folder)
    replays = {job.input.name: job.run.config["host"]["replay"] for job in experiment.jobs}
    assert replays == {"mine": "closed", "piece": "open"}


PAPER = {"lifetime_fast": -25, "lifetime_dense": -10}
CALIBRATED = {"class_": "calibrated"}


def point(write: float, read: float | None, **of_read: Any) -> dict[str, ClaimRow]:  # noqa: ANN401
    """Return the claims of a study's point that found these changes."""
    figures = {
        "new": {"lifetime_fast": 100 + write, "lifetime_dense": 100 + (read or 0)},
        "old": dict.fromkeys(PAPER, 100.0),
    }
    documents = {("a", s, 1): {"scheme": {"figures": of}} for s, of in figures.items()}
    claims = [
        PaperClaim(name, "1", "t", f"{paper} ± 1 %", f'change({name}, "new", "old")', **more)
        for (name, paper), more in zip(PAPER.items(), ({}, of_read), strict=True)
        if name == "lifetime_fast" or read is not None
    ]
    return {row.id: row for row in rows_of(claims, {"": PointTable(documents, "old", ["a"])})}


FOUR = [point(-20, 0), point(-10, -9.5), point(-10, 0), point(-60, 5)]


@pytest.mark.parametrize(
    ("points", "best"),
    [
        (FOUR, [0, 1]),
        # Within the tolerance nothing is nearer.
        ([point(-20, -10), point(-20, -9.1)], [0, 1]),
        ([point(-20, -10), point(-20, -8.9)], [0]),
        ([point(-20, -10, **CALIBRATED), point(-21, 50, **CALIBRATED)], [1]),
        # A figure that some point lacks is left out.
        ([point(-20, -10), point(-21, None)], [1]),
    ],
)
def test_fronts_are_what_nothing_beats(points: list[dict[str, ClaimRow]], best: list[int]) -> None:
    assert unbeaten(points) == best


def test_points_count_the_claims_that_they_meet() -> None:
    assert [met(rows) for rows in FOUR] == [0, 1, 0, 0]
    plan = replace(plans.load("rl"), parts=[OLD], picks=[])
    (each,) = twins(plan, ["pc"], {"twin.update_skew": 1.2, "seed": 7})
    assert (each.set, each.draw) == ({"twin.update_skew": "1.2"}, 7)
    loose = replace(each, parts=[])
    assert [drawn(job) for job in Experiment(plan, [loose], {"p": [1, 2]}).jobs] == [7, 7]
    plan = plans.load("ips")
    found = Experiment(plan, twins(plan, ["wdev_0"]), {"daily": [1, 2]}).jobs
    assert {(job.part.name, job.seed) for job in found} == {("daily", 1), ("daily", 2)}
    assert {job.run.scheme for job in found} == set(plan.part("daily").schemes)


def jobs(
    part: PlanPart,
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


OLD = PlanPart("p", "rl-32g", ["old"], "old")


def test_what_learns_meets_one_trace_and_the_others_run_once(tmp_path: Path) -> None:
    part = replace(OLD, schemes=["old", "new"], learned=["new"])
    found = jobs(part, variants=[Variant("new", "baseline")])
    told = [(job.name, job.seed, drawn(job)) for job in found]
    assert told == [("old", 4, 4), ("new", 4, 4), ("new", 5, 4)]
    assert found[1].run.config != found[2].run.config
    assert found[1].run.trace_options == found[2].run.trace_options
    # Without learning every seed draws its own twin.
    assert [(job.seed, drawn(job)) for job in jobs(OLD)] == [(4, 4), (5, 5)]
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
SA = PlanPart("p", "hierarchy-44g", ["baseline", "sa", "v"], "sa", settings={WAIT: 9})


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


@pytest.mark.parametrize("paper", plans.papers())
def test_quick_mode_counts_no_workload_that_it_does_not_run(paper: str) -> None:
    plan = plans.load(paper)
    parts = {p.name: [1] for p in plan.parts if p.name in (plan.quick.parts or [p.name])}
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
    variation = PlanVariation("x", "open", cross=[waits, clocks])
    assert dict(variation.each()) == {
        "short, x 1": {WAIT: 5},
        "short, x 0.01": {WAIT: 5, "host.time_scale": 0.01},
        "usual, x 1": {},
        "usual, x 0.01": {"host.time_scale": 0.01},
    }
    wrong = replace(SHARES, share_of="device.pool.0.block")
    with pytest.raises(ConfigError, match=r"a share of device\.pool\.0\.block: .* no whole number"):
        jobs(OVER_GRID, "hierarchy", grids=[wrong])


BLOCKS, SLC = "device.pool.0.blocks", "scheme.baseline.slc_blocks"
SHARES = Grid(*("g", "baseline", {SLC: [0, 0.25]}), share_of=BLOCKS, instead={"0": "tlc-only"})
OVER_GRID = PlanPart("p", "hierarchy-44g", ["g"], "g 0")


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
    ((title, table),) = PlanVariation("n", "w", [2], [BLOCKS], times=True).each()
    assert title == "2 times"
    none, _, some, _ = jobs(OVER_GRID, "hierarchy", table, workload=workload, grids=[SHARES])
    assert none.run.settings == {BLOCKS: 2 * (blocks or 512)}
    assert some.run.settings == {**none.run.settings, SLC: (blocks or 512) // 2}


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
    file = TraceInput("web_1", "", file="published")
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
        assert experiment.faults_of_runs(jobs, reading) == []
    assert evaluations.faults_of_variations(plan) == []


@pytest.mark.long
@pytest.mark.parametrize("paper", plans.papers())
def test_every_run_on_recordings_can_be_made(paper: str, tmp_path: Path) -> None:
    (tmp_path / "any.blkparse.zst").touch()
    plan = plans.load(paper)
    assert plan.beyond is not None
    spec = replace(plan.beyond, only=[])
    found, _ = evaluations.on_recordings(replace(plan, beyond=spec), tmp_path)
    jobs = found.jobs
    assert {job.run.scheme for job in jobs} >= {v.scheme for v in plan.expand(spec.schemes)}
    assert experiment.faults_of_runs(jobs, "beyond") == []


VARIED = [
    PlanVariation("Sequential", "open", [0, 0.2], settings=["twin.sequential_share"]),
    PlanVariation("Misspelt", "open", [0.5], settings=["twin.update_skwe"]),
    PlanVariation("Flush", "open", ["maybe"], ["scheme.nvc.flush_clean"]),
]


@pytest.mark.long
def test_every_point_that_cannot_be_run_is_told_once_before_any_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plans.load("nvc")
    assert plan.sensitivity is not None
    broken = replace(plan, sensitivity=replace(plan.sensitivity, vary=VARIED))
    monkeypatch.setattr(plans, "load", lambda _: broken)
    request = Request(paper="nvc", out=tmp_path, sensitivity=True)
    with pytest.raises(ConfigError) as error:
        evaluations.evaluate(request)
    told = str(error.value).splitlines()
    assert told == evaluations.faults_of_variations(broken)
    assert told[0].startswith(
        "nvc/plan.toml: sensitivity: Sequential, 0: nvc-desktop: twin.sequential_share: 0 conflicts"
    )
    misspelt = [fault for fault in told[1:] if "Misspelt, 0.5" in fault]
    assert len(misspelt) == 2  # one for each twin
    assert all("did you mean update_skew?" in fault for fault in misspelt)
    flush = [fault for fault in told[1:] if "Flush, maybe" in fault]
    assert len(told) == 1 + len(misspelt) + len(flush)
    assert flush
    assert all("scheme.nvc.flush_clean" in fault for fault in flush)
    assert list(tmp_path.iterdir()) == []
