"""A study's tables for the terminal and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slcache.study import wording
from slcache.study.analysis import Analysis
from slcache.study.judged import Judged
from slcache.study.levels import is_numeric
from slcache.study.outcome import Configuration, Outcome, is_load
from slcache.study.spread import Estimate
from slcache.words import units

#: A table has so many rows at most; the rest is told by number.
MOST = 60
_VALUES = 12

Rows = list[list[str]]


def varied(outcome: Outcome) -> list[tuple[str, str]]:
    """Return each parameter that was varied with its values, or how many and which range."""
    return [(name, _values(outcome, name)) for name in outcome.factors]


def _values(outcome: Outcome, name: str) -> str:
    values = outcome.frame[name].drop_nulls().unique().to_list()
    numeric = is_numeric(values)
    listed = sorted(values) if numeric else sorted(values, key=str)
    if len(listed) <= _VALUES:
        return ", ".join(map(wording.setting, listed))
    if not numeric:
        return f"{len(listed):,} values"
    return f"{len(listed):,} values, {wording.level(listed[0], listed[-1])}"


def effects(analysis: Analysis, short: Mapping[str, str]) -> Rows:
    """Return a row for each level of each parameter: name, points, and each metric's mean."""
    return [
        [
            f"{short[row['parameter']]} = {wording.level(row['from'], row['to'])}",
            f"{row['points']:,}",
            *(wording.figure(metric, row.get(metric)) for metric in analysis.metrics),
        ]
        for row in analysis.levels
    ]


def points(analysis: Analysis) -> Rows:
    """Return a row for each configuration, the best first: its settings, then its metrics."""
    return _rows(analysis.ranked, analysis.metrics)


def front(judged: Judged) -> Rows:
    """Return a row for each configuration on the front: its settings, then its metrics."""
    return _rows(judged.front.best, judged.front.metrics)


def _rows(configurations: Sequence[Configuration], metrics: Sequence[str]) -> Rows:
    return [
        [
            *map(wording.setting, one.settings.values()),
            *(wording.figure(metric, one.mean(metric)) for metric in metrics),
        ]
        for one in configurations
    ]


def across(analysis: Analysis) -> Rows:
    """Return a row for each configuration whose worst factor over the loads is the least.

    It says in which metrics that is, then its settings, then its worst factors.
    """
    found = analysis.across
    factors = [name for name in analysis.outcome.factors if not is_load(name)]
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
    factors = [short[name] for name in analysis.outcome.factors if not is_load(name)]
    return factors, list(analysis.across.metrics)


def seeds(judged: Judged, short: Mapping[str, str]) -> Rows:
    """Return a row for each configuration with several seeds: its means with intervals."""
    known = {
        metric: dict(zip(map(id, spread.configurations), spread.estimates, strict=True))
        for metric, spread in judged.spreads.items()
    }
    return [
        [
            wording.configuration(one, short),
            f"{len(one.seeds):,}",
            *(_interval(metric, found.get(id(one))) for metric, found in known.items()),
        ]
        for one in judged.outcome.configurations
        if len(one.seeds) > 1
    ]


def _interval(metric: str, found: Estimate | None) -> str:
    return "–" if found is None else wording.interval(metric, found.mean, found.half)
