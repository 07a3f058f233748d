"""Whether work takes time in proportion to the length of what it is given."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import pytest

#: Twice the length may cost so much more: twice, and something for a machine that is busy.
RATIO = 2.5
#: Below so many seconds a clock says little.
FLOOR_S = 0.02


def check(work: Callable[[int], object], counts: tuple[int, ...] = (1000, 2000, 4000)) -> None:
    """Fail where work of one of these lengths takes far more than in proportion to the others."""

    def seconds(count: int) -> float:
        spent = []
        for _ in range(3):
            start = time.process_time()
            work(count)
            spent.append(time.process_time() - start)
        return max(min(spent), FLOOR_S)

    for _ in range(3):
        spent = [seconds(count) for count in counts]
        ratios = [late / early for early, late in itertools.pairwise(spent)]
        if max(ratios) < RATIO:
            return
    pytest.fail(f"{spent} s for {counts}")
