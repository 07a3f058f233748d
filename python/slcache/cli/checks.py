"""Checks of what options say, told as Typer tells them."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import typer

from slcache import catalogue, named
from slcache.errors import ConfigError
from slcache.given.once import once, twice

_V = TypeVar("_V")


@contextlib.contextmanager
def told(hint: str | None = None) -> Iterator[None]:
    """Tell what is wrong with the value of an option as Typer does."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=hint) from error


def readable(read: Callable[[_V], object]) -> Callable[[_V | None], _V | None]:
    """Return a check that an option's value can be read."""

    def check(value: _V | None) -> _V | None:
        if value is not None:
            with told():
                read(value)
        return value

    return check


def matching(pattern: str, told: str) -> Callable[[str | None], str | None]:
    """Return a check that an option's text is all of a pattern; `told` says what it is else."""

    def read(value: str) -> None:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"{value!r} {told}")

    return readable(read)


def known(what: str, names: Callable[[], Iterable[str]]) -> Callable[[str | None], str | None]:
    """Return a check that an option's text is one of some names, else what is close to it."""

    def read(value: str) -> None:
        every = list(names())
        if value not in every:
            close = difflib.get_close_matches(value, every, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(every)}"
            raise ValueError(f"unknown {what} {value!r}; {hint}")

    return readable(read)


def pairs(values: list[str] | None) -> dict[str, str]:
    """Return `key=value` arguments as a dictionary; no key may come twice."""
    split = [value.partition("=") for value in values or []]
    for key, equals, _ in split:
        if not equals or not key.strip():
            raise typer.BadParameter(f"expected key=value, got {key!r}")
    return once((key.strip(), value) for key, _, value in split)


def checked_pairs(values: list[str] | None) -> list[str] | None:
    """Return KEY=VALUE texts as they are, if they are such and no key is given twice."""
    pairs(values)
    return values


def checked_ranges(values: list[str] | None) -> list[str] | None:
    """Return KEY=VALUES texts as they are, if they are such and no key is given twice."""
    try:
        return checked_pairs(values)
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


def checked_schemes(values: list[str] | str | None) -> list[str] | str | None:
    """Return names of schemes with commas as they are, if no scheme is given twice."""
    listed = [values] if isinstance(values, str) else values or []
    names = [name.strip() for names in listed for name in names.split(",")]
    said = twice(names, catalogue.canonical())
    if said is not None:
        raise typer.BadParameter(said)
    return values


def checked_picture(*kinds: str) -> Callable[[Path | None], Path | None]:
    """Return a check that a picture's name ends in one of its kinds, in any of them without."""

    def read(value: Path) -> None:
        from slcache.report import pictures

        pictures.check(value, kinds or pictures.KINDS)

    return readable(read)


def check_explained(form: str, *, explain: bool) -> None:
    """Say that what is printed for other programs is not shorter than all that is known."""
    if explain and form != "table":
        raise typer.BadParameter(f"--explain: has no effect with --format {form}, which has it all")


def check_used(scheme: str | None) -> None:
    """Say that a class that is named for a document is not the one that it names."""
    if scheme is not None and not named.is_loaded(scheme):
        told = f"{scheme} is no class that the document names"
        raise typer.BadParameter(told, param_hint="--scheme")


def check_executor(executor: str, workers: int | None) -> None:
    """Say what is wrong with where runs are to go on, before anything is read."""
    if executor == "local":
        return
    from slcache.execute import executors

    with told("--executor"):
        executors.check(executor, workers)
