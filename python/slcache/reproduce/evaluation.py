"""One evaluation: run the plan, judge the claims, vary what is open, go beyond the paper."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from slcache.execute.engine import Engine
from slcache.files import Transaction
from slcache.options.models import BOTH, Request
from slcache.reproduce import beyond, gains, inputs, optima, sensitivity
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment, run
from slcache.reproduce.ledger import Evaluation, View, ledger
from slcache.reproduce.plan import Plan
from slcache.reproduce.reading import LITERAL, PROBABLE, READINGS
from slcache.trace import Progress

#: What an evaluation is written as, beside the runs it keeps.
FILES = ("ledger.json", "report.html")


class UnknownWorkloadError(ValueError):
    """The user names a workload that the paper does not have."""


def evaluate(request: Request, progress: Progress | None = None) -> Evaluation:
    """Run an evaluation, taking up whatever an earlier one has left in the store."""
    plan = plans.load(request.paper)
    readings = plan.readings if request.reading == BOTH else [request.reading]
    if request.reading not in (BOTH, *READINGS):
        plan, readings = plan.beside(request.reading), [PROBABLE]
    if request.full:
        plan = plan.full_size()
    with Engine(request.kept, request.executor, request.jobs, progress) as engine:
        return _evaluated(plan, readings, request, engine)


def _evaluated(plan: Plan, readings: Sequence[str], request: Request, engine: Engine) -> Evaluation:
    if request.sensitivity:
        inputs.refuse(sensitivity.faults(plan, readings))
    recordings = None if request.quick else request.recordings
    if plan.beyond and recordings is not None:
        jobs, _ = beyond.jobs_of(plan, Path(recordings))
        inputs.refuse(inputs.faults(jobs, f"{plan.name}/plan.toml: beyond"))
    views, seeds = _views(plan, readings, request, engine)
    by_reading = {view.reading: view.tables for view in views}
    claims = ledger(plan.claims, by_reading.get(LITERAL), by_reading.get(PROBABLE))
    some = request.workloads or request.seeds
    mode = "quick" if request.quick else "part" if some else "full"
    evaluation = Evaluation(plan, mode, seeds, views, claims)
    evaluation.yardstick = optima.learned(plan.yardstick, views[0].tables)
    evaluation.optima = optima.study(plan.optima, views[0].tables)
    if plan.sensitivity and not request.quick:
        # Without --sensitivity only what an earlier one has left is taken up.
        evaluation.sensitivity = sensitivity.study(
            plan, engine, evaluation.readings, run=request.sensitivity
        )
    if plan.beyond and recordings is not None:
        evaluation.beyond = beyond.study(plan, Path(recordings), engine)
    return evaluation


def _views(
    plan: Plan, readings: Sequence[str], request: Request, engine: Engine
) -> tuple[list[View], list[int]]:
    """Run every reading that is asked for."""
    names, seeds = _scope(plan, request)
    of_parts = _seeds(plan, request, seeds)
    traces = inputs.recognise(plan, Path(request.traces), engine) if request.traces else {}
    experiments = []
    for reading in readings:
        read = plan.under(reading)
        chosen = inputs.published(read, names, traces)
        if not request.workloads:
            chosen = [each for each in chosen if not each.optional]
            if request.quick:
                chosen = [each for each in chosen if plan.quick.runs(each.name, each.parts)]
        if request.quick:
            chosen = [each.within(plan.quick.requests) for each in chosen]
        settings = gains.SETTINGS if request.bound else {}
        experiments.append(Experiment(read, chosen, of_parts, settings, reading))
    jobs = [job for each in experiments for job in each.jobs]
    inputs.refuse(inputs.faults(jobs, f"{plan.name}/plan.toml"))
    return [
        View(each, tables, gains.of(each, tables, engine) if request.bound else [])
        for each, tables in zip(experiments, run(experiments, engine), strict=True)
    ], seeds


def stage(evaluation: Evaluation, files: Transaction) -> None:
    """Add the ledger, the figures and the report to a transaction."""
    # Only who writes a page loads what it is made with.
    from slcache.reproduce import report

    files.write("ledger.json", (evaluation.to_json() + "\n").encode())
    files.write("report.html", report.render(evaluation).encode())


def _scope(plan: Plan, request: Request) -> tuple[list[str], list[int]]:
    every = list(dict.fromkeys(workload.name for workload in plan.workloads))
    names = request.workloads or (plan.quick.names() if request.quick else every)
    unknown = [name for name in names if name not in every]
    if unknown:
        allowed = ", ".join(every)
        raise UnknownWorkloadError(
            f"no workload {', '.join(unknown)} in {plan.name}; allowed: {allowed}"
        )
    return names, request.seeds or (plan.quick.seeds if request.quick else plan.seeds)


def _seeds(plan: Plan, request: Request, seeds: Sequence[int]) -> dict[str, Sequence[int]]:
    """Return the parts that are run with their seeds; those that the user names are for all."""
    parts = [p for p in plan.parts if not request.quick or p.name in (plan.quick.parts or [p.name])]
    return {p.name: seeds if request.seeds or not p.seeds else p.seeds for p in parts}


def default_recordings() -> Path | None:
    """Return the folder of recorded traces named by the environment, where there is one."""
    shared = os.environ.get("SLCACHE_SHARED")
    path = Path(shared) / "traces" / "recorded" if shared else None
    return path if path and path.is_dir() else None
