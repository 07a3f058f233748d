"""`compare --states`: an empty and a worn device side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from rich.text import Text

from slcache import _core, comparing
from slcache.cli import by_state, checks, console
from slcache.cli import options as opt
from slcache.given.states import WORN
from slcache.results import Comparison
from slcache.sentences import state
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
    sentences = [Text(line) for line in by_state.sentences(found)]
    console.show(*lines, *never, _table(found), *sentences)


def _table(compared: Mapping[str, Comparison]) -> Table:
    """Return the figures of a comparison in each state, side by side."""
    table = Table("scheme", by_state.columns(compared))
    for row in by_state.rows(compared):
        cells = [Text(cell.marked, "bold green" if cell.best else "") for cell in row.cells]
        name = printable(row.label)
        table.add(f"{name} (=1)" if row.reference else name, *cells)
    return table
