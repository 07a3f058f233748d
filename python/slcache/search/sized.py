"""What the search for a key's least or most value found, beside the answer and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from slcache.search.batches import Tried
from slcache.search.goals import Bound, Goals
from slcache.sentences import wording as words
from slcache.study import wording
from slcache.sweep.axes import Value

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
