"""Where a setting is best, and a learned scheme beside the best constant of its knobs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from annotated_types import Len
from pydantic import Field
from typing_extensions import TypedDict

from slcache.documents import figures
from slcache.documents.model import shape
from slcache.reproduce.parts import (
    GridName,
    MeasureName,
    PartName,
    SchemeName,
    TraceName,
    Yardstick,
)
from slcache.reproduce.points import Table

K = TypeVar("K")
#: Lowest and highest.
Range = Annotated[list[float], Len(2, 2)]
#: Settings whose figure is at most this part away from the best one's are as good for a user.
NEAR = 0.05
#: What is said of learning against the best constant.
BEATS, TIES, LOSES = "beats", "as good as", "below"


@dataclass(frozen=True)
class Optima:
    """A grid whose best setting is shown beside what the paper and the model say it is."""

    parts: list[PartName]
    #: The grid.
    scheme: GridName
    measure: MeasureName
    #: "least" or "most".
    which: str
    #: The scheme that chooses the setting while it runs.
    adaptive: SchemeName
    #: Its measures: the setting it had on average, and what its model found best in the end.
    chosen: MeasureName
    predicted: MeasureName
    #: The paper's best setting by part and workload.
    paper: dict[PartName, dict[TraceName, float]] = field(default_factory=dict)


@shape
class Optimum(TypedDict):
    """Where a setting is best on a trace of a part."""

    part: str
    workload: str
    measure: str
    paper: float | None
    """The paper's best setting."""
    ours: float
    spread: Range
    """The lowest and highest of the seeds' own."""
    near: Range
    """Settings at most 5 % worse."""
    paper_worse: float | None
    """How much worse the paper's setting is than ours, as a part of ours."""
    predicted: float | None
    """The model's optimum, on average."""
    chosen: float | None
    """The setting that the adaptive scheme had on average."""
    adaptive_worse: float | None


@shape
class Learned(TypedDict):
    """A learned scheme beside the best constant setting on a trace."""

    workload: str
    learned: float
    spread: Range
    random: float | None
    best: float
    best_is: str
    worst: float
    share: float | None
    """Part of the way from the worst to the best constant, where these are apart; above 1 learning
    is better than both."""
    random_share: float | None
    verdict: Annotated[str, Field(json_schema_extra={"enum": [BEATS, TIES, LOSES]})]


def optimum(curve: Mapping[K, float], which: str) -> K:
    """Return the setting, or name, with the least or the most of a measure, the first of equals."""
    order = max if which == "most" else min
    return order(curve, key=lambda at: curve[at])


def study(specs: Sequence[Optima], tables: Mapping[str, Table]) -> list[Optimum]:
    """Return a row for every part and trace that has the figures."""
    every = (
        (spec, part, name)
        for spec in specs
        for part in spec.parts
        for name in tables[part].workloads
    )
    return [row for spec, part, name in every for row in _optimum(spec, part, tables[part], name)]


def _optimum(spec: Optima, part: str, table: Table, workload: str) -> Iterator[Optimum]:
    curve = table.curve(spec.measure, spec.scheme, workload)
    if not curve:
        return
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
    yield {
        "part": part,
        "workload": workload,
        "measure": spec.measure,
        "paper": paper,
        "ours": best,
        "spread": [min(each), max(each)],
        "near": [min(near), max(near)],
        "paper_worse": None if paper is None else worse(curve.get(paper)),
        "predicted": statistics.fmean(predicted.values()) if predicted else None,
        "chosen": table.mean(spec.chosen, spec.adaptive, workload),
        "adaptive_worse": worse(table.mean(spec.measure, spec.adaptive, workload)),
    }


def learned(spec: Yardstick | None, tables: Mapping[str, Table]) -> list[Learned]:
    """Return a row for every trace that has the figures, all of the yardstick's measure."""
    if spec is None:
        return []
    table = tables[spec.part]
    return [row for name in table.workloads for row in _learned(spec, table, name)]


def _learned(spec: Yardstick, table: Table, workload: str) -> Iterator[Learned]:
    learned = table.values(spec.measure, spec.scheme, workload)
    best, worst, random = (
        table.mean(spec.measure, scheme, workload)
        for scheme in (spec.best, spec.worst, spec.random)
    )
    if not learned or best is None or worst is None:
        return
    mean = statistics.fmean(learned)

    def share(figure: float | None) -> float | None:
        apart = figure is not None and not figures.equal(best, worst)
        return (figure - worst) / (best - worst) if figure is not None and apart else None

    yield {
        "workload": workload,
        "learned": mean,
        "spread": [min(learned), max(learned)],
        "random": random,
        "best": best,
        "best_is": table.documents[workload, spec.best, table.seeds[0]]["picked"],
        "worst": worst,
        "share": share(mean),
        "random_share": share(random),
        "verdict": TIES if figures.equal(mean, best) else BEATS if mean > best else LOSES,
    }


def sentence(rows: Sequence[Learned]) -> str:
    """Say plainly whether learning beats the best constant."""
    count = {v: [r["workload"] for r in rows if r["verdict"] == v] for v in (BEATS, TIES, LOSES)}
    shares = [row["share"] for row in rows if row["share"] is not None]
    mean = ""
    if shares:
        mean = f" On average it goes {100 * statistics.fmean(shares):.0f} % of the way"
        mean += " from the worst constant to the best."
    told = [f"{len(names)} {v} it ({', '.join(names)})" for v, names in count.items() if names]
    return f"Learning against the best constant, {len(rows)} traces: {'; '.join(told)}.{mean}"
