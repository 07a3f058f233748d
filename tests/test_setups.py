"""A paper's set-up by name: what it brings, and what stands over it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import slcache as package
from slcache.reproduce import plan as plans
from slcache.reproduce import setups
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.inputs import twins
from support import slcache

NAMES = [
    f"{paper}/{part.name}:{reading}"
    for paper in plans.papers()
    for plan in [plans.load(paper)]
    for part in plan.parts
    for reading in ["literal", *plan.reading]
]
FEW = ["--workload", "requests=5000"]


@pytest.mark.few(8)
@pytest.mark.parametrize("name", NAMES)
def test_a_set_up_is_what_the_evaluation_runs(name: str) -> None:
    found = setups.named(name)
    paper, _, reading = name.partition(":")
    plan = plans.load(paper.partition("/")[0]).under(reading)
    part = plan.part(paper.partition("/")[2])
    # Smaller twins have a smaller device; grids and variants have settings of their own.
    inputs = [replace(each, reduced={}) for each in twins(plan, [w.name for w in plan.workloads])]
    own = {each.name for each in plan.variants} | {each.name for each in plan.grids}
    jobs = Experiment(plan, inputs, {part.name: [1]}).jobs
    plain = [job for job in jobs if job.name not in own and job.name in part.schemes]
    assert plain or own >= {*part.schemes}
    for job in plain:
        assert (job.run.device, job.run.replay) == (found.device, found.replay)
        assert dict(job.run.settings) == found.settings_for([job.run.scheme], job.input.path)


@pytest.mark.parametrize("reading", ["fast-clock", "chip"])
def test_ips_has_one_firmware_in_every_daily_part(reading: str) -> None:
    daily, coop = (
        setups.named(f"ips/{part}:{reading}").settings for part in ("daily", "coop-daily")
    )
    idle, place = (("idle.threshold_ns",), ("placement",)) if reading == "chip" else ((), ())
    for key in ("placement", "reclaim_open", *idle):
        own = f"scheme.turbo-write.{key}"
        assert daily[own] == coop[own] == coop[f"scheme.ips-coop.{key}"], key
    for key in ("agc.eligible", "agc.min_invalid", *idle, *place):
        assert daily[f"scheme.ips-agc.{key}"] == coop[f"scheme.ips-coop.{key}"], key
    parts = ("daily", "coop-daily", "bursty", "coop-bursty")
    shapes = [setups.named(f"ips/{part}:chip").settings for part in parts]
    for key in ("dies", "planes", "plane_parallelism"):
        assert len({read[f"device.pool.0.{key}"] for read in shapes}) == 1, key


def test_short_names_mean_the_first_part_and_the_literal_reading(tmp_path: Path) -> None:
    assert setups.named("ips").name == "ips/bursty:literal"
    assert setups.named("hierarchy:probable").name == "hierarchy/main:probable"
    for text, told in (
        ("nobody", "no paper 'nobody'; allowed: hierarchy, hyssd, ips, nvc, rl"),
        ("ips/dayly", "no part 'dayly'; allowed: bursty, daily, coop-bursty, coop-daily"),
        ("ips/", "no part ''"),
        ("hyssd:probable", "no reading 'probable'; allowed: literal"),
        ("ips:", "no reading ''"),
        ("", "no paper ''"),
    ):
        with pytest.raises(package.UsageError) as error:
            setups.named(text)
        assert told in str(error.value)
        assert error.value.key == "reading"
    for name, clock in (("hierarchy-web_1", 0.01), ("hierarchy-lun2", 1.0)):
        run = ("run", name, *FEW, "--scheme", "baseline", "--reading", "hierarchy:fast-clock")
        done = slcache(*run, "--json", "--out", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        assert document["provenance"]["reading"] == "hierarchy/main:fast-clock"
        assert document["config"]["host"]["time_scale"] == clock
        is_told = b"and hierarchy-lun2 is none of them" in b" ".join(done.stderr.split())
        assert is_told == (name == "hierarchy-lun2")
    # A whole configuration leaves no room for a reading.
    done = slcache(*run, "--config", str(tmp_path / name / "result.json"))
    assert done.returncode == 2
    assert b"leave reading out" in b" ".join(done.stderr.split())


def test_a_comparison_begins_with_the_papers_set_up_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = slcache(
        *("compare", "hierarchy-web_1", "--schemes", "baseline,sector", *FEW),
        *("--reading", "hierarchy:probable", "--set", "scheme.sector.merge.timeout_ns=7"),
        *("--set", "scheme.sector.merge.wait=timeout", "--seeds", "2", "--out", str(out), "--json"),
    )
    assert done.returncode == 0, done.stderr
    assert b"note: reading hierarchy/main:probable" in done.stderr
    runs = json.loads(done.stdout)["runs"]
    configs = {run["scheme"]["name"]: run["config"] for run in runs}
    assert {config["device"]["name"] for config in configs.values()} == {"hierarchy-44g-mqsim"}
    merge = configs["sector"]["scheme"]["sector"]["merge"]
    assert (merge["timeout_ns"], merge["acknowledge"]) == (7, "on-fill")
    assert configs["baseline"]["trace"]["address"] == "compact"
    found = package.load(out)
    assert isinstance(found, package.Comparison)
    for run in found.every_run:
        assert run.to_dict()["provenance"]["reading"] == "hierarchy/main:probable"
    assert "Reading hierarchy/main:probable." in (out / "report.html").read_text("utf-8")
    # What is repeated from a result began with the same.
    assert package.rerun(out).equal
