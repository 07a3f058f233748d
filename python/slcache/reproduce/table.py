"""The evaluation's results as a table: a measure by workload, scheme and seed."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from slcache.reproduce.expressions import Figure, Term, evaluate
from slcache.reproduce.measures import value
from slcache.reproduce.variants import Grid

Key = tuple[str, str, int]
#: Figures by setting; a scheme that is no grid has one, at 0.
Curve = dict[float, float]
#: A figure of a run by its name, or arithmetic over figures.
Column = str | Term


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
        self._grids = grids
        self._wanted = wanted
        held = {workload for workload, _, _ in documents}
        self.workloads = [name for name in workloads if name in held]
        self.schemes = list(dict.fromkeys(scheme for _, scheme, _ in documents))
        self.seeds = sorted({seed for _, _, seed in documents})

    def run_of(self, names: Sequence[str]) -> list[str]:
        """Return the workloads named that were run; all that were where none is named."""
        return [name for name in names or self.workloads if name in self.workloads]

    def get(self, measure: str, workload: str, scheme: str, seed: int) -> float | None:
        """Return one figure; None where it was not measured."""
        document = self.documents.get((workload, scheme, seed))
        return None if document is None else value(measure, document)

    def figure(self, column: Column, workload: str, scheme: str, seed: int) -> float | None:
        """Return what a column comes to in one run."""
        if isinstance(column, str):
            return self.get(column, workload, scheme, seed)

        def of(leaf: Figure) -> float | None:
            return self.get(leaf.name, workload, scheme, seed)

        found: float | None = evaluate(column, of)
        return found

    def missing(self, named: Sequence[str], *, others: bool = False) -> list[str]:
        """Return the workloads that were not run, of those named or of all (`others`)."""
        if self._wanted is None:
            return []
        wanted = [*named, *self._wanted] if others or not named else named
        return [name for name in dict.fromkeys(wanted) if name not in self.workloads]

    def is_grid(self, name: str) -> bool:
        """Return whether it is a grid, and no one scheme."""
        return any(each.name == name for each in self._grids)

    def by_setting(
        self, measure: Column, name: str, workload: str, seed: int | None = None
    ) -> Curve:
        """Return a grid's curve, or one scheme's figure as the curve's only point, at 0."""
        if self.is_grid(name):
            return self.curve(measure, name, workload, seed)
        one = self.mean(measure, name, workload, seed)
        return {} if one is None else {0.0: one}

    def values(self, measure: Column, scheme: str, workload: str) -> list[float]:
        """Return a figure for every seed that has it."""
        every = [self.figure(measure, workload, scheme, seed) for seed in self.seeds]
        return [figure for figure in every if figure is not None]

    def mean(
        self, measure: Column, scheme: str, workload: str, seed: int | None = None
    ) -> float | None:
        """Return a figure's mean over the seeds, or that of one seed."""
        if seed is not None:
            return self.figure(measure, workload, scheme, seed)
        figures = self.values(measure, scheme, workload)
        return statistics.fmean(figures) if figures else None

    def curve(self, measure: Column, grid: str, workload: str, seed: int | None = None) -> Curve:
        """Return a figure over a grid of one setting, by its value: a seed's, or the means."""
        figures = {
            float(point.point[0]): self.mean(measure, point.name, workload, seed)
            for each in self._grids
            if each.name == grid
            for point in each.variants()
        }
        return {at: figure for at, figure in figures.items() if figure is not None}

    def beside(
        self,
        curve: Mapping[float, float],
        measure: Column,
        rival: str,
        workload: str,
        seed: int | None = None,
    ) -> Curve:
        """Return a rival's figure at every setting of a curve: a grid's own, or one scheme's."""
        own = self.curve(measure, rival, workload, seed)
        if own:
            return {at: own[at] for at in curve if at in own}
        one = self.mean(measure, rival, workload, seed)
        return {} if one is None else dict.fromkeys(curve, one)

    def relative(
        self, measure: Column, scheme: str, workload: str, seed: int | None = None
    ) -> float | None:
        """Return a figure relative to the reference scheme's on the same workload."""
        own = self.mean(measure, scheme, workload, seed)
        reference = self.mean(measure, self.reference, workload, seed)
        return None if own is None or not reference else own / reference

    def relative_means(self, measure: Column, names: Sequence[str] = ()) -> dict[str, float]:
        """Return every scheme's mean over workloads, each relative to the reference."""
        means = {}
        for scheme in self.schemes:
            ratios = [self.relative(measure, scheme, name) for name in names or self.workloads]
            known = [ratio for ratio in ratios if ratio is not None]
            if known:
                means[scheme] = statistics.fmean(known)
        return means
