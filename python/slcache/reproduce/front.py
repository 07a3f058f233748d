"""The points of a study that no other beats on all of the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slcache.reproduce.claims import EMERGENT
from slcache.reproduce.ledger import Row
from slcache.reproduce.verdicts import CONSISTENT, REPRODUCED
from slcache.study import pareto

#: Verdicts of claims that come out as the paper has them.
MET = (REPRODUCED, CONSISTENT)


def front(points: Sequence[Mapping[str, Row]]) -> list[int]:
    """Return the places of the points that none is as near as on all figures and nearer on one.

    Looked at are emergent claims of a figure that every point has. One that is reproduced, or a
    limit that is kept, is as near as it can be.
    """
    distances = [_distances(rows) for rows in points]
    common = [name for name in distances[0] if all(name in of for of in distances)]
    costs = [[of[name] for name in common] for of in distances]
    return pareto.front(costs, ["min"] * len(common))


def met(rows: Mapping[str, Row]) -> int:
    """Return how many emergent claims are reproduced, or consistent."""
    return sum(row.class_ == EMERGENT and row.verdict in MET for row in rows.values())


def _distances(rows: Mapping[str, Row]) -> dict[str, float]:
    """Return how far figures are from the paper's."""
    return {
        name: 0.0 if row.verdict in MET else abs(row.distance)
        for name, row in rows.items()
        if row.class_ == EMERGENT and row.distance is not None
    }
