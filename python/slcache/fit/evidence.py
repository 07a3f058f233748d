"""On what each key of a fitted device stands: the section `[evidence]` of its file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

#: The mark of what has an interval, and what those begin with that a log cannot tell.
FITTED, UNKNOWN = "fitted", "not identifiable"


@dataclass(frozen=True)
class Ground:
    """What a key stands on: its kind, who says so, and between what it lies."""

    kind: str
    source: str
    low: float | None = None
    high: float | None = None

    def line(self) -> str:
        """Return it as TOML."""
        ends = {"low": self.low, "high": self.high}
        told = "".join(f", {k} = {v:.10g}" for k, v in ends.items() if v is not None)
        source = json.dumps(self.source, ensure_ascii=False)
        return f'{{ kind = "{self.kind}", source = {source}{told} }}'


@dataclass(frozen=True)
class Value:
    """A key's value and where it is from; an interval where it is fitted."""

    value: float
    mark: str


@dataclass(frozen=True)
class Told:
    """Values that a log told, each with its interval if it has one, or why they are no such."""

    values: tuple[float, ...]
    #: None of what was chosen among a few.
    ranges: tuple[tuple[float, float], ...]
    log: str
    problem: str | None = None

    def ground(self) -> Ground:
        """Return what a key with these values stands on."""
        if self.problem is not None:
            return Ground("not-identifiable", f"{self.log}: {self.problem}")
        if not self.ranges:
            return Ground("fitted", self.log)
        if len(self.values) > 1:
            ends = ", ".join(f"{low:.0f} to {high:.0f}" for low, high in self.ranges)
            return Ground("fitted", f"{self.log}: {ends}")
        ((low, high),) = self.ranges
        return Ground("fitted", self.log, math.floor(low), math.ceil(high))


@dataclass(frozen=True)
class Marks:
    """What was fitted, and between what it lies, by the log that told it."""

    values: Mapping[str, Value]
    ranges: Mapping[str, tuple[float, float]]
    log: str

    def ground(self, key: str, step: float = 1.0, scale: float = 1.0, more: int = 0) -> Ground:
        """Return what a key stands on; its interval in whole steps, each of which is `scale`."""
        mark = self.values[key].mark
        if mark != FITTED:
            # Without the words that are its kind.
            return Ground("not-identifiable", mark.removeprefix(UNKNOWN).lstrip(": "))
        low, high = self.ranges[key]
        ends = math.floor(low / step) * scale + more, math.ceil(high / step) * scale + more
        return Ground("fitted", self.log, *ends)


def assumed(source: str = "a usual value") -> Ground:
    """Return the ground of what nothing says."""
    return Ground("assumed", source)


def unknown(source: str) -> Ground:
    """Return the ground of what no log of its kind can tell."""
    return Ground("not-identifiable", source)


def section(statement: str, grounds: Mapping[str, Ground]) -> str:
    """Return the section."""
    lines = [f"statement = {json.dumps(statement, ensure_ascii=False)}", "", "[evidence.keys]"]
    lines += [f'"{key}" = {grounds[key].line()}' for key in sorted(grounds)]
    return "\n".join(["[evidence]", *lines]) + "\n"
