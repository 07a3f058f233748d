"""How the verdicts move with what the paper leaves open, and which points no other beats."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slcache.execute.engine import Engine
from slcache.reproduce import experiment, inputs, optima
from slcache.reproduce.claims import EMERGENT
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.inputs import Input
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Table
from slcache.reproduce.reading import READINGS, Variation, is_of_twins
from slcache.reproduce.verdicts import CONSISTENT, REPRODUCED
from slcache.study import fronts

if TYPE_CHECKING:
    from slcache.reproduce import document

#: Verdicts of claims that come out as the paper has them.
MET = (REPRODUCED, CONSISTENT)


def front(points: Sequence[Mapping[str, Row]]) -> list[int]:
    """Return the places of the points that none is as near as on all figures and nearer on one.

    Looked at are emergent claims of a figure that every point has. One that is reproduced, or a
    limit that is kept, is as near as it can be.
    """
    distances = [_distances(rows) for rows in points]
    common = [name for name in distances[0] if all(name in of for of in distances)]
    costs = [[of[name] for name in common] for of in distances]
    return fronts.front(costs, ["min"] * len(common))


def met(rows: Mapping[str, Row]) -> int:
    """Return how many emergent claims are reproduced, or consistent."""
    return sum(row.class_ == EMERGENT and row.verdict in MET for row in rows.values())


def _distances(rows: Mapping[str, Row]) -> dict[str, float]:
    """Return how far figures are from the paper's."""
    return {
        name: 0.0 if row.verdict in MET else abs(row.distance)
        for name, row in rows.items()
        if row.class_ == EMERGENT and row.distance is not None
    }


def faults(plan: Plan, readings: Collection[str] = READINGS) -> list[str]:
    """Return why points of the study cannot be run, all of them, without running any."""
    where = f"{plan.name}/plan.toml: sensitivity"
    return [
        fault
        for variation in _varied(plan, readings)
        for point in _points(plan, variation)
        for fault in inputs.faults(point.jobs, f"{where}: {variation.name}, {point.title}")
    ]


def study(
    plan: Plan, engine: Engine, readings: Collection[str] = READINGS, *, run: bool = True
) -> list[document.Variation]:
    """Return the claims under every value of every variation, one varied at a time.

    Each variation starts from a reading of its own; those of other readings are left out.
    Unless it may `run`, the study is what an earlier one has left, or empty.
    """
    vary = _varied(plan, readings)
    defaults = {_base(each): _default(plan.under(each.reading), vary, each) for each in vary}
    varied = [(variation, _points(plan, variation)) for variation in vary]
    every = [*defaults.values(), *(point for _, points in varied for point in points)]
    if not run and not engine.kept([job.run for each in every for job in each.jobs]):
        return []
    found = iter(map(_found, every, experiment.run(every, engine)))
    usual = dict(zip(defaults, found, strict=False))
    return [
        _variation(each, usual[_base(each)], [next(found) for _ in points])
        for each, points in varied
    ]


def _varied(plan: Plan, readings: Collection[str]) -> list[Variation]:
    return [variation for variation in plan.vary if variation.reading in readings]


def _base(variation: Variation) -> tuple[str, tuple[str, ...]]:
    """Return what a variation starts from: its reading and its workloads."""
    return variation.reading, tuple(variation.workloads)


def _default(plan: Plan, vary: Sequence[Variation], of: Variation) -> Experiment:
    """Return what a variation starts from with nothing varied, in all the parts that are."""
    beside = {name for variation in vary for name in variation.parts}
    seeds = {**_seeds(plan, []), **_seeds(plan, beside)}
    return Experiment(plan, _twins(plan, of), seeds, title="default", of_some=True)


def _twins(
    plan: Plan, variation: Variation, changes: Mapping[str, object] | None = None
) -> list[Input]:
    assert plan.sensitivity is not None
    named = variation.workloads or plan.sensitivity.workloads
    every = inputs.twins(plan, named, changes)
    return [each for each in every if not each.optional]


def _seeds(plan: Plan, parts: Collection[str]) -> dict[str, Sequence[int]]:
    """Return the seeds of the parts that are run: those named, else those of the study."""
    spec = plan.sensitivity
    assert spec is not None
    wanted = parts or spec.parts or [part.name for part in plan.parts]
    return {part.name: spec.seeds for part in plan.parts if part.name in wanted}


def _points(literal: Plan, variation: Variation) -> list[Experiment]:
    plan = literal.under(variation.reading)
    seeds = _seeds(plan, variation.parts)
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
    rows: Mapping[str, Row]
    yardstick: list[optima.Learned]


def _variation(
    variation: Variation, default: _Found, found: Sequence[_Found]
) -> document.Variation:
    """Return a variation's claims by point; claims of parts it leaves alone are left out."""
    ids = list(found[0].rows)
    measured = any(each.yardstick for each in found)
    return {
        "name": variation.name,
        "why": variation.why,
        "reading": variation.reading,
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


def _front(found: Sequence[_Found]) -> list[document.Unbeaten]:
    """Return the points that no other beats, those first that meet most emergent claims."""
    places = front([each.rows for each in found])
    every: list[document.Unbeaten] = [
        {"value": found[i].title, "met": met(found[i].rows)} for i in places
    ]
    return sorted(every, key=lambda each: -each["met"])


def _found(point: Experiment, tables: Mapping[str, Table]) -> _Found:
    """Return the claims that the point's parts can judge."""
    plan = point.plan
    known = {"" if name == plan.parts[0].name else name for name in point.seeds} | set(point.seeds)
    claims = [claim for claim in plan.claims if claim.part in known]
    rows = {row.id: row for row in ledger(claims, tables)}
    return _Found(point.title, rows, optima.learned(plan.yardstick, tables))
