"""The claims ledger: the paper's figures beside ours, and a verdict on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from slcache.reproduce.claims import Claim
from slcache.reproduce.findings import find
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import CANNOT_HOLD, NOT_RUN, NOT_SIMULABLE, Finding


@dataclass
class Row:
    """One claim's line."""

    id: str
    figure: str
    claim: str
    #: What makes it come out as it does.
    class_: str
    unit: str
    paper: Any
    ours: Any
    spread: list[Any] | None
    tolerance: float
    distance: float | None
    same_sign: bool | None
    same_order: bool | None
    verdict: str
    reason: str
    detail: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {key.rstrip("_"): value for key, value in asdict(self).items()}


def ledger(claims: Sequence[Claim], tables: Mapping[str, Table]) -> list[Row]:
    """Return one row per claim, in order; `tables` are by part, the first also as ""."""
    rows: dict[str, Row] = {}
    for claim in claims:
        rows[claim.id] = _row(claim, _finding(claim, tables, rows))
    return list(rows.values())


def _finding(claim: Claim, tables: Mapping[str, Table], rows: Mapping[str, Row]) -> Finding:
    if claim.not_simulable:
        return Finding(None, verdict=NOT_SIMULABLE)
    finding = find(claim, tables[claim.part], rows)
    excluded = claim.cannot_hold and finding.verdict != NOT_RUN
    return replace(finding, verdict=CANNOT_HOLD) if excluded else finding


def _row(claim: Claim, finding: Finding) -> Row:
    reasons = (claim.cannot_hold, claim.not_simulable, claim.reason, claim.note)
    return Row(
        id=claim.id,
        figure=claim.figure,
        claim=claim.text,
        class_=claim.class_,
        unit=claim.unit,
        paper=claim.paper,
        ours=finding.ours,
        spread=finding.spread,
        tolerance=claim.tolerance,
        distance=finding.distance,
        same_sign=finding.same_sign,
        same_order=finding.same_order,
        verdict=finding.verdict,
        reason=" ".join(part for part in reasons if part),
        detail=finding.detail,
    )
