"""What the phases of a fill tell of a device, and what is usual where they do not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from slcache.drives import usual
from slcache.fit.evidence import FITTED, Told, Value
from slcache.fit.laws import Found

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
        return self.told[key].values[0] if key in self.told else None

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


def keys(found: Found, at: Shape, bits: int, crossing_ns: float = TRANSFER_NS) -> dict[str, Value]:
    """Return the keys that follow from the phases; raises ValueError where they cannot.

    A plane that programs waits for the channel meanwhile.
    """
    page_ns = 1e9 * at.planes * PAGE_BYTES
    fixed_ns = SLC_READ_NS + ERASE_NS / at.wordlines
    dense = fold = 0.0
    dense_mark = fold_mark = FITTED
    if found.busy is not None and found.dense is not None:
        # A page past the cache takes its own time and that of so many folded ones.
        rest_ns = page_ns / found.dense - crossing_ns - found.busy * fixed_ns
        dense = fold = bits * rest_ns / (1 + found.busy)
        dense_mark = "not identifiable apart from fold.program_ns; taken as equal"
        fold_mark = "not identifiable apart from program_ns; taken as equal"
    elif found.dense is not None:
        dense = bits * (page_ns / found.dense - crossing_ns)
    if found.fold is not None:
        fold = bits * (page_ns / found.fold - fixed_ns)
    if found.dense is None:
        dense, dense_mark = (
            fold,
            "not identifiable: nothing goes past the cache; as fold.program_ns",
        )
    if found.fold is None and found.busy is None:
        fold, fold_mark = dense, "not identifiable: nothing is folded in the log"
    values = {
        "slc.program_ns": Value(page_ns / found.slc - crossing_ns, FITTED),
        "dense.program_ns": Value(dense, dense_mark),
        "fold.program_ns": Value(fold, fold_mark),
        "usable": Value(found.usable, FITTED if found.fold else "not identifiable: the least"),
        "cache": Value(found.cache, FITTED),
    }
    if found.busy is not None:
        values["busy"] = Value(found.busy, FITTED)
    if found.busy is not None and found.busy > _MOST_BUSY:
        told = f"{found.busy:.3g} pages folded for each past the cache, more than {_MOST_BUSY}"
        raise ValueError(f"{told}: the phases fit no scheme client")
    for key, each in values.items():
        if key.endswith("_ns") and not 1 <= each.value <= _PROGRAM_NS_MAX:
            told = f"{at.planes} planes would take a {key} of {each.value:,.0f} ns"
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
    units = PAGE_BYTES // usual.UNIT_BYTES
    return _FRONTIERS + math.ceil(count * (units - 1) / (units * at.wordlines * bits))
