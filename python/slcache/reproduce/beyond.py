"""Beyond the paper: the same schemes on real recordings, with tails, causes and wear."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from slcache.execute.engine import Engine
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.inputs import Input, Job
from slcache.reproduce.measures import value
from slcache.reproduce.plan import Plan

TIMES = tuple(f"{side}_{key}_us" for side in ("write", "read") for key in ("mean", "p99", "p99_9"))
MEASURES = (*TIMES, "waf", "erases")

#: By what the best constant is chosen: recordings hold reads too, so throughput says little.
FASTEST = "write_mean_us"


def jobs_of(plan: Plan, folder: Path) -> tuple[list[Job], list[str]]:
    """Return the runs on the recordings of a folder, and the traces named that it lacks."""
    spec = plan.beyond
    assert spec is not None
    wanted = [folder / name for name in (*spec.more, *spec.pieces)]
    open_load = {folder / name for name in spec.pieces}
    recorded = sorted(folder.glob("*.blkparse.zst"))
    recorded = [path for path in recorded if not spec.only or path.name.split(".")[0] in spec.only]
    paths = [*recorded, *(path for path in wanted if path.exists())]
    part = replace(
        spec,
        schemes=[*spec.schemes, *([spec.constants] if spec.constants else [])],
        settings={"trace.address": "compact", **spec.settings},
    )
    chosen = [
        Input(
            path.name.split(".")[0],
            twin="",
            requests=path.stat().st_size,
            settings={"replay": "open"} if path in open_load else {},
            file=str(path),
        )
        for path in paths
    ]
    experiment = Experiment(replace(plan, parts=[part]), chosen, {part.name: spec.seeds})
    return experiment.jobs, [path.name for path in wanted if not path.exists()]


def study(plan: Plan, folder: Path, engine: Engine) -> dict[str, Any]:
    """Return tails, write amplification by cause and wear of every scheme on every recording."""
    spec = plan.beyond
    assert spec is not None
    jobs, left_out = jobs_of(plan, folder)
    results = engine.results([job.run for job in jobs])
    of_trace: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for job, document in zip(jobs, results, strict=True):
        of_trace.setdefault(job.input.name, {}).setdefault(job.name, []).append(document)
    constants = {variant.name for variant in plan.expand([spec.constants])}
    return {
        "replay": spec.replay,
        "device": spec.device,
        "measures": dict(zip(spec.measures, spec.names, strict=True)),
        "pieces": [Path(name).name.split(".")[0] for name in spec.pieces],
        "left_out": left_out,
        "traces": {
            name: _schemes(found, constants, spec.measures) for name, found in of_trace.items()
        },
    }


def _schemes(
    found: Mapping[str, list[dict[str, Any]]], constants: Collection[str], more: Sequence[str]
) -> dict[str, Any]:
    """Return every scheme's figures, means over its seeds, and the constant that writes fastest."""
    shown = {name: _figures(runs, more) for name, runs in found.items() if name not in constants}
    tried = {name: _figures(runs[:1], more) for name, runs in found.items() if name in constants}
    known = {name: run for name, run in tried.items() if run[FASTEST] is not None}
    if known:
        best = min(known, key=lambda name: known[name][FASTEST])
        shown["best constant"] = {**known[best], "picked": best}
    return shown


def _figures(runs: Sequence[Mapping[str, Any]], more: Sequence[str]) -> dict[str, Any]:
    """Return means over the seeds, and beside those of several the lowest and highest."""
    of_seeds = {name: [value(name, run) for run in runs] for name in (*MEASURES, *more)}
    known = {name: [v for v in of if v is not None] for name, of in of_seeds.items()}
    causes = [run["waf"]["by_cause"] for run in runs]
    pools = (pool for run in runs for pool in run["wear"]["pools"])
    figures: dict[str, Any] = {
        **{name: statistics.fmean(of) if of else None for name, of in known.items()},
        "waf_by_cause": {
            cause: statistics.fmean(shares.get(cause, 0.0) for shares in causes)
            for cause in sorted({cause for shares in causes for cause in shares})
        },
        "erases_max": max((n for pool in pools for n, _ in pool["histogram"]), default=0),
    }
    if len(runs) > 1:
        figures["spread"] = {n: [min(of), max(of)] if of else None for n, of in known.items()}
    return figures
