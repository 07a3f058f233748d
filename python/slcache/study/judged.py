"""What is best on one trace: its front, and how far seeds spread its metrics.

A user chooses a configuration and not the workload: a point on an easy trace is no better than
one on a hard trace. So where there are several traces, each has a front and a best of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from slcache.metrics import Goal, named
from slcache.study import pareto, spread
from slcache.study.outcome import Configuration, Outcome
from slcache.study.pareto import Front
from slcache.study.spread import Spread


@dataclass(frozen=True)
class Judged:
    """The points of a trace, the front of their configurations and the spread of each metric."""

    #: None where the study has one trace.
    trace: str | None
    outcome: Outcome
    front: Front
    spreads: Mapping[str, Spread]


def of_trace(
    trace: str | None,
    outcome: Outcome,
    metrics: Sequence[str],
    goals: Mapping[str, Goal] | None,
    kept: Callable[[Configuration], bool],
    *,
    asked: bool,
) -> Judged:
    """Judge the points of one trace by metrics.

    The front is that of `goals`, by default what the catalogue calls better. Metrics that nobody
    `asked` for are in it only if every configuration has them.
    """
    known = {name: goal for name in metrics if (goal := named(name).goal) is not None}
    better = known if goals is None else goals
    judged = _common(outcome, better) if goals is None and not asked else better
    absent = [name for name in better if name not in judged]
    neutral = [name for name in metrics if goals is None and name not in better]
    front = pareto.of_outcome(outcome, judged, kept, absent=absent, neutral=neutral)
    ways = {**known, **(goals or {})}
    having, draws = outcome.configurations, outcome.has_draws
    spreads = {n: spread.of_metric(having, n, ways.get(n), draws=draws) for n in metrics}
    return Judged(trace, outcome, front, spreads)


def _common(outcome: Outcome, goals: Mapping[str, Goal]) -> Mapping[str, Goal]:
    """Return the goals that all configurations have, if there are any, or that none has."""
    having = {name: len(outcome.with_metric(name)) for name in goals}
    whole = len(outcome.configurations)
    if whole not in having.values():
        return goals
    return {name: goal for name, goal in goals.items() if having[name] in (0, whole)}
