"""The verbs about schemes: `schemes`, which lists them, and those about ones of one's own."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rich.text import Text

from slcache import catalogue
from slcache.cli import console
from slcache.cli import options as opt
from slcache.errors import ConfigError, about
from slcache.given.once import SEED_MAX
from slcache.given.options import Asked, needed, option
from slcache.given.shared import SET
from slcache.sentences import notes
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Table, Words
from slcache.words import units

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
    refused = ["problem"] if any("problem" in entry for entry in entries) else []
    listed = Sheet(entries, only=("name", "summary", "paper", *refused))
    sheets = [listed, _knob_sheet(entries)]
    parts = partial(_parts, entries, on_device=device is not None)
    console.answer(asked.form, entries, lambda: sheets, parts)
    if asked.form == "table":
        problems = {entry["name"]: entry["problem"] for entry in entries if "problem" in entry}
        runs = "does not run on", "do not run on"
        for sentence in notes.told(problems, *(f"{does} {device}" for does in runs)):
            console.note(sentence)


def _parts(entries: list[dict[str, Any]], *, on_device: bool) -> Iterator[Table]:
    """Yield what can be told of schemes: what they do, their knobs and their signals."""
    rows = ((entry["name"], entry["summary"], entry.get("paper") or "–") for entry in entries)
    yield Table("scheme", [Words("what it does"), Words("paper")], rows)
    yield _knobs(entries, on_device=on_device)
    yield from _signals(entries)


def _knob_sheet(entries: list[dict[str, Any]]) -> Sheet:
    plain = ("name", "unit", "value", "summary")
    return Sheet(
        [
            {"scheme": entry["name"]} | {key: knob[key] for key in plain if key in knob}
            for entry in entries
            for knob in entry["knobs"]
        ]
    )


def _knobs(entries: list[dict[str, Any]], *, on_device: bool) -> Table:
    """Return the table of what can be turned."""
    columns = [Words("of"), "unit"]
    columns += ["value", Words("values")] if on_device else []
    columns.append(Words("turned up"))
    rows = (
        (
            *(knob["name"], entry["name"], knob["unit"]),
            *([_number(knob["value"]), _values(knob)] if on_device else []),
            knob["summary"],
        )
        for entry in entries
        if "problem" not in entry
        for knob in entry["knobs"]
    )
    return Table("knob", columns, rows)


def _signals(entries: list[dict[str, Any]]) -> Iterator[Table]:
    """Yield the table of what schemes show whoever turns their knobs, if any shows something."""
    signals = [(entry["name"], signal) for entry in entries for signal in entry["signals"]]
    if not signals:
        return
    rows = (
        (
            signal["name"],
            scheme,
            signal["unit"],
            f"{_number(signal['min'])} to {_number(signal['max'])}",
            signal["summary"],
        )
        for scheme, signal in signals
    )
    columns = [Words("of"), "unit", "values", Words("what it is")]
    yield Table("signal", columns, rows)


def _values(knob: dict[str, Any]) -> str:
    """Return the values that a knob may have."""
    if "ladder" in knob:
        return ", ".join(_number(value) for value in knob["ladder"])
    steps = knob["steps"]
    return f"{_number(steps['min'])} to {_number(steps['max'])} by {_number(steps['step'])}"


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


@dataclass(frozen=True, kw_only=True)
class Declared(Asked):
    """A scheme of one's own."""

    source: str = field(
        kw_only=False,
        metadata=needed("FILE:CLASS", "The class, such as ./mine.py:TwoTemperatures."),
    )
    json: bool = option("", opt.AS_JSON, default=False)

    @property
    def form(self) -> opt.Form:
        """How results are printed."""
        return "json" if self.json else "table"


@app.command
@opt.verb
def show(asked: Declared) -> None:
    """Show what a scheme declares: its regions, options and methods.

    Example:
      slcache schemes show examples/schemes/two_temperatures.py:TwoTemperatures

    """
    told = _told(asked.source)
    console.answer(asked.form, told, list, lambda: _declared(told))


def _declared(told: dict[str, Any]) -> Iterator[Table | Text]:
    """Yield what a class declares, for a reader."""
    regions = [
        (row["name"], row["mode"] or "densest", _blocks(row), row["victim"] or _rule(row))
        for row in told["regions"]
    ]
    options = [
        (row["name"], str(row["default"]), row["allowed"], row["help"]) for row in told["options"]
    ]
    decides = ", ".join(told["decides"]) or "nothing: every decision is the default one"
    yield Text(f"{told['name']}: {told['summary']}")
    yield Text(f"decides: {decides}")
    yield _listed(("region", "mode", "blocks per plane", "victim"), regions)
    yield _listed(("option", "default", "allowed", "what it is"), options)


def _listed(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    return Table(heads[0], [Words(head) for head in heads[1:]], rows)


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
    console.answer(asked.form, outcome.to_dict(), list, lambda: map(Text, _lines(outcome)))
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
