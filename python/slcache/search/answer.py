"""What a search has found, in plain data: the points tried, the front and the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from slcache.search.batches import Tried
from slcache.search.goals import Goals
from slcache.search.search import Search
from slcache.search.sized import Sized
from slcache.search.space import Space
from slcache.study import pareto
from slcache.sweep.study import Study


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
        places = pareto.front(values, list(self.goals.metrics.values()))
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
        return self.front[pareto.compromise(values, list(self.goals.metrics.values()))]

    def counts(self) -> dict[str, int]:
        """Return how many points there are of each status."""
        status = [each.found.status for each in self.tried]
        return {name: status.count(name) for name in ("done", "failed", "impossible", "stopped")}
