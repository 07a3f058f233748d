"""Documents written by hand, with the figures that their other parts say."""

from __future__ import annotations

from typing import Any

from slcache.metrics import PARTS


def figured(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with figures that fit what was changed in its other parts."""
    host, ops, disk = document["host"], document["flash"]["ops"], document.get("disk")
    figures = document["figures"]
    for side in ("read", "write"):
        figures |= _of_side(side, host[side])
    figures["waf"] = document["waf"]["total"] if host["write"]["bytes"] else None
    figures["erases"] = sum(op["count"] for op in ops if op["kind"] == "erase")
    figures["flash_time_ns"] = round(1000 * sum(op["time_us"] for op in ops))
    figures["energy_j"] = disk and disk["energy_j"]
    figures["miss_rate"] = document["scheme"]["figures"].get("miss_rate") if disk else None
    figures["duration_ns"] = host["duration_ns"]
    return document


def _of_side(side: str, host: dict[str, Any]) -> dict[str, float | None]:
    """Return latencies, and parts in proportion that add up to the mean."""
    told = host["latency_us"]
    found: dict[str, float | None] = {
        f"{side}_{key}_ns": None if us is None else 1000 * us if key == "mean" else round(1000 * us)
        for key, us in told.items()
        if key not in ("min", "p95")
    }
    parts = {
        f"{side}_{kind}_{name.replace('-', '_')}_ns": us
        for kind in ("service", "wait")
        for name, us in host["attribution_us"][kind].items()
    }
    total = sum(parts.values())
    for name in PARTS | parts:
        if name.startswith(side):
            share = parts.get(name, 0.0) / total if total else 0.0
            found[name] = None if told["mean"] is None else 1000 * told["mean"] * share
    return found
