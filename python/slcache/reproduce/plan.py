"""A paper's evaluation as its two files describe it: what is run, drawn, judged and varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict

from slcache import catalogue
from slcache.errors import UsageError, about
from slcache.options import typed
from slcache.options.typed import refuse
from slcache.reproduce import claims, notation
from slcache.reproduce.claims import EMERGENT, PaperClaim
from slcache.reproduce.measures import measures
from slcache.reproduce.parts import (
    DEFAULT,
    LITERAL,
    PROBABLE,
    READINGS,
    Beyond,
    FigureSpec,
    Grid,
    Lifespans,
    Optima,
    PaperReading,
    Pick,
    PlanPart,
    PlanVariation,
    Quick,
    ReadingOption,
    Sensitivity,
    TableSpec,
    Variant,
    Workload,
    Yardstick,
    has_figures,
    is_of_twins,
    settings_of,
)

#: The folders of data, one per paper.
EXPERIMENTS = Path(__file__).parent.parent / "experiments"


@dataclass(frozen=True)
class Plan:
    """A paper's evaluation."""

    __pydantic_config__: ClassVar[ConfigDict] = typed.CLOSED

    name: str
    title: str
    authors: str
    #: About how long the whole evaluation takes on two cores.
    minutes: int
    seeds: list[int]
    quick: Quick
    claims: list[PaperClaim] = field(default_factory=list)
    parts: list[PlanPart] = field(default_factory=list)
    workloads: list[Workload] = field(default_factory=list)
    figures: list[FigureSpec] = field(default_factory=list)
    tables: list[TableSpec] = field(default_factory=list)
    sensitivity: Sensitivity | None = None
    beyond: Beyond | None = None
    variants: list[Variant] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    picks: list[Pick] = field(default_factory=list)
    yardstick: Yardstick | None = None
    optima: list[Optima] = field(default_factory=list)
    lifespans: list[Lifespans] = field(default_factory=list)
    #: What readings of the paper change of this, the literal one. The most probable one is judged
    #: beside it; with the others runs can begin.
    reading: dict[str, PaperReading] = field(default_factory=dict)

    @property
    def schemes(self) -> list[str]:
        """Every scheme of any part, in order, and what is picked from grids."""
        every = [scheme for part in self.parts for scheme in part.schemes]
        return list(dict.fromkeys([*every, *(pick.name for pick in self.picks)]))

    @property
    def all_schemes(self) -> set[str]:
        """Every scheme, variant and grid, and every point of a grid."""
        return {*self.schemes, *(variant.name for variant in self.expand(self.schemes))}

    @property
    def names(self) -> dict[str, list[str]]:
        """What is named in it, by kind."""
        grids = [grid.name for grid in self.grids]
        return {
            "part": [part.name for part in self.parts],
            "workload": list(dict.fromkeys(workload.name for workload in self.workloads)),
            "scheme": sorted({*self.all_schemes, *grids}),
            "grid": grids,
            "device": sorted(entry["name"] for entry in catalogue.devices()),
            "measure": list(measures()),
        }

    def traces_of(self, part: PlanPart) -> list[str]:
        """Return the workloads that a part's claims are of."""
        every = [w for w in self.workloads if not w.parts or part.name in w.parts]
        return [workload.name for workload in every if not workload.optional]

    def expand(self, names: Sequence[str]) -> list[Variant]:
        """Return what names mean: variants, all of a grid, or schemes as they are."""
        known = {variant.name: [variant] for variant in self.variants}
        known |= {grid.name: grid.variants for grid in self.grids}
        return [one for name in names for one in known.get(name, [Variant(name, name)])]

    @property
    def vary(self) -> list[PlanVariation]:
        """What its study varies."""
        return self.sensitivity.vary if self.sensitivity else []

    @property
    def reduced(self) -> bool:
        """Whether twins are run at a smaller size than the paper's."""
        return any(workload.reduced for workload in self.workloads)

    def full_size(self) -> Plan:
        """Return the plan with all twins at the paper's size."""
        return replace(self, workloads=[replace(each, reduced={}) for each in self.workloads])

    @property
    def readings(self) -> list[str]:
        """The readings that are judged."""
        return list(READINGS) if self.probable else [LITERAL]

    @property
    def probable(self) -> PaperReading | None:
        """The most probable reading."""
        return self.reading.get(PROBABLE)

    def under(self, reading: str) -> Plan:
        """Return the plan as a reading has it run."""
        if reading not in self.reading:
            return self
        found = self.reading[reading]
        workloads = found.workloads(self.workloads)
        return replace(self, parts=found.parts(self.parts), workloads=workloads)

    def beside(self, reading: str) -> Plan:
        """Return the plan with a further reading in the place of the most probable one.

        What is varied starts from the other two, so that it has no study.
        """
        return replace(self, reading={PROBABLE: self.reading[reading]}, sensitivity=None)

    def quick_judges(self) -> tuple[int, int]:
        """Return how many emergent claims the quick runs judge, and how many runs can judge."""
        open_ = [c for c in self.claims if not (c.cannot_hold or c.not_simulable)]
        emergent = [claim for claim in open_ if claim.class_ == EMERGENT]
        by_id = {claim.id: claim for claim in self.claims}
        judged = sum(all(self._is_quick(by_id[of]) for of in c.of or [c.id]) for c in emergent)
        return judged, len(emergent)

    def _is_quick(self, claim: PaperClaim) -> bool:
        """Return whether the quick runs have all traces that a claim is of."""
        part = self.part(claim.part)
        named = claim.traces and not claim.of_others
        wanted = claim.traces if named else self.traces_of(part)
        run = part.name in (self.quick.parts or [part.name])
        return run and all(self.quick.runs(name, [part.name]) for name in wanted)

    def part(self, name: str) -> PlanPart:
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
    where = f"{name}/plan.toml"
    table = notation.written_out(typed.load(folder / "plan.toml"), where)
    plan = typed.build(Plan, {**table, "name": name}, where)
    # Again with the names that it has.
    plan = typed.build(Plan, {**table, "name": name}, where, plan.names)
    _check(plan, where)
    settings = {grid.name: [each.point[0] for each in grid.variants] for grid in plan.grids}
    known = {**plan.names, "settings": settings}
    found = claims.load(folder / "claims.toml", f"{name}/claims.toml", known)
    return replace(plan, claims=found)


def _check(plan: Plan, where: str) -> None:
    """Refuse what parts of a plan say of each other in vain."""
    problems = [] if plan.parts else [f"{where}: part is missing"]
    problems += [f"{where}: {fault}" for fault in _faults_of_readings(plan)]
    refuse(problems)


def _faults_of_readings(plan: Plan) -> list[str]:
    """Return what is wrong with the readings, and which settings no run has."""
    every = [(f"reading: {name}", one) for name, one in plan.reading.items()]
    found = [
        f"{at}: {fault}"
        for at, reading in every
        for fault in faults_of_reading(reading, plan.parts, plan.workloads)
    ]
    if LITERAL in plan.reading:
        found.append(f"reading: {LITERAL} is the plan as it stands")
    given = [
        (f"{at}: option {name}", option.settings, option.parts)
        for at, reading in every
        for name, option in reading.options.items()
    ]
    given += [
        (f"sensitivity: {variation.name}", table, variation.parts)
        for variation in plan.vary
        for _, table in variation.each()
    ]
    return found + [
        f"{at}: {key} is a setting of no run"
        for at, settings, parts in given
        for key in settings
        if not _is_of_a_run(plan, key, parts)
    ]


def faults_of_reading(
    reading: PaperReading, parts: Sequence[PlanPart], workloads: Sequence[Workload]
) -> list[str]:
    """Return what a reading's options say twice or idly."""
    found = []
    earlier: dict[str, set[str]] = {part.name: set() for part in parts}
    for name, option in reading.options.items():
        told = _idle(option, workloads)
        for part, given in earlier.items():
            own = _given(option, part)
            twice = sorted(own & given)
            told += [f"{key} is given for {part} by an earlier option too" for key in twice]
            given |= own
        found += [f"option {name}: {fault}" for fault in told]
    return found


def _given(option: ReadingOption, part: str) -> set[str]:
    """Return what an option says of a part, by what names it in plan.toml."""
    own = {f"twin.{key}" for key in option.twin}
    if not option.workloads and option.is_for(part):
        own |= {f"settings.{key}" for key in option.settings}
        own |= {"device"} if part in option.devices else set()
    return own


def _idle(option: ReadingOption, workloads: Sequence[Workload]) -> list[str]:
    """Return what of an option has no effect."""
    twins = [each for each in workloads if option.twin and has_figures(each.twin)]
    found = [
        f"devices.{part} has no effect: parts does not name it"
        for part in option.devices
        if not option.is_for(part)
    ]
    if option.workloads and (option.devices or option.twin or option.parts):
        found.append("workloads: only settings can be of some workloads")
    if not (option.settings or option.devices or option.twin):
        found.append("one of settings, devices and twin is missing: it changes nothing")
    if option.twin and (option.parts or not twins):
        found.append("twin: figures are of all parts, and of twins")
    return found + [
        f"twin.{key} has no effect on {each.name}: its reduced figures give it too"
        for each in twins
        for key in option.twin
        if f"twin.{key}" in each.reduced
    ]


def _is_of_a_run(plan: Plan, key: str, parts: Sequence[str]) -> bool:
    """Return whether a setting, or a figure of twins, is one of a run of these or all parts."""
    if is_of_twins(key) or key == "replay":
        return True
    schemes = [s for part in plan.parts if not parts or part.name in parts for s in part.schemes]
    return any(settings_of(variant, {key: None}) for variant in plan.expand(schemes))


@dataclass(frozen=True)
class Setup:
    """A device, settings and a way of replay, as one part of an evaluation has them."""

    #: With part and reading, whether or not they were said.
    name: str
    title: str
    device: str
    replay: str | None
    settings: Mapping[str, Any]
    #: Settings of single workloads over these, by their twins.
    of_traces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def settings_for(self, schemes: Sequence[str], trace: str = "") -> dict[str, Any]:
        """Return the settings of these schemes, and those of none, on a trace."""
        known = catalogue.canonical()
        own = [Variant(name, known.get(name, name)) for name in schemes]
        whole = {**self.settings, **self.of_traces.get(trace, {})}
        return {key: said for each in own for key, said in settings_of(each, whole).items()}

    def left_out(self, trace: str) -> str:
        """Say what of it is for other traces alone; empty where nothing is."""
        if not self.of_traces or trace in self.of_traces:
            return ""
        keys = dict.fromkeys(key for of in self.of_traces.values() for key in of)
        return f"its {', '.join(keys)} is for {', '.join(self.of_traces)}, and {trace} is none"


def setup_of(text: str) -> Setup:
    """Return the set-up that `PAPER[/PART][:READING]` names; raises UsageError for other texts.

    Without a part it is the plan's first one, without a reading the literal one.
    """
    whole, _, reading = text.partition(":")
    paper, slash, part = whole.partition("/")
    _check_name("paper", paper, papers(), text)
    plan = load(paper)
    if slash:
        _check_name("part", part, [each.name for each in plan.parts], text)
    if ":" in text:
        _check_name("reading", reading, [LITERAL, *plan.reading], text)
    reading = reading or LITERAL
    read = plan.under(reading)
    found = read.part(part)
    settings = {key: value for key, value in found.settings.items() if value != DEFAULT}
    return Setup(
        name=f"{plan.name}/{found.name}:{reading}",
        title=f"{plan.title}, {found.name}, {reading} reading",
        device=found.device,
        replay=settings.pop("replay", found.replay),
        settings=settings,
        of_traces={
            each.twin: each.settings
            for each in read.workloads
            if each.settings and found.name in (each.parts or [found.name])
        },
    )


def _check_name(what: str, given: str, known: Sequence[str], text: str) -> None:
    if given not in known:
        told = f"reading = {text!r}: no {what} {given!r}; allowed: {', '.join(known)}"
        raise about(UsageError(told), "reading")
