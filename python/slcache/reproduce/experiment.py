"""What is run of a plan, and its results as tables."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from slcache import ConfigError, catalogue
from slcache.execute.engine import Engine
from slcache.reproduce import inputs, lifespans
from slcache.reproduce.inputs import Input, Job
from slcache.reproduce.measures import value
from slcache.reproduce.optima import optimum
from slcache.reproduce.parts import Part, Pick, ShareOf, Variant, settings_of
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Key, Table

#: As a setting's value: as the scheme or the device has it, whatever the part says.
DEFAULT = "default"


@dataclass(frozen=True)
class Experiment:
    """Parts of a plan on their inputs."""

    plan: Plan
    inputs: Sequence[Input]
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

    def _jobs(self, part: Part) -> Iterator[Job]:
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
                    before.get(name) or inputs.twins(self.plan, [name])[0] for name in variant.after
                ]
                for seed in _seeds_of(part, variant.name, each, self.seeds[part.name]):
                    run = inputs.run_of(
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

    def tables(self, results: Sequence[dict[str, Any]], engine: Engine) -> dict[str, Table]:
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
                document["trace_info"] = inputs.statistics(run.trace, run.trace_options, engine)
        for spec in plan.picks:
            among = [v.name for v in plan.expand([spec.grid])] if spec.grid else None
            for shown in spec.parts:
                pick(spec, documents[spec.source or shown], documents[shown], among)
        for lasting in plan.lifespans:
            lifespans.add(lasting, documents, plan.grids)
        names = list(dict.fromkeys(workload.name for workload in plan.workloads))
        tables = {
            part.name: Table(documents[part.name], part.reference, names, plan.grids, wanted)
            for part in plan.parts
            for wanted in [None if self.of_some else plan.traces_of(part)]
        }
        return {"": tables[plan.parts[0].name], **tables}


def run(experiments: Sequence[Experiment], engine: Engine) -> list[dict[str, Table]]:
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
    figures: dict[str, dict[str, list[float]]] = {}
    for (workload, name, _), document in source.items():
        figure = value(spec.measure, document)
        if figure is not None and (among is None or name in among):
            figures.setdefault(workload, {}).setdefault(name, []).append(figure)
    source = dict(source)
    # The first of equals.
    best = {
        workload: optimum({name: statistics.fmean(found) for name, found in of.items()}, spec.which)
        for workload, of in figures.items()
    }
    for workload, seed in {(workload, seed) for workload, _, seed in shown if workload in best}:
        found = [seed, *(s for w, n, s in source if (w, n) == (workload, best[workload]))]
        document = next(d for s in found if (d := source.get((workload, best[workload], s))))
        shown[workload, spec.name, seed] = {**document, "picked": best[workload]}


def _seeds_of(part: Part, name: str, each: Input, seeds: Sequence[int]) -> Sequence[int]:
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
