"""What a study shows of the metrics that it is judged by, and as plain data for a document."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from slcache.given.once import twice
from slcache.metrics import Goal, named
from slcache.study import effects, fronts, spread
from slcache.study.effects import Cells, Effect, main_effects
from slcache.study.fronts import Across, Front, Judged
from slcache.study.outcome import TRACE, Configuration, Outcome
from slcache.study.spread import Spread


def _of_across(found: Across) -> dict[str, Any]:
    """Return how far configurations are from the best of each load at worst."""
    return {
        "metrics": list(found.metrics),
        "without": [*found.absent, *found.zero],
        "configurations_left_out": found.left_out,
        "configurations": [
            {
                "settings": dict(one.settings),
                "worst": {
                    name: {"factor": worst.factor, "trace": worst.trace}
                    for name, worst in one.worst.items()
                },
            }
            for one in found.configurations
        ],
    }


def _of_effect(effect: Effect) -> dict[str, Any]:
    """Return what a parameter does to a metric."""
    return {
        "parameter": effect.factor,
        "balanced": effect.balanced,
        "points_without": effect.absent,
        "levels": [
            {
                "from": level.low,
                "to": level.high,
                "points": level.count,
                "mean": level.mean,
                "least": level.spread[0],
                "first_quartile": level.spread[1],
                "third_quartile": level.spread[2],
                "greatest": level.spread[3],
            }
            for level in effect.levels
        ],
    }


def _of_seeds(found: Mapping[str, Spread]) -> dict[str, Any]:
    """Return the spread of each metric over the seeds."""
    return {name: _spread(each) for name, each in found.items()}


def _of_front(found: Front) -> dict[str, Any]:
    """Return a front, and what is not judged by it."""
    return {
        "metrics": dict(zip(found.metrics, found.goals, strict=True)),
        "without": list(found.without),
        "configurations_left_out": found.left_out,
        "configurations_out_of_bounds": found.broken,
        "configurations": [
            {
                "settings": dict(one.settings),
                "metrics": {name: one.mean(name) for name in found.metrics},
            }
            for one in found.best
        ],
    }


def _spread(found: Spread) -> dict[str, Any]:
    return {
        "level": spread.LEVEL,
        "best": found.best,
        "not_told_from_best": list(found.alike),
        "configurations": [
            {
                "settings": dict(one.settings),
                "mean": estimate.mean,
                "half_interval": estimate.half,
                "seeds": estimate.count,
            }
            for one, estimate in zip(found.configurations, found.estimates, strict=True)
        ],
    }


@dataclass(frozen=True)
class Map:
    """A metric over two parameters, one map for each scheme or one for all."""

    across: str
    up: str
    panels: Mapping[str, Cells]


@dataclass(frozen=True)
class Analysis:
    """A study's table and what it shows of some metrics."""

    outcome: Outcome
    metrics: Sequence[str]
    #: By metric, the parameter whose means lie furthest apart first.
    effects: Mapping[str, Sequence[Effect]]
    #: What is best under each load.
    judged: Sequence[Judged]

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        metrics: Sequence[str] = (),
        goals: Mapping[str, Goal] | None = None,
        kept: Callable[[Configuration], bool] = lambda _: True,
    ) -> Analysis:
        """Judge a study by metrics, by default those of a front that any point has.

        The front of each load is that of `goals`, by default what the catalogue calls better of
        the metrics, among the configurations that are `kept`. Metrics that nobody asked for are in
        it only if every configuration has them: a lifetime that short runs cannot tell would leave
        most of them out. ValueError for a metric that the table lacks, or that is given twice.
        """
        metrics = [named(name).name for name in metrics]
        said = twice(metrics)
        if said is not None:
            raise ValueError(f"metric: {said}")
        asked = list(metrics) or [name for name in fronts.OBJECTIVES if outcome.with_metric(name)]
        for name in asked:
            if name not in outcome.metrics:
                raise ValueError(f"the study's table has no column {name}")
        return cls(
            outcome,
            asked,
            {name: _effects(outcome, name) for name in asked},
            fronts.of_loads(outcome, asked, goals, kept, asked=bool(metrics)),
        )

    @property
    def front(self) -> Front:
        """The front of the only load; ValueError where each of several has its own."""
        if len(self.judged) > 1:
            told = f"a study of {len(self.judged)} {self.each_load}s, each with a front: `judged`"
            raise ValueError(told)
        return self.judged[0].front

    @cached_property
    def across(self) -> Across:
        """How far configurations are from the best of each load at worst."""
        return fronts.over_loads(self.judged)

    @property
    def each_load(self) -> str:
        """What each of the loads is, in a word."""
        return "trace" if self.outcome.loads in ([], [TRACE]) else "load"

    @property
    def levels(self) -> list[dict[str, Any]]:
        """A row for each level of each parameter: its points and each metric's mean there."""
        rows: dict[tuple[str, str, str], dict[str, Any]] = {}
        for metric in self.metrics:
            for effect in self.effects[metric]:
                for level in effect.levels:
                    where = {"parameter": effect.factor, "from": level.low, "to": level.high}
                    key = (effect.factor, repr(level.low), repr(level.high))
                    row = rows.setdefault(key, {**where, "points": 0})
                    row["points"] = max(row["points"], level.count)
                    row[metric] = level.mean
        order = {name: i for i, name in enumerate(self.outcome.factors)}
        return sorted(rows.values(), key=lambda row: order[row["parameter"]])

    @property
    def ranked(self) -> list[Configuration]:
        """The configurations, the best in the first metric first; those without one are last."""
        if not self.metrics:
            return self.outcome.configurations
        first = self.metrics[0]
        sign = -1 if named(first).goal == "max" else 1
        known = ((one, one.mean(first)) for one in self.outcome.configurations)
        return [
            one
            for one, _ in sorted(known, key=lambda each: (each[1] is None, sign * (each[1] or 0.0)))
        ]

    def map(self, metric: str) -> Map | None:
        """Return a metric over the two parameters whose means lie furthest apart; None for fewer.

        Where schemes are varied each has its own map. The trace, which cannot be chosen, is one of
        the two only beside a single other.
        """
        by_scheme = "scheme" in self.outcome.factors
        found = [e.factor for e in self.effects[metric] if e.factor != "scheme"]
        found.sort(key=lambda name: name == TRACE)
        if len(found) < 2:
            return None
        # The one with more levels first: pages are wider than high.
        counts = {effect.factor: len(effect.levels) for effect in self.effects[metric]}
        right, up = sorted(found[:2], key=lambda name: -counts[name])
        having = [
            c
            for c in self.outcome.with_metric(metric)
            if c.settings[right] is not None and c.settings[up] is not None
        ]
        if not having:
            return None
        panels = effects.over(
            [c.settings[right] for c in having],
            [c.settings[up] for c in having],
            [c.mean(metric) or 0.0 for c in having],
            [str(c.settings["scheme"]) for c in having] if by_scheme else None,
        )
        return Map(right, up, panels)

    def to_dict(self) -> dict[str, Any]:
        """Return what the study shows as plain data."""
        return {
            "schema_version": 2,
            "points": dict(self.outcome.counts),
            "varied": list(self.outcome.factors),
            "fixed": dict(self.outcome.fixed),
            "left_out": [
                {"status": status, "reason": reason, "points": count}
                for status, reason, count in self.outcome.reasons()
            ],
            "configurations": [
                {"settings": dict(one.settings), "metrics": {n: one.mean(n) for n in self.metrics}}
                for one in self.ranked
            ],
            "metrics": {name: self._metric(name) for name in self.metrics},
            **self._best(),
        }

    def _metric(self, name: str) -> dict[str, Any]:
        found = {
            "points_without": self.outcome.missing(name),
            "effects": [_of_effect(each) for each in self.effects[name]],
        }
        if len(self.judged) == 1:
            found |= {"seeds": _of_seeds(self.judged[0].spreads)[name]}
        return found

    def _best(self) -> dict[str, Any]:
        """Return the front; of several loads each one's, with its spread over the seeds."""
        if len(self.judged) == 1:
            return {"front": _of_front(self.front)}
        return {
            "traces": [
                {
                    "trace": each.trace,
                    "load": dict(each.load),
                    "front": _of_front(each.front),
                    "seeds": _of_seeds(each.spreads),
                }
                for each in self.judged
            ],
            "across_traces": _of_across(self.across),
        }

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)


def _effects(outcome: Outcome, metric: str) -> list[Effect]:
    having = outcome.with_metric(metric)
    columns = {name: [c.settings[name] for c in having] for name in outcome.factors}
    return main_effects(columns, [c.mean(metric) or 0.0 for c in having])
