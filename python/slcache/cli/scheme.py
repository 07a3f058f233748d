"""The verbs about schemes of one's own: `slcache scheme show` and `slcache scheme check`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from slcache.cli import checks, console
from slcache.cli import options as opt
from slcache.cli.made import verb
from slcache.cli.verb import Verbs
from slcache.errors import ConfigError, about
from slcache.tables.tabular import Column, Table
from slcache.words import units

app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    help="Schemes of your own, written in Python.\n\n"
    "[bold]Example[/bold]\n\n  slcache scheme check ./mine.py:TwoTemperatures",
)

Source = Annotated[str, opt.argument("FILE:CLASS", "The class, such as ./mine.py:TwoTemperatures.")]


@verb(app)
def show(source: Source, json: opt.Json = False) -> None:
    """Show what a scheme declares: its regions, its options, what it decides.

    \b
    [bold]Example[/bold]
      slcache scheme show examples/schemes/two_temperatures.py:TwoTemperatures
    """
    told = _told(source)
    if json:
        console.emit_json(told)
        return
    regions = [
        (row["name"], row["mode"] or "densest", _blocks(row), row["victim"] or _rule(row))
        for row in told["regions"]
    ]
    options = [
        (row["name"], str(row["default"]), row["allowed"], row["help"]) for row in told["options"]
    ]
    decides = ", ".join(told["decides"]) or "nothing: every decision is the default one"
    console.show(
        Text(f"{told['name']}: {told['summary']}"),
        Text(f"decides: {decides}"),
        _table(("region", "mode", "blocks per plane", "victim"), regions),
        _table(("option", "default", "allowed", "what it is"), options),
    )


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    table = Table(heads[0], [Column(head, text=True) for head in heads[1:]])
    for row in rows:
        table.add(*row)
    return table


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
    from slcache.scheme import declared, hosted
    from slcache.scheme.source import NotFoundError, found

    try:
        cls, sha256 = found(source)
    except NotFoundError as error:
        raise about(ConfigError(f"{source}: must be {error}"), "scheme") from error
    given, _ = declared.values(cls, None, {})
    rows, wrong = declared.regions(cls, given)
    if wrong:
        raise about(ConfigError("; ".join(f"{v}: must be {a}" for _, v, a in wrong)), "scheme")
    options = [
        {
            "name": name,
            "default": each.default,
            "allowed": declared.allowed(each),
            "help": each.help,
        }
        for name, each in declared.options(cls).items()
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


@verb(app)
def check(
    source: Source,
    sets: opt.Sets = None,
    cases: Annotated[int, opt.option("N", "Cases.", min=1, max=1_000_000)] = 200,
    seed: opt.Seed = None,
    json: opt.Json = False,
    progress: opt.Progress = "auto",
) -> None:
    """Hold a scheme against what every scheme owes its user; status 1 where it fails.

    Each case draws a small device, nearly empty to full, of one-shot or per-page chips, and
    1,500 requests with pauses, trims and flushes. Audits must find nothing. A copy made in the
    middle must end with the same figures: all that a scheme decides by is in its attributes, or
    in save and load. A restored device must be the saved one, and idle work must end. Another
    process, in which hashes of texts differ, must come to the same figures in ten cases.
    The first case that fails is told with as few requests as it takes.

    \b
    [bold]Examples[/bold]
      slcache scheme check ./mine.py:TwoTemperatures
      slcache scheme check ./mine.py:TwoTemperatures --cases 5000 --seed 7
    """
    from slcache import conformance

    with console.meter(progress) as on_progress:
        outcome = conformance.check(
            source,
            settings=checks.pairs(sets),
            cases=cases,
            seed=1 if seed is None else seed,
            on_progress=on_progress,
        )
    console.told(json, outcome.to_dict(), *map(Text, lines(outcome)))
    if outcome.failure is not None:
        raise typer.Exit(1)


def lines(outcome: Any) -> list[str]:  # noqa: ANN401 - as `conformance` returns it
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
