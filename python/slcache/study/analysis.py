"""What a study shows: effects, front and spread of the metrics that it is judged by."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache.metrics import Goal, named
from slcache.once import twice
from slcache.study import cells, pareto, spread
from slcache.study.cells import Cells
from slcache.study.effects import Effect, Effects, main_effects
from slcache.study.outcome import Configuration, Outcome
from slcache.study.pareto import Front
from slcache.study.spread import Spread


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
    effects: Mapping[str, Effects]
    front: Front
    spreads: Mapping[str, Spread]

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        metrics: Sequence[str] = (),
        goals: Mapping[str, Goal] | None = None,
        kept: Callable[[Configuration], bool] = lambda _: True,
    ) -> Analysis:
        """Judge a study by metrics, by default those of a front that any point has.

        The front is that of `goals`, by default what the catalogue calls better of the metrics,
        among the configurations that are `kept`. Metrics that nobody asked for are in the front
        only if every configuration has them: a lifetime that short runs cannot tell would leave
        most of them out. ValueError for a metric that the table lacks, or
        that is given twice.
        """
        said = twice(metrics)
        if said is not None:
            raise ValueError(f"metric: {said}")
        asked = list(metrics) or [name for name in pareto.OBJECTIVES if outcome.with_metric(name)]
        for name in asked:
            named(name)
            if name not in outcome.metrics:
                raise ValueError(f"the study's table has no column {name}")
        judged = _goals(asked) if goals is None else goals
        whole = len(outcome.configurations)
        common = {n: goal for n, goal in judged.items() if len(outcome.with_metric(n)) == whole}
        if common and goals is None and not metrics:
            judged = common
        absent = [name for name in asked if goals is None and name not in judged]
        return cls(
            outcome,
            asked,
            {name: _effects(outcome, name) for name in asked},
            pareto.of_outcome(outcome, judged, kept, absent),
            {
                name: spread.of_metric(outcome.configurations, name, _goal(name, goals))
                for name in asked
            },
        )

    def map(self, metric: str) -> Map | None:
        """Return a metric over the two parameters that explain most of it; None for fewer.

        Where schemes are varied each has its own map.
        """
        by_scheme = "scheme" in self.outcome.factors
        found = [e.factor for e in self.effects[metric].effects if e.factor != "scheme"]
        if len(found) < 2:
            return None
        across, up = _wider_first(self.effects[metric].effects, found[:2])
        having = [
            c
            for c in self.outcome.with_metric(metric)
            if c.settings[across] is not None and c.settings[up] is not None
        ]
        if not having:
            return None
        panels = cells.over(
            [c.settings[across] for c in having],
            [c.settings[up] for c in having],
            [c.mean(metric) or 0.0 for c in having],
            [str(c.settings["scheme"]) for c in having] if by_scheme else None,
        )
        return Map(across, up, panels)

    def to_dict(self) -> dict[str, Any]:
        """Return what the study shows as plain data."""
        return {
            "points": dict(self.outcome.counts),
            "varied": list(self.outcome.factors),
            "fixed": dict(self.outcome.fixed),
            "left_out": [
                {"status": status, "reason": reason, "points": count}
                for status, reason, count in self.outcome.reasons()
            ],
            "metrics": {
                name: {
                    "points_without": self.outcome.missing(name),
                    "balanced": self.effects[name].balanced,
                    "share_of_no_parameter": self.effects[name].rest,
                    "effects": [_effect(each) for each in self.effects[name].effects],
                    "seeds": _spread(self.spreads[name]),
                }
                for name in self.metrics
            },
            "front": {
                "metrics": dict(zip(self.front.metrics, self.front.goals, strict=True)),
                "without": list(self.front.without),
                "configurations_left_out": self.front.left_out,
                "configurations_out_of_bounds": self.front.broken,
                "configurations": [
                    {
                        "settings": dict(one.settings),
                        "metrics": {name: one.mean(name) for name in self.front.metrics},
                    }
                    for one in self.front.best
                ],
            },
        }

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)


def _goal(metric: str, goals: Mapping[str, Goal] | None) -> Goal | None:
    return (goals or {}).get(metric, named(metric).goal)


def _goals(metrics: Sequence[str]) -> dict[str, Goal]:
    return {name: goal for name in metrics if (goal := named(name).goal) is not None}


def _effects(outcome: Outcome, metric: str) -> Effects:
    having = outcome.with_metric(metric)
    columns = {name: [c.settings[name] for c in having] for name in outcome.factors}
    return main_effects(columns, [c.mean(metric) or 0.0 for c in having])


def _wider_first(effects: Sequence[Effect], pair: Sequence[str]) -> tuple[str, str]:
    """Return two parameters, the one with more levels first: pages are wider than high."""
    counts = {effect.factor: len(effect.levels) for effect in effects}
    first, second = sorted(pair, key=lambda name: -counts[name])
    return first, second


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "parameter": effect.factor,
        "share_of_variance": effect.share,
        "told_apart": effect.apart,
        "means": effect.means,
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
