"""A study on the terminal, and its tables for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from slcache.frame import UNITS
from slcache.study import show, wording
from slcache.study.analysis import Analysis
from slcache.study.fronts import Judged
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table

if TYPE_CHECKING:
    import polars as pl

    from slcache.study.analysis import Analysis

#: So many of the best points, and of loads, are shown; --format csv has all.
_POINTS, _LOADS = 20, 20


def parts(analysis: Analysis) -> list[RenderableType]:
    """Return what is printed of a study, from the first line to the last."""
    outcome = analysis.outcome
    short = wording.short_names(outcome.factors)
    told = [Text(outcome.state)] if outcome.state else []
    found: list[RenderableType] = [*told, Text(show.points(outcome), "bold")]
    found += [
        Text(f"{count:,} {status}: {reason}", "yellow")
        for status, reason, count in outcome.reasons()
    ]
    found += [Text(line, "yellow") for line in show.missing(analysis)]
    if outcome.factors and outcome.configurations:
        found += [_points(analysis, short), *_effects(analysis, short)]
    names = wording.files([each.trace for each in analysis.judged if each.trace is not None])
    for judged in analysis.judged[:_LOADS]:
        if judged.trace is not None:
            found.append(Text(f"On {names[judged.trace]}:", "bold"))
        found += _judged(judged, short)
    if (more := len(analysis.judged) - _LOADS) > 0:
        found.append(Text(f"{more:,} more {analysis.each_load}s: --format csv has their fronts"))
    found += [Text(line) for line in show.seeds_meant(analysis)]
    return found + (_across(analysis, short) if len(analysis.judged) > 1 else [])


def _across(analysis: Analysis, short: dict[str, str]) -> list[RenderableType]:
    """Return which configurations are good under all loads."""
    settings, metrics = show.across_columns(analysis, short)
    table = Table("nearest to the best", [*(Column(s, text=True) for s in settings), *metrics])
    for row in show.across_rows(analysis):
        table.add(*row)
    lines = [Text(line) for line in show.across(analysis, short)]
    if not lines:
        return []
    title = Text(f"On all {analysis.each_load}s:", "bold")
    return [title, *([table] if table.rows else []), *lines]


def _judged(judged: Judged, short: dict[str, str]) -> list[RenderableType]:
    """Return what is best under a load."""
    lines = [*show.front(judged.front), *show.seeds(judged, short)]
    table = [_front(judged, short)] if judged.front.places else []
    return [*table, *(Text(line) for line in lines)]


def _points(analysis: Analysis, short: dict[str, str]) -> Table:
    """Return the configurations, the best in the first metric first."""
    titles = [Column(short[name], text=True) for name in analysis.outcome.factors]
    best = analysis.metrics[0] if analysis.metrics else "points"
    table = Table(f"by {best}", [*titles, *analysis.metrics])
    rows = show.point_rows(analysis)
    for number, row in enumerate(rows[:_POINTS], 1):
        table.add(f"{number}", *row)
    if len(rows) > _POINTS:
        table.add(f"{len(rows) - _POINTS} more")
    return table


def _effects(analysis: Analysis, short: dict[str, str]) -> list[RenderableType]:
    rows = show.effect_rows(analysis, short)
    table = Table("main effects", ["points", *analysis.metrics])
    for row in rows[: show.MOST]:
        table.add(*row)
    if len(rows) > show.MOST:
        table.add(f"{len(rows) - show.MOST} more levels: see the report")
    return [table, *(Text(line) for line in show.means(analysis, short))]


def _front(judged: Judged, short: dict[str, str]) -> Table:
    titles = [Column(short[name], text=True) for name in judged.outcome.factors]
    table = Table("front", [*titles, *judged.front.metrics])
    rows = show.front_rows(judged)
    for number, row in enumerate(rows[: show.MOST], 1):
        table.add(f"{number}", *row)
    if len(rows) > show.MOST:
        table.add(f"{len(rows) - show.MOST} more")
    return table


def of_points(table: pl.DataFrame) -> Sheet:
    """Return a study's points, a row for each."""
    return Sheet(table.to_dicts(), UNITS)


def of_analysis(analysis: Analysis) -> list[Sheet]:
    """Return the points, main effects, the front and what is good under all loads, if any."""
    sheets = [
        _points_sheet(analysis),
        Sheet(analysis.levels, UNITS),
        _front_sheet(analysis),
        _across_sheet(analysis),
    ]
    return [sheet for sheet in sheets if sheet.records]


def _points_sheet(analysis: Analysis) -> Sheet:
    """Return a row for each configuration, the best in the first metric first."""
    rows: list[Mapping[str, Any]] = [
        {"place": place, **one.settings, **{name: one.mean(name) for name in analysis.metrics}}
        for place, one in enumerate(analysis.ranked, 1)
    ]
    return Sheet(rows, UNITS)


def _front_sheet(analysis: Analysis) -> Sheet:
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


def _across_sheet(analysis: Analysis) -> Sheet:
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
