"""A trace's figures as readable tables, for the terminal and for HTML alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from slcache.tables.tabular import Cells
from slcache.words import units

Info = Mapping[str, Any]
Row = tuple[str, ...]
_STREAMS_SHOWN = 20
_NONE = "–"


def sections(info: Info) -> list[Cells]:
    """Return every table that has something to say about the trace."""
    counts = [*_counts(info), *_responses(info)]
    made = (
        Cells(("requests", "all", "reads", "writes"), counts),
        Cells(("places", ""), _places(info)),
        Cells(("times", ""), _times(info)),
        Cells(("gaps", "share", "mean"), _gap_classes(info)),
        Cells(("coupling (Cramér's V)", ""), _deciders(info)),
        Cells((_pages(info), "of accesses", "of page writes"), _hot_set(info)),
        Cells(("hint", "writes", "data"), _hints(info)),
        Cells(("volume", "requests", "writes", "touched", "written", "sequential"), _streams(info)),
        Cells(("also", ""), _notes(info)),
    )
    return [table for table in made if table.rows]


def _counts(info: Info) -> Iterator[Row]:
    share = info["write_share"]
    sides = ("request", "read", "write")
    yield ("number", *(units.count(info[f"{side}s"]) for side in sides))
    yield ("share", "100 %", units.percent(1 - share), units.percent(share))
    data = (info["read_bytes"] + info["write_bytes"], info["read_bytes"], info["write_bytes"])
    yield ("data", *map(units.size, data))
    yield ("mean size", *(units.size(info[f"mean_{side}_bytes"]) for side in sides))
    for name in ("p50", "p99"):
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


def _hints(info: Info) -> Iterator[Row]:
    """Yield what writes there are by hint, where some have one."""
    for each in info["hints"]:
        name, data = str(each["hint"] or "none"), units.size(each["write_bytes"])
        yield (name, units.count(each["writes"]), data)


def _places(info: Info) -> Iterator[Row]:
    """Yield where requests go, and what they update."""
    page = 4096
    aligned = 1 - info["not_4kib_aligned_share"]
    yield ("footprint touched", units.size(info["touched_4kib_pages"] * page))
    yield ("footprint written", units.size(info["written_4kib_pages"] * page))
    first = units.percent(info["read_first_share"])
    yield ("first accessed by a read", f"{first} of the footprint")
    yield ("addresses up to", units.size(info["end_address_bytes"]))
    yield ("aligned to 4 KiB", f"{units.percent(aligned)} of requests")
    run = units.significant(info["mean_run_requests"])
    share = units.percent(info["sequential_share"])
    yield ("sequential", f"{share} of requests, mean run {run} requests")
    yield ("page writes that update", units.percent(info["update_ratio"]))
    small = units.percent(info["update_writes_up_to_4kib_share"])
    yield ("updating writes", f"{units.count(info['update_writes'])}, {small} of them up to 4 KiB")
    if info["overwriting_writes"]:
        repeated = units.percent(info["repeated_extent_share"])
        count = units.count(info["overwriting_writes"])
        text = f"{count}, {repeated} of them repeat an earlier extent"
        yield ("overwriting writes", text + sampled(info["extents_sampled_one_in"]))
    if info["writes"]:
        writers = units.significant(info["writers_per_16kib_page"])
        yield ("writes per 16 KiB page", writers + sampled(info["writers_sampled_one_in"]))


def _times(info: Info) -> Iterator[Row]:
    gaps = info["interarrival"]
    yield ("duration", units.span(info["duration_s"] * 1e6))
    yield ("mean rate", f"{units.significant(info['mean_iops'])} requests/s")
    if gaps["us"] is not None:
        named = (("mean", "mean"), ("p50", "p50"), ("p99", "p99"), ("p99_9", "p99.9"))
        cells = [f"{title} {units.duration(gaps['us'][name])}" for name, title in named]
        yield ("inter-arrival", ", ".join(cells))
        yield ("longest gap", units.span(gaps["us"]["max"]))
    for idle in gaps["idle"]:
        if idle["gaps"]:
            share = f"{units.percent(idle['share'])} of the time"
            text = f"{units.count(idle['gaps'])} times, {share}"
            yield (f"idle over {units.duration(idle['over_us'], trim=True)}", text)
    if info["gap_classes"]:
        yield from _runs(info)


def _runs(info: Info) -> Iterator[Row]:
    """Yield how requests follow one another; gaps up to 1 ms are short."""
    mean, median = info["mean_burst_requests"], info["median_burst_requests"]
    yield (
        "bursts",
        f"mean {units.significant(mean)} requests, half of all requests in bursts up to "
        f"{units.count(median)}",
    )
    short, tight = (units.percent(info[f"{name}_gap_runs"]) for name in ("short", "tight"))
    yield (
        "after a short gap",
        f"{short} of gaps up to 1 ms are followed by another, {tight} of those up to 10 µs",
    )
    if pauses(info) > 1:
        yield (
            "after a short pause",
            f"{units.percent(info['short_pause_runs'])} of pauses of 1 to 100 ms are followed by "
            "another",
        )
    if info["writes"] > 1:
        yield (
            "after a write",
            f"{units.percent(info['write_after_write_share'])} of requests are writes",
        )


def _deciders(info: Info) -> Iterator[Row]:
    """Yield what decides results beyond counts: what hangs together, rewrites and phases."""
    if not info["gap_classes"]:
        return
    for name, title in (
        ("gap_size", "gap and size"),
        ("gap_op", "gap and operation"),
        ("size_op", "size and operation"),
    ):
        yield (title, units.significant(info[f"{name}_coupling"]))
    if info["writes"]:
        yield ("written by a burst", f"half in up to {_bytes(info, 'median_burst_write')}")
    if info["update_ratio"]:
        half, most = (_bytes(info, f"rewrite_distance_{p}") for p in ("p50", "p90"))
        yield ("written before a rewrite", f"half up to {half}, nine in ten up to {most}")
    spreads = (info[f"phase_{name}_spread"] for name in ("write_share", "update_ratio"))
    writes, updates = (f"{100 * spread:.1f} points" for spread in spreads)
    yield ("between parts of the trace", f"writes ± {writes}, updates ± {updates}")


def _bytes(info: Info, name: str) -> str:
    return units.size(info[f"{name}_bytes"])


def _gap_classes(info: Info) -> Iterator[Row]:
    """Yield the gaps by length."""
    for gap in info["gap_classes"]:
        mean = units.span(gap["mean_ns"] / 1e3) if gap["share"] else _NONE
        yield (class_name(gap), units.percent(gap["share"]), mean)


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


def _pages(info: Info) -> str:
    return "4 KiB pages" + sampled(info["hot_set"]["sampled_one_in"])


def _hot_set(info: Info) -> Iterator[Row]:
    for hot in info["hot_set"]["hottest"]:
        if hot["pages_share"] < 1:
            accesses, writes = (units.percent(hot[f"{side}_share"]) for side in ("access", "write"))
            pages = f"hottest {100 * hot['pages_share']:g} %"
            yield (pages, accesses, writes if info["hot_set"]["written_pages"] else _NONE)


def _streams(info: Info) -> Iterator[Row]:
    streams = info["streams"] if len(info["streams"]) > 1 else []
    busiest = sorted(streams, key=lambda stream: -stream["requests"])
    for stream in busiest[:_STREAMS_SHOWN]:
        yield (
            str(stream["stream"] if stream["volume"] is None else stream["volume"]),
            units.count(stream["requests"]),
            units.percent(stream["write_share"]),
            units.size(stream["touched_4kib_pages"] * 4096),
            units.size(stream["written_4kib_pages"] * 4096),
            units.percent(stream["sequential_share"]),
        )
    if len(busiest) > _STREAMS_SHOWN:
        yield (f"and {len(busiest) - _STREAMS_SHOWN:,} more",)


def _notes(info: Info) -> Iterator[Row]:
    """Yield what else the trace holds, and whatever was left out or changed on the way."""
    summary = info["summary"]
    if info["event"]:
        yield ("requests are timed by", info["event"])
    for title, value in (
        ("flushes", info["flushes"]),
        ("trims", info["trims"]),
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
