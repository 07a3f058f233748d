"""What no SLC cache can keep from dense programs, of a trace and of a device's caches."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from slcache import _core, catalogue, options, units
from slcache.documents import figures
from slcache.documents.figures import BITS, slc_row_bytes
from slcache.errors import ConfigError, UsageError, about
from slcache.execute.run import Run, reader_options_of
from slcache.names import few
from slcache.options import content, models, option, parsing, takes
from slcache.options.content import SEED_MAX, Content
from slcache.trace import Progress

if TYPE_CHECKING:
    from slcache.results import Result

_SECTOR = 512
_UNIT_MAX = 1 << 20
_UNITS_MAX = 1 << 30
#: Each size takes up to ten bytes for a unit that is written.
_SIZES_MAX = 256
#: 1 MiB, 2 MiB, ... 8 TiB, of which those are told that do not keep everything.
_SIZES = tuple(1 << power for power in range(20, 44))
#: Of a comparison, powers of two below the smallest cache and above the largest.
_BELOW, _ABOVE, _POWER_MAX = 3, 3, 30
#: Shares of what an endless cache keeps, of which the sizes are told.
SHARES = (0.5, 0.8, 0.95)


def _sizes(text: str) -> list[int]:
    """Return a list or a range of sizes, in bytes, in the forms of what a study varies."""
    from slcache.study.axes import StudyAxis

    values = StudyAxis.read("sizes", text).values
    if not values:
        raise ValueError(f"{text!r}: must say which, such as 1MiB..4GiB*2")
    return [parsing.size_bytes(str(size)) for size in values]


@dataclass(frozen=True, kw_only=True)
class SeededTraceOptions(models.TraceOptions):
    """A trace that is read, or drawn with a seed."""

    trace: Content = field(kw_only=False, metadata=options.needed(*models.TRACE, offer="workloads"))
    seed: int | None = option("N", "Seed of all random choices.", range=(0, SEED_MAX))

    def reader_options(self) -> list[tuple[str, str]]:
        """Return how the trace is read; UsageError for a seed that draws nothing."""
        if self.seed is not None and not content.is_workload(self.trace):
            told = f"seed = {self.seed}: draws a workload, and {self.trace} is a file"
            raise about(UsageError(told), "seed")
        return reader_options_of(self.trace, self.reader(), self.seed)


@dataclass(frozen=True, kw_only=True)
class TraceBoundArguments(SeededTraceOptions):
    """What the bound of a trace takes."""

    sizes_bytes: Sequence[int] | None = field(
        default=None,
        kw_only=False,
        metadata=options.needed(
            "SIZE,...|FROM..TO*FACTOR",
            "Sizes of the SLC cache (default: 1 MiB, doubled until all data fit).",
            name="--sizes",
            read=_sizes,
        ),
    )
    unit_bytes: int | None = option(
        "SIZE",
        "The mapping unit of the FTL (default: 4KiB, or the device's).",
        name="--unit",
        read=parsing.size_bytes,
    )
    on_progress: Progress | None = None


@takes(TraceBoundArguments)
def of_trace(asked: TraceBoundArguments) -> dict[str, Any]:
    """Return the least that any scheme programs to dense cells, by size of the SLC cache.

    A version is a unit of `unit_bytes` touched by a write, alive until it is written again or
    trimmed. `sizes` has for each size `kept`, the most versions that can stay in the cache all
    their life, and `least`, the others; `least_drained` where the cache is emptied at the end.
    The controller's memory counts as cache, and schemes that turn SLC pages dense where they
    lie (`ips`) are not bound. Raises UsageError, TraceError.
    """
    unit_bytes = 4096 if asked.unit_bytes is None else asked.unit_bytes
    if unit_bytes.bit_count() != 1 or not _SECTOR <= unit_bytes <= _UNIT_MAX:
        told = f"{unit_bytes} bytes: a unit is a power of two from 512 B to 1 MiB"
        raise about(UsageError(told), "unit_bytes")
    most = unit_bytes * _UNITS_MAX
    said = asked.sizes_bytes
    sizes = [size for size in _SIZES if size <= most] if said is None else list(said)
    _check(sizes, unit_bytes, 0, most, f"at most {units.size(most)}")
    trace = str(asked.trace)
    text = _core.trace_bound(trace, asked.reader_options(), unit_bytes, sizes, asked.on_progress)
    document: dict[str, Any] = json.loads(text)
    if said is None:
        rows = document["sizes"]
        short = list(takewhile(lambda row: row["kept"] < document["versions"], rows))
        document["sizes"] = rows[: len(short) + 1]
    return document


def of_comparison(run: Run, results: Sequence[Result]) -> dict[str, Any] | None:
    """Return the bounds of the trace of compared runs, as `run` places it on their device.

    The sizes are powers of two around those of the schemes' caches. None where no run has a bound
    or none a cache, and where the trace can be read only once.
    """
    caches = [
        document["bound"]["capacity_slots"]
        for result in results
        for document in result.documents
        if figures.has_cache(document)
    ]
    trace = content.trace_of(run.trace)
    if not caches or (isinstance(trace, str) and _core.is_read_once(trace)):
        return None
    low, high = min(caches).bit_length() - 1, max(caches).bit_length()
    powers = range(max(0, low - _BELOW), min(high + _ABOVE, _POWER_MAX) + 1)
    text = _core.run_bounds(
        trace,
        {**run.engine_run(), "trace_options": list(run.trace_options)},
        slots=[1 << power for power in powers],
        progress=None,
    )
    return dict(json.loads(text))


def reached(document: Mapping[str, Any], share: float) -> int | None:
    """Return the least of the sizes that keeps a share of all versions; None if none does."""
    least = share * document["versions"]
    return min((row["bytes"] for row in document["sizes"] if row["kept"] >= least), default=None)


def _check(sizes: Sequence[int], unit_bytes: int, least: int, most: int, told: str) -> None:
    """Raise UsageError for sizes that do not rise, or lie elsewhere than is told."""
    if not 1 <= len(sizes) <= _SIZES_MAX:
        many = f"{len(sizes)} sizes; there may be 1 to {_SIZES_MAX}"
        raise about(UsageError(many), "sizes_bytes")
    if wrong := [size for size in sizes if size % unit_bytes or not least <= size <= most]:
        told = f"{few(wrong)} bytes: sizes are whole units of {units.size(unit_bytes)}, {told}"
        raise about(UsageError(told), "sizes_bytes")
    if list(sizes) != sorted(set(sizes)):
        told = f"{few(list(sizes))} bytes: sizes must rise, each once"
        raise about(UsageError(told), "sizes_bytes")


@dataclass(frozen=True)
class CellCosts:
    """What a unit takes in one cell mode of a device."""

    program_ns: float
    #: What a unit's program takes of the life of a block; None where endurance is not known.
    block_life: float | None

    @classmethod
    def of(cls, pool: Mapping[str, Any], mode: str, unit_bytes: int) -> CellCosts:
        """Return those of a pool's mode: of its fastest page, of all planes where they can."""
        own, bits = pool[mode], BITS[mode]
        slots = pool["page_bytes"] / unit_bytes
        planes = pool["planes"] if pool["plane_parallelism"] == "multi-plane" else 1
        shot = bits if own["program"] == "one-shot" else 1
        times = [min(own["program_ns"]) / shot]
        # A fold fills a wordline, a copy-back a page; both may be faster.
        fold = (own.get("fold") or {}).get("program_ns")
        times += [] if fold is None else [fold / bits]
        times += [] if own.get("copyback_ns") is None else [own["copyback_ns"]]
        cycles = own["endurance_cycles"]
        life = None if cycles is None else 1 / (slots * pool["wordlines"] * bits * cycles)
        return cls(min(times) / (slots * planes), life)

    @classmethod
    def least(cls, of: Sequence[CellCosts]) -> CellCosts:
        """Return the least of several: a scheme may use any of them."""
        lives = [each.block_life for each in of if each.block_life is not None]
        life = min(lives) if len(lives) == len(of) else None
        return cls(min(each.program_ns for each in of), life)


@dataclass(frozen=True)
class Flash:
    """The cells of a device that a cache and the store behind it can have."""

    unit_bytes: int
    slc: CellCosts
    dense: CellCosts
    #: A block in SLC mode on each plane, and how many of them there are.
    step_bytes: int
    steps: int
    #: Units that die in the DRAM buffer.
    buffer_slots: int

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Flash:
        """Return the cells of a resolved configuration; raises ConfigError."""
        device, buffer = config["device"], config["buffer"]
        unit = int(device["mu_bytes"])
        if device.get("disk") is not None:
            told = "with a disk all flash is cache; run.bound = true counts that in a run"
            raise about(ConfigError(f"device.disk = present: {told}"), "device.disk")
        pools = device["pool"]
        caches = [pool for pool in pools if pool.get("slc")]
        stores = [(pool, mode) for pool in pools for mode in BITS if pool.get(mode)]
        stores = [(pool, mode) for pool, mode in stores if mode != "slc"]
        if not caches or not stores:
            missing = "mlc, tlc or qlc" if caches else "slc"
            told = f"device.pool: none offers {missing}: there is no cache with a store behind it"
            raise about(ConfigError(told), "device.pool")
        slc = caches[0]
        holds = buffer is not None and buffer["acknowledge"] == "on-buffer"
        return cls(
            unit,
            CellCosts.least([CellCosts.of(pool, "slc", unit) for pool in caches]),
            CellCosts.least([CellCosts.of(pool, mode, unit) for pool, mode in stores]),
            slc_row_bytes(slc),
            slc["blocks"],
            buffer["bytes"] // unit if holds and buffer else 0,
        )

    @property
    def most_bytes(self) -> int:
        """What all its blocks hold in SLC mode."""
        return self.step_bytes * self.steps

    def sizes(self) -> list[int]:
        """Return 1, 2, 4, ... blocks of each plane up to all of them, in bytes."""
        powers = [1 << power for power in range(self.steps.bit_length())]
        return [self.step_bytes * blocks for blocks in dict.fromkeys([*powers, self.steps])]

    def weighed(self, versions: int, kept: int, in_buffer: int, of: str) -> float | None:
        """Return the least of a weight of all programs: dense ones, and what the cache keeps.

        Who is not kept is programmed dense; who is, but not in the buffer, once in some mode.
        """
        slc, dense = getattr(self.slc, of), getattr(self.dense, of)
        if slc is None or dense is None:
            return None
        return float(dense * (versions - kept) + min(slc, dense) * (kept - in_buffer))


@dataclass(frozen=True, kw_only=True)
class DeviceBoundArguments(TraceBoundArguments):
    """What the bound of a trace on a device takes."""

    device: Content | None = option(
        "PRESET|FILE.toml",
        "Compute the bound on this device: its units, sizes of whole blocks, program time and "
        "wear.",
        offer="devices",
    )
    settings: Mapping[str, Any] | None = option(*models.SET, name="--set", offer="settings")
    address: str | None = option("", models.BEYOND, words=models.ADDRESSES)


@takes(DeviceBoundArguments)
def on_device(asked: DeviceBoundArguments) -> dict[str, Any]:
    """Return the bound of a trace for SLC caches of a device, as the device places the trace.

    Beside the counts of `bounds.of_trace` each size has the least time of programs, summed over
    the arrays (`program_ns_least`), and the least share of the life of a block, summed over the
    blocks (`block_lives_least`; None where endurance is not known). A DRAM buffer that
    acknowledges writes counts as cache beside the size. Without sizes they are 1, 2, 4, ...
    blocks of each plane, up to all. Raises UsageError, ConfigError, TraceError.
    """
    trace, device, seed = asked.trace, asked.device, asked.seed
    if device is None:
        raise content.missing("device")
    if asked.unit_bytes is not None:
        told = f"unit_bytes = {asked.unit_bytes}: the device has its own (device.mu_bytes)"
        raise about(UsageError(told), "unit_bytes")
    placed = [] if asked.address is None else [("trace.address", asked.address)]
    chosen = models.combined_settings(asked.settings, None, placed)
    scheme = catalogue.fitting(device=device, settings=chosen)[0][0]
    flash = Flash.of(catalogue.resolve(device=device, scheme=scheme, settings=chosen, seed=seed))
    sizes = flash.sizes() if asked.sizes_bytes is None else list(asked.sizes_bytes)
    every = f"which is all {flash.steps} blocks of each plane in SLC mode"
    told = f"and lie above 0 up to {flash.most_bytes}, {every}"
    _check(sizes, flash.unit_bytes, 1, flash.most_bytes, told)
    slots = [flash.buffer_slots + size // flash.unit_bytes for size in sizes]
    text = _core.run_bounds(
        content.trace_of(trace),
        {
            **catalogue.engine_run(device, scheme, chosen, seed=seed),
            "trace_options": asked.reader_options(),
        },
        slots=[flash.buffer_slots, *slots],
        progress=asked.on_progress,
    )
    counted = json.loads(text)
    buffer, *rows = counted["sizes"]
    in_buffer = counted["versions"] - buffer["least"]
    if asked.sizes_bytes is None:
        # A larger cache than the first that keeps everything saves nothing.
        rows = rows[: 1 + sum(row["least"] > 0 for row in rows)]
    return {
        "file": content.label(trace),
        "device": content.label(device),
        "unit_bytes": flash.unit_bytes,
        "versions": counted["versions"],
        "buffer_slots": flash.buffer_slots,
        "unit_program_ns": {"slc": flash.slc.program_ns, "dense": flash.dense.program_ns},
        "sizes": [
            _row(flash, size, row, counted["versions"], in_buffer)
            for size, row in zip(sizes, rows, strict=False)
        ],
    }


def _row(
    flash: Flash, size: int, row: Mapping[str, int], versions: int, in_buffer: int
) -> dict[str, Any]:
    kept = versions - row["least"]
    return {
        "bytes": size,
        "blocks_per_plane": size / flash.step_bytes,
        "kept": kept,
        "kept_died": versions - row["least_drained"],
        "least": row["least"],
        "least_drained": row["least_drained"],
        "program_ns_least": flash.weighed(versions, kept, in_buffer, "program_ns"),
        "block_lives_least": flash.weighed(versions, kept, in_buffer, "block_life"),
    }
