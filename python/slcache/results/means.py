"""A metric of a scheme over seeds or draws: its mean, its interval, and a factor of another's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from slcache.documents import normalise
from slcache.study.pairs import paired, told_apart
from slcache.study.spread import Estimate, estimate


@dataclass(frozen=True)
class Figure:
    """One metric of one scheme over the seeds, None where a seed's run has no such thing."""

    values: Sequence[float | None]
    #: Whether the values are of draws of a recording.
    draws: bool = False

    @property
    def known(self) -> list[float]:
        """The values that there are."""
        return [value for value in self.values if value is not None]

    @property
    def estimate(self) -> Estimate | None:
        """The mean and half its interval; None without values."""
        return estimate(self.known, draws=self.draws) if self.known else None

    def is_apart(self, other: Figure) -> bool | None:
        """Return whether seeds tell it from another figure; None where nobody knows."""
        return told_apart([paired(self.values, other.values, draws=self.draws)])[0]

    def to_dict(self) -> dict[str, Any]:
        """Return values, mean and interval as plain data."""
        found = self.estimate
        half = None if found is None else found.half
        return {
            "values": list(self.values),
            "mean": None if found is None else found.mean,
            "low": None if found is None or half is None else found.mean - half,
            "high": None if found is None or half is None else found.mean + half,
        }


@dataclass(frozen=True)
class Against:
    """One metric of a scheme as a factor of the reference's, and its interval."""

    factor: float | None
    half: float | None
    #: None where nobody knows: fewer than two seeds have both.
    inside_noise: bool | None

    @classmethod
    def of(cls, mine: Figure, reference: Figure) -> Against:
        """Hold a scheme against the reference: equal seeds mean equal draws for both."""
        pairs = [
            (a, b)
            for a, b in zip(mine.values, reference.values, strict=True)
            if a is not None and b is not None
        ]
        if not pairs:
            return cls(None, None, None)
        base = sum(b for _, b in pairs) / len(pairs)
        if not base:
            return cls(None, None, None)
        apart = estimate([a - b for a, b in pairs], draws=mine.draws)
        known = mine.is_apart(reference)
        half = None if apart.half is None else apart.half / abs(base)
        return cls(1 + apart.mean / base, half, None if known is None else not known)

    def to_dict(self) -> dict[str, Any]:
        """Return factor and interval as plain data."""
        ends = self.factor is not None and self.half is not None
        return {
            "factor": self.factor,
            "low": (self.factor or 0.0) - (self.half or 0.0) if ends else None,
            "high": (self.factor or 0.0) + (self.half or 0.0) if ends else None,
            "inside_noise": self.inside_noise,
        }


def is_alike(best: Figure, other: Figure) -> bool:
    """Return whether seeds do not tell two schemes apart, or they are equal within the tie."""
    one, two = best.estimate, other.estimate
    if one is None or two is None:
        return False
    return best.is_apart(other) is False or normalise.equal(one.mean, two.mean)
