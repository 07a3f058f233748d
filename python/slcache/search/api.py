"""Searches from Python, by the name of their package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from slcache import catalogue
from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.options import checked_schemes, content, needed, option, options_of, takes
from slcache.options.content import Content
from slcache.options.models import DEVICE, TRACE, ParallelOptions
from slcache.search.goals import Search
from slcache.study.model import Study, Varied

if TYPE_CHECKING:
    from slcache.search.tuning import Tuning
    from slcache.trace import Progress


@dataclass(frozen=True, kw_only=True)
class Tune(ParallelOptions, Search, Varied):
    """A search: its space, what is wanted, and how points are run."""

    trace: Content | Sequence[Content] = field(
        kw_only=False, metadata=needed(*TRACE, offer="workloads")
    )
    device: Content | None = option(*DEVICE, offer="devices")
    scheme: str | Sequence[str] | None = option(
        "A,B,...|all",
        "The scheme; with several, the search also chooses one.",
        check=checked_schemes,
        alias="--schemes",
        offer="schemes",
    )
    out: Path | None = option(
        "DIR",
        "Write tune.json, points.parquet, best.toml, the picture of the front and "
        "report.html to this folder. The same command again continues.",
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
    from slcache.search.space import Space

    if isinstance(asked.trace, Sequence) and not isinstance(asked.trace, str):
        count = len(asked.trace)
        told = f"trace: a search is of one trace, and {count} are given; a sweep takes several"
        raise about(UsageError(told), "trace")
    asked.check()
    if asked.wanted is None:
        optuna.check()
    study = Study(
        **{name: getattr(asked, name) for name in options_of(Varied)}, metrics=asked.names
    )
    names, _ = catalogue.named(study.schemes, device=content.content_of(study.devices[0]))
    space = Space.read(names, study.varied)
    study = replace(study, scheme=names)
    study.check()
    if asked.wanted is not None:
        space = space.sized(asked.wanted[0])
        # From here on it is called as it is varied.
        key = space.axes[0].key
        asked = replace(asked, least=key) if asked.least else replace(asked, most=key)
    searching.check(study, asked, space)
    return searching.searched(study, asked, space)
