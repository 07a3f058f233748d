"""The search for the smallest SLC region that lasts long enough."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from slcache import _core, api, catalogue, files
from slcache.design import flash as flashes
from slcache.design import point as points
from slcache.design import search
from slcache.design.constraint import Constraint
from slcache.design.flash import Flash
from slcache.design.outcome import Design
from slcache.design.pace import Pace
from slcache.design.passes import last
from slcache.design.point import Goal, Point
from slcache.design.runs import SIZES, Setup
from slcache.design.source import Source
from slcache.errors import ConfigError, UsageError, about
from slcache.given.arguments import checked, refuse
from slcache.given.once import once
from slcache.runs.engine import Engine
from slcache.runs.executors import Executor
from slcache.runs.run import Run
from slcache.traces.api import reader_options
from slcache.words import labels

#: What `quick` runs of a trace.
QUICK_REQUESTS = 500_000
#: A trace is written out as often as it is passed.
PASSES_MOST = 100
#: The runs of a candidate with two regions, for one pass or for all.
_RUNS = 3


@checked
def nvc(
    trace: api.Path,
    *,
    lifespan: str | int,
    goal: Goal = "latency",
    device: api.Path = "nvc-hdd",
    policy: int = 0,
    candidates: int | None = None,
    only_full_chip: bool = False,
    passes: int = 2,
    quick: bool = False,
    settings: Mapping[str, Any] | None = None,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
    replay: str | None = None,
    seed: int | None = None,
    keep: api.Path | None = None,
    store: api.Path | None = None,
    executor: Executor | str = "local",
    jobs: int | None = None,
    progress: api.Progress | None = None,
) -> Design:
    """Find the smallest SLC region of a flash cache that lasts `lifespan` under a workload.

    `lifespan` is a multiple of what a chip of dense blocks lasts, `"2x"`, or bytes of host
    writes, `"50T"` or a number. Candidates are multiples of one `candidates`-th of the blocks
    (32, or all blocks of a plane where there are fewer).
    Each is run under `nvc` with this `policy`, and each of its regions alone, which gives the
    volumes of `slcache.models.nvc_lifespan`; `only_full_chip` runs a region alone as if it had
    all blocks. A region that is larger than needed costs capacity, so the smallest that suffices
    is the answer to either `goal`; what was tried and is better all the same is in `better`.
    A lifespan that no region reaches is an answer too: `chosen` is None, `nearest` the best.

    A lifespan repeats the workload, so what counts is the last of so many `passes`: the runs of
    all of them less those of one fewer. With 1 it is the first, which begins with empty flash.
    `quick` runs the beginning of the trace only. Finished runs are kept in the directory `store`,
    by default below `keep`, and taken up again. `jobs` runs go on at a time, by default one a
    processor; `executor` is that of `slcache.sweep`. The other arguments are those of
    `slcache.run`. Raises ConfigError, TraceError, RunError, and ValueError for a lifespan that is
    none or a trace that cannot be read again.
    """
    constraint = Constraint.read(lifespan)
    if goal not in get_args(Goal):
        refuse("goal", goal, f"must be one of {', '.join(get_args(Goal))}")
    setup = Setup(
        source=Source(
            os.fspath(trace),
            dict(reader_options(trace_format, trace_options)),
            seed,
            QUICK_REQUESTS if quick else None,
        ),
        device=os.fspath(device),
        settings=_settings(settings, policy),
        replay=replay,
        only_full_chip=only_full_chip,
    )
    check_trace(setup.source.path)
    if not 1 <= passes <= PASSES_MOST:
        told = f"passes = {passes}: must be between 1 and {PASSES_MOST}"
        raise about(UsageError(told), "passes")
    config = setup.config()
    flash = flashes.of_config(config)
    sizes, left_out = _possible(setup, flash, flash.sizes(candidates))
    with (
        files.scratch() if keep is None else nullcontext(Path(keep)) as folder,
        # Workers may be elsewhere.
        setup.source.made(folder.absolute(), passes, progress) as sources,
        Engine(Path(store or folder / "store"), executor, jobs) as engine,
    ):
        setups = [replace(setup, source=source) for source in sources]
        measuring = _Measuring(setups, flash, sizes, engine, progress)
        search.smallest(len(sizes) - 1, measuring, constraint.least_bytes)
    return Design(
        trace=setup.source.path,
        label=measuring.label,
        flash=flash,
        constraint=constraint,
        goal=goal,
        policy=policy,
        only_full_chip=only_full_chip,
        passes=passes,
        first_requests=sources[0].first_requests,
        candidates=sizes,
        points=measuring.in_order(),
        left_out=left_out,
    )


def _settings(settings: Mapping[str, Any] | None, policy: int) -> dict[str, Any]:
    """Return the settings of all runs; those that the search makes are refused."""
    given = catalogue.flat(settings)
    for key in SIZES.values():
        if key in given:
            told = f"{key} = {given[key]}: has no effect here; the search decides it"
            raise about(ConfigError(told), key)
    return once([*given.items(), ("scheme.nvc.policy", policy)])


def check_trace(path: str) -> None:
    """Raise ValueError for a trace that can be read only once."""
    if _core.is_read_once(path):
        name = "standard input" if path == "-" else path
        told = f"trace = {name}: every run reads it anew; give a file that stays"
        raise about(UsageError(told), "trace", file=path)


def _possible(setup: Setup, flash: Flash, sizes: Sequence[int]) -> tuple[list[int], dict[int, str]]:
    """Return the sizes that can be run, and the reason for each that cannot.

    What refuses every size with two regions is no matter of a size.
    """
    refused: dict[int, ConfigError] = {}
    for size in sizes:
        try:
            for run in setup.runs(flash, size).values():
                _ = run.config
        except ConfigError as error:
            refused[size] = error
    inner = [size for size in sizes if 0 < size < flash.blocks]
    if refused and (0 in refused or all(size in refused for size in inner)):
        raise next(iter(refused.values()))
    reasons = {size: search.reason_of(error) for size, error in refused.items()}
    return [size for size in sizes if size not in refused], reasons


class _Measuring:
    """Measures candidates by their places, several at once, and tells how far it is."""

    def __init__(
        self,
        setups: Sequence[Setup],
        flash: Flash,
        sizes: Sequence[int],
        engine: Engine,
        progress: api.Progress | None,
    ) -> None:
        self.label: str | None = None
        self._setups, self._flash, self._sizes = setups, flash, sizes
        self._engine = engine
        expected = _RUNS * len(setups) * search.steps_most(len(sizes) - 1)
        engine.progress = self._pace = Pace("runs", expected, progress)
        self._points: dict[int, Point] = {}

    def __call__(self, places: Sequence[int]) -> dict[int, float]:
        """Run the candidates at these places and return their lifespans."""
        planned = {place: self._runs(place) for place in places}
        runs = [run for each in planned.values() for several in each.values() for run in several]
        documents = iter(self._engine.results(runs))
        for place, each in planned.items():
            found = {
                scheme: last(self._setups[0].source.copies, *(next(documents) for _ in several))
                for scheme, several in each.items()
            }
            self._points[place] = points.made(self._flash, self._sizes[place], found)
            self.label = labels.of_runs(list(found.values()))
        self._pace.ended(len(runs))
        return {place: self._points[place].life_bytes for place in places}

    def _runs(self, place: int) -> dict[str, list[Run]]:
        """Return a candidate's runs by scheme, that of all passes first."""
        each = [setup.runs(self._flash, self._sizes[place]) for setup in self._setups]
        return {scheme: [runs[scheme] for runs in each] for scheme in each[0]}

    def in_order(self) -> list[Point]:
        """Return the points, the smallest SLC region first."""
        return [point for _, point in sorted(self._points.items())]
