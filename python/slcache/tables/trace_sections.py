"""A trace's figures as readable tables, for the terminal and for HTML alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from slcache import units
from slcache.tables.table import Cells, Columns, Table

Info = Mapping[str, Any]
Row = tuple[str, ...]
_STREAMS_SHOWN = 20
_NONE = "–"


def sections(info: Info) -> list[Cells]:
    """Return every table that has something to say about the trace."""
    hot = info["hot_set"]
    pages = f"4 KiB pages{sampled(hot['sampled_one_in'])}"
    hottest = [each for each in hot["hottest"] if each["pages_share"] < 1]
    streams = info["streams"] if len(info["streams"]) > 1 else []
    busiest = sorted(streams, key=lambda stream: -stream["requests"])
    made = (
        Cells(("requests", "all", "reads", "writes"), [*_counts(info), *_responses(info)]),
        Cells(("places", ""), _facts(_PLACES, _of_places(info))),
        Cells(("times", ""), _times(info)),
        Table(info["gap_classes"], _GAP),
        Cells(("coupling (Cramér's V)", ""), _deciders(info)),
        Table(hottest, {pages: _hottest, **(_HOT if hot["written_pages"] else _READ)}),
        Table(info["hints"], _HINT),
        Table(map(_stream, busiest), _STREAM, most=_STREAMS_SHOWN),
        Cells(("also", ""), _notes(info)),
    )
    return [table for table in made if table.rows]


_GAP: Columns = {
    "gaps": lambda gap: class_name(gap),
    "share": "share",
    "mean": lambda gap: units.span(gap["mean_ns"] / 1e3) if gap["share"] else _NONE,
}
_READ = {"of accesses": "access_share"}
_HOT = {**_READ, "of page writes": "write_share"}
_HINT: Columns = {
    "hint": lambda each: str(each["hint"] or "none"),
    "writes": "writes",
    "data": "write_bytes",
}
_STREAM = {
    "volume": "name",
    "requests": "requests",
    "writes": "write_share",
    "touched": "touched_bytes",
    "written": "written_bytes",
    "sequential": "sequential_share",
}


def _hottest(hot: Info) -> str:
    return f"hottest {100 * hot['pages_share']:g} %"


def _stream(stream: Info) -> dict[str, Any]:
    name = stream["stream"] if stream["volume"] is None else stream["volume"]
    return {**stream, "name": str(name), **_footprints(stream)}


def _footprints(info: Info) -> dict[str, int]:
    """Return what a trace, or a volume of it, touches and writes, in bytes."""
    return {f"{how}_bytes": info[f"{how}_4kib_pages"] * 4096 for how in ("touched", "written")}


#: Titles of facts, their texts, and the figure without which there is nothing to tell.
Facts = Iterable[tuple[str, str, str]]


def _facts(facts: Facts, values: Info) -> Iterator[Row]:
    for title, text, needed in facts:
        if not needed or values[needed]:
            yield (title, units.told(text, values))


#: Where requests go, and what they update.
_PLACES = (
    ("footprint touched", "{touched_bytes}", ""),
    ("footprint written", "{written_bytes}", ""),
    ("first accessed by a read", "{read_first_share} of the footprint", ""),
    ("addresses up to", "{end_address_bytes}", ""),
    ("aligned to 4 KiB", "{aligned_share} of requests", ""),
    ("sequential", "{sequential_share} of requests, mean run {mean_run_requests} requests", ""),
    ("page writes that update", "{update_ratio}", ""),
    (
        "updating writes",
        "{update_writes}, {update_writes_up_to_4kib_share} of them up to 4 KiB",
        "",
    ),
    (
        "overwriting writes",
        "{overwriting_writes}, {repeated_extent_share} of them repeat an earlier extent{extents}",
        "overwriting_writes",
    ),
    ("writes per 16 KiB page", "{writers_per_16kib_page}{writers}", "writes"),
)


def _of_places(info: Info) -> dict[str, Any]:
    return {
        **info,
        **_footprints(info),
        "aligned_share": 1 - info["not_4kib_aligned_share"],
        "extents": sampled(info["extents_sampled_one_in"]),
        "writers": sampled(info["writers_sampled_one_in"]),
    }


def _counts(info: Info) -> Iterator[Row]:
    share = info["write_share"]
    sides = ("request", "read", "write")
    yield ("number", *(units.count(info[f"{side}s"]) for side in sides))
    yield ("share", "100 %", units.percent(1 - share), units.percent(share))
    data = (info["read_bytes"] + info["write_bytes"], info["read_bytes"], info["write_bytes"])
    yield ("data", *map(units.size, data))
    for name in ("mean", "p50", "p99"):
        yield (f"{name} size", *(units.size(info[f"{name}_{side}_bytes"]) for side in sides))
    largest = (info["max_read_bytes"], info["max_write_bytes"])
    yield ("largest", *map(units.size, (max(largest), *largest)))


def _responses(info: Info) -> Iterator[Row]:
    response = info["response"]
    if response is None:
        return
    for name in ("mean", "p50", "p99", "p99_9"):
        both = (response["read_us"], response["write_us"])
        cells = (_NONE if side is None else units.duration(side[name]) for side in both)
        yield (f"{name.replace('_', '.')} response", "", *cells)
    if response["mean_queue_depth"] is not None:
        yield ("mean queue depth", units.significant(response["mean_queue_depth"]), "", "")


def _times(info: Info) -> Iterator[Row]:
    gaps = info["interarrival"]
    yield from _facts((("duration", "{duration_s}", ""), ("mean rate", "{mean_iops}", "")), info)
    if gaps["us"] is not None:
        known = {f"{name}_us": of for name, of in gaps["us"].items()}
        yield ("inter-arrival", units.told(_INTERARRIVAL, known))
        yield ("longest gap", units.told("{max_us}", known))
    for idle in gaps["idle"]:
        if idle["gaps"]:
            over = units.duration(idle["over_us"], trim=True)
            yield (f"idle over {over}", units.told("{gaps} times, {share} of the time", idle))
    if info["gap_classes"]:
        more = {"several_pauses": pauses(info) > 1, "several_writes": info["writes"] > 1}
        shares = {f"{name}_share": info[f"{name}_runs"] for name in _RUNS_OF}
        yield from _facts(_RUNS, {**info, **shares, **more})


_INTERARRIVAL = "mean {mean_us}, p50 {p50_us}, p99 {p99_us}, p99.9 {p99_9_us}"
_RUNS_OF = ("short_gap", "tight_gap", "short_pause")
#: How requests follow one another; gaps up to 1 ms are short.
_RUNS = (
    (
        "bursts",
        "mean {mean_burst_requests} requests, half of all requests in bursts up to "
        "{median_burst_requests}",
        "",
    ),
    (
        "after a short gap",
        "{short_gap_share} of gaps up to 1 ms are followed by another, {tight_gap_share} of those "
        "up to 10 µs",
        "",
    ),
    (
        "after a short pause",
        "{short_pause_share} of pauses of 1 to 100 ms are followed by another",
        "several_pauses",
    ),
    ("after a write", "{write_after_write_share} of requests are writes", "several_writes"),
)


def _deciders(info: Info) -> Iterator[Row]:
    """Yield what decides results beyond counts: what hangs together, rewrites and phases."""
    if info["gap_classes"]:
        spreads = (info[f"phase_{name}_spread"] for name in ("write_share", "update_ratio"))
        writes, updates = (f"{100 * spread:.1f} points" for spread in spreads)
        yield from _facts(_DECIDERS, {**info, "spread_writes": writes, "spread_updates": updates})


_DECIDERS = (
    ("gap and size", "{gap_size_coupling}", ""),
    ("gap and operation", "{gap_op_coupling}", ""),
    ("size and operation", "{size_op_coupling}", ""),
    ("written by a burst", "half in up to {median_burst_write_bytes}", "writes"),
    (
        "written before a rewrite",
        "half up to {rewrite_distance_p50_bytes}, nine in ten up to {rewrite_distance_p90_bytes}",
        "update_ratio",
    ),
    ("between parts of the trace", "writes ± {spread_writes}, updates ± {spread_updates}", ""),
)


def pauses(info: Info) -> int:
    """Return how many gaps are longer than 1 ms."""
    idle = info["interarrival"]["idle"]
    return next(int(over["gaps"]) for over in idle if over["over_us"] == 1000)


def class_name(gap: Mapping[str, Any]) -> str:
    """Return the name of a class of gaps."""
    to_ns = gap.get("to_ns")
    return "longer" if to_ns is None else f"up to {units.duration(to_ns / 1e3, trim=True)}"


def sampled(one_in: int) -> str:
    """Return what is said behind a figure of a sample; nothing where all was counted."""
    return f" (1 in {one_in:,} sampled)" if one_in > 1 else ""


def _notes(info: Info) -> Iterator[Row]:
    """Yield what else the trace holds, and whatever was left out or changed on the way."""
    summary = info["summary"]
    if info["event"]:
        yield ("requests are timed by", info["event"])
    for title, value in (
        ("flushes", info["flushes"]),
        ("trims", info["trims"]),
        ("issued, without a completion", (info["response"] or {}).get("unanswered", 0)),
        ("put in order", summary["reordered"]),
        ("times that go backwards, kept", summary["kept_unsorted"]),
        ("widened to whole sectors", summary["rounded_to_sectors"]),
        ("times spread inside their second", summary["spread_inside_seconds"]),
        ("times rounded to ns", summary["rounded_to_ns"]),
        ("durable (FUA) writes taken as plain", summary["forced_unit_access_writes"]),
        *((f"left out: {each['reason']}", each["count"]) for each in summary["skipped"]),
    ):
        if value:
            yield (title, units.count(value))
    if info["trims"]:
        yield ("trimmed", units.size(info["trim_bytes"]))
    if info["response_unknown"]:
        yield ("response times are not known", info["response_unknown"])
    yield from (("made by", step) for step in summary["steps"])
    yield ("SHA-256", summary["sha256"] or _NONE)
