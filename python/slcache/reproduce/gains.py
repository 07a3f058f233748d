"""How far the schemes of an evaluation are from the least that they could program dense."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from typing_extensions import TypedDict

from slcache import units
from slcache.documents import figures
from slcache.documents.model import shape
from slcache.execute.engine import Engine
from slcache.execute.run import reference
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.points import Table as Points
from slcache.tables.table import Cells

#: What has the bound of all runs counted.
SETTINGS = {"run.bound": True}


@shape
class Row(TypedDict):
    """One scheme on one trace: means over the seeds; null where no seed has any."""

    part: str
    workload: str
    scheme: str
    above: float | None
    """Dense programs over the least."""
    share: float | None
    """Share of what could be gained over the same run without a cache."""
    why: str | None
    """Why no bound holds."""


def of(experiment: Experiment, tables: Mapping[str, Points], engine: Engine) -> list[Row]:
    """Return the rows of runs whose bound was counted; runs each without a cache too."""
    others = [reference(job.run) for job in experiment.jobs]
    found = iter(engine.results([run for run in others if run is not None]))
    told: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for job, other in zip(experiment.jobs, others, strict=True):
        part, trace = job.part.name, job.input.name
        document = tables[part].documents[trace, job.name, job.seed]
        own = told.setdefault((part, trace, job.name), [])
        own.append(figures.gain(document, None if other is None else next(found)))
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


def table(rows: Sequence[Row]) -> Cells:
    """Return the shares by scheme, over the traces."""
    shares: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["share"] is not None:
            shares.setdefault((row["part"], row["scheme"]), []).append(row["share"])
    found = (
        (scheme, part, str(len(of)), *map(units.percent, (min(of), statistics.fmean(of), max(of))))
        for (part, scheme), of in shares.items()
    )
    return Cells(["scheme", "part", "traces", "least share", "mean", "largest"], found)
