"""Tables of studies for other programs, with all digits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slcache.frame import UNITS
from slcache.tables.sheets import Sheet

if TYPE_CHECKING:
    import polars as pl

    from slcache.study.analysis import Analysis


def of_points(table: pl.DataFrame) -> Sheet:
    """Return a study's points, a row for each."""
    return Sheet(table.to_dicts(), UNITS)


def of_analysis(analysis: Analysis) -> list[Sheet]:
    """Return the points, main effects, the front and what is good under all loads, if any."""
    sheets = [_points(analysis), Sheet(analysis.levels, UNITS), _front(analysis), _across(analysis)]
    return [sheet for sheet in sheets if sheet.records]


def _points(analysis: Analysis) -> Sheet:
    """Return a row for each configuration, the best in the first metric first."""
    rows: list[Mapping[str, Any]] = [
        {"place": place, **one.settings, **{name: one.mean(name) for name in analysis.metrics}}
        for place, one in enumerate(analysis.ranked, 1)
    ]
    return Sheet(rows, UNITS)


def _front(analysis: Analysis) -> Sheet:
    """Return the configurations to which no other is at least as good in all metrics.

    Where there are several loads a row names its own.
    """
    rows: list[Mapping[str, Any]] = [
        {
            "front": number,
            **judged.load,
            **one.settings,
            **{name: one.mean(name) for name in judged.front.metrics},
        }
        for judged in analysis.judged
        for number, one in enumerate(judged.front.best, 1)
    ]
    return Sheet(rows, UNITS)


def _across(analysis: Analysis) -> Sheet:
    """Return a row for each configuration: its worst factor over the loads, and under which."""
    if len(analysis.judged) == 1:
        return Sheet([])
    rows: list[Mapping[str, Any]] = [
        {
            f"over all {analysis.each_load}s": number,
            **one.settings,
            **{f"{name} worst factor": worst.factor for name, worst in one.worst.items()},
            **{f"{name} worst on": worst.trace for name, worst in one.worst.items()},
        }
        for number, one in enumerate(analysis.across.configurations, 1)
    ]
    return Sheet(rows, UNITS)
