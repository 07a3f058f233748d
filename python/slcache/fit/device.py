"""The device file: what the phases tell, what is usual, and on what each key stands."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from slcache.fit import evidence
from slcache.fit.evidence import FITTED, Ground, Marks, Told, Value
from slcache.fit.laws import Found, Reading
from slcache.fit.lines import Source

#: Assumed of every drive: page, channel (1.6 GB/s), reads and erases in ns, blocks kept to fold.
PAGE_BYTES, PS_PER_BYTE = 16384, 625
_SLC_READ_NS, _READ_NS, _ERASE_NS, _KEEP_BLOCKS = 25_000, 60_000, 3_500_000, 2
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

#: The largest flush.busy_ratio, the longest program, and the most blocks of a plane.
_MOST_BUSY, _PROGRAM_NS_MAX, _MOST_BLOCKS = 4.0, 1_000_000_000, 65_536

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


def keys(found: Found, at: Shape, bits: int) -> dict[str, Value]:
    """Return the keys that follow from the phases; raises ValueError where they cannot."""
    page_ns = 1e9 * at.planes * PAGE_BYTES
    fixed_ns = _SLC_READ_NS + _ERASE_NS / at.wordlines
    dense = fold = 0.0
    dense_mark = fold_mark = FITTED
    if found.busy is not None and found.dense is not None:
        # A page past the cache takes its own time and that of so many folded ones.
        rest_ns = page_ns / found.dense - TRANSFER_NS - found.busy * fixed_ns
        dense = fold = bits * rest_ns / (1 + found.busy)
        dense_mark = "not identifiable apart from fold.program_ns; taken as equal"
        fold_mark = "not identifiable apart from program_ns; taken as equal"
    elif found.dense is not None:
        dense = bits * (page_ns / found.dense - TRANSFER_NS)
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
        "slc.program_ns": Value(page_ns / found.slc - TRANSFER_NS, FITTED),
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
    least = math.ceil(user_bytes / row) + _FRONTIERS
    fitted = round(usable / row)
    return max(fitted, least) + _KEEP_BLOCKS, fitted < least


@dataclass(frozen=True)
class Given:
    """What the user says of the drive: its size, if that is known, and its link."""

    user_bytes: int
    is_stated: bool
    link: str | None
    #: What latencies tell: times of dense reads, planes, and the host's own ns.
    reads: Told | None = None
    planes: Told | None = None
    turnaround: Told | None = None


def text(found: Found, marks: Marks, at: Shape, bits: int, given: Given, log: Source) -> str:
    """Return the device file."""
    values, user_bytes = marks.values, given.user_bytes
    count, _ = blocks(values["usable"].value, user_bytes, at, bits)
    if count > _MOST_BLOCKS:
        told = f"{count:,} blocks of a plane, more than {_MOST_BLOCKS:,}"
        raise ValueError(f"{told}: the cache is too small beside the drive")
    channels = _channels(at.planes, found.slc)
    times = {key: f"{round(each.value):_}" for key, each in values.items()}
    row = at.row_bytes
    cap = ""
    if found.reading != Reading.whole:
        cap = f"dynamic.max_bytes = {max(1, round(found.cache / row)) * row:_}\n"
    if found.busy is not None:
        cap += f"flush.busy_ratio = {found.busy:.3f}\nreopen = 0\n"
    content = _FILE.format(
        mode=MODES[bits],
        size=f"{user_bytes / 1e9:,.0f} GB {MODES[bits].upper()}",
        user_bytes=f"{user_bytes:_}",
        page=PAGE_BYTES,
        channels=channels,
        planes=at.planes // channels,
        blocks=count,
        wordlines=at.wordlines,
        ps=PS_PER_BYTE,
        slc_read=f"{_SLC_READ_NS:_}",
        read=", ".join(f"{ns:_.0f}" for ns in (given.reads.values if given.reads else [_READ_NS])),
        erase=f"{_ERASE_NS:_}",
        slc_program=times["slc.program_ns"],
        program=times["dense.program_ns"],
        fold=times["fold.program_ns"],
        buffer=2 * at.planes * bits * PAGE_BYTES,
        host=_host(given),
        keep=_KEEP_BLOCKS,
        cap=cap,
    )
    statement = f"fitted to {log.path.name}, sha256 {log.sha256}: {found.reading}"
    return content + "\n" + evidence.section(statement, _grounds(found, marks, at, bits, given))


def _host(given: Given) -> str:
    """Return the section of the host, if anything is known of it."""
    lines = [f'link = "{given.link}"'] if given.link else []
    if given.turnaround is not None:
        lines.append(f"turnaround_ns = {given.turnaround.values[0]:_.0f}")
    return "\n".join(["[host]", *lines]) + "\n\n" if lines else ""


def _channels(planes: int, speed: float) -> int:
    """Return channels that divide the planes and carry more than the cache takes."""
    least = 1.2 * speed / (1e12 / PS_PER_BYTE)
    every = [count for count in range(1, planes + 1) if planes % count == 0]
    fitting = [count for count in every if count >= least] or [planes]
    usual = [count for count in fitting if count <= _CHANNELS]
    return max(usual) if usual else min(fitting)


def _grounds(found: Found, marks: Marks, at: Shape, bits: int, given: Given) -> dict[str, Ground]:
    """Return on what the keys of the file stand."""
    pool, mode, client = "device.pool[0]", f"device.pool[0].{MODES[bits]}", "scheme-defaults.client"
    row, usual = at.row_bytes, evidence.assumed()
    size = Ground("known", "--user") if given.is_stated else evidence.assumed("what the log holds")
    cells = marks.ground("usable", row * bits, 1, _KEEP_BLOCKS)
    if blocks(marks.values["usable"].value, given.user_bytes, at, bits)[1]:
        cells = replace(cells, source=f"{cells.source}; raised to hold the user's data")
    one_fill = "from one fill; a usual value"
    grounds = {
        "device.user_bytes": size,
        "device.mu_bytes": evidence.assumed("whole pages"),
        **{f"{pool}.{key}": usual for key in _USUAL},
        f"{pool}.planes": evidence.unknown("apart from the times of programs; a usual value"),
        f"{pool}.blocks": cells,
        f"{pool}.slc.program_ns": marks.ground("slc.program_ns"),
        **{f"{mode}.{key}": usual for key in ("read_ns", "erase_ns", "program")},
        f"{mode}.program_ns": marks.ground("dense.program_ns"),
        f"{mode}.fold.program_ns": marks.ground("fold.program_ns"),
        "buffer": evidence.assumed("two wordlines of every plane"),
        f"{client}.fold.keep_blocks": usual,
        f"{client}.static_blocks": evidence.unknown(one_fill),
        f"{client}.dynamic.rule": evidence.unknown(one_fill),
        f"{client}.flush.when": evidence.unknown("a fill has no pause; a usual value"),
    }
    if given.link:
        grounds["host.link"] = Ground("known", "--link")
    if given.turnaround is not None:
        grounds["host.turnaround_ns"] = given.turnaround.ground()
    if given.reads is not None:
        grounds[f"{mode}.read_ns"] = given.reads.ground()
    if given.planes is not None:
        grounds[f"{pool}.planes"] = _planes(given.planes)
    if found.reading != Reading.whole:
        grounds[f"{client}.dynamic.max_bytes"] = marks.ground("cache", row, row)
    if found.busy is not None:
        grounds[f"{client}.flush.busy_ratio"] = marks.ground("busy", 0.001, 0.001)
        grounds[f"{client}.reopen"] = evidence.assumed("the cache is back when it is empty")
    return grounds


def _planes(told: Told) -> Ground:
    """Return on what the number of planes stands: of all channels, so the interval is a word."""
    (low, high), kind = told.ranges[0], "not-identifiable" if told.problem else "fitted"
    why = f", {told.problem}" if told.problem else ""
    return Ground(kind, f"{told.log}: {low:.2f} to {high:.2f} planes of all channels{why}")


_USUAL = (
    *("name", "channels", "chips", "dies", "wordlines", "page_bytes", "plane_parallelism", "bus"),
    *("slc.read_ns", "slc.erase_ns"),
)

_FILE = """\
# Fitted to a fill; on what each key stands is told at the end.

[device]
name = "fitted"
summary = "{size} drive, fitted to a fill"
source = "slcache fit"
user_bytes = {user_bytes}
mu_bytes = {page}

[[device.pool]]
name = "nand"
channels = {channels}
chips = 1
dies = 1
planes = {planes}
blocks = {blocks}
wordlines = {wordlines}
page_bytes = {page}
plane_parallelism = "independent"

[device.pool.bus]
ps_per_byte = {ps}

[device.pool.slc]
read_ns = [{slc_read}]
program_ns = [{slc_program}]
erase_ns = {erase}

[device.pool.{mode}]
read_ns = [{read}]
program = "one-shot"
program_ns = [{program}]
erase_ns = {erase}

[device.pool.{mode}.fold]
program_ns = {fold}

[buffer]
bytes = {buffer}
write_back = "at-once"

{host}[scheme-defaults.client]
fold.keep_blocks = {keep}
static_blocks = 0
dynamic.rule = "free"
flush.when = "eager"
{cap}"""
