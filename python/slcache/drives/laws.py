"""Closed forms of a client drive's fill: where its phases end, how fast they are, its average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Data that lie in flash when folding begins, as a share of the user capacity: the mean
#: over the calibrated drives.
USABLE = 0.995


@dataclass(frozen=True)
class Fill:
    """A fill by the laws: GB at which its phases end, and their GB per second."""

    ends_gb: tuple[float, ...]
    gb_s: tuple[float, ...]

    @property
    def average_gb_s(self) -> float:
        """The average over all of it."""
        return self.ends_gb[-1] / seconds(self.ends_gb, self.gb_s)


def seconds(ends_gb: Sequence[float], gb_s: Sequence[float]) -> float:
    """Return how long phases take that end after so many GB."""
    begins = [0.0, *ends_gb]
    return sum(
        (end - begin) / speed for begin, end, speed in zip(begins, ends_gb, gb_s, strict=False)
    )


def boundary_gb(cache_gb: float, bits: int, usable_gb: float) -> float:
    """Return law 1: the third phase begins where SLC blocks have to make room for dense ones."""
    return max(cache_gb, usable_gb - (bits - 1) * cache_gb)


def third_gb_s(first_gb_s: float, second_gb_s: float, bits: int, cost: float = 1.0) -> float:
    """Return law 2: the host goes through SLC, and `bits` of `bits - 1` pages are folded for it."""
    return 1 / (1 / first_gb_s + cost * bits / (bits - 1) / second_gb_s)


def random_kiops(gb_s: float) -> float:
    """Return law 4: units of 4 KiB are packed into pages, so random writes are as fast as others.

    Behind the cache, with requests enough to keep all planes busy.
    """
    return gb_s * 1e9 / 4096 / 1e3


def fill(
    cache_gb: float,
    first_gb_s: float,
    second_gb_s: float,
    *,
    bits: int,
    user_gb: float,
    cost: float = 1.0,
) -> Fill:
    """Return law 3: a whole fill from cache and two speeds alone."""
    boundary = min(boundary_gb(cache_gb, bits, USABLE * user_gb), user_gb)
    third = third_gb_s(first_gb_s, second_gb_s, bits, cost)
    phases = [(cache_gb, first_gb_s), (boundary, second_gb_s), (user_gb, third)]
    kept = [
        (end, speed)
        for (end, speed), begin in zip(phases, [0.0, cache_gb, boundary], strict=True)
        if end > begin
    ]
    return Fill(tuple(end for end, _ in kept), tuple(speed for _, speed in kept))
