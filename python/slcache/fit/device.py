"""The device file: every key says whether it is fitted, known, assumed or not identifiable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from slcache.fit.laws import Found, Reading

#: Assumed of every drive: page, channel (1.6 GB/s), reads and erases in ns, blocks kept to fold.
PAGE_BYTES, PS_PER_BYTE = 16384, 625
_SLC_READ_NS, _READ_NS, _ERASE_NS, _KEEP_BLOCKS = 25_000, 60_000, 3_500_000, 2
_TRANSFER_NS = PAGE_BYTES * PS_PER_BYTE / 1000
#: An SLC program of about this time says how many planes there may be.
_PROGRAM_NS = 200_000
#: Blocks of the cache in a plane, at least where that can be: one more or less is then no matter.
_CACHE_BLOCKS = 100
#: For them programs may be so many times faster, and planes fewer.
_FEWER = 4
#: Blocks beside those kept that hold no user data: the one that is folded into.
_FRONTIERS = 1

#: The largest flush.busy_ratio.
_MOST_BUSY = 4.0

MODES = {3: "tlc", 4: "qlc"}
#: The mark of what has an interval.
FITTED = "fitted"


@dataclass(frozen=True)
class Shape:
    """What is assumed of the chips: planes in all, and wordlines of a block."""

    planes: int
    wordlines: int

    @property
    def row_bytes(self) -> int:
        """Bytes of an SLC block of every plane."""
        return self.planes * self.wordlines * PAGE_BYTES


def shape(found: Found) -> Shape:
    """Return a likely shape in which a block is little beside the cache."""
    wanted = found.slc * (_PROGRAM_NS + _TRANSFER_NS) / 1e9 / PAGE_BYTES
    planes = 2 ** min(7, max(2, round(math.log2(wanted))))
    wordlines, least = 512, planes // _FEWER
    while wordlines > 64 and planes * wordlines * PAGE_BYTES * _CACHE_BLOCKS > found.cache:
        wordlines //= 2
    while planes > least and planes * wordlines * PAGE_BYTES * _CACHE_BLOCKS > found.cache:
        planes //= 2
    return Shape(planes, wordlines)


@dataclass(frozen=True)
class Value:
    """A key's value and where it is from; an interval where it is fitted."""

    value: float
    mark: str


def keys(found: Found, at: Shape, bits: int) -> dict[str, Value]:
    """Return the keys that follow from the phases; raises ValueError where they cannot."""
    page_ns = 1e9 * at.planes * PAGE_BYTES
    fixed_ns = _SLC_READ_NS + _ERASE_NS / at.wordlines
    dense = fold = 0.0
    dense_mark = fold_mark = FITTED
    if found.busy is not None and found.dense is not None:
        # A page past the cache takes its own time and that of so many folded ones.
        rest_ns = page_ns / found.dense - _TRANSFER_NS - found.busy * fixed_ns
        dense = fold = bits * rest_ns / (1 + found.busy)
        dense_mark = "not identifiable apart from fold.program_ns; taken as equal"
        fold_mark = "not identifiable apart from program_ns; taken as equal"
    elif found.dense is not None:
        dense = bits * (page_ns / found.dense - _TRANSFER_NS)
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
        "slc.program_ns": Value(page_ns / found.slc - _TRANSFER_NS, FITTED),
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
        if key.endswith("_ns") and each.value < 1:
            raise ValueError(f"{key} = {each.value:,.0f} ns: the speeds fit no scheme client")
    return values


def blocks(usable: float, user_bytes: int, at: Shape, bits: int) -> tuple[int, bool]:
    """Return the blocks of a plane, and whether the user's data needed more than was fitted."""
    row = at.row_bytes * bits
    least = math.ceil(user_bytes / row) + _FRONTIERS
    fitted = round(usable / row)
    return max(fitted, least) + _KEEP_BLOCKS, fitted < least


def text(
    found: Found,
    values: Mapping[str, Value],
    ranges: Mapping[str, tuple[float, float]],
    at: Shape,
    bits: int,
    user: tuple[int, str],
    link: str | None,
) -> str:
    """Return the device file."""
    user_bytes, user_mark = user
    count, raised = blocks(values["usable"].value, user_bytes, at, bits)
    channels = min(8, at.planes)

    def note(key: str, step: float = 1.0, scale: float = 1.0, more: int = 0) -> str:
        """Return a key's mark, its interval in whole steps, each of which is shown as `scale`."""
        if values[key].mark != FITTED:
            return values[key].mark
        steps = math.floor(ranges[key][0] / step), math.ceil(ranges[key][1] / step)
        return "{} ({}, {})".format(FITTED, *(f"{n * scale + more:_.10g}" for n in steps))

    times = {key: f"{round(each.value):_}" for key, each in values.items()}
    row, keep = at.row_bytes, _KEEP_BLOCKS
    cache = max(1, round(found.cache / row))
    cap = ""
    if found.reading != Reading.whole:
        cap = f"dynamic.max_bytes = {cache * row:_}  # {note('cache', row, row)}\n"
    if found.busy is not None:
        cap += f"flush.busy_ratio = {found.busy:.3f}  # {note('busy', 0.001, 0.001)}\n"
        cap += "reopen = 0  # assumed: the cache is back when it is empty\n"
    return _FILE.format(
        reading=found.reading,
        mode=MODES[bits],
        size=f"{user_bytes / 1e9:,.0f} GB {MODES[bits].upper()}",
        user_bytes=f"{user_bytes:_}  # {user_mark}",
        page=PAGE_BYTES,
        channels=channels,
        planes=at.planes // channels,
        blocks=f"{count}  # {note('usable', row * bits, 1, keep)}"
        + (", raised to the least that holds the user's data" if raised else ""),
        wordlines=at.wordlines,
        ps=PS_PER_BYTE,
        slc_read=f"{_SLC_READ_NS:_}",
        read=f"{_READ_NS:_}",
        erase=f"{_ERASE_NS:_}",
        slc_program=f"[{times['slc.program_ns']}]  # {note('slc.program_ns')}",
        program=f"[{times['dense.program_ns']}]  # {note('dense.program_ns')}",
        fold=f"{times['fold.program_ns']}  # {note('fold.program_ns')}",
        buffer=2 * at.planes * bits * PAGE_BYTES,
        host=f'[host]\nlink = "{link}"  # known\n\n' if link else "",
        keep=keep,
        cap=cap,
    )


_FILE = """\
# Fitted to a fill: {reading}.
# Intervals hold 95 % of 200 resamples of the log.

[device]
name = "fitted"
summary = "{size} drive, fitted to a fill"
source = "slcache fit"
user_bytes = {user_bytes}
mu_bytes = {page}  # assumed: whole pages

[[device.pool]]
name = "nand"
channels = {channels}  # assumed
chips = 1  # assumed
dies = 1  # assumed
planes = {planes}  # not identifiable apart from the times of programs; assumed
blocks = {blocks}
wordlines = {wordlines}  # assumed
page_bytes = {page}  # assumed
plane_parallelism = "independent"  # assumed

[device.pool.bus]
ps_per_byte = {ps}  # assumed

[device.pool.slc]
read_ns = [{slc_read}]  # assumed
program_ns = {slc_program}
erase_ns = {erase}  # assumed

[device.pool.{mode}]
read_ns = [{read}]  # assumed
program = "one-shot"  # assumed
program_ns = {program}
erase_ns = {erase}  # assumed

[device.pool.{mode}.fold]  # in the chip or by the controller: not identifiable; assumed
program_ns = {fold}

[buffer]
bytes = {buffer}  # assumed: two wordlines of every plane

{host}[scheme-defaults.client]
fold.keep_blocks = {keep}  # assumed
static_blocks = 0  # not identifiable from one fill; assumed
dynamic.rule = "free"  # not identifiable from one fill; assumed
flush.when = "eager"  # not identifiable: a fill has no pause; assumed
{cap}"""
