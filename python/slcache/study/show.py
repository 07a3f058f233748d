"""A study's tables for the terminal and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slcache.study import wording
from slcache.study.analysis import Analysis
from slcache.study.judged import Judged
from slcache.study.levels import is_numeric
from slcache.study.outcome import TRACE, Outcome
from slcache.words import units

#: A table has so many rows at most; the rest is told by number.
MOST = 60
_VALUES = 12

Rows = list[list[str]]


def varied(outcome: Outcome) -> list[tuple[str, str]]:
    """Return each parameter that was varied with its values, or how many and which range."""
    return [(name, _values(outcome, name)) for name in outcome.factors]


def _values(outcome: Outcome, name: str) -> str:
    values = {row[name] for row in outcome.rows} - {None}
    numeric = is_numeric(values)
    listed = sorted(values) if numeric else sorted(values, key=str)
    if len(listed) <= _VALUES:
        return ", ".join(map(wording.setting, listed))
    if not numeric:
        return f"{len(listed):,} values"
    return f"{len(listed):,} values, {wording.level(listed[0], listed[-1])}"


def effects(analysis: Analysis, short: Mapping[str, str]) -> Rows:
    """Return a row for each level of each parameter: name, points, and each metric's mean."""
    rows: dict[tuple[str, str], list[str]] = {}
    counts: dict[tuple[str, str], int] = {}
    for i, metric in enumerate(analysis.metrics):
        for effect in analysis.effects[metric]:
            for level in effect.levels:
                at = (effect.factor, wording.level(level.low, level.high))
                cells = rows.setdefault(at, ["–"] * len(analysis.metrics))
                cells[i] = wording.figure(metric, level.mean)
                counts[at] = max(counts.get(at, 0), level.count)
    order = {name: i for i, name in enumerate(analysis.outcome.factors)}
    return [
        [f"{short[factor]} = {level}", f"{counts[factor, level]:,}", *cells]
        for (factor, level), cells in sorted(rows.items(), key=lambda each: order[each[0][0]])
    ]


def points(analysis: Analysis) -> Rows:
    """Return a row for each configuration, the best first: its settings, then its metrics."""
    return [
        [
            *(wording.setting(one.settings[name]) for name in analysis.outcome.factors),
            *(wording.figure(metric, one.mean(metric)) for metric in analysis.metrics),
        ]
        for one in analysis.ranked
    ]


def front(judged: Judged) -> Rows:
    """Return a row for each configuration on the front: its settings, then its metrics."""
    found = judged.front
    return [
        [
            *(wording.setting(one.settings[name]) for name in judged.outcome.factors),
            *(wording.figure(metric, one.mean(metric)) for metric in found.metrics),
        ]
        for one in found.best
    ]


def across(analysis: Analysis) -> Rows:
    """Return a row for each configuration whose worst factor over the traces is the least.

    It says in which metrics that is, then its settings, then its worst factors.
    """
    found = analysis.across
    factors = [name for name in analysis.outcome.factors if name != TRACE]
    return [
        [
            _nearest_in(names, found.metrics, whole=number == 0),
            *(wording.setting(one.settings[name]) for name in factors),
            *(units.factor(one.worst[name].factor) for name in found.metrics),
        ]
        for number, (one, names) in enumerate(found.least)
    ]


def _nearest_in(names: Sequence[str], metrics: Sequence[str], *, whole: bool) -> str:
    if len(names) == len(metrics) > 1:
        return "all, and each of them"
    return ", ".join((["all"] if whole and len(metrics) > 1 else []) + list(names))


def across_columns(analysis: Analysis, short: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the titles of the columns of `across` behind the first: settings, and metrics."""
    factors = [short[name] for name in analysis.outcome.factors if name != TRACE]
    return factors, list(analysis.across.metrics)


def seeds(judged: Judged, short: Mapping[str, str]) -> Rows:
    """Return a row for each configuration with several seeds: its means with intervals."""
    rows = []
    for one in judged.outcome.configurations:
        if len(one.seeds) < 2:
            continue
        cells = []
        for metric, spread in judged.spreads.items():
            place = _place(spread.configurations, one)
            if place is None:
                cells.append("–")
            else:
                found = spread.estimates[place]
                cells.append(wording.interval(metric, found.mean, found.half))
        rows.append([wording.configuration(one, short), f"{len(one.seeds):,}", *cells])
    return rows


def _place(among: Sequence[object], one: object) -> int | None:
    return next((i for i, each in enumerate(among) if each is one), None)
