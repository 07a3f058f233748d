"""The verbs about traces: `trace info` and `trace lint`."""

from __future__ import annotations

import json as jsonlib
from typing import Any

import typer
from rich import box
from rich.table import Table

from slcache import _core
from slcache.cli import console
from slcache.cli import options as opt
from slcache.leaves import shown

app = typer.Typer(
    no_args_is_help=True,
    help="Look at a trace without simulating it.\n\n[bold]Example[/bold]\n\n"
    "  slcache trace info web.csv.gz",
)

_LISTED = 20


@app.command()
def info(
    trace: opt.TracePath,
    trace_format: opt.TraceFormat = None,
    trace_option: opt.TraceOptions = None,
    json: opt.Json = False,
) -> None:
    """Print a trace's counts, sizes, footprint and times; --json adds sizes and volumes.

    \b
    [bold]Example[/bold]
      slcache trace info web.csv.gz --json
    """
    text = _core.trace_info(trace, _options(trace_format, trace_option))
    if json:
        console.emit(text)
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    document = jsonlib.loads(text)
    for key, value in document.items():
        if not isinstance(value, dict | list):
            table.add_row(key, shown(value))
    table.add_row("sha256", document["summary"]["sha256"])
    for skipped in document["summary"]["skipped"]:
        table.add_row(f"left out: {skipped['reason']}", shown(skipped["count"]))
    console.show(table)


@app.command()
def lint(
    trace: opt.TracePath,
    trace_format: opt.TraceFormat = None,
    trace_option: opt.TraceOptions = None,
    json: opt.Json = False,
) -> None:
    """List everything in a trace that would stop or distort a run.

    Exits with status 4 when there is a problem, 0 when the trace is clean.

    \b
    [bold]Example[/bold]
      slcache trace lint web.csv.gz --trace-format msr
    """
    text = _core.trace_lint(trace, _options(trace_format, trace_option))
    document = jsonlib.loads(text)
    if json:
        console.emit(text)
    else:
        _show_problems(document)
    if document["counts"]:
        raise typer.Exit(4)


def _options(trace_format: str | None, trace_option: list[str] | None) -> dict[str, str]:
    options = opt.pairs(trace_option)
    if trace_format is not None:
        options["format"] = trace_format
    return options


def _show_problems(document: dict[str, Any]) -> None:
    summary = document["summary"]
    requests = f"{summary['reads'] + summary['writes']:,} requests"
    total = sum(document["counts"].values())
    if not total:
        console.show(f"{requests}, no problems")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title, justify in (("line", "right"), ("kind", "left"), ("problem", "left")):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    for problem in document["problems"][:_LISTED]:
        table.add_row(shown(problem["line"]), problem["kind"], problem["message"])
    counts = ", ".join(f"{kind} {number:,}" for kind, number in document["counts"].items())
    console.show(table, f"{requests}, {total:,} problems: {counts}")
