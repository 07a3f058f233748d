"""The closed forms of scheme `client`, backwards: from the phases of a fill to its parameters.

Bytes of data and bytes per second throughout. N' is what the planes hold in dense blocks beside
those kept for folding, r what must be folded per page of the host in the third phase.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from slcache.bandwidth.phases import Phases

#: A later phase that is nearer to the first than this is a return to it.
_SAME = 0.9
#: A cache that would take more than this share of the drive in dense cells takes all of it.
_WHOLE = 0.9
#: Dense cells that a drive may have, in its user bytes; known drives have 0.92 to 1.06.
_ROOM = 1.12


class Reading(StrEnum):
    """What the phases of a fill are."""

    three = "cache, past the cache, folding"
    whole = "cache in all cells, folding"
    direct = "cache, past the cache"


@dataclass(frozen=True)
class Found:
    """What the phases tell; None where they tell nothing."""

    reading: Reading
    #: Bytes in the cache, and N' or the least that it can be.
    cache: float
    usable: float
    #: Bytes per second into SLC blocks, past the cache, and of folding while nobody writes.
    slc: float
    dense: float | None = None
    fold: float | None = None


def check(phases: Phases) -> None:
    """Raise ValueError where no cells whatever make these the phases of a fill."""
    found = phases.phases
    if len(found) == 1:
        told = f"one speed, {found[0].mb_per_s:,.0f} MB/s: no end of a cache is seen"
        raise ValueError(f"{told}; its parameters are not identifiable")
    if len(found) > 3 or max(p.mb_per_s for p in found[1:]) >= _SAME * found[0].mb_per_s:
        shown = ", ".join(f"{p.mb_per_s:,.0f} MB/s to {p.to_gb:,.4g} GB" for p in found)
        raise ValueError(f"{shown}: no phases of a cache that is filled once; not identifiable")


def reading(phases: Phases, bits: int, user: float) -> Reading:
    """Return what checked phases are; ValueError where that cannot be known."""
    found = phases.phases
    cache = found[0].to_gb * 1e9
    if len(found) == 3:
        return Reading.three
    if bits * cache > _WHOLE * user:
        return Reading.whole
    if user + (bits - 1) * cache > _ROOM * user:
        told = "two speeds, and no room for a full cache to the end: it is emptied meanwhile"
        raise ValueError(f"{told}, or folded from the first; not identifiable")
    return Reading.direct


def found(phases: Phases, bits: int, user: float, kind: Reading) -> Found:
    """Return what phases of this kind tell."""
    speeds = [phase.mean_mb_per_s * 1e6 for phase in phases.phases]
    ends = [phase.to_gb * 1e9 for phase in phases.phases]
    cache, slc = ends[0], speeds[0]

    def folding(speed: float) -> float:
        """Return the speed of folding behind the speed of a third phase."""
        return bits / (bits - 1) / (1 / speed - 1 / slc)

    match kind:
        case Reading.three:
            usable = ends[1] + (bits - 1) * cache
            return Found(kind, cache, usable, slc, speeds[1], folding(speeds[2]))
        case Reading.whole:
            return Found(kind, cache, bits * cache, slc, fold=folding(speeds[1]))
        case Reading.direct:
            return Found(kind, cache, user + (bits - 1) * cache, slc, speeds[1])
