"""Published figures of drives, as `measured.toml` beside this file has them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

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


@cache
def _data() -> dict[str, Any]:
    text = resources.files("slcache.drives").joinpath("measured.toml").read_text("utf-8")
    return tomllib.loads(text)


def url(source: str) -> str:
    """Return the address of a source."""
    return str(_data()["source"][source]["url"])


@cache
def drives() -> dict[str, Drive]:
    """Return every drive by its name."""
    return {name: _drive(name, entry) for name, entry in _data()["drive"].items()}


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
