"""What is run for a paper: its experiments, and the traces they are run on."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

#: Names of what a plan has elsewhere; each is looked up there.
PartName = Annotated[str, "part"]
TraceName = Annotated[str, "workload"]
SchemeName = Annotated[str, "scheme"]
GridName = Annotated[str, "grid"]
DeviceName = Annotated[str, "device"]


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
class Part:
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
