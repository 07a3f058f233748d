"""A device from the phases of a fill, its file, and on what each of its keys stands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path

from slcache.bandwidth.curves import Phase, Phases
from slcache.drives import latency
from slcache.fit import logs
from slcache.fit.logs import Ground, LogFile, Told
from slcache.options import parsing
from slcache.units import significant

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


class FillKind(StrEnum):
    """What the phases of a fill are."""

    three = "cache, past the cache, folding"
    whole = "cache in all cells, folding"
    direct = "cache, past the cache"
    emptied = "cache, past the cache while it is emptied, cache again"


@dataclass(frozen=True)
class CacheFigures:
    """What the phases tell; None where they tell nothing."""

    reading: FillKind
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


def kind_of(phases: Phases, bits: int, user: float) -> FillKind:
    """Return what checked phases are; ValueError where that cannot be known."""
    found = phases.phases
    cache = found[0].to_gb * 1e9
    if is_emptied(phases):
        return FillKind.emptied
    if len(found) == 3:
        return FillKind.three
    if bits * cache > _WHOLE * user:
        return FillKind.whole
    if user + (bits - 1) * cache > _ROOM * user:
        told = "two speeds, and no room for a full cache to the end: it is emptied meanwhile"
        raise ValueError(f"{told}, or folded from the first; not identifiable")
    return FillKind.direct


def found(phases: Phases, bits: int, user: float, kind: FillKind) -> CacheFigures:
    """Return what phases of this kind tell."""
    speeds = [phase.mean_mb_per_s * 1e6 for phase in phases.phases]
    ends = [phase.to_gb * 1e9 for phase in phases.phases]
    cache, slc = ends[0], speeds[0]

    def folding(speed: float) -> float:
        """Return the speed of folding behind the speed of a third phase."""
        return bits / (bits - 1) / (1 / speed - 1 / slc)

    match kind:
        case FillKind.three:
            usable = ends[1] + (bits - 1) * cache
            return CacheFigures(kind, cache, usable, slc, speeds[1], folding(speeds[2]))
        case FillKind.whole:
            return CacheFigures(kind, cache, bits * cache, slc, fold=folding(speeds[1]))
        case FillKind.emptied:
            return _emptied(phases, bits)
        case FillKind.direct:
            return CacheFigures(kind, cache, user + (bits - 1) * cache, slc, speeds[1])


def _emptied(phases: Phases, bits: int) -> CacheFigures:
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
    return CacheFigures(FillKind.emptied, bursts[0].to_gb * 1e9, cells, fast, slow, busy=busy)


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


def shape(found: CacheFigures, known: int | None = None) -> Shape:
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


def keys(
    found: CacheFigures, at: Shape, bits: int, crossing_ns: float = TRANSFER_NS
) -> dict[str, Value]:
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
    speeds = {"slc": found.slc, "dense": found.dense, "fold": found.fold}
    values |= {f"{key} speed": (speed, None) for key, speed in speeds.items() if speed is not None}
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
    units = PAGE_BYTES // latency.UNIT_BYTES
    return _FRONTIERS + math.ceil(count * (units - 1) / (units * at.wordlines * bits))


#: On what keys stand that no log tells.
_GROUNDS = Path(__file__).with_name("grounds.toml")
#: The most blocks of a plane, and planes of a die.
_MOST_BLOCKS, _MOST_PLANES = 65_536, 16
_PROTECTED = "without it a cache that is emptied beside the writes pads each page that is left over"


def device_text(
    found: CacheFigures,
    values: Mapping[str, Told],
    at: Shape,
    bits: int,
    given: Given,
    log: LogFile,
) -> str:
    """Return the device file."""
    user_bytes = given.user_bytes
    count, _ = blocks(values["usable"].value, user_bytes, at, bits)
    if count > _MOST_BLOCKS:
        told = f"{count:,} blocks of a plane, more than {_MOST_BLOCKS:,}"
        raise ValueError(f"{told}: the cache is too small beside the drive")
    count_channels = channels(at.planes, found.slc)
    per_channel = at.planes // count_channels
    chips = next(n for n in _divisors(per_channel) if per_channel // n <= _MOST_PLANES)
    times = {key: f"{round(each.value):_}" for key, each in values.items()}
    row = at.row_bytes
    cap = ""
    if found.reading != FillKind.whole:
        cap = f"dynamic.max_bytes = {max(1, round(found.cache / row)) * row:_}\n"
    if found.busy is not None:
        cap += f"flush.busy_ratio = {found.busy:.3f}\nreopen = 0\n"
    form = (resources.files("slcache.fit") / "fitted.toml.txt").read_text("utf-8")
    content = form.format(
        mode=MODES[bits],
        size=f"{user_bytes / 1e9:,.0f} GB {MODES[bits].upper()}",
        user_bytes=f"{user_bytes:_}",
        page=PAGE_BYTES,
        unit=latency.UNIT_BYTES,
        plp=str(found.is_protected).lower(),
        channels=count_channels,
        chips=chips,
        planes=per_channel // chips,
        blocks=count,
        wordlines=at.wordlines,
        ps=PS_PER_BYTE,
        slc_read=f"{SLC_READ_NS:_}",
        read=", ".join(f"{ns:_.0f}" for ns in _reads(given, bits)),
        erase=f"{ERASE_NS:_}",
        slc_program=times["slc.program_ns"],
        program=times["dense.program_ns"],
        fold=times["fold.program_ns"],
        buffer=_lines(given, "buffer", {"bytes": 2 * at.planes * bits * PAGE_BYTES}),
        controller=_lines(given, "controller", _controller(given.link)),
        host=_host(given),
        held=latency.HELD_NS,
        keep=KEEP_BLOCKS,
        cap=cap,
    )
    statement = f"fitted to {log.path.name}, sha256 {log.sha256}: {found.reading}"
    return (
        content + "\n" + logs.evidence_section(statement, _grounds(found, values, at, bits, given))
    )


def _divisors(count: int) -> Iterator[int]:
    return (n for n in range(1, count + 1) if count % n == 0)


def _reads(given: Given, bits: int) -> Sequence[float]:
    """Return the read time of each kind of dense page."""
    told = given.told.get("read_ns")
    return latency.page_reads(READ_NS, bits) if told is None else told.values


def _lines(given: Given, section: str, assumed: Mapping[str, float]) -> str:
    """Return the keys of a section: what is told of it goes before what is assumed."""
    told = {key.partition(".")[2]: each.value for key, each in given.told.items()
            if key.startswith(f"{section}.")}  # fmt: skip
    return "\n".join(f"{key} = {value:_.0f}" for key, value in {**assumed, **told}.items())


def _controller(link: str | None) -> dict[str, float]:
    """Return the controller's times where nothing tells."""
    return {f"{op}_ns": ns for op, ns in {**latency.command_ns(link), "flush": 0}.items()}


def _host(given: Given) -> str:
    """Return the section of the host, if anything is known of it."""
    lines = [f'link = "{given.link}"'] if given.link else []
    lines += [_lines(given, "host", {})] if "host.turnaround_ns" in given.told else []
    return "\n".join(["[host]", *lines]) + "\n\n" if lines else ""


def _grounds(
    found: CacheFigures, values: Mapping[str, Told], at: Shape, bits: int, given: Given
) -> dict[str, Ground]:
    """Return on what the keys of the file stand."""
    pool, mode, client = (
        "device.pool[0]",
        f"device.pool[0].{MODES[bits]}",
        "scheme-defaults.client",
    )
    row, as_logged = at.row_bytes, Ground("assumed", "what the log holds")
    cells = values["usable"].ground()
    if cells.low is not None and cells.high is not None:
        between = f"{significant(cells.low / 1e9, 4)} to {significant(cells.high / 1e9, 4)} GB"
        source = f"{cells.source}: {between} of dense cells, in blocks of an assumed size"
        cells = Ground(cells.kind, source)
    if blocks(values["usable"].value, given.user_bytes, at, bits)[1]:
        cells = replace(cells, source=f"{cells.source}; raised to hold the user's data")
    grounds = {
        key.replace("MODE", MODES[bits]): Ground(kind, why)
        for kind, rows in parsing.toml_file(_GROUNDS).items()
        for key, why in rows.items()
    }
    grounds |= {
        "device.user_bytes": Ground("known", "--user") if given.is_stated else as_logged,
        f"{pool}.blocks": cells,
        f"{pool}.slc.program_ns": values["slc.program_ns"].ground(),
        f"{mode}.program_ns": values["dense.program_ns"].ground(),
        f"{mode}.fold.program_ns": values["fold.program_ns"].ground(),
    }
    if found.is_protected:
        grounds["device.plp"] = Ground("assumed", _PROTECTED)
    if given.link:
        grounds["host.link"] = Ground("known", "--link")
    for key, told in given.told.items():
        place = {"planes": f"{pool}.planes", "read_ns": f"{mode}.read_ns"}.get(key, key)
        place = f"device.{place}" if key.startswith("controller.") else place
        grounds[place] = _planes(told) if key == "planes" else told.ground()
    if found.reading != FillKind.whole:
        grounds[f"{client}.dynamic.max_bytes"] = values["cache"].ground(row, row)
    if found.busy is not None:
        grounds[f"{client}.flush.busy_ratio"] = values["busy"].ground(0.001, 0.001)
        grounds[f"{client}.reopen"] = Ground("assumed", "the cache is back when it is empty")
    return grounds


def _planes(told: Told) -> Ground:
    """Return on what the number of planes stands: of all channels, so the interval is a word."""
    if not told.ranges:
        return told.ground()
    (low, high), kind = told.ranges[0], "not-identifiable" if told.problem else "fitted"
    why = told.problem or "if a flush takes no time of its own"
    return Ground(kind, f"{told.log}: {low:.2f} to {high:.2f} planes of all channels, {why}")
