"""The documents of a study: their published schemas are derived from these shapes."""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, MinLen
from typing_extensions import TypedDict

from slcache.documents.model import Positive, Provenance
from slcache.documents.schemata import open_shape, shape

Value = float | str | bool
#: Values by parameter; null where a configuration has no such parameter.
Settings = dict[str, Value | None]
Names = Annotated[list[str], MinLen(1)]
Given = Annotated[list[str | dict[str, Any]], MinLen(1)]


@shape
class StudyRequest(TypedDict):
    """What was asked, as study.toml has it."""

    trace: Given
    """Traces and workloads; an object is what the file of a workload holds."""
    device: Given
    """Presets and files; an object is what a device file holds."""
    scheme: Names
    seeds: Positive
    """Seeds of every point."""
    resample: NotRequired[Annotated[int, Ge(2)]]
    """Draws of each recording, in place of seeds; absent without."""
    resample_block: NotRequired[str]
    """How long the stretches of a draw are on average, such as 30s; absent for a twentieth of the
    recording."""
    seed: NotRequired[int]
    """The first seed; absent where runs have their default."""
    replay: NotRequired[str]
    metric: NotRequired[Names]
    """Metrics that it is judged by; absent for the usual ones."""
    config: NotRequired[str]
    """A file with keys below all others."""
    sample: str
    """grid, random:N or latin-hypercube:N."""
    sample_seed: int
    """Seed of drawn points."""
    set: NotRequired[dict[str, Any]]
    """Keys of the configuration that are the same everywhere."""
    trace_options: NotRequired[dict[str, Any]]
    """Options of the traces' reader."""
    vary: NotRequired[dict[str, Any]]
    """Varied keys, each with a list of values or with text such as 1..32."""
    point: NotRequired[list[dict[str, Any]]]
    """Points listed one by one, in place of vary."""


@shape
class StudyCounts(TypedDict):
    """Points by status, and distinct results that were there before."""

    done: int
    failed: int
    impossible: int
    kept: int


@open_shape
class PointShape(TypedDict):
    """What all points have, beside the varied keys and the metrics; null is no value."""

    trace: str
    device: str
    scheme: str
    seed: int | None
    key: str | None
    """Name of the result in the store; null where the point cannot run."""
    status: Literal["done", "failed", "impossible"]
    reason: str | None
    """Why there is no result; where there is one, requests that `trace.address = clip` left out or
    cut, else null."""
    thin: NotRequired[str | None]
    """The percentiles that fewer than 10 requests lie beyond, with commas between."""


@shape
class SweepShape(TypedDict):
    """A study and a row for each of its points, as in points.parquet."""

    schema_version: Literal[2]
    study: StudyRequest
    counts: StudyCounts
    points: list[PointShape]
    """In the order of the study."""
    provenance: Provenance


@shape
class LeftOut(TypedDict):
    """Points without figures for one reason."""

    status: str
    reason: str | None
    points: int


@shape
class ConfigurationShape(TypedDict):
    """Points that differ in the seed alone."""

    settings: Settings
    metrics: dict[str, float | None]
    """Means over the seeds."""


#: A level of a parameter. `from` is a value, or where a range of them begins.
Level = TypedDict(
    "Level",
    {
        "from": Value,
        "to": Value,
        "points": int,
        "mean": float,
        "least": float,
        "first_quartile": float,
        "third_quartile": float,
        "greatest": float,
    },
)
shape(Level)


@shape
class EffectShape(TypedDict):
    """What a parameter does to a metric."""

    parameter: str
    balanced: bool
    """Whether each of its levels has the others' levels as often as all points have; else what they
    do is in its means."""
    points_without: int
    """Configurations that have no such parameter."""
    levels: list[Level]


@shape
class Interval(TypedDict):
    """A metric of a configuration over the seeds."""

    settings: Settings
    mean: float
    half_interval: Annotated[float, Ge(0)] | None
    """Half of Student's interval; null with one seed."""
    seeds: int


@shape
class SpreadShape(TypedDict):
    """A metric over the seeds."""

    level: float
    """Of the intervals."""
    best: int | None
    """Place of the best configuration; null where neither less nor more is better."""
    not_told_from_best: list[int]
    """Places of those whose difference from the best lies inside the noise."""
    configurations: list[Interval]


@shape
class MetricShape(TypedDict):
    """What parameters do to a metric."""

    points_without: int
    """Points that are done and have no such figure."""
    effects: list[EffectShape]
    """The parameter whose means lie furthest apart first."""
    seeds: NotRequired[SpreadShape]
    """Of a study of one load."""


@shape
class FrontShape(TypedDict):
    """The configurations that no other dominates."""

    metrics: dict[str, Literal["min", "max"]]
    """What it is judged by, and which way is better."""
    without: list[str]
    """Metrics that are the same everywhere, or nowhere."""
    configurations_left_out: int
    """Those that lack one of the metrics."""
    configurations_out_of_bounds: int
    configurations: list[ConfigurationShape]


@shape
class LoadShape(TypedDict):
    """What is best under a load."""

    trace: str
    """The load in a line."""
    load: Settings
    """The trace and other parameters that are the load, such as host.queue_depth."""
    front: FrontShape
    seeds: dict[str, SpreadShape]
    """By metric."""


@shape
class WorstShape(TypedDict):
    """How many times worse than the best of a load a configuration is at worst, and on which."""

    factor: Annotated[float, Ge(1)]
    trace: str


@shape
class RatedShape(TypedDict):
    """A configuration under all loads."""

    settings: Settings
    worst: dict[str, WorstShape]
    """By metric."""


@shape
class AcrossShape(TypedDict):
    """How far configurations that ran under all loads are from the best of each, nearest first."""

    metrics: list[str]
    without: list[str]
    """Metrics without factors: 0 somewhere, or lacking."""
    configurations_left_out: int
    """Those without figures under all loads."""
    configurations: list[RatedShape]


@shape
class Shown(TypedDict):
    """What the points of a study tell: main effects, the Pareto front, the spread of the seeds."""

    schema_version: Literal[2]
    points: dict[str, int]
    """Points by what became of them."""
    varied: list[str]
    """Parameters of which points have different values."""
    fixed: Settings
    """Parameters of which all points have the same value."""
    left_out: list[LeftOut]
    """The points without figures by reason, most first."""
    configurations: list[ConfigurationShape]
    """Points that are done: of each load the best in the first metric first."""
    metrics: dict[str, MetricShape]
    """By metric, what parameters do to it."""


@shape
class OfOneLoad(Shown):
    """What a study of one load tells."""

    front: FrontShape


@shape
class OfLoads(Shown):
    """What a study of several loads tells."""

    traces: Annotated[list[LoadShape], MinLen(2)]
    """What is best under each."""
    across_traces: AcrossShape


Show = OfOneLoad | OfLoads
