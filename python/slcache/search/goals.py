"""What a search is asked for beside its study: goals, bounds, and who suggests points."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from slcache.errors import UsageError, about
from slcache.given import quantity
from slcache.given.once import twice
from slcache.metrics import Goal, Metric, named
from slcache.sweep.study import problems

#: What is to be small where nothing is said.
DEFAULT = ("write_p99_ns", "waf")
_BOUND = re.compile(r"\s*([a-z0-9_]+)\s*(<=|>=)\s*(.+?)\s*")
_SMALLEST = 1e-12
#: Far above what any metric can be.
_LARGEST = 1e100

Figures = Mapping[str, float | int | None]


@dataclass(frozen=True)
class Bound:
    """A metric that must be at most, or at least, so much."""

    metric: str
    most: bool
    value: float

    @classmethod
    def read(cls, text: str) -> Bound:
        """Return what `waf<=2` or `slc_bytes<=4GiB` says; raises ValueError."""
        match = _BOUND.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no bound; expected METRIC<=VALUE or METRIC>=VALUE")
        metric = named(match[1])
        value = _value(metric, match[3])
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
    def way(self) -> Goal:
        """What is best of the metric, as the bound sees it."""
        return "min" if self.most else "max"

    @property
    def side(self) -> str:
        """The metric and on which side of the value it stays."""
        return f"{self.metric}{'<=' if self.most else '>='}"

    def __str__(self) -> str:
        return f"{self.side}{self.value:.12g}"


def _value(metric: Metric, text: str) -> float:
    try:
        match metric.unit:
            case "bytes":
                return quantity.size_bytes(text)
            case "ns" if not re.fullmatch(r"[\d.]+(e\d+)?", text):
                return quantity.time_ns(text)
            case _:
                return float(text)
    except ValueError as error:
        raise ValueError(f"{metric.name}: {error}") from error


@dataclass(frozen=True)
class Goals:
    """The metrics that are searched by, each with what is best of it, and the bounds."""

    metrics: Mapping[str, Goal]
    bounds: Sequence[Bound] = ()
    #: The key whose least or most value is wanted, in place of metrics.
    key: str | None = None
    way: Goal = "min"

    @classmethod
    def read(
        cls,
        minimise: Sequence[str] = (),
        maximise: Sequence[str] = (),
        such_that: Sequence[str] = (),
        least: str | None = None,
        most: str | None = None,
    ) -> Goals:
        """Return the goals as they are asked for; raises ValueError."""
        key = most if least is None else least
        asked_by = {"least": least, "most": most, "minimise": minimise, "maximise": maximise}
        if key is not None and (many := [name for name, value in asked_by.items() if value])[1:]:
            raise ValueError(f"{' and '.join(many)}: a search has one of them")
        if key is not None and not such_that:
            raise ValueError("such_that: the least or most of a key needs a bound, such as waf<=2")
        small = list(minimise) or ([] if maximise or key is not None else list(DEFAULT))
        asked: list[tuple[str, Goal]] = [
            *((named(name).name, "min") for name in small),
            *((named(name).name, "max") for name in maximise),
        ]
        said = twice([name for name, _ in asked])
        if said is not None:
            raise ValueError(f"minimise, maximise: {said}")
        bounds = [Bound.read(text) for text in such_that]
        said = twice(map(str, bounds), {str(bound): bound.side for bound in bounds})
        if said is not None:
            raise ValueError(f"such_that: {said}")
        return cls(dict(asked), bounds, key, "min" if most is None else "max")

    @property
    def wanted(self) -> tuple[str, Goal]:
        """The key whose least or most value is wanted, and which of them."""
        assert self.key is not None
        return self.key, self.way

    @property
    def names(self) -> list[str]:
        """The metrics that are searched by or have a bound, each once."""
        return list(dict.fromkeys([*self.metrics, *(bound.metric for bound in self.bounds)]))

    @property
    def several(self) -> bool:
        """Whether there is more than one metric to search by."""
        return len(self.metrics) > 1

    def values(self, figures: Figures) -> list[float] | None:
        """Return the metrics' values; None where one of them is missing."""
        found = [figures[name] for name in self.metrics]
        return None if any(value is None for value in found) else [float(v or 0) for v in found]

    def kept(self, figures: Figures) -> bool:
        """Return whether all bounds are kept."""
        return all(bound.broken(figures) <= 0 for bound in self.bounds)

    def against(self) -> list[str]:
        """Return the metrics that are searched against what the catalogue calls better."""
        return [
            name
            for name, goal in self.metrics.items()
            if named(name).goal is not None and named(name).goal != goal
        ]


#: Who suggests points.
Sampler = Literal["tpe", "nsga2", "random", "qmc"]
SAMPLERS: tuple[Sampler, ...] = get_args(Sampler)
#: Shares of the trace that points are run over first.
SHARES = (Fraction(1, 9), Fraction(1, 3))
#: Points that are tried where neither points nor minutes are given.
POINTS = 100
#: What bisection has no use for.
_OF_A_SAMPLER = ("sampler", "sampler_seed", "points", "minutes", "prefixes")


def _listed(said: object) -> object:
    return (said,) if isinstance(said, str) else said


Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Search(BaseModel):
    """What is wanted of the points of a study, and who suggests them; raises UsageError."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minimise: Texts = ()
    maximise: Texts = ()
    #: The key whose least or most value is wanted, found by bisection.
    least: str | None = None
    most: str | None = None
    such_that: Texts = ()
    sampler: Sampler | None = None
    sampler_seed: int = Field(1, ge=0, le=2**32 - 1)
    points: int | None = Field(None, ge=1, le=1_000_000)
    minutes: float | None = Field(None, ge=0, le=1e6)
    #: Whether points are stopped that do badly over the beginning of the trace.
    prefixes: bool = False

    def __init__(self, /, **said: Any) -> None:  # noqa: ANN401
        own = {
            key: value for key, value in said.items() if value is not None and value is not False
        }
        try:
            super().__init__(**own)
        except ValidationError as error:
            raise UsageError("\n".join(problems(error, type(self)))) from None
        if self.goals.key is not None:
            for name in _OF_A_SAMPLER:
                if name in self.model_fields_set:
                    told = "is of a sampler, and the least or most of a key is found by bisection"
                    raise about(UsageError(f"{name} = {getattr(self, name)}: {told}"), name)

    @cached_property
    def goals(self) -> Goals:
        """What is searched by; raises UsageError."""
        try:
            return Goals.read(self.minimise, self.maximise, self.such_that, self.least, self.most)
        except ValueError as error:
            raise UsageError(str(error)) from error

    @property
    def suggested_by(self) -> Sampler | None:
        """The sampler; None where bisection finds the points."""
        return None if self.goals.key is not None else self.sampler or "tpe"

    @property
    def points_most(self) -> int | None:
        """Most points that are tried; None where only time ends the search."""
        return POINTS if self.points is None and self.minutes is None else self.points

    @property
    def shares(self) -> Sequence[Fraction]:
        """Shares of the trace that points are run over before all of it, smallest first."""
        return SHARES if self.prefixes else ()
