"""What is run of a plan: every run with its trace or twin, and the results as tables."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from slcache import ConfigError, TraceError, catalogue
from slcache import trace as traces
from slcache.documents import checks
from slcache.execute import store
from slcache.execute.engine import Engine
from slcache.execute.run import REPEAT, ReaderOptions, Run
from slcache.reproduce import points
from slcache.reproduce.parts import (
    DEFAULT,
    Pick,
    PlanPart,
    ShareOf,
    Variant,
    Workload,
    has_figures,
    settings_of,
)
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Key, PointTable, optimum
from slcache.trace import Trace

#: How far a file's figures may be from the paper's for the file to be the paper's trace.
RECOGNISED = 0.005

#: A published file's path and statistics.
File = tuple[str, Mapping[str, Any]]

#: For an estimate of how long a repeated trace is.
TYPICAL_WRITE_BYTES = 8192


@dataclass(frozen=True)
class TraceInput(Workload):
    """A workload as it is run: its twin, all of whose figures are in `set`, or a published file."""

    #: The file that is read in place of the twin.
    file: str = ""
    #: Seed of the twin's draw, where that is what is varied.
    draw: int | None = None

    @property
    def path(self) -> str:
        """What is read."""
        return self.file or self.twin

    @property
    def size(self) -> int:
        """About how many requests it has."""
        return self.requests + self.repeat_to_write_bytes // TYPICAL_WRITE_BYTES

    def options(self, seed: int) -> dict[str, str]:
        """Return the trace options of a run; a twin is drawn anew for each seed."""
        if self.file:
            return {}
        return {"seed": str(seed), **{f"workload.{key}": said for key, said in self.set.items()}}

    def within(self, requests: int) -> TraceInput:
        """Return it with at most so many requests, 0 for all, where it is a twin."""
        if self.file or not 0 < requests < self.requests or not has_figures(self.twin):
            return self
        return replace(self, requests=requests, set={**self.set, "requests": str(requests)})


def twins(
    plan: Plan, names: Sequence[str], changes: Mapping[str, object] | None = None
) -> list[TraceInput]:
    """Return the twins of the named workloads; `changes` sets figures that they have."""
    # Only twins have figures to change: the sequential writes of a burst have none.
    return [_twin(w, changes) for w in plan.named(names) if not changes or has_figures(w.twin)]


def recognise(plan: Plan, directory: Path, engine: Engine) -> dict[str, File]:
    """Return the published files that a directory holds, by the workload each of them is.

    Files are recognised by their contents, never by their names.
    """
    found: dict[str, File] = {}
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        engine.tell(f"looking at {path.name}", 0, 0)
        told = trace_info(str(path), [], engine)
        near = {w.name for w in plan.workloads if told and _matches(w, told)}
        if told and len(near) == 1:
            found.setdefault(near.pop(), (str(path), told))
    return found


def published(plan: Plan, names: Sequence[str], files: Mapping[str, File]) -> list[TraceInput]:
    """Return the workloads, each from its published file where there is one."""
    found = []
    for workload in plan.named(names):
        file, told = files.get(workload.name, ("", {}))
        if file and not workload.as_many_writes:
            said = {"requests": int(told["requests"]), "set": {}, "reduced": {}}
            found.append(TraceInput(**{**vars(workload), **said}, file=file))
        else:
            found.append(_twin(workload, {"requests": told["writes"]} if file else None))
    return found


def _twin(workload: Workload, more: Mapping[str, object] | None = None) -> TraceInput:
    settings = ("buffer.", "device.", "scheme.")
    reduced = {k: v for k, v in workload.reduced.items() if k.startswith(settings)}
    smaller = {k: v for k, v in workload.reduced.items() if k not in reduced}
    repeat = smaller.pop("repeat_to_write_bytes", workload.repeat_to_write_bytes)
    figures = {**workload.set, **smaller, **(more or {})}
    chosen = {key: str(value) for key, value in figures.items()}
    draw = chosen.pop("seed", None)
    said = {
        "requests": int(chosen.get("requests", workload.requests)),
        "set": chosen,
        "reduced": reduced,
        "repeat_to_write_bytes": repeat,
    }
    return TraceInput(**{**vars(workload), **said}, draw=None if draw is None else int(draw))


def trace_info(path: str, options: ReaderOptions, engine: Engine) -> dict[str, Any] | None:
    """Return a trace's statistics, kept from one evaluation to the next; None if unreadable."""
    try:
        read = engine.fingerprint(path, options)
    except TraceError:
        return None
    key = store.key({"info": [read, sorted(options)]})
    kept = engine.store.get(key, _check_trace_info)
    if kept is None:
        try:
            kept = Trace(path, options=dict(options)).info(engine.progress)
        except TraceError as error:
            kept = {"error": str(error)}
        engine.store.put(key, kept)
    return None if "error" in kept else kept


def _check_trace_info(document: object) -> None:
    """Raise ResultError or ValueError for neither a trace's statistics nor why it has none."""
    if not (isinstance(document, dict) and set(map(type, document.values())) == {str}):
        checks.check_printed(document, "trace-info")
        json.dumps(document, allow_nan=False)


def _matches(workload: Workload, told: Mapping[str, Any]) -> bool:
    """Return whether a file is a workload's trace, by what the plan knows of it."""
    # A file that says it is something else, such as a twin, is not the trace.
    if told["summary"]["label"] or not (workload.volume or workload.figures):
        return False
    volumes = [volume["name"] for volume in told["summary"]["volumes"]]
    if workload.volume and volumes != [workload.volume]:
        return False
    return float(told["duration_s"]) >= workload.least_duration_s and all(
        math.isclose(told[name], figure, rel_tol=RECOGNISED)
        for name, figure in workload.figures.items()
    )


@dataclass(frozen=True)
class Job:
    """One run of a part: an input under what the tables call a scheme."""

    part: PlanPart
    input: TraceInput
    name: str
    seed: int
    run: Run


def run_of(
    each: TraceInput,
    name: str,
    lessons: Sequence[TraceInput],
    draw: int,
    **said: Any,  # noqa: ANN401
) -> Run:
    """Return the run of an input; what is `said` of it is a Run's.

    A twin is drawn with the seed `draw`. `lessons` are inputs that the scheme has run before, one
    after the other, and whose memory it brings.
    """
    run = None
    for one in (*lessons, each):
        repeat = one.repeat_to_write_bytes
        run = Run(
            title=f"{one.name}, {name}, seed {said['seed']}",
            trace=one.path,
            trace_options=list(one.options(draw).items()),
            changed={REPEAT: repeat} if repeat else {},
            after=run,
            size=one.size,
            **said,
        )
    assert run is not None
    return run


def faults_of_runs(jobs: Iterable[Job], where: str) -> list[str]:
    """Return why runs cannot be made, each reason once."""
    found: dict[str, None] = {}
    for job in jobs:
        run: Run | None = job.run
        while run is not None:
            # Only twins have options.
            found |= dict.fromkeys(_of_workload(run.trace, tuple(run.trace_options)))
            run = run.after
        try:
            _ = job.run.config
        except ConfigError as error:
            found[f"{job.run.device}, {job.name}: {error}"] = None
    return [f"{where}: {reason}" for reason in found]


@functools.cache
def _of_workload(path: str, options: tuple[tuple[str, str], ...]) -> list[str]:
    """Return why a workload cannot be made with these figures; many runs share one."""
    told = ((key.partition("workload."), said) for key, said in options)
    try:
        if options:
            traces.workload(path, {key: said for (_, of, key), said in told if of})
    except (ConfigError, TraceError) as error:
        return [str(error)]
    return []


@dataclass(frozen=True)
class Experiment:
    """Parts of a plan on their inputs."""

    plan: Plan
    inputs: Sequence[TraceInput]
    #: The parts that are run, each with its seeds.
    seeds: Mapping[str, Sequence[int]]
    #: Settings over those of the parts.
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: The reading, or the value of what is varied.
    title: str = ""
    #: Whether claims are of the traces that it has alone, and not of all of the plan's.
    of_some: bool = False

    @cached_property
    def jobs(self) -> list[Job]:
        """The runs of the parts."""
        parts = (part for part in self.plan.parts if part.name in self.seeds)
        return [job for part in parts for job in self._jobs(part)]

    def _jobs(self, part: PlanPart) -> Iterator[Job]:
        settings = {**part.settings, **self.settings}
        settings = {key: value for key, value in settings.items() if value != DEFAULT}
        before = {each.name: each for each in self.inputs}
        for each in self.inputs:
            if each.parts and part.name not in each.parts:
                continue
            said = {"replay": part.replay, **settings, **each.settings}
            replay = said.pop("replay")
            draw = each.draw or (None if part.learned is None else self.seeds[part.name][0])
            for variant in self.plan.expand(part.schemes):
                own = all_settings(part.device, variant, each.reduced, said)
                lessons = [
                    before.get(name) or twins(self.plan, [name])[0] for name in variant.after
                ]
                for seed in _seeds_of(part, variant.name, each, self.seeds[part.name]):
                    run = run_of(
                        each,
                        variant.name,
                        lessons,
                        seed if draw is None else draw,
                        device=part.device,
                        scheme=variant.scheme,
                        settings=own,
                        replay=replay,
                        seed=seed,
                    )
                    yield Job(part, each, variant.name, seed, run)

    def tables(self, results: Sequence[dict[str, Any]], engine: Engine) -> dict[str, PointTable]:
        """Return the tables by part of the runs' results, the first also as ""."""
        plan = self.plan
        documents: dict[str, dict[Key, Any]] = {part.name: {} for part in plan.parts}
        for job, document in zip(self.jobs, results, strict=True):
            part, run = job.part, job.run
            seeds = self.seeds[part.name]
            # What does not learn runs once, and stands beside every seed.
            once = part.learned is not None and job.name not in part.learned
            keys = ((job.input.name, job.name, s) for s in (seeds if once else [job.seed]))
            documents[part.name] |= dict.fromkeys(keys, document)
            # Twins of other seeds differ too little to be worth a pass over each.
            if part.trace_statistics and (job.name, job.seed) == (part.reference, seeds[0]):
                document["trace_info"] = trace_info(run.trace, run.trace_options, engine)
        for spec in plan.picks:
            among = [v.name for v in plan.expand([spec.grid])] if spec.grid else None
            for shown in spec.parts:
                pick(spec, documents[spec.source or shown], documents[shown], among)
        for lasting in plan.lifespans:
            points.add_lifespans(lasting, documents, plan.grids)
        names = list(dict.fromkeys(workload.name for workload in plan.workloads))
        tables = {
            part.name: PointTable(documents[part.name], part.reference, names, plan.grids, wanted)
            for part in plan.parts
            for wanted in [None if self.of_some else plan.traces_of(part)]
        }
        return {"": tables[plan.parts[0].name], **tables}


def tables_of(experiments: Sequence[Experiment], engine: Engine) -> list[dict[str, PointTable]]:
    """Run experiments and return the tables of each; what several share is run once."""
    # All at once, so that the progress shown is that of all.
    results = iter(engine.results([job.run for each in experiments for job in each.jobs]))
    return [each.tables([next(results) for _ in each.jobs], engine) for each in experiments]


def pick(
    spec: Pick,
    source: Mapping[Key, Any],
    shown: dict[Key, Any],
    among: Collection[str] | None = None,
) -> None:
    """Show each trace's best or worst variant of a part in another, beside every seed there.

    `among` are the names to pick from; all of the source by default.
    """
    table = PointTable(source, "", list(dict.fromkeys(workload for workload, _, _ in source)))
    names = [name for name in table.schemes if among is None or name in among]
    for workload in table.workloads:
        means = {name: table.mean(spec.measure, name, workload) for name in names}
        known = {name: mean for name, mean in means.items() if mean is not None}
        if not known:
            continue
        # The first of equals.
        best = optimum(known, spec.which)
        runs = {s: run for (w, name, s), run in source.items() if (w, name) == (workload, best)}
        for seed in {seed for of, _, seed in shown if of == workload}:
            run = runs.get(seed, next(iter(runs.values())))
            shown[workload, spec.name, seed] = {**run, "picked": best}


def _seeds_of(part: PlanPart, name: str, each: TraceInput, seeds: Sequence[int]) -> Sequence[int]:
    """Return the seeds a scheme is run with on an input."""
    if part.learned is not None:
        return seeds if name in part.learned else seeds[:1]
    # A published file is the same for every seed; only the device's own draws differ.
    return seeds[:1] if each.file else seeds


def all_settings(
    device: str, variant: Variant, of_input: Mapping[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings of a run: those of its input, those given, and the variant's own."""
    whole = settings_of(variant, of_input)
    given = {**whole, **shares(device, variant.scheme, whole, settings_of(variant, settings))}
    return {**given, **shares(device, variant.scheme, given, variant.settings)}


def shares(
    device: str, scheme: str, given: Mapping[str, Any], own: Mapping[str, Any]
) -> dict[str, Any]:
    """Return settings with whole numbers in the place of shares of what is given."""
    wanted = {value.whole for value in own.values() if isinstance(value, ShareOf)}
    wholes = {key: _whole(given, device, scheme, key) for key in wanted}
    return {
        key: round(value.share * wholes[value.whole]) if isinstance(value, ShareOf) else value
        for key, value in own.items()
    }


def _whole(given: Mapping[str, Any], device: str, scheme: str, key: str) -> int:
    """Return the number under a key: as given, else the device's; raises ConfigError."""
    found: Any = given.get(key)
    if found is None:
        found = catalogue.resolve(device=device, scheme=scheme)
        for name in key.split("."):
            found = found[int(name)] if isinstance(found, list) else (found or {}).get(name)
    if not isinstance(found, int):
        raise ConfigError(f"a share of {key}: on {device} it is {found!r}, and no whole number")
    return found
