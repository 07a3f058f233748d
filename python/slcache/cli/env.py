"""The verbs about environments for learning agents: `slcache env replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from slcache import RunError
from slcache.cli import console
from slcache.cli import options as opt
from slcache.cli.verb import Verb, Verbs
from slcache.words import units

if TYPE_CHECKING:
    from slcache.gym.replay import Outcome

app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    help="Repeat episodes of the Gymnasium environment slcache/SlcCache-v0.\n\n"
    "[bold]Example[/bold]\n\n  slcache env replay episode.json",
)


@app.command(cls=Verb)
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An episode that was recorded.")],
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
      slcache env replay episode.json --json
    """
    try:
        from slcache.gym import replay as episodes
    except ImportError as error:
        raise RunError(str(error)) from error
    outcome = episodes.replay(file)
    if json:
        console.emit_json(outcome.to_dict())
    else:
        console.show(*(Text(line) for line in _lines(outcome)))
    if outcome.differences:
        raise typer.Exit(1)


def _lines(outcome: Outcome) -> list[str]:
    """Return what repeating an episode came to, a line each."""
    windows = f"{units.count(outcome.windows)} window{'s' if outcome.windows != 1 else ''}"
    score = "" if outcome.score is None else f", score {outcome.score!r}"
    if not outcome.differences:
        return [f"the same: {windows}{score}", *outcome.notes]
    recorded = f"; recorded was {outcome.recorded_score!r}" if score else ""
    return [f"another: {windows}{score}{recorded}", *outcome.differences, *outcome.notes]
