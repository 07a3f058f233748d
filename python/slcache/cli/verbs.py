"""The verbs of the command line put together; each is loaded only where it is meant."""

from __future__ import annotations

import copy
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Annotated, Any, cast

import typer

from slcache import _core
from slcache.cli.made import verb
from slcache.cli.verb import UNNAMED, VerbOfItsOwn, Verbs

#: What verbs are for, in the order in which help lists them.
_SIMULATE = "Simulate"
_SEARCH = "Vary and search"
_RESULTS = "Results"
_LOOK = "Devices, schemes, traces, keys"

#: Each verb: what it is for, and the module that has a function of its name.
_VERBS = {
    "run": (_SIMULATE, "simulate"),
    "compare": (_SIMULATE, "simulate"),
    "diff": (_RESULTS, "diff"),
    "report": (_RESULTS, "report"),
    "why": (_RESULTS, "why"),
    "explain": (_LOOK, "explain"),
    "reproduce": (_SEARCH, "reproduce"),
    "cliff": (_SIMULATE, "cliff"),
    "fit": (_SEARCH, "fit"),
    "tune": (_SEARCH, "tune"),
    "bound": (_SEARCH, "bound"),
}


def command(words: Sequence[str]) -> Callable[..., Any]:
    """Return what runs the verb that these words begin with; a process makes each once."""
    return _command(tuple(words[: 2 if words and words[0] in _GROUPS else 1]))


@functools.cache
def _command(words: tuple[str, ...]) -> Callable[..., Any]:
    return typer.main.get_command(app(words))


def app(words: Sequence[str] = ()) -> typer.Typer:
    """Return the command line: with the verb that these words begin with, else with every verb."""
    made = typer.Typer(
        name="slcache",
        cls=Verbs,
        rich_markup_mode="rich",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_root)
    first = words[0] if words else ""
    # The version needs no verb; what is not known is told with those that are.
    known = first in _VERBS or first in _GROUPS or first == "--version"
    for name, (panel, module) in _VERBS.items():
        if first == name or not known:
            verb(made, name, rich_help_panel=panel)(getattr(_module(module), name))
    for name, (panel, group) in _GROUPS.items():
        if first == name or not known:
            meant = words[1] if len(words) > 1 else ""
            made.add_typer(_only(group(), meant), name=name, rich_help_panel=panel)
    return made


def _only(group: typer.Typer, name: str) -> typer.Typer:
    """Return a group with the verb of this name alone, whose reading takes a while, else with all.

    What is no verb may be an option, a mistake, or for the verb without a name.
    """
    named = [each for each in group.registered_commands if each.name == name]
    if not named:
        return group
    only = copy.copy(group)
    only.registered_commands = named
    return only


def _module(name: str) -> Any:  # noqa: ANN401
    return importlib.import_module(f"slcache.cli.{name}")


def _group(module: str) -> Callable[[], typer.Typer]:
    return lambda: cast(typer.Typer, _module(module).app)


def _sweep() -> typer.Typer:
    from slcache.cli import sweep, sweep_show

    group = typer.Typer(cls=VerbOfItsOwn, help="Run a study; sweep show: show what one found.")
    verb(group, UNNAMED)(sweep.sweep)
    verb(group, "show")(sweep_show.show)
    return group


@functools.cache
def _trace() -> typer.Typer:
    from slcache.cli import trace, trace_generate, trace_twins

    told = "Look at traces, convert them, or make new ones.\n\n"
    example = "[bold]Example[/bold]\n\n  slcache trace info web.csv.gz"
    group = typer.Typer(cls=Verbs, no_args_is_help=True, help=told + example)
    for function in (
        trace.info,
        trace_twins.twin,
        trace.lint,
        trace_generate.convert,
        trace_generate.generate,
        trace_generate.formats,
        trace_generate.workloads,
    ):
        verb(group)(function)
    return group


#: Each group of verbs: what it is for, and how it is put together.
_GROUPS: dict[str, tuple[str, Callable[[], typer.Typer]]] = {
    "sweep": (_SEARCH, _sweep),
    "trace": (_LOOK, _trace),
    "devices": (_LOOK, _group("devices")),
    "schemes": (_LOOK, _group("schemes")),
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"slcache {_core.version()} ({_core.commit()})")
        raise typer.Exit


def _root(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Simulate hybrid SSDs: replay a block trace under several SLC-cache schemes.

    \b
    [bold]Example[/bold]
      slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline

    Exit status: 0 done, 1 the run failed (also: it needs more memory than there is),
    2 wrong usage, 3 configuration not valid, 4 trace not readable, 130 interrupted
    (by Ctrl-C or SIGTERM).
    """
