"""Searches from Python, by the name of their package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slcache import api, catalogue
from slcache.errors import UsageError, about
from slcache.given.arguments import checked, refuse
from slcache.given.content import Content
from slcache.traces.api import Progress

if TYPE_CHECKING:
    from slcache.execute.executors import Executor
    from slcache.search import samplers
    from slcache.search.outcome import Tuning

#: Points that are tried where neither points nor minutes are given.
POINTS = 100


@checked
def tune(
    trace: Content | Sequence[Content],
    *,
    device: Content | None = None,
    scheme: str | Sequence[str] | None = None,
    vary: Mapping[str, object],
    minimise: Sequence[str] = (),
    maximise: Sequence[str] = (),
    least: str | None = None,
    most: str | None = None,
    such_that: str | Sequence[str] = (),
    points: int | None = None,
    minutes: float | None = None,
    sampler: samplers.Name | None = None,
    sampler_seed: int | None = None,
    prefixes: bool = False,
    seeds: int = 1,
    resample: int | None = None,
    resample_block: str | None = None,
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
    config: api.Path | None = None,
    trace_options: Mapping[str, str] | None = None,
    address: str | None = None,
    state: str | None = None,
    replay: str | None = None,
    out: api.Path | None = None,
    store: api.Path | None = None,
    jobs: int | None = None,
    executor: Executor | str = "local",
    on_progress: Progress | None = None,
) -> Tuning:
    """Search for the settings that make some metrics, or a key, least or most.

    `vary` has what a key may be, as in `slcache.sweep`: `"1..32"`, `"0.1..10@log"` or a list; a
    key under `scheme.NAME` belongs to the points of that scheme. `minimise` and `maximise` name
    metrics, by default write_p99_ns and waf are to be least; `such_that` has bounds such as
    `"slc_bytes<=4GiB"`. A `sampler` suggests points (default: tpe; needs `slcache[tune]`). The
    search ends after so many `points` or `minutes`, by default after 100 points, or when all of
    the space has been tried. `prefixes` stops points that do badly over the beginning of the
    trace.

    `least` or `most` names the one key of `vary` whose least or most value that keeps the bounds
    is wanted: `least="scheme.baseline.slc_blocks", such_that="write_p99<=5ms"`. Bisection finds
    it, without a sampler; `sized` of the result tells what stands beside it.

    `seeds` and `resample` run each point several times, as in `slcache.sweep`, and means count.
    `trace` and `device` may be dicts, as in `run`; `config` is a file with keys below `settings`,
    or a whole configuration with its device and scheme. The same arguments try the same points
    with any number of `jobs`; results are kept in `store`, by default `out/store`, so that a
    search that was ended goes on where it was.
    """
    # What searches is loaded by whoever searches.
    from slcache.search import asking, samplers, searching
    from slcache.search import prefixes as beginnings
    from slcache.search.runs import Asked
    from slcache.search.search import Plan

    if sampler is not None and sampler not in samplers.NAMES:
        refuse("sampler", sampler, f"must be one of {', '.join(samplers.NAMES)}")
    bounds = [such_that] if isinstance(such_that, str) else such_that
    goals = asking.goals(minimise, maximise, bounds, least, most)
    own = {"sampler": sampler, "sampler_seed": sampler_seed, "points": points, "minutes": minutes}
    own |= {"prefixes": prefixes or None}
    if goals.key is None:
        samplers.check()
    elif said := [name for name, value in own.items() if value is not None]:
        told = "of a sampler, and the least or most of a key is found by bisection"
        raise about(UsageError(f"{said[0]} = {own[said[0]]}: is {told}"), said[0])
    place, schemes, config = asking.configured(config, device, scheme)
    space = asking.space(schemes, place, vary)
    plan = Plan(
        space=space if goals.key is None else asking.sized(space, goals.key),
        goals=goals,
        sampler=(sampler or "tpe") if goals.key is None else None,
        seed=1 if sampler_seed is None else sampler_seed,
        points=POINTS if points is None and minutes is None else points,
        prefixes=beginnings.SHARES if prefixes else (),
    )
    asked = Asked(
        trace=asking.trace(trace),
        device=place,
        schemes=plan.space.schemes,
        settings=catalogue.flat(api.addressed(settings, address, state=state)),
        trace_options=dict(trace_options or {}),
        replay=replay,
        seeds=seeds,
        resample=resample,
        resample_block=resample_block,
        seed=seed,
        config=config,
        metrics=plan.goals.names,
    )
    asking.check_plan(plan, asked)
    return searching.searched(
        asked,
        plan,
        out=out,
        store=store,
        minutes=minutes,
        executor=executor,
        jobs=jobs,
        progress=on_progress,
    )
