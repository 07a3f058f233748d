"""Checking a trace against the figures a paper prints about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from slcache.words.leaves import leaves

#: Units a figure may be written in, as (ending, the document's ending, factor).
_UNITS = (
    *((f"_{prefix}ib", "_bytes", 1024.0**n) for n, prefix in enumerate("kmgt", 1)),
    ("_percent", "_share", 0.01),
    ("_percent", "_ratio", 0.01),
    ("_ms", "_us", 1e3),
    ("_s", "_us", 1e6),
    ("_ms", "_s", 1e-3),
    ("_us", "_s", 1e-6),
    ("_h", "_s", 3600.0),
    ("_ns", "_us", 1e-3),
    ("_ns", "_s", 1e-9),
)
#: How far a trace may be from a workload's given figures, as a share.
WORKLOAD_TOLERANCE = 0.01
#: Figures in the words of workloads, from those of the document.
_DERIVED: Mapping[str, Callable[[Mapping[str, Any]], float]] = {
    "footprint_written_bytes": lambda info: info["written_4kib_pages"] * 4096,
    "footprint_touched_bytes": lambda info: info["touched_4kib_pages"] * 4096,
    "small_write_share": lambda info: _small_writes(info) / max(1, info["writes"]),
}
#: Figures of workloads that say how requests are made and leave no single measure in a trace.
_UNMEASURED = (
    "update_skew",
    "large_update_skew",
    "read_skew",
    "burst_requests",
    "idle_share",
    "idle_over_ns",
)
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_FIGURE = re.compile(rf"\s*([A-Za-z_][\w.]*)\s*=\s*({_NUMBER})\s*(?:~\s*({_NUMBER})\s*(%?))?\s*")


@dataclass(frozen=True)
class Figure:
    """A figure that a trace should have, in the unit of its name."""

    name: str
    value: float
    tolerance: float


@dataclass(frozen=True)
class Finding:
    """A figure beside what the trace has."""

    figure: Figure
    found: float

    @property
    def agrees(self) -> bool:
        """Whether the trace has the figure, within its tolerance."""
        return abs(self.found - self.figure.value) <= self.figure.tolerance * (1 + 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as it stands in the JSON document."""
        return {
            "name": self.figure.name,
            "expected": self.figure.value,
            "tolerance": self.figure.tolerance,
            "found": self.found,
            "agrees": self.agrees,
        }


def parse(text: str) -> list[Figure]:
    """Read `NAME=VALUE[~TOLERANCE][,...]`; raises ValueError.

    A tolerance is absolute or, with a `%` behind it, a share of the value. Without one, the
    digits that are printed must agree: 0.701 stands for 0.7005 to 0.7015.
    """
    figures = []
    for part in text.split(","):
        match = _FIGURE.fullmatch(part)
        if match is None:
            raise ValueError(f"expected NAME=VALUE or NAME=VALUE~TOLERANCE, got {part.strip()!r}")
        name, value, tolerance, percent = match.groups()
        if tolerance is None:
            allowed = _half_of_last_digit(value)
        else:
            allowed = float(tolerance) * (float(value) / 100 if percent else 1.0)
        figures.append(Figure(name, float(value), allowed))
    return figures


def _half_of_last_digit(number: str) -> float:
    mantissa, _, exponent = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(0.5 * 10.0 ** (int(exponent or 0) - decimals))


def of_workload(description: Mapping[str, Any]) -> list[Figure]:
    """Return the figures that a workload's source gives and a trace can be measured for."""
    return [
        Figure(name, float(figure["stated"]), abs(figure["stated"]) * WORKLOAD_TOLERANCE)
        for name, figure in description["figures"].items()
        if figure["state"] == "given" and _is_number(figure["stated"]) and name not in _UNMEASURED
    ]


def check(info: Mapping[str, Any], figures: Iterable[Figure]) -> list[Finding]:
    """Compare figures with a trace's `info` document; raises ValueError for an unknown name."""
    known = {name: float(value) for name, value in leaves(info) if _is_number(value)}
    known |= {name: float(derive(info)) for name, derive in _DERIVED.items()}
    return [Finding(figure, _look_up(figure.name, known)) for figure in figures]


def _small_writes(info: Mapping[str, Any]) -> int:
    buckets = info["size_histogram"]
    return sum(bucket["writes"] for bucket in buckets if bucket["to_bytes"] <= 4096)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _look_up(name: str, known: Mapping[str, float]) -> float:
    if name in known:
        return known[name]
    for ending, own, factor in _UNITS:
        stem = name.removesuffix(ending)
        if stem != name and stem + own in known:
            return known[stem + own] / factor
    plain = ", ".join(key for key in known if "." not in key and "[" not in key)
    raise ValueError(
        f"a trace has no figure {name!r}; it has {plain}, and in place of _bytes also _kib, _mib "
        "and _gib, in place of _share and _ratio also _percent (KB is read both ways)"
    )
