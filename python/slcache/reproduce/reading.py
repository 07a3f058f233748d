"""How a paper is read: as its text says, or as its authors most probably meant it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from slcache.reproduce.parts import DeviceName, Part, PartName, TraceName, Workload
from slcache.traces import api as traces

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
    #: What it is asked for by.
    id: str = PROBABLE

    @property
    def option(self) -> list[Option]:
        """Return what it takes another way, in order."""
        return list(self.options.values())

    def parts(self, parts: Sequence[Part]) -> list[Part]:
        """Return the parts as they are run."""
        return [self._part(part) for part in parts]

    def workloads(self, workloads: Sequence[Workload], parts: Sequence[Part]) -> list[Workload]:
        """Return the workloads as they are run: one that differs from part to part is several."""
        return [one for each in workloads for one in self._workloads(each, [p.name for p in parts])]

    def settings_of(self, workload: str) -> dict[str, Any]:
        """Return the settings that are for some workloads, this one among them."""
        own = (option.settings for option in self.option if workload in option.workloads)
        return {key: value for settings in own for key, value in settings.items()}

    def given(self, part: str) -> dict[str, Any]:
        """Return what all options together say of a part."""
        return {key: value for option in self.option for key, value in option.given(part).items()}

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
    for i, (name, option) in enumerate(reading.options.items()):
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
            if any(key in earlier.given(part.name) for earlier in reading.option[:i])
        ]
        found += [f"{at}: {fault}" for fault in _faults_of_figures(option, workloads)]
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
