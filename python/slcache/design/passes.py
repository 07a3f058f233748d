"""What one pass of a repeated workload does: a run of several passes less that of one fewer."""

from __future__ import annotations

from typing import Any

from slcache.documents import normalise
from slcache.documents.normalise import Document

#: Figures of a scheme that are counted from the beginning of a run.
_COUNTED = ("slc_bytes", "dense_bytes", "slc_cleanings", "dense_cleanings")


def last(copies: int, whole: Document, before: Document | None = None) -> dict[str, Any]:
    """Return the document of the last of so many passes; `before` is the run without it.

    What a point reads is that of the pass alone; all else is that of the whole run.
    """
    if before is None:
        return dict(whole)
    own, other = (each["scheme"]["figures"] for each in (whole, before))
    figures = {key: float(own[key] - other[key]) for key in _COUNTED if key in own}
    # Every pass reads as many units.
    missed, missed_before = own.get("miss_rate"), other.get("miss_rate")
    if missed is not None and missed_before is not None:
        figures["miss_rate"] = max(0.0, copies * missed - (copies - 1) * missed_before)
    energy_j = whole["disk"]["energy_j"] - before["disk"]["energy_j"]
    written = whole["host"]["write"]["bytes"] - before["host"]["write"]["bytes"]
    return {
        **whole,
        "scheme": {**whole["scheme"], "figures": figures},
        "host": {**whole["host"], "read": _read(whole, before), "write": {"bytes": written}},
        "disk": {"energy_j": energy_j},
    }


def _read(whole: Document, before: Document) -> dict[str, Any]:
    """Return the number and the mean latency of the reads of the last pass."""
    counts = [each["host"]["read"]["requests"] for each in (whole, before)]
    means = [normalise.latency(each, "read", "mean") or 0.0 for each in (whole, before)]
    requests = counts[0] - counts[1]
    spent = counts[0] * means[0] - counts[1] * means[1]
    return {"requests": requests, "latency_us": {"mean": spent / requests if requests else 0.0}}
