"""The closed forms of scheme `client`, backwards: from the phases of a fill to its parameters.

Bytes of data and bytes per second throughout. N' is what the planes hold in dense blocks beside
those kept for folding.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from slcache.bandwidth.phases import Phase, Phases

#: A later phase that is nearer to the first than this is a return to it.
_SAME = 0.9
#: Bursts are as fast as the first, and what is between them is of one speed, within this share.
_ALIKE = 0.1
#: The last phase of a fill tells its speed if it is this share of the first, at least.
_REST = 0.2
#: A cache that would take more than this share of the drive in dense cells takes all of it.
_WHOLE = 0.9
#: Dense cells beyond the least where folding was never forced, as a share.
_MORE = 0.01
#: Dense cells that a drive may have, in its user bytes; known drives have 0.92 to 1.06.
_ROOM = 1.12


class Reading(StrEnum):
    """What the phases of a fill are."""

    three = "cache, past the cache, folding"
    whole = "cache in all cells, folding"
    direct = "cache, past the cache"
    emptied = "cache, past the cache while it is emptied, cache again"


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
    #: Pages folded for each page past the cache; `dense` is the speed meanwhile.
    busy: float | None = None

    @property
    def is_protected(self) -> bool:
        """Whether the closed forms want power-loss protection: what is folded is never padded."""
        return self.busy is not None


def check(phases: Phases) -> None:
    """Raise ValueError where no cells whatever make these the phases of a fill."""
    found = phases.phases
    if is_emptied(phases):
        return
    if len(found) == 1:
        told = f"one speed, {found[0].mb_per_s:,.0f} MB/s: no end of a cache is seen"
        raise ValueError(f"{told}; its parameters are not identifiable")
    if len(found) > 3 or max(p.mb_per_s for p in found[1:]) >= _SAME * found[0].mb_per_s:
        shown = ", ".join(f"{p.mb_per_s:,.0f} MB/s to {p.to_gb:,.4g} GB" for p in found)
        raise ValueError(f"{shown}: no phases of a cache that is filled once; not identifiable")


def is_emptied(phases: Phases) -> bool:
    """Return whether the cache comes back as often as its size and one rate of emptying say."""
    bursts, between = _turns(phases)
    if len(bursts) < 2 or max(p.mb_per_s for p in between) >= _SAME * bursts[0].mb_per_s:
        return False
    for alike in (bursts, between):
        if any(abs(p.mb_per_s / alike[0].mb_per_s - 1) > _ALIKE for p in alike):
            return False
    ratios = [_gb(burst) / _gb(slow) for burst, slow in zip(bursts, between, strict=False)]
    # The last phase need not be over.
    over = ratios[: len(bursts) - 1]
    grows = any(_gb(p) > (1 + _ALIKE) * _gb(bursts[0]) for p in bursts[1:])
    late = len(ratios) > len(over) and ratios[-1] < min(over) / (1 + 2 * _ALIKE)
    return not grows and not late and max(over) <= (1 + 2 * _ALIKE) * min(over)


def _turns(phases: Phases) -> tuple[tuple[Phase, ...], tuple[Phase, ...]]:
    """Return the bursts and what is between them, without a rest at the end that tells nothing."""
    found = phases.phases
    if len(found) > 3 and _gb(found[-1]) < _REST * _gb(found[0]):
        found = found[:-1]
    return found[::2], found[1::2]


def _gb(phase: Phase) -> float:
    return phase.to_gb - phase.from_gb


def reading(phases: Phases, bits: int, user: float) -> Reading:
    """Return what checked phases are; ValueError where that cannot be known."""
    found = phases.phases
    cache = found[0].to_gb * 1e9
    if is_emptied(phases):
        return Reading.emptied
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
        case Reading.emptied:
            return _emptied(phases, bits)
        case Reading.direct:
            return Found(kind, cache, user + (bits - 1) * cache, slc, speeds[1])


def _emptied(phases: Phases, bits: int) -> Found:
    """Return what a cache tells that was emptied and filled again.

    N' is at least what the data take when the cache is full, and at the end. A little more keeps
    folding for want of blocks, which the log does not show, away.
    """
    bursts, between = _turns(phases)
    over = between[: len(bursts) - 1]
    busy = sum(_gb(p) for p in bursts[: len(over)]) / sum(_gb(p) for p in over)
    full = max(p.to_gb + (bits - 1) * _gb(p) for p in bursts)
    since = phases.phases[-1].to_gb - bursts[-1].to_gb
    left = max(0.0, _gb(bursts[-1]) - busy * since)
    usable = max(full, phases.phases[-1].to_gb + (bits - 1) * left)
    share = sum(_gb(p) for p in between)
    slow = share / sum(_gb(p) / p.mean_mb_per_s for p in between) * 1e6
    fast = bursts[0].mean_mb_per_s * 1e6
    cells = (1 + _MORE) * usable * 1e9
    return Found(Reading.emptied, bursts[0].to_gb * 1e9, cells, fast, slow, busy=busy)
