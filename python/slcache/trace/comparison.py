"""A trace held against another, or against figures that are expected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from slcache import units
from slcache.documents.schemata import CLOSED
from slcache.names import leaves
from slcache.tables import trace_sections

Info = Mapping[str, Any]
#: Shares of the pages of which the hot set is compared.
_HOTTEST = (0.01, 0.1)


@dataclass(frozen=True)
class ComparedFigure:
    """A figure of both traces; null where a trace has no such requests."""

    name: str
    """Its place in this document."""
    value: float | None
    """This trace's."""
    against: float | None
    """The other trace's."""
    difference: float | None
    """Of shares, the other's less this one's."""
    ratio: float | None
    """Of all others, the other's over this one's; null where this one's is 0."""

    __pydantic_config__ = CLOSED

    @classmethod
    def of(cls, name: str, value: float | None, against: float | None) -> ComparedFigure:
        """Return two traces' figures; shares differ by points, all others by a factor."""
        difference, ratio = None, None
        if value is not None and against is not None:
            if is_share(name):
                difference = against - value
            elif value:
                ratio = against / value
        return cls(name, value, against, difference, ratio)

    @property
    def differs(self) -> str:
        """By what the other's differs, for a reader."""
        if self.difference is not None:
            return f"{100 * self.difference:+.1f} points"
        return "–" if self.ratio is None else units.factor(self.ratio)

    def shown(self, value: float | None) -> str:
        """Return one of the values as a reader has it."""
        if value is not None and is_share(self.name):
            return units.percent(value)
        return units.shown(self.name, value)


@dataclass(frozen=True)
class Beside:
    """Another trace, given with --against, beside this one."""

    file: str
    """Path or preset of the other trace."""
    figures: list[ComparedFigure]
    warnings: list[str]
    """Where schemes would probably differ on the two, a line for each figure."""

    __pydantic_config__ = CLOSED


@dataclass(frozen=True)
class Held:
    """What a trace's document has where the trace is held against something."""

    against: Beside
    expected: list[MeasuredFigure]
    """Figures asked for with --expect, beside those found."""

    __pydantic_config__ = CLOSED


#: How figures end that are shares, of which a ratio says little.
_SHARE_ENDS = ("_share", ".share", "_ratio", "_gap_runs", "_pause_runs", "_coupling", "_spread")


def is_share(name: str) -> bool:
    """Return whether a figure is a share."""
    return name.endswith(_SHARE_ENDS)


def figures(info: Info, against: Info) -> list[ComparedFigure]:
    """Return the figures of two traces' `info` documents side by side."""
    one, other = ({name: value for name, _, value in _rows(each)} for each in (info, against))
    return [ComparedFigure.of(name, one.get(name), other.get(name)) for name in {**one, **other}]


def titles(info: Info, against: Info) -> dict[str, str]:
    """Return what a reader calls these figures, by name."""
    return {name: title for each in (info, against) for name, title, _ in _rows(each)}


#: Figures with their titles, and what a trace must have for each.
_FIGURES = (
    ("requests", "requests", ""),
    ("write_share", "writes", ""),
    ("mean_read_bytes", "mean read", "reads"),
    ("p99_read_bytes", "p99 read", "reads"),
    ("mean_write_bytes", "mean write", "writes"),
    ("p99_write_bytes", "p99 write", "writes"),
    ("not_4kib_aligned_share", "not aligned to 4 KiB", ""),
    ("sequential_share", "sequential", ""),
    ("mean_run_requests", "mean run in requests", ""),
    ("touched_4kib_pages", "4 KiB pages touched", ""),
    ("written_4kib_pages", "4 KiB pages written", "writes"),
    ("read_first_share", "first accessed by a read", ""),
    ("update_ratio", "page writes that update", "writes"),
    ("update_writes_up_to_4kib_share", "updating writes up to 4 KiB", "writes"),
    ("repeated_extent_share", "overwriting writes of an earlier extent", "writes"),
    ("writers_per_16kib_page", "writers of a 16 KiB page", "writes"),
)
_OF_TIMES = (
    ("duration_s", "duration", ""),
    ("short_gap_runs", "gaps up to 1 ms behind such a gap", "gaps"),
    ("short_pause_runs", "pauses up to 100 ms behind such a pause", "pauses"),
    ("tight_gap_runs", "gaps up to 10 µs behind such a gap", "gaps"),
    ("mean_burst_requests", "mean burst in requests", "gaps"),
    ("median_burst_requests", "median burst in requests", "gaps"),
    ("write_after_write_share", "writes behind a write", "several writes"),
    ("gap_size_coupling", "gap and size hang together", "gaps"),
    ("gap_op_coupling", "gap and operation hang together", "gaps"),
    ("size_op_coupling", "size and operation hang together", "gaps"),
    ("phase_write_share_spread", "writes, deviation over parts", ""),
    ("phase_update_ratio_spread", "updates, deviation over parts", "writes"),
    ("median_burst_write_bytes", "half of the bytes in bursts up to", "writes"),
    ("rewrite_distance_p50_bytes", "half of the rewrites within", "updates"),
    ("rewrite_distance_p90_bytes", "90 % of the rewrites within", "updates"),
)


def _rows(info: Info) -> Iterator[tuple[str, str, float | None]]:
    """Yield the name, title and value of each figure; no value where a trace has no such thing."""
    there = {
        "": True,
        "reads": info["reads"],
        "writes": info["writes"],
        "several writes": info["writes"] > 1,
        "updates": info["update_ratio"],
        "gaps": info["gap_classes"],
        "pauses": trace_sections.pauses(info) > 1,
    }
    known = partial(map, lambda each: (*each[:2], info[each[0]] if there[each[2]] else None))
    yield from known(_FIGURES)
    for place, hot in enumerate(info["hot_set"]["hottest"]):
        if hot["pages_share"] in _HOTTEST:
            where, name = (
                f"on the hottest {100 * hot['pages_share']:g} %",
                f"hot_set.hottest[{place}]",
            )
            yield f"{name}.access_share", f"accesses {where}", hot["access_share"]
            writes = hot["write_share"] if info["writes"] else None
            yield f"{name}.write_share", f"page writes {where}", writes
    yield from known(_OF_TIMES)
    for place, gap in enumerate(info["gap_classes"]):
        title, name = f"gaps {trace_sections.class_name(gap)}", f"gap_classes[{place}]"
        yield f"{name}.share", title, gap["share"]
        yield f"{name}.mean_ns", f"{title}, mean", gap["mean_ns"] if gap["share"] else None


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
class Expectation:
    """A figure that a trace should have, in the unit of its name."""

    name: str
    value: float
    tolerance: float


@dataclass(frozen=True)
class MeasuredFigure:
    """A figure beside what the trace has."""

    name: str
    expected: float
    tolerance: float
    found: float
    #: Whether the trace has the figure, within its tolerance.
    agrees: bool

    __pydantic_config__ = CLOSED

    @classmethod
    def of(cls, figure: Expectation, found: float) -> MeasuredFigure:
        """Return what a figure comes to."""
        agrees = abs(found - figure.value) <= figure.tolerance * (1 + 1e-9)
        return cls(figure.name, figure.value, figure.tolerance, found, agrees)


def parse(text: str) -> list[Expectation]:
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
        figures.append(Expectation(name, float(value), allowed))
    return figures


def _half_of_last_digit(number: str) -> float:
    mantissa, _, exponent = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(0.5 * 10.0 ** (int(exponent or 0) - decimals))


def of_workload(description: Mapping[str, Any]) -> list[Expectation]:
    """Return the figures that a workload's source gives and a trace can be measured for."""
    return [
        Expectation(name, float(figure["stated"]), abs(figure["stated"]) * WORKLOAD_TOLERANCE)
        for name, figure in description["figures"].items()
        if figure["state"] == "given" and _is_number(figure["stated"]) and name not in _UNMEASURED
    ]


def check(info: Mapping[str, Any], figures: Iterable[Expectation]) -> list[MeasuredFigure]:
    """Compare figures with a trace's `info` document; raises ValueError for an unknown name."""
    known = {name: float(value) for name, value in leaves(info) if _is_number(value)}
    known |= {name: float(derive(info)) for name, derive in _DERIVED.items()}
    return [MeasuredFigure.of(figure, _look_up(figure.name, known)) for figure in figures]


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


_MOVED = "write amplification, bytes moved"
#: Figures that decide results: titles, which results, and how far they may be off: shares in
#: points, bytes by a factor. Latency hangs on queues in bursts, what is moved on what is
#: overwritten before it moves. The tolerances are judgements: the twins by figures that were off in
#: results were off by more.
_DECIDING = {
    "gap_size_coupling": ("gap and size hang together:", "latency", 0.1),
    "gap_op_coupling": ("gap and operation hang together:", "latency", 0.1),
    "size_op_coupling": ("size and operation hang together:", "latency", 0.1),
    "write_share": ("writes:", "latency and write amplification", 0.05),
    "update_ratio": ("page writes that update:", _MOVED, 0.05),
    "sequential_share": ("sequential requests:", "latency", 0.1),
    "phase_write_share_spread": ("phases of reads and writes:", "latency", 0.1),
    "phase_update_ratio_spread": ("phases of updates:", "bytes moved", 0.1),
    "mean_write_bytes": ("mean write", "latency", 1.1),
    "median_burst_write_bytes": ("half of the bytes in bursts up to", "latency", 1.25),
    "rewrite_distance_p50_bytes": ("half of the rewrites within", _MOVED, 2.0),
    "rewrite_distance_p90_bytes": ("nine in ten rewrites within", _MOVED, 2.0),
}


def warnings(info: Info, against: Info) -> list[str]:
    """Return a line for each figure by which schemes would probably differ."""
    lines = []
    for name, (title, decides, tolerance) in _DECIDING.items():
        one, other = info[name], against[name]
        # A page more or less is no difference of a distance.
        pages = max(one, 4096), max(other, 4096)
        if is_share(name):
            differs = abs(other - one) > tolerance
            told = f"{units.percent(one)} and {units.percent(other)}"
        else:
            differs = max(pages) > tolerance * min(pages)
            told = f"{units.size(one)} and {units.size(other)}"
        if differs:
            lines.append(f"{title} {told}: {decides}")
    return lines
