"""The verbs about devices and schemes: what there is, each in figures, and own schemes."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from slcache import catalogue, units
from slcache.cli import console
from slcache.cli import options as opt
from slcache.errors import ConfigError, about
from slcache.options import option
from slcache.options.content import SEED_MAX
from slcache.options.models import SET
from slcache.sentences import notes
from slcache.tables.table import Cells, Columns, Table

devices_app = opt.group("devices")

Facts = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class DeviceOptions(opt.SchemeSourceOptions, opt.OutputOptions):
    """A device, and how it is shown."""

    device: str = opt.argument("PRESET|FILE.toml", "A preset or a device file.", offer="devices")


@devices_app.default
@opt.verb
def devices(shown: opt.OutputOptions) -> None:
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


@devices_app.command(name="show")
@opt.verb
def show_device(asked: DeviceOptions) -> None:
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
    console.answer(asked.form, facts, _facts(facts))


def _facts(facts: Facts) -> Iterator[Cells | Text | str]:
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


schemes_app = opt.group("schemes")


@dataclass(frozen=True, kw_only=True)
class SchemesOptions(opt.SchemeSourceOptions, opt.OutputOptions):
    """The schemes, on a device."""

    device: str | None = option(
        "PRESET|FILE.toml",
        "Show range and value of each knob on this device.",
        offer="devices",
    )


@schemes_app.default
@opt.verb
def schemes(asked: SchemesOptions) -> None:
    """List the SLC-cache schemes, and the knobs that can be set while they run.

    Example:
      slcache schemes --device tiny

    """
    device = asked.device
    entries = catalogue.schemes(device=device)
    asked.check_used()
    console.answer(asked.form, entries, _schemes(entries))
    if asked.form == "table":
        problems = {entry["name"]: entry["problem"] for entry in entries if "problem" in entry}
        runs = "does not run on", "do not run on"
        for sentence in notes.reasons(problems, *(f"{does} {device}" for does in runs)):
            console.note(sentence)


_SCHEME: Columns = {"scheme": "name", "what it does": "summary", "paper": "paper"}


def _schemes(entries: list[dict[str, Any]]) -> Iterator[Table]:
    """Yield what can be told of schemes: what they do, their knobs and their signals."""
    refused = ["problem"] if any("problem" in entry for entry in entries) else []
    yield Table(entries, _SCHEME, only=("name", "summary", "paper", *refused))
    knobs, signals = (
        [{"scheme": entry["name"], **each} for entry in entries for each in entry[kind]]
        for kind in ("knobs", "signals")
    )
    here = any("value" in knob for knob in knobs)
    on_device: Columns = {"value": "value", "values": _values}
    columns: Columns = {
        "knob": "name",
        "of": "scheme",
        "unit": "unit",
        **(on_device if here else {}),
        "turned up": "summary",
    }
    value = ["value"] if here else []
    keys = ("scheme", "name", "unit", *value, "summary")
    yield Table(knobs, columns, only=keys, told=lambda knob: "value" in knob or not here)
    if signals:
        yield Table(signals, _SIGNAL, only=("scheme", "name", "unit", "min", "max", "summary"))


_SIGNAL: Columns = {
    "signal": "name",
    "of": "scheme",
    "unit": "unit",
    "values": lambda signal: f"{_number(signal['min'])} to {_number(signal['max'])}",
    "what it is": "summary",
}


def _values(knob: dict[str, Any]) -> str:
    """Return the values that a knob may have."""
    if "ladder" in knob:
        return ", ".join(_number(value) for value in knob["ladder"])
    steps = knob["steps"]
    return f"{_number(steps['min'])} to {_number(steps['max'])} by {_number(steps['step'])}"


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


@dataclass(frozen=True, kw_only=True)
class SchemeOptions(opt.OutputOptions):
    """A scheme of one's own."""

    source: str = opt.argument("FILE:CLASS", "The class, such as ./mine.py:TwoTemperatures.")


@schemes_app.command(name="show")
@opt.verb
def show_scheme(asked: SchemeOptions) -> None:
    """Show what a scheme declares: its regions, options and methods.

    Example:
      slcache schemes show examples/schemes/two_temperatures.py:TwoTemperatures

    """
    told = _declaration(asked.source)
    console.answer(asked.form, told, _declared(told))


_REGION: Columns = {
    "region": "name",
    "mode": lambda row: row["mode"] or "densest",
    "blocks per plane": lambda row: _blocks(row),
    "victim": lambda row: row["victim"] or _rule(row),
}
_OPTION: Columns = {
    "option": "name",
    "default": lambda row: str(row["default"]),
    "allowed": "allowed",
    "what it is": "help",
}


def _declared(told: dict[str, Any]) -> Iterator[Table | Text]:
    """Yield what a class declares, for a reader."""
    decides = ", ".join(told["decides"]) or "nothing: every decision is the default one"
    yield Text(f"{told['name']}: {told['summary']}")
    yield Text(f"decides: {decides}")
    yield Table(told["regions"], _REGION)
    yield Table(told["options"], _OPTION)


def _blocks(row: dict[str, Any]) -> str:
    if row["blocks"] is not None:
        return str(row["blocks"])
    return "slc_blocks" if row["mode"] == "slc" else "what is left, shared"


def _rule(row: dict[str, Any]) -> str:
    """Return which block is emptied next where a class names no rule."""
    has_own = row["blocks"] is not None or row["mode"] == "slc"
    return "greedy" if has_own else "dense.victim"


def _declaration(source: str) -> dict[str, Any]:
    """Return what a class declares."""
    from slcache.scheme import hosted
    from slcache.scheme.source import NotFoundError, found

    try:
        cls, sha256 = found(source)
    except NotFoundError as error:
        raise about(ConfigError(f"{source}: must be {error}"), "scheme") from error
    given, _ = hosted.values(cls, None, {})
    rows, wrong = hosted.regions(cls, given)
    if wrong:
        raise about(ConfigError("; ".join(f"{v}: must be {a}" for _, v, a in wrong)), "scheme")
    options = [
        {
            "name": name,
            "default": each.default,
            "allowed": hosted.allowed(each),
            "help": each.help,
        }
        for name, each in hosted.options(cls).items()
    ]
    summary = (inspect.getdoc(cls) or "").split("\n")[0]
    return {
        "name": cls.__qualname__,
        "summary": summary,
        "sha256": sha256,
        "decides": hosted.decided(cls),
        "regions": rows,
        "options": options,
    }


@dataclass(frozen=True, kw_only=True)
class CheckOptions(opt.ProgressOptions, SchemeOptions):
    """A scheme of one's own, and the cases that it is tried in."""

    settings: dict[str, str] | None = option(*SET, name="--set", offer="settings")
    cases: int = option("N", "Number of cases.", default=200, range=(1, 1_000_000))
    seed: int = option("N", "Seed of all random choices.", default=1, range=(0, SEED_MAX))


@schemes_app.command(name="check")
@opt.verb
def check_scheme(asked: CheckOptions) -> int:
    """Test a scheme in Python against the rules of all schemes; status 1 if it fails.

    Each case has a small random device, nearly empty to full, of one-shot or per-page chips,
    and 1,500 requests with pauses, trims and flushes. Audits must find no error. A copy made
    in the middle must end with the same figures: all state of a scheme is in its attributes,
    or in save and load. A restored device must equal the saved one, and idle work must end.
    In ten cases, a process with other string hashes must give the same figures. The first
    failure is reported with the fewest requests that cause it.

    Examples:
      slcache schemes check ./mine.py:TwoTemperatures
      slcache schemes check ./mine.py:TwoTemperatures --cases 5000 --seed 7

    """
    from slcache import conformance

    with console.meter(asked.meter) as on_progress:
        outcome = conformance.check(
            asked.source,
            settings=asked.settings,
            cases=asked.cases,
            seed=asked.seed,
            on_progress=on_progress,
        )
    failed = outcome.failure and outcome.failure.what
    table = Table([{"ran": outcome.ran, "refused": outcome.refused, "failure": failed}], {})
    console.answer(asked.form, outcome.to_dict(), [table, *map(Text, _outcome(outcome))])
    return 0 if outcome.failure is None else 1


def _outcome(outcome: Any) -> list[str]:  # noqa: ANN401 - as `conformance` returns it
    """Return what a check came to, a line each."""
    refused = f"; {units.count(outcome.refused)} devices refused" if outcome.refused else ""
    if outcome.failure is None:
        return [f"{units.count(outcome.ran)} cases passed{refused}"]
    failure = outcome.failure
    requests = units.count(failure.requests)
    return [
        f"case {failure.case} failed after {requests} requests: {failure.what}",
        "the device:",
        *failure.device.splitlines(),
    ]
