"""What a study shows, as plain data for a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slcache.study import pairs
from slcache.study.across import Across
from slcache.study.effects import Effect
from slcache.study.pareto import Front
from slcache.study.spread import Spread


def across(found: Across) -> dict[str, Any]:
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


def effect(effect: Effect) -> dict[str, Any]:
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


def seeds(found: Mapping[str, Spread]) -> dict[str, Any]:
    """Return the spread of each metric over the seeds."""
    return {name: _spread(each) for name, each in found.items()}


def front(found: Front) -> dict[str, Any]:
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
        "level": pairs.LEVEL,
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
