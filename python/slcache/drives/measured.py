"""Published fills of drives, and the laws of their averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from slcache.drives.published import data

#: Data that lie in flash when folding begins, as a share of the user capacity: the mean
#: over the calibrated drives.
USABLE = 0.995


@dataclass(frozen=True)
class Fill:
    """A fill by the laws: GB at which its phases end, and their GB per second."""

    ends_gb: tuple[float, ...]
    gb_s: tuple[float, ...]

    @property
    def average_gb_s(self) -> float:
        """The average over all of it."""
        return self.ends_gb[-1] / seconds(self.ends_gb, self.gb_s)


def seconds(ends_gb: Sequence[float], gb_s: Sequence[float]) -> float:
    """Return how long phases take that end after so many GB."""
    begins = [0.0, *ends_gb]
    return sum(
        (end - begin) / speed for begin, end, speed in zip(begins, ends_gb, gb_s, strict=False)
    )


def boundary_gb(cache_gb: float, bits: int, usable_gb: float) -> float:
    """Return law 1: the third phase begins where SLC blocks have to make room for dense ones."""
    return max(cache_gb, usable_gb - (bits - 1) * cache_gb)


def third_gb_s(first_gb_s: float, second_gb_s: float, bits: int, cost: float = 1.0) -> float:
    """Return law 2: the host goes through SLC, and `bits` of `bits - 1` pages are folded for it."""
    return 1 / (1 / first_gb_s + cost * bits / (bits - 1) / second_gb_s)


def random_kiops(gb_s: float) -> float:
    """Return law 4: units of 4 KiB are packed into pages, so random writes are as fast as others.

    Behind the cache, with requests enough to keep all planes busy.
    """
    return gb_s * 1e9 / 4096 / 1e3


def fill(
    cache_gb: float,
    first_gb_s: float,
    second_gb_s: float,
    *,
    bits: int,
    user_gb: float,
    cost: float = 1.0,
) -> Fill:
    """Return law 3: a whole fill from cache and two speeds alone."""
    boundary = min(boundary_gb(cache_gb, bits, USABLE * user_gb), user_gb)
    third = third_gb_s(first_gb_s, second_gb_s, bits, cost)
    phases = [(cache_gb, first_gb_s), (boundary, second_gb_s), (user_gb, third)]
    kept = [
        (end, speed)
        for (end, speed), begin in zip(phases, [0.0, cache_gb, boundary], strict=True)
        if end > begin
    ]
    return Fill(tuple(end for end, _ in kept), tuple(speed for _, speed in kept))


#: What a preset of a drive is called behind the drive's name.
LIKE = "-like"


@dataclass(frozen=True)
class Figure:
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
    gb_s: Figure


@dataclass(frozen=True)
class Drive:
    """A drive with its published figures."""

    name: str
    user_gb: float
    bits: int
    link: str
    #: Where the mapping table lies, recalled.
    map: str
    protocol: str
    phases: tuple[Bar, ...]
    average: Figure | None
    #: Other figures by their names.
    others: Mapping[str, Figure]
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
    return {name: _drive(name, entry) for name, entry in data("measured.toml")["drive"].items()}


def of_preset(name: str) -> Drive | None:
    """Return the drive that a preset is like; none where a device is like no drive."""
    return drives().get(name.removesuffix(LIKE)) if name.endswith(LIKE) else None


def _drive(name: str, entry: Mapping[str, Any]) -> Drive:
    marked = {
        key: Figure(float(value["v"]), value["source"], value["use"])
        for key, value in entry.items()
        if isinstance(value, dict) and "v" in value
    }
    printed = entry.get("average")
    average = printed and Figure(printed["gb_s"], printed["source"], printed["use"])
    begin, bars = 0.0, []
    for phase in entry.get("phase", []):
        speed = Figure(phase["gb_s"], phase["source"], phase["use"])
        bars.append(Bar(begin, float(phase["to_gb"]), speed))
        begin = float(phase["to_gb"])
    return Drive(
        name=name,
        user_gb=float(entry["user_gb"]),
        bits=int(entry["bits"]),
        link=str(entry["link"]),
        map=str(entry["map"]),
        protocol=str(entry.get("fill", "other")),
        phases=tuple(bars),
        average=average,
        others=marked,
        whole=entry.get("whole"),
    )
