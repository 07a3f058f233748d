"""Searches for settings: what is wanted of the points of a study, and who suggests them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from slcache import catalogue
from slcache.errors import UsageError, about
from slcache.files import Path
from slcache.metrics import Goal, metric_of
from slcache.options import (
    Options,
    checked_schemes,
    content,
    needed,
    option,
    options_of,
    parsing,
    refuse,
    takes,
    texts,
)
from slcache.options.content import Content, duplicate
from slcache.options.models import DEVICE, TRACE, ParallelOptions
from slcache.study.model import Study, Varied

if TYPE_CHECKING:
    from slcache.search.tuning import Tuning
    from slcache.trace import Progress

#: What is to be small where nothing is said.
DEFAULT = ("write_p99_ns", "waf")
_BOUND = re.compile(r"\s*([a-z0-9_]+)\s*(<=|>=)\s*(.+?)\s*")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE | re.ASCII)
_SMALLEST = 1e-12
#: Far above what any metric can be.
_LARGEST = 1e100

Figures = Mapping[str, float | int | None]


@dataclass(frozen=True)
class MetricBound:
    """A metric that must be at most, or at least, so much."""

    metric: str
    most: bool
    value: float

    @classmethod
    def read(cls, text: str) -> MetricBound:
        """Return what `waf<=2` or `slc_bytes<=4GiB` says; raises ValueError."""
        match = _BOUND.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no bound; expected METRIC<=VALUE or METRIC>=VALUE")
        metric, said = metric_of(match[1]), match[3]
        try:
            match metric.unit:
                case "bytes":
                    value: float = parsing.size_bytes(said)
                case "ns" if not _NUMBER.fullmatch(said):
                    value = parsing.time_ns(said)
                case _ if _NUMBER.fullmatch(said):
                    value = float(said)
                case unit:
                    told = "" if unit == "1" else f" of {unit}"
                    raise ValueError(f"{said[:60]!r} is not a number{told}, such as 1.5 or 1e6")
        except ValueError as error:
            raise ValueError(f"{metric.name}: {error}") from error
        if not abs(value) <= _LARGEST:
            raise ValueError(f"{text[:60]!r}: its value must be a number, at most {_LARGEST:g}")
        return cls(metric.name, match[2] == "<=", value)

    def broken(self, figures: Figures) -> float:
        """Return by what share of it the bound is missed; at most 0 where it is kept."""
        value = figures[self.metric]
        if value is None:
            return 1.0
        over = value - self.value if self.most else self.value - value
        return over / max(abs(self.value), _SMALLEST)

    @property
    def side(self) -> str:
        """The metric and on which side of the value it stays."""
        return f"{self.metric}{'<=' if self.most else '>='}"

    def __str__(self) -> str:
        return f"{self.side}{self.value:.12g}"


#: Who suggests points.
Sampler = Literal["tpe", "nsga2", "random", "qmc"]
SAMPLERS: tuple[Sampler, ...] = get_args(Sampler)
#: Shares of the trace that points are run over first.
SHARES = (Fraction(1, 9), Fraction(1, 3))
#: Points that are tried where neither points nor minutes are given.
POINTS = 100
#: What bisection has no use for.
_OF_A_SAMPLER = ("sampler", "sampler_seed", "points", "minutes", "prefixes")


@dataclass(frozen=True, kw_only=True)
class Search(Options):
    """What is wanted of the points of a study, and who suggests them."""

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
    sampler: Sampler | None = option("", "Search algorithm (default: tpe).", words=SAMPLERS)
    sampler_seed: int = option("N", "Seed of the sampler (default: 1).", default=1)
    prefixes: bool = option(
        "",
        "Run points over the first 1/9 and 1/3 of the trace first, and stop bad ones early.",
        default=False,
    )

    def check(self) -> None:
        """Raise UsageError for what cannot be searched for, or by."""
        if self.sampler not in (None, *SAMPLERS):
            refuse("sampler", self.sampler, f"must be one of {', '.join(SAMPLERS)}")
        try:
            self._check()
        except ValueError as error:
            raise UsageError(str(error)) from error
        for name in _OF_A_SAMPLER if self.wanted else ():
            if name in self.given:
                told = "is of a sampler, and the least or most of a key is found by bisection"
                raise about(UsageError(f"{name} = {getattr(self, name)}: {told}"), name)

    def _check(self) -> None:
        """Raise ValueError for goals that cannot be searched by."""
        ways = ("least", "most", "minimise", "maximise")
        if self.wanted and (many := [name for name in ways if getattr(self, name)])[1:]:
            raise ValueError(f"{' and '.join(many)}: a search has one of them")
        if self.wanted and not self.such_that:
            raise ValueError("such_that: the least or most of a key needs a bound, such as waf<=2")
        small = [metric_of(name).name for name in self._small]
        if said := duplicate([*small, *(metric_of(name).name for name in texts(self.maximise))]):
            raise ValueError(f"minimise, maximise: {said}")
        sides = {str(bound): bound.side for bound in self.bounds}
        if said := duplicate(map(str, self.bounds), sides):
            raise ValueError(f"such_that: {said}")

    @property
    def _small(self) -> Sequence[str]:
        return texts(self.minimise) or (() if self.maximise or self.wanted else DEFAULT)

    @property
    def wanted(self) -> tuple[str, Goal] | None:
        """The key whose least or most value is wanted, and which; None of a search by metrics."""
        if self.least is not None:
            return self.least, "min"
        return None if self.most is None else (self.most, "max")

    @cached_property
    def metrics(self) -> Mapping[str, Goal]:
        """The metrics that are searched by, each with what is best of it."""
        small: dict[str, Goal] = dict.fromkeys(
            (metric_of(name).name for name in self._small), "min"
        )
        return small | dict.fromkeys((metric_of(name).name for name in texts(self.maximise)), "max")

    @cached_property
    def bounds(self) -> Sequence[MetricBound]:
        """The bounds that the answer keeps."""
        return [MetricBound.read(text) for text in texts(self.such_that)]

    @property
    def names(self) -> list[str]:
        """The metrics that are searched by or have a bound, each once."""
        return list(dict.fromkeys([*self.metrics, *(bound.metric for bound in self.bounds)]))

    def values(self, figures: Figures) -> list[float] | None:
        """Return the metrics' values; None where one of them is missing."""
        found = [figures[name] for name in self.metrics]
        return None if None in found else [float(value or 0) for value in found]

    def kept(self, figures: Figures) -> bool:
        """Return whether all bounds are kept."""
        return all(bound.broken(figures) <= 0 for bound in self.bounds)

    @property
    def against(self) -> list[str]:
        """The metrics that are searched against what the catalogue calls better."""
        return [
            name for name, way in self.metrics.items() if metric_of(name).goal not in (None, way)
        ]

    @property
    def suggested_by(self) -> Sampler | None:
        """The sampler; None where bisection finds the points."""
        return None if self.wanted else self.sampler or "tpe"

    @property
    def points_most(self) -> int | None:
        """Most points that are tried; None where only time ends the search."""
        return POINTS if self.points is None and self.minutes is None else self.points

    @property
    def shares(self) -> Sequence[Fraction]:
        """Shares of the trace that points are run over before all of it, smallest first."""
        return SHARES if self.prefixes else ()


@dataclass(frozen=True, kw_only=True)
class TuneArguments(ParallelOptions, Search, Varied):
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


@takes(TuneArguments)
def tune(asked: TuneArguments) -> Tuning:
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
    from slcache.search import run, strategies
    from slcache.search.space import Space

    if isinstance(asked.trace, Sequence) and not isinstance(asked.trace, str):
        count = len(asked.trace)
        told = f"trace: a search is of one trace, and {count} are given; a sweep takes several"
        raise about(UsageError(told), "trace")
    asked.check()
    if asked.wanted is None:
        strategies.check_optuna()
    study = Study(
        **{name: getattr(asked, name) for name in options_of(Varied)}, metrics=asked.names
    )
    names, _ = catalogue.named_schemes(study.schemes, device=content.content_of(study.devices[0]))
    space = Space.read(names, study.varied)
    study = replace(study, scheme=names)
    study.check()
    if asked.wanted is not None:
        space = space.sized(asked.wanted[0])
        # From here on it is called as it is varied.
        key = space.axes[0].key
        asked = replace(asked, least=key) if asked.least else replace(asked, most=key)
    run.check(study, asked, space)
    return run.run_search(study, asked, space)
