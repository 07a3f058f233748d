"""Made-up tables of studies, of which it is known what they show."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from slcache.study import show
from slcache.study.analysis import Analysis
from slcache.study.outcome import Outcome
from slcache.tables.table import plain

Metrics = Mapping[str, float | None]


def row(settings: Mapping[str, Any], figures: Metrics, **others: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return one point of a study."""
    inputs = {"trace": "t.csv", "device": "tiny", "scheme": "baseline", "seed": 1}
    status = {"key": "k", "status": "done", "reason": None}
    return {**inputs, **status, **settings, **figures, **others}


def table_of(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return a study's table of points."""
    return pl.DataFrame(rows, infer_schema_length=None)


def grid(
    levels: Mapping[str, Sequence[Any]], metric: Callable[..., Metrics], seeds: Sequence[int] = (1,)
) -> pl.DataFrame:
    """Return the table of all combinations of levels; `metric` takes one, and a seed."""
    rows = []
    for values in itertools.product(*levels.values()):
        settings = dict(zip(levels, values, strict=True))
        rows += [row(settings, metric(*values, seed), seed=seed) for seed in seeds]
    return table_of(rows)


def analysis(table: pl.DataFrame | Sequence[Mapping[str, Any]], *metrics: str) -> Analysis:
    """Return what a table, or its rows, shows of some metrics."""
    whole = table if isinstance(table, pl.DataFrame) else table_of(table)
    return Analysis.of(Outcome.of(whole), metrics)


def printed(study: Analysis) -> str:
    """Return what a terminal shows of a study, on one line."""
    return " ".join(plain(*show.parts(study)).split())
