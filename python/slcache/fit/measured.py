"""What was measured of a drive, and on what each key of a fitted device stands."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from slcache.bandwidth.curves import Values
from slcache.drives import published
from slcache.fit.lines import Source

#: The mark of what is fitted, and what those begin with that a log cannot tell.
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
class Told:
    """Values that a log told, each with its interval if it has one, or why they are no such."""

    values: tuple[float, ...]
    #: None of what was chosen among a few.
    ranges: tuple[tuple[float, float], ...]
    #: Empty where no log of its kind can tell.
    log: str
    problem: str | None = None

    @property
    def value(self) -> float:
        """The first of its values."""
        return self.values[0]

    @property
    def mark(self) -> str:
        """Whether it is fitted, or why not."""
        if self.problem is None:
            return FITTED
        return f"{UNKNOWN}{'' if self.problem.startswith('apart from') else ':'} {self.problem}"

    def ground(self, step: float = 1.0, scale: float = 1.0, more: int = 0) -> Ground:
        """Return what a key stands on; its interval in whole steps, each of which is `scale`."""
        if self.problem is not None:
            told = ": ".join(each for each in (self.log, self.problem) if each)
            return Ground("not-identifiable", told)
        if not self.ranges:
            return Ground("fitted", self.log)
        if len(self.values) > 1:
            ends = ", ".join(f"{low:.0f} to {high:.0f}" for low, high in self.ranges)
            return Ground("fitted", f"{self.log}: {ends}")
        ((low, high),) = self.ranges
        ends_of = math.floor(low / step) * scale + more, math.ceil(high / step) * scale + more
        return Ground("fitted", self.log, *ends_of)


def section(statement: str, grounds: Mapping[str, Ground]) -> str:
    """Return the section."""
    lines = [f"statement = {json.dumps(statement, ensure_ascii=False)}", "", "[evidence.keys]"]
    lines += [f'"{key}" = {grounds[key].line()}' for key in sorted(grounds)]
    return "\n".join(["[evidence]", *lines]) + "\n"


#: Tests are simulated over this at most, bytes.
_SPAN_BYTES = 1 << 30


class Role(StrEnum):
    """What a test is of."""

    reads = "random reads"
    erased = "random reads, erased"
    writes = "random writes"
    synced = "synchronous writes"
    flushed = "flushed writes"
    other = "other requests"


@dataclass(frozen=True)
class Measured:
    """A test: one loop of equal requests."""

    source: Source
    name: str
    role: Role
    #: As fio has it, and reads in a hundred requests.
    rw: str
    reads: int
    block_bytes: int
    depth: int
    count: int
    #: Latencies in ns that parameters are fitted to, and the same drawn anew; those of flushes
    #: where there are some.
    fitted: Values
    draws: tuple[Values, ...]
    #: ns from a completion to the next request, on average; None where nothing tells.
    turnaround: Told | None
    #: What it is judged by: of each side in us, and requests a second.
    figures: Mapping[str, Mapping[str, float]]

    @property
    def log(self) -> str:
        """What evidence calls it."""
        return f"{self.name} of {self.source.name}" if self.name else self.source.name

    @property
    def title(self) -> str:
        """What tables call it."""
        of_mixed = f"{self.rw} ({self.reads} % reads)" if 0 < self.reads < 100 else self.rw
        kind = of_mixed if self.role == Role.other else self.role
        depth = f", {self.depth} outstanding" if self.depth > 1 else ""
        return f"{self.block_bytes / 1024:g} KiB {kind}{depth}"

    def trial(self, host_us: float, requests: int | None = None) -> published.Trial:
        """Return it as tests of published drives are simulated, or the beginning of it."""
        state = "erased" if self.role == Role.erased else "file" if self.reads else "empty"
        flushed = self.role in (Role.synced, Role.flushed)
        sides = self.figures.values()
        rate = sum(side.get("iops", 0) for side in sides) or 1e6 / next(iter(sides))["mean"]
        return published.Trial(
            name=self.title,
            drive=published.Drive("fitted", "fitted", "client", None, Fraction(1)),
            source=self.log,
            # A synchronous write and its flush are one request: the host is not asked between.
            host_us=0.0 if self.role == Role.synced else host_us,
            rw=self.rw,
            reads=self.reads,
            size=self.block_bytes,
            depths=(self.depth,),
            drives=1,
            span_bytes=max(_SPAN_BYTES, self.block_bytes),
            seconds=min(self.count, requests or self.count) / rate,
            state=state,
            phase="flush" if flushed else "reads" if self.reads == 100 else "in-cache",
            use="calibrate",
            figures=self.figures,
        )


def role_of(name: str, rw: str, synced: bool, flushed: bool) -> Role:
    """Return what a test is of, by its name and its options."""
    if synced or flushed:
        return Role.synced if synced else Role.flushed
    if rw == "randread":
        return Role.erased if name.startswith("erased") else Role.reads
    return Role.writes if rw == "randwrite" else Role.other
