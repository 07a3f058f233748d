"""What an evaluation found: tables, ledger, sensitivity, beyond the paper."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from slcache import _core
from slcache.reproduce import gains, optima
from slcache.reproduce.claims import CLASSES
from slcache.reproduce.inputs import Input
from slcache.reproduce.ledger import Row
from slcache.reproduce.plan import Plan
from slcache.reproduce.reading import LITERAL, PROBABLE, READINGS
from slcache.reproduce.table import Table
from slcache.reproduce.verdicts import VERDICTS
from slcache.reproduce.yardstick import Line


@dataclass(frozen=True)
class View:
    """What was run for one reading of the paper."""

    reading: str
    #: The plan under that reading.
    plan: Plan
    inputs: list[Input]
    tables: dict[str, Table]
    #: How far from the least dense programs; empty unless asked for.
    gains: list[gains.Line] = field(default_factory=list)


@dataclass
class Evaluation:
    """What came out."""

    plan: Plan
    mode: str
    seeds: list[int]
    views: list[View]
    claims: list[Row]
    sensitivity: list[dict[str, Any]] = field(default_factory=list)
    beyond: dict[str, Any] = field(default_factory=dict)
    yardstick: list[Line] = field(default_factory=list)
    optima: list[optima.Line] = field(default_factory=list)

    @property
    def inputs(self) -> list[Input]:
        """The traces; readings differ in figures of the twins alone."""
        return self.views[0].inputs

    @property
    def readings(self) -> list[str]:
        """The readings that were run."""
        return [view.reading for view in self.views]

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger as one document; gains only where they were asked for."""
        found = {v.reading: list(map(asdict, v.gains)) for v in self.views if v.gains}
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
            "yardstick": list(map(asdict, self.yardstick)),
            "optima": list(map(asdict, self.optima)),
            **({"gains": found} if found else {}),
            "provenance": {"version": _core.version(), "commit": _core.commit()},
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
        reading = self.plan.reading
        if reading is None:
            return None
        return {
            "name": reading.name,
            "options": [asdict(option) for option in reading.option],
            "run": self.readings,
        }

    def to_json(self) -> str:
        """Return the document as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
