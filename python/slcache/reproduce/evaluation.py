"""One evaluation: run the plan, judge the claims, vary what is open, run it on recordings."""

from __future__ import annotations

import os
import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from slcache.documents import figures
from slcache.execute.engine import Engine
from slcache.execute.run import reference
from slcache.files import Transaction
from slcache.options.models import BOTH, Request
from slcache.options.typed import refuse
from slcache.reproduce import plan as plans
from slcache.reproduce.claims import EMERGENT, ClaimRow, rows_of
from slcache.reproduce.experiment import (
    Experiment,
    TraceInput,
    faults_of_runs,
    published,
    recognise,
    tables_of,
    twins,
)
from slcache.reproduce.functions import CONSISTENT, REPRODUCED
from slcache.reproduce.ledger import GainRow, PaperEvaluation, ReadingRun, Unbeaten, Variation
from slcache.reproduce.measures import value
from slcache.reproduce.parts import (
    LITERAL,
    PROBABLE,
    READINGS,
    Pick,
    PlanVariation,
    is_of_twins,
)
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Learned, PointTable, learned_of, optima_of
from slcache.study import fronts
from slcache.trace import Progress

#: What an evaluation is written as, beside the runs it keeps.
FILES = ("ledger.json", "report.html")


class UnknownWorkloadError(ValueError):
    """The user names a workload that the paper does not have."""


def evaluate(request: Request, progress: Progress | None = None) -> PaperEvaluation:
    """Run an evaluation, taking up whatever an earlier one has left in the store."""
    plan = plans.load(request.paper)
    readings = plan.readings if request.reading == BOTH else [request.reading]
    if request.reading not in (BOTH, *READINGS):
        plan, readings = plan.beside(request.reading), [PROBABLE]
    if request.full:
        plan = plan.full_size()
    with Engine(request.kept, request.executor, request.jobs, progress) as engine:
        return _evaluated(plan, readings, request, engine)


def _evaluated(
    plan: Plan, readings: Sequence[str], request: Request, engine: Engine
) -> PaperEvaluation:
    # What is varied starts from the literal reading.
    varies = plan.sensitivity is not None and LITERAL in readings and not request.quick
    if varies and request.sensitivity:
        refuse(faults_of_variations(plan))
    recordings = None if request.quick else request.recordings
    if plan.beyond and recordings is not None:
        experiment, _ = on_recordings(plan, Path(recordings))
        refuse(faults_of_runs(experiment.jobs, f"{plan.name}/plan.toml: beyond"))
    views, seeds = _views(plan, readings, request, engine)
    by_reading = {view.reading: view.tables for view in views}
    claims = rows_of(plan.claims, by_reading.get(LITERAL), by_reading.get(PROBABLE))
    some = request.workloads or request.seeds
    mode = "quick" if request.quick else "part" if some else "full"
    evaluation = PaperEvaluation(plan, mode, seeds, views, claims)
    evaluation.yardstick = learned_of(plan.yardstick, views[0].tables)
    evaluation.optima = optima_of(plan.optima, views[0].tables)
    if varies:
        # Without --sensitivity only what an earlier one has left is taken up.
        evaluation.sensitivity = variations_of(plan, engine, run=request.sensitivity)
    if plan.beyond and recordings is not None:
        evaluation.beyond = figures_on_recordings(plan, Path(recordings), engine)
    return evaluation


def _views(
    plan: Plan, readings: Sequence[str], request: Request, engine: Engine
) -> tuple[list[ReadingRun], list[int]]:
    """Run every reading that is asked for."""
    quick = plan.quick if request.quick else None
    every = list(dict.fromkeys(workload.name for workload in plan.workloads))
    names = request.workloads or (quick.names() if quick else every)
    if unknown := [name for name in names if name not in every]:
        told = f"no workload {', '.join(unknown)} in {plan.name}; allowed: {', '.join(every)}"
        raise UnknownWorkloadError(told)
    seeds = request.seeds or (quick.seeds if quick else plan.seeds)
    # Those that the user names are for all parts.
    of_parts = {
        part.name: seeds if request.seeds or not part.seeds else part.seeds
        for part in plan.parts
        if quick is None or part.name in (quick.parts or [part.name])
    }
    traces = recognise(plan, Path(request.traces), engine) if request.traces else {}
    experiments = []
    for reading in readings:
        read = plan.under(reading)
        chosen = published(read, names, traces)
        if not request.workloads:
            chosen = [each for each in chosen if not each.optional]
        if quick and not request.workloads:
            chosen = [each for each in chosen if quick.runs(each.name, each.parts)]
        if quick:
            chosen = [each.within(quick.requests) for each in chosen]
        settings = BOUND_SETTINGS if request.bound else {}
        experiments.append(Experiment(read, chosen, of_parts, settings, reading))
    jobs = [job for each in experiments for job in each.jobs]
    refuse(faults_of_runs(jobs, f"{plan.name}/plan.toml"))
    return [
        ReadingRun(each, tables, gains_of(each, tables, engine) if request.bound else [])
        for each, tables in zip(experiments, tables_of(experiments, engine), strict=True)
    ], seeds


def stage(evaluation: PaperEvaluation, files: Transaction) -> None:
    """Add the ledger, the figures and the report to a transaction."""
    # Only who writes a page loads what it is made with.
    from slcache.reproduce import report

    files.write("ledger.json", (evaluation.to_json() + "\n").encode())
    files.write("report.html", report.render(evaluation).encode())


def default_recordings() -> Path | None:
    """Return the folder of recorded traces named by the environment, where there is one."""
    shared = os.environ.get("SLCACHE_SHARED")
    path = Path(shared) / "traces" / "recorded" if shared else None
    return path if path and path.is_dir() else None


#: What has the bound of all runs counted.
BOUND_SETTINGS = {"run.bound": True}


def gains_of(
    experiment: Experiment, tables: Mapping[str, PointTable], engine: Engine
) -> list[GainRow]:
    """Return the rows of runs whose bound was counted; runs each without a cache too."""
    others = [reference(job.run) for job in experiment.jobs]
    found = iter(engine.results([run for run in others if run is not None]))
    told: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for job, other in zip(experiment.jobs, others, strict=True):
        place = job.part.name, job.input.name, job.name
        document = tables[job.part.name].documents[*place[1:], job.seed]
        own = figures.gain(document, None if other is None else next(found))
        told.setdefault(place, []).append(own)
    return [
        {
            "part": part,
            "workload": workload,
            "scheme": scheme,
            "above": _mean(each, "above"),
            "share": _mean(each, "share"),
            "why": each[0].get("why"),
        }
        for (part, workload, scheme), each in told.items()
    ]


def _mean(told: Iterable[Mapping[str, Any]], name: str) -> float | None:
    known = [each[name] for each in told if each.get(name) is not None]
    return statistics.fmean(known) if known else None


#: Verdicts of claims that come out as the paper has them.
MET = (REPRODUCED, CONSISTENT)


def unbeaten(points: Sequence[Mapping[str, ClaimRow]]) -> list[int]:
    """Return the places of the points that none is as near as on all figures and nearer on one.

    Looked at are emergent claims of a figure that every point has. One that is reproduced, or a
    limit that is kept, is as near as it can be.
    """
    distances = [_distances(rows) for rows in points]
    common = [name for name in distances[0] if all(name in of for of in distances)]
    costs = [[of[name] for name in common] for of in distances]
    return fronts.front(costs, ["min"] * len(common))


def met(rows: Mapping[str, ClaimRow]) -> int:
    """Return how many emergent claims are reproduced, or consistent."""
    return sum(row.class_ == EMERGENT and row.verdict in MET for row in rows.values())


def _distances(rows: Mapping[str, ClaimRow]) -> dict[str, float]:
    """Return how far figures are from the paper's."""
    return {
        name: 0.0 if row.verdict in MET else abs(row.distance)
        for name, row in rows.items()
        if row.class_ == EMERGENT and row.distance is not None
    }


def faults_of_variations(plan: Plan) -> list[str]:
    """Return why points of the study cannot be run, all of them, without running any."""
    where = f"{plan.name}/plan.toml: sensitivity"
    return [
        fault
        for variation in plan.vary
        for point in _points_of(plan, variation)
        for fault in faults_of_runs(point.jobs, f"{where}: {variation.name}, {point.title}")
    ]


def variations_of(plan: Plan, engine: Engine, *, run: bool = True) -> list[Variation]:
    """Return the claims under every value of every variation, one varied at a time.

    Unless it may `run`, the study is what an earlier one has left, or empty.
    """
    # Each beside its default: equal runs are one.
    points = [[_default(plan, each), *_points_of(plan, each)] for each in plan.vary]
    every = [point for of in points for point in of]
    if not run and not engine.kept([job.run for each in every for job in each.jobs]):
        return []
    found = iter(map(_found, every, tables_of(every, engine)))
    return [
        _variation(each, *(next(found) for _ in of))
        for each, of in zip(plan.vary, points, strict=True)
    ]


def _default(plan: Plan, of: PlanVariation) -> Experiment:
    """Return what a variation starts from with nothing varied, in all the parts that are."""
    beside = {name for variation in plan.vary for name in variation.parts}
    seeds = {**_seeds_varied(plan, []), **_seeds_varied(plan, beside)}
    return Experiment(plan, _twins(plan, of), seeds, title="default", of_some=True)


def _twins(
    plan: Plan, variation: PlanVariation, changes: Mapping[str, object] | None = None
) -> list[TraceInput]:
    assert plan.sensitivity is not None
    named = variation.workloads or plan.sensitivity.workloads
    every = twins(plan, named, changes)
    return [each for each in every if not each.optional]


def _seeds_varied(plan: Plan, parts: Collection[str]) -> dict[str, Sequence[int]]:
    """Return the seeds of the parts that are run: those named, else those of the study."""
    spec = plan.sensitivity
    assert spec is not None
    wanted = parts or spec.parts or [part.name for part in plan.parts]
    return {part.name: spec.seeds for part in plan.parts if part.name in wanted}


def _points_of(plan: Plan, variation: PlanVariation) -> list[Experiment]:
    seeds = _seeds_varied(plan, variation.parts)
    points = []
    for title, table in variation.each():
        of_twins = {key: value for key, value in table.items() if is_of_twins(key)}
        settings = {key: value for key, value in table.items() if not is_of_twins(key)}
        chosen = _twins(plan, variation, of_twins)
        points.append(Experiment(plan, chosen, seeds, settings, title, of_some=True))
    return points


@dataclass(frozen=True)
class _Found:
    """What the runs of a point say."""

    title: str
    rows: Mapping[str, ClaimRow]
    yardstick: list[Learned]


def _variation(variation: PlanVariation, default: _Found, *found: _Found) -> Variation:
    """Return a variation's claims by point; claims of parts it leaves alone are left out."""
    ids = list(found[0].rows)
    measured = any(each.yardstick for each in found)
    return {
        "name": variation.name,
        "why": variation.why,
        "reading": LITERAL,
        # Of one setting alone the table of verdicts says as much.
        "front": _front(found) if variation.cross else [],
        "points": [
            {
                "value": each.title,
                "claims": [
                    {"id": row.id, "ours": row.ours, "verdict": row.verdict}
                    for row in map(each.rows.__getitem__, ids)
                ],
                "yardstick": each.yardstick if measured else [],
            }
            for each in [default, *found]
        ],
    }


def _front(found: Sequence[_Found]) -> list[Unbeaten]:
    """Return the points that no other beats, those first that meet most emergent claims."""
    places = unbeaten([each.rows for each in found])
    every: list[Unbeaten] = [{"value": found[i].title, "met": met(found[i].rows)} for i in places]
    return sorted(every, key=lambda each: -each["met"])


def _found(point: Experiment, tables: Mapping[str, PointTable]) -> _Found:
    """Return the claims that the point's parts can judge."""
    plan = point.plan
    known = {"" if name == plan.parts[0].name else name for name in point.seeds} | set(point.seeds)
    claims = [claim for claim in plan.claims if claim.part in known]
    rows = {row.id: row for row in rows_of(claims, tables)}
    return _Found(point.title, rows, learned_of(plan.yardstick, tables))


TIMES = tuple(f"{side}_{key}_us" for side in ("write", "read") for key in ("mean", "p99", "p99_9"))
MEASURES = (*TIMES, "waf", "erases")

#: By what the best constant is chosen: recordings hold reads too, so throughput says little.
FASTEST = "write_mean_us"


def on_recordings(plan: Plan, folder: Path) -> tuple[Experiment, list[str]]:
    """Return what is run on the recordings of a folder, and the traces named that it lacks."""
    spec = plan.beyond
    assert spec is not None
    wanted = [folder / name for name in (*spec.more, *spec.pieces)]
    open_load = {folder / name for name in spec.pieces}
    recorded = sorted(folder.glob("*.blkparse.zst"))
    recorded = [path for path in recorded if not spec.only or path.name.split(".")[0] in spec.only]
    paths = [*recorded, *(path for path in wanted if path.exists())]
    grids = [spec.constants] if spec.constants else []
    settings = {"trace.address": "compact", **spec.settings}
    part = replace(spec, schemes=[*spec.schemes, *grids], settings=settings)
    best = [Pick("best constant", [spec.name], FASTEST, "least", grid=grid) for grid in grids]
    chosen = [
        TraceInput(
            path.name.split(".")[0],
            twin="",
            requests=path.stat().st_size,
            settings={"replay": "open"} if path in open_load else {},
            file=str(path),
        )
        for path in paths
    ]
    its = replace(plan, parts=[part], workloads=[*chosen], picks=best, lifespans=[])
    missing = [path.name for path in wanted if not path.exists()]
    return Experiment(its, chosen, {part.name: spec.seeds}), missing


def figures_on_recordings(plan: Plan, folder: Path, engine: Engine) -> dict[str, Any]:
    """Return tails, write amplification by cause and wear of every scheme on every recording."""
    spec = plan.beyond
    assert spec is not None
    experiment, left_out = on_recordings(plan, folder)
    table = tables_of([experiment], engine)[0][spec.name]
    constants = {variant.name for variant in plan.expand([spec.constants])}
    traces: dict[str, dict[str, Any]] = {name: {} for name in table.workloads}
    for (name, scheme, seed), document in table.documents.items():
        # What does not learn stands beside every seed.
        if scheme not in constants and (scheme in (spec.learned or ()) or seed == table.seeds[0]):
            traces[name].setdefault(scheme, []).append(document)
    return {
        "replay": spec.replay,
        "device": spec.device,
        "measures": dict(zip(spec.measures, spec.names, strict=True)),
        "pieces": [Path(name).name.split(".")[0] for name in spec.pieces],
        "left_out": left_out,
        "traces": {
            name: {scheme: _figures_of_seeds(runs, spec.measures) for scheme, runs in of.items()}
            for name, of in traces.items()
        },
    }


def _figures_of_seeds(runs: Sequence[Mapping[str, Any]], more: Sequence[str]) -> dict[str, Any]:
    """Return means over the seeds, and beside those of several the lowest and highest."""
    of_seeds = {name: [value(name, run) for run in runs] for name in (*MEASURES, *more)}
    known = {name: [v for v in of if v is not None] for name, of in of_seeds.items()}
    causes = [run["waf"]["by_cause"] for run in runs]
    pools = (pool for run in runs for pool in run["wear"]["pools"])
    figures: dict[str, Any] = {
        **{name: statistics.fmean(of) if of else None for name, of in known.items()},
        "waf_by_cause": {
            cause: statistics.fmean(shares.get(cause, 0.0) for shares in causes)
            for cause in sorted({cause for shares in causes for cause in shares})
        },
        "erases_max": max((n for pool in pools for n, _ in pool["histogram"]), default=0),
    }
    if "picked" in runs[0]:
        figures["picked"] = runs[0]["picked"]
    if len(runs) > 1:
        figures["spread"] = {n: [min(of), max(of)] if of else None for n, of in known.items()}
    return figures
