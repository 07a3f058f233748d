"""Write bandwidth over data written, read from a result's time series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from slcache.bandwidth.phases import Values

#: A drop to this share of the first bandwidth is the cliff.
FALL = 0.7

#: Points of a curve without pauses, at most; windows in each, at least.
STRETCHES = 100
_WINDOWS = 5

#: Points of a burst closer than this share of a window are one: they would be noise.
_LEAST = 0.05


@dataclass(frozen=True)
class Burst:
    """One burst: its bandwidth at first and on average, and how long it took."""

    start_mb_per_s: float
    mean_mb_per_s: float
    seconds: float


@dataclass(frozen=True)
class Curve:
    """GiB written by the end of each stretch, and MB/s within it; bursts if there were pauses."""

    written_gib: Values
    mb_per_s: Values
    bursts: tuple[Burst, ...] = ()
    first_gib: float = 0.0

    @property
    def first_mb_per_s(self) -> float:
        """The bandwidth of the first `first_gib`, or of the first burst's start."""
        if self.bursts:
            return self.bursts[0].start_mb_per_s
        within = int(np.searchsorted(self.written_gib, self.first_gib * (1 + 1e-9), "right"))
        return float(np.median(self.mb_per_s[: max(1, within)]))

    @property
    def last_mb_per_s(self) -> float:
        """The bandwidth of the last tenth of the data, bytes by time."""
        last = slice(-max(1, len(self.mb_per_s) // 10), None)
        gib = np.diff(self.written_gib, prepend=0.0)[last]
        return float(gib.sum() / (gib / self.mb_per_s[last]).sum())

    @property
    def cliff_gib(self) -> float | None:
        """How much was written before the bandwidth first fell; None if it never did."""
        fallen = np.flatnonzero(self.mb_per_s < FALL * self.first_mb_per_s)
        if not len(fallen):
            return None
        return float(self.written_gib[fallen[0] - 1]) if fallen[0] else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the curve and its figures as plain data."""
        return {
            "first_mb_per_s": self.first_mb_per_s,
            "last_mb_per_s": self.last_mb_per_s,
            "cliff_gib": self.cliff_gib,
            **({"bursts": [vars(burst) for burst in self.bursts]} if self.bursts else {}),
            "written_gib": self.written_gib.round(6).tolist(),
            "mb_per_s": self.mb_per_s.round(2).tolist(),
        }


def sustained(document: Mapping[str, Any], first_bytes: float | None = None) -> Curve:
    """Return the bandwidth in each hundredth of the data; stalls count as time.

    Of short runs the stretches are longer: writes that complete together would be noise.
    What is told of the start is measured over `first_bytes`, by default a tenth of the data.
    """
    every = np.asarray(document["series"]["columns"]["write_bytes"], dtype=np.float64)
    window_ns, end_ns = document["series"]["window_ns"], document["host"]["duration_ns"]
    busy = np.flatnonzero(every)
    written = every[busy]
    # Time without a completed write is that of the next one; the last window may be cut short.
    reached_s = np.minimum((busy + 1) * window_ns, end_ns) / 1e9
    lengths_s = np.diff(reached_s, prepend=0.0)
    total = np.cumsum(written)
    stretches = min(STRETCHES, max(1, (int(busy[-1]) + 1) // _WINDOWS))
    stretch = (stretches * (total - written / 2) / total[-1]).astype(int)
    seconds = np.bincount(stretch, lengths_s, stretches)
    sizes = np.bincount(stretch, written, stretches)
    known = sizes > 0
    first = total[-1] / 10 if first_bytes is None else first_bytes
    return Curve(
        np.cumsum(sizes)[known] / (1 << 30),
        sizes[known] / seconds[known] / 1e6,
        first_gib=first / (1 << 30),
    )


def in_bursts(
    document: Mapping[str, Any],
    burst_bytes: int,
    pause_ns: int,
    first_bytes: float | None = None,
) -> Curve:
    """Return the bandwidth of bursts whose writes all arrive at the burst's start.

    The longest latency in a window then is the time from that start to the window's last
    completion, however coarse the windows are. Bursts that last longer than the pause leave no
    pause: the curve is that of writes without a break.
    """
    columns = document["series"]["columns"]
    written = np.asarray(columns["write_bytes"], dtype=np.float64)
    # A window without a write has no longest latency.
    latest = np.asarray([ns or 0 for ns in columns["write_latency_ns_max"]], dtype=np.float64)
    busy = np.flatnonzero(written)
    ends = np.cumsum(written)[busy]
    burst = ((ends - 1) // burst_bytes).astype(int)
    begun = ((ends - written[busy]) // burst_bytes).astype(int)
    if latest.max() >= pause_ns or (burst != begun).any():
        return sustained(document, first_bytes)
    least_s = _LEAST * document["series"]["window_ns"] / 1e9
    parts = [
        _burst(written[busy][burst == k], latest[busy][burst == k] / 1e9, least_s)
        for k in range(int(burst[-1]) + 1)
    ]
    written_bytes = np.concatenate([part[0] for part in parts])
    rates = np.concatenate([part[0] / part[1] for part in parts]) / 1e6
    return Curve(
        np.cumsum(written_bytes) / (1 << 30),
        rates,
        tuple(
            Burst(
                start_mb_per_s=float(sizes[0] / seconds[0] / 1e6),
                mean_mb_per_s=float(sizes.sum() / seconds.sum() / 1e6),
                seconds=float(seconds.sum()),
            )
            for sizes, seconds in parts
        ),
    )


def _burst(written: Values, elapsed_s: Values, least_s: float) -> tuple[Values, Values]:
    """Return bytes and seconds of a burst's stretches, none of them shorter than asked for."""
    total = np.concatenate([[0.0], np.cumsum(written)])
    reached = np.concatenate([[0.0], np.maximum.accumulate(elapsed_s)])
    marks = [0]
    for i in range(1, len(reached)):
        if reached[i] - reached[marks[-1]] >= least_s:
            marks.append(i)
    if len(marks) == 1:
        marks.append(len(reached) - 1)
    marks[-1] = len(reached) - 1
    spans = list(pairwise(marks))
    sizes = np.array([total[b] - total[a] for a, b in spans])
    seconds = np.array([reached[b] - reached[a] for a, b in spans])
    return sizes, seconds
