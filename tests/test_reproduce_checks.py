"""Runs that cannot be made are told before the first one, all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from slcache import ConfigError
from slcache.reproduce import beyond, inputs, papers, sensitivity
from slcache.reproduce import evaluation as evaluations
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.inputs import twins
from slcache.reproduce.reading import Variation

pytestmark = pytest.mark.long


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("paper", papers())
def test_every_run_of_every_plan_can_be_made(paper: str, full: bool) -> None:
    """No run is tried: the twins meet their figures and the configurations resolve."""
    plan = plans.load(paper).full_size() if full else plans.load(paper)
    for reading in plan.readings:
        read = plan.under(reading)
        chosen = twins(read, [workload.name for workload in read.workloads])
        jobs = Experiment(read, chosen, {p.name: [1] for p in read.parts}).jobs
        assert inputs.faults(jobs, reading) == []
    assert sensitivity.faults(plan) == []


@pytest.mark.parametrize("paper", papers())
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
