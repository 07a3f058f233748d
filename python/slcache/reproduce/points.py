"""The points of an evaluation: what the runs of a part come to by trace, setting and seed."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slcache.reproduce.expressions import Call, Keywords, Term, evaluate
from slcache.reproduce.measures import AbsentError, present, value
from slcache.reproduce.parts import Grid

#: Workload, scheme and seed.
Key = tuple[str, str, int]
#: Figures by setting; a scheme that is no grid has one, at 0.
Curve = dict[float, float]
Curves = dict[str, Curve]


class Table:
    """Results by (workload, scheme, seed)."""

    def __init__(
        self,
        documents: Mapping[Key, Mapping[str, Any]],
        reference: str,
        workloads: Sequence[str],
        grids: Sequence[Grid] = (),
        wanted: Sequence[str] | None = None,
    ) -> None:
        """Hold results; `wanted` are the traces that claims are of, None in a study of some."""
        self.documents = documents
        self.reference = reference
        self._grids = {grid.name: grid for grid in grids}
        self._wanted = wanted
        held = {workload for workload, _, _ in documents}
        self.workloads = [name for name in workloads if name in held]
        self.schemes = list(dict.fromkeys(scheme for _, scheme, _ in documents))
        self.seeds = sorted({seed for _, _, seed in documents})

    def run_of(self, names: Sequence[str]) -> list[str]:
        """Return the workloads named that were run; all that were where none is named."""
        return [name for name in names or self.workloads if name in self.workloads]

    def missing(self, named: Sequence[str], *, others: bool = False) -> list[str]:
        """Return the workloads that were not run, of those named or of all (`others`)."""
        if self._wanted is None:
            return []
        wanted = [*named, *self._wanted] if others or not named else named
        return [name for name in dict.fromkeys(wanted) if name not in self.workloads]

    def is_grid(self, name: str) -> bool:
        """Return whether it is a grid, and no one scheme."""
        return name in self._grids

    def get(self, measure: str, workload: str, scheme: str, seed: int) -> float | None:
        """Return one figure; None where it was not measured."""
        document = self.documents.get((workload, scheme, seed))
        return None if document is None else value(measure, document)

    def figure(self, column: Term, workload: str, scheme: str, seed: int) -> float | None:
        """Return what a column comes to in one run; None where it was not measured."""
        try:
            of = evaluate(column, lambda name: present(self.get(name, workload, scheme, seed)))
        except (AbsentError, ZeroDivisionError):
            return None
        return float(of)

    def values(
        self, column: Term, scheme: str, workload: str, seed: int | None = None
    ) -> list[float]:
        """Return a column for every seed that has it, or for one."""
        every = [
            self.figure(column, workload, scheme, each)
            for each in (self.seeds if seed is None else [seed])
        ]
        return [figure for figure in every if figure is not None]

    def mean(
        self, column: Term, scheme: str, workload: str, seed: int | None = None
    ) -> float | None:
        """Return a column's mean over the seeds, or that of one seed."""
        figures = self.values(column, scheme, workload, seed)
        return statistics.fmean(figures) if figures else None

    def curve(self, column: Term, name: str, workload: str, seed: int | None = None) -> Curve:
        """Return a column over a grid of one setting, by its value: a seed's, or the means."""
        points = {0.0: name}
        if self.is_grid(name):
            points = {float(each.point[0]): each.name for each in self._grids[name].variants}
        figures = {at: self.mean(column, each, workload, seed) for at, each in points.items()}
        return {at: figure for at, figure in figures.items() if figure is not None}

    def ratios(
        self, column: Term, scheme: str, rival: str, workload: str, seed: int | None = None
    ) -> Curve:
        """Return a scheme's or grid's curve over a rival's: a grid's own, or one scheme's."""
        own = self.curve(column, scheme, workload, seed)
        other = self.curve(column, rival, workload, seed)
        if not self.is_grid(rival):
            other = dict.fromkeys(own, other[0.0]) if other else {}
        return {at: own[at] / other[at] for at in own if other.get(at)}

    def relative(
        self, column: Term, scheme: str, workload: str, seed: int | None = None
    ) -> float | None:
        """Return a figure relative to the reference scheme's on the same workload."""
        return self.ratios(column, scheme, self.reference, workload, seed).get(0.0)

    def relative_means(self, column: Term, names: Sequence[str] = ()) -> dict[str, float]:
        """Return every scheme's mean over workloads, each relative to the reference."""
        means = {}
        for scheme in self.schemes:
            ratios = [self.relative(column, scheme, name) for name in names or self.workloads]
            known = [ratio for ratio in ratios if ratio is not None]
            if known:
                means[scheme] = statistics.fmean(known)
        return means


@dataclass(frozen=True)
class Points:
    """The points that a function is of: a column by trace, setting and seed."""

    call: Call
    table: Table

    @property
    def more(self) -> Keywords:
        """What is said beside the column and the schemes."""
        return self.call.more

    @property
    def scheme(self) -> str:
        """The scheme, or grid, that it is about."""
        return self.call.schemes[0]

    @property
    def rivals(self) -> Sequence[str]:
        """The schemes that it is held against."""
        return self.call.schemes[1:]

    @property
    def is_grid(self) -> bool:
        """Judge whether it is of a grid."""
        return self.table.is_grid(self.scheme)

    @property
    def traces(self) -> list[str]:
        """The traces that it is of, of those that were run."""
        return [name for name in self.table.workloads if not self.more.on or name in self.more.on]

    def without(self, key: str) -> Points:
        """Return the points of everything that a keyword leaves out, too."""
        return replace(self, call=replace(self.call, more=self.more.model_copy(update={key: []})))

    def mean(self, scheme: str, trace: str) -> float | None:
        """Return the column's mean over the seeds."""
        return self.table.mean(self.call.column, scheme, trace)

    def figures(self, seed: int | None = None, scheme: str = "") -> Curves:
        """Return the column by trace and setting: the means over the seeds, or one seed's."""
        name = scheme or self.scheme
        return self._at({w: self.table.curve(self.call.column, name, w, seed) for w in self.traces})

    def changes(self, seed: int | None = None, rival: str = "") -> Curves:
        """Return scheme / rival - 1 in percent: a seed's, or the means over those that have it."""
        rival = rival or self.rivals[0]
        found: Curves = {}
        for name in self.traces:
            every: dict[float, list[float]] = {}
            for each in self.table.seeds if seed is None else [seed]:
                ratios = self.table.ratios(self.call.column, self.scheme, rival, name, each)
                for at, ratio in ratios.items():
                    every.setdefault(at, []).append(100 * (ratio - 1))
            found[name] = {at: statistics.fmean(of) for at, of in every.items()}
        return self._at(found)

    def curves(self) -> Curves:
        """Return the changes against the rival where there is one, else the column."""
        return self.changes() if self.rivals else self.figures()

    def _at(self, curves: Curves) -> Curves:
        at = self.more.at
        found = {n: {x: y for x, y in c.items() if not at or x in at} for n, c in curves.items()}
        return {name: curve for name, curve in found.items() if curve}


def means(curves: Curves) -> dict[str, float]:
    """Return each trace's mean over the settings."""
    return {name: statistics.fmean(of.values()) for name, of in curves.items()}
