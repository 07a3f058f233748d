"""The catalogue of what a run is judged by: name, unit, goal and how a result document is read.

>>> METRICS["read_p99_ns"].value(result.to_dict())
>>> METRICS["read_p99_ns"].goal
'min'
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from slcache.documents import gains, normalise
from slcache.documents.normalise import Document
from slcache.words import kinds

#: A metric's value; None where a run has no such thing, such as reads.
Value = float | int | None
#: Whether the least or the most is best; None where neither is.
Goal = Literal["min", "max"]


@dataclass(frozen=True)
class Metric:
    """One figure of merit of a run."""

    #: Ends in its unit, if it has one.
    name: str
    #: `ns`, `bytes`, ..., `1` for ratios and counts.
    unit: str
    goal: Goal | None
    #: One sentence.
    summary: str
    value: Callable[[Document], Value]
    #: Whether it counts in whole numbers.
    whole: bool = False


#: What is told of a run beside another one, by whoever has both.
GAIN_SHARE = "gain_share"
#: What there is only where the bound of a run is counted.
COUNTED = frozenset({"dense_bytes", "dense_least_bytes", "dense_over_least", GAIN_SHARE})

_LATENCIES = {
    "mean": "Mean latency",
    "p50": "Median latency",
    "p90": "90th percentile of the latency",
    "p99": "99th percentile of the latency",
    "p99_9": "99.9th percentile of the latency",
    "p99_99": "99.99th percentile of the latency",
    "max": "Longest latency",
}


def _latency(side: str, key: str) -> Metric:
    def value(document: Document) -> Value:
        us = normalise.latency(document, side, key)
        # Everything but a mean is a time of the model, which counts in whole nanoseconds.
        return None if us is None else us * 1000 if key == "mean" else round(us * 1000)

    summary = f"{_LATENCIES[key]} of {side} requests."
    return Metric(f"{side}_{key}_ns", "ns", "min", summary, value, whole=key != "mean")


def _part(side: str, kind: str, cause: str, words: str) -> Metric:
    """Return one component of a side's mean latency; a component that did not occur is 0."""

    def value(document: Document) -> Value:
        host = document["host"][side]
        if not host["requests"]:
            return None
        parts = host["attribution_us"][kind]
        return float(1000 * parts.get(cause, 0.0) / host["requests"])

    name = f"{side}_{kind}_{cause.replace('-', '_')}_ns"
    summary = f"What {words} adds to the mean latency of {side} requests."
    return Metric(name, "ns", "min", summary, value)


def _parts(side: str) -> Iterator[Metric]:
    for kind, table in (("service", kinds.SERVICES), ("wait", kinds.WAITS)):
        for cause, told in table.items():
            yield _part(side, kind, cause, told.words)


def _lifetime(document: Document) -> Value:
    found = document["wear"]["lifetime_host_bytes"]
    return None if found is None else float(found)


def _of_cache(key: str, summary: str, unit: str = "bytes", *, whole: bool = True) -> Metric:
    def value(document: Document) -> Value:
        return normalise.of_cache(document, key)

    return Metric(f"cache_{key}", unit, None, summary, value, whole=whole)


def _steady(document: Document) -> Value:
    found = normalise.state(document, "steady")
    return None if found is None else int(found)


#: Beside what is judged: what it was measured in.
_STATE = (
    Metric(
        "full_share",
        "1",
        None,
        "Share of the user capacity that held data at time 0.",
        lambda d: normalise.state(d, "full_share"),
    ),
    Metric(
        "overwritten_share",
        "1",
        None,
        "Random overwrites before time 0 over what was filled; none of a state saved after a run.",
        lambda d: normalise.state(d, "overwritten_share"),
    ),
    Metric(
        "steady",
        "1",
        None,
        "1 if the run was steady by `state.steady`, else 0; none where the host wrote too little.",
        _steady,
        whole=True,
    ),
    _of_cache("peak_bytes", "What the SLC cache took at most; none without one."),
    _of_cache("mean_bytes", "What it took on average over time.", whole=False),
    _of_cache("full_ns", "When a write first found no room in it; none if none ever did.", "ns"),
    _of_cache("left_bytes", "Live data left in it at the end."),
)

_OTHERS = (
    Metric("waf", "1", "min", "Bytes programmed per byte that the host wrote.", normalise.waf),
    Metric("erases", "1", "min", "Blocks erased.", lambda d: int(normalise.erases(d)), whole=True),
    Metric(
        "lifetime_host_bytes",
        "bytes",
        "max",
        "Bytes that the host can write until the mean block of those that wear out first is used "
        "up, an estimate; none where less than a block was programmed or an endurance is not "
        "known.",
        _lifetime,
    ),
    Metric(
        "slc_bytes",
        "bytes",
        "min",
        "What the scheme's cache takes in SLC mode.",
        normalise.cache_bytes,
        whole=True,
    ),
    *_STATE,
    Metric(
        "dense_bytes",
        "bytes",
        "min",
        "Bytes programmed by which data come to dense cells for the first time, or written to the "
        "disk; only where `run.bound` has it counted.",
        gains.dense_bytes,
        whole=True,
    ),
    Metric(
        "dense_least_bytes",
        "bytes",
        None,
        "The least of that for any scheme with a cache of this size; none where no bound holds.",
        gains.least_bytes,
        whole=True,
    ),
    Metric(
        "dense_over_least",
        "1",
        "min",
        "The one over the other; none where the least is 0.",
        gains.above,
    ),
    Metric(
        GAIN_SHARE,
        "1",
        "max",
        "Share of the dense programs that could be spared which the run spares: (reference - run) "
        "/ (reference - least). The reference is the same run without a cache, `tlc-only` or "
        "`disk-only`; none without it, and where no bound holds.",
        # One run alone does not tell it.
        lambda _: None,
    ),
    Metric("iops", "1/s", "max", "Reads and writes completed per second.", normalise.iops),
    Metric(
        "bytes_per_s",
        "bytes/s",
        "max",
        "Bytes read and written per second.",
        normalise.bytes_per_s,
    ),
    Metric(
        "duration_ns",
        "ns",
        "min",
        "From time 0 to the completion of the last request.",
        lambda d: int(d["host"]["duration_ns"]),
        whole=True,
    ),
    Metric(
        "utilisation",
        "1",
        None,
        "Share of the time of the flash's units that operations take, up to the last of them, "
        "with what is done after the last request.",
        normalise.utilisation,
    ),
    Metric(
        "flash_time_ns",
        "ns",
        "min",
        "Time of array operations, summed over the units of the flash.",
        lambda d: round(normalise.flash_time(d) * 1000),
        whole=True,
    ),
    Metric("energy_j", "J", "min", "Energy of the disk; none without one.", normalise.energy),
    Metric(
        "miss_rate",
        "1",
        "min",
        "Share of what the host read that came from the disk; none without one.",
        normalise.miss_rate,
    ),
)

_SIDES = ("read", "write")

#: The figures that every table of runs has, by name.
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (*(_latency(side, key) for side in _SIDES for key in _LATENCIES), *_OTHERS)
}

#: The components of the mean latencies, by name; each side's add up to its mean.
PARTS: dict[str, Metric] = {metric.name: metric for side in _SIDES for metric in _parts(side)}


#: Units that names end in, and that may be left out of them.
_ENDINGS = ("_ns", "_bytes", "_j")


def _short(name: str) -> str:
    """Return a name without its unit, as the `normalised` of a comparison has it."""
    ending = next((ending for ending in _ENDINGS if name.endswith(ending)), "")
    return name.removesuffix(ending)


def absence(name: str) -> str:
    """Return why runs may have no value of a metric, as the end of a sentence."""
    if name == GAIN_SHARE:
        return "no bound holds, nothing can be gained, or the device cannot run without a cache"
    if name in COUNTED:
        return "no bound holds for these runs, or the least is 0"
    return "does the trace have such requests?"


def named(name: str) -> Metric:
    """Return a metric or a component by its name, with its unit or without.

    ValueError, with what comes near, for others.
    """
    known = METRICS | PARTS
    spelled = {_short(each): each for each in known} | {each: each for each in known}
    if name in spelled:
        return known[spelled[name]]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"one of {', '.join(METRICS)}"
    raise ValueError(f"{name!r} is no metric; {hint}")
