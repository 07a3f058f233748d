"""What every search is, batches of points told what became of them: by bisection, or a sampler."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from slcache.errors import RunError
from slcache.metrics import absence
from slcache.search import Figures, MetricBound, Sampler, Search
from slcache.search.space import Known, Settings, Space
from slcache.study.axes import Value, amount
from slcache.study.points import SCHEME, Status, StudyPoint

if TYPE_CHECKING:
    from optuna import Study
    from optuna.samplers import BaseSampler
    from optuna.trial import Trial

WHOLE = Fraction(1)


@dataclass(frozen=True)
class Batch:
    """Points that are run together, over this share of the trace."""

    points: Sequence[Settings]
    share: Fraction = WHOLE


@dataclass(frozen=True)
class PointOutcome:
    """What became of one point, run over the trace or its beginning."""

    status: Status
    reason: str | None = None
    #: Means over the seeds, by metric; empty where it was not run.
    figures: Figures = field(default_factory=dict)
    #: Its rows of the table, in the order of the seeds.
    rows: Sequence[StudyPoint] = field(default=(), compare=False, repr=False)

    @property
    def reasons(self) -> list[str]:
        """Why it has no figures, or what is to be known of them, each once."""
        return list(dict.fromkeys(row.reason for row in self.rows if row.reason))

    @property
    def is_unfilled(self) -> bool:
        """Whether it has an SLC cache that was not full once, in one of its runs."""
        runs = [row.values for row in self.rows if row.values.get("cache_peak_bytes") is not None]
        return any(values["cache_full_ns"] is None for values in runs)

    def stopped(self, reason: str) -> PointOutcome:
        """Return a point that was stopped: what a beginning shows is no figure of the whole."""
        row = [replace(each, key=None, values={}, costs={}, thin=None) for each in self.rows[:1]]
        rows = [replace(each, status="stopped", reason=reason) for each in row]
        return PointOutcome("stopped", reason, rows=rows)


@dataclass(frozen=True)
class TriedPoint:
    """A point that was tried."""

    settings: Settings
    found: PointOutcome
    #: What was seen over the beginnings of the trace: the share of it and the metric there.
    prefixes: Sequence[tuple[Fraction, float | None]] = ()

    def within(self, bounds: Sequence[MetricBound]) -> float:
        """Return by what share the bound that is nearest is kept; below 0 where it is broken."""
        if self.found.status != "done":
            return -float("inf")
        return -max(bound.broken(self.found.figures) for bound in bounds)


#: A search: it returns the points that it tried.
Batches = Generator[Batch, Sequence[PointOutcome], list[TriedPoint]]


def check_figures(metrics: Iterable[str], done: Sequence[PointOutcome], which: str = "") -> None:
    """Raise RunError where no run has a metric that is searched by."""
    for name in metrics:
        if all(found.figures.get(name) is None for found in done):
            raise RunError(
                f"{name}: none of the {which}{len(done)} runs has it, so there is nothing to "
                f"search by; {absence(name)}"
            )


#: Measures candidates at once, as a part of the search that yields batches.
Measuring = Generator[Any, Any, Mapping[int, float]]
#: Stretches of the coarse grid.
STRETCHES = 4


def bisection(space: Space, search: Search, refused: Sequence[bool]) -> Batches:
    """Bisect the values of the only axis, and return those that were tried, the smallest first.

    What is `refused` is told as impossible first, and not searched among.
    """
    key, way = search.wanted or ("", "min")
    (scheme,), (axis,) = space.schemes, space.axes
    pairs = list(zip(axis.values, refused, strict=True))
    possible, never = ([{SCHEME: scheme, key: v} for v, r in pairs if r == no] for no in (0, 1))
    #: The one that is wanted most comes first.
    points: list[Settings] = [*possible[:: 1 if way == "min" else -1]]
    tried: list[TriedPoint] = []

    def told(
        asked: Sequence[Settings],
    ) -> Generator[Batch, Sequence[PointOutcome], list[TriedPoint]]:
        found = yield Batch(asked)
        new = [TriedPoint(point, one) for point, one in zip(asked, found, strict=True)]
        tried.extend(new)
        return new

    def measure(places: list[int]) -> Measuring:
        found = yield from told([points[place] for place in places])
        figures = (each.within(search.bounds) for each in found)
        return dict(zip(places, figures, strict=True))

    if never:
        yield from told(never)
    if points:
        yield from smallest(len(points) - 1, measure)
    return sorted(tried, key=lambda each: amount(each.settings[key]))


def grid(last: int) -> list[int]:
    """Return the candidates measured first: both ends and what lies evenly between."""
    return sorted({(2 * part * last + STRETCHES) // (2 * STRETCHES) for part in range(5)})


def steps_most(last: int) -> int:
    """Return how many candidates are measured at most where the figure rises."""
    if last < 0:
        return 0
    places = grid(last)
    widest = max((b - a for a, b in pairwise(places)), default=1)
    return len(places) + (widest - 1).bit_length() + 1


def smallest(
    last: int, measure: Callable[[list[int]], Measuring]
) -> Generator[Any, Any, int | None]:
    """Return the smallest of the candidates 0 to `last` whose figure is 0 or more, if one's is.

    The answer fails at the candidate before it; the one behind it is measured too.
    """
    figures = dict((yield from measure(grid(last))))
    while not any(figure >= 0 for figure in figures.values()):
        # Climb towards the best until one is good enough or its neighbours are worse.
        best = max(figures, key=lambda place: (figures[place], -place))
        below = max((place for place in figures if place < best), default=best)
        above = min((place for place in figures if place > best), default=best)
        halves = {(below + best) // 2, (best + above + 1) // 2} - figures.keys()
        if not halves:
            return None
        figures |= yield from measure(sorted(halves))
    found = min(place for place, figure in figures.items() if figure >= 0)
    below = max((place for place in figures if place < found), default=-1)
    while found - below > 1:
        middle = (below + found) // 2
        figures |= yield from measure([middle])
        below, found = (below, middle) if figures[middle] >= 0 else (middle, found)
    if found < last and found + 1 not in figures:
        yield from measure([found + 1])
    return found


#: Points that are asked for at a time. Not how many workers there are, on which results would then
#: depend.
BATCH = 8
#: Points drawn at random before TPE begins to learn.
_STARTUP = 16
_POPULATION = 20
#: After so many suggestions in a row that are known, a point is drawn by chance.
_PATIENCE = 10
_Suggestion = tuple["Trial", dict[str, Value]]


class SamplerSearch:
    """One search by a sampler, from its first point to its last.

    It ends after so many points, where that is said, and when all of the space has been tried;
    points are run over shares of the trace before all of it, the smallest first.
    """

    def __init__(self, space: Space, search: Search) -> None:
        self._space, self._search = space, search
        self._rng = random.Random(search.sampler_seed)
        self._known = Known(space)
        self._tried: list[TriedPoint] = []
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

    def _settle(
        self, batch: Sequence[_Suggestion]
    ) -> Generator[Batch, Sequence[PointOutcome], None]:
        """Run a batch, first over the beginnings of the trace, and tell the sampler of it."""
        seen: dict[int, list[tuple[Fraction, float | None]]] = {t.number: [] for t, _ in batch}
        results: dict[int, PointOutcome] = {}
        alive = list(batch)
        for share in self._search.shares:
            alive = yield from self._rung(alive, share, seen, results)
        whole = yield Batch([point for _, point in alive], WHOLE)
        results |= {trial.number: found for (trial, _), found in zip(alive, whole, strict=True)}
        for trial, point in batch:
            found = results[trial.number]
            self._tried.append(TriedPoint(point, found, seen[trial.number]))
        for trial, _ in batch:
            self._tell(trial, results[trial.number])

    def _rung(
        self,
        alive: Sequence[_Suggestion],
        share: Fraction,
        seen: Mapping[int, list[tuple[Fraction, float | None]]],
        results: dict[int, PointOutcome],
    ) -> Generator[Batch, Sequence[PointOutcome], list[_Suggestion]]:
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

    def _tell(self, trial: Trial, found: PointOutcome) -> None:
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


def check_optuna() -> None:
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
