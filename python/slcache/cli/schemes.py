"""The verbs about schemes: `schemes`, which lists them, and those about ones of one's own."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from slcache import catalogue, units
from slcache.cli import console
from slcache.cli import options as opt
from slcache.errors import ConfigError, about
from slcache.options import needed, option
from slcache.options.content import SEED_MAX
from slcache.options.models import SET
from slcache.sentences import notes
from slcache.tables.table import Columns, Table

app = opt.group("schemes")


@dataclass(frozen=True, kw_only=True)
class Listed(opt.OwnScheme, opt.Shown):
    """The schemes, on a device."""

    device: str | None = option(
        "PRESET|FILE.toml",
        "Show range and value of each knob on this device.",
        offer="devices",
    )


@app.default
@opt.verb
def schemes(asked: Listed) -> None:
    """List the SLC-cache schemes, and the knobs that can be set while they run.

    Example:
      slcache schemes --device tiny

    """
    device = asked.device
    entries = catalogue.schemes(device=device)
    asked.check_used()
    console.answer(asked.form, entries, _parts(entries))
    if asked.form == "table":
        problems = {entry["name"]: entry["problem"] for entry in entries if "problem" in entry}
        runs = "does not run on", "do not run on"
        for sentence in notes.reasons(problems, *(f"{does} {device}" for does in runs)):
            console.note(sentence)


_SCHEME: Columns = {"scheme": "name", "what it does": "summary", "paper": "paper"}


def _parts(entries: list[dict[str, Any]]) -> Iterator[Table]:
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
class Declared(opt.Shown):
    """A scheme of one's own."""

    source: str = field(
        kw_only=False,
        metadata=needed("FILE:CLASS", "The class, such as ./mine.py:TwoTemperatures."),
    )


@app.command
@opt.verb
def show(asked: Declared) -> None:
    """Show what a scheme declares: its regions, options and methods.

    Example:
      slcache schemes show examples/schemes/two_temperatures.py:TwoTemperatures

    """
    told = _told(asked.source)
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


def _told(source: str) -> dict[str, Any]:
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
class Checked(opt.Metered, Declared):
    """A scheme of one's own, and the cases that it is tried in."""

    settings: dict[str, str] | None = option(*SET, name="--set", offer="settings")
    cases: int = option("N", "Number of cases.", default=200, range=(1, 1_000_000))
    seed: int = option("N", "Seed of all random choices.", default=1, range=(0, SEED_MAX))


@app.command
@opt.verb
def check(asked: Checked) -> int:
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
    console.answer(asked.form, outcome.to_dict(), [table, *map(Text, _lines(outcome))])
    return 0 if outcome.failure is None else 1


def _lines(outcome: Any) -> list[str]:  # noqa: ANN401 - as `conformance` returns it
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
