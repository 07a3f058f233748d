"""What no SLC cache can keep from dense programs, of a trace and of a device's caches."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from slcache import _core, catalogue, options, units
from slcache.documents import figures
from slcache.documents.schemata import CLOSED
from slcache.errors import UsageError, about
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


@dataclass(frozen=True)
class BoundNames:
    """What a bound on a device is of."""

    file: str
    """The trace."""
    device: str

    __pydantic_config__ = CLOSED


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
    run: content.EngineRun = {
        **catalogue.engine_run(device, scheme, chosen, seed=seed),
        "trace_options": asked.reader_options(),
    }
    unit, blocks, most, sizes = _core.cache_sizes(run)
    sizes = sizes if asked.sizes_bytes is None else list(asked.sizes_bytes)
    every = f"which is all {blocks} blocks of each plane in SLC mode"
    _check(sizes, unit, 1, most, f"and lie above 0 up to {most}, {every}")
    text = _core.device_bound(content.trace_of(trace), run, sizes=sizes, progress=asked.on_progress)
    document = json.loads(text)
    if asked.sizes_bytes is None:
        # A larger cache than the first that keeps everything saves nothing.
        rows = document["sizes"]
        document["sizes"] = rows[: 1 + sum(row["least"] > 0 for row in rows)]
    return {"file": content.label(trace), "device": content.label(device), **document}
