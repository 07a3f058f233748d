"""The verb `schemes`: what there is, and what can be turned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from slcache import catalogue
from slcache.cli import checks, console, joint
from slcache.cli import options as opt
from slcache.sentences import reasons
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator


def schemes(
    *,
    device: Annotated[
        str | None,
        opt.device("A device: tells the values that knobs may have there, and where they stand."),
    ] = None,
    scheme: opt.OwnScheme = None,
    form: joint.Shown,
) -> None:
    """List the SLC-cache schemes, and the knobs that can be turned while they run.

    \b
    [bold]Example[/bold]
      slcache schemes --device tiny
    """
    entries = catalogue.schemes(device=device)
    checks.check_used(scheme)
    sheets = [Sheet([_record(entry) for entry in entries]), _knob_sheet(entries)]
    if console.in_form(form, lambda: console.json_of(entries), lambda: sheets):
        return
    listed = Table("scheme", [Column("what it does", text=True), Column("paper", text=True)])
    for entry in entries:
        listed.add(entry["name"], entry["summary"], entry.get("paper") or "–")
    console.show(listed, _knobs(entries, on_device=device is not None), *_signals(entries))
    problems = {entry["name"]: entry["problem"] for entry in entries if "problem" in entry}
    for sentence in reasons.told(problems, f"does not run on {device}", f"do not run on {device}"):
        console.note(sentence)


def _record(entry: dict[str, Any]) -> dict[str, Any]:
    shown = {key: entry.get(key) for key in ("name", "summary", "paper")}
    return {**shown, **({"problem": entry["problem"]} if "problem" in entry else {})}


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
    columns: list[Column | str] = [Column("of", text=True), "unit"]
    columns += ["value", Column("values", text=True)] if on_device else []
    columns.append(Column("turned up", text=True))
    listed = Table("knob", columns)
    for entry in entries:
        for knob in entry["knobs"] if "problem" not in entry else []:
            where = [_number(knob["value"]), _values(knob)] if on_device else []
            listed.add(knob["name"], entry["name"], knob["unit"], *where, knob["summary"])
    return listed


def _signals(entries: list[dict[str, Any]]) -> Iterator[Table]:
    """Yield the table of what schemes show whoever turns their knobs, if any shows something."""
    signals = [(entry["name"], signal) for entry in entries for signal in entry["signals"]]
    if not signals:
        return
    columns: list[Column | str] = [Column("of", text=True), "unit", "values"]
    columns.append(Column("what it is", text=True))
    listed = Table("signal", columns)
    for scheme, signal in signals:
        values = f"{_number(signal['min'])} to {_number(signal['max'])}"
        listed.add(signal["name"], scheme, signal["unit"], values, signal["summary"])
    yield listed


def _values(knob: dict[str, Any]) -> str:
    """Return the values that a knob may have."""
    if "ladder" in knob:
        return ", ".join(_number(value) for value in knob["ladder"])
    steps = knob["steps"]
    return f"{_number(steps['min'])} to {_number(steps['max'])} by {_number(steps['step'])}"


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
