"""Checks of what options say."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import UNSET

from slcache.errors import UsageError, about
from slcache.names import near
from slcache.options import no_folder
from slcache.options.content import unique

if TYPE_CHECKING:
    from cyclopts import App, Argument, ArgumentCollection, Token

    from slcache.options import Options

#: Checks the value of an option; raises ValueError.
Check = Callable[[Any], object]

#: Options that take a key with its value, what is most often meant first.
_OF_KEYS = ("--workload", "--set", "--trace-option")
_PAIR = re.compile(r"[a-z][\w.\[\]-]*=")
#: Options whose every value counts: figures that are all checked.
_EVERY = ("--expect",)
#: Text of so many characters is shown.
_SHOWN = 60


def wrong(told: str, option: str | None = None) -> UsageError:
    """Return the error that says what is wrong with an option, or with several together."""
    return UsageError(f"{option}: {told}" if option else told)


def refuse(asked: Options, names: Iterable[str], why: str) -> None:
    """Refuse the first of some options that is given; they go by their names in Python."""
    for name in names:
        if name in asked.given:
            raise about(UsageError(why), name)


@contextlib.contextmanager
def told(option: str | None = None) -> Iterator[None]:
    """Tell what is wrong with the value of an option as wrong usage."""
    try:
        yield
    except ValueError as error:
        raise wrong(str(error), option) from error


def said_once(_: App, __: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Refuse values that are empty or given twice, and keys with values that have no option.

    An empty path, for one, would be the folder one is in.
    """
    names = [name for each in arguments for name in each.names if name.startswith("-")]
    for each in arguments:
        for token in each.tokens:
            token.value.encode()
            if token.keyword is None:
                check_word(token.value, arguments)
            elif token.implicit_value is not UNSET:
                continue
            elif token.value in ("", *names):
                what = "missing" if token.value else "empty"
                raise wrong(f"its value is {what}", each.name)
        values = Counter(token.value for token in each.tokens if token.keyword is not None)
        for value, times in values.items():
            if times > 1 and each.name not in _EVERY:
                raise wrong(f"{each.name} {value} is given twice; give it once")


def check_word(text: str, arguments: Sequence[Argument]) -> None:
    """Refuse what is no argument unless it is a file: no option, nor a key without its option."""
    if text == "-" or os.path.exists(text):  # noqa: PTH110
        return
    names = [name for each in arguments for name in each.names]
    if text.startswith("-"):
        hint = near(text.partition("=")[0], ["--help", *names])
        raise wrong(f"there is no option {text}{hint}")

    options = [name for name in _OF_KEYS if name in names]
    if options and _PAIR.match(text):
        meant = " or ".join(f"{option} {text}" for option in options)
        raise wrong(f"{text}: is no trace; is it {meant}?")


def number(
    kind: type[int] | type[float], least: float | None, most: float | None
) -> Callable[[Any, Sequence[Token]], float]:
    """Return what reads a number in its range."""
    what = "whole number" if kind is int else "number"

    def read(_: Any, tokens: Sequence[Token]) -> float:  # noqa: ANN401
        text = tokens[0].value
        try:
            found = kind(text)
        except ValueError:
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
            raise ValueError(f"{shown!r} is no {what}") from None
        # Neither is said of what is no number at all.
        if not (least is None or least <= found) or not (most is None or found <= most):
            raise ValueError(f"{found} is not {_between(least, most)}")
        return found

    return read


def _between(least: float | None, most: float | None) -> str:
    """Return a range in words."""
    if most is None:
        return f"{least} or more"
    return f"{most} or less" if least is None else f"between {least} and {most}"


def pairs(values: list[str] | None) -> dict[str, str]:
    """Return `key=value` arguments as a dictionary; no key may come twice."""
    split = [value.partition("=") for value in values or []]
    for key, equals, _ in split:
        if not equals or not key.strip():
            raise wrong(f"expected key=value, got {key!r}")
    return unique((key.strip(), value) for key, _, value in split)


def checked_picture(*kinds: str) -> Check:
    """Return a check that a picture's name ends in one of its kinds, in any of them without."""

    def check(value: Path) -> None:
        from slcache.charts import pictures

        pictures.check_name(value, kinds or pictures.KINDS)
        no_folder(value)

    return check
