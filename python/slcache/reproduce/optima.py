"""Where a setting is best: by the paper, by simulation, by the scheme's model, by the scheme."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slcache.reproduce.parts import GridName, PartName, SchemeName, TraceName
from slcache.reproduce.table import Table

#: Settings whose figure is at most this part away from the best one's are as good for a user.
NEAR = 0.05


@dataclass(frozen=True)
class Optima:
    """A grid whose best setting is shown beside what the paper and the model say it is."""

    parts: list[PartName]
    #: The grid.
    scheme: GridName
    measure: str
    #: "least" or "most".
    which: str
    #: The scheme that chooses the setting while it runs.
    adaptive: SchemeName
    #: Its measures: the setting it had on average, and what its model found best in the end.
    chosen: str
    predicted: str
    #: The paper's best setting by part and workload.
    paper: dict[PartName, dict[TraceName, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One trace of one part."""

    part: str
    workload: str
    measure: str
    paper: float | None
    ours: float
    #: Lowest and highest of the seeds' optima.
    spread: list[float]
    #: Lowest and highest setting that is at most `NEAR` worse.
    near: list[float]
    #: How much worse the paper's setting is than ours, as a part of ours.
    paper_worse: float | None
    predicted: float | None
    chosen: float | None
    #: How much worse the adaptive scheme is than the best setting.
    adaptive_worse: float | None


def optimum(curve: Mapping[float, float], which: str) -> float:
    """Return the setting with the least or the most of a measure, the first of equals."""
    order = max if which == "most" else min
    return order(curve, key=lambda at: curve[at])


def study(specs: Sequence[Optima], tables: Mapping[str, Table]) -> list[Line]:
    """Return a line for every part and trace that has the figures."""
    return [
        line
        for spec in specs
        for part in spec.parts
        for name in tables[part].workloads
        if (line := _line(spec, part, tables[part], name)) is not None
    ]


def _line(spec: Optima, part: str, table: Table, workload: str) -> Line | None:
    curve = table.curve(spec.measure, spec.scheme, workload)
    if not curve:
        return None
    best = optimum(curve, spec.which)
    sign = 1 if spec.which == "least" else -1

    def worse(figure: float | None) -> float | None:
        return None if figure is None or not curve[best] else sign * (figure / curve[best] - 1)

    near = [at for at, figure in curve.items() if (worse(figure) or 0.0) <= NEAR]
    seeds = [table.curve(spec.measure, spec.scheme, workload, seed) for seed in table.seeds]
    each = [optimum(seed, spec.which) for seed in seeds if seed]
    paper = spec.paper.get(part, {}).get(workload)
    # The model's optimum: every run of the grid has its own, from what it counted.
    predicted = table.curve(spec.predicted, spec.scheme, workload)
    return Line(
        part=part,
        workload=workload,
        measure=spec.measure,
        paper=paper,
        ours=best,
        spread=[min(each), max(each)],
        near=[min(near), max(near)],
        paper_worse=None if paper is None else worse(curve.get(paper)),
        predicted=statistics.fmean(predicted.values()) if predicted else None,
        chosen=table.mean(spec.chosen, spec.adaptive, workload),
        adaptive_worse=worse(table.mean(spec.measure, spec.adaptive, workload)),
    )
