"""Verbs whose arguments are made of several options, such as all that say how a trace is read."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import typer

from slcache.cli.verb import Verb


class Made:
    """In an argument's annotation: it is what a function makes of options, its own arguments."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self.make = spread(make)


def verb(group: typer.Typer, name: str | None = None, **how: Any) -> Callable[..., Any]:  # noqa: ANN401
    """Return what adds a function to a group of verbs."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        told = flowing(inspect.getdoc(function) or "")
        group.command(name or function.__name__, cls=Verb, help=told, **how)(spread(function))
        return function

    return add


def flowing(text: str) -> str:
    """Return a text whose paragraphs are a line each, but for those that begin with a backspace."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(p if p.startswith("\b") else p.replace("\n", " ") for p in paragraphs)


def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the options of which its arguments are made in their place."""
    hints = get_type_hints(function, include_extras=True)
    own = inspect.signature(function).parameters
    makers = {name: made.make for name in own if (made := _made(hints[name])) is not None}
    options: dict[str, inspect.Parameter] = {}
    for name, parameter in own.items():
        if name in makers:
            options |= inspect.signature(makers[name]).parameters
        else:
            hint = parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
            options[name] = hint

    @functools.wraps(function)
    def called(**said: Any) -> Any:  # noqa: ANN401
        made = {
            name: make(**{option: said[option] for option in inspect.signature(make).parameters})
            for name, make in makers.items()
        }
        return function(**{name: made[name] if name in made else said[name] for name in own})

    # This is what Typer reads.
    called.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]
    called.__annotations__ = {name: option.annotation for name, option in options.items()}
    return called


def _made(hint: Any) -> Made | None:  # noqa: ANN401
    found = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Made)]
    return found[0] if found else None
