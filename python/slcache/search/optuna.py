"""Searches by Optuna's samplers, which are asked for points and told of them in the order asked."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from slcache.errors import RunError
from slcache.search.batches import WHOLE, Batch, Batches, Found, Tried
from slcache.search.goals import Sampler, Search
from slcache.search.space import Known, Space
from slcache.study.axes import Value

if TYPE_CHECKING:
    from optuna import Study
    from optuna.samplers import BaseSampler
    from optuna.trial import Trial


#: Points that are asked for at a time. Not how many workers there are, on which results would then
#: depend.
BATCH = 8
#: Points drawn at random before TPE begins to learn.
_STARTUP = 16
_POPULATION = 20
#: After so many suggestions in a row that are known, a point is drawn by chance.
_PATIENCE = 10
_Suggestion = tuple["Trial", dict[str, Value]]


class Sampled:
    """One search by a sampler, from its first point to its last.

    It ends after so many points, where that is said, and when all of the space has been tried;
    points are run over shares of the trace before all of it, the smallest first.
    """

    def __init__(self, space: Space, search: Search) -> None:
        self._space, self._search = space, search
        self._rng = random.Random(search.sampler_seed)
        self._known = Known(space)
        self._tried: list[Tried] = []
        self._worst: list[float] | None = None
        with _quiet():
            self._study = _study(search)

    def batches(self, go_on: Callable[[], bool] = lambda: True) -> Batches:
        """Search until the end, or until `go_on` says no, asked before each batch but the first."""
        with _quiet():
            while (not self._tried or go_on()) and (batch := self._asked()):
                yield from self._settle(batch)
        return self._tried

    def _asked(self) -> list[_Suggestion]:
        """Return the points of a batch; fewer where the budget or the space ends."""
        most = self._search.points_most
        left = BATCH if most is None else most - len(self._tried)
        batch: list[_Suggestion] = []
        while len(batch) < min(BATCH, left):
            found = self._another()
            if found is None:
                break
            self._known.add(found[1])
            batch.append(found)
        return batch

    def _another(self) -> _Suggestion | None:
        """Return a suggestion that is new; one by chance where the sampler has none for long."""
        from optuna.trial import TrialState

        for _ in range(_PATIENCE):
            trial = self._study.ask()
            point = self._space.draw(trial)
            if point not in self._known:
                return trial, point
            # As if it had never been asked: a point that counts twice would draw others to it.
            self._study.tell(trial, state=TrialState.FAIL)
        drawn = self._known.another(self._rng)
        if drawn is None:
            return None
        self._study.enqueue_trial(self._space.parameters(drawn))
        trial = self._study.ask()
        return trial, self._space.draw(trial)

    def _settle(self, batch: Sequence[_Suggestion]) -> Generator[Batch, Sequence[Found], None]:
        """Run a batch, first over the beginnings of the trace, and tell the sampler of it."""
        seen: dict[int, list[tuple[Fraction, float | None]]] = {t.number: [] for t, _ in batch}
        results: dict[int, Found] = {}
        alive = list(batch)
        for share in self._search.shares:
            alive = yield from self._rung(alive, share, seen, results)
        whole = yield Batch([point for _, point in alive], WHOLE)
        results |= {trial.number: found for (trial, _), found in zip(alive, whole, strict=True)}
        for trial, point in batch:
            found = results[trial.number]
            self._tried.append(Tried(point, found, seen[trial.number]))
        for trial, _ in batch:
            self._tell(trial, results[trial.number])

    def _rung(
        self,
        alive: Sequence[_Suggestion],
        share: Fraction,
        seen: Mapping[int, list[tuple[Fraction, float | None]]],
        results: dict[int, Found],
    ) -> Generator[Batch, Sequence[Found], list[_Suggestion]]:
        """Run points over a beginning of the trace and return those that are worth more of it."""
        (metric,) = self._search.metrics
        judged: list[tuple[float, Trial]] = []
        told = yield Batch([point for _, point in alive], share)
        found = {trial.number: one for (trial, _), one in zip(alive, told, strict=True)}
        for trial, _ in alive:
            one = found[trial.number]
            value = one.figures.get(metric)
            seen[trial.number].append((share, value))
            if one.status != "done":
                results[trial.number] = one
            elif value is not None:
                trial.report(float(value), int(share / self._search.shares[0]))
                judged.append((float(value), trial))
        sign = -1.0 if self._search.metrics[metric] == "max" else 1.0
        # The best first: a point is held against those that were judged before it.
        for _, trial in sorted(judged, key=lambda each: (sign * each[0], each[1].number)):
            if trial.should_prune():
                stopped = found[trial.number].stopped(f"after {share} of the trace")
                results[trial.number] = stopped
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
        values = self._search.values(found.figures) if found.status == "done" else None
        trial.set_constraint("runs", 0.0 if values is not None else 1.0)
        for number, bound in enumerate(self._search.bounds):
            broken = 0.0 if values is None else bound.broken(found.figures)
            trial.set_constraint(f"bound {number}", broken)
        ways = self._search.metrics.values()
        if values is not None:
            pairs = zip(self._worst or values, values, ways, strict=True)
            self._worst = [(min if goal == "max" else max)(a, b) for a, b, goal in pairs]
        self._study.tell(trial, values or self._worst or [0.0] * len(ways))


def _study(search: Search) -> Study:
    """Return a study; the same seed suggests the same points after the same answers."""
    import optuna
    from optuna import pruners, samplers

    seed, shares = search.sampler_seed, search.shares
    pruner: pruners.BasePruner = pruners.NopPruner()
    if shares:
        whole, step = int(1 / shares[0]), int(1 / shares[-1])
        pruner = pruners.HyperbandPruner(1, whole, reduction_factor=step)
    made: dict[Sampler, Callable[[], BaseSampler]] = {
        # Parameters are looked at together, and apart by scheme where these have their own.
        "tpe": lambda: samplers.TPESampler(
            seed=seed, multivariate=True, group=True, n_startup_trials=_STARTUP
        ),
        "nsga2": lambda: samplers.NSGAIISampler(seed=seed, population_size=_POPULATION),
        "random": lambda: samplers.RandomSampler(seed=seed),
        "qmc": lambda: samplers.QMCSampler(
            seed=seed, scramble=True, warn_independent_sampling=False
        ),
    }
    # The name decides which points Hyperband puts together.
    return optuna.create_study(
        study_name="slcache",
        sampler=made[search.suggested_by or "tpe"](),
        pruner=pruner,
        directions=["minimize" if way == "min" else "maximize" for way in search.metrics.values()],
    )


def check() -> None:
    """Raise RunError where Optuna is missing."""
    try:
        import optuna  # noqa: F401
    except ImportError as error:
        raise RunError("a search needs Optuna: pip install 'slcache[tune]'") from error


def _quiet() -> warnings.catch_warnings[None]:
    """Return a context in which Optuna says nothing: neither of its settings nor of each trial."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    context: warnings.catch_warnings[None] = warnings.catch_warnings(
        action="ignore", category=optuna.exceptions.ExperimentalWarning
    )
    return context
