"""The catalogue of what a run is judged by: name, unit and goal, as the model's table has them.

>>> METRICS["read_p99_ns"].value(result.to_dict())
>>> METRICS["read_p99_ns"].goal
'min'
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from slcache import _core

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
    #: Whether it counts in whole numbers.
    whole: bool = False
    #: What only some runs have it by: `flushes`; `cells` that err, or more of them.
    needs: str = ""

    def value(self, document: Mapping[str, Any]) -> Value:
        """Return the figure of a run; None of one that a run alone does not tell."""
        found: Value = document["figures"].get(self.name)
        return found


#: What is told of a run beside another one, by whoever has both.
GAIN_SHARE = "gain_share"
#: What there is only where the bound of a run is counted.
COUNTED = frozenset({"dense_bytes", "dense_least_bytes", "dense_over_least", GAIN_SHARE})

_OF_TWO = Metric(
    GAIN_SHARE,
    "1",
    "max",
    "Share of the dense programs that could be spared which the run spares: (reference - run) "
    "/ (reference - least). The reference is the same run without a cache, `tlc-only` or "
    "`disk-only`; none without it, and where no bound holds.",
)


def _figures(*, parts: bool) -> dict[str, Metric]:
    """Return those of the model's figures that are parts of a mean latency, or all others."""
    return {
        row["name"]: Metric(
            row["name"],
            row["unit"],
            row["goal"],
            row["sentence"],
            row["whole"],
            row.get("needs", ""),
        )
        for row in json.loads(_core.figures())
        if row["part"] == parts
    }


#: The figures that every table of runs has, by name.
METRICS: dict[str, Metric] = {**_figures(parts=False), GAIN_SHARE: _OF_TWO}

#: The components of the mean latencies, by name; each side's add up to its mean.
PARTS: dict[str, Metric] = _figures(parts=True)


def of_runs(
    documents: Iterable[Mapping[str, Any]], among: Mapping[str, Metric] = METRICS
) -> dict[str, Metric]:
    """Return the metrics of tables of runs; those that only some have where one of them does."""
    told = {name for document in documents for name in document["figures"]}
    return {name: m for name, m in among.items() if not m.needs or name in told}


#: Why runs have none of those that do not depend on requests.
_ABSENT = {
    **dict.fromkeys(("energy_j", "miss_rate"), "only devices with a disk have it"),
    "lifetime_host_bytes": "is the device's endurance known, and was a block programmed?",
    "cache_full_ns": "was there an SLC cache, and was it ever full?",
    **dict.fromkeys(
        ("cache_peak_bytes", "cache_mean_bytes", "cache_left_bytes"), "was there an SLC cache?"
    ),
}

#: Units that names end in, and that may be left out of them.
_ENDINGS = ("_ns", "_bytes", "_j")


def short(name: str) -> str:
    """Return a name without its unit, as the `normalised` of a comparison has it."""
    ending = next((ending for ending in _ENDINGS if name.endswith(ending)), "")
    return name.removesuffix(ending)


def absence(name: str) -> str:
    """Return why runs may have no value of a metric, as the end of a sentence."""
    if name == GAIN_SHARE:
        return "no bound holds, nothing can be gained, or the device cannot run without a cache"
    if name in COUNTED:
        return "no bound holds for these runs, or the least is 0"
    if name in METRICS and (needs := METRICS[name].needs):
        is_flush = needs == "flushes"
        return (
            "does the trace have flushes?"
            if is_flush
            else "only devices with [device.cells] have it"
        )
    return _ABSENT.get(name, "does the trace have such requests?")


def metric_of(name: str) -> Metric:
    """Return a metric or a component by its name, with its unit or without.

    ValueError, with what comes near, for others.
    """
    known = METRICS | PARTS
    spelled = {short(each): each for each in known} | {each: each for each in known}
    if name in spelled:
        return known[spelled[name]]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"one of {', '.join(METRICS)}"
    raise ValueError(f"{name!r} is no metric; {hint}")
