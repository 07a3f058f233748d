"""The additive model: a mean, and what each level of each parameter adds to it, by least squares.

The levels of the largest parameter are taken out by themselves: whatever the others add, each of
them is best at the mean of what is left of its points. So equations are solved for the levels of
the other parameters only, and one parameter may have as many levels as there are points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slcache.study.levels import Levels

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Values = NDArray[np.float64]
#: Most levels beside those of the largest parameter: equations cost their cube.
LEVELS_MOST = 1_200
#: Eigenvalues of equations with 1 on the diagonal that are rounding.
_NOTHING = 1e-10


def solvable(design: Sequence[Levels]) -> bool:
    """Return whether parameters have few enough levels for equations."""
    counts = sorted(map(len, design))
    return sum(counts[:-1]) <= LEVELS_MOST


class Model:
    """The model of values over some parameters."""

    def __init__(self, design: Sequence[Levels], values: Values) -> None:
        largest = max(design, key=len)
        others = [each for each in design if each is not largest]
        of = largest.of
        counts = np.bincount(of)
        added, rank = _solved(others, largest, values - values.mean())
        rest = values.copy()
        for each, adds in zip(others, added, strict=True):
            rest -= adds[each.of]
        means = np.bincount(of, rest) / counts
        #: How many means the points tell apart.
        self.rank = len(largest) + rank
        #: The sum of squares that it leaves.
        self.left = float(((rest - means[of]) ** 2).sum())
        places = iter(added)
        #: What the levels of each parameter add, up to the same number for all of a parameter.
        self.added = [means if each is largest else next(places) for each in design]


def _solved(others: Sequence[Levels], largest: Levels, values: Values) -> tuple[list[Values], int]:
    """Return what levels add beside those of the largest parameter, and how many are free."""
    if not others:
        return [], 0
    from scipy import sparse

    points = sparse.hstack([_points(each) for each in others], format="csr")
    groups = _points(largest)
    counts = np.bincount(largest.of)
    # The levels' points, and the values, less the means of the largest parameter's levels.
    shared = points.T @ groups
    inner = (points.T @ points - shared @ sparse.diags_array(1.0 / counts) @ shared.T).toarray()
    outer = points.T @ (values - (np.bincount(largest.of, values) / counts)[largest.of])
    scale = 1.0 / np.sqrt(np.concatenate([np.bincount(each.of) for each in others]))
    roots, vectors = np.linalg.eigh(inner * np.outer(scale, scale))
    free = roots > _NOTHING
    found = scale * (vectors[:, free] @ ((vectors[:, free].T @ (scale * outer)) / roots[free]))
    return np.split(found, np.cumsum([len(each) for each in others])[:-1]), int(free.sum())


def _points(one: Levels) -> csr_array:
    """Return a row for each point, with a 1 in the column of its level."""
    from scipy import sparse

    rows = np.arange(len(one.of))
    return sparse.csr_array((np.ones(len(rows)), (rows, one.of)), (len(rows), len(one)))
