"""What an evaluation came to: the document of its ledger, and its lines as text."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from slcache import units
from slcache.documents import JsonDocument, provenance
from slcache.documents.model import Provenance
from slcache.documents.schemata import shape
from slcache.reproduce.claims import CLASSES, ClaimRow
from slcache.reproduce.experiment import Experiment, TraceInput
from slcache.reproduce.functions import VERDICTS, Finding, Verdict
from slcache.reproduce.parts import LITERAL, PROBABLE, READINGS
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Learned, Optimum, PointTable
from slcache.tables.table import Cells

#: Claims by verdict.
VerdictCounts = dict[Verdict, int]


@shape
class Input(TypedDict):
    """A trace."""

    workload: str
    parts: list[str]
    source: Literal["twin", "published file"]
    path: str
    set: dict[str, Any]
    """Figures of the twin that were set."""
    reduced: dict[str, Any]
    """Settings that make the experiment as much smaller as its twin."""
    repeat_to_write_bytes: int
    """0: once."""


@shape
class Part(TypedDict):
    """A part of the evaluation."""

    name: str
    device: str
    replay: str | None
    schemes: list[str]


@shape
class Reading(TypedDict):
    """What the most probable reading changes."""

    name: str
    options: list[dict[str, Any]]
    run: list[str]


@shape
class Claim(TypedDict):
    """A claim under a value of what was varied."""

    id: str
    ours: Any
    verdict: Verdict


@shape
class Point(TypedDict):
    """The claims under a value of what was varied."""

    value: str
    claims: list[Claim]
    yardstick: list[Learned]


@shape
class Unbeaten(TypedDict):
    """A point that no other beats on all of the paper's figures."""

    value: str
    met: int
    """How many emergent claims it meets."""


@shape
class Variation(TypedDict):
    """The claims under every value of what was varied."""

    name: str
    why: str
    reading: str
    front: list[Unbeaten]
    """Where factors are combined."""
    points: list[Point]


@shape
class Evaluation(TypedDict):
    """The claims of a paper beside what its evaluation came to here: the ledger."""

    schema_version: Literal[1]
    paper: str
    title: str
    mode: str
    inputs: list[Input]
    parts: list[Part]
    seeds: list[int]
    counts: VerdictCounts
    """Claims by verdict, read to the letter."""
    counts_probable: VerdictCounts | None
    """The same under the most probable reading; null where it was not run."""
    counts_by_class: dict[str, dict[str, VerdictCounts | None]]
    """By class of claim and reading; null where a reading was not run."""
    reading: Reading | None
    """Null where the paper leaves nothing open."""
    claims: list[ClaimRow]
    sensitivity: list[Variation]
    """Empty where it was not run."""
    beyond: dict[str, Any]
    """The schemes on recordings; empty where there were none."""
    yardstick: list[Learned]
    """A learned scheme beside the best constant setting, by trace."""
    optima: list[Optimum]
    """Where a setting is best, by part and trace."""
    gains: NotRequired[dict[str, list[GainRow]]]
    """How far from the least dense programs, by reading; only where it was asked for."""
    provenance: Provenance


@shape
class GainRow(TypedDict):
    """One scheme on one trace: means over the seeds; null where no seed has any."""

    part: str
    workload: str
    scheme: str
    above: float | None
    """Dense programs over the least."""
    share: float | None
    """Share of what could be gained over the same run without a cache."""
    why: str | None
    """Why no bound holds."""


def gain_table(rows: Sequence[GainRow]) -> Cells:
    """Return the shares by scheme, over the traces."""
    shares: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["share"] is not None:
            shares.setdefault((row["part"], row["scheme"]), []).append(row["share"])
    found = (
        (scheme, part, str(len(of)), *map(units.percent, (min(of), statistics.fmean(of), max(of))))
        for (part, scheme), of in shares.items()
    )
    return Cells(["scheme", "part", "traces", "least share", "mean", "largest"], found)


@dataclass(frozen=True)
class ReadingRun:
    """What was run for one reading of the paper."""

    experiment: Experiment
    tables: dict[str, PointTable]
    #: How far from the least dense programs; empty unless asked for.
    gains: list[GainRow] = field(default_factory=list)

    @property
    def reading(self) -> str:
        """The reading."""
        return self.experiment.title

    @property
    def plan(self) -> Plan:
        """The plan under that reading."""
        return self.experiment.plan


@dataclass
class PaperEvaluation(JsonDocument):
    """What came out."""

    indent = 1

    plan: Plan
    mode: str
    seeds: list[int]
    views: list[ReadingRun]
    claims: list[ClaimRow]
    sensitivity: list[Variation] = field(default_factory=list)
    beyond: dict[str, Any] = field(default_factory=dict)
    yardstick: list[Learned] = field(default_factory=list)
    optima: list[Optimum] = field(default_factory=list)

    @property
    def inputs(self) -> Sequence[TraceInput]:
        """The traces; readings differ in figures of the twins alone."""
        return self.views[0].experiment.inputs

    @property
    def readings(self) -> list[str]:
        """The readings that were run."""
        return [view.reading for view in self.views]

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger as one document; gains only where they were asked for."""
        found = {view.reading: view.gains for view in self.views if view.gains}
        return {
            "schema_version": 1,
            "paper": self.plan.name,
            "title": self.plan.title,
            "mode": self.mode,
            "inputs": [
                {
                    "workload": i.name,
                    "parts": i.parts,
                    "source": "published file" if i.file else "twin",
                    "path": i.path,
                    "set": i.set,
                    "reduced": i.reduced,
                    "repeat_to_write_bytes": i.repeat_to_write_bytes,
                }
                for i in self.inputs
            ],
            "parts": [
                {"name": p.name, "device": p.device, "replay": p.replay, "schemes": p.schemes}
                for p in self.plan.parts
            ],
            "seeds": self.seeds,
            "counts": self.counts(),
            "counts_probable": self.counts(PROBABLE) if PROBABLE in self.readings else None,
            "counts_by_class": self.counts_by_class(),
            "reading": self._reading(),
            "claims": [row.to_dict() for row in self.claims],
            "sensitivity": self.sensitivity,
            "beyond": self.beyond,
            "yardstick": self.yardstick,
            "optima": self.optima,
            **({"gains": found} if found else {}),
            "provenance": provenance(),
        }

    def counts(self, reading: str = LITERAL, class_: str = "") -> dict[str, int]:
        """Return how many claims, of a class or of all, got each verdict under a reading."""
        rows = [row.under(reading) for row in self.claims if class_ in ("", row.class_)]
        verdicts = [row.verdict for row in rows if row is not None]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts}

    def classes(self) -> list[str]:
        """Return the classes of claims that the paper has."""
        return [name for name in CLASSES if any(row.class_ == name for row in self.claims)]

    def counts_by_class(self) -> dict[str, dict[str, dict[str, int] | None]]:
        """Return for every class the counts under each reading; null where it was not run."""
        return {
            name: {
                reading: self.counts(reading, name) if reading in self.readings else None
                for reading in READINGS
            }
            for name in self.classes()
        }

    def title(self, reading: str) -> str:
        """Return what a reading is called; nothing where the plan has only one."""
        probable = self.plan.probable
        if probable is None:
            return ""
        return f"{LITERAL if reading == LITERAL else probable.name} reading"

    def headline(self) -> list[tuple[str, str, list[tuple[str, str]]]]:
        """Return every reading that was run, and its claims by verdict: all, and each class."""
        classes = self.classes()
        several = classes if len(classes) > 1 else []
        return [
            (
                self.title(reading),
                _counted(self.counts(reading)),
                [(name, _counted(self.counts(reading, name))) for name in several],
            )
            for reading in self.readings
        ]

    def sections(self) -> list[tuple[str, list[ClaimRow]]]:
        """Return the claims by class; without a heading where all are of one."""
        classes = self.classes()
        of = [(name, [row for row in self.claims if row.class_ == name]) for name in classes]
        return of if len(of) > 1 else [("", rows) for _, rows in of]

    def found(self, row: ClaimRow) -> list[tuple[str, Finding]]:
        """Return the readings that were run, each with what is said of a claim under it."""
        under = ((reading, row.under(reading)) for reading in self.readings)
        return [(reading, finding) for reading, finding in under if finding is not None]

    def _reading(self) -> dict[str, Any] | None:
        reading = self.plan.probable
        if reading is None:
            return None
        return {
            "name": reading.name,
            "options": [asdict(option) for option in reading.options.values()],
            "run": self.readings,
        }


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def shown(figure: object, unit: str) -> str:
    """Return a figure as people write it."""
    if figure is None:
        return "–"
    if isinstance(figure, list | tuple):
        if figure and isinstance(figure[0], str):
            return " < ".join(figure)
        # The unit once: "+1.0 … +2.0 %".
        *firsts, last = [shown(part, unit) for part in figure]
        bare = [text.removesuffix(" %") if last.endswith(" %") else text for text in firsts]
        return " … ".join([*bare, last])
    if isinstance(figure, bool) or not isinstance(figure, int | float):
        return str(figure)
    if unit == "%":
        return f"{figure:+.1f} %"
    if unit.startswith("% "):
        return f"{figure:.1f} %"
    if unit == "bytes":
        return units.size(figure) if figure else "0"
    return f"{figure:,.3g}" if isinstance(figure, float) and figure < 1000 else f"{figure:,.0f}"


def detail(found: Finding, unit: str) -> str:
    """Return the traces one by one, and the average taken in other ways."""
    parts, of = [], found.detail
    each = of.get("per_trace") or of.get("relative_to_reference")
    if each:
        parts.append(", ".join(f"{name} {_short(value, unit)}" for name, value in each.items()))
    if "geometric_mean" in of:
        parts.append(f"geometric mean {of['geometric_mean']:+.1f} %")
    if "of_sums" in of:
        parts.append(f"of sums {of['of_sums']:+.1f} %")
    if of.get("undefined"):
        parts.append(f"nothing to divide by: {', '.join(of['undefined'])}")
    if "winners" in of:
        winners = of["winners"].items()
        parts.append(", ".join(f"{name}: {' = '.join(who)}" for name, who in winners))
    return "; ".join(parts)


def _short(value: float, unit: str) -> str:
    return f"{value:+.1f}" if unit == "%" else f"{value:.3g}"
