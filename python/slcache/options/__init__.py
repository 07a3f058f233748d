"""Options: what functions, verbs and the file of a study take, each declared once.

A field of a class is an argument of the function that takes the class, and an option of the verb.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import pathlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from slcache import code, files
from slcache.errors import ConfigError
from slcache.files import Path
from slcache.options.arguments import Range, checked
from slcache.options.content import duplicate, unique

_P = ParamSpec("_P")
_A = TypeVar("_A")
_R = TypeVar("_R")

#: Checks a value that a command line gives; raises ValueError.
Check = Callable[[Any], object]


@dataclass(frozen=True)
class Option:
    """How a command line has a field: what stands for its value, and what it is."""

    metavar: str
    help: str
    #: Another name than the field's, and a second one.
    name: str | None = None
    alias: str | None = None
    #: What the value may be, of one that is one of some words.
    words: tuple[str, ...] = ()
    #: Whether it may be given several times.
    several: bool = False
    #: The option that says the contrary of one that is there or not.
    negative: tuple[str, ...] = ()
    #: What makes the value of a text; it raises ValueError, as the check does.
    read: Callable[[str], object] | None = None
    check: Check | None = None
    #: Least and most of a number, where they are not those of all arguments of its name.
    range: Range | None = None
    #: What a file calls it where that is not the field's name.
    key: str | None = None
    #: What a shell completes it by: a function of `slcache.cli.help`.
    offer: str = ""


def option(metavar: str, help: str, *, default: Any = None, **how: Any) -> Any:  # noqa: ANN401
    """Return a field that is an option: it need not be given."""
    return field(default=default, metadata={"option": Option(metavar, help, **how)})


def needed(metavar: str, help: str, **how: Any) -> dict[str, Option]:  # noqa: ANN401
    """Return what a field is told to be that must be given, or that has no name."""
    return {"option": Option(metavar, help, **how)}


def options_of(model: type) -> dict[str, Option]:
    """Return the options of a class, by the names of their fields.

    What only it has comes before what it shares, of modules that are called `options`.
    """
    known = {each.name: each.metadata["option"] for each in fields(model) if each.metadata}
    classes = (each for each in model.__mro__ if not each.__module__.endswith(".options"))
    own = {name for each in classes for name in vars(each).get("__annotations__", ())}
    return {name: known[name] for name in sorted(known, key=lambda name: name not in own)}


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a verb or a function is asked."""

    #: The names of the fields that were given, whatever their values are.
    given: frozenset[str] = frozenset()


def arguments_of(asked: Options, model: type) -> dict[str, Any]:
    """Return the fields of a class that were given, as arguments of its function."""
    own = (each.name for each in fields(model))
    return {name: getattr(asked, name) for name in own if name in asked.given}


class OptionsFunction(Protocol[_P, _A, _R]):
    """A function that takes the fields of a class as its arguments."""

    #: The same of what is one of the class already.
    of: Callable[[_A], _R]

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call it."""


def takes(model: Callable[_P, _A]) -> Callable[[Callable[[_A], _R]], OptionsFunction[_P, _A, _R]]:
    """Return what has a function of one class take the fields of the class as its arguments.

    They are checked as those of any function, and told in its help.
    """

    def made(function: Callable[[_A], _R]) -> OptionsFunction[_P, _A, _R]:
        every = dict(inspect.signature(model).parameters)
        del every["given"]
        order = [*options_of(cast(type, model)), *every]
        own = sorted(every.values(), key=lambda each: (each.kind, order.index(each.name)))
        returns = inspect.signature(function).return_annotation
        signature = inspect.Signature(own, return_annotation=returns)

        def call(*args: Any, **kwargs: Any) -> _R:  # noqa: ANN401
            bound = signature.bind(*args, **kwargs).arguments
            given = frozenset(name for name, value in bound.items() if value is not None)
            return function(model(**bound, given=given))  # type: ignore[call-arg,arg-type]

        functools.update_wrapper(call, function)
        del call.__wrapped__  # type: ignore[attr-defined]
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__doc__ = f"{inspect.getdoc(function)}\n\nArguments:\n{_told(model)}"
        ranges = {name: each.range for name, each in options_of(cast(type, model)).items()}
        found = cast(OptionsFunction[_P, _A, _R], checked(call, ranges))
        found.of = function
        return found

    return made


def _told(model: Any) -> str:  # noqa: ANN401
    """Return the options of a class by the names of their arguments."""
    options = options_of(model)
    names = {each.name: name for name, each in options.items() if each.name}

    def argument(found: re.Match[str]) -> str:
        return names.get(found[0], found[0][2:].replace("-", "_"))

    lines = (f"    {name}: {each.help}" for name, each in options.items())
    return "\n".join(re.sub(r"--[a-z][a-z-]*", argument, line) for line in lines)


def texts(said: Sequence[str] | str) -> Sequence[str]:
    """Return texts, of which there may be one."""
    return (said,) if isinstance(said, str) else said


def matching(pattern: str, told: str) -> Check:
    """Return a check that a text is all of a pattern; `told` says what it is else."""

    def check(value: str) -> None:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"{value!r} {told}")

    return check


def known(what: str, names: Callable[[], Iterable[str]]) -> Check:
    """Return a check that a text is one of some names, else what is close to it."""

    def check(value: str) -> None:
        every = list(names())
        if value not in every:
            close = difflib.get_close_matches(value, every, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(every)}"
            raise ValueError(f"unknown {what} {value!r}; {hint}")

    return check


def no_folder(path: Path) -> None:
    """Refuse a folder where a file is to be written, and a file where it is to lie in."""
    if pathlib.Path(path).is_dir():
        raise ValueError(f"{path} is a folder")
    if (file := files.in_the_way(pathlib.Path(path).parent)) is not None:
        raise ValueError(f"{file} is a file, not a folder")


def checked_ranges(values: Sequence[str]) -> None:
    """Refuse KEY=VALUES of which a key is given twice."""
    try:
        unique((value.partition("=")[0].strip(), value.partition("=")[2]) for value in values)
    except ConfigError as error:
        raise ValueError(str(error)) from error


def checked_schemes(values: Sequence[str] | str) -> None:
    """Refuse a list of schemes, with commas, that names one twice."""
    from slcache import catalogue

    names = (name for text in texts(values) for name in code.listed(text))
    if said := duplicate(names, catalogue.modes()):
        raise ValueError(said)
