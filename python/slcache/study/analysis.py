"""What a study shows of the metrics that it is judged by, and as plain data for a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from slcache.documents import JsonDocument
from slcache.metrics import named
from slcache.options.content import duplicate
from slcache.study import effects, fronts, wording
from slcache.study.effects import Cells, Effect
from slcache.study.fronts import Across, Front, Goals, Judged
from slcache.study.outcome import DONE, TRACE, Configuration, Outcome

if TYPE_CHECKING:
    import polars as pl

    from slcache.study import document


class Map(NamedTuple):
    """A metric over two parameters, one map for each scheme or one for all."""

    across: str
    up: str
    panels: Mapping[str, Cells]


@dataclass(frozen=True, repr=False)
class Analysis(JsonDocument):
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
        goals: Goals | None = None,
        kept: Callable[[Configuration], bool] = lambda _: True,
    ) -> Analysis:
        """Judge a study by metrics, by default those of a front that any point has.

        The front of each load is that of `goals`, by default what the catalogue calls better of
        the metrics, among the configurations that are `kept`. Metrics that nobody asked for are in
        it only if every configuration has them: a lifetime that short runs cannot tell would leave
        most of them out. ValueError for a metric that the table lacks, or that is given twice.
        """
        metrics = [named(name).name for name in metrics]
        said = duplicate(metrics)
        if said is not None:
            raise ValueError(f"metric: {said}")
        asked = list(metrics) or [name for name in fronts.OBJECTIVES if outcome.with_metric(name)]
        for name in asked:
            if name not in outcome.metrics:
                raise ValueError(f"the study's table has no column {name}")
        of_each = {name: _effects(outcome, name) for name in asked}
        judged = fronts.of_loads(outcome, asked, goals, kept, asked=bool(metrics))
        return cls(outcome, asked, of_each, judged)

    def __repr__(self) -> str:
        return f"<slcache.Analysis by {', '.join(self.metrics)}>"

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

    @cached_property
    def short(self) -> Mapping[str, str]:
        """The short names of what was varied."""
        return wording.short_names(self.outcome.factors)

    @cached_property
    def names(self) -> Mapping[str | None, str]:
        """The short names of the loads."""
        files = wording.files([each.trace for each in self.judged if each.trace is not None])
        return {each.trace: files.get(each.trace or "", "") for each in self.judged}

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
    def ranked(self) -> pl.DataFrame:
        """The configurations as a frame, in the order and with the figures of the table shown."""
        import polars as pl

        rows = [
            {"place": place, **one.settings, **one.means(self.metrics)}
            for place, one in enumerate(self.configurations, 1)
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def configurations(self) -> list[Configuration]:
        """The configurations, the best in the first metric first; those without one are last."""
        if not self.metrics:
            return self.outcome.configurations
        first = self.metrics[0]
        sign = -1 if named(first).goal == "max" else 1

        def place(one: Configuration) -> tuple[bool, float]:
            mean = one.mean(first)
            return mean is None, sign * (mean or 0.0)

        return sorted(self.outcome.configurations, key=place)

    def map(self, metric: str) -> Map | None:
        """Return a metric over the two parameters whose means lie furthest apart; None for fewer.

        Where schemes are varied each has its own map. The trace, which cannot be chosen, is one of
        the two only beside a single other.
        """
        counts = {e.factor: len(e.levels) for e in self.effects[metric] if e.factor != "scheme"}
        found = sorted(counts, key=lambda name: name == TRACE)[:2]
        if len(found) < 2:
            return None
        # The one with more levels first: pages are wider than high.
        right, up = sorted(found, key=lambda name: -counts[name])
        having = [
            c
            for c in self.outcome.with_metric(metric)
            if c.settings[right] is not None and c.settings[up] is not None
        ]
        if not having:
            return None
        by_scheme = "scheme" in self.outcome.factors
        panels = effects.over(
            [c.settings[right] for c in having],
            [c.settings[up] for c in having],
            [c.mean(metric) or 0.0 for c in having],
            [str(c.settings["scheme"]) for c in having] if by_scheme else None,
        )
        return Map(right, up, panels)

    def to_dict(self) -> dict[str, Any]:
        """Return what the study shows as plain data."""
        shown: document.Shown = {
            "schema_version": 2,
            "points": dict(self.outcome.counts),
            "varied": list(self.outcome.factors),
            "fixed": dict(self.outcome.fixed),
            "left_out": [
                {"status": status, "reason": reason, "points": count}
                for status, reason, count in self.outcome.reasons()
                if status != DONE
            ],
            "configurations": [one.to_dict(self.metrics) for one in self.configurations],
            "metrics": {name: self._metric(name) for name in self.metrics},
        }
        if len(self.judged) == 1:
            alone: document.OfOneLoad = {**shown, "front": self.front.to_dict()}
            return {**alone}
        several: document.OfLoads = {
            **shown,
            "traces": [
                {
                    "trace": str(each.trace),
                    "load": dict(each.load),
                    "front": each.front.to_dict(),
                    "seeds": each.seeds(),
                }
                for each in self.judged
            ],
            "across_traces": self.across.to_dict(),
        }
        return {**several}

    def _metric(self, name: str) -> document.Metric:
        found: document.Metric = {
            "points_without": self.outcome.missing(name),
            "effects": [each.to_dict() for each in self.effects[name]],
        }
        alone = self.judged[0].spreads[name] if len(self.judged) == 1 else None
        return found if alone is None else {**found, "seeds": alone.to_dict()}


def _effects(outcome: Outcome, metric: str) -> list[Effect]:
    having = outcome.with_metric(metric)
    columns = {name: [c.settings[name] for c in having] for name in outcome.factors}
    return effects.main_effects(columns, [c.mean(metric) or 0.0 for c in having])
