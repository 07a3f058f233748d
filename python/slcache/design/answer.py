"""What a search for a size found: the sizes tried, and which of them is the answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Literal, TypeVar

P = TypeVar("P")
#: Which of the sizes that meet the constraint is wanted.
Find = Literal["smallest", "largest"]


class Answer(ABC, Generic[P]):
    """The points that were tried, the smallest size first."""

    #: Sizes that could have been the answer, the smallest first.
    candidates: Sequence[Any]
    points: Sequence[P]

    @abstractmethod
    def size_of(self, point: P) -> Any:  # noqa: ANN401
        """Return the size that a point has."""

    @abstractmethod
    def figure(self, point: P) -> float:
        """Return what is to be large for the constraint to be met."""

    @abstractmethod
    def meets(self, point: P) -> bool:
        """Return whether a point meets the constraint."""

    @property
    def wanted(self) -> Find:
        """Which of several sizes that meet the constraint is the answer."""
        return "smallest"

    @property
    def chosen(self) -> P | None:
        """The point that is the answer; None where none meets the constraint."""
        good = [point for point in self.points if self.meets(point)]
        return None if not good else good[0 if self.wanted == "smallest" else -1]

    @property
    def nearest(self) -> P:
        """The point that comes nearest to the constraint, or is best beyond it."""
        return max(self.points, key=self.figure)

    @property
    def neighbours(self) -> list[P]:
        """The points of the candidates beside the chosen one."""
        if self.chosen is None:
            return []
        place = list(self.candidates).index(self.size_of(self.chosen))
        beside = self.candidates[max(0, place - 1) : place + 2]
        return [p for p in self.points if self.size_of(p) in beside and p != self.chosen]
