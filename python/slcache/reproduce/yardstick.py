"""A learned scheme beside the best constant settings of its own knobs, the worst, and chance."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from slcache.documents import normalise
from slcache.reproduce.table import Table
from slcache.reproduce.variants import Yardstick

#: What is said of learning against the best constant.
BEATS, TIES, LOSES = "beats", "as good as", "below"


@dataclass(frozen=True)
class Line:
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


def study(spec: Yardstick, tables: Mapping[str, Table]) -> list[Line]:
    """Return a line for every trace that has the figures."""
    table = tables[spec.part]
    return [line for name in table.workloads if (line := _line(spec, table, name)) is not None]


def sentence(lines: list[Line]) -> str:
    """Say plainly whether learning beats the best constant."""
    count = {v: [x.workload for x in lines if x.verdict == v] for v in (BEATS, TIES, LOSES)}
    shares = [line.share for line in lines if line.share is not None]
    mean = ""
    if shares:
        mean = f" On average it goes {100 * statistics.fmean(shares):.0f} % of the way"
        mean += " from the worst constant to the best."
    told = [f"{len(names)} {v} it ({', '.join(names)})" for v, names in count.items() if names]
    return f"Learning against the best constant, {len(lines)} traces: {'; '.join(told)}.{mean}"


def _line(spec: Yardstick, table: Table, workload: str) -> Line | None:
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
    return Line(
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
