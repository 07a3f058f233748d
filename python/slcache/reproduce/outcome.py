"""What an evaluation found: tables, ledger, sensitivity, beyond the paper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from slcache import _core
from slcache.reproduce import optima, yardstick
from slcache.reproduce.claims import CLASSES
from slcache.reproduce.inputs import Input
from slcache.reproduce.ledger import Row
from slcache.reproduce.plan import Plan
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import VERDICTS
from slcache.reproduce.yardstick import Line


@dataclass
class Evaluation:
    """What came out."""

    plan: Plan
    mode: str
    inputs: list[Input]
    seeds: list[int]
    tables: dict[str, Table]
    claims: list[Row]
    sensitivity: list[dict[str, Any]] = field(default_factory=list)
    beyond: dict[str, Any] = field(default_factory=dict)
    yardstick: list[Line] = field(default_factory=list)
    optima: list[optima.Line] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger as one document."""
        return {
            "schema_version": 1,
            "paper": self.plan.name,
            "title": self.plan.title,
            "mode": self.mode,
            "inputs": [
                {
                    "workload": i.name,
                    "parts": i.parts,
                    "source": "twin" if i.twin else "published file",
                    "path": i.path,
                    "set": dict(i.workload),
                    "reduced": dict(i.reduced),
                }
                for i in self.inputs
            ],
            "parts": [
                {"name": p.name, "device": p.device, "replay": p.replay, "schemes": p.schemes}
                for p in self.plan.parts
            ],
            "seeds": self.seeds,
            "counts": self.counts(),
            "counts_by_class": self.counts_by_class(),
            "claims": [row.to_dict() for row in self.claims],
            "sensitivity": self.sensitivity,
            "beyond": self.beyond,
            "yardstick": yardstick.to_dicts(self.yardstick),
            "optima": optima.to_dicts(self.optima),
            "provenance": {"version": _core.version(), "commit": _core.commit()},
        }

    def counts(self) -> dict[str, int]:
        """Return how many claims got each verdict."""
        return _counts(self.claims)

    def counts_by_class(self) -> dict[str, dict[str, int]]:
        """Return the same for every class of claims that the paper has."""
        of_class = {c: [row for row in self.claims if row.class_ == c] for c in CLASSES}
        return {name: _counts(rows) for name, rows in of_class.items() if rows}

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    verdicts = [row.verdict for row in rows]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts}
