"""A study on the terminal: counts, main effects, the front and what seeds say of it."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from slcache.study import sentences, show, wording
from slcache.study.analysis import Analysis
from slcache.study.judged import Judged
from slcache.tables.tabular import Column, Table

#: So many of the best points, and of loads, are shown; --format csv has all.
_POINTS, _LOADS = 20, 20


def parts(analysis: Analysis) -> list[RenderableType]:
    """Return what is printed of a study, from the first line to the last."""
    outcome = analysis.outcome
    short = wording.short_names(outcome.factors)
    told = [Text(outcome.state)] if outcome.state else []
    found: list[RenderableType] = [*told, Text(sentences.points(outcome), "bold")]
    found += [
        Text(f"{count:,} {status}: {reason}", "yellow")
        for status, reason, count in outcome.reasons()
    ]
    found += [Text(line, "yellow") for line in sentences.missing(analysis)]
    if outcome.factors and outcome.configurations:
        found += [_points(analysis, short), *_effects(analysis, short)]
    names = wording.files([each.trace for each in analysis.judged if each.trace is not None])
    for judged in analysis.judged[:_LOADS]:
        if judged.trace is not None:
            found.append(Text(f"On {names[judged.trace]}:", "bold"))
        found += _judged(judged, short)
    if (more := len(analysis.judged) - _LOADS) > 0:
        found.append(Text(f"{more:,} more {analysis.each_load}s: --format csv has their fronts"))
    found += [Text(line) for line in sentences.seeds_meant(analysis)]
    return found + (_across(analysis, short) if len(analysis.judged) > 1 else [])


def _across(analysis: Analysis, short: dict[str, str]) -> list[RenderableType]:
    """Return which configurations are good under all loads."""
    settings, metrics = show.across_columns(analysis, short)
    table = Table("nearest to the best", [*(Column(s, text=True) for s in settings), *metrics])
    for row in show.across(analysis):
        table.add(*row)
    lines = [Text(line) for line in sentences.across(analysis, short)]
    if not lines:
        return []
    title = Text(f"On all {analysis.each_load}s:", "bold")
    return [title, *([table] if table.rows else []), *lines]


def _judged(judged: Judged, short: dict[str, str]) -> list[RenderableType]:
    """Return what is best under a load."""
    lines = [*sentences.front(judged.front), *sentences.seeds(judged, short)]
    table = [_front(judged, short)] if judged.front.places else []
    return [*table, *(Text(line) for line in lines)]


def _points(analysis: Analysis, short: dict[str, str]) -> Table:
    """Return the configurations, the best in the first metric first."""
    titles = [Column(short[name], text=True) for name in analysis.outcome.factors]
    best = analysis.metrics[0] if analysis.metrics else "points"
    table = Table(f"by {best}", [*titles, *analysis.metrics])
    rows = show.points(analysis)
    for number, row in enumerate(rows[:_POINTS], 1):
        table.add(f"{number}", *row)
    if len(rows) > _POINTS:
        table.add(f"{len(rows) - _POINTS} more")
    return table


def _effects(analysis: Analysis, short: dict[str, str]) -> list[RenderableType]:
    rows = show.effects(analysis, short)
    table = Table("main effects", ["points", *analysis.metrics])
    for row in rows[: show.MOST]:
        table.add(*row)
    if len(rows) > show.MOST:
        table.add(f"{len(rows) - show.MOST} more levels: see the report")
    return [table, *(Text(line) for line in sentences.means(analysis, short))]


def _front(judged: Judged, short: dict[str, str]) -> Table:
    titles = [Column(short[name], text=True) for name in judged.outcome.factors]
    table = Table("front", [*titles, *judged.front.metrics])
    rows = show.front(judged)
    for number, row in enumerate(rows[: show.MOST], 1):
        table.add(f"{number}", *row)
    if len(rows) > show.MOST:
        table.add(f"{len(rows) - show.MOST} more")
    return table
