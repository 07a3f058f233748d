"""Published latencies of drives, and why figures fail or are only shown."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any, Literal

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
def _data() -> dict[str, Any]:
    text = resources.files("slcache.drives").joinpath("latency.toml").read_text("utf-8")
    return tomllib.loads(text)


def sources() -> Mapping[str, Mapping[str, Any]]:
    """Return every source: its name and address, and a licence that lets it be passed on."""
    return dict(_data()["source"])


@cache
def trials() -> tuple[Trial, ...]:
    """Return every trial in the file's order."""
    drives = {name: _drive(name, entry) for name, entry in _data()["drive"].items()}
    return tuple(_test(entry, drives[entry["drive"]]) for entry in _data()["row"])


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
#: Whole drives that law 3 says nothing of: a dip of unprinted length, no printed end of a phase.
LAWLESS = {"msi-m390-1tb": "a dip of unprinted length follows the cache"}

_LATER = "folding begins 180 GB later: law 1 asks for less room than the user's data take"
_DEAR = "folding costs this drive 1.6 times a direct write or more, and the law takes it as 1"
_RETURNS = "the cache comes back, which raises the mean of what is printed as one speed"
_ONE_SPEED = "one later speed is printed, which holds flushing beside writing"

#: Why simulated figures fail.
FAILS: Mapping[tuple[str, str], str] = {
    ("intel-660p-1tb", "cache_gb_at_75_percent"): (
        "the preset's cache falls in a line to 12 GB at 80 %, as another source prints it"
    ),
    ("lexar-nm790-2tb", "speed 3"): _LATER,
    ("lexar-nm790-2tb", "average"): _LATER,
    ("kioxia-exceria-plus-g3-2tb", "average"): (
        "its printed speeds and phases give 0.45 GB/s, and their ends are not sharp"
    ),
    ("hp-fx700-2tb", "speed 1"): "the cache has one speed here, the mean of the two printed",
    ("samsung-970-evo-500gb", "speed 2"): _RETURNS,
    ("samsung-980-pro-1tb", "second_burst_gb_at"): (
        "it is as long as the cache, of which this laboratory prints 170 GB, and the one that the "
        "preset is calibrated to 113"
    ),
}
#: Why law 3 fails.
LAW_FAILS: Mapping[str, str] = {
    "samsung-980-1tb": _ONE_SPEED,
    "samsung-980-pro-1tb": _ONE_SPEED,
    "adata-atom-50-1tb": _DEAR,
    "hp-fx900-1tb": _DEAR,
    "lexar-nm620-1tb": _DEAR,
    "lexar-nm790-2tb": _DEAR,
}


def reason(drive: str, figure: str, verdict: str, by: str) -> str:
    """Return why a figure fails, as far as it is known."""
    if verdict == SHOWN:
        return LAWLESS.get(drive, "context: another protocol, or a contradicted figure")
    if verdict == REPRODUCED:
        return ""
    known = LAW_FAILS.get(drive) if by == "law" else FAILS.get((drive, figure))
    return known or "not explained"


_EVEN = "the controller varies by 1 us in the mean here; hosts and drives vary more under load"
_FEW = "15 of 16 planes write past the cache, by the rated speed; the rest waits"
_CLEANING = "WAF is 6.7 here; with as many programs a second the drive's rate asks for 4.4"
_TOGETHER = "data lie in neighbouring planes here; one half as large is faster than this drive"
_WAITS = "about 1 of 100 reads waits for a program, and the figure lies at the edge"
_FLUSHES = "all flushes take one time here; of one drive 0.7 to 4.6 ms are printed"

#: Why a figure of a trial fails, or of all of a drive; without a figure, why all do.
LATE: Mapping[tuple[str, str], str] = {
    ("pm981a-256-rw-q1", ""): _EVEN,
    ("pm981a-512-mix0-q1", ""): _EVEN,
    ("pm981a-256-sw128-q1", ""): "here it writes the rated 2.3 GB/s in its cache, the drive 1.8",
    ("pm981a-512-mix0-q8", "p50"): "commands come at the rated 550,000 a second here",
    ("pm981a-512-mix0-q64", ""): _FEW,
    ("pm981a-512-128k-mix0-q1", ""): _FEW,
    ("pm981a-256-rw-steady-q32", ""): _FEW.replace("15 of 16", "7 of 8"),
    ("pm981a-512-128k-mix100-q1", ""): _TOGETHER,
    ("pm981a-512-mix70-q1", "p99"): _WAITS,
    ("980pro-l1-t1x128", ""): _CLEANING,
    ("980pro-r1-w1", ""): _CLEANING,
    ("980pro-r1-w256", ""): _CLEANING,
    ("sn530-rw-q1", ""): "the time of this host between two requests is not known",
    ("sn530-rw-q2", ""): "here two writers fill the buffer, and there hardly",
    ("sn530-512", ""): "room in the buffer comes back in other pieces here",
}
#: Why figures of other trials fail, by kind, side and whether ours is above the published one.
LATE_KINDS: Mapping[tuple[str, str, bool], str] = {
    ("mixed", "read", False): "between runs on a drive maxima of 5 to 40 ms appear",
    ("mixed", "read", True): _WAITS,
    ("mixed", "write", False): _EVEN,
    ("mixed", "write", True): _EVEN,
    ("flush", "write", True): "time of the host is in it, some of it for encryption",
    ("flush", "sync", False): _FLUSHES,
    ("flush", "sync", True): _FLUSHES,
}


def late(trial: Trial, side: str, figure: str, verdict: str, above: bool) -> str:
    """Return why a latency fails or is not judged, as far as it is known."""
    if verdict == REPRODUCED:
        return ""
    if verdict == SHOWN:
        return "a file system's journal is in it" if figure == "fsync_mean" else "context"
    places = ((trial.name, figure), (trial.name, ""), (trial.drive.name, ""))
    known = next((LATE[place] for place in places if place in LATE), None)
    return known or LATE_KINDS.get((trial.kind, side, above), "not explained")
