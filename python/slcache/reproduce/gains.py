"""How far the schemes of an evaluation are from the least that they could program dense."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from slcache import ConfigError
from slcache.documents import gains
from slcache.execute.engine import Engine
from slcache.execute.run import Run, beside
from slcache.reproduce.inputs import Job
from slcache.reproduce.parts import Part
from slcache.tables.tabular import Table
from slcache.words import units

#: What has the bound of all runs counted.
SETTINGS = {"run.bound": True}


@dataclass(frozen=True)
class Line:
    """One scheme on one trace: means over the seeds, None where no seed has any."""

    part: str
    workload: str
    scheme: str
    #: Dense programs over the least.
    above: float | None
    #: Share of what could be gained over the same run without a cache.
    share: float | None
    #: Why no bound holds.
    why: str | None


def of_jobs(
    jobs: Sequence[tuple[Part, Job]], results: Sequence[Mapping[str, Any]], engine: Engine
) -> list[Line]:
    """Return the lines of runs whose bound was counted; runs each without a cache too."""
    others = [_beside(job.run) for _, job in jobs]
    found = iter(engine.results([run for run in others if run is not None]))
    beside = [None if run is None else next(found) for run in others]
    told: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for (part, job), document, other in zip(jobs, results, beside, strict=True):
        own = told.setdefault((part.name, job.input.name, job.name), [])
        own.append(gains.told_of(document, other))
    return [
        Line(*key, _mean(each, "above"), _mean(each, "share"), each[0].get("why"))
        for key, each in told.items()
    ]


def _beside(run: Run) -> Run | None:
    """Return the run without a cache; None for what has none, and where the device needs one."""
    other = beside(run)
    with suppress(ConfigError):
        return other if other.config and other.scheme != run.scheme else None
    return None


def _mean(told: Iterable[Mapping[str, Any]], name: str) -> float | None:
    known = [each[name] for each in told if each.get(name) is not None]
    return statistics.fmean(known) if known else None


def cells(line: Line) -> list[str]:
    """Return a line's figures as text."""
    share = "–" if line.share is None else units.percent(line.share)
    return ["–" if line.above is None else f"{line.above:.2f}", share, line.why or ""]


def table(lines: Sequence[Line]) -> Table:
    """Return the shares by scheme, over the traces."""
    found = Table("scheme", ["part", "traces", "least share", "mean", "largest"], boxed=False)
    shares: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        if line.share is not None:
            shares.setdefault((line.part, line.scheme), []).append(line.share)
    for (part, scheme), each in shares.items():
        ends = (min(each), statistics.fmean(each), max(each))
        found.add(scheme, part, str(len(each)), *map(units.percent, ends))
    return found
