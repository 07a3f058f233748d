"""What is drawn and tabulated for a paper."""

from __future__ import annotations

from dataclasses import dataclass, field

from slcache.reproduce.parts import PartName, SchemeName, TraceName


@dataclass(frozen=True)
class FigureSpec:
    """One figure of the paper, drawn from our own data."""

    id: str
    kind: str
    title: str
    part: PartName = ""
    measure: str = ""
    measures: list[str] = field(default_factory=list)
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
    measures: list[str]
    names: list[str]
    part: PartName = ""
    schemes: list[SchemeName] = field(default_factory=list)
    note: str = ""
