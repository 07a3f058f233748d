"""What every search is: it yields batches of points, and is told what became of each of them.

What it asks for next depends on what it was told, and not on how many workers there are or which
of them is faster. A search that is repeated asks for the same points; those that were run before
are found in the store.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from slcache.errors import RunError
from slcache.metrics import absence
from slcache.search.goals import Bound, Figures
from slcache.search.space import Settings

Status = Literal["done", "failed", "impossible", "stopped"]
WHOLE = Fraction(1)


@dataclass(frozen=True)
class Batch:
    """Points that are run together, over this share of the trace."""

    points: Sequence[Settings]
    share: Fraction = WHOLE


@dataclass(frozen=True)
class Found:
    """What became of one point, run over the trace or its beginning."""

    status: Status
    reason: str | None = None
    #: Means over the seeds, by metric; empty where it was not run.
    figures: Figures = field(default_factory=dict)


@dataclass(frozen=True)
class Tried:
    """A point that was tried."""

    settings: Settings
    found: Found
    #: What was seen over the beginnings of the trace: the share of it and the metric there.
    prefixes: Sequence[tuple[Fraction, float | None]] = ()

    def within(self, bounds: Sequence[Bound]) -> float:
        """Return by what share the bound that is nearest is kept; below 0 where it is broken."""
        if self.found.status != "done":
            return -float("inf")
        return -max(bound.broken(self.found.figures) for bound in bounds)


#: A search: it returns the points that it tried.
Batches = Generator[Batch, Sequence[Found], list[Tried]]


def check_figures(metrics: Iterable[str], done: Sequence[Found], which: str = "") -> None:
    """Raise RunError where no run has a metric that is searched by."""
    for name in metrics:
        if all(found.figures[name] is None for found in done):
            raise RunError(
                f"{name}: none of the {which}{len(done)} runs has it, so there is nothing to "
                f"search by; {absence(name)}"
            )
