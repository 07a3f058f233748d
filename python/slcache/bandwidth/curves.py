"""Write bandwidth over data written: curves of results, and the phases of a sequential fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

#: A phase has at least so many points; a curve has so many phases at most, unless told otherwise.
LEAST, MOST = 5, 4
#: Phases of a fill in which the cache comes back, at most.
BURSTS = 16
#: Points slower than this share of their surroundings stall: at most `LEAST` of them in a row.
STALL = 0.7
#: They are beyond so many deviations from point to point, of so many around them: a drive that
#: folds a row of blocks at a time stands still again and again, which is its speed.
_BEYOND, _AROUND = 2.0, 41
#: Points are put together until in each of so many parts of a curve the middle step from one to the
#: next is at most so much, as a logarithm, if then there are so many still.
_PARTS, _UNEVEN, _ENOUGH = 20, 0.15, 100
#: A later phase that is within this share of the first one's speed is a return to it.
RETURN = 0.1

#: The median of steps between points, in deviations of one.
_STEP = 0.6745 * np.sqrt(2)
#: What a further phase must win, in variances of a point times the logarithm of the points.
_PENALTY = 6.0
#: Noise of a curve, at least: without any, every ripple of a simulation would be a phase.
_NOISE = 0.01
#: What must be left of the squares of one phase less, at most: waves are no phases.
_LEFT = 0.6
#: Segments whose cost is computed at a time, about.
_AT_ONCE = 1 << 17


@dataclass(frozen=True)
class Phase:
    """A phase: from and to how many GB, its median speed, and its mean.

    The mean is bytes by time, of points within three deviations of the median.
    """

    from_gb: float
    to_gb: float
    mb_per_s: float
    mean_mb_per_s: float


@dataclass(frozen=True)
class Stall:
    """Points in a row that are much slower than those around them, which no phase counts."""

    from_gb: float
    to_gb: float
    mb_per_s: float


@dataclass(frozen=True)
class Phases:
    """The phases of a curve, and its stalls."""

    phases: tuple[Phase, ...]
    stalls: tuple[Stall, ...]


def find_phases(written_gb: Values, mb_per_s: Values, most: int = MOST) -> Phases:
    """Return the phases of a curve: the GB written by the end of each point, and MB/s within it.

    Points are of about one size. Raises ValueError where the curve is too short or is none.
    """
    written, speeds = np.asarray(written_gb, float), np.asarray(mb_per_s, float)
    _check(written, speeds)
    logs = np.log(speeds)
    stalled, steady = _steady(logs)
    steady, ends_at = _even(steady, written)
    noise = max(_NOISE, float(np.median(np.abs(np.diff(steady)))) / _STEP)
    cuts = _cuts(_running_median(steady, 5), most, _PENALTY * noise**2 * np.log(len(steady)))
    edges = np.concatenate([[0.0], ends_at])
    speeds_of = [_speeds(steady[a:b]) for a, b in pairwise(cuts)]
    # The point in which a phase ends is partly of the next.
    ends = [0.0]
    for cut, before, after in zip(cuts[1:-1], speeds_of, speeds_of[1:], strict=False):
        share = _share(steady[cut - 1 : cut + 1], before[0], after[0])
        ends.append(float(np.interp(cut - 1 + share, np.arange(len(edges)), edges)))
    ends.append(float(edges[-1]))
    found = tuple(
        Phase(a, b, *each) for (a, b), each in zip(pairwise(ends), speeds_of, strict=True)
    )
    return Phases(found, _stalls(stalled, np.concatenate([[0.0], written]), speeds))


def _check(written: Values, speeds: Values) -> None:
    if written.shape != speeds.shape or written.ndim != 1:
        raise ValueError("a curve has a speed for each amount written")
    if len(written) < LEAST:
        raise ValueError(f"{len(written)} points: a phase takes at least {LEAST}")
    if not (np.isfinite(written).all() and (np.diff(written, prepend=0.0) > 0).all()):
        raise ValueError("the amounts written do not rise from point to point")
    if not (np.isfinite(speeds).all() and (speeds > 0).all()):
        raise ValueError("a speed is not above 0")


def _steady(logs: Values) -> tuple[NDArray[np.bool_], Values]:
    """Return which points stall, and the curve without them."""
    scatter = _running_median(np.abs(np.diff(logs, append=logs[-1])), _AROUND) / _STEP
    slow = np.minimum(np.log(STALL), -_BEYOND * scatter)
    stalled, steady = np.zeros(len(logs), dtype=bool), logs
    # A stall beside the end of a phase is seen once part of it is left out.
    for _ in range(2):
        stalled |= logs < _running_median(steady, 2 * LEAST + 1) + slow
        whole = np.flatnonzero(~stalled)
        steady = np.interp(np.arange(len(logs)), whole, logs[whole])
    return stalled, steady


def _even(logs: Values, written: Values) -> tuple[Values, Values]:
    """Return points so large that those of a phase are alike; as they are where none are."""
    size, found, ends = 1, logs, np.arange(1, len(logs) + 1)
    while _step(found) > _UNEVEN:
        size *= 2
        begins = np.arange(0, len(logs) - size + 1, size)
        if len(begins) < _ENOUGH:
            return logs, written
        # The last has what is left over, too.
        ends = np.append(begins[1:], len(logs))
        found = -np.log(np.add.reduceat(np.exp(-logs), begins) / (ends - begins))
    return found, written[ends - 1]


def _step(logs: Values) -> float:
    """Return the middle step between points, in the part of a curve where it is largest."""
    steps = np.array_split(np.abs(np.diff(logs)), _PARTS)
    return max(float(np.median(each)) for each in steps if len(each))


def _running_median(values: Values, width: int) -> Values:
    """Return the median of the points around each; beyond the ends they are mirrored."""
    padded = np.pad(values, width // 2, mode="reflect")
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(padded, width), axis=1))


def _cuts(values: Values, most: int, penalty: float) -> list[int]:
    """Return where segments begin and end: least squares and a penalty for each, exactly.

    A segment's first point is of the one before as well, and counts in neither.
    """
    n = len(values)
    levels = min(most, n // LEAST)
    sums, squares = (np.concatenate([[0.0], np.cumsum(v)]) for v in (values, values**2))
    inner = np.arange(n + 1) + 1
    inner[0] = 0
    # best[k, e]: the least cost of the first e points in k segments, the last begun at begun[k, e].
    best, begun = np.full((levels + 1, n + 1), np.inf), np.zeros((levels + 1, n + 1), np.int64)
    best[0, 0] = 0.0
    # As many ends at a time as memory allows; segments of one more reach back to those of one less.
    many = max(1, _AT_ONCE // n)
    for end in range(LEAST, n + 1, many):
        ends = np.arange(end, min(end + many, n + 1))
        places = np.arange(ends[-1] - LEAST + 1)
        first, until = inner[places], ends[:, None]
        length = np.maximum(until - first, 1)
        cost = squares[until] - squares[first] - (sums[until] - sums[first]) ** 2 / length
        cost[places > until - LEAST] = np.inf
        for k in range(levels):
            every = best[k, places] + cost
            begun[k + 1, ends] = np.argmin(every, axis=1)
            best[k + 1, ends] = every[np.arange(len(ends)), begun[k + 1, ends]]
    chosen = int(np.argmin(best[:, n] + penalty * np.arange(levels + 1)))
    left = best[:, n] + n * _NOISE**2
    while chosen > 1 and left[chosen] > _LEFT * left[chosen - 1]:
        chosen -= 1
    cuts = [n]
    for k in range(chosen, 0, -1):
        cuts.insert(0, int(begun[k, cuts[0]]))
    return cuts


def _speeds(logs: Values) -> tuple[float, float]:
    """Return the median of a phase's inner points, and their mean."""
    inner = np.sort(logs[1:-1])
    middle = float(np.median(inner))
    off = np.abs(inner - middle)
    near = inner[off <= 3 * max(_NOISE, float(np.quantile(off, 0.9)) / 1.645)]
    return float(np.exp(middle)), float(np.exp(-np.log(np.exp(-near).mean())))


def _share(logs: Values, before: float, after: float) -> float:
    """Return how many of the two points around an end are of the phase before, by their time."""
    slow, fast = 1 / after, 1 / before
    spent = float(np.exp(-logs).sum())
    return float(np.clip((2 * slow - spent) / (slow - fast), 0.0, 2.0)) if slow != fast else 1.0


def _stalls(stalled: NDArray[np.bool_], edges: Values, speeds: Values) -> tuple[Stall, ...]:
    """Return the stalls; their speed is bytes by time."""
    changes = np.flatnonzero(np.diff(np.concatenate([[False], stalled, [False]]).astype(int)))
    found = []
    for begin, end in changes.reshape(-1, 2):
        sizes = np.diff(edges[begin : end + 1])
        speed = float(sizes.sum() / (sizes / speeds[begin:end]).sum())
        found.append(Stall(float(edges[begin]), float(edges[end]), speed))
    return tuple(found)


#: A drop to this share of the first bandwidth, over such a share of the data, is the cliff.
FALL, LONG = 0.7, 0.1

#: Points of a curve without pauses, at most; windows in each, at least.
STRETCHES = 100
_WINDOWS = 5

#: Points of a burst closer than this share of a window are one: they would be noise.
_LEAST = 0.05


@dataclass(frozen=True)
class BurstBandwidth:
    """One burst: its bandwidth at first and on average, and how long it took."""

    start_mb_per_s: float
    mean_mb_per_s: float
    seconds: float


@dataclass(frozen=True)
class BandwidthCurve:
    """Bytes written by the end of each stretch, and MB/s within it; bursts if there were pauses.

    Each speed is bytes by time, that at first and that of the last tenth of the data too.
    """

    written_bytes: Values
    mb_per_s: Values
    first_mb_per_s: float
    last_mb_per_s: float
    bursts: tuple[BurstBandwidth, ...] = ()

    @property
    def cliff_bytes(self) -> float | None:
        """How much was written before the bandwidth first fell; None if it never did.

        It is down over a tenth of the data, and over all that is left: else it was a stall. A burst
        ends a fall itself.
        """
        slow = FALL * self.first_mb_per_s
        fallen = self.mb_per_s < slow
        edges = np.concatenate([[0.0], self.written_bytes])
        if not self.bursts:
            times = np.concatenate([[0.0], np.cumsum(np.diff(edges) / self.mb_per_s)])
            whole, begin = edges[-1], edges[:-1]
            from_ = np.minimum(begin, (1 - LONG) * whole)
            passed = np.interp(from_ + LONG * whole, edges, times) - np.interp(from_, edges, times)
            fallen &= LONG * whole < slow * passed
            fallen &= whole - begin < slow * (times[-1] - times[:-1])
        return float(edges[np.argmax(fallen)]) if fallen.any() else None

    def to_dict(self) -> dict[str, Any]:
        """Return the curve and its figures as plain data."""
        return {
            "first_mb_per_s": self.first_mb_per_s,
            "last_mb_per_s": self.last_mb_per_s,
            "cliff_bytes": self.cliff_bytes,
            **({"bursts": [vars(burst) for burst in self.bursts]} if self.bursts else {}),
            "written_bytes": self.written_bytes.tolist(),
            "mb_per_s": self.mb_per_s.round(2).tolist(),
        }


@dataclass(frozen=True)
class _SeriesWindows:
    """The windows in which writes were completed: bytes, and when the last of them was."""

    written: Values
    reached_s: Values
    #: How much earlier that can have been.
    early_s: Values
    #: The longest latency in each.
    latest_s: Values
    window_s: float
    #: What the DRAM buffer holds, and the flash has not taken when it is full.
    buffer_bytes: int

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> _SeriesWindows:
        window_ns, columns = document["series"]["window_ns"], document["series"]["columns"]
        every = np.asarray(columns["write_bytes"], dtype=np.float64)
        busy = np.flatnonzero(every)
        # A window without a write has no longest latency.
        latest = np.asarray([columns["write_latency_ns_max"][i] for i in busy], dtype=np.float64)
        requests = np.asarray(columns["write_requests"], dtype=np.float64)[busy]
        # The last window may be cut short.
        reached = np.minimum((busy + 1) * window_ns, document["host"]["duration_ns"])
        early = window_ns / requests
        buffer = (document["config"].get("buffer") or {}).get("bytes", 0)
        times = reached / 1e9, early / 1e9, latest / 1e9, window_ns / 1e9
        return cls(every[busy], *times, buffer)

    def first_mb_per_s(self, first: float, total: Values, spent_s: Values) -> float:
        """Return the speed at first of the flash, where so much is written after such times."""
        held = max(0.0, min(self.buffer_bytes, total[-1] - first))
        first = min(first, total[-1])
        return float(first / np.interp(held + first, [0.0, *total], [0.0, *spent_s]) / 1e6)

    def curve(self, first_bytes: float | None, idle_s: Values | float = 0.0) -> BandwidthCurve:
        """Return the curve of writes without a break, or where so much idle time is left out.

        Time without a completed write is that of the next one.
        """
        lengths_s = np.diff(self.reached_s, prepend=0.0) - idle_s
        total, spent_s = np.cumsum(self.written), np.cumsum(lengths_s)
        stretches = min(STRETCHES, max(1, int(spent_s[-1] / self.window_s / _WINDOWS)))
        stretch = (stretches * (total - self.written / 2) / total[-1]).astype(int)
        seconds = np.bincount(stretch, lengths_s, stretches)
        sizes = np.bincount(stretch, self.written, stretches)
        known = sizes > 0
        # Both speeds take the longer time that is possible: none is above what the flash can do.
        whole = float(total[-1])
        first = LONG * whole if first_bytes is None else first_bytes
        early_s = np.interp((1 - LONG) * whole, [0.0, *total], [0.0, *spent_s - self.early_s])
        return BandwidthCurve(
            np.cumsum(sizes, dtype=np.float64)[known],
            sizes[known] / seconds[known] / 1e6,
            self.first_mb_per_s(first, total, spent_s),
            float(LONG * whole / (spent_s[-1] - early_s) / 1e6),
        )


def sustained(document: Mapping[str, Any], first_bytes: float | None = None) -> BandwidthCurve:
    """Return the bandwidth in each hundredth of the data; stalls count as time.

    Of short runs the stretches are longer: writes that complete together would be noise.
    What is told of the start is measured over `first_bytes`, by default a tenth of the data,
    without what the DRAM buffer holds.
    """
    return _SeriesWindows.of(document).curve(first_bytes)


def in_bursts(
    document: Mapping[str, Any],
    burst_bytes: int,
    pause_ns: int,
    first_bytes: float | None = None,
) -> BandwidthCurve:
    """Return the bandwidth of bursts whose writes all arrive at the burst's start.

    The longest latency in a window then is the time from that start to the window's last
    completion, however coarse the windows are. Where a burst lasts longer than the pause, the
    curve is that of writes without a break, and the pauses after others are left out.
    """
    windows = _SeriesWindows.of(document)
    written, latest_s, pause_s = windows.written, windows.latest_s, pause_ns / 1e9
    ends = np.cumsum(written)
    burst = ((ends - 1) // burst_bytes).astype(int)
    begun = ((ends - written) // burst_bytes).astype(int)
    if latest_s.max() >= pause_s or (burst != begun).any():
        arrived_s = begun * pause_s
        exact_s = np.where(burst == begun, arrived_s + latest_s, windows.reached_s)
        reached_s = np.minimum(windows.reached_s, exact_s)
        idle_s = np.maximum(0.0, arrived_s - np.concatenate([[0.0], reached_s[:-1]]))
        return replace(windows, reached_s=reached_s).curve(first_bytes, idle_s)
    least_s = _LEAST * windows.window_s
    parts = [
        _burst(written[burst == k], latest_s[burst == k], least_s)
        for k in range(int(burst[-1]) + 1)
    ]
    sizes, seconds = (np.concatenate(each) for each in zip(*parts, strict=True))
    bursts = tuple(
        BurstBandwidth(
            start_mb_per_s=float(sizes[0] / seconds[0] / 1e6),
            mean_mb_per_s=float(sizes.sum() / seconds.sum() / 1e6),
            seconds=float(seconds.sum()),
        )
        for sizes, seconds in parts
    )
    last = slice(-max(1, int(LONG * len(sizes))), None)
    first = LONG * ends[-1] if first_bytes is None else first_bytes
    passed = [np.cumsum(each) for each in parts[0]]
    return BandwidthCurve(
        np.cumsum(sizes, dtype=np.float64),
        sizes / seconds / 1e6,
        windows.first_mb_per_s(first, *passed),
        float(sizes[last].sum() / seconds[last].sum() / 1e6),
        bursts,
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
