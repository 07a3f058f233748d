"""What no SLC cache can keep from dense programs: the bound of a trace for caches of some sizes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from slcache import _core
from slcache.documents import gains
from slcache.errors import UsageError, about
from slcache.execute import given
from slcache.given.arguments import checked
from slcache.traces.api import Path, Progress, reader_options
from slcache.words import units
from slcache.words.few import few

if TYPE_CHECKING:
    from slcache.execute.run import Run
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


@checked
def of_trace(
    trace: Path,
    sizes_bytes: Sequence[int] | None = None,
    *,
    unit_bytes: int = 4096,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the least that any scheme programs to dense cells, by size of the SLC cache.

    A version is a unit of `unit_bytes` touched by a write, alive until it is written again or
    trimmed. `sizes` has for each size `kept`, the most versions that can stay in the cache all
    their life, and `least`, the others; `least_drained` where the cache is emptied at the end.
    Without sizes they are powers of two from 1 MiB up to the first that keeps everything.
    The controller's memory counts as cache, and schemes that turn SLC pages dense where they
    lie (`ips`) are not bound. Raises UsageError, TraceError.
    """
    _check_unit(unit_bytes)
    most = unit_bytes * _UNITS_MAX
    sizes = [size for size in _SIZES if size <= most] if sizes_bytes is None else list(sizes_bytes)
    _check(sizes, unit_bytes, most)
    options = reader_options(trace_format, trace_options)
    text = _core.trace_bound(str(trace), options, unit_bytes, sizes, on_progress)
    document: dict[str, Any] = json.loads(text)
    if sizes_bytes is None:
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
        if gains.has_cache(document)
    ]
    trace = given.trace_of(run.trace)
    if not caches or (isinstance(trace, str) and _core.is_read_once(trace)):
        return None
    low, high = min(caches).bit_length() - 1, max(caches).bit_length()
    powers = range(max(0, low - _BELOW), min(high + _ABOVE, _POWER_MAX) + 1)
    text = _core.run_bounds(
        trace,
        {**run.given(), "trace_options": list(run.trace_options)},
        slots=[1 << power for power in powers],
        progress=None,
    )
    return dict(json.loads(text))


def reached(document: Mapping[str, Any], share: float) -> int | None:
    """Return the least of the sizes that keeps a share of all versions; None if none does."""
    least = share * document["versions"]
    return min((row["bytes"] for row in document["sizes"] if row["kept"] >= least), default=None)


def _check_unit(unit_bytes: int) -> None:
    if unit_bytes.bit_count() != 1 or not _SECTOR <= unit_bytes <= _UNIT_MAX:
        told = f"{unit_bytes} bytes: a unit is a power of two from 512 B to 1 MiB"
        raise about(UsageError(told), "unit_bytes")


def _check(sizes: Sequence[int], unit_bytes: int, most: int) -> None:
    if not 1 <= len(sizes) <= _SIZES_MAX:
        told = f"{len(sizes)} sizes; there may be 1 to {_SIZES_MAX}"
        raise about(UsageError(told), "sizes_bytes")
    wrong = [size for size in sizes if size % unit_bytes or not 0 <= size <= most]
    if wrong:
        told = f"whole units of {units.size(unit_bytes)}, at most {units.size(most)}"
        raise about(UsageError(f"{few(wrong)} bytes: sizes are {told}"), "sizes_bytes")
    if list(sizes) != sorted(set(sizes)):
        raise about(UsageError("sizes must rise, each once"), "sizes_bytes")
