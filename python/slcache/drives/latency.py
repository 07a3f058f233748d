"""Published tests of latency as runs: states, loads and parts, and each figure beside ours."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from slcache import _core, catalogue
from slcache.drives import fills, published
from slcache.drives.fills import SCHEME
from slcache.drives.published import FAILED, REPRODUCED, SHOWN, Trial, late
from slcache.execute.engine import Engine
from slcache.execute.run import Run
from slcache.options import content as texts
from slcache.options.content import Content, device_of

#: The controller's own time for a read and a write, ns. Drives with PCIe are calibrated to two
#: published rows; twice that is assumed of those with SATA.
_COMMAND_NS, _OF_SATA = {"read": 7_000, "write": 10_000}, {"read": 20_000, "write": 20_000}
#: The mean of what either takes longer now and then, ns: calibrated to one row.
JITTER_NS = 1_020
#: How long less than a program waits in the buffer while the host does not write, ns: assumed.
HELD_NS = 10_000_000
#: Slower pages of a wordline, as a multiple of the faster ones; all but two are slow.
_SLOWER, _FAST = 1.28, 2
#: A mapping unit.
UNIT_BYTES = 4096


def command_ns(link: str | None) -> dict[str, int]:
    """Return the controller's time for reads and writes, by the link."""
    return dict(_OF_SATA if link == "sata" else _COMMAND_NS)


def page_reads(fast: float, bits: int) -> list[float]:
    """Return the read time of each page of a wordline."""
    return [fast] * _FAST + [fast * _SLOWER] * (bits - _FAST)


def run_overhead_ns(iops: float, bytes_per_s: float, in_flight: int = 1) -> float:
    """Return what a unit takes alone beyond its share of data in order.

    Where random writes of a unit come at `iops`, and data in order at so many bytes a second.
    """
    return in_flight * 1e9 * (1 / iops - UNIT_BYTES / bytes_per_s)


Device = dict[str, Any]
#: Days that data of the time before have on half-worn cells.
_DAYS = 30.0
#: A page of one plane.
PAGE_BYTES = 16_384


def _without(*path: str) -> Callable[[Device], Device]:
    """Return what takes a key out of a device, where it has it."""
    *tables, key = path

    def changed(device: Device) -> Device:
        functools.reduce(lambda found, name: found.get(name, {}), tables, device).pop(key, None)
        return device

    return changed


def _modes(device: Device) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of the pools, those of the cell modes among them."""
    tables = (each for pool in device["device"]["pool"] for each in pool.items())
    return ((name, table) for name, table in tables if isinstance(table, dict))


def _page_types(device: Device) -> Device:
    for _, mode in _modes(device):
        if "read_ns" in mode:
            mode["read_ns"] = [sum(mode["read_ns"]) // len(mode["read_ns"])]
    return device


def _joined_planes(device: Device) -> Device:
    """Two planes of half the page for each plane that stands for those of a die."""
    client = device["scheme-defaults"][SCHEME]
    for pool in device["device"]["pool"]:
        joined = pool["page_bytes"] // PAGE_BYTES
        pool["planes"] *= joined
        pool["page_bytes"] = PAGE_BYTES
        for part in (client.get("dense", {}), client.get("fold", {})):
            if "parallel" in part:
                part["parallel"] *= joined
    return device


def _variation(device: Device) -> Device:
    for _, mode in _modes(device):
        mode.pop("program_variation", None)
    return device


def _erring(device: Device) -> Device:
    device["device"]["cells"] = {}
    return device


def _half_worn(device: Device) -> Device:
    """Cells that err after half their cycles, with data of the time before that are old."""
    cycles = {n: m["endurance_cycles"] for n, m in _modes(device) if "endurance_cycles" in m}
    start = {mode: {"cycles": each // 2, "days": _DAYS} for mode, each in cycles.items()}
    device["device"]["cells"] = {"start": start}
    return device


#: What takes a mechanism out of a device's content, by the mechanism's name.
MECHANISMS: Mapping[str, Callable[[Device], Device]] = {
    "cells that never err": _erring,
    "cells and data that are new": _half_worn,
    "controller": _without("device", "controller"),
    "jitter of commands": _without("device", "controller", "jitter_ns"),
    "stripes": _without("scheme-defaults", SCHEME, "placement"),
    "page types": _page_types,
    "planes of a die as one": _joined_planes,
    "variation of programs": _variation,
    "cleaning ahead": _without("scheme-defaults", SCHEME, "dense", "clean_ahead"),
    "map cache": _without("device", "map"),
}


#: Longer trials are cut: mapping units that one moves, that it only reads, and that it moves on a
#: used drive, where each costs several programs. A trial then takes about 10 s of processor time,
#: and as much again where the drive is overwritten before.
MOST_UNITS, MOST_READ_UNITS, MOST_USED_UNITS = 7_000_000, 1_000_000, 1_000_000
#: Trials over more run on a part of the device.
WHOLE_SPAN_BYTES, PART = 8 << 30, 16
#: A reader at depth 1 beside writers is a probe: so many writes to a read.
WRITES_OF_PROBE = 50


@dataclass(frozen=True)
class Planned:
    """A trial as it is simulated: a run for each load, and the share of it that is left."""

    trial: Trial
    runs: tuple[Run, ...]
    share: float


def device(drive: published.TestedDrive) -> dict[str, Any]:
    """Return the preset that is most like a drive, with so many times its planes."""
    assert drive.nearest is not None
    found: dict[str, Any] = json.loads(_core.scaled_device(device_of(drive.nearest), 1))
    found.pop("evidence", None)
    if drive.planes != 1:
        _multiply(found, drive.planes)
        if drive.same_static:
            client = found["scheme-defaults"][SCHEME]
            client["static_blocks"] = int(client["static_blocks"] / drive.planes)
        found["device"]["name"] = f"{drive.nearest}, {drive.planes} of its planes"
    return found


def _multiply(found: dict[str, Any], planes: Fraction) -> None:
    """Multiply the planes of a device, and all that counts planes or bytes of cache."""
    of_device, client = found["device"], found["scheme-defaults"][SCHEME]
    places = [
        (of_device, "user_bytes"),
        *((pool, "chips") for pool in of_device["pool"]),
        (client.get("dense", {}), "parallel"),
        (client.get("fold", {}), "parallel"),
        (found.get("buffer", {}), "stripe_planes"),
    ]
    for table, key in places:
        if key in table:
            table[key] = max(int(table[key] * planes), 1)
    page = max(pool["page_bytes"] for pool in of_device["pool"])
    of_device["user_bytes"] = of_device["user_bytes"] // (PART * page) * PART * page
    dynamic = client.get("dynamic", {})
    if "table" in dynamic:
        dynamic["table"] = [[full, int(size * planes)] for full, size in dynamic["table"]]


def plan(trial: Trial, whole: Content, part: int = 1) -> Planned:
    """Return how a trial is simulated on a device; `part` of its requests are left out but one."""
    span = trial.span_bytes
    scale = 1 if span is not None and span <= WHOLE_SPAN_BYTES else PART
    content = fills.scaled(_closed(whole, trial.closed), scale, fills.as_client(None))
    user = int(catalogue.resolve(device=content, scheme=SCHEME)["device"]["user_bytes"])
    # Whole requests; a load over the drive may be printed a little longer than the drive.
    footprint = min(user if span is None else span // scale, user) // trial.size * trial.size
    asked = requests(trial) / scale
    count = max(int(min(asked, _most_units(trial) * UNIT_BYTES / trial.size / part)), 1)
    settings = state(trial, footprint / user, part)
    settings["host.turnaround_ns"] = int(trial.host_us * 1000)
    runs = tuple(
        Run(
            title=f"{trial.name}, {name}",
            trace=texts.text_of(load | {"footprint_bytes": footprint}),
            device=texts.text_of(content),
            scheme=SCHEME,
            settings=settings,
            replay=f"closed:{depth}",
            size=count,
        )
        for name, load, depth in loads(trial, count)
    )
    return Planned(trial, runs, count / asked if asked > count + 1 else 1.0)


def _closed(whole: Content, closed: bool | Literal["dynamic"]) -> Content:
    """Return a device without the part of its SLC cache that stays closed."""
    if not closed:
        return whole
    found: dict[str, Any] = json.loads(_core.scaled_device(device_of(whole), 1))
    client = found["scheme-defaults"][SCHEME]
    client["dynamic"] = {"rule": "none"}
    if closed != "dynamic":
        client.pop("flush", None)
        client.pop("full", None)
        client["static_blocks"] = 0
        client["fold"] = client.get("fold", {}) | {"host": "dense"}
    return found


def _most_units(trial: Trial) -> int:
    """Return how many mapping units a trial moves at most."""
    if not trial.writes:
        return MOST_READ_UNITS
    return MOST_USED_UNITS if (trial.state or "").startswith("worn") else MOST_UNITS


def requests(trial: Trial) -> float:
    """Return how many reads and writes a trial made, as far as it is printed."""
    if len(trial.depths) > 1:
        reads = trial.figures["read"]["iops"] * trial.seconds / trial.drives
        return reads * (WRITES_OF_PROBE + 1)
    sides = [trial.figures[side] for side in ("read", "write") if side in trial.figures]
    rates = [rate for rate in (iops(trial, side) for side in sides) if rate is not None]
    if rates:
        return sum(rates) * trial.seconds
    shortest_us = min(value for side in trial.figures.values() for value in side.values())
    return trial.seconds * 1e6 / shortest_us


def iops(trial: Trial, side: Mapping[str, float]) -> float | None:
    """Return the requests a second of a side, which some print as bytes a second."""
    if "iops" in side:
        return side["iops"]
    return side["mb_s"] * 1e6 / trial.size if "mb_s" in side else None


def state(trial: Trial, span: float, part: int) -> dict[str, Any]:
    """Return the settings of the state before a trial."""
    name, _, numbers = (trial.state or "empty").partition("=")
    if name == "erased":
        return {"trace.prefill": "none"}
    if name == "empty":
        return {}
    given = [float(number) for number in numbers.split(",") if number]
    full = given.pop(0) if name in ("full", "worn") else span
    # All data of before the run are in dense blocks, overwritten or not.
    times = given[0] if given and trial.writes else 0.0
    return {"precondition.fill": full, "precondition.overwrite": times / part}


def loads(trial: Trial, count: int) -> list[tuple[str, dict[str, Any], int]]:
    """Return the loads of a trial: a name, what a workload file of it holds, and the depth."""
    if len(trial.depths) > 1:
        # As many of one stream: of streams with a request each, drawn at random, the first that is
        # drawn again too soon would hold all others up.
        writers = max(trial.depths[1] // trial.drives, 1)
        return [("probe", _probe(trial) | {"requests": count}, writers)]
    (depth,) = trial.depths
    words = trial.rw.split("; ")
    job: dict[str, Any] = {"rw": words[0].split()[0], "bs": str(trial.size)}
    if job["rw"] == "randrw":
        job["rwmixread"] = trial.reads
    plain = ("plain", {"requests": count, "global": job}, depth)
    flushed = ("flushed", {"requests": 2 * count, "global": job | {"fsync": 1}}, depth)
    if trial.phase != "flush":
        return [plain]
    return [plain, flushed] if len(words) > 1 and "write" in trial.figures else [flushed]


def _probe(trial: Trial) -> dict[str, Any]:
    """Return the streams of a reader and of writers beside it."""
    reader = {"rw": "randread", "weight": 1.0, "stream": 0}
    writer = {"rw": "randwrite", "weight": float(WRITES_OF_PROBE), "stream": 1}
    return {"global": {"bs": str(trial.size)}, "stream": [reader, writer]}


#: Between what ours by published may lie.
NEAR = {
    "iops": (0.75, 1.25),
    "p50": (0.75, 1.25),
    "mean": (0.75, 1.25),
    "p99": (1 / 1.5, 1.5),
    "p99_9": (0.5, 2.0),
}
#: A quick judgement takes the first trial of each drive and kind, and moves a part.
QUICK = 8
LEFT, CONTEXT = "left out by --quick", "context: only shown"


@dataclass(frozen=True)
class LatencyRow:
    """A published figure beside ours."""

    trial: str
    drive: str
    kind: str
    side: str
    figure: str
    unit: str
    published: float
    ours: float | None
    use: str
    ratio: float | None
    verdict: str
    reason: str
    #: The address of the source.
    source: str

    @property
    def is_judged(self) -> bool:
        """Whether it is more than shown."""
        return self.verdict != SHOWN

    @property
    def holds(self) -> bool:
        """Whether it is reproduced."""
        return self.verdict == REPRODUCED

    @property
    def column(self) -> str:
        """What it is counted as: a mean as p50, like which it is judged."""
        return "p50" if self.figure.endswith("mean") else self.figure


@dataclass(frozen=True)
class Latency:
    """Every figure of the trials that were simulated, and why others are not judged."""

    figures: tuple[LatencyRow, ...]
    #: Trials of which no figure is judged.
    unjudged: Mapping[str, str]
    #: Of trials that were cut, the share that was simulated.
    cut: Mapping[str, float]
    #: The same figures without a mechanism, by mechanism.
    without: Mapping[str, tuple[LatencyRow, ...]]

    @property
    def judged(self) -> list[LatencyRow]:
        """The figures that are more than shown."""
        return [figure for figure in self.figures if figure.is_judged]

    def counts(self) -> dict[str, dict[str, dict[str, int]]]:
        """Return how many are reproduced, of how many, by use and figure."""
        found: dict[str, dict[str, dict[str, int]]] = {}
        for figure in self.judged:
            of = found.setdefault(figure.use, {})
            count = of.setdefault(figure.column, {"reproduced": 0, "judged": 0})
            count["reproduced"] += figure.holds
            count["judged"] += 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "counts": self.counts(),
            "rows": [vars(figure) for figure in self.figures],
            "unjudged": dict(self.unjudged),
            "cut": dict(self.cut),
            "without": {
                name: [vars(figure) for figure in figures] for name, figures in self.without.items()
            },
        }


def make(engine: Engine, quick: bool = False, ablate: bool = False) -> Latency:
    """Simulate the trials that have a preset, and judge what is printed of them."""
    wanted = [trial for trial in published.trials() if unsimulated(trial) is None]
    if quick:
        first = {(trial.drive.name, trial.kind): trial for trial in reversed(wanted)}
        wanted = [trial for trial in wanted if trial in first.values()]
    part = QUICK if quick else 1
    planned = [plan(trial, device(trial.drive), part) for trial in wanted]
    switched = {
        name: [plan(trial, off(device(trial.drive)), part) for trial in wanted]
        for name, off in (MECHANISMS.items() if ablate else ())
    }
    every = [planned, *switched.values()]
    documents = iter(
        engine.results([run for plans in every for each in plans for run in each.runs])
    )
    found = [
        tuple(f for each in plans for f in judged(each.trial, [next(documents) for _ in each.runs]))
        for plans in every
    ]
    judged_trials = {figure.trial for figure in found[0] if figure.is_judged}
    return Latency(
        figures=found[0],
        unjudged={
            trial.name: unsimulated(trial) or (LEFT if trial.use != "context" else CONTEXT)
            for trial in published.trials()
            if trial.name not in judged_trials
        },
        cut={each.trial.name: each.share for each in planned if each.share < 1},
        without=dict(zip(switched, found[1:], strict=True)),
    )


def unsimulated(trial: Trial) -> str | None:
    """Return why a trial is not simulated; none where it is."""
    if trial.drive.drive_class != "client":
        return f"{trial.drive.drive_class}: presets are like client drives"
    if trial.drive.nearest is None:
        return "no preset is like the drive"
    if len(trial.depths) > 1 and trial.depths[0] > 1:
        return "two deep loops side by side: closed replay takes requests in one order"
    return None


def judged(trial: Trial, documents: Sequence[Mapping[str, Any]]) -> list[LatencyRow]:
    """Return every figure that is printed of a trial, beside ours; `documents` are of its loads."""
    return [_judged(trial, *figure) for figure in figures(trial, documents)]


def figures(
    trial: Trial, documents: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, float, float | None]]:
    """Yield what is known of a trial: the side, the figure's name, its value, and ours."""
    for side, printed in trial.figures.items():
        host = documents[-1 if side in ("flush", "sync") else 0]["host"]
        for found in _figures(trial, side, printed, host):
            yield side, *found


def _figures(
    trial: Trial, side: str, printed: Mapping[str, float], host: Mapping[str, Any]
) -> list[tuple[str, float, float | None]]:
    """Return the figures of a side that are judged: its name, the published one, and ours."""
    if side == "sync":
        ours = host["write"]["latency_us"]["mean"] + host["flush"]["latency_us"]["mean"]
        return [(name, value, ours) for name, value in printed.items()]
    latency = host[side]["latency_us"]
    found = [
        (name, printed[name], latency[name]) for name in ("p50", "p99", "p99_9") if name in printed
    ]
    rate = iops(trial, printed)
    if rate is not None:
        seconds = host["duration_ns"] / 1e9
        ours = host[side]["requests"] / seconds
        if len(trial.depths) > 1 and side == "read":
            # A reader that waits for each read has as many as their mean allows.
            ours = 1e6 / (latency["mean"] + trial.host_us)
        found.append(("iops", rate, ours))
    return found or [("mean", printed["mean"], latency["mean"])]


def _judged(trial: Trial, side: str, name: str, value: float, ours: float | None) -> LatencyRow:
    ratio = None if ours is None else ours / value
    figure = "mean" if name.endswith("mean") else name
    verdict = verdict_of(figure, ratio)
    # A file system's fsync writes its journal too.
    if trial.use == "context" or name == "fsync_mean":
        verdict = SHOWN
    return LatencyRow(
        trial=trial.name,
        drive=trial.drive.name,
        kind=trial.kind,
        side=side,
        figure=name,
        unit="1/s" if name == "iops" else "us",
        published=value,
        ours=ours,
        use=trial.use,
        ratio=ratio,
        verdict=verdict,
        reason=late(trial, side, name, verdict, ratio is not None and ratio > 1),
        source=str(published.sources()[trial.source]["url"]),
    )


def verdict_of(figure: str, ratio: float | None) -> str:
    """Return what becomes of a figure by ours over the published one."""
    low, high = NEAR[figure]
    return REPRODUCED if ratio is not None and low <= ratio <= high else FAILED
