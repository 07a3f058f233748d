"""The verbs about devices: `devices`, which lists the presets, and `devices show`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from slcache import catalogue, units
from slcache.cli import console
from slcache.cli import options as opt
from slcache.options import needed
from slcache.sentences import notes
from slcache.tables.table import Cells, Columns, Table

app = opt.group("devices")

Facts = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Device(opt.OwnScheme, opt.Shown):
    """A device, and how it is shown."""

    device: str = field(
        kw_only=False,
        metadata=needed("PRESET|FILE.toml", "A preset or a device file.", offer="devices"),
    )


@app.default
@opt.verb
def devices(shown: opt.Shown) -> None:
    """List the device presets; show one of them, or a device file, in figures.

    Examples:
      slcache devices
      slcache devices show ips-384g

    """
    entries = catalogue.devices()
    columns: Columns = {
        "device": "name",
        "user data": "user_bytes",
        "what it is": "summary",
        "source": "source",
    }
    keys = ("name", "user_bytes", "capacity_bytes", "summary", "source")
    console.answer(shown.form, entries, [Table(entries, columns, only=keys)])


@app.command
@opt.verb
def show(asked: Device) -> None:
    """Show a device before anything runs on it: sizes, latencies, peaks, caches, warnings.

    Latencies are those of a single request of 4 KiB on an idle device, on the first page of a
    block. Peaks are of whole pages with every chip busy, before the host link. Warnings come
    last.

    Examples:
      slcache devices show tiny
      slcache devices show my.toml --json

    """
    facts = catalogue.device_facts(asked.device)
    asked.check_used()
    console.answer(asked.form, facts, _parts(facts))


def _parts(facts: Facts) -> Iterator[Cells | Text | str]:
    """Yield all that is told of a device."""
    yield Text(facts["name"] + (f": {facts['summary']}" if facts["summary"] else ""), "bold")
    if facts["statement"]:
        yield Text(facts["statement"], "italic")
    yield Cells(["size", "", ""], _sizes(facts))
    for pool in facts["pools"]:
        chips = f"{pool['channels']} channels, {pool['planes']} planes"
        yield Text(f"{pool['name']}: {chips}, {pool['units']} operations at a time", "italic")
    yield _modes(facts)
    yield Cells(["4 KiB", "consists of"], _latencies(facts))
    yield Table(map(_cache, facts["schemes"]), _CACHE)
    if facts["evidence"]:
        rows = itertools.starmap(_ground, facts["evidence"].items())
        yield Cells(["key", "is", "by"], rows)
    problems = {s["scheme"]: s["problem"] for s in facts["schemes"] if "problem" in s}
    yield from notes.reasons(problems, "does not run on it", "do not run on it")
    yield from (Text(f"warning: {line}", "yellow") for line in facts["warnings"])


def _sizes(facts: Facts) -> Iterator[tuple[str, ...]]:
    """Yield what the device holds, and what follows from it."""
    yield "user data", units.size(facts["user_bytes"])
    yield "flash in its densest mode", units.size(facts["raw_bytes"])
    if facts["disk"]:
        yield "disk", units.size(facts["user_bytes"]), "holds the user's data"
        return
    yield "over-provisioning", units.percent(facts["over_provisioning"])
    if facts["random_write_waf"] is not None:
        told = "of the full device under uniform random writes, without a cache (FIFO cleaning)"
        yield "write amplification", f"{facts['random_write_waf']:.2f}", told
    if facts["map"] is not None:
        covered, all_of_it = (
            units.size(facts["map"][key]) for key in ("covered_bytes", "map_bytes")
        )
        told = f"maps {covered}; the whole map takes {all_of_it}"
        yield "mapping cache", units.size(facts["map"]["cache_bytes"]), told
    if facts["link_mb_per_s"] is not None:
        yield "host link", f"{facts['link_mb_per_s']:,.0f} MB/s", "with requests of 128 KiB"


def _ground(key: str, ground: Facts) -> tuple[str, str, str]:
    """Return on what a key of the device's file stands."""
    ends = [ground.get(end) for end in ("low", "high")]
    between = "" if None in ends else f" ({ends[0]:.10g} to {ends[1]:.10g})"
    return key, ground["kind"].replace("-", " ") + between, ground["source"]


def _modes(facts: Facts) -> Table:
    """Return the modes of all pools side by side."""
    records = [
        {
            "pool": pool["name"],
            **mode,
            **{f"{side}_ns": mode[side]["ns"] for side in _SIDES},
            **{f"{does}_{key}": mode[f"peak_{does}"][key] for does in _PEAKS for key in _PEAK},
        }
        for pool in facts["pools"]
        for mode in pool["modes"]
    ]
    peaks = (f"{does}_{key}" for does in _PEAKS for key in _PEAK)
    keys = ("pool", "mode", "raw_bytes", "block_bytes", "read_ns", "write_ns", *peaks)
    return Table(records, _MODE, only=keys)


_SIDES, _PEAKS, _PEAK = ("read", "write"), ("read", "program"), ("mb_per_s", "bound_by")
_MODE: Columns = {
    "pool": "pool",
    "mode": "mode",
    "all in it": "raw_bytes",
    "block": "block_bytes",
    "4 KiB\nread": lambda mode: _latency(mode["read"]),
    "4 KiB\nwrite": lambda mode: _latency(mode["write"]),
    "peak read\nMB/s": lambda mode: _rate(mode["peak_read"]),
    "peak program\nMB/s": lambda mode: _rate(mode["peak_program"]),
}


def _latencies(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield what the latencies of each mode consist of."""
    modes = (mode for pool in facts["pools"] for mode in pool["modes"])
    for mode, side in itertools.product(modes, _SIDES):
        parts = (f"{part['part']} {_time(part['ns'])}" for part in mode[side]["parts"])
        yield f"{mode['mode']} {side}", " + ".join(parts)


def _rate(peak: Facts) -> str:
    return f"{units.trimmed(units.significant(peak['mb_per_s'], 4))} ({peak['bound_by']})"


def _latency(latency: Facts) -> str:
    if latency["slowest_ns"] == latency["ns"]:
        return _time(latency["ns"])
    return f"{_time(latency['ns'])}\nto {_time(latency['slowest_ns'])}"


def _time(nanoseconds: int) -> str:
    return units.duration(nanoseconds / 1000, trim=True)


_CACHE = (
    ("scheme", "scheme"),
    ("SLC cache", "slc_bytes"),
    ("key", "key"),
    ("default", "default"),
    ("least", "min"),
    ("SLC", "min_slc_bytes"),
    ("most", "max"),
    ("SLC", "max_slc_bytes"),
)


def _cache(scheme: Facts) -> Facts:
    """Return what a scheme's cache takes, and how far that can be changed."""
    found = {key: scheme.get(key) for key in ("scheme", "slc_bytes", "problem")}
    if (ends := scheme.get("range")) is not None:
        found |= {"key": ends["key"], "default": ends["default"]}
        for name in ("min", "max"):
            found |= {name: ends[name]["value"], f"{name}_slc_bytes": ends[name]["slc_bytes"]}
    return found
