"""Published latencies of drives, and why figures fail or are only shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

from slcache.options import parsing

#: What a trial is of, in the order in which tables have it.
KINDS = ("reads", "in cache", "past it", "mixed", "steady", "flush")
_OF_PHASE = {"reads", "steady", "flush"}
#: The sides of a trial: reads, writes, flushes, and a write with the flush behind it.
SIDES = ("read", "write", "flush", "sync")
_BYTES = {"k": 1 << 10, "M": 1 << 20}


@dataclass(frozen=True)
class Drive:
    """A drive whose latencies are published, and the preset that is most like it."""

    name: str
    model: str
    #: `client`, `enterprise` or `ufs`.
    drive_class: str
    nearest: str | None
    #: The drive's planes by those of the preset.
    planes: Fraction
    #: Whether its static SLC region has as many bytes as the preset's.
    same_static: bool = False


@dataclass(frozen=True)
class Trial:
    """One published trial: its load, the state before it, and what is printed."""

    name: str
    drive: Drive
    source: str
    #: The time of its host between two requests, which is in no latency.
    host_us: float
    rw: str
    #: Reads in a hundred reads and writes of one loop.
    reads: int
    size: int
    #: Requests outstanding, of each loop; none where they come at a rate.
    depths: tuple[int, ...]
    #: Drives that share the load.
    drives: int
    #: None where the whole drive is meant.
    span_bytes: int | None
    seconds: float
    state: str | None
    phase: str
    use: str
    #: Of each side, in us but for `iops` and `mb_s`.
    figures: Mapping[str, Mapping[str, float]]
    #: Whether the SLC cache, or its dynamic part, took no data of it, as far as the source shows.
    closed: bool | Literal["dynamic"] = False

    @property
    def kind(self) -> str:
        """What it is of."""
        if self.phase in _OF_PHASE:
            return self.phase
        if self.rw == "randrw" and 0 < self.reads < 100:
            return "mixed"
        return "past it" if self.phase == "past-cache" else "in cache"

    @property
    def writes(self) -> bool:
        """Whether it writes at all."""
        return self.phase != "reads"


@cache
def data(name: str) -> dict[str, Any]:
    """Return what a file of published data holds."""
    return parsing.toml_file(Path(__file__).with_name(name))


def sources() -> Mapping[str, Mapping[str, Any]]:
    """Return every source: its name and address, and a licence that lets it be passed on."""
    return dict(data("latency.toml")["source"])


@cache
def trials() -> tuple[Trial, ...]:
    """Return every trial in the file's order."""
    drives = {name: _drive(name, entry) for name, entry in data("latency.toml")["drive"].items()}
    return tuple(_test(entry, drives[entry["drive"]]) for entry in data("latency.toml")["row"])


def _drive(name: str, entry: Mapping[str, Any]) -> Drive:
    planes = Fraction(entry.get("planes", "1"))
    same_static = entry.get("same_static", False)
    return Drive(name, entry["model"], entry["class"], entry.get("nearest"), planes, same_static)


def _test(entry: Mapping[str, Any], drive: Drive) -> Trial:
    size, span, depth = entry["bs"], entry.get("span_gib"), str(entry["qd"])
    return Trial(
        name=entry["id"],
        drive=drive,
        source=entry["source"],
        host_us=float(sources()[entry["source"]].get("host_us", 0)),
        rw=entry["rw"],
        reads=entry.get("rwmixread", 100 if entry["rw"].endswith("read") else 0),
        size=int(size[:-1]) * _BYTES[size[-1]],
        depths=() if depth == "open" else tuple(int(part) for part in depth.split("+")),
        drives=entry.get("drives", 1),
        span_bytes=None if span is None else int(span * 2**30),
        seconds=float(entry.get("seconds", 0)),
        state=entry.get("state"),
        closed=entry.get("closed", False),
        phase=entry["phase"],
        use=entry["use"],
        figures={side: entry[f"{side}_us"] for side in SIDES if f"{side}_us" in entry},
    )


REPRODUCED, FAILED, SHOWN = "reproduced", "failed", "not judged"


@cache
def reasons(kind: str) -> Mapping[str, str]:
    """Return why figures are not met, by what each reason is of: a kind of `reasons.toml`."""
    return {of: row["why"] for row in data("reasons.toml")[kind] for of in row["of"]}


def reason(drive: str, figure: str, verdict: str, by: str) -> str:
    """Return why a figure fails, as far as it is known."""
    if verdict == SHOWN:
        return reasons("lawless").get(drive, "context: another protocol, or a contradicted figure")
    if verdict == REPRODUCED:
        return ""
    known = reasons("law").get(drive) if by == "law" else reasons("fill").get(f"{drive}: {figure}")
    return known or "not explained"


def late(trial: Trial, side: str, figure: str, verdict: str, above: bool) -> str:
    """Return why a latency fails or is not judged, as far as it is known."""
    if verdict == REPRODUCED:
        return ""
    if verdict == SHOWN:
        return "a file system's journal is in it" if figure == "fsync_mean" else "context"
    places = (f"{trial.name}: {figure}", trial.name, trial.drive.name)
    known = next((why for each in places if (why := reasons("latency").get(each))), None)
    of_kind = f"{trial.kind}, {side}, {'above' if above else 'below'}"
    return known or reasons("kind").get(of_kind, "not explained")
