"""Parts of an evaluation run on their inputs, and their results as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slcache.reproduce import inputs
from slcache.reproduce.inputs import Input
from slcache.reproduce.plan import Part, Plan
from slcache.reproduce.runs import Job, Progress, run_all
from slcache.reproduce.store import Store
from slcache.reproduce.table import Key, Table


def tabulate(
    plan: Plan,
    chosen: Sequence[Input],
    seeds: Mapping[str, Sequence[int]],
    settings: Mapping[str, Any],
    store: Store,
    progress: Progress,
) -> dict[str, Table]:
    """Run parts on their inputs and return the tables by part, the first also as "".

    `seeds` names the parts that are run, each with its seeds.
    """
    jobs = jobs_of(plan, chosen, seeds, settings)
    results = run_all([job for _, job in jobs], store, progress)
    documents: dict[str, dict[Key, Any]] = {part.name: {} for part in plan.parts}
    for (part, job), document in zip(jobs, results, strict=True):
        documents[part.name][job.input.name, job.scheme, job.seed] = document
        # Twins of other seeds differ too little to be worth a pass over each.
        first = seeds[part.name][0]
        if part.trace_statistics and (job.scheme, job.seed) == (part.reference, first):
            document["trace_info"] = inputs.statistics(job.input, job.seed, store)
    names = list(dict.fromkeys(workload.name for workload in plan.workloads))
    tables = {part.name: Table(documents[part.name], part.reference, names) for part in plan.parts}
    return {"": tables[plan.parts[0].name], **tables}


def jobs_of(
    plan: Plan,
    chosen: Sequence[Input],
    seeds: Mapping[str, Sequence[int]],
    settings: Mapping[str, Any],
) -> list[tuple[Part, Job]]:
    """Return the runs of the parts that `seeds` names."""
    parts = [part for part in plan.parts if part.name in seeds]
    return [
        (part, job) for part in parts for job in _jobs(part, chosen, seeds[part.name], settings)
    ]


def _jobs(
    part: Part,
    chosen: Sequence[Input],
    seeds: Sequence[int],
    settings: Mapping[str, Any],
) -> list[Job]:
    settings = {**part.settings, **settings}
    replay = settings.pop("replay", part.replay)
    return [
        Job(each, part.device, scheme, seed, replay, _settings_of(scheme, settings))
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
