"""A device from the phases of a fill: laws of a cache and its folds, and what they leave open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from slcache.bandwidth.curves import Phase, Phases
from slcache.drives import trials
from slcache.fit.measured import Told

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


def count(phases: Phases) -> int:
    """Return how many phases there are, but for such a rest."""
    return sum(map(len, _turns(phases)))


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


#: Assumed of every drive: page, channel (1.6 GB/s), reads and erases in ns, blocks kept to fold.
PAGE_BYTES, PS_PER_BYTE = 16384, 625
SLC_READ_NS, READ_NS, ERASE_NS, KEEP_BLOCKS = 25_000, 60_000, 3_500_000, 2
TRANSFER_NS = PAGE_BYTES * PS_PER_BYTE / 1000
#: Channels, where planes divide by as many.
_CHANNELS = 8
#: An SLC program of about this time says how many planes there may be.
_PROGRAM_NS = 200_000
#: Blocks of the cache in a plane, at least where that can be: one more or less is then no matter.
_CACHE_BLOCKS = 100
#: For them programs may be so many times faster, and planes fewer.
_FEWER = 4
#: Blocks beside those kept that hold no user data: the one that is folded into.
_FRONTIERS = 1

#: The largest flush.busy_ratio, and the longest program.
_MOST_BUSY, _PROGRAM_NS_MAX = 4.0, 1_000_000_000

MODES = {3: "tlc", 4: "qlc"}


@dataclass(frozen=True)
class Shape:
    """What is assumed of the chips: planes in all, and wordlines of a block."""

    planes: int
    wordlines: int

    @property
    def row_bytes(self) -> int:
        """Bytes of an SLC block of every plane."""
        return self.planes * self.wordlines * PAGE_BYTES


def shape(found: Found, known: int | None = None) -> Shape:
    """Return a likely shape in which a block is little beside the cache; planes may be known."""
    wanted = found.slc * (_PROGRAM_NS + TRANSFER_NS) / 1e9 / PAGE_BYTES
    planes = known or 2 ** min(7, max(2, round(math.log2(wanted))))
    wordlines, least = 512, known or planes // _FEWER
    while wordlines > 64 and planes * wordlines * PAGE_BYTES * _CACHE_BLOCKS > found.cache:
        wordlines //= 2
    while planes > least and planes * wordlines * PAGE_BYTES * _CACHE_BLOCKS > found.cache:
        planes //= 2
    return Shape(planes, wordlines)


@dataclass(frozen=True)
class Given:
    """What the user says of the drive: its size, if that is known, and its link."""

    user_bytes: int
    is_stated: bool
    link: str | None
    #: What latencies tell, by key, or by its last two parts.
    told: Mapping[str, Told] = field(default_factory=dict)

    def also(self, told: Mapping[str, Told]) -> Given:
        """Return it with more that is told."""
        return replace(self, told={**self.told, **told})

    def value(self, key: str) -> float | None:
        """Return what a key is told to be."""
        return self.told[key].value if key in self.told else None

    @property
    def planes(self) -> int | None:
        """How many planes there are, if a latency tells."""
        found = self.value("planes")
        return None if found is None else int(found)


def crossing_ns(given: Given, at: Shape, slc: float) -> float:
    """Return what a plane waits for the channel: for its page, or its channel's of a stripe."""
    stripe = given.value("buffer.stripe_planes")
    if stripe is None:
        return TRANSFER_NS
    return max(stripe / channels(at.planes, slc), 1.0) * TRANSFER_NS


def channels(planes: int, speed: float) -> int:
    """Return channels that divide the planes and carry more than the cache takes."""
    least = 1.2 * speed / (1e12 / PS_PER_BYTE)
    every = [count for count in range(1, planes + 1) if planes % count == 0]
    fitting = [count for count in every if count >= least] or [planes]
    usual = [count for count in fitting if count <= _CHANNELS]
    return max(usual) if usual else min(fitting)


#: A value, and why the phases do not tell it, if so.
Value = tuple[float, str | None]


def keys(found: Found, at: Shape, bits: int, crossing_ns: float = TRANSFER_NS) -> dict[str, Value]:
    """Return the keys that follow from the phases; raises ValueError where they cannot.

    A plane that programs waits for the channel meanwhile.
    """
    page_ns = 1e9 * at.planes * PAGE_BYTES
    fixed_ns = SLC_READ_NS + ERASE_NS / at.wordlines
    dense = fold = 0.0
    dense_why: str | None = None
    fold_why: str | None = None
    if found.busy is not None and found.dense is not None:
        # A page past the cache takes its own time and that of so many folded ones.
        rest_ns = page_ns / found.dense - crossing_ns - found.busy * fixed_ns
        dense = fold = bits * rest_ns / (1 + found.busy)
        dense_why = "apart from fold.program_ns; taken as equal"
        fold_why = "apart from program_ns; taken as equal"
    elif found.dense is not None:
        dense = bits * (page_ns / found.dense - crossing_ns)
    if found.fold is not None:
        fold = bits * (page_ns / found.fold - fixed_ns)
    if found.dense is None:
        dense, dense_why = fold, "nothing goes past the cache; as fold.program_ns"
    if found.fold is None and found.busy is None:
        fold, fold_why = dense, "nothing is folded in the log"
    values: dict[str, Value] = {
        "slc.program_ns": (page_ns / found.slc - crossing_ns, None),
        "dense.program_ns": (dense, dense_why),
        "fold.program_ns": (fold, fold_why),
        "usable": (found.usable, None if found.fold else "the least"),
        "cache": (found.cache, None),
    }
    if found.busy is not None:
        values["busy"] = found.busy, None
    if found.busy is not None and found.busy > _MOST_BUSY:
        told = f"{found.busy:.3g} pages folded for each past the cache, more than {_MOST_BUSY}"
        raise ValueError(f"{told}: the phases fit no scheme client")
    for key, (value, _) in values.items():
        if key.endswith("_ns") and not 1 <= value <= _PROGRAM_NS_MAX:
            told = f"{at.planes} planes would take a {key} of {value:,.0f} ns"
            raise ValueError(f"{told}: the speeds fit no scheme client")
    return values


def blocks(usable: float, user_bytes: int, at: Shape, bits: int) -> tuple[int, bool]:
    """Return the blocks of a plane, and whether the user's data needed more than was fitted."""
    row = at.row_bytes * bits
    fitted, data = round(usable / row), math.ceil(user_bytes / row)
    count = max(fitted, data) + KEEP_BLOCKS
    while count < (least := data + KEEP_BLOCKS + _spare(count, at, bits)):
        count = least
    return count, count > fitted + KEEP_BLOCKS


def _spare(count: int, at: Shape, bits: int) -> int:
    """Return the blocks that hold no user data: frontiers, and units that may be dead in pages."""
    units = PAGE_BYTES // trials.UNIT_BYTES
    return _FRONTIERS + math.ceil(count * (units - 1) / (units * at.wordlines * bits))
