"""The points of an evaluation that a function of a claim is of: by trace, setting and seed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from slcache.reproduce.expressions import Call
from slcache.reproduce.table import Curve, Table

Curves = dict[str, Curve]


@dataclass(frozen=True)
class Points:
    """The points that a function is of: a column by trace, setting and seed."""

    call: Call
    table: Table

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
        return [name for name in self.table.workloads if not self.call.on or name in self.call.on]

    def without(self, *keys: str) -> Points:
        """Return the points of everything that these keywords leave out, too."""
        more = {key: said for key, said in self.call.more.items() if key not in keys}
        return replace(self, call=replace(self.call, more=more))

    def mean(self, scheme: str, trace: str) -> float | None:
        """Return the column's mean over the seeds."""
        return self.table.mean(self.call.column, scheme, trace)

    def figures(self, seed: int | None = None, scheme: str = "") -> Curves:
        """Return the column by trace and setting: the means over the seeds, or one seed's."""
        found, at = {}, self.call.more.get("at")
        for name in self.traces:
            curve = self.table.by_setting(self.call.column, scheme or self.scheme, name, seed)
            found[name] = {x: y for x, y in curve.items() if not at or x in at}
        return {name: curve for name, curve in found.items() if curve}

    def changes(self, seed: int | None = None, rival: str = "") -> Curves:
        """Return scheme / rival - 1 in percent: a seed's, or the means over those that have it."""
        rival = rival or self.rivals[0]
        if seed is None:
            return _mean_curves(
                [self.changes(each, rival) for each in self.table.seeds], self.traces
            )
        found = {}
        for name, curve in self.figures(seed).items():
            others = self.table.beside(curve, self.call.column, rival, name, seed)
            found[name] = {x: 100 * (curve[x] / other - 1) for x, other in others.items() if other}
        return {name: of for name, of in found.items() if of}

    def curves(self) -> Curves:
        """Return the changes against the rival where there is one, else the column."""
        return self.changes() if self.rivals else self.figures()


def _mean_curves(every: Sequence[Curves], traces: Sequence[str]) -> Curves:
    gathered: dict[str, dict[float, list[float]]] = {name: {} for name in traces}
    for curves in every:
        for name, curve in curves.items():
            for at, figure in curve.items():
                gathered[name].setdefault(at, []).append(figure)
    return {n: {x: statistics.fmean(of) for x, of in c.items()} for n, c in gathered.items() if c}


def means(curves: Curves) -> dict[str, float]:
    """Return each trace's mean over the settings."""
    return {name: statistics.fmean(of.values()) for name, of in curves.items()}
