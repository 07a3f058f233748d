"""How much of an SLC cache's gain survives where the dense store separates data by lifetime."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

from slcache.documents import JsonDocument, provenance
from slcache.execute.engine import Engine
from slcache.execute.run import Run
from slcache.options import content, parsing
from slcache.reproduce.measures import ResultReader
from slcache.trace import Progress

#: Requests a second of what is drawn: idle time comes between them.
RATE_IOPS = 20
READ_PERCENT = 20
#: A gain that is smaller than this is none.
LEAST_GAIN = 0.02
#: Mode of the stores, and bits of its cells.
DENSEST, BITS = "tlc", 3


#: A store behind a cache, or alone, under a workload; without a cache `slc_blocks` is 0.
Row = dict[str, Any]


@dataclass(frozen=True)
class Separation(JsonDocument):
    """Every cell, and what follows from them."""

    indent = 1

    #: What `_cell` tells of each.
    cells: list[Row]
    #: Workloads whose recordings are not here.
    missing: list[str]

    def survivals(self) -> list[Row]:
        """Return what each rule leaves of the dense programs that each cache saves, over the seeds.

        Beside the dense programs without the cache and with it (`alone`, `cached`) it is what the
        cache saves (`gain`), and that as a part of the gain without separation (`survival`); None
        where there is none to speak of.
        """
        by_seed: dict[Place, dict[int, float]] = {}
        for cell in self.cells:
            place = cell["workload"], cell["scheme"], cell["slc_blocks"], cell["rule"]
            by_seed.setdefault(place, {})[cell["seed"]] = cell["dense"]
        alone = str(_plan()["alone"])
        return [_survival(place, by_seed, alone) for place in by_seed if place[1] != alone]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "schema_version": 1,
            "cells": self.cells,
            "survivals": self.survivals(),
            "missing": self.missing,
            "provenance": provenance(),
        }


#: Workload, scheme, blocks and rule.
Place = tuple[str, str, int, str]


def _survival(place: Place, by_seed: Mapping[Place, Mapping[int, float]], alone: str) -> Row:
    workload, scheme, blocks, rule = place
    dense, bare = by_seed[place], by_seed[workload, alone, 0, rule]
    first = by_seed[workload, alone, 0, "none"], by_seed[workload, scheme, blocks, "none"]
    gains = {seed: bare[seed] - dense[seed] for seed in dense}
    unseparated = {seed: first[0][seed] - first[1][seed] for seed in dense}
    left = [gains[seed] / unseparated[seed] for seed in gains if unseparated[seed] >= LEAST_GAIN]
    whole = mean(unseparated.values())
    told = whole >= LEAST_GAIN and len(left) == len(gains)
    return {
        "workload": workload,
        "scheme": scheme,
        "slc_blocks": blocks,
        "rule": rule,
        "alone": mean(bare.values()),
        "cached": mean(dense.values()),
        "gain": mean(gains.values()),
        "gain_least": min(gains.values()),
        "gain_most": max(gains.values()),
        "survival": mean(gains.values()) / whole if told else None,
        "survival_least": min(left) if told else None,
        "survival_most": max(left) if told else None,
    }


@cache
def _plan() -> dict[str, Any]:
    return parsing.toml_file(Path(__file__).parent.parent / "experiments" / "separation.toml")


def workloads() -> list[str]:
    """Return the names of the workloads."""
    return [str(entry["name"]) for entry in _plan()["workload"]]


@dataclass(frozen=True)
class _Point:
    """A cell before it is run: its two runs, the first half of the requests and all of them."""

    cell: tuple[str, str, int, str, int]
    half: Run
    whole: Run


def make(
    place: Path,
    quick: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    *,
    only: Sequence[str] = (),
) -> Separation:
    """Run what is not kept below `place` yet; `only` these workloads, all where none is named."""
    asked = list(only) or (list(_plan()["quick"]["workloads"]) if quick else workloads())
    entries = [entry for entry in _plan()["workload"] if entry["name"] in asked]
    missing = [str(entry["name"]) for entry in entries if _load(entry, 1, 1) is None]
    points = [
        point
        for entry in entries
        if entry["name"] not in missing
        for point in _points(entry, quick)
    ]
    with Engine(place, "local", jobs, progress, share=True) as engine:
        found = engine.results([run for point in points for run in (point.half, point.whole)])
    pairs = zip(found[::2], found[1::2], strict=True)
    cells = [_cell(point, *pair) for point, pair in zip(points, pairs, strict=True)]
    return Separation(cells, missing)


def _points(entry: Mapping[str, Any], quick: bool) -> Iterator[_Point]:
    """Yield the cells of a workload."""
    plan = _plan()
    sizes = plan["quick"]["slc_blocks"] if quick else plan["slc_blocks"]
    seeds = plan["quick"]["seeds"] if quick else plan["seeds"]
    # What a recording does no seed changes.
    seeds = seeds if "random" in entry else seeds[:1]
    for rule in plan["rules"]:
        for seed in seeds:
            yield _point(entry, plan["alone"], 0, rule, seed)
            for scheme in entry["caches"]:
                for blocks in sizes:
                    yield _point(entry, scheme, blocks, rule, seed)


def _point(entry: Mapping[str, Any], scheme: str, blocks: int, rule: str, seed: int) -> _Point:
    device = _device(entry)
    settings: dict[str, Any] = {
        f"scheme.{scheme}.{key}": value for key, value in _plan()["caches"].get(scheme, {}).items()
    }
    if blocks:
        settings[f"scheme.{scheme}.slc_blocks"] = blocks
    if rule != "none":
        section = "dense" if blocks else "clean"
        settings[f"scheme.{scheme}.{section}.separation"] = rule
    if "recording" in entry:
        settings["trace.address"] = "compact"
        settings["host.time_scale"] = entry["recording"]["time_scale"]
    runs = []
    for share in (0.5, 1.0):
        load = _load(entry, share, seed)
        assert load is not None
        trace, options, size = load
        runs.append(
            Run(
                title=f"{entry['name']}, {scheme} {blocks}, {rule}, seed {seed}, {share:.0%}",
                trace=trace,
                device=content.text_of(device),
                scheme=scheme,
                settings=settings,
                trace_options=options,
                seed=seed,
                size=size,
            )
        )
    return _Point((str(entry["name"]), scheme, blocks, rule, seed), *runs)


def _device(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the device of a workload: the plan's, on its chips."""
    device = _plan()["device"]
    (pool,) = device["pool"]
    pool = {**pool, **entry.get("pool", {})}
    pages = pool["channels"] * pool["planes"] * pool["blocks"] * pool["wordlines"] * BITS
    user_bytes = int(pages * entry["user_share"]) * pool["page_bytes"]
    return {"device": {**device, "user_bytes": user_bytes, "pool": [pool]}}


def _load(
    entry: Mapping[str, Any], share: float, seed: int
) -> tuple[str, list[tuple[str, str]], int] | None:
    """Return the first part of a workload, options of its reader, and its requests.

    None where its recording is not here.
    """
    if "recording" in entry:
        shared = os.environ.get("SLCACHE_SHARED")
        file = Path(shared or ".") / entry["recording"]["file"]
        count = int(entry["recording"]["requests"] * share)
        held = shared is not None and file.is_file()
        return (os.fspath(file), [("take", str(count))], count) if held else None
    device = _device(entry)["device"]
    (pool,) = device["pool"]
    pages = device["user_bytes"] // pool["page_bytes"]
    writes = pages * entry["random"]["overwrites"]
    count = int(writes * share / (1 - READ_PERCENT / 100))
    load = {
        "name": entry["name"],
        "footprint_bytes": device["user_bytes"],
        "requests": count,
        "arrivals": {"process": "poisson", "rate_iops": RATE_IOPS},
        "global": {
            "rw": "randrw",
            "rwmixread": READ_PERCENT,
            "bs": f"{pool['page_bytes']}",
            "random_distribution": entry["random"]["distribution"],
        },
    }
    return content.text_of(load), [("seed", str(seed))], count


def _cell(point: _Point, half: Mapping[str, Any], whole: Mapping[str, Any]) -> Row:
    """Return what the second half of the requests came to, per byte that the host writes.

    `damage` and `damage_same` are cycles by their mode's endurance, and all as dense ones, of what
    a dense program takes; `lent` are blocks that a class had to borrow. Percentile and drift are
    those of the whole run.
    """
    workload, scheme, blocks, rule, seed = point.cell
    written = whole["host"]["write"]["bytes"] - half["host"]["write"]["bytes"]
    ends = ResultReader(whole), ResultReader(half)
    stored = {}
    for mode in ("slc", DENSEST):
        after, before = (end.ops("bytes", "program", slc=mode == "slc") for end in ends)
        stored[mode] = after - before
    (pool,) = whole["config"]["device"]["pool"]
    bits = {"slc": 1, DENSEST: BITS}
    cycles = {mode: pool[mode]["endurance_cycles"] for mode in bits}
    # A page in SLC mode takes as many cells as three dense ones.
    cells = {mode: stored[mode] * bits[DENSEST] / bits[mode] for mode in bits}
    return {
        "workload": workload,
        "scheme": scheme,
        "slc_blocks": blocks,
        "rule": rule,
        "seed": seed,
        "dense": stored[DENSEST] / written,
        "programs": sum(stored.values()) / written,
        "damage": sum(cells[mode] * cycles[DENSEST] / cycles[mode] for mode in bits) / written,
        "damage_same": sum(cells.values()) / written,
        "read_p99_us": whole["host"]["read"]["latency_us"]["p99"],
        "drift": _drift(whole["series"]),
        "lent": whole["scheme"]["figures"].get("separation_lent_blocks", 0.0),
    }


def _drift(series: Mapping[str, Any]) -> float:
    """Return by how much more the last quarter of the time programs per byte than the third."""
    columns = series["columns"]
    count = len(columns["write_bytes"])
    rates = []
    for part in (slice(count // 2, count * 3 // 4), slice(count * 3 // 4, count)):
        programs = [c[part] for name, c in columns.items() if name.startswith("program_pages_")]
        rates.append(sum(map(sum, programs)) / max(1, sum(columns["write_bytes"][part])))
    return rates[1] / rates[0] - 1 if rates[0] else 0.0
