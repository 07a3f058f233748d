"""Phases of a sequential fill: where its bandwidth changes for good, and where it only stalls."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

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


def find(written_gb: Values, mb_per_s: Values, most: int = MOST) -> Phases:
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
