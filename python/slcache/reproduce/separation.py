"""How much of an SLC cache's gain survives where the dense store separates data by lifetime."""

from __future__ import annotations

import itertools
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

#: A gain that is smaller than this is none.
LEAST_GAIN = 0.02
#: Bits of the dense cells.
BITS = 3
#: What tells a cell: a store behind a cache, or alone and of 0 blocks, under a workload.
PLACE = ("workload", "scheme", "slc_blocks", "rule", "seed")
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
        dense = {tuple(cell[key] for key in PLACE): cell["dense"] for cell in self.cells}
        seeds: dict[tuple[Any, ...], list[int]] = {}
        for *place, seed in dense:
            if place[1] != _plan()["alone"]:
                seeds.setdefault(tuple(place), []).append(seed)
        return [_survival(place, of, dense) for place, of in seeds.items()]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "schema_version": 1,
            "cells": self.cells,
            "survivals": self.survivals(),
            "missing": self.missing,
            "provenance": provenance(),
        }


def _survival(
    place: tuple[Any, ...], seeds: Sequence[int], dense: Mapping[tuple[Any, ...], float]
) -> Row:
    workload, scheme, blocks, rule = place

    def of(rule: str) -> tuple[list[float], list[float], list[float]]:
        """Return the programs without the cache and with it, and what it saves."""
        stores = (_plan()["alone"], 0), (scheme, blocks)
        bare, own = ([dense[workload, *store, rule, seed] for seed in seeds] for store in stores)
        return bare, own, [less - more for less, more in zip(bare, own, strict=True)]

    bare, own, gains = of(rule)
    *_, whole = of("none")
    left = [
        gain / of_all for gain, of_all in zip(gains, whole, strict=True) if of_all >= LEAST_GAIN
    ]
    told = mean(whole) >= LEAST_GAIN and len(left) == len(gains)
    return {
        **dict(zip(PLACE, place, strict=False)),
        "alone": mean(bare),
        "cached": mean(own),
        "gain": mean(gains),
        "gain_least": min(gains),
        "gain_most": max(gains),
        "survival": mean(gains) / mean(whole) if told else None,
        "survival_least": min(left) if told else None,
        "survival_most": max(left) if told else None,
    }


@cache
def _plan() -> dict[str, Any]:
    return parsing.toml_file(Path(__file__).parent.parent / "experiments" / "separation.toml")


def workloads() -> list[str]:
    """Return the names of the workloads."""
    return [str(entry["name"]) for entry in _plan()["workload"]]


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
    missing = [str(entry["name"]) for entry in entries if not is_here(entry)]
    cells = [each for entry in entries if is_here(entry) for each in cells_of(entry, quick)]
    with Engine(place, "local", jobs, progress, share=True) as engine:
        found = iter(engine.results([run for _, runs in cells for run in runs]))
    return Separation([_cell(of, *(next(found) for _ in runs)) for of, runs in cells], missing)


def _file(entry: Mapping[str, Any]) -> str:
    """Return the recording of a workload; empty where it has none."""
    shared = os.environ.get("SLCACHE_SHARED", ".")
    return os.fspath(Path(shared) / entry["file"]) if "file" in entry else ""


def is_here(entry: Mapping[str, Any]) -> bool:
    """Return whether a workload can be run: its recording is below the folder that is shared."""
    return "file" not in entry or ("SLCACHE_SHARED" in os.environ and Path(_file(entry)).is_file())


def cells_of(entry: Mapping[str, Any], quick: bool) -> Iterator[tuple[Row, list[Run]]]:
    """Yield the cells of a workload, with runs of the first half of the requests and of all."""
    plan, file = _plan(), _file(entry)
    asked = {**plan, **(plan["quick"] if quick else {})}
    # What a recording does no seed changes.
    seeds = asked["seeds"][:1] if file else asked["seeds"]
    stores = [(plan["alone"], 0), *itertools.product(entry["caches"], asked["slc_blocks"])]
    for rule, seed, (scheme, blocks) in itertools.product(plan["rules"], seeds, stores):
        settings = {**entry.get("settings", {}), **plan["caches"].get(scheme, {})}
        settings |= {"slc_blocks": blocks} if blocks else {}
        settings["dense.separation" if blocks else "clean.separation"] = rule
        runs = []
        for part in (2, 1):
            count = entry["requests"] // part
            load = plan["load"] | {"name": entry["name"], "requests": count}
            load["global"] = load["global"] | {"random_distribution": entry.get("distribution")}
            run = Run(
                title=f"{entry['name']}, {scheme} {blocks}, {rule}, seed {seed}, 1/{part}",
                trace=file or content.text_of(load),
                device=content.text_of({"device": plan["device"]}),
                scheme=scheme,
                settings=settings,
                trace_options=[("take", str(count))] if file else [("seed", str(seed))],
                seed=seed,
                size=count,
            )
            runs.append(run)
        yield dict(zip(PLACE, (entry["name"], scheme, blocks, rule, seed), strict=True)), runs


def _cell(place: Row, half: Mapping[str, Any], whole: Mapping[str, Any]) -> Row:
    """Return what the second half of the requests came to, per byte that the host writes.

    `damage` and `damage_same` are cycles by their mode's endurance, and all as dense ones, of what
    a dense program takes; `lent` are blocks that a class had to borrow. Percentile and drift are
    those of the whole run.
    """
    written = whole["host"]["write"]["bytes"] - half["host"]["write"]["bytes"]
    ends = ResultReader(whole), ResultReader(half)
    slc, dense = (
        after - before
        for after, before in (
            [e.ops("bytes", "program", slc=s) for e in ends] for s in (True, False)
        )
    )
    (pool,) = whole["config"]["device"]["pool"]
    endurance = pool["tlc"]["endurance_cycles"], pool["slc"]["endurance_cycles"]
    # A page in SLC mode takes as many cells as three dense ones.
    return {
        **place,
        "dense": dense / written,
        "programs": (slc + dense) / written,
        "damage": (BITS * slc * endurance[0] / endurance[1] + dense) / written,
        "damage_same": (BITS * slc + dense) / written,
        "read_p99_us": whole["host"]["read"]["latency_us"]["p99"],
        "drift": _drift(whole["series"]["columns"]),
        "lent": whole["scheme"]["figures"].get("separation_lent_blocks", 0.0),
    }


def _drift(columns: Mapping[str, Sequence[int]]) -> float:
    """Return by how much more the last quarter of the time programs per byte than the third."""
    count = len(columns["write_bytes"])
    third, last = slice(count // 2, count * 3 // 4), slice(count * 3 // 4, count)
    before, after = (
        sum(sum(c[part]) for name, c in columns.items() if name.startswith("program_pages_"))
        / max(1, sum(columns["write_bytes"][part]))
        for part in (third, last)
    )
    return after / before - 1 if before else 0.0
