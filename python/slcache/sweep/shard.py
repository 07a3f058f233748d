"""A part of a study, for machines that know nothing of each other but a common store."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

_T = TypeVar("_T")
_MOST = 1_000_000


@dataclass(frozen=True)
class Shard:
    """Every so-manyth point, from one of the first on."""

    #: From 1.
    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """Return what `2/8` says; raises ValueError."""
        match = re.fullmatch(r"(\d{1,7})/(\d{1,7})", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]) <= _MOST:
            raise ValueError(f"shard = {text}: must be I/N, the I-th of N parts, such as 2/8")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def of(self, points: Sequence[_T]) -> list[_T]:
        """Return the points of this part: neighbours, which often take alike, go to others."""
        return list(points[self.number - 1 :: self.count])
