"""What is run for a paper: device, schemes, workloads, figures, and what is varied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from slcache import ConfigError
from slcache.reproduce import toml
from slcache.reproduce.claims import Claim
from slcache.reproduce.lifespans import Lifespans
from slcache.reproduce.optima import Optima
from slcache.reproduce.variants import Grid, Pick, ShareOf, Variant, Yardstick, expand

#: The folders of data, one per paper.
EXPERIMENTS = Path(__file__).parent.parent / "experiments"


@dataclass(frozen=True)
class Workload:
    """A trace of the paper: its twin, and what recognises the published file."""

    name: str
    twin: str
    #: How many it has, where `set` does not say.
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
    parts: list[str] = field(default_factory=list)
    #: Figures of the twin that are set for this workload.
    set: dict[str, Any] = field(default_factory=dict)
    #: A smaller experiment with the twin in place of the paper's: figures of the twin, and
    #: settings that make device and periods as much smaller. A published file is run without.
    reduced: dict[str, Any] = field(default_factory=dict)
    #: Repeat the trace until it has written so many bytes; 0 for once.
    repeat_to_write_bytes: int = 0
    #: Whether it is only run when it is named, because it takes so long.
    optional: bool = False


@dataclass(frozen=True)
class Part:
    """One experiment of the evaluation: a device, schemes, and how traces are replayed."""

    name: str
    device: str
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
    learned: list[str] | None = None


@dataclass(frozen=True)
class Quick:
    """The part of the plan that is run in under a minute."""

    workloads: list[str]
    seeds: list[int]
    #: Parts that are run; all when empty.
    parts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class FigureSpec:
    """One figure of the paper, drawn from our own data."""

    id: str
    kind: str
    title: str
    part: str = ""
    measure: str = ""
    measures: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    scheme: str = ""
    schemes: list[str] = field(default_factory=list)
    #: Workloads it shows; all of its part's when empty.
    workloads: list[str] = field(default_factory=list)
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
    relative_to: str = ""
    #: What figures are divided by, for instance to show bytes as MB.
    per: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class TableSpec:
    """Measures of every run of a part, beside the figures of the paper."""

    title: str
    measures: list[str]
    names: list[str]
    part: str = ""
    schemes: list[str] = field(default_factory=list)
    note: str = ""


@dataclass(frozen=True)
class Variation:
    """One option the paper leaves open, or one figure that the twins leave free."""

    name: str
    why: str
    #: Values that all of `settings`, or the figure `twin` of the twins (or their draw, "seed"),
    #: take in turn.
    values: list[Any] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    twin: str = ""
    #: Whether the values multiply what a run has, in place of standing for it.
    times: bool = False
    #: In place of values: settings that are made together, one table per point.
    points: list[dict[str, Any]] = field(default_factory=list)
    #: What the report calls the points.
    names: list[str] = field(default_factory=list)
    #: Parts that it can change; all of the study's when empty.
    parts: list[str] = field(default_factory=list)

    def tables(self) -> list[dict[str, Any]]:
        """Return the settings of every point; those called twin... are figures of the twins."""
        if self.points:
            return self.points
        if self.twin:
            return [{self.twin: value} for value in self.values]
        if self.times:
            return [{key: ShareOf(v, key) for key in self.settings} for v in self.values]
        return [dict.fromkeys(self.settings, value) for value in self.values]

    def titles(self) -> list[str]:
        """Return what the points are called."""
        return self.names or [f"{v} times" if self.times else str(v) for v in self.values]


@dataclass(frozen=True)
class Sensitivity:
    """What is varied, one at a time."""

    workloads: list[str]
    seeds: list[int]
    vary: list[Variation]
    #: About how long it takes on two cores.
    minutes: int
    #: Parts that are run where a variation names none; all when empty.
    parts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Beyond:
    """What is run on real recordings, which no paper had."""

    device: str
    schemes: list[str]
    replay: str
    settings: dict[str, Any] = field(default_factory=dict)
    #: Seeds of the schemes that draw while they run; the others run once.
    seeds: list[int] = field(default_factory=lambda: [1])
    learned: list[str] = field(default_factory=list)
    #: The grid of constants of which the best is shown.
    constants: str = ""
    #: Further traces, where they are, by their path from the folder of recordings.
    more: list[str] = field(default_factory=list)
    #: The recordings that are run, by their names; all when empty.
    only: list[str] = field(default_factory=list)
    #: Measures shown beside those of every paper, and what they are called.
    measures: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """A paper's evaluation."""

    name: str
    title: str
    authors: str
    #: About how long the whole evaluation takes on two cores.
    minutes: int
    seeds: list[int]
    parts: list[Part]
    workloads: list[Workload]
    quick: Quick
    figures: list[FigureSpec]
    tables: list[TableSpec]
    claims: list[Claim]
    sensitivity: Sensitivity | None
    beyond: Beyond | None
    variants: list[Variant] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    picks: list[Pick] = field(default_factory=list)
    yardstick: Yardstick | None = None
    optima: list[Optima] = field(default_factory=list)
    lifespans: list[Lifespans] = field(default_factory=list)

    @property
    def schemes(self) -> list[str]:
        """Every scheme of any part, in order, and what is picked from grids."""
        every = [scheme for part in self.parts for scheme in part.schemes]
        return list(dict.fromkeys([*every, *(pick.name for pick in self.picks)]))

    def expand(self, names: Sequence[str]) -> list[Variant]:
        """Return the variants that names of schemes, variants and grids mean."""
        return expand(names, self.variants, self.grids)

    @property
    def reduced(self) -> bool:
        """Whether twins are run at a smaller size than the paper's."""
        return any(workload.reduced for workload in self.workloads)

    def full_size(self) -> Plan:
        """Return the plan with all twins at the paper's size."""
        return replace(self, workloads=[replace(each, reduced={}) for each in self.workloads])

    def part(self, name: str) -> Part:
        """Return the part of that name, by default the first."""
        return next(part for part in self.parts if name in ("", part.name))

    def named(self, names: Sequence[str]) -> list[Workload]:
        """Return the workloads of those names; different parts may have one of the same name."""
        return [workload for workload in self.workloads if workload.name in names]


def papers() -> list[str]:
    """Return the names of the papers that can be reproduced."""
    return sorted(path.parent.name for path in EXPERIMENTS.glob("*/plan.toml"))


def load(name: str) -> Plan:
    """Return a paper's plan; raises ConfigError."""
    folder = EXPERIMENTS / name
    path = folder / "plan.toml"
    table = toml.load(path)
    claims = toml.load(folder / "claims.toml").get("claim", [])
    where = f"{name}/plan.toml"
    members = {
        "parts": _tables(Part, table.pop("part", []), f"{where}: part"),
        "workloads": _tables(Workload, table.pop("workload", []), f"{where}: workload"),
        "figures": _tables(FigureSpec, table.pop("figure", []), f"{where}: figure"),
        "tables": _tables(TableSpec, table.pop("table", []), f"{where}: table"),
        "claims": _tables(Claim, claims, f"{name}/claims.toml: claim"),
        "quick": toml.build(Quick, table.pop("quick", {}), f"{where}: quick"),
        "sensitivity": _sensitivity(table.pop("sensitivity", None), f"{where}: sensitivity"),
        "beyond": _one(Beyond, table.pop("beyond", None), f"{where}: beyond"),
        "variants": _tables(Variant, table.pop("variant", []), f"{where}: variant"),
        "grids": _tables(Grid, table.pop("grid", []), f"{where}: grid"),
        "picks": _tables(Pick, table.pop("pick", []), f"{where}: pick"),
        "optima": _tables(Optima, table.pop("optima", []), f"{where}: optima"),
        "lifespans": _tables(Lifespans, table.pop("lifespan", []), f"{where}: lifespan"),
        "yardstick": _one(Yardstick, table.pop("yardstick", None), f"{where}: yardstick"),
    }
    plan = toml.build(Plan, {"name": name, **table, **members}, where)
    _check(plan, where)
    return plan


def _tables(kind: type[Any], tables: list[dict[str, Any]], where: str) -> list[Any]:
    return [toml.build(kind, table, f"{where} {i + 1}") for i, table in enumerate(tables)]


def _one(kind: type[Any], table: dict[str, Any] | None, where: str) -> Any:  # noqa: ANN401
    return None if table is None else toml.build(kind, table, where)


def _sensitivity(table: dict[str, Any] | None, where: str) -> Sensitivity | None:
    if table is None:
        return None
    vary = _tables(Variation, table.pop("vary", []), f"{where}: vary")
    return toml.build(Sensitivity, {**table, "vary": vary}, where)


def _check(plan: Plan, where: str) -> None:
    """Refuse names that nothing bears."""
    workloads = {workload.name for workload in plan.workloads}
    wanted = set(plan.quick.workloads)
    wanted |= set(plan.sensitivity.workloads) if plan.sensitivity else set()
    wanted |= {name for claim in plan.claims for name in claim.workloads}
    wanted |= {name for variant in plan.variants for name in variant.after}
    problems = [] if plan.parts else [f"{where}: part is missing"]
    problems += [f"{where}: no workload {name}" for name in sorted(wanted - workloads)]
    ids = [claim.id for claim in plan.claims]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    problems += [f"{where}: two claims are called {name}" for name in twice]
    parts = {claim.part for claim in plan.claims} | {figure.part for figure in plan.figures}
    parts |= {name for workload in plan.workloads for name in workload.parts}
    vary = plan.sensitivity.vary if plan.sensitivity else []
    parts |= {name for variation in vary for name in variation.parts}
    parts |= set(plan.sensitivity.parts) if plan.sensitivity else set()
    parts |= {*plan.quick.parts, *(spec.part for spec in plan.tables)}
    parts |= {name for pick in plan.picks for name in (pick.part, pick.source)}
    parts |= {plan.yardstick.part} if plan.yardstick else set()
    parts |= {spec.part for spec in plan.optima} | {spec.part for spec in plan.lifespans}
    unknown = parts - {"", *(part.name for part in plan.parts)}
    problems += [f"{where}: no part {name}" for name in sorted(unknown)]
    schemes = {s for c in plan.claims for s in (c.scheme, *c.rivals, *c.among) if s}
    schemes |= {s for part in plan.parts for s in part.learned or []}
    schemes |= {s for spec in plan.optima for s in (spec.scheme, spec.adaptive)}
    known = {*plan.schemes, *(v.name for v in plan.expand(plan.schemes))}
    problems += [f"{where}: no scheme {s}" for s in sorted(schemes - known)]
    problems += [
        f"{where}: {variation.name}: {len(variation.titles())} names for "
        f"{len(variation.tables())} points"
        for variation in vary
        if len(variation.titles()) != len(variation.tables())
    ]
    if problems:
        raise ConfigError("\n".join(problems))
