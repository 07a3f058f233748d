"""What a paper claims, one figure at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: Kinds of claims, and how ours is found for each.
KINDS = {
    "change": "mean over the traces of scheme / against - 1",
    "range": "lowest and highest over the traces of scheme / against - 1",
    "highest": "highest over the traces of scheme / against - 1",
    "span": "lowest and highest over the traces of the measure",
    "mean": "mean of other claims' figures",
    "order": "schemes by the mean of the measure relative to the reference, ascending",
    "least": "on how many traces the scheme has the smallest measure",
    "most": "on how many traces the scheme has the largest measure",
    "zero": "sum of the measure over the traces and schemes",
    "bound": "largest measure of the scheme over the traces",
    "sign": "whether the mean change is above or below zero",
    "above": "on how many traces scheme / against - 1 is above zero",
    "below": "on how many traces scheme / against - 1 is below zero",
    "climbs": "whether scheme / against rises over the claim's traces, in their order",
    "sinks": "whether scheme / against falls over the claim's traces, in their order",
    "count": "on how many traces the measure is above the threshold",
    "moves": "on how many traces the measure is above zero",
    "value": "largest measure of the scheme over the traces, in the claim's unit",
    "optimum": "value of the grid's setting where the mean measure is least (or most), on a trace",
    "inside": "on how many traces that value is neither the first nor the last of the grid",
    "shift": "that value on the last of the workloads minus that on the first",
    "exceeds": "size of the first of other claims' figures less the size of the second",
    "rises": "on how many traces the measure never falls over the grid",
    "falls": "on how many traces the measure never rises over the grid",
    "swing": "largest less least of the measure over the grid, the widest of the traces",
    "steady": "largest / least of the measure over the grid - 1, the widest of the traces",
    "widest": "the trace on which largest / least of the measure over the grid is most",
    "reaches": "the grid's first setting where the measure is threshold times that of the first",
    "grid-range": "lowest and highest over traces and settings of grid / against - 1",
    "grid-change": "mean over traces and settings of grid / against - 1",
    "grid-sign": "whether that is above or below zero",
    "grid-more": "by how much that is more at `points` than at the grid's other settings",
    "grid-where": "whether the measure is above threshold at `points`, and not at all others",
    "grid-bound": "largest measure of the grid over traces and settings",
    "grid-most": "on how many traces and settings the grid has the largest measure of the grids",
    "grid-least": "on how many traces and settings the grid has the smallest measure of the grids",
    "ends-below": "on how many traces both ends of the grid are below the mean of the rest",
    "peak-within": "on how many traces the grid's optimum lies between two settings",
    "apart": "whether the measure over the grid is below (above) that of every other trace",
}

#: What makes a claim come out as it does. `by construction`: the scheme cannot do otherwise;
#: `calibrated`: an option was chosen so that it holds; `emergent`: neither, so that it says
#: something.
EMERGENT = "emergent"
CLASSES = (EMERGENT, "calibrated", "by construction")


@dataclass(frozen=True)
class Claim:
    """One claim: the paper's figure, how ours is found, and how near it must be."""

    id: str
    figure: str
    text: str
    kind: str
    paper: Any
    part: str = ""
    measure: str = ""
    scheme: str = ""
    against: Any = ""
    workloads: list[str] = field(default_factory=list)
    #: Schemes that least and most compare; all of the part's when empty.
    among: list[str] = field(default_factory=list)
    of: list[str] = field(default_factory=list)
    #: Which end of the measure is the optimum: "least" or "most".
    which: str = "least"
    scale: float = 1.0
    threshold: float = 0.0
    #: Settings of the grid that are looked at; all when empty.
    points: list[float] = field(default_factory=list)
    #: Traces that a count is of; with fewer it says nothing.
    total: int = 0
    tolerance: float = 0.0
    unit: str = ""
    #: Where ours is further than the paper's on this side of it, "above" or "below", ours is
    #: better, and no less the claim.
    better: str = ""
    #: How the claim's words are taken.
    note: str = ""
    #: The argument why the paper's own figures exclude it.
    cannot_hold: str = ""
    #: Why no run can tell; nothing is measured then.
    not_simulable: str = ""
    class_: str = EMERGENT

    def __post_init__(self) -> None:
        """Refuse kinds that nobody knows how to judge."""
        from slcache import ConfigError

        for key, value, allowed in (
            ("kind", self.kind, tuple(KINDS)),
            ("which", self.which, ("least", "most")),
            ("better", self.better, ("", "above", "below")),
            ("class", self.class_, CLASSES),
        ):
            if value not in allowed:
                raise ConfigError(
                    f"claim {self.id}: {key} = {value!r}; allowed: {', '.join(allowed)}"
                )
        for key in ("measure", "cannot_hold"):
            if self.not_simulable and getattr(self, key):
                raise ConfigError(
                    f"claim {self.id}: {key} = {getattr(self, key)!r} has no effect beside "
                    "not_simulable; give one of the two"
                )

    @property
    def of_others(self) -> bool:
        """Whether it is of all traces, those named beside the others."""
        return self.kind == "apart"

    @property
    def rivals(self) -> list[str]:
        """The schemes it is compared against."""
        if isinstance(self.against, str):
            return [self.against] if self.against else []
        return list(self.against)
