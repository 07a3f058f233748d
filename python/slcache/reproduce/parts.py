"""What a plan is made of: parts, traces, schemes and grids, readings, what is varied and drawn."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any

from pydantic import AfterValidator

from slcache import trace as traces
from slcache.options import typed

#: Names of what a plan has elsewhere; each is looked up there.
PartName = Annotated[str, typed.name_of("part")]
TraceName = Annotated[str, typed.name_of("workload")]
SchemeName = Annotated[str, typed.name_of("scheme")]
GridName = Annotated[str, typed.name_of("grid")]
DeviceName = Annotated[str, typed.name_of("device")]
MeasureName = Annotated[str, typed.name_of("measure")]


#: As a setting's value: as the scheme or the device has it, whatever the part says.
DEFAULT = "default"


@dataclass(frozen=True)
class Workload:
    """A trace of the paper: its twin, and what recognises the published file."""

    name: str
    twin: str
    #: How many it has, where `set` does not say; those of its figures unless they are given.
    requests: int = 0
    #: Volume that a published file must hold alone, as its format names it.
    volume: str = ""
    #: Figures of the paper's table that a published file must have.
    figures: dict[str, float] = field(default_factory=dict)
    #: How long the published file lasts at least: no figure, but a mere sample is shorter.
    least_duration_s: float = 0.0
    #: With a published file: run the twin with as many requests as the file has writes.
    as_many_writes: bool = False
    #: Parts it belongs to; all of them when empty.
    parts: list[PartName] = field(default_factory=list)
    #: Figures of the twin that are set for this workload.
    set: dict[str, Any] = field(default_factory=dict)
    #: A smaller experiment with the twin in place of the paper's: figures of the twin, and
    #: settings that make device and periods as much smaller. A published file is run without.
    reduced: dict[str, Any] = field(default_factory=dict)
    #: Settings of its runs, of a published file's too, over those of the part.
    settings: dict[str, Any] = field(default_factory=dict)
    #: Repeat the trace until it has written so many bytes; 0 for once.
    repeat_to_write_bytes: int = 0
    #: Whether it is only run when it is named, because it takes so long.
    optional: bool = False


@dataclass(frozen=True)
class PlanPart:
    """One experiment of the evaluation: a device, schemes, and how traces are replayed."""

    name: str
    device: DeviceName
    schemes: list[str]
    reference: str
    replay: str | None = None
    #: Whether figures or claims need the traces' own statistics.
    trace_statistics: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    #: Seeds of this part, where the plan's would only repeat the same runs or take too long.
    seeds: list[int] = field(default_factory=list)
    #: Schemes that draw while they run. Where this is given, if only as an empty list, every seed
    #: meets the same draw of the twins, that of the first seed, and the other schemes run once.
    learned: list[SchemeName] | None = None


@dataclass(frozen=True)
class Quick:
    """The part of the plan that is run in under a minute."""

    workloads: list[TraceName]
    seeds: list[int]
    #: Parts that are run; all when empty.
    parts: list[PartName] = field(default_factory=list)
    #: Workloads of a part where they are others than `workloads`.
    only: dict[PartName, list[TraceName]] = field(default_factory=dict)
    #: The most requests of a twin; 0 for all it has.
    requests: int = 0

    def names(self) -> list[str]:
        """Return the workloads of any part."""
        more = itertools.chain.from_iterable(self.only.values())
        return list(dict.fromkeys([*self.workloads, *more]))

    def runs(self, name: str, parts: Sequence[str]) -> bool:
        """Return whether a workload is run in one of its parts."""
        run = [part for part in parts or [""] if not part or part in (self.parts or [part])]
        return any(name in self.only.get(part, self.workloads) for part in run)


@dataclass(frozen=True)
class Variant:
    """A scheme under settings of its own, by a name of its own."""

    name: str
    scheme: str
    settings: dict[str, Any] = field(default_factory=dict)
    #: Workloads that it has run before, one after the other, and whose memory it brings.
    after: list[TraceName] = field(default_factory=list)
    #: The grid it is a point of, and which.
    grid: str = ""
    point: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ShareOf:
    """A setting's value as a share of another whole number of the configuration."""

    share: float
    #: Its key, such as device.pool.0.blocks.
    whole: str


@dataclass(frozen=True)
class Grid:
    """A scheme under every combination of some settings' values."""

    name: str
    scheme: str
    #: Settings, each with its values.
    vary: dict[str, list[Any]]
    settings: dict[str, Any] = field(default_factory=dict)
    #: A setting of which the values are shares: each run gets so many of its own, in whole numbers.
    share_of: str = ""
    #: Schemes that stand for the grid's own at some values of its only setting, by the value.
    instead: dict[str, str] = field(default_factory=dict)

    @cached_property
    def variants(self) -> list[Variant]:
        """One variant for every point, the last setting running fastest."""
        return [self._variant(point) for point in itertools.product(*self.vary.values())]

    def _variant(self, point: tuple[Any, ...]) -> Variant:
        name = " ".join([self.name, *map(str, point)])
        other = self.instead.get(str(point[0])) if len(point) == 1 else None
        if other is not None:
            return Variant(name, other, grid=self.name, point=point)
        varied = dict(zip(self.vary, point, strict=True))
        if self.share_of:
            varied = {key: ShareOf(share, self.share_of) for key, share in varied.items()}
        return Variant(name, self.scheme, {**self.settings, **varied}, grid=self.name, point=point)


@dataclass(frozen=True)
class Pick:
    """The variant of a grid that does best, or worst, on each trace, shown as one more scheme."""

    name: str
    #: The parts that show it.
    parts: list[PartName]
    measure: MeasureName
    #: "most" or "least".
    which: str
    #: The part that runs the grid, where it is another.
    source: PartName = ""
    #: The grid to pick from, where the part runs other schemes too.
    grid: GridName = ""


@dataclass(frozen=True)
class Yardstick:
    """What a learned scheme is held against: the best and the worst constant, and chance."""

    part: PartName
    measure: MeasureName
    scheme: SchemeName
    best: SchemeName
    worst: SchemeName
    random: SchemeName


def settings_of(variant: Variant, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings for a variant: those of no scheme, of its scheme, its name or grid."""
    own = f"scheme.{variant.scheme}."
    keys = {k: _meant(variant, k) for k in settings}
    return {
        key: settings[k]
        for k, key in keys.items()
        if key is not None and (not key.startswith("scheme.") or key.startswith(own))
    }


def _meant(variant: Variant, key: str) -> str | None:
    """Return a setting's key without the variant or grid it is for; None if that is another."""
    name, colon, rest = key.rpartition(":")
    return rest if not colon or name in (variant.name, variant.grid) else None


@dataclass(frozen=True)
class Optima:
    """A grid whose best setting is shown beside what the paper and the model say it is."""

    parts: list[PartName]
    #: The grid.
    scheme: GridName
    measure: MeasureName
    #: "least" or "most".
    which: str
    #: The scheme that chooses the setting while it runs.
    adaptive: SchemeName
    #: Its measures: the setting it had on average, and what its model found best in the end.
    chosen: MeasureName
    predicted: MeasureName
    #: The paper's best setting by part and workload.
    paper: dict[PartName, dict[TraceName, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Lifespans:
    """Grids over the share of SLC blocks, and the runs with one region that the model needs."""

    part: PartName
    #: Grids of which every point gets a lifespan.
    grids: list[GridName]
    #: The region alone, as large as it is beside the other: by the share of SLC blocks ...
    slc_alone: GridName
    #: ... and by the share of dense ones.
    dense_alone: GridName
    #: A part with the same runs on one pass less: then volumes are those of the last pass alone.
    less: PartName = ""


@dataclass(frozen=True)
class FigureSpec:
    """One figure of the paper, drawn from our own data."""

    id: str
    kind: str
    title: str
    part: PartName = ""
    measure: MeasureName = ""
    measures: list[MeasureName] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    scheme: SchemeName = ""
    schemes: list[SchemeName] = field(default_factory=list)
    #: Workloads it shows; all of its part's when empty.
    workloads: list[TraceName] = field(default_factory=list)
    column: str = ""
    label: str = ""
    limits: list[float] = field(default_factory=list)
    #: "bytes" where the values are sizes, on an axis of powers of two; "time" where they are
    #: microseconds that lie far apart.
    scale: str = ""
    #: What a grid's setting is called, and which end of the measure over it is marked.
    across: str = ""
    which: str = ""
    #: What the values of a grid's setting are multiplied by on the axis.
    times: float = 1.0
    #: What figures are drawn in parts of: those of a variant, or point by point of a grid.
    relative_to: SchemeName = ""
    #: What figures are divided by, for instance to show bytes as MB.
    per: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class TableSpec:
    """Measures of every run of a part, beside the figures of the paper."""

    title: str
    measures: list[MeasureName]
    names: list[str]
    part: PartName = ""
    schemes: list[SchemeName] = field(default_factory=list)
    note: str = ""


#: The plan as it stands, and with what its `[reading]` changes.
LITERAL, PROBABLE = "literal", "probable"
READINGS = (LITERAL, PROBABLE)


@dataclass(frozen=True)
class ReadingOption:
    """One thing that the probable reading takes another way."""

    #: What is taken how, as one line, and its source.
    text: str
    why: str
    #: Settings of the runs, over those of their part.
    settings: dict[str, Any] = field(default_factory=dict)
    #: Devices by part.
    devices: dict[PartName, DeviceName] = field(default_factory=dict)
    #: Figures of the twins, in all parts.
    twin: dict[str, Any] = field(default_factory=dict)
    #: Parts it is for; all when empty.
    parts: list[PartName] = field(default_factory=list)
    #: Workloads that its settings are for, such as those whose stamps have a unit of their own; all
    #: when empty.
    workloads: list[TraceName] = field(default_factory=list)

    def is_for(self, part: str) -> bool:
        """Return whether it is for a part."""
        return not self.parts or part in self.parts

    def part(self, part: PlanPart) -> PlanPart:
        """Return a part as it is run."""
        if self.workloads or not self.is_for(part.name):
            return part
        device = self.devices.get(part.name, part.device)
        return replace(part, device=device, settings={**part.settings, **self.settings})

    def workload(self, each: Workload) -> Workload:
        """Return a workload as it is run."""
        twin = self.twin if self.twin and has_figures(each.twin) else {}
        figures = {f"twin.{key}": value for key, value in twin.items()}
        settings = self.settings if each.name in self.workloads else {}
        return replace(each, set={**each.set, **figures}, settings={**each.settings, **settings})


@dataclass(frozen=True)
class PaperReading:
    """What a reading changes of the literal one, which is the plan itself."""

    name: str
    #: By what they are called in the plan.
    options: dict[str, ReadingOption]

    def parts(self, parts: Sequence[PlanPart]) -> list[PlanPart]:
        """Return the parts as they are run."""
        options = self.options.values()
        return [functools.reduce(lambda part, of: of.part(part), options, each) for each in parts]

    def workloads(self, workloads: Sequence[Workload]) -> list[Workload]:
        """Return the workloads as they are run."""
        options = self.options.values()
        return [functools.reduce(lambda one, of: of.workload(one), options, w) for w in workloads]


@functools.cache
def has_figures(workload: str) -> bool:
    """Return whether a workload is a twin; patterns such as sequential writes have no figures."""
    return bool(traces.workload(workload)["kind"] == "twin")


def _titled(level: dict[str, Any]) -> dict[str, Any]:
    if "level" not in level:
        raise ValueError("level is missing: what it is called")
    return level


#: Settings that are made together, with what they are called as `level`.
Level = Annotated[dict[str, Any], AfterValidator(_titled)]


@dataclass(frozen=True)
class PlanVariation:
    """One option the paper leaves open, or one figure that the twins leave free."""

    name: str
    why: str
    #: Values that all of `settings` take in turn: keys of runs, figures of the twins, or their draw
    #: ("seed").
    values: list[Any] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    #: Whether the values multiply what a run has, in place of standing for it.
    times: bool = False
    #: In place of values: settings that are made together.
    points: list[Level] = field(default_factory=list)
    #: In place of both: factors, each a list of levels. Every combination is a point.
    cross: list[list[Level]] = field(default_factory=list)
    #: Parts that it can change; all of the study's when empty.
    parts: list[PartName] = field(default_factory=list)
    #: Workloads that it is run on; all of the study's when empty.
    workloads: list[TraceName] = field(default_factory=list)

    def each(self) -> list[tuple[str, dict[str, Any]]]:
        """Return what every point is called, and its settings or figures of the twins."""
        factors = self.cross or [self.points or list(map(self._level, self.values))]
        return [
            (
                ", ".join(str(level["level"]) for level in levels),
                {key: value for level in levels for key, value in level.items() if key != "level"},
            )
            for levels in itertools.product(*factors)
        ]

    def _level(self, value: Any) -> Level:  # noqa: ANN401
        settings = {key: ShareOf(value, key) if self.times else value for key in self.settings}
        return {"level": f"{value} times" if self.times else str(value), **settings}


def is_of_twins(key: str) -> bool:
    """Return whether a point's key is a figure of the twins, or their draw, and no setting."""
    return key.startswith("twin.") or key == "seed"


@dataclass(frozen=True)
class Sensitivity:
    """What is varied, one at a time."""

    workloads: list[TraceName]
    seeds: list[int]
    vary: list[PlanVariation]
    #: About how long it takes on two cores.
    minutes: int
    #: Parts that are run where a variation names none; all when empty.
    parts: list[PartName] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Beyond(PlanPart):
    """What is run on real recordings, which no paper had."""

    name: str = "beyond"
    reference: str = ""
    replay: str
    #: Of the schemes that draw while they run; the others run once.
    seeds: list[int] = field(default_factory=lambda: [1])
    learned: list[SchemeName] | None = field(default_factory=list)
    #: The grid of constants of which the best is shown.
    constants: GridName = ""
    #: Further traces, where they are, by their path from the folder of recordings.
    more: list[str] = field(default_factory=list)
    #: Pieces of real volumes, likewise. Their times are those of an open load, and kept.
    pieces: list[str] = field(default_factory=list)
    #: The recordings that are run, by their names; all when empty.
    only: list[str] = field(default_factory=list)
    #: Measures shown beside those of every paper, and what they are called.
    measures: list[MeasureName] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
