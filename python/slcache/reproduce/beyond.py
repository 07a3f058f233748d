"""Beyond the paper: the same schemes on real recordings, with tails, causes and wear."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from slcache.reproduce.inputs import Input
from slcache.reproduce.measures import value
from slcache.reproduce.plan import Plan
from slcache.reproduce.runs import Job, Progress, run_all
from slcache.reproduce.store import Store

MEASURES = (
    "write_mean_us",
    "write_p99_us",
    "write_p99_9_us",
    "read_mean_us",
    "read_p99_us",
    "read_p99_9_us",
    "waf",
    "erases",
)


def study(plan: Plan, folder: Path, store: Store, progress: Progress) -> dict[str, Any]:
    """Return tails, write amplification by cause and wear of every scheme on every recording."""
    paths = sorted(folder.glob("*.blkparse.zst"))
    chosen = [
        Input(path.name.split(".")[0], str(path), False, path.stat().st_size) for path in paths
    ]
    spec = plan.beyond
    assert spec is not None
    settings = {"trace.address": "compact", **spec.settings}
    jobs = [
        Job(each, spec.device, scheme, 1, spec.replay, settings)
        for each in chosen
        for scheme in spec.schemes
    ]
    results = run_all(jobs, store, progress)
    traces: dict[str, dict[str, Any]] = {}
    for job, document in zip(jobs, results, strict=True):
        traces.setdefault(job.input.name, {})[job.scheme] = _figures(document)
    return {"replay": spec.replay, "device": spec.device, "traces": traces}


def _figures(document: Mapping[str, Any]) -> dict[str, Any]:
    figures: dict[str, Any] = {name: value(name, document) for name in MEASURES}
    figures["waf_by_cause"] = document["waf"]["by_cause"]
    figures["erases_max"] = max(
        (count for pool in document["wear"]["pools"] for count, _ in pool["histogram"]),
        default=0,
    )
    return figures
