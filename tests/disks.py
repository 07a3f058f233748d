"""Result documents of devices with a disk, written by hand."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import slcache
from figured import figured
from support import mixed, write_trace

#: Power by state in W, as far as time in it costs what it lasts.
WATTS = {"active": 2.55, "idle": 0.8, "standby": 0.25}
#: The transitions, with their seconds and joules.
TRANSITIONS = {
    "to-idle": (0.5, 1.15),
    "from-idle": (0.5, 1.15),
    "spin-down": (2.3, 2.94),
    "spin-up": (1.6, 5.0),
}

#: 32 blocks, 8 MiB in SLC mode and 16 MiB in MLC, in front of a disk of 256 MiB.
DEVICE = """
[device]
name = "small"
summary = "a small flash cache"
source = "made for a test"
user_bytes = "256MiB"

[device.disk]
rpm = 5400
track_seek_ns = 2_000_000
average_seek_ns = 12_000_000
mb_per_s = 40
[device.disk.power]
active_mw = 2550
idle_mw = 800
standby_mw = 250
idle_after_ns = 1_000_000_000
to_idle_ns = 500_000_000
to_idle_mj = 1150
from_idle_ns = 500_000_000
from_idle_mj = 1150
standby_after_ns = 3_380_000_000
spin_down_ns = 2_300_000_000
spin_down_mj = 2940
spin_up_ns = 1_600_000_000
spin_up_mj = 5000

[[device.pool]]
name = "nand"
channels = 1
chips = 1
dies = 1
planes = 1
blocks = 32
wordlines = 64
page_bytes = 4096
[device.pool.bus]
ps_per_byte = 0
[device.pool.slc]
read_ns = [100_000]
program_ns = [200_000]
erase_ns = 900_000
endurance_cycles = 50_000
[device.pool.mlc]
read_ns = [100_000]
program_ns = [800_000]
erase_ns = 900_000
endurance_cycles = 10_000
"""


def result(
    name: str, seconds: Mapping[str, float], *, miss_rate: float | None = 0.25, fills: int = 30
) -> slcache.Result:
    """Return a run whose disk was in each state so long; half of its reads fetch what fills."""
    document = json.loads(_whole())
    document["scheme"]["name"] = name
    figures = {} if miss_rate is None else {"miss_rate": miss_rate, "host_bytes": 4096}
    document["scheme"]["figures"] = figures
    waits = {"spin-up": 40.0, "fetch": 5.0, "fill": 3.0, "promote": 2.0}
    attribution = document["host"]["read"]["attribution_us"]
    attribution["service"] |= {"disk-positioning": 30.0, "disk-transfer": 10.0}
    attribution["wait"] |= waits
    attribution["total"] += sum(waits.values()) + 40.0
    document["waf"]["by_cause"]["fill"] = 0.5
    document["waf"]["total"] += 0.5
    document["disk"] = disk(seconds, fills)
    return slcache.Result(figured(document))


def disk(seconds: Mapping[str, float], fills: int) -> dict[str, Any]:
    """Return a disk that went through these states in their order, in windows of a second."""
    until = sum(seconds.values())
    states = [
        {"state": name, "time_s": time, "energy_j": _energy(name, time)}
        for name, time in seconds.items()
    ]
    energy = sum(_energy(name, time) for name, time in seconds.items())
    return {
        "ops": [
            _op("read", "host", fills, 4096),
            _op("write", "migration", 10, 4096),
        ],
        "energy_j": energy,
        "mean_power_w": energy / until,
        "until_ns": round(until * 1e9),
        "states": states,
        "spin_ups": round(seconds.get("spin-up", 0.0) / 1.6),
        "spin_downs": round(seconds.get("spin-down", 0.0) / 2.3),
        "series": {"window_ns": 1_000_000_000, "states": _series(seconds)},
    }


def without_disk(name: str) -> slcache.Result:
    """Return a run on a device without a disk, over the same trace."""
    document = json.loads(_whole())
    document["scheme"]["name"] = name
    return slcache.Result(document)


def _energy(state: str, time_s: float) -> float:
    if state in WATTS:
        return WATTS[state] * time_s
    each_s, each_j = TRANSITIONS[state]
    return each_j * time_s / each_s


def _op(kind: str, cause: str, count: int, size: int) -> dict[str, Any]:
    seek, rotation, transfer, overhead = 12_000.0, 5_560.0, 100.0, 300.0
    return {
        "kind": kind,
        "cause": cause,
        "count": count,
        "bytes": count * size,
        "seek_us": count * seek,
        "rotation_us": count * rotation,
        "transfer_us": count * transfer,
        "time_us": count * (seek + rotation + transfer + overhead),
    }


def _series(seconds: Mapping[str, float]) -> dict[str, list[float]]:
    """Return the share of each second in each state; the last window is cut short."""
    ends, now = {}, 0.0
    for name, time in seconds.items():
        ends[name] = (now, now + time)
        now += time
    windows = range(-(-round(now * 1000) // 1000))
    return {
        name: [
            max(0.0, min(end, i + 1.0) - max(start, float(i))) / (min(now, i + 1.0) - i)
            for i in windows
        ]
        for name, (start, end) in ends.items()
    }


@cache
def _whole() -> str:
    """Return a document that has every other part."""
    with TemporaryDirectory() as folder:
        trace = write_trace(Path(folder) / "mixed.csv", mixed(60))
        return slcache.run(trace, device="tiny", scheme="tlc-only").to_json()


def changed(run: slcache.Result) -> dict[str, Any]:
    """Return a run's document to be changed."""
    return copy.deepcopy(run.to_dict())
