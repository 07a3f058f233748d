"""What a sweep costs beside its runs: points a second, and what a trace parsed once saves.

Run as `python benches/sweep.py TRACE`, on a machine that does nothing else.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import slcache
from slcache import _core

POINTS = 200
SPEC = """
requests = 2000
footprint_bytes = 2097152
[global]
rw = "randrw"
bs = "4k"
"""


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the least time of some rounds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def small_points(folder: Path) -> None:
    """Compare a sweep of small points with as many runs in one process."""
    workload = folder / "small.toml"
    workload.write_text(SPEC)

    def runs() -> None:
        for seed in range(1, POINTS + 1):
            slcache.run(workload, device="tiny", scheme="baseline", seed=seed)

    def sweep(jobs: int) -> None:
        slcache.sweep(workload, device="tiny", scheme="baseline", seeds=POINTS, jobs=jobs)

    def again() -> None:
        slcache.sweep(workload, device="tiny", scheme="baseline", seeds=POINTS, store=folder / "s")

    alone = seconds(runs)
    print(f"{POINTS} runs in one process: {alone:.2f} s, {POINTS / alone:.0f} a second")
    for jobs in dict.fromkeys((1, os.cpu_count() or 1)):
        took = seconds(lambda jobs=jobs: sweep(jobs))
        print(f"sweep with {jobs} workers: {took:.2f} s, {POINTS / took:.0f} points a second")
    again()
    kept = seconds(again)
    print(f"sweep of results that are there: {kept:.2f} s, {POINTS / kept:.0f} points a second")


def parsed_once(trace: str, folder: Path) -> None:
    """Compare reading a trace with reading what was prepared of it."""
    prepared = folder / "prepared"
    address = ["trace.address=compact"]

    def run(source: str | _core.Rereadable) -> None:
        _core.run(
            source,
            device="hierarchy-44g",
            scheme="tlc-only",
            sets=address,
            trace_options=[],
            seed=None,
            replay="closed:4",
            snapshot_in=None,
            snapshot_out=None,
            progress=None,
        )

    making = seconds(lambda: _core.prepare(trace, prepared, trace_options=[], progress=None))
    stored, columns = Path(trace).stat().st_size, prepared.stat().st_size
    print(f"{trace}: {stored / 1e6:.1f} MB, prepared in {making:.2f} s, {columns / 1e6:.1f} MB")
    plain, shared = (
        seconds(lambda: run(trace)),
        seconds(lambda: run(_core.prepared(trace, prepared))),
    )
    print(f"a run of it: {plain:.2f} s; from what was prepared: {shared:.2f} s")
    copy = folder / "again"
    reading = seconds(
        lambda: _core.prepare(
            _core.prepared(trace, prepared), copy, trace_options=[], progress=None
        )
    )
    print(f"prepared read and written again: {reading:.2f} s, {columns / reading / 1e9:.2f} GB/s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        small_points(Path(place))
        for name in sys.argv[1:]:
            parsed_once(name, Path(place))
