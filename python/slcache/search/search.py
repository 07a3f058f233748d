"""The search: a sampler is asked for points in batches, and told of them in the order asked.

So what it suggests depends on the seed and on the batch, and not on how many workers there are or
which of them is faster. A search that is repeated asks for the same points; those that were run
before are found in the store.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from slcache.errors import RunError
from slcache.metrics import absence
from slcache.search import samplers
from slcache.search.goals import Bound, Figures, Goals
from slcache.search.known import Known
from slcache.search.space import Settings, Space
from slcache.sweep.axes import Value

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import Trial

Status = Literal["done", "failed", "impossible", "stopped"]
#: Points that are asked for at a time. Not how many workers there are, on which results would then
#: depend.
BATCH = 8
#: After so many suggestions in a row that are known, a point is drawn by chance.
_PATIENCE = 10
_WHOLE = Fraction(1)


@dataclass(frozen=True)
class Found:
    """What became of one point, run over the trace or its beginning."""

    status: Status
    reason: str | None = None
    #: Means over the seeds, by metric; empty where it was not run.
    figures: Figures = field(default_factory=dict)


@dataclass(frozen=True)
class Tried:
    """A point that was tried."""

    settings: Settings
    found: Found
    #: What was seen over the beginnings of the trace: the share of it and the metric there.
    prefixes: Sequence[tuple[Fraction, float | None]] = ()

    def within(self, bounds: Sequence[Bound]) -> float:
        """Return by what share the bound that is nearest is kept; below 0 where it is broken."""
        if self.found.status != "done":
            return -float("inf")
        return -max(bound.broken(self.found.figures) for bound in bounds)


def check_figures(metrics: Iterable[str], done: Sequence[Found], which: str = "") -> None:
    """Raise RunError where no run has a metric that is searched by."""
    for name in metrics:
        if all(found.figures[name] is None for found in done):
            raise RunError(
                f"{name}: none of the {which}{len(done)} runs has it, so there is nothing to "
                f"search by; {absence(name)}"
            )


#: Runs points over this share of the trace, and returns what became of each.
Evaluate = Callable[[Sequence[Settings], Fraction], Sequence[Found]]


@dataclass(frozen=True)
class Plan:
    """How the search goes."""

    space: Space
    goals: Goals
    #: Who suggests points; None where bisection does.
    sampler: samplers.Name | None
    seed: int = 1
    #: Most points that are tried; None where only time ends the search.
    points: int | None = None
    #: Shares of the trace that points are run over before all of it, smallest first.
    prefixes: Sequence[Fraction] = ()


class Search:
    """One search by a sampler, from its first point to its last."""

    def __init__(self, plan: Plan, evaluate: Evaluate) -> None:
        self.plan, self._evaluate = plan, evaluate
        self._rng = random.Random(plan.seed)
        self._known = Known(plan.space)
        #: The points tried so far, in the order asked.
        self.tried: list[Tried] = []
        self._worst: list[float] | None = None
        with samplers.quiet():
            self._study = _study(plan)

    @property
    def most(self) -> int:
        """How many points are tried at most; 0 where only time ends the search."""
        return self.plan.points or 0

    def run(self, more: Callable[[int], bool]) -> list[Tried]:
        """Search until `more`, which is told how many points were tried, says no."""
        with samplers.quiet():
            while more(len(self.tried)):
                batch = self._asked()
                if not batch:
                    break
                self._settle(batch)
        return self.tried

    def _asked(self) -> list[tuple[Trial, dict[str, Value]]]:
        """Return the points of a batch; fewer where the budget or the space ends."""
        left = BATCH if self.plan.points is None else self.plan.points - len(self.tried)
        batch: list[tuple[Trial, dict[str, Value]]] = []
        while len(batch) < min(BATCH, left):
            found = self._another()
            if found is None:
                break
            self._known.add(found[1])
            batch.append(found)
        return batch

    def _another(self) -> tuple[Trial, dict[str, Value]] | None:
        """Return a suggestion that is new; one by chance where the sampler has none for long."""
        from optuna.trial import TrialState

        for _ in range(_PATIENCE):
            trial = self._study.ask()
            point = self.plan.space.draw(trial)
            if point not in self._known:
                return trial, point
            # As if it had never been asked: a point that counts twice would draw others to it.
            self._study.tell(trial, state=TrialState.FAIL)
        drawn = self._known.another(self._rng)
        if drawn is None:
            return None
        self._study.enqueue_trial(self.plan.space.parameters(drawn))
        trial = self._study.ask()
        return trial, self.plan.space.draw(trial)

    def _settle(self, batch: Sequence[tuple[Trial, dict[str, Value]]]) -> None:
        """Run a batch, first over the beginnings of the trace, and tell the sampler of it."""
        seen: dict[int, list[tuple[Fraction, float | None]]] = {t.number: [] for t, _ in batch}
        results: dict[int, Found] = {}
        alive = list(batch)
        for share in self.plan.prefixes:
            alive = self._rung(alive, share, seen, results)
        whole = self._evaluate([point for _, point in alive], _WHOLE)
        results |= {trial.number: found for (trial, _), found in zip(alive, whole, strict=True)}
        for trial, point in batch:
            found = results[trial.number]
            self.tried.append(Tried(point, found, seen[trial.number]))
        for trial, _ in batch:
            self._tell(trial, results[trial.number])

    def _rung(
        self,
        alive: Sequence[tuple[Trial, dict[str, Value]]],
        share: Fraction,
        seen: Mapping[int, list[tuple[Fraction, float | None]]],
        results: dict[int, Found],
    ) -> list[tuple[Trial, dict[str, Value]]]:
        """Run points over a beginning of the trace and return those that are worth more of it."""
        (metric,) = self.plan.goals.metrics
        judged: list[tuple[float, Trial]] = []
        found = self._evaluate([point for _, point in alive], share)
        for (trial, _), one in zip(alive, found, strict=True):
            value = one.figures.get(metric)
            seen[trial.number].append((share, value))
            if one.status != "done":
                results[trial.number] = one
            elif value is not None:
                trial.report(float(value), int(share / self.plan.prefixes[0]))
                judged.append((float(value), trial))
        sign = -1.0 if self.plan.goals.metrics[metric] == "max" else 1.0
        # The best first: a point is held against those that were judged before it.
        for _, trial in sorted(judged, key=lambda each: (sign * each[0], each[1].number)):
            if trial.should_prune():
                results[trial.number] = Found("stopped", f"after {share} of the trace")
        return [(trial, point) for trial, point in alive if trial.number not in results]

    def _tell(self, trial: Trial, found: Found) -> None:
        """Tell the sampler what became of a point.

        One that cannot run, fails or has no such figure is told as one that breaks a bound, and
        has the worst figures seen: samplers know nothing else of what is to be kept away from.
        """
        from optuna.trial import TrialState

        if found.status == "stopped":
            self._study.tell(trial, state=TrialState.PRUNED)
            return
        values = self.plan.goals.values(found.figures) if found.status == "done" else None
        trial.set_constraint("runs", 0.0 if values is not None else 1.0)
        for number, bound in enumerate(self.plan.goals.bounds):
            broken = 0.0 if values is None else bound.broken(found.figures)
            trial.set_constraint(f"bound {number}", broken)
        if values is not None:
            self._worst = self._worse(values)
        self._study.tell(trial, values or self._worst or [0.0] * len(self.plan.goals.metrics))

    def _worse(self, values: Sequence[float]) -> list[float]:
        before = self._worst or values
        goals = self.plan.goals.metrics.values()
        return [
            (min if goal == "max" else max)(a, b)
            for a, b, goal in zip(before, values, goals, strict=True)
        ]


def _study(plan: Plan) -> Study:
    import optuna
    from optuna.study import StudyDirection

    assert plan.sampler is not None

    ways = [
        StudyDirection.MINIMIZE if goal == "min" else StudyDirection.MAXIMIZE
        for goal in plan.goals.metrics.values()
    ]
    pruner: optuna.pruners.BasePruner = optuna.pruners.NopPruner()
    if plan.prefixes:
        whole = int(1 / plan.prefixes[0])
        step = int(1 / plan.prefixes[-1])
        pruner = optuna.pruners.HyperbandPruner(1, whole, reduction_factor=step)
    # The name decides which points Hyperband puts together.
    return optuna.create_study(
        study_name="slcache",
        sampler=samplers.made(plan.sampler, plan.seed),
        pruner=pruner,
        directions=ways,
    )
