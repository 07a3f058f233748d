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
from slcache.reproduce.parts import Part
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
    part = Part(
        "beyond",
        spec.device,
        [*spec.schemes, *([spec.constants] if spec.constants else [])],
        reference="",
        replay=spec.replay,
        settings={"trace.address": "compact", **spec.settings},
        learned=spec.learned,
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
        of_scheme = of_trace.setdefault(job.input.name, {})
        of_scheme.setdefault(job.name, []).append(_figures(document, spec.measures))
    constants = {variant.name for variant in plan.expand([spec.constants])}
    return {
        "replay": spec.replay,
        "device": spec.device,
        "measures": dict(zip(spec.measures, spec.names, strict=True)),
        "pieces": [Path(name).name.split(".")[0] for name in spec.pieces],
        "left_out": left_out,
        "traces": {name: _schemes(found, constants) for name, found in of_trace.items()},
    }


def _schemes(
    found: Mapping[str, list[dict[str, Any]]], constants: Collection[str]
) -> dict[str, Any]:
    """Return every scheme's figures, means over its seeds, and the constant that writes fastest."""
    shown = {name: _mean(runs) for name, runs in found.items() if name not in constants}
    tried = {name: runs[0] for name, runs in found.items() if name in constants}
    known = {name: run for name, run in tried.items() if run[FASTEST] is not None}
    if known:
        best = min(known, key=lambda name: known[name][FASTEST])
        shown["best constant"] = {**known[best], "picked": best}
    return shown


def _mean(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the means of several seeds' figures, and beside them the lowest and highest."""
    if len(runs) == 1:
        return runs[0]
    figures: dict[str, Any] = dict(runs[0])
    spread = {}
    for name in [name for name in figures if name not in ("waf_by_cause", "erases_max")]:
        values = [run[name] for run in runs if run[name] is not None]
        figures[name] = statistics.fmean(values) if values else None
        spread[name] = [min(values), max(values)] if values else None
    causes = {cause for run in runs for cause in run["waf_by_cause"]}
    shares = {c: [run["waf_by_cause"].get(c, 0.0) for run in runs] for c in sorted(causes)}
    figures["waf_by_cause"] = {cause: statistics.fmean(each) for cause, each in shares.items()}
    figures["erases_max"] = max(run["erases_max"] for run in runs)
    return {**figures, "spread": spread}


def _figures(document: Mapping[str, Any], more: Sequence[str]) -> dict[str, Any]:
    figures: dict[str, Any] = {name: value(name, document) for name in (*MEASURES, *more)}
    figures["waf_by_cause"] = document["waf"]["by_cause"]
    counts = (count for pool in document["wear"]["pools"] for count, _ in pool["histogram"])
    figures["erases_max"] = max(counts, default=0)
    return figures
