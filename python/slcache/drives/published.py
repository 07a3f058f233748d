"""What is published of drives: fills and latencies, the laws of fills, why figures are not met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasChoices, ConfigDict, Field

from slcache.options import typed
from slcache.options.typed import CLOSED

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


#: What a published figure may be used for.
Use = Literal["calibrate", "held-out", "context"]


@dataclass(frozen=True)
class PublishedFigure:
    """A published number: who says it, and what it may be used for."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    value: Annotated[float, Field(validation_alias=AliasChoices("v", "gb_s"))]
    source: str
    use: Use
    #: The page's own word, and how far an average is from that of the phases.
    about: str = ""
    error: float | None = None

    @property
    def held_out(self) -> bool:
        """Whether nothing was chosen by it."""
        return self.use == "held-out"


@dataclass(frozen=True, kw_only=True)
class Bar(PublishedFigure):
    """A phase as it was published: GB per second, and from and to how many GB."""

    to_gb: float
    from_gb: float = 0.0


@dataclass(frozen=True)
class Drive:
    """A drive with its published figures."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    name: str
    user_gb: float
    bits: int
    link: str
    #: Where the mapping table lies, recalled.
    map: str
    #: The protocol of the phases.
    fill: str = ""
    #: Each with its end alone.
    phase: tuple[Bar, ...] = ()
    average: PublishedFigure | None = None
    #: Other figures by their names.
    others: Mapping[str, PublishedFigure] = field(default_factory=dict)
    #: Of a drive of which nothing was used to calibrate: why.
    whole: str | None = None

    @cached_property
    def phases(self) -> tuple[Bar, ...]:
        """The phases, each from the end of the one before."""
        begins = (0.0, *(bar.to_gb for bar in self.phase))
        return tuple(map(lambda bar, begin: replace(bar, from_gb=begin), self.phase, begins))

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
    rows = {name: {"name": name, **row} for name, row in data("measured.toml")["drive"].items()}
    return typed.build(dict[str, Drive], rows, "measured.toml: drive")


def of_preset(name: str) -> Drive | None:
    """Return the drive that a preset is like; none where a device is like no drive."""
    return drives().get(name.removesuffix(LIKE)) if name.endswith(LIKE) else None


#: What a trial is of, in the order in which tables have it.
KINDS = ("reads", "in cache", "past it", "mixed", "steady", "flush")
_OF_PHASE = {"reads", "steady", "flush"}


@dataclass(frozen=True)
class TestedDrive:
    """A drive whose latencies are published, and the preset that is most like it."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    name: str
    drive_class: Annotated[Literal["client", "enterprise", "ufs"], Field(alias="class")]
    nearest: str | None = None
    #: The drive's planes by those of the preset.
    planes: Fraction = Fraction(1)
    #: Whether its static SLC region has as many bytes as the preset's.
    same_static: bool = False
    model: str = ""
    gb: float | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One published trial: its load, the state before it, and what is printed."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    name: str
    drive: TestedDrive
    source: str
    #: The time of its host between two requests, which is in no latency.
    host_us: float = 0.0
    rw: str
    #: Reads in a hundred reads and writes of one loop.
    reads: int
    size: int
    #: Requests outstanding, of each loop; none where they come at a rate.
    depths: tuple[int, ...]
    #: Drives that share the load.
    drives: int = 1
    #: None where the whole drive is meant.
    span_bytes: int | None = None
    seconds: float = 0.0
    state: str | None = None
    #: The state in the source's own words.
    said: str = ""
    phase: str
    use: Use
    #: Of reads, writes, flushes, and writes with the flush behind them (`sync`), in us but for
    #: `iops` and `mb_s`.
    figures: Mapping[str, Mapping[str, int | float]]
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
    return typed.load(Path(__file__).with_name(name))


def sources() -> Mapping[str, Mapping[str, Any]]:
    """Return every source: its name and address, and a licence that lets it be passed on."""
    return dict(data("latency.toml")["source"])


@cache
def trials() -> tuple[Trial, ...]:
    """Return every trial in the file's order."""
    drives = {name: {"name": name, **row} for name, row in data("latency.toml")["drive"].items()}
    hosts = {name: row["host_us"] for name, row in sources().items() if "host_us" in row}
    rows = [
        {**row, "drive": drives.get(row["drive"]), "host_us": hosts.get(row["source"], 0.0)}
        for row in data("latency.toml")["row"]
    ]
    return tuple(typed.build(list[Trial], rows, "latency.toml: row"))


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
