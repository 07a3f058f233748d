"""Where a setting is best, and a learned scheme beside the best constant of its knobs."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slcache.documents import normalise
from slcache.reproduce.parts import GridName, PartName, SchemeName, TraceName, Yardstick
from slcache.reproduce.points import Table

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


#: What is said of learning against the best constant.
BEATS, TIES, LOSES = "beats", "as good as", "below"


@dataclass(frozen=True)
class Learned:
    """One trace; all figures are of the yardstick's measure, where more is better."""

    workload: str
    learned: float
    #: Lowest and highest over the seeds.
    spread: list[float]
    random: float | None
    best: float
    best_is: str
    worst: float
    #: Part of the way from the worst to the best constant; above 1 where it is better than both.
    share: float | None
    random_share: float | None
    verdict: str


def learned(spec: Yardstick, tables: Mapping[str, Table]) -> list[Learned]:
    """Return a line for every trace that has the figures."""
    table = tables[spec.part]
    return [line for name in table.workloads if (line := _learned(spec, table, name)) is not None]


def sentence(lines: list[Learned]) -> str:
    """Say plainly whether learning beats the best constant."""
    count = {v: [x.workload for x in lines if x.verdict == v] for v in (BEATS, TIES, LOSES)}
    shares = [line.share for line in lines if line.share is not None]
    mean = ""
    if shares:
        mean = f" On average it goes {100 * statistics.fmean(shares):.0f} % of the way"
        mean += " from the worst constant to the best."
    told = [f"{len(names)} {v} it ({', '.join(names)})" for v, names in count.items() if names]
    return f"Learning against the best constant, {len(lines)} traces: {'; '.join(told)}.{mean}"


def _learned(spec: Yardstick, table: Table, workload: str) -> Learned | None:
    learned = table.values(spec.measure, spec.scheme, workload)
    best = table.mean(spec.measure, spec.best, workload)
    worst = table.mean(spec.measure, spec.worst, workload)
    random = table.mean(spec.measure, spec.random, workload)
    if not learned or best is None or worst is None:
        return None
    mean = statistics.fmean(learned)

    def share(figure: float | None) -> float | None:
        apart = figure is not None and not normalise.equal(best, worst)
        return (figure - worst) / (best - worst) if figure is not None and apart else None

    verdict = TIES if normalise.equal(mean, best) else BEATS if mean > best else LOSES
    document = table.documents[workload, spec.best, table.seeds[0]]
    return Learned(
        workload=workload,
        learned=mean,
        spread=[min(learned), max(learned)],
        random=random,
        best=best,
        best_is=document["picked"],
        worst=worst,
        share=share(mean),
        random_share=share(random),
        verdict=verdict,
    )
