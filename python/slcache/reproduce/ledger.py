"""The claims ledger, what else an evaluation found, and its lines as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from slcache import units
from slcache.documents import JsonDocument, provenance
from slcache.reproduce import gains, optima
from slcache.reproduce.claims import CLASSES, Claim
from slcache.reproduce.experiment import Experiment
from slcache.reproduce.functions import find
from slcache.reproduce.inputs import Input
from slcache.reproduce.plan import Plan
from slcache.reproduce.points import Table
from slcache.reproduce.reading import LITERAL, PROBABLE, READINGS
from slcache.reproduce.verdicts import (
    CANNOT_HOLD,
    NOT_JUDGED,
    NOT_RUN,
    NOT_SIMULABLE,
    VERDICTS,
    Finding,
)

if TYPE_CHECKING:
    from slcache.reproduce import document


@dataclass(frozen=True, kw_only=True)
class Row(Finding):
    """One claim's line: what was found under the literal reading, and beside it the other."""

    id: str
    figure: str
    claim: str
    class_: Annotated[str, Field(alias="class")]
    """What makes it come out as it does."""
    unit: str
    paper: Any
    """The paper's figure."""
    tolerance: float
    reason: str
    """The argument against the claim, what it lacks, how its words are taken."""
    probable: Finding | None = None
    """Under the most probable reading; null where it was not run."""

    def under(self, reading: str) -> Finding | None:
        """Return what is said under a reading."""
        return self.probable if reading == PROBABLE else self

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {key.rstrip("_"): value for key, value in asdict(self).items()}


def ledger(
    claims: Sequence[Claim],
    tables: Mapping[str, Table] | None,
    probable: Mapping[str, Table] | None = None,
) -> list[Row]:
    """Return one row per claim, in order; `tables` are by part, the first also as "".

    Those of the literal reading are None where it was not run, and so are those of the other.
    """
    # Claims may be about those before them.
    literal: dict[str, Finding] = {}
    other: dict[str, Finding] = {}
    rows = []
    for claim in claims:
        own = literal[claim.id] = _finding(claim, tables, literal)
        if probable is not None:
            other[claim.id] = _finding(claim, probable, other)
        beside = other.get(claim.id)
        reasons = (
            claim.cannot_hold,
            claim.not_simulable,
            _lacks(own) or _lacks(beside),
            claim.note,
        )
        rows.append(
            Row(
                **vars(own),
                id=claim.id,
                figure=claim.figure,
                claim=claim.text,
                class_=claim.class_,
                unit=claim.unit or claim.expected.unit,
                paper=claim.expected.paper,
                tolerance=claim.expected.tolerance,
                reason=" ".join(part for part in reasons if part),
                probable=beside,
            )
        )
    return rows


def _finding(
    claim: Claim, tables: Mapping[str, Table] | None, before: Mapping[str, Finding]
) -> Finding:
    if claim.not_simulable:
        return Finding(None, verdict=NOT_SIMULABLE)
    if tables is None:
        return Finding(None)
    table = tables[claim.part]
    found = find(claim.term, claim.expected, table, before)
    missing = table.missing(claim.traces, others=claim.of_others) if claim.calls else []
    missing += [name for of in claim.of for name in before[of].missing]
    found = replace(found, missing=list(dict.fromkeys(missing)))
    if found.verdict == NOT_RUN:
        return found
    if claim.cannot_hold:
        return replace(found, verdict=CANNOT_HOLD)
    return replace(found, verdict=NOT_JUDGED) if missing else found


def _lacks(finding: Finding | None) -> str:
    """Say which traces a finding lacks, where it is no verdict for that."""
    if finding is None or not finding.missing or finding.verdict not in (NOT_JUDGED, NOT_RUN):
        return ""
    return f"Not run: {', '.join(finding.missing)}."


@dataclass(frozen=True)
class View:
    """What was run for one reading of the paper."""

    experiment: Experiment
    tables: dict[str, Table]
    #: How far from the least dense programs; empty unless asked for.
    gains: list[gains.Row] = field(default_factory=list)

    @property
    def reading(self) -> str:
        """The reading."""
        return self.experiment.title

    @property
    def plan(self) -> Plan:
        """The plan under that reading."""
        return self.experiment.plan


@dataclass
class Evaluation(JsonDocument):
    """What came out."""

    indent = 1

    plan: Plan
    mode: str
    seeds: list[int]
    views: list[View]
    claims: list[Row]
    sensitivity: list[document.Variation] = field(default_factory=list)
    beyond: dict[str, Any] = field(default_factory=dict)
    yardstick: list[optima.Learned] = field(default_factory=list)
    optima: list[optima.Optimum] = field(default_factory=list)

    @property
    def inputs(self) -> Sequence[Input]:
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

    def _reading(self) -> dict[str, Any] | None:
        reading = self.plan.probable
        if reading is None:
            return None
        return {
            "name": reading.name,
            "options": [asdict(option) for option in reading.options.values()],
            "run": self.readings,
        }


@dataclass(frozen=True)
class Counts:
    """How many claims got each verdict under a reading, of all of them and of every class."""

    #: What the reading is called; empty where the plan has only one.
    reading: str
    whole: str
    of_classes: Sequence[tuple[str, str]]


def headline(evaluation: Evaluation) -> list[Counts]:
    """Return the counts under every reading that was run."""
    classes = evaluation.classes()
    several = classes if len(classes) > 1 else []
    return [
        Counts(
            title(evaluation, reading),
            _counted(evaluation.counts(reading)),
            [(name, _counted(evaluation.counts(reading, name))) for name in several],
        )
        for reading in evaluation.readings
    ]


def title(evaluation: Evaluation, reading: str) -> str:
    """Return what a reading is called; nothing where the plan has only one."""
    probable = evaluation.plan.probable
    if probable is None:
        return ""
    return f"{LITERAL if reading == LITERAL else probable.name} reading"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def sections(evaluation: Evaluation) -> list[tuple[str, list[Row]]]:
    """Return the claims by class; without a heading where all are of one."""
    classes = evaluation.classes()
    of = [(name, [row for row in evaluation.claims if row.class_ == name]) for name in classes]
    return of if len(of) > 1 else [("", rows) for _, rows in of]


def found(row: Row, evaluation: Evaluation) -> list[tuple[str, Finding]]:
    """Return the readings that were run, each with what is said of a claim under it."""
    under = ((reading, row.under(reading)) for reading in evaluation.readings)
    return [(reading, finding) for reading, finding in under if finding is not None]


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
