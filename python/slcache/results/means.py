"""A metric of a scheme over seeds or draws: its mean, its interval, and a factor of another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache.study.pairs import Paired, paired, told_apart
from slcache.study.spread import Estimate, estimate


@dataclass(frozen=True)
class Figure:
    """One metric of one scheme over the seeds, None where a seed's run has no such thing."""

    values: Sequence[float | None]
    #: Whether the values are of draws of a recording.
    draws: bool = False
    #: Then the recording's own figure.
    own: float | None = None

    @property
    def known(self) -> list[float]:
        """The values that there are."""
        return [value for value in self.values if value is not None]

    @property
    def estimate(self) -> Estimate | None:
        """The mean and half its interval; None without values."""
        return estimate(self.known, draws=self.draws, own=self.own) if self.known else None

    def beside(self, other: Figure) -> Paired:
        """Hold it against another scheme's: equal seeds mean equal draws for both."""
        own = (self.own, other.own) if self.draws else ()
        return paired(self.values, other.values, draws=self.draws, own=own)

    def to_dict(self) -> dict[str, Any]:
        """Return values, mean and interval as plain data; of draws the recording's own figure."""
        found = self.estimate
        half = None if found is None else found.half
        return {
            "values": list(self.values),
            **({"recording": self.own} if self.draws else {}),
            "mean": None if found is None else found.mean,
            "low": None if found is None or half is None else found.centre - half,
            "high": None if found is None or half is None else found.centre + half,
        }


@dataclass(frozen=True)
class Against:
    """One metric of a scheme beside another's, and whether seeds tell them apart."""

    paired: Paired
    #: None where nobody knows: fewer than two seeds have both.
    inside_noise: bool | None

    def to_dict(self) -> dict[str, Any]:
        """Return factor, interval and counts as plain data."""
        found = self.paired
        return {
            "factor": found.factor,
            "low": found.low,
            "high": found.high,
            "pairs": found.pairs,
            "less": found.less,
            "more": found.more,
            "p": found.p,
            "inside_noise": self.inside_noise,
        }


def against(figures: Mapping[str, Figure], to: str) -> dict[str, Against]:
    """Return each scheme's metric beside that of one of them; all are judged together."""
    others = {name: each.beside(figures[to]) for name, each in figures.items() if name != to}
    apart = told_apart(list(others.values()))
    return {
        name: Against(each, None if told is None else not told)
        for (name, each), told in zip(others.items(), apart, strict=True)
    }
