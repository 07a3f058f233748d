"""The figures of a trace that a twin takes as they were measured, and what it has no figure for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Info = Mapping[str, Any]
_PAGE = 4096
#: More sequential than this a twin cannot be.
_MOST_SEQUENTIAL = 0.9
#: Figures of extents; the others have no meaning without the first.
EXTENTS = ("repeated_extent_share", "writers_per_16kib_page", "update_writes")


def measured(info: Info) -> dict[str, Any]:
    """Return the figures that a twin takes as they were measured."""
    figures: dict[str, Any] = {"requests": info["requests"], "write_share": info["write_share"]}
    for side in ("write", "read"):
        if info[f"{side}s"]:
            figures[f"mean_{side}_bytes"] = info[f"mean_{side}_bytes"]
            figures[f"max_{side}_bytes"] = _most_bytes(info, side)
    figures["size_shares_by"] = "count"
    for side in ("write", "read"):
        if info[f"{side}s"]:
            figures[f"{side}_sizes"] = _sizes(info, side)
    if info["writes"]:
        figures["footprint_written_bytes"] = info["written_4kib_pages"] * _PAGE
        figures["update_ratio"] = info["update_ratio"]
    # Where updates fall: nothing where no write overwrites.
    if info["writes"] and info["overwriting_writes"]:
        figures |= {name: info[name] for name in EXTENTS}
    figures["footprint_touched_bytes"] = info["touched_4kib_pages"] * _PAGE
    figures["not_4kib_aligned_share"] = info["not_4kib_aligned_share"]
    figures["sequential_share"] = min(info["sequential_share"], _MOST_SEQUENTIAL)
    figures |= _times(info)
    return figures


def _times(info: Info) -> dict[str, Any]:
    if not info["duration_s"]:
        return {}
    times: dict[str, Any] = {"duration_ns": round(info["duration_s"] * 1e9)}
    if info["gap_classes"]:
        times["gap_classes"] = _classes(info)
        times["short_gap_runs"] = info["short_gap_runs"]
        times["short_pause_runs"] = info["short_pause_runs"]
        times["median_burst_requests"] = info["median_burst_requests"]
    if 0 < info["write_share"] < 1:
        times["write_after_write_share"] = info["write_after_write_share"]
    return times


def _classes(info: Info) -> list[dict[str, float]]:
    """Return the classes of gaps up to the longest; that one fills the duration."""
    classes = [{**gap, "mean_ns": round(gap["mean_ns"])} for gap in info["gap_classes"]]
    while not classes[-1]["share"]:
        classes.pop()
    del classes[-1]["mean_ns"]
    return [
        {key: value for key, value in gap.items() if key != "mean_ns" or gap["share"]}
        for gap in classes
    ]


def _most_bytes(info: Info, side: str) -> int:
    """Return the largest size, above a page in whole pages as twins have them."""
    most = int(info[f"max_{side}_bytes"])
    return most if most <= _PAGE else -(-most // _PAGE) * _PAGE


def _sizes(info: Info, side: str) -> list[dict[str, float]]:
    most, total = _most_bytes(info, side), info[f"{side}s"]
    return [
        {"to_bytes": min(bucket["to_bytes"], most), "share": bucket[f"{side}s"] / total}
        for bucket in info["size_histogram"]
        if bucket[f"{side}s"]
    ]


def not_carried(info: Info) -> list[str]:
    """Return what no twin has of a trace, and what this trace has that no twin has."""
    texts = [
        "phases and popularity that drifts; where in the address space the data lie",
        "which sizes go where, and sizes between powers of two beyond their mean",
    ]
    if info["sequential_share"] > _MOST_SEQUENTIAL:
        share = info["sequential_share"]
        texts.append(f"sequential_share = {share:.4g}: a twin has {_MOST_SEQUENTIAL} at most")
    if info["tight_gap_runs"]:
        # Measured: see "How near a twin comes" in docs/twins.md.
        share = info["tight_gap_runs"]
        why = "with sizes that do not depend on bursts, long bursts get too heavy"
        texts.append(f"tight_gap_runs = {share:.4g}: {why}")
    if info["response"] is not None:
        texts.append("response times")
    for kind in ("flushes", "trims"):
        if info[kind]:
            texts.append(f"{info[kind]:,} {kind}")
    if len(info["streams"]) > 1:
        texts.append(f"{len(info['streams'])} volumes: all are one here")
    return texts
