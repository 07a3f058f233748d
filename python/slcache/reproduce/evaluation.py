"""One evaluation: run the plan, judge the claims, vary what is open, go beyond the paper."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slcache import _core
from slcache.files import Transaction
from slcache.reproduce import beyond, inputs, sensitivity
from slcache.reproduce import plan as plans
from slcache.reproduce.findings import VERDICTS
from slcache.reproduce.inputs import Input
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.plan import Part, Plan
from slcache.reproduce.runs import Job, Progress, run_all
from slcache.reproduce.store import Store
from slcache.reproduce.table import Key, Table

#: Called with what is looked at before the runs.
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What the user asks for."""

    paper: str
    out: Path
    quick: bool = False
    traces: Path | None = None
    recordings: Path | None = None
    sensitivity: bool = False
    seeds: Sequence[int] = ()
    workloads: Sequence[str] = ()


@dataclass
class Evaluation:
    """What came out."""

    plan: Plan
    mode: str
    inputs: list[Input]
    seeds: list[int]
    tables: dict[str, Table]
    claims: list[Row]
    sensitivity: list[dict[str, Any]] = field(default_factory=list)
    beyond: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger as one document."""
        return {
            "schema_version": 1,
            "paper": self.plan.name,
            "title": self.plan.title,
            "mode": self.mode,
            "inputs": [
                {
                    "workload": i.name,
                    "parts": i.parts,
                    "source": "twin" if i.twin else "published file",
                    "path": i.path,
                    "set": dict(i.workload),
                }
                for i in self.inputs
            ],
            "parts": [
                {"name": p.name, "device": p.device, "replay": p.replay, "schemes": p.schemes}
                for p in self.plan.parts
            ],
            "seeds": self.seeds,
            "counts": self.counts(),
            "claims": [row.to_dict() for row in self.claims],
            "sensitivity": self.sensitivity,
            "beyond": self.beyond,
            "provenance": {"version": _core.version(), "commit": _core.commit()},
        }

    def counts(self) -> dict[str, int]:
        """Return how many claims got each verdict."""
        verdicts = [row.verdict for row in self.claims]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts}

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)

    def stage(self, files: Transaction) -> None:
        """Add the ledger, the figures and the report to a transaction."""
        from slcache.reproduce import report

        files.write("ledger.json", (self.to_json() + "\n").encode())
        files.write("report.html", report.render(self).encode())


def evaluate(request: Request, progress: Progress, tell: Tell) -> Evaluation:
    """Run an evaluation, taking up whatever an earlier one has left in the output folder."""
    plan = plans.load(request.paper)
    store = Store(request.out / "runs")
    names, seeds = _scope(plan, request)
    chosen = (
        inputs.published(plan, request.traces, names, store, tell)
        if request.traces
        else inputs.twins(plan, names)
    )
    tables = tabulate(plan, chosen, seeds, {}, store, progress)
    claims = ledger(plan.claims, tables)
    evaluation = Evaluation(plan, _mode(request), chosen, seeds, tables, claims)
    if plan.sensitivity and not request.quick:
        # Without --sensitivity only what an earlier one has left is taken up.
        run = progress if request.sensitivity else None
        evaluation.sensitivity = sensitivity.study(plan, store, run, tabulate)
    if request.recordings is not None and not request.quick:
        evaluation.beyond = beyond.study(plan, request.recordings, store, progress)
    return evaluation


def tabulate(
    plan: Plan,
    chosen: Sequence[Input],
    seeds: Sequence[int],
    settings: Mapping[str, Any],
    store: Store,
    progress: Progress,
) -> dict[str, Table]:
    """Run every part on its inputs and return the tables by part, the first also as ""."""
    jobs = [(part.name, job) for part in plan.parts for job in _jobs(part, chosen, seeds, settings)]
    results = run_all([job for _, job in jobs], store, progress)
    documents: dict[str, dict[Key, Any]] = {part.name: {} for part in plan.parts}
    for (part_name, job), document in zip(jobs, results, strict=True):
        documents[part_name][job.input.name, job.scheme, job.seed] = document
        part = plan.part(part_name)
        # Twins of other seeds differ too little to be worth a pass over each.
        if part.trace_statistics and (job.scheme, job.seed) == (part.reference, seeds[0]):
            document["trace_info"] = inputs.statistics(job.input, job.seed, store)
    names = list(dict.fromkeys(workload.name for workload in plan.workloads))
    tables = {part.name: Table(documents[part.name], part.reference, names) for part in plan.parts}
    return {"": tables[plan.parts[0].name], **tables}


def _jobs(
    part: Part,
    chosen: Sequence[Input],
    seeds: Sequence[int],
    settings: Mapping[str, Any],
) -> list[Job]:
    return [
        Job(
            each,
            part.device,
            scheme,
            seed,
            part.replay,
            _settings_of(scheme, {**part.settings, **settings}),
        )
        for each in chosen
        if not each.parts or part.name in each.parts
        # A published file is the same for every seed; only the device's own draws differ.
        for seed in (seeds if each.twin else seeds[:1])
        for scheme in part.schemes
    ]


def _settings_of(scheme: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings meant for a scheme: those of no scheme, and its own."""
    own = f"scheme.{scheme}."
    return {k: v for k, v in settings.items() if not k.startswith("scheme.") or k.startswith(own)}


def _scope(plan: Plan, request: Request) -> tuple[list[str], list[int]]:
    every = list(dict.fromkeys(workload.name for workload in plan.workloads))
    names = list(request.workloads) or (plan.quick.workloads if request.quick else every)
    unknown = [name for name in names if name not in every]
    if unknown:
        allowed = ", ".join(every)
        raise ValueError(f"no workload {', '.join(unknown)} in {plan.name}; allowed: {allowed}")
    return names, list(request.seeds) or (plan.quick.seeds if request.quick else plan.seeds)


def _mode(request: Request) -> str:
    if request.quick:
        return "quick"
    return "part" if request.workloads or request.seeds else "full"


def default_recordings() -> Path | None:
    """Return the folder of recorded traces named by the environment, where there is one."""
    shared = os.environ.get("SLCACHE_SHARED")
    path = Path(shared) / "traces" / "recorded" if shared else None
    return path if path and path.is_dir() else None
