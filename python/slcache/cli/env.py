"""The verbs about environments for learning agents: `slcache env replay`, `slcache env bench`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from slcache import RunError
from slcache.cli import console
from slcache.cli import options as opt
from slcache.cli.made import verb
from slcache.cli.verb import Verbs
from slcache.tables.tabular import Table
from slcache.words import units

if TYPE_CHECKING:
    from slcache.gym.replay import Outcome

app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    help="The Gymnasium environment slcache/SlcCache-v0: episodes repeated, agents compared.\n\n"
    "[bold]Example[/bold]\n\n  slcache env replay episode.json",
)


@verb(app)
def replay(
    file: Annotated[Path, opt.argument("FILE", "An episode that was recorded.")],
    scheme: opt.OwnScheme = None,
    json: opt.Json = False,
) -> None:
    """Repeat a recorded episode: the same score, or what differs (status 1).

    An environment made with [bold]record="episode.json"[/bold] writes each episode
    that ends: its arguments, the hash of the configuration, the seed, the actions,
    and what every window was worth. Device files and traces are read where they
    were. The learner is not part of it: the actions are repeated, not decided anew.

    \b
    [bold]Examples[/bold]
      slcache env replay episode.json
      slcache env replay episode.json --scheme ./mine.py:Small
    """
    try:
        from slcache.gym import replay as episodes
    except ImportError as error:
        raise RunError(str(error)) from error
    outcome = episodes.replay(file, scheme=scheme)
    console.told(json, outcome.to_dict(), *map(Text, _lines(outcome)))
    if outcome.differences:
        raise typer.Exit(1)


@verb(app)
def bench(
    agent: Annotated[
        str | None, opt.argument("[FILE.py:NAME]", "An agent of yours, called with a seed.")
    ] = None,
    inputs: Annotated[Path, opt.option("DIR", "The folder examples of a checkout.")] = Path(
        "examples"
    ),
    seeds: Annotated[int | None, opt.option("N", "Play with N seeds (10).", min=1, max=100)] = None,
    rounds: Annotated[
        int | None, opt.option("N", "Train N times on every cell (4).", min=1, max=100)
    ] = None,
    quick: Annotated[
        bool, opt.flag("--quick", "One seed and one fill, in under a minute.")
    ] = False,
    out: Annotated[Path | None, opt.option("FILE", "Write all scores to this JSON file.")] = None,
    check: Annotated[
        Path | None, opt.option("FILE", "Run again what wrote this file, and compare.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Compare agents that turn the knobs of scheme rl, on frozen inputs.

    The agent trains on one part of the inputs and is judged on another, beside knobs
    left alone, random moves, DWA's ladder, tabular Q-learning, PPO and constants. The
    table shows the mean latency over that of the knobs left alone: below 1 is better.
    The file holds every score; with [bold]--check[/bold] others repeat it (status 1 if it differs),
    and name its agent.

    \b
    [bold]Examples[/bold]
      slcache env bench --quick
      slcache env bench ./mine.py:Agent --out mine.json
      slcache env bench ./mine.py:Agent --check mine.json
    """
    try:
        from slcache.gym import benchmark
    except ImportError as error:
        raise RunError(str(error)) from error
    if check is not None:
        if quick or any(each is not None for each in (out, seeds, rounds)):
            raise typer.BadParameter("--check takes the size from the file")
        differences = benchmark.check(check, agent, inputs=inputs, tell=console.note)
        told = {"same": not differences, "differences": differences}
        console.told(json, told, *map(Text, differences or ["the same"]))
        if differences:
            raise typer.Exit(1)
        return
    document = benchmark.run(
        agent,
        inputs=inputs,
        seeds=seeds,
        rounds=rounds,
        quick=quick,
        out=out,
        tell=console.note,
    )
    console.told(json, document, _table(document))


def _table(document: Mapping[str, Any]) -> Table:
    """Return the mean latency of each agent over that of the knobs left alone."""
    ratios = document["ratios"]
    cells = list(next(iter(ratios.values())))
    title = "mean latency over that with the knobs left alone"
    table = Table("agent", [*cells, "over the bound"], title=title)
    for name, row in ratios.items():
        over = document["dense_over_least"][name]
        table.add(name, *(f"{row[cell]:.3f}" for cell in cells), f"{over:.2f}")
    return table


def _lines(outcome: Outcome) -> list[str]:
    """Return what repeating an episode came to, a line each."""
    windows = f"{units.count(outcome.windows)} window{'s' if outcome.windows != 1 else ''}"
    score = "" if outcome.score is None else f", score {outcome.score!r}"
    if not outcome.differences:
        return [f"the same: {windows}{score}", *outcome.notes]
    recorded = f"; recorded was {outcome.recorded_score!r}" if score else ""
    return [f"another: {windows}{score}{recorded}", *outcome.differences, *outcome.notes]
