"""What a search for the least or most value of a key has found, in sentences and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from slcache.names import joined
from slcache.search.batches import Tried
from slcache.search.goals import Bound, Search
from slcache.study import wording
from slcache.study.axes import Value, amount

#: How the value that is wanted is called, the other end, and what may be better than the answer.
_WORDS = {"min": ("least", "most", "a smaller one"), "max": ("most", "least", "a larger one")}


@dataclass(frozen=True)
class Sized:
    """The values of a key that were tried, the smallest first, and what the bounds make of them."""

    search: Search
    #: Points of each value, of which some may not be tried.
    values: Sequence[Value]
    tried: Sequence[Tried]

    @property
    def key(self) -> str:
        """The key whose value is wanted."""
        key, _ = self.search.wanted or ("", "min")
        return key

    @property
    def words(self) -> tuple[str, str, str]:
        """How the value that is wanted is called, the other end, and what may be better."""
        return _WORDS["min" if self.search.least is not None else "max"]

    @property
    def metrics(self) -> list[str]:
        """The metrics that have bounds."""
        return self.search.names

    def value(self, one: Tried) -> Value:
        """Return the key's value of a point."""
        return one.settings[self.key]

    @cached_property
    def run(self) -> list[Tried]:
        """The values that the device and the scheme take."""
        return [each for each in self.tried if each.found.status != "impossible"]

    @cached_property
    def best(self) -> Tried | None:
        """The answer; None where no value that was tried keeps the bounds."""
        good = [each for each in self.run if self.keeps(each)]
        return None if not good else good[0 if self.search.least is not None else -1]

    @property
    def nearest(self) -> Tried:
        """The value that comes nearest to the bounds."""
        return max(self.run, key=lambda each: each.within(self.search.bounds))

    def keeps(self, one: Tried) -> bool:
        """Return whether a value keeps all bounds."""
        return one.within(self.search.bounds) >= 0

    @property
    def possible(self) -> list[Value]:
        """The values that are not refused."""
        refused = [self.value(each) for each in self.tried if each not in self.run]
        return [value for value in self.values if value not in refused]

    @property
    def neighbours(self) -> list[Tried]:
        """The values that are next to the answer."""
        if self.best is None:
            return []
        place = self.possible.index(self.value(self.best))
        beside = self.possible[max(0, place - 1) : place + 2]
        return [t for t in self.run if self.value(t) in beside and t is not self.best]

    def turns(self, metric: str) -> list[Value]:
        """Return the values at which a metric stops rising or falling; none where it does not."""
        figures = ((self.value(t), t.found.figures.get(metric)) for t in self.run)
        known = [(value, figure) for value, figure in figures if figure is not None]
        steps = [(a[0], b[1] > a[1]) for a, b in pairwise(known) if a[1] != b[1]]
        return [b[0] for a, b in pairwise(steps) if a[1] != b[1]]

    def picture(self) -> dict[str, Any]:
        """Draw the metrics that have bounds over the values."""
        from slcache.charts import study

        bounds = self.search.bounds
        return study.bisection(
            self.key,
            [float(amount(self.value(each))) for each in self.run],
            {n: [each.found.figures.get(n) for each in self.run] for n in self.metrics},
            {n: [bound.value for bound in bounds if bound.metric == n] for n in self.metrics},
            chosen=None if self.best is None else float(amount(self.value(self.best))),
            word=self.words[0],
        )

    def sentences(self) -> Iterator[str]:
        """Yield what was found, what stands beside it and what weakens it."""
        wanted, other, better = self.words
        asked = " and ".join(map(_bound, self.search.bounds))
        ends = "; ".join(map(self._line, (self.run[0], self.run[-1])))
        if self.best is None:
            yield f"No {self.key} that was tried keeps {asked}. At both ends: {ends}."
            yield f"The nearest is {self._line(self.nearest)}; {self._missed(self.nearest)}."
        else:
            yield f"The {wanted} {self.key} that keeps {asked} is {self._line(self.best)}."
            if self.neighbours:
                beside = (
                    self._line(t) + ("" if self.keeps(t) else f" ({self._missed(t)})")
                    for t in self.neighbours
                )
                yield f"Beside it: {'; '.join(beside)}."
            end = self.possible[0 if wanted == "least" else -1]
            if self.value(self.best) == end and len(self.possible) > 1:
                yield (
                    f"It is the {wanted} of all that can be: beyond the range there may be better "
                    f"ones. Where the bounds set the other end, ask for the {other}."
                )
        for each in self.run:
            if each.found.status != "done":
                value = wording.setting(self.value(each))
                yield f"{self.key} = {value} {each.found.status}: {each.found.reason}"
        # Bisection is sure of what only rises or falls.
        turning = {name: turns for name in self.metrics if (turns := self.turns(name))}
        for name, turns in turning.items():
            where = joined(list(map(wording.setting, turns)))
            yield f"{name} is not monotone in {self.key}: it turns at {where}."
        if turning and len(self.possible) > len(self.run):
            tried = f"{len(self.run):,} of {len(self.possible):,} values were tried"
            which = "one" if self.best is None else better
            yield f"{tried}: among the others there may be {which} that does."

    def _missed(self, one: Tried) -> str:
        """Return which bounds a value breaks, and by how much."""
        if one.found.status != "done":
            return "it did not run"
        shares = {_bound(each): each.broken(one.found.figures) for each in self.search.bounds}
        missed = (f"{n} is missed by {100 * by:.3g} %" for n, by in shares.items() if by > 0)
        return "; ".join(missed)

    def _line(self, one: Tried) -> str:
        """Return a value with the metrics that have bounds."""
        found = one.found
        told = figures(self.search, one) if found.status == "done" else found.status
        return f"{wording.setting(self.value(one))}: {told}"


def _bound(one: Bound) -> str:
    """Return a bound with its value in a unit."""
    return f"{one.side}{wording.figure(one.metric, one.value)}"


def figures(search: Search, one: Tried) -> str:
    """Return a point's metrics in a line."""
    shown = one.found.figures
    return ", ".join(f"{name} {wording.figure(name, shown[name])}" for name in search.names)
