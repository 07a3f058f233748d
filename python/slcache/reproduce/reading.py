"""How a paper is read, and what is varied of what it leaves open or runs beyond it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from slcache import trace as traces
from slcache.reproduce.parts import (
    DeviceName,
    GridName,
    MeasureName,
    Part,
    PartName,
    SchemeName,
    ShareOf,
    TraceName,
    Workload,
)

#: The plan as it stands, and with what its `[reading]` changes.
LITERAL, PROBABLE = "literal", "probable"
READINGS = (LITERAL, PROBABLE)


@dataclass(frozen=True)
class Option:
    """One thing that the probable reading takes another way."""

    #: What is taken how, as one line, and its source.
    text: str
    why: str
    #: Settings of the runs, over those of their part.
    settings: dict[str, Any] = field(default_factory=dict)
    #: Devices by part.
    devices: dict[PartName, DeviceName] = field(default_factory=dict)
    #: Figures of the twins.
    twin: dict[str, Any] = field(default_factory=dict)
    #: Parts it is for; all when empty.
    parts: list[PartName] = field(default_factory=list)
    #: Workloads that its settings are for, such as those whose stamps have a unit of their own; all
    #: when empty.
    workloads: list[TraceName] = field(default_factory=list)

    def given(self, part: str) -> dict[str, Any]:
        """Return what it says of a part, by what names it in plan.toml."""
        if self.workloads or (self.parts and part not in self.parts):
            return {}
        settings = {f"settings.{key}": value for key, value in self.settings.items()}
        figures = {f"twin.{key}": value for key, value in self.twin.items()}
        device = {"device": self.devices[part]} if part in self.devices else {}
        return {**settings, **figures, **device}


@dataclass(frozen=True)
class Reading:
    """What a reading changes of the literal one, which is the plan itself."""

    name: str
    #: By what they are called in the plan.
    options: dict[str, Option]

    def parts(self, parts: Sequence[Part]) -> list[Part]:
        """Return the parts as they are run."""
        return [self._part(part) for part in parts]

    def workloads(self, workloads: Sequence[Workload], parts: Sequence[Part]) -> list[Workload]:
        """Return the workloads as they are run: one that differs from part to part is several."""
        return [one for each in workloads for one in self._workloads(each, [p.name for p in parts])]

    def settings_of(self, workload: str) -> dict[str, Any]:
        """Return the settings that are for some workloads, this one among them."""
        own = (option.settings for option in self.options.values() if workload in option.workloads)
        return {key: value for settings in own for key, value in settings.items()}

    def given(self, part: str) -> dict[str, Any]:
        """Return what all options together say of a part."""
        every = (option.given(part) for option in self.options.values())
        return {key: value for given in every for key, value in given.items()}

    def _part(self, part: Part) -> Part:
        given = self.given(part.name)
        settings = {**part.settings, **_below("settings.", given)}
        return replace(part, device=given.get("device", part.device), settings=settings)

    def _workloads(self, each: Workload, parts: Sequence[str]) -> list[Workload]:
        groups: list[tuple[dict[str, Any], list[str]]] = []
        for part in each.parts or parts:
            given = self.given(part).items() if has_figures(each.twin) else ()
            figures = {key: value for key, value in given if key.startswith("twin.")}
            same = next((names for known, names in groups if known == figures), None)
            if same is None:
                groups.append((figures, [part]))
            else:
                same.append(part)
        whole, own = len(groups) == 1, {**each.settings, **self.settings_of(each.name)}
        return [
            replace(
                each,
                set={**each.set, **figures},
                parts=each.parts if whole else names,
                settings=own,
            )
            for figures, names in groups
        ]


def _below(prefix: str, given: dict[str, Any]) -> dict[str, Any]:
    return {k.removeprefix(prefix): v for k, v in given.items() if k.startswith(prefix)}


@functools.cache
def has_figures(workload: str) -> bool:
    """Return whether a workload is a twin; patterns such as sequential writes have no figures."""
    return bool(traces.workload(workload)["kind"] == "twin")


def faults(reading: Reading, parts: Sequence[Part], workloads: Sequence[Workload]) -> list[str]:
    """Return what a reading's options say twice or idly."""
    found = []
    earlier: list[Option] = []
    for name, option in reading.options.items():
        at = f"option {name}"
        found += [
            f"{at}: devices.{part} has no effect: parts does not name it"
            for part in option.devices
            if option.parts and part not in option.parts
        ]
        if option.workloads and (option.devices or option.twin or option.parts):
            found.append(f"{at}: workloads: only settings can be of some workloads")
        if not (option.settings or option.devices or option.twin):
            found.append(f"{at}: one of settings, devices and twin is missing: it changes nothing")
        found += [
            f"{at}: {key} is given for {part.name} by an earlier option too"
            for part in parts
            for key in option.given(part.name)
            if any(key in other.given(part.name) for other in earlier)
        ]
        found += [f"{at}: {fault}" for fault in _faults_of_figures(option, workloads)]
        earlier.append(option)
    return found


def _faults_of_figures(option: Option, workloads: Sequence[Workload]) -> list[str]:
    """Return which figures no twin gets, or which a smaller experiment takes away again."""
    if not option.twin:
        return []
    concerned = [
        each
        for each in workloads
        if has_figures(each.twin)
        and (not option.parts or not each.parts or {*option.parts} & {*each.parts})
    ]
    if not concerned:
        return ["twin has no effect: these parts have no twins"]
    return [
        f"twin.{key} has no effect on {each.name}: its reduced figures give it too"
        for each in concerned
        for key in option.twin
        if f"twin.{key}" in each.reduced
    ]


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
    #: In place of both: factors, each a list of levels. Every combination is a point. A level is
    #: a table of settings with its `level` as a title.
    cross: list[list[dict[str, Any]]] = field(default_factory=list)
    #: What the report calls the points.
    names: list[str] = field(default_factory=list)
    #: Parts that it can change; all of the study's when empty.
    parts: list[PartName] = field(default_factory=list)
    #: Workloads that it is run on; all of the study's when empty.
    workloads: list[TraceName] = field(default_factory=list)
    #: The reading that it starts from.
    reading: str = LITERAL

    def each(self) -> list[tuple[str, dict[str, Any]]]:
        """Return what every point is called, and its settings or figures of the twins."""
        if self.cross:
            # Levels together; what they are called is no setting.
            return [
                (
                    ", ".join(str(level.get("level", "")) for level in levels),
                    {k: value for level in levels for k, value in level.items() if k != "level"},
                )
                for levels in itertools.product(*self.cross)
            ]
        names = self.names or [f"{v} times" if self.times else str(v) for v in self.values]
        tables = self.points or [self._table(value) for value in self.values]
        return list(zip(names, tables, strict=False))

    def _table(self, value: Any) -> dict[str, Any]:  # noqa: ANN401
        if self.twin:
            return {self.twin: value}
        return {key: ShareOf(value, key) if self.times else value for key in self.settings}

    def faults(self) -> list[str]:
        """Return what is wrong with the titles of its points."""
        untitled = [
            f"{self.name}: cross: factor {i + 1}: level is missing: what a level is called"
            for i, factor in enumerate(self.cross)
            if any("level" not in level for level in factor)
        ]
        names, points = len(self.names or self.values), len(self.points or self.values)
        wrong = names != points and not self.cross
        return untitled + ([f"{self.name}: {names} names for {points} points"] if wrong else [])


def is_of_twins(key: str) -> bool:
    """Return whether a point's key is a figure of the twins, or their draw, and no setting."""
    return key.startswith("twin.") or key == "seed"


@dataclass(frozen=True)
class Sensitivity:
    """What is varied, one at a time."""

    workloads: list[TraceName]
    seeds: list[int]
    vary: list[Variation]
    #: About how long it takes on two cores.
    minutes: int
    #: Parts that are run where a variation names none; all when empty.
    parts: list[PartName] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Beyond(Part):
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
