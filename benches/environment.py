"""What the environment costs in Python: beside a run, by step, and side by side.

    python benches/environment.py [--rounds N] [--quick]

What is compared is measured in turn, round by round; medians are printed with the lowest and the
highest round, as JSON. Times are CPU times of this process, but those of several threads.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from slcache import _core

ID = "slcache.gym:slcache/SlcCache-v0"
DEVICE, WORKLOAD, SCHEME = "rl-32g", "zipf-4k", "rl"
#: Requests of a whole run, in the scheme's windows of 32 MiB of writes.
REQUESTS = 1_000_000
#: Requests of a run whose windows are one request long.
STEPS = 20_000
#: The action of `Discrete(9)` that turns nothing.
STAY = 4

Clock = Callable[[], float]


def took(work: Callable[[], object], clock: Clock = time.process_time) -> float:
    """Return the seconds that work takes."""
    begin = clock()
    work()
    return clock() - begin


def arguments(requests: int, window: int | None) -> dict[str, Any]:
    """Return the environment's arguments for so many requests."""
    return {
        "device": DEVICE,
        "workload": WORKLOAD,
        "scheme": SCHEME,
        "trace_options": {"workload.requests": str(requests)},
        "window": None if window is None else ("requests", window),
    }


def to_the_end(environment: Any) -> None:  # noqa: ANN401
    """Step to the end of the trace."""
    ended = False
    while not ended:
        _, _, ended, _, _ = environment.step(STAY)


def run_s(requests: int, seed: int) -> float:
    """Return what a run takes, from trace to document."""
    return took(
        lambda: _core.run(
            WORKLOAD,
            {
                "device": DEVICE,
                "scheme": SCHEME,
                "sets": ['scheme.rl.agent="none"'],
                "trace_options": [("workload.requests", str(requests)), ("seed", str(seed))],
                "seed": seed,
            },
            progress=None,
        )
    )


def environment_s(environment: Any, seed: int) -> float:  # noqa: ANN401
    """Return what the same work takes in the environment, reading the trace included."""

    def work() -> None:
        environment.reset(seed=seed)
        to_the_end(environment)
        environment.finish()

    return took(work)


def overhead_us(environment: Any) -> tuple[float, float]:  # noqa: ANN401
    """Return what a step takes in Python beyond the engine's, and a copy of an observation, us."""
    environment.reset(seed=1)
    episode = environment.fork()._episode
    out = np.zeros(len(json.loads(episode.observations())))
    chosen = environment.rules.observations.chosen

    def engine() -> None:
        while not episode.step([], out):
            pass

    def copies() -> None:
        for _ in range(STEPS):
            out[chosen]

    engine_s, environment_s = took(engine), took(lambda: to_the_end(environment))
    return (environment_s - engine_s) / STEPS * 1e6, took(copies) / STEPS * 1e6


def vector_s(requests: int, count: int, threads: int) -> float:
    """Return the wall time of so many devices to the ends of their traces."""
    vector = gymnasium.make_vec(
        ID, num_envs=count, threads=threads, autoreset_mode="Disabled", **arguments(requests, None)
    )
    vector.reset(seed=1)
    actions = np.full(count, STAY)

    def work() -> None:
        ended = np.zeros(count, dtype=np.bool_)
        while not ended.any():
            _, _, ended, _, _ = vector.step(actions)

    return took(work, time.perf_counter)


def spread(values: list[float]) -> dict[str, float]:
    """Return median, lowest and highest."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def measured(rounds: int, requests: int) -> dict[str, Any]:
    """Return all figures."""
    cores = len(os.sched_getaffinity(0))
    whole = gymnasium.make(ID, **arguments(requests, None)).unwrapped
    short = gymnasium.make(ID, **arguments(STEPS, 1)).unwrapped
    runs, episodes, steps, copies, alone, together = ([] for _ in range(6))
    for number in range(rounds):
        runs.append(run_s(requests, number + 1))
        episodes.append(environment_s(whole, number + 1))
        step_us, copy_us = overhead_us(short)
        steps.append(step_us)
        copies.append(copy_us)
        alone.append(vector_s(requests, cores, 1))
        together.append(vector_s(requests, cores, cores))
    scaling = statistics.median(alone) / statistics.median(together) / cores
    return {
        "rounds": rounds,
        "requests": requests,
        "run_cpu_s": spread(runs),
        "environment_cpu_s": spread(episodes),
        "speed_beside_run": statistics.median(runs) / statistics.median(episodes),
        "step_overhead_us": spread(steps),
        "observation_copy_us": spread(copies),
        "cores": cores,
        "one_thread_s": spread(alone),
        "all_threads_s": spread(together),
        "scaling_per_core": scaling,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="what the environment costs in Python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    options = parser.parse_args()
    figures = measured(options.rounds, REQUESTS // 10 if options.quick else REQUESTS)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
