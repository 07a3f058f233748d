"""What is run beside a paper's own evaluation: what is varied, and what goes beyond it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from slcache.reproduce.parts import GridName, PartName, TraceName
from slcache.reproduce.reading import LITERAL
from slcache.reproduce.variants import ShareOf


@dataclass(frozen=True)
class Variation:
    """One option the paper leaves open, or one figure that the twins leave free."""

    name: str
    why: str
    #: Values that all of `settings`, or the figure `twin` of the twins (or their draw, "seed"),
    #: take in turn.
    values: list[Any] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    twin: str = ""
    #: Whether the values multiply what a run has, in place of standing for it.
    times: bool = False
    #: In place of values: settings that are made together, one table per point.
    points: list[dict[str, Any]] = field(default_factory=list)
    #: In place of both: factors, each a list of levels. Every combination is a point. A level is
    #: a table of settings with its `level` as a title.
    cross: list[list[dict[str, Any]]] = field(default_factory=list)
    #: What the report calls the points.
    names: list[str] = field(default_factory=list)
    #: Parts that it can change; all of the study's when empty.
    parts: list[PartName] = field(default_factory=list)
    #: Workloads that it is run on; all of the study's when empty.
    workloads: list[TraceName] = field(default_factory=list)
    #: The reading that it starts from.
    reading: str = LITERAL

    def tables(self) -> list[dict[str, Any]]:
        """Return the settings of every point; those called twin... are figures of the twins."""
        if self.cross:
            # Levels together; what they are called is no setting.
            return [
                {key: value for level in levels for key, value in level.items() if key != "level"}
                for levels in itertools.product(*self.cross)
            ]
        if self.points:
            return self.points
        if self.twin:
            return [{self.twin: value} for value in self.values]
        if self.times:
            return [{key: ShareOf(v, key) for key in self.settings} for v in self.values]
        return [dict.fromkeys(self.settings, value) for value in self.values]

    def faults(self) -> list[str]:
        """Return what is wrong with the titles of its points."""
        untitled = [
            f"{self.name}: cross: factor {i + 1}: level is missing: what a level is called"
            for i, factor in enumerate(self.cross)
            if any("level" not in level for level in factor)
        ]
        titles, points = len(self.titles()), len(self.tables())
        many = [f"{self.name}: {titles} names for {points} points"] if titles != points else []
        return untitled + many

    def titles(self) -> list[str]:
        """Return what the points are called."""
        if self.cross:
            return [
                ", ".join(str(level.get("level", "")) for level in levels)
                for levels in itertools.product(*self.cross)
            ]
        return self.names or [f"{v} times" if self.times else str(v) for v in self.values]


def is_of_twins(key: str) -> bool:
    """Return whether a point's key is a figure of the twins, or their draw, and no setting."""
    return key.startswith("twin.") or key == "seed"


@dataclass(frozen=True)
class Sensitivity:
    """What is varied, one at a time."""

    workloads: list[TraceName]
    seeds: list[int]
    vary: list[Variation]
    #: About how long it takes on two cores.
    minutes: int
    #: Parts that are run where a variation names none; all when empty.
    parts: list[PartName] = field(default_factory=list)


@dataclass(frozen=True)
class Beyond:
    """What is run on real recordings, which no paper had."""

    device: str
    schemes: list[str]
    replay: str
    settings: dict[str, Any] = field(default_factory=dict)
    #: Seeds of the schemes that draw while they run; the others run once.
    seeds: list[int] = field(default_factory=lambda: [1])
    learned: list[str] = field(default_factory=list)
    #: The grid of constants of which the best is shown.
    constants: GridName = ""
    #: Further traces, where they are, by their path from the folder of recordings.
    more: list[str] = field(default_factory=list)
    #: Pieces of real volumes, likewise. Their times are those of an open load, and kept.
    pieces: list[str] = field(default_factory=list)
    #: The recordings that are run, by their names; all when empty.
    only: list[str] = field(default_factory=list)
    #: Measures shown beside those of every paper, and what they are called.
    measures: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
