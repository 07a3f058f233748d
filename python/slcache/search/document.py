"""The document of a search: its published schema is derived from these shapes."""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, MaxLen, MinLen
from pydantic import Field
from typing_extensions import TypedDict

from slcache.documents.model import Positive, Provenance
from slcache.documents.schemata import open_shape, shape
from slcache.study import document as study

#: A share of the trace, such as 1/9.
Share = Annotated[str, Field(pattern="^[0-9]+/[0-9]+$")]
Status = Literal["done", "failed", "impossible", "stopped"]


@shape
class SearchRequest(TypedDict):
    """What was asked."""

    trace: str | dict[str, Any]
    """A trace or workload; an object is what the file of a workload holds."""
    device: str | dict[str, Any]
    """A preset or file; an object is what a device file holds."""
    config: str | None
    """A file with keys of the configuration, below all others."""
    schemes: Annotated[list[str], MinLen(1)]
    """Of several, which one is part of the search."""
    vary: dict[str, str]
    """Keys, and what each may be: values with commas, or a range."""
    set: dict[str, Any]
    """Keys of the configuration that are the same everywhere."""
    trace_options: dict[str, str]
    """Options of the trace's reader."""
    replay: str | None
    seeds: Positive
    """Seeds of every point; means count."""
    resample: NotRequired[Annotated[int, Ge(2)]]
    """Draws of each recording, in place of seeds; absent without."""
    resample_block: NotRequired[str]
    """How long the stretches of a draw are on average, such as 30s; absent for a twentieth of the
    recording."""
    seed: int | None
    """The first seed; null where runs have their default."""
    goals: Annotated[dict[str, Literal["min", "max"]], MinLen(1)]
    """The metrics, or the one key, that are searched by."""
    bounds: list[str]
    """Bounds that the answer keeps, in the metrics' units."""
    sampler: Literal["tpe", "nsga2", "random", "qmc"] | None
    """Who suggests points; null where bisection finds the least or most of a key."""
    sampler_seed: int
    points: Positive | None
    """Points that were to be tried; null where only time was given, or bisection ends by itself."""
    prefixes: list[Share]
    """Shares of the trace that points are run over first."""


@shape
class SearchCounts(study.StudyCounts):
    """Points by what became of them, and results that were there before."""

    stopped: int
    """After a beginning of the trace."""


@open_shape
class Settings(TypedDict):
    """The scheme and the varied keys that mean something to it."""

    scheme: str


@shape
class Prefix(TypedDict):
    """What was seen over a beginning of the trace."""

    share: Share
    value: float | None


@shape
class TriedPointShape(TypedDict):
    """A point that was tried."""

    settings: Settings
    status: Status
    reason: str | None
    """Why there are no figures; null where there are."""
    metrics: dict[str, float | None]
    """Those searched by and those bounded; null where a run has none."""
    in_bounds: bool | None
    """Whether all bounds are kept; null where the point is not done."""
    unfilled: NotRequired[bool]
    """Whether its SLC cache was never full, so that a longer run may reverse the result."""
    prefixes: list[Prefix]


@shape
class Sized(TypedDict):
    """What bisection found beside the best."""

    nearest: int
    """The point nearest to the bounds."""
    neighbours: Annotated[list[int], MaxLen(2)]
    """The points beside the best."""
    monotone: dict[str, bool]
    """Whether each metric only rises or only falls."""


@shape
class TuningShape(TypedDict):
    """A search: what was asked, every point that was tried, the front and the best of them."""

    schema_version: Literal[2]
    asked: SearchRequest
    counts: SearchCounts
    points: list[TriedPointShape]
    """In the order in which they were tried; of a key's least or most, by its value."""
    front: list[int]
    """Numbers of the points that no other dominates, counted from 0."""
    best: int | None
    """Number of the best point; null where there is none."""
    sized: Sized | None
    """Of the least or most of a key; null of other searches."""
    provenance: Provenance
