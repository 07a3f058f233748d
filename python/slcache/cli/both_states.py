"""`compare --states`: an empty and a worn device side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from rich.text import Text

from slcache import _core, comparing
from slcache.cli import checks, console
from slcache.cli import options as opt
from slcache.documents import normalise
from slcache.given.states import WORN
from slcache.results import Comparison
from slcache.sentences import state, verdict
from slcache.tables import grid
from slcache.tables.tabular import Table
from slcache.words.names import printable

States = Annotated[
    bool,
    opt.flag(
        "--states",
        f"Compare on an empty device and on a full and overwritten one ({WORN}), and show side by "
        "side what turns round.",
    ),
]

#: What stands side by side.
TITLES = ("write mean", "read mean", "WAF")

ByState = Mapping[str, Comparison]


def check(trace: str, alone: Mapping[str, object]) -> None:
    """Refuse what one comparison has and two side by side have not."""
    if alone["format"] not in ("table", "json"):
        told = "has no tables for other programs with --states; give it with each --state alone"
        raise checks.wrong(told, "--format")
    for option, value in alone.items():
        if value and option != "format":
            told = "has no effect with --states; give it with each --state alone"
            raise checks.wrong(told, f"--{option}")
    if _core.is_read_once(trace):
        told = "reads the trace once for each state; give a file"
        raise checks.wrong(told, "--states")


def show(trace: str, how: Mapping[str, Any], form: opt.Form, progress: opt.When) -> None:
    """Compare in both states and print what turns round."""
    with console.meter(progress, kept=how["store"] is not None) as meter:
        found = comparing.in_states(trace, **how, progress=meter)
    if form == "json":
        console.emit_json({"states": {name: each.to_dict() for name, each in found.items()}})
        return
    lines = [Text(f"{name}: {state.line(each.documents)}") for name, each in found.items()]
    never = [
        Text(f"{name}: {told}", "yellow")
        for name, each in found.items()
        if (told := state.unfilled(zip(each.labels, each.documents, strict=True)).strip())
    ]
    console.show(*lines, *never, _table(found), *map(Text, sentences(found)))


def _table(compared: Mapping[str, Comparison]) -> Table:
    """Return the figures of a comparison in each state, side by side."""
    table = Table("scheme", columns(compared))
    for row in rows(compared):
        cells = [Text(cell.marked, "bold green" if cell.best else "") for cell in row.cells]
        name = printable(row.label)
        table.add(f"{name} (=1)" if row.reference else name, *cells)
    return table


def columns(compared: ByState) -> list[str]:
    """Return the titles of the table, a figure in each state."""
    return [f"{title}\n{state}" for title in TITLES for state in compared]


def rows(compared: ByState) -> list[grid.Row]:
    """Return the table: a scheme's figures in each state, as factors of the reference there."""
    tables = [comparison.rows() for comparison in compared.values()]
    return [
        grid.Row(same[0].label, same[0].reference, _cells(same), "")
        for same in zip(*tables, strict=True)
    ]


def _cells(same: Sequence[grid.Row]) -> list[grid.Cell]:
    """Return what is shown of one scheme, of which there is a row for each state."""
    return [cell for title in TITLES for row in same for cell in row.cells if cell.title == title]


def sentences(compared: ByState) -> list[str]:
    """Return for each side who wins in each state, by how much, and whether that is the same."""
    lines = []
    for side in ("write", "read"):
        told = {
            state: verdict.winner(side, each.labels, each.documents, each.reference)
            for state, each in compared.items()
        }
        if not any(told.values()):
            continue
        turns = "turn round" if _turns(side, compared) else "do not turn round"
        parts = "; ".join(
            f"{state}: {text.removeprefix(f'{side}s: ')}" for state, text in told.items()
        )
        lines.append(f"{side.capitalize()}s {turns} with the state. {parts}.")
    return lines


def _turns(side: str, compared: ByState) -> bool:
    """Return whether not the same schemes have the least mean in each state."""
    best = [
        frozenset(normalise.winners([normalise.latency(d, side, "mean") for d in each.documents]))
        for each in compared.values()
    ]
    return len(set(best)) > 1
