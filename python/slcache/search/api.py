"""Searches from Python, by the name of their package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slcache import api, catalogue
from slcache.errors import UsageError, about
from slcache.given.arguments import checked, refuse
from slcache.given.content import Content
from slcache.named import listed
from slcache.traces.api import Progress

if TYPE_CHECKING:
    from slcache.execute.driver import Executor
    from slcache.search.goals import Sampler
    from slcache.search.tuning import Tuning


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
    sampler: Sampler | None = None,
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
    from slcache.given import content
    from slcache.search import optuna, searching
    from slcache.search.goals import SAMPLERS, Search
    from slcache.search.space import Space
    from slcache.study import model

    if sampler is not None and sampler not in SAMPLERS:
        refuse("sampler", sampler, f"must be one of {', '.join(SAMPLERS)}")
    if isinstance(trace, Sequence) and not isinstance(trace, str):
        told = f"trace: a search is of one trace, and {len(trace)} are given; a sweep takes several"
        raise about(UsageError(told), "trace")
    search = Search(
        minimise=minimise,
        maximise=maximise,
        least=least,
        most=most,
        such_that=such_that,
        points=points,
        minutes=minutes,
        sampler=sampler,
        sampler_seed=sampler_seed,
        prefixes=prefixes,
    )
    if search.wanted is None:
        optuna.check()
    schemes = listed(scheme) if isinstance(scheme, str) else [*(scheme or ())]
    said = model.configured({"config": config, "device": device, "scheme": schemes})
    for what in ("device", "scheme"):
        if not said[what]:
            raise content.missing(what)
    names, _ = catalogue.named(said["scheme"], device=said["device"])
    space = Space.read(names, vary)
    study = model.Study(
        **{**said, "scheme": names},
        trace=trace,
        vary=vary,
        set=api.addressed(settings, address, state=state),
        trace_options=trace_options,
        replay=replay,
        seeds=seeds,
        resample=resample,
        resample_block=resample_block,
        seed=seed,
        metric=search.names,
    )
    space = space if search.wanted is None else space.sized(search.wanted[0])
    searching.check(study, search, space)
    return searching.searched(
        study,
        search,
        space,
        out=out,
        store=store,
        executor=executor,
        jobs=jobs,
        progress=on_progress,
    )
