"""Result documents of devices with a disk, written by hand."""

from __future__ import annotations

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
    """Return a run whose disk was in each state so long."""
    document = json.loads(_whole())
    document["scheme"]["name"] = name
    figures = {} if miss_rate is None else {"miss_rate": miss_rate, "host_bytes": 4096}
    document["scheme"]["figures"] = figures
    document["disk"] = disk(seconds, fills)
    return slcache.Result(figured(document))


def disk(seconds: Mapping[str, float], fills: int) -> dict[str, Any]:
    """Return a disk that was in these states, each second for the same part of it."""
    until = sum(seconds.values())
    energy = {name: _energy(name, time) for name, time in seconds.items()}
    windows = -(-round(until * 1000) // 1000)
    series = {name: [time / until] * windows for name, time in seconds.items()}
    return {
        "ops": [_op("read", "host", fills), _op("write", "migration", 10)],
        "energy_j": sum(energy.values()),
        "mean_power_w": sum(energy.values()) / until,
        "until_ns": round(until * 1e9),
        "states": [{"state": n, "time_s": t, "energy_j": energy[n]} for n, t in seconds.items()],
        "spin_ups": round(seconds.get("spin-up", 0.0) / 1.6),
        "spin_downs": round(seconds.get("spin-down", 0.0) / 2.3),
        "series": {"window_ns": 1_000_000_000, "states": series},
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


def _op(kind: str, cause: str, count: int) -> dict[str, Any]:
    parts = {"seek": 12_000.0, "rotation": 5_560.0, "transfer": 100.0}
    times = {f"{part}_us": count * us for part, us in parts.items()}
    # 300 us are the controller's.
    times["time_us"] = count * (sum(parts.values()) + 300.0)
    return {"kind": kind, "cause": cause, "count": count, "bytes": count * 4096, **times}


@cache
def _whole() -> str:
    """Return a document that has every other part."""
    with TemporaryDirectory() as folder:
        trace = write_trace(Path(folder) / "mixed.csv", mixed(60))
        return slcache.run(trace, device="tiny", scheme="tlc-only").to_json()
