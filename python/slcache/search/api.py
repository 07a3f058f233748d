"""Searches from Python, by the name of their package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from slcache import catalogue
from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.given.arguments import refuse
from slcache.given.content import Content
from slcache.given.options import (
    DEVICE,
    TRACE,
    Drawn,
    SpreadOut,
    checked_ranges,
    checked_schemes,
    needed,
    option,
    takes,
)
from slcache.study.api import placed, study_of

if TYPE_CHECKING:
    from slcache.search.tuning import Tuning
    from slcache.traces.api import Progress

#: Who suggests points.
SAMPLERS = ("tpe", "nsga2", "random", "qmc")


@dataclass(frozen=True, kw_only=True)
class Goals:
    """What is searched for, and how."""

    minimise: Sequence[str] | str = option(
        "METRIC",
        "Metric to minimise (default: write_p99_ns and waf). Repeat it.",
        default=(),
        alias="--minimize",
        several=True,
    )
    maximise: Sequence[str] | str = option(
        "METRIC", "Metric to maximise. Repeat it.", default=(), alias="--maximize", several=True
    )
    least: str | None = option(
        "KEY",
        "Find the least value of this key of --vary that keeps the bounds, by bisection.",
    )
    most: str | None = option("KEY", "Find the largest value of this key that keeps the bounds.")
    such_that: Sequence[str] | str = option(
        "METRIC<=VALUE",
        "A bound on a metric, such as slc_bytes<=4GiB or read_p99_ns<=2ms. Repeat it.",
        default=(),
        several=True,
    )
    points: int | None = option("N", "Number of points to try (default: 100).")
    minutes: float | None = option("M", "Begin no new batch of points after M minutes.")
    sampler: str | None = option("", "Search algorithm (default: tpe).", words=SAMPLERS)
    sampler_seed: int | None = option("N", "Seed of the sampler (default: 1).")
    prefixes: bool = option(
        "",
        "Run points over the first 1/9 and 1/3 of the trace first, and stop bad ones early.",
        default=False,
    )


@dataclass(frozen=True, kw_only=True)
class _Space:
    """In which space is searched."""

    device: Content | None = option(*DEVICE, offer="devices")
    scheme: str | Sequence[str] | None = option(
        "A,B,...|all",
        "The scheme; with several, the search also chooses one.",
        check=checked_schemes,
        alias="--schemes",
        offer="schemes",
    )
    vary: Mapping[str, object] | None = option(
        "KEY=VALUES",
        "A key and its range: A..B, A..B@log, A..B:STEP or a,b,c. Repeat it.",
        check=checked_ranges,
    )


@dataclass(frozen=True, kw_only=True)
class Tune(SpreadOut, Drawn, Goals, _Space):
    """A search: its space, what is wanted, and how points are run."""

    trace: Content | Sequence[Content] = field(
        kw_only=False, metadata=needed(*TRACE, offer="workloads")
    )
    seeds: int = option("N", "Run each point with N seeds; the means count.", default=1)
    out: Path | None = option(
        "DIR",
        "Write tune.json, points.parquet, best.toml, the picture of the front and report.html "
        "to this folder. The same command again continues.",
    )
    on_progress: Progress | None = None


@takes(Tune)
def tune(asked: Tune) -> Tuning:
    """Search for the settings that make some metrics, or a key, least or most.

    `vary` has what a key may be, as in `slcache.sweep`; a key under `scheme.NAME` belongs to the
    points of that scheme. A sampler (needs `slcache[tune]`) suggests points. The search ends after
    so many `points` or `minutes`, or when all of the space has been tried. `least` or `most` names
    the one key of `vary` that is to be small or large: `least="scheme.baseline.slc_blocks",
    such_that="write_p99<=5ms"`. Bisection finds it, without a sampler; `sized` of the result tells
    what stands beside it. The same arguments try the same points with any number of `jobs`, and a
    search that was ended goes on where it was.
    """
    # What searches is loaded by whoever searches.
    from slcache.search import optuna, searching
    from slcache.search.goals import Search
    from slcache.search.space import Space

    trace, sampler = asked.trace, asked.sampler
    if sampler is not None and sampler not in SAMPLERS:
        refuse("sampler", sampler, f"must be one of {', '.join(SAMPLERS)}")
    if isinstance(trace, Sequence) and not isinstance(trace, str):
        told = f"trace: a search is of one trace, and {len(trace)} are given; a sweep takes several"
        raise about(UsageError(told), "trace")
    search = Search(**{each.name: getattr(asked, each.name) for each in fields(Goals)})
    if search.wanted is None:
        optuna.check()
    there = placed(asked, asked.device, asked.scheme)
    names, _ = catalogue.named(there["scheme"], device=there["device"])
    space = Space.read(names, asked.vary or {})
    study = study_of(
        asked,
        **{**there, "scheme": names},
        trace=trace,
        vary=asked.vary,
        seeds=asked.seeds,
        metric=search.names,
    )
    space = space if search.wanted is None else space.sized(search.wanted[0])
    searching.check(study, search, space)
    return searching.searched(
        study,
        search,
        space,
        out=asked.out,
        store=asked.store,
        executor=asked.executor,
        jobs=asked.jobs,
        progress=asked.on_progress,
    )
