"""What a paper claims, one figure at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: Kinds of claims, and how ours is found for each. The scheme may be a grid of one setting.
KINDS = {
    "change": "mean over traces and settings of scheme / against - 1, or the trace's with most",
    "range": "lowest and highest of the same, or of the measure, over traces and settings",
    "mean": "mean of other claims' figures",
    "order": "schemes by the mean of the measure relative to the reference, ascending",
    "ahead": "on how many traces the scheme has the least, or most, of the measure",
    "value": "largest figure of the scheme over the traces, in the claim's unit",
    "bound": "the same, as a limit",
    "count": "on how many traces the measure is above the threshold, or the change up or down",
    "exceeds": "size of the first of other claims' figures less the size of the second",
    "goes": "whether the measure goes up, or down, over the grid, or the change over the traces",
    "optimum": "the grid's setting with the least, or most, of the measure",
    "above": "where the measure is above the threshold: on every trace, or at `points` alone",
    "ends-below": "on how many traces both ends of the grid are below the mean of the rest",
    "reaches": "the grid's first setting where the measure is threshold times that of the first",
    "widest": "the trace on which largest / least of the measure over the grid is most",
    "apart": "whether the figure is below, or above, that of every other trace, or setting",
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
    #: Which end of the measure is meant: "least", "most", or "" where all of it is.
    which: str = ""
    #: The figure of a value that is none of the measure alone: the "difference" or "ratio" of most
    #: and least over a grid, or the "sum" over the traces.
    over: str = ""
    #: Which way is claimed: "up" or "down".
    way: str = "up"
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
            ("which", self.which, ("", "least", "most")),
            ("over", self.over, ("", "difference", "ratio", "sum")),
            ("way", self.way, ("up", "down")),
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
