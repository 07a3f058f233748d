"""What is published of drives: fills and latencies, the laws of fills, why figures are not met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

from slcache.options import parsing

#: Data that lie in flash when folding begins, as a share of the user capacity: the mean
#: over the calibrated drives.
USABLE = 0.995


@dataclass(frozen=True)
class LawFill:
    """A fill by the laws: GB at which its phases end, and their GB per second."""

    ends_gb: tuple[float, ...]
    gb_s: tuple[float, ...]

    @property
    def average_gb_s(self) -> float:
        """The average over all of it."""
        phases = zip((0.0, *self.ends_gb), self.ends_gb, self.gb_s, strict=False)
        return self.ends_gb[-1] / sum((end - begin) / speed for begin, end, speed in phases)


def boundary_gb(cache_gb: float, bits: int, usable_gb: float) -> float:
    """Return law 1: the third phase begins where SLC blocks have to make room for dense ones."""
    return max(cache_gb, usable_gb - (bits - 1) * cache_gb)


def third_gb_s(first_gb_s: float, second_gb_s: float, bits: int) -> float:
    """Return law 2: the host goes through SLC, and `bits` of `bits - 1` pages are folded for it."""
    return 1 / (1 / first_gb_s + bits / (bits - 1) / second_gb_s)


def random_kiops(gb_s: float) -> float:
    """Return law 4: units of 4 KiB are packed into pages, so random writes are as fast as others.

    Behind the cache, with requests enough to keep all planes busy.
    """
    return gb_s * 1e9 / 4096 / 1e3


def fill(
    cache_gb: float, first_gb_s: float, second_gb_s: float, *, bits: int, user_gb: float
) -> LawFill:
    """Return law 3: a whole fill from cache and two speeds alone."""
    boundary = min(boundary_gb(cache_gb, bits, USABLE * user_gb), user_gb)
    third = third_gb_s(first_gb_s, second_gb_s, bits)
    phases = [(cache_gb, first_gb_s), (boundary, second_gb_s), (user_gb, third)]
    kept = [
        (end, speed)
        for (end, speed), begin in zip(phases, [0.0, cache_gb, boundary], strict=True)
        if end > begin
    ]
    return LawFill(tuple(end for end, _ in kept), tuple(speed for _, speed in kept))


#: What a preset of a drive is called behind the drive's name.
LIKE = "-like"


@dataclass(frozen=True)
class PublishedFigure:
    """A published number: who says it, and what it may be used for."""

    value: float
    source: str
    use: str

    @property
    def held_out(self) -> bool:
        """Whether nothing was chosen by it."""
        return self.use == "held-out"


@dataclass(frozen=True)
class Bar:
    """A phase as it was published: from and to how many GB, and how many GB per second."""

    from_gb: float
    to_gb: float
    gb_s: PublishedFigure


@dataclass(frozen=True)
class Drive:
    """A drive with its published figures."""

    name: str
    user_gb: float
    bits: int
    link: str
    #: Where the mapping table lies, recalled.
    map: str
    phases: tuple[Bar, ...]
    average: PublishedFigure | None
    #: Other figures by their names.
    others: Mapping[str, PublishedFigure]
    #: Of a drive of which nothing was used to calibrate: why.
    whole: str | None

    @property
    def preset(self) -> str:
        """The name of the preset that is like it."""
        return self.name + LIKE


def url(source: str) -> str:
    """Return the address of a source."""
    return str(data("measured.toml")["source"][source]["url"])


@cache
def drives() -> dict[str, Drive]:
    """Return every drive by its name."""
    return {
        name: _filled_drive(name, entry) for name, entry in data("measured.toml")["drive"].items()
    }


def of_preset(name: str) -> Drive | None:
    """Return the drive that a preset is like; none where a device is like no drive."""
    return drives().get(name.removesuffix(LIKE)) if name.endswith(LIKE) else None


def _filled_drive(name: str, entry: Mapping[str, Any]) -> Drive:
    marked = {
        key: PublishedFigure(float(value["v"]), value["source"], value["use"])
        for key, value in entry.items()
        if isinstance(value, dict) and "v" in value
    }
    printed = entry.get("average")
    average = printed and PublishedFigure(printed["gb_s"], printed["source"], printed["use"])
    begin, bars = 0.0, []
    for phase in entry.get("phase", []):
        speed = PublishedFigure(phase["gb_s"], phase["source"], phase["use"])
        bars.append(Bar(begin, float(phase["to_gb"]), speed))
        begin = float(phase["to_gb"])
    return Drive(
        name=name,
        user_gb=float(entry["user_gb"]),
        bits=int(entry["bits"]),
        link=str(entry["link"]),
        map=str(entry["map"]),
        phases=tuple(bars),
        average=average,
        others=marked,
        whole=entry.get("whole"),
    )


#: What a trial is of, in the order in which tables have it.
KINDS = ("reads", "in cache", "past it", "mixed", "steady", "flush")
_OF_PHASE = {"reads", "steady", "flush"}
#: The sides of a trial: reads, writes, flushes, and a write with the flush behind it.
SIDES = ("read", "write", "flush", "sync")
_BYTES = {"k": 1 << 10, "M": 1 << 20}


@dataclass(frozen=True)
class TestedDrive:
    """A drive whose latencies are published, and the preset that is most like it."""

    name: str
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
    drive: TestedDrive
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
    return tuple(_trial(entry, drives[entry["drive"]]) for entry in data("latency.toml")["row"])


def _drive(name: str, entry: Mapping[str, Any]) -> TestedDrive:
    planes = Fraction(entry.get("planes", "1"))
    same_static = entry.get("same_static", False)
    return TestedDrive(name, entry["class"], entry.get("nearest"), planes, same_static)


def _trial(entry: Mapping[str, Any], drive: TestedDrive) -> Trial:
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
