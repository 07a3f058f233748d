"""What a sweep costs beside its runs: points a second, and what a trace parsed once saves.

Run as `python benches/sweep.py TRACE...`. CPU times hold beside other work too.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Took:
    """Seconds on the clock, and of processors, those of ended workers with them."""

    wall_s: float
    cpu_s: float

    def __str__(self) -> str:
        return f"{self.wall_s:.2f} s, {self.cpu_s:.2f} s of CPU"

    def each(self, count: int) -> str:
        """Return what each of so many took."""
        cpu_ms = 1e3 * self.cpu_s / count
        return f"{self}; {count / self.wall_s:.0f} a second, {cpu_ms:.1f} ms of CPU each"


def cpu_s() -> float:
    """Return what this process and those it waited for have used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def took(work: Callable[[], object], rounds: int = 3) -> Took:
    """Return the least times of some rounds."""
    found = []
    for _ in range(rounds):
        began, used = time.perf_counter(), cpu_s()
        work()
        found.append((time.perf_counter() - began, cpu_s() - used))
    return Took(min(wall for wall, _ in found), min(cpu for _, cpu in found))


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

    print(f"{POINTS} runs in one process: {took(runs).each(POINTS)}")
    for jobs in dict.fromkeys((1, os.cpu_count() or 1)):
        print(f"sweep, workers {jobs}: {took(lambda jobs=jobs: sweep(jobs)).each(POINTS)}")
    again()
    print(f"sweep of results that are there: {took(again).each(POINTS)}")


def parsed_once(trace: str, folder: Path) -> None:
    """Compare reading a trace with reading what was prepared of it."""
    prepared = folder / "prepared"
    address = ["trace.address=compact"]

    def again() -> _core.Rereadable:
        return _core.prepared(trace, prepared)

    def run(source: str | _core.Rereadable) -> None:
        _core.run(
            source,
            {
                "device": "hierarchy-44g",
                "scheme": "tlc-only",
                "sets": address,
                "replay": "closed:4",
            },
            progress=None,
        )

    def prepare(source: str | _core.Rereadable, output: Path) -> None:
        _core.prepare(source, output, trace_options=[], progress=None)

    making = took(lambda: prepare(trace, prepared))
    stored, columns = Path(trace).stat().st_size, prepared.stat().st_size
    print(f"{trace}: {stored / 1e6:.1f} MB, prepared in {making}, {columns / 1e6:.1f} MB")
    print(f"prepared, read and written again: {took(lambda: prepare(again(), folder / 'again'))}")
    print(f"a run of it: {took(lambda: run(trace))}")
    print(f"a run of what was prepared: {took(lambda: run(again()))}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        small_points(Path(place))
        for name in sys.argv[1:]:
            parsed_once(name, Path(place))
