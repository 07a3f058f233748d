"""The claims ledger: the paper's figures beside ours, and a verdict on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from slcache.reproduce.claims import Claim
from slcache.reproduce.findings import find
from slcache.reproduce.reading import PROBABLE
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import CANNOT_HOLD, NOT_JUDGED, NOT_RUN, NOT_SIMULABLE, Finding


@dataclass(frozen=True, kw_only=True)
class Row(Finding):
    """One claim's line: what was found under the literal reading, and beside it the other."""

    id: str
    figure: str
    claim: str
    #: What makes it come out as it does.
    class_: str
    unit: str
    paper: Any
    tolerance: float
    reason: str
    #: The same under the most probable reading, where there is one.
    probable: Finding | None = None

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
    literal = _findings(claims, tables)
    other = {} if probable is None else _findings(claims, probable)
    return [_row(claim, literal[claim.id], other.get(claim.id)) for claim in claims]


def _findings(claims: Sequence[Claim], tables: Mapping[str, Table] | None) -> dict[str, Finding]:
    """Return what a reading's runs say; claims may be about those before them."""
    found: dict[str, Finding] = {}
    for claim in claims:
        found[claim.id] = _finding(claim, tables, found)
    return found


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


def _row(claim: Claim, finding: Finding, probable: Finding | None) -> Row:
    lacking = lacks(finding) or lacks(probable)
    reasons = (claim.cannot_hold, claim.not_simulable, lacking, claim.note)
    return Row(
        **vars(finding),
        id=claim.id,
        figure=claim.figure,
        claim=claim.text,
        class_=claim.class_,
        unit=claim.unit or claim.expected.unit,
        paper=claim.expected.paper,
        tolerance=claim.expected.tolerance,
        reason=" ".join(part for part in reasons if part),
        probable=probable,
    )


def lacks(finding: Finding | None) -> str:
    """Say which traces a finding lacks, where it is no verdict for that."""
    if finding is None or not finding.missing or finding.verdict not in (NOT_JUDGED, NOT_RUN):
        return ""
    return f"Not run: {', '.join(finding.missing)}."
