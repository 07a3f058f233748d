"""What a search for a size found, in plain data, as a picture and as files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from slcache import _core
from slcache.design.answer import Answer, Find
from slcache.metrics import METRICS
from slcache.study.wording import figure
from slcache.tune.goals import Goals
from slcache.tune.runs import Asked
from slcache.tune.search import Found
from slcache.tune.space import SCHEME

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What a design is written as, beside its store; chosen.toml where there is an answer.
FILES = ("design.json", "design.svg", "design.png", "chosen.toml")


@dataclass(frozen=True)
class Size:
    """A size and what became of its runs."""

    size: int | float
    found: Found

    def figure(self, metric: str) -> float | None:
        """Return a metric, the mean over the seeds; None where there is none."""
        return self.found.figures.get(metric)


@dataclass(frozen=True)
class LeftOut:
    """Sizes that are refused, and why the one next to those that can be is."""

    first: int | float
    last: int | float
    count: int
    reason: str


@dataclass(frozen=True)
class Plan:
    """What is searched for."""

    key: str
    #: What it may be, as it could be said.
    said: str
    #: Those of it that can run, the smallest first.
    sizes: Sequence[int | float]
    goals: Goals
    find: Find

    @property
    def metrics(self) -> list[str]:
        """The metrics that have bounds."""
        return list(dict.fromkeys(bound.metric for bound in self.goals.bounds))

    def within(self, point: Size) -> float:
        """Return by what share the bound that is nearest is kept; below 0 where it is broken."""
        if point.found.status != "done":
            return -float("inf")
        return -max(bound.broken(point.found.figures) for bound in self.goals.bounds)


@dataclass(frozen=True)
class Sized(Answer[Size]):
    """The sizes that were tried, and what the bounds make of them."""

    asked: Asked
    plan: Plan
    candidates: Sequence[int | float]
    points: Sequence[Size]
    #: Sizes that the device or the scheme refuses, with the reason.
    left_out: Mapping[int | float, str] = field(default_factory=dict)

    @property
    def wanted(self) -> Find:
        """Which of several sizes that keep the bounds is the answer."""
        return self.plan.find

    def size_of(self, point: Size) -> int | float:
        """Return the size."""
        return point.size

    def figure(self, point: Size) -> float:
        """Return how far a point is within the bounds."""
        return self.plan.within(point)

    def meets(self, point: Size) -> bool:
        """Return whether a point keeps all bounds."""
        return self.figure(point) >= 0

    @property
    def size(self) -> int | float | None:
        """The answer; None where no size that was tried keeps the bounds."""
        return None if self.chosen is None else self.chosen.size

    @property
    def stretches(self) -> list[LeftOut]:
        """The sizes that are left out, a stretch for all that lie behind each other."""
        found: list[list[int | float]] = [[]]
        for size in sorted([*self.candidates, *self.left_out]):
            if size in self.left_out:
                found[-1].append(size)
            elif found[-1]:
                found.append([])
        return [self._stretch(each) for each in found if each]

    def _stretch(self, sizes: Sequence[int | float]) -> LeftOut:
        # What is nearest to the sizes that can be tells where these end.
        told = sizes[-1] if sizes[-1] < self.candidates[0] else sizes[0]
        return LeftOut(sizes[0], sizes[-1], len(sizes), self.left_out[told])

    def line(self, point: Size) -> str:
        """Return a point's metrics that have bounds, in a line."""
        if point.found.status != "done":
            return point.found.status
        return ", ".join(f"{n} {figure(n, point.figure(n))}" for n in self.plan.metrics)

    def turns(self, metric: str) -> list[int | float]:
        """Return the sizes at which a metric stops rising or falling; none where it is monotone."""
        known = [(p.size, v) for p in self.points if (v := p.figure(metric)) is not None]
        steps = [(a[0], b[1] > a[1]) for a, b in pairwise(known) if a[1] != b[1]]
        return [b[0] for a, b in pairwise(steps) if a[1] != b[1]]

    def to_dict(self) -> dict[str, Any]:
        """Return the design as one document."""
        return {
            "schema_version": 1,
            "asked": {
                **self.asked.to_dict({self.plan.key: self.plan.said}),
                "bounds": [str(bound) for bound in self.plan.goals.bounds],
                "find": self.plan.find,
            },
            "key": self.plan.key,
            "size": self.size,
            "met": self.chosen is not None,
            "nearest": self.nearest.size,
            "neighbours": [point.size for point in self.neighbours],
            "monotone": {name: not self.turns(name) for name in self.plan.metrics},
            "points": [self._point(point) for point in self.points],
            "left_out": [asdict(each) for each in self.stretches],
            "provenance": {"version": _core.version(), "commit": _core.commit()},
        }

    def _point(self, point: Size) -> dict[str, Any]:
        done = point.found.status == "done"
        return {
            "size": point.size,
            "status": point.found.status,
            "reason": point.found.reason,
            "meets": self.meets(point),
            "metrics": {name: point.figure(name) for name in METRICS} if done else {},
        }

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def plot(self) -> Figure:
        """Draw the metrics that have bounds over the size."""
        from slcache.plots import sizes

        names, bounds = self.plan.metrics, self.plan.goals.bounds
        limits = {n: [each.value for each in bounds if each.metric == n] for n in names}
        return sizes.draw(
            self.plan.key,
            [point.size for point in self.points],
            {name: [point.figure(name) for point in self.points] for name in names},
            limits,
            chosen=self.size,
            word=self.plan.find,
        )

    def files(self) -> dict[str, bytes]:
        """Return the contents of `FILES`; without an answer there is no chosen.toml."""
        from slcache.plots import images

        figure = self.plot()
        found = {
            "design.json": (self.to_json() + "\n").encode(),
            "design.svg": images.svg(figure, "design", "metrics over the size").encode(),
            "design.png": images.png(figure),
        }
        if self.chosen is not None:
            point = {SCHEME: self.asked.schemes[0], self.plan.key: self.chosen.size}
            told = self.line(self.chosen)
            found["chosen.toml"] = self.asked.file(point, "chosen.toml", told).encode()
        return found

    def __repr__(self) -> str:
        return f"<slcache.Sized: {self.plan.key} = {self.size}, {len(self.points)} sizes tried>"
