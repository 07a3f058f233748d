"""The verbs about devices: `devices`, which lists the presets, and `devices show`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from slcache import catalogue
from slcache.cli import console
from slcache.cli import options as opt
from slcache.given.options import needed
from slcache.sentences import notes
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Table, Words
from slcache.words import units

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
    names = ("name", "user_bytes", "capacity_bytes", "summary", "source")
    rows = (
        (e["name"], units.size(e["user_bytes"]), e["summary"], e.get("source") or "–")
        for e in entries
    )
    columns = ["user data", Words("what it is"), Words("source")]
    listed = Table("device", columns, rows)
    console.answer(shown.form, entries, lambda: [Sheet(entries, only=names)], lambda: [listed])


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
    sheets = (_mode_sheet, _cache_sheet)
    console.answer(asked.form, facts, lambda: [s(facts) for s in sheets], lambda: _parts(facts))


def _parts(facts: Facts) -> Iterator[Table | Text | str]:
    """Yield all that is told of a device."""
    yield Text(facts["name"] + (f": {facts['summary']}" if facts["summary"] else ""), "bold")
    if facts["statement"]:
        yield Text(facts["statement"], "italic")
    yield Table("size", ["", Words("")], _sizes(facts))
    for pool in facts["pools"]:
        yield from _pool(pool)
    yield _caches(facts)
    if facts["evidence"]:
        yield _evidence(facts)
    problems = {s["scheme"]: s["problem"] for s in facts["schemes"] if "problem" in s}
    yield from notes.told(problems, "does not run on it", "do not run on it")
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


def _evidence(facts: Facts) -> Table:
    """Return on what each key of the device's file stands."""
    rows = []
    for key, ground in facts["evidence"].items():
        ends = [ground.get(end) for end in ("low", "high")]
        between = "" if None in ends else f" ({ends[0]:.10g} to {ends[1]:.10g})"
        rows.append((key, ground["kind"].replace("-", " ") + between, ground["source"]))
    return Table("key", [Words("is"), Words("by")], rows)


def _pool(pool: Facts) -> Iterator[Table]:
    """Yield a pool's modes side by side, and what their latencies consist of."""
    sides, peaks = ("read", "write"), ("peak_read", "peak_program")
    titles = ("all in it", "block", "4 KiB\nread", "4 KiB\nwrite", "peak read\nMB/s")
    yield Table(
        "mode",
        [*titles, "peak program\nMB/s"],
        (
            (
                mode["mode"],
                *(units.size(mode[key]) for key in ("raw_bytes", "block_bytes")),
                *(_latency(mode[side]) for side in sides),
                *(_rate(mode[peak]) for peak in peaks),
            )
            for mode in pool["modes"]
        ),
        title=f"{pool['name']}: {pool['channels']} channels, {pool['planes']} planes, "
        f"{pool['units']} operations at a time",
    )
    parts = (
        (
            f"{mode['mode']} {side}",
            " + ".join(f"{p['part']} {_time(p['ns'])}" for p in mode[side]["parts"]),
        )
        for mode in pool["modes"]
        for side in sides
    )
    yield Table("4 KiB", [Words("consists of")], parts)


def _rate(peak: Facts) -> str:
    return f"{units.trimmed(units.significant(peak['mb_per_s'], 4))} ({peak['bound_by']})"


def _latency(latency: Facts) -> str:
    if latency["slowest_ns"] == latency["ns"]:
        return _time(latency["ns"])
    return f"{_time(latency['ns'])}\nto {_time(latency['slowest_ns'])}"


def _time(nanoseconds: int) -> str:
    return units.duration(nanoseconds / 1000, trim=True)


def _mode_sheet(facts: Facts) -> Sheet:
    return Sheet(
        [
            {
                "pool": pool["name"],
                "mode": mode["mode"],
                "raw_bytes": mode["raw_bytes"],
                "block_bytes": mode["block_bytes"],
                "read_ns": mode["read"]["ns"],
                "write_ns": mode["write"]["ns"],
                "read_mb_per_s": mode["peak_read"]["mb_per_s"],
                "read_bound_by": mode["peak_read"]["bound_by"],
                "program_mb_per_s": mode["peak_program"]["mb_per_s"],
                "program_bound_by": mode["peak_program"]["bound_by"],
            }
            for pool in facts["pools"]
            for mode in pool["modes"]
        ]
    )


def _cache_sheet(facts: Facts) -> Sheet:
    records = []
    for scheme in facts["schemes"]:
        own = {key: scheme.get(key) for key in ("scheme", "slc_bytes")}
        found = scheme.get("range")
        ends = {} if found is None else {"key": found["key"], "default": found["default"]}
        for name in ("min", "max") if found is not None else ():
            ends |= {name: found[name]["value"], f"{name}_slc_bytes": found[name]["slc_bytes"]}
        records.append({**own, **ends, "problem": scheme.get("problem")})
    return Sheet(records)


def _caches(facts: Facts) -> Table:
    """Return what the schemes' caches take, and how far that can be changed."""
    rows = []
    for scheme in facts["schemes"]:
        if "problem" in scheme:
            continue
        size = units.size(scheme["slc_bytes"]) if scheme["slc_bytes"] else "–"
        key = scheme["range"]
        ends = [] if key is None else [key["min"], key["max"]]
        told = [t for end in ends for t in (str(end["value"]), units.size(end["slc_bytes"]))]
        own = [] if key is None else [key["key"].rpartition(".")[2], str(key["default"])]
        rows.append((scheme["scheme"], size, *own, *told))
    columns = ["SLC cache", Words("key"), "default", "least", "SLC", "most", "SLC "]
    return Table("scheme", columns, rows)
