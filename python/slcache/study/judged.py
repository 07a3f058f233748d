"""What is best under one load: its front, and how far seeds spread its metrics.

A user chooses a configuration and not the workload: a point on an easy trace is no better than
one on a hard trace, nor one at a short queue better than one at a long queue. So where there are
several loads, each has a front and a best of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from slcache.metrics import Goal, named
from slcache.study import pareto, spread, wording
from slcache.study.outcome import TRACE, Configuration, Outcome, Setting
from slcache.study.pareto import Front
from slcache.study.spread import Spread


@dataclass(frozen=True)
class Judged:
    """The points of a load, the front of their configurations and the spread of each metric."""

    #: The trace and other parameters that are the load; empty where the study has one.
    load: Mapping[str, Setting]
    outcome: Outcome
    front: Front
    spreads: Mapping[str, Spread]

    @property
    def trace(self) -> str | None:
        """The load in a line, a trace by its name; None where the study has one."""
        if not self.load:
            return None
        others = {name: value for name, value in self.load.items() if name != TRACE}
        said = wording.settings(others, wording.short_names(list(others))) if others else ""
        return ", ".join(filter(None, (str(self.load.get(TRACE, "")), said)))


def of_loads(
    outcome: Outcome,
    metrics: Sequence[str],
    goals: Mapping[str, Goal] | None,
    kept: Callable[[Configuration], bool],
    *,
    asked: bool,
) -> list[Judged]:
    """Judge the points of each load by metrics.

    The front is that of `goals`, by default what the catalogue calls better. Metrics that nobody
    `asked` for are in it only if every configuration has them. With goals a search chose all that
    it varied: the load as well. Loads of which most have a single configuration are told as one
    without a front, as there is nothing to choose.
    """
    parts = outcome.by_load() if goals is None else [({}, outcome)]
    if outcome.loads not in ([], [TRACE]) and 2 * len(parts) > len(outcome.configurations):
        spreads = {name: spread.of_metric(outcome.configurations, name, None) for name in metrics}
        return [Judged({}, outcome, pareto.none(outcome.loads), spreads)]
    return [_judged(load, own, metrics, goals, kept, asked=asked) for load, own in parts]


def _judged(
    load: Mapping[str, Setting],
    outcome: Outcome,
    metrics: Sequence[str],
    goals: Mapping[str, Goal] | None,
    kept: Callable[[Configuration], bool],
    *,
    asked: bool,
) -> Judged:
    known = {name: goal for name in metrics if (goal := named(name).goal) is not None}
    better = known if goals is None else goals
    judged = _common(outcome, better) if goals is None and not asked else better
    absent = [name for name in better if name not in judged]
    neutral = [name for name in metrics if goals is None and name not in better]
    front = pareto.of_outcome(outcome, judged, kept, absent=absent, neutral=neutral)
    ways = {**known, **(goals or {})}
    having, draws = outcome.configurations, outcome.has_draws
    spreads = {n: spread.of_metric(having, n, ways.get(n), draws=draws) for n in metrics}
    return Judged(load, outcome, front, spreads)


def _common(outcome: Outcome, goals: Mapping[str, Goal]) -> Mapping[str, Goal]:
    """Return the goals that all configurations have, if there are any, or that none has."""
    having = {name: len(outcome.with_metric(name)) for name in goals}
    whole = len(outcome.configurations)
    if whole not in having.values():
        return goals
    return {name: goal for name, goal in goals.items() if having[name] in (0, whole)}
