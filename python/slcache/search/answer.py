"""What a search has found, in plain data and in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from slcache.execute import given
from slcache.search.batches import Tried
from slcache.search.goals import Bound, Goals, Search
from slcache.search.space import Space
from slcache.sentences import wording as words
from slcache.study import fronts, wording
from slcache.sweep.axes import Axis, Value, plain
from slcache.sweep.study import Study

#: How the value that is wanted is called, and what may be better than the answer.
_WORDS = {"min": ("least", "most", "a smaller one"), "max": ("most", "least", "a larger one")}


@dataclass(frozen=True)
class Sized:
    """The values that were tried, the smallest first, and what the bounds make of them."""

    goals: Goals
    #: Points of each value, of which some may not be tried.
    values: Sequence[Value]
    tried: Sequence[Tried]

    @property
    def key(self) -> str:
        """The key whose value is wanted."""
        return self.goals.wanted[0]

    @property
    def metrics(self) -> list[str]:
        """The metrics that have bounds."""
        return self.goals.names

    @cached_property
    def run(self) -> list[Tried]:
        """The values that the device and the scheme take."""
        return [each for each in self.tried if each.found.status != "impossible"]

    @cached_property
    def best(self) -> Tried | None:
        """The answer; None where no value that was tried keeps the bounds."""
        good = [each for each in self.run if self.keeps(each)]
        return None if not good else good[0 if self.goals.wanted[1] == "min" else -1]

    @property
    def nearest(self) -> Tried:
        """The value that comes nearest to the bounds."""
        return max(self.run, key=lambda each: each.within(self.goals.bounds))

    def keeps(self, one: Tried) -> bool:
        """Return whether a value keeps all bounds."""
        return one.within(self.goals.bounds) >= 0

    @property
    def possible(self) -> list[Value]:
        """The values that are not refused."""
        refused = [each.settings[self.key] for each in self.tried if each not in self.run]
        return [value for value in self.values if value not in refused]

    @property
    def neighbours(self) -> list[Tried]:
        """The values that are next to the answer."""
        if self.best is None:
            return []
        place = self.possible.index(self.best.settings[self.key])
        beside = self.possible[max(0, place - 1) : place + 2]
        return [t for t in self.run if t.settings[self.key] in beside and t is not self.best]

    def turns(self, metric: str) -> list[Value]:
        """Return the values at which a metric stops rising or falling; none where it does not."""
        figures = ((t.settings[self.key], t.found.figures.get(metric)) for t in self.run)
        known = [(value, figure) for value, figure in figures if figure is not None]
        steps = [(a[0], b[1] > a[1]) for a, b in pairwise(known) if a[1] != b[1]]
        return [b[0] for a, b in pairwise(steps) if a[1] != b[1]]

    def picture(self) -> dict[str, Any]:
        """Draw the metrics that have bounds over the values."""
        from slcache.charts import study

        limits = {
            n: [bound.value for bound in self.goals.bounds if bound.metric == n]
            for n in self.metrics
        }
        return study.bisection(
            self.key,
            [float(each.settings[self.key]) for each in self.run],
            {n: [each.found.figures.get(n) for each in self.run] for n in self.metrics},
            limits,
            chosen=None if self.best is None else float(self.best.settings[self.key]),
            word=self._word,
        )

    def sentences(self) -> list[str]:
        """Return what was found, what stands beside it and what weakens it."""
        answer = self._none() if self.best is None else self._best(self.best)
        return [*answer, *self._failed(), *self._weak()]

    def _best(self, best: Tried) -> Iterator[str]:
        most, other, _ = _WORDS[self.goals.wanted[1]]
        yield f"The {most} {self.key} that keeps {self._asked} is {self._line(best)}."
        if self.neighbours:
            beside = "; ".join(
                f"{self._line(t)}{'' if self.keeps(t) else f' ({self._missed(t)})'}"
                for t in self.neighbours
            )
            yield f"Beside it: {beside}."
        end = self.possible[0 if most == "least" else -1]
        if best.settings[self.key] == end and len(self.possible) > 1:
            yield (
                f"It is the {most} of all that can be: beyond the range there may be better ones. "
                f"Where the bounds set the other end, ask for the {other}."
            )

    def _none(self) -> Iterator[str]:
        ends = f"{self._line(self.run[0])}; {self._line(self.run[-1])}"
        yield f"No {self.key} that was tried keeps {self._asked}. At both ends: {ends}."
        yield f"The nearest is {self._line(self.nearest)}; {self._missed(self.nearest)}."

    def _missed(self, one: Tried) -> str:
        """Return which bounds a value breaks, and by how much."""
        if one.found.status != "done":
            return "it did not run"
        shares = {bound(each): each.broken(one.found.figures) for each in self.goals.bounds}
        return "; ".join(
            f"{name} is missed by {100 * by:.3g} %" for name, by in shares.items() if by > 0
        )

    def _failed(self) -> Iterator[str]:
        for each in self.run:
            if each.found.status != "done":
                value = wording.setting(each.settings[self.key])
                yield f"{self.key} = {value} {each.found.status}: {each.found.reason}"

    def _weak(self) -> Iterator[str]:
        """Yield what speaks against the answer: bisection is sure of what only rises or falls."""
        turning = [name for name in self.metrics if self.turns(name)]
        for name in turning:
            where = words.listed([wording.setting(each) for each in self.turns(name)])
            yield f"{name} is not monotone in {self.key}: it turns at {where}."
        if turning and len(self.possible) > len(self.run):
            tried = f"{len(self.run):,} of {len(self.possible):,} values were tried"
            which = "one" if self.best is None else _WORDS[self.goals.wanted[1]][2]
            yield f"{tried}: among the others there may be {which} that does."

    def _line(self, one: Tried) -> str:
        """Return a value with the metrics that have bounds."""
        value = wording.setting(one.settings[self.key])
        if one.found.status != "done":
            return f"{value}: {one.found.status}"
        shown = one.found.figures
        return f"{value}: {', '.join(f'{n} {wording.figure(n, shown[n])}' for n in self.metrics)}"

    @property
    def _word(self) -> str:
        """How the value that is wanted is called."""
        return _WORDS[self.goals.wanted[1]][0]

    @property
    def _asked(self) -> str:
        return " and ".join(map(bound, self.goals.bounds))


def bound(one: Bound) -> str:
    """Return a bound with its value in a unit."""
    return f"{one.side}{wording.figure(one.metric, one.value)}"


@dataclass(frozen=True)
class Answer:
    """The points that were tried, and what is best of them."""

    study: Study
    search: Search
    space: Space
    tried: Sequence[Tried]
    #: How many results were in the store before.
    kept: int

    @property
    def goals(self) -> Goals:
        """What was searched for."""
        return self.search.goals

    @cached_property
    def good(self) -> list[Tried]:
        """The points that are done, have all metrics and keep all bounds."""
        return [
            each
            for each in self.tried
            if each.found.status == "done"
            and self.goals.values(each.found.figures) is not None
            and self.goals.kept(each.found.figures)
        ]

    @cached_property
    def sized(self) -> Sized | None:
        """What the search for a key's least or most value found; None of one by metrics."""
        if self.goals.key is None:
            return None
        (axis,) = self.space.axes
        return Sized(self.goals, axis.values, self.tried)

    @cached_property
    def front(self) -> list[Tried]:
        """The points that no other dominates; of one metric or key, the best."""
        if self.sized is not None:
            return [] if self.sized.best is None else [self.sized.best]
        values = [self.goals.values(each.found.figures) or [] for each in self.good]
        places = fronts.front(values, list(self.goals.metrics.values()))
        return [self.good[i] for i in sorted(places, key=lambda i: values[i])]

    @property
    def distinct(self) -> list[tuple[Tried, int]]:
        """The points of the front that differ in their figures, and how many have the same."""
        groups: dict[tuple[float, ...], list[Tried]] = {}
        for each in self.front:
            values = tuple(self.goals.values(each.found.figures) or ())
            groups.setdefault(values, []).append(each)
        return [
            (self.best if self.best in same else same[0], len(same))
            for same in groups.values()
            if self.best is not None
        ]

    @cached_property
    def best(self) -> Tried | None:
        """The best point; of several metrics the one of the front nearest to the best of each."""
        if not self.front or self.sized is not None:
            return self.front[0] if self.front else None
        values = [self.goals.values(each.found.figures) or [] for each in self.front]
        return self.front[fronts.compromise(values, list(self.goals.metrics.values()))]

    def counts(self) -> dict[str, int]:
        """Return how many points there are of each status."""
        status = [each.found.status for each in self.tried]
        return {name: status.count(name) for name in ("done", "failed", "impossible", "stopped")}


def title(found: Answer) -> str:
    """Return what was searched, in a line."""
    names = " and ".join(goal(found.goals.metrics or dict([found.goals.wanted])))
    return f"{' or '.join(found.study.schemes)} on {given.label(found.study.devices[0])}: {names}"


def goal(metrics: Mapping[str, str]) -> Iterable[str]:
    """Yield `least waf` and the like."""
    return (f"{'least' if way == 'min' else 'most'} {name}" for name, way in metrics.items())


def axis(one: Axis) -> str:
    """Return what a key may be, as it could be said."""
    if one.values:
        return ",".join(map(plain, one.values))
    return f"{one.low}..{one.high}{'@log' if one.log else ''}"


def point(one: Tried) -> str:
    """Return a point's settings in a line."""
    return ", ".join(f"{key}={wording.setting(value)}" for key, value in one.settings.items())


def figures(found: Answer, one: Tried) -> str:
    """Return a point's metrics in a line."""
    shown = one.found.figures
    return ", ".join(f"{n} {wording.figure(n, shown[n])}" for n in found.goals.names)


def told(found: Answer) -> list[str]:
    """Return how many points were tried, of how many, and which is the best."""
    said = [_counts(found)]
    if found.sized is not None:
        return [*said, *found.sized.sentences()]
    said += [
        f"{name} is better the {'less' if way == 'max' else 'more'} of it there is, but was "
        "searched the other way, as asked."
        for name, way in found.goals.metrics.items()
        if name in found.goals.against()
    ]
    if found.goals.bounds:
        done = sum(each.found.status == "done" for each in found.tried)
        bounds = " and ".join(map(str, found.goals.bounds))
        said.append(f"{len(found.good):,} of {done:,} points that are done keep {bounds}.")
    if found.best is None:
        return [*said, "No point is done, has all metrics and keeps all bounds: there is no best."]
    which = "The best"
    if found.goals.several:
        which = f"Of {len(found.front):,} on the front, the nearest to the best of each metric"
    return [*said, f"{which}: {point(found.best)}: {figures(found, found.best)}."]


def _counts(found: Answer) -> str:
    counts = found.counts()
    others = "".join(
        f", {counts[name]:,} {name}" for name in ("failed", "impossible") if counts[name]
    )
    if counts["stopped"]:
        others += f", {counts['stopped']:,} stopped after a beginning of the trace"
    size = found.space.size
    of = "" if size is None else f" of {size:,}"
    kept = f"; {found.kept:,} results were there before" if found.kept else ""
    return f"{len(found.tried):,}{of} points tried: {counts['done']:,} done{others}{kept}."
