"""The claims ledger: the paper's figures beside ours, and a verdict on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from slcache.reproduce.claims import Claim
from slcache.reproduce.findings import find
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import CANNOT_HOLD, NOT_RUN, Finding


@dataclass
class Row:
    """One claim's line."""

    id: str
    figure: str
    claim: str
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
        return asdict(self)


def ledger(claims: Sequence[Claim], tables: Mapping[str, Table]) -> list[Row]:
    """Return one row per claim, in order; `tables` are by part, the first also as ""."""
    rows: dict[str, Row] = {}
    for claim in claims:
        rows[claim.id] = _row(claim, find(claim, tables[claim.part], rows))
    return list(rows.values())


def _row(claim: Claim, finding: Finding) -> Row:
    verdict = finding.verdict
    if claim.cannot_hold and verdict != NOT_RUN:
        verdict = CANNOT_HOLD
    return Row(
        id=claim.id,
        figure=claim.figure,
        claim=claim.text,
        unit=claim.unit,
        paper=claim.paper,
        ours=finding.ours,
        spread=finding.spread,
        tolerance=claim.tolerance,
        distance=finding.distance,
        same_sign=finding.same_sign,
        same_order=finding.same_order,
        verdict=verdict,
        reason=" ".join(part for part in (claim.cannot_hold, claim.reason, claim.note) if part),
        detail=finding.detail,
    )
