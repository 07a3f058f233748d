"""Verbs made of the classes of what they are asked: each field is an option or an argument."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from inspect import Parameter as Place
from inspect import Signature
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from cyclopts import App, Parameter

from slcache import named
from slcache.cli import checks, complete
from slcache.options import Option, Options, option, options_of
from slcache.options.arguments import RANGES

_A = TypeVar("_A")
_R = TypeVar("_R")

#: How tables are printed.
Form = Literal["table", "csv", "markdown", "json"]
#: When to draw progress.
When = Literal["auto", "always", "never"]


def group(name: str, help: str | None = None) -> App:
    """Return a verb that has further verbs below it."""
    return App(name=name, help=help, help_flags=(), version_flags=())


def verb(function: Callable[[_A], _R]) -> Callable[..., _R]:
    """Return a verb whose arguments and options are the fields of what a function is asked.

    The function has its class as the annotation of its only parameter.
    """
    (written, *_) = function.__annotations__.values()
    model = eval(written, vars(sys.modules[function.__module__]))
    every = {each.name: each for each in fields(model)}
    known = {name: every[name] for name in options_of(model)}
    places = [name for name, each in known.items() if _is_place(each)]

    def call(*args: Any, **kwargs: Any) -> _R:  # noqa: ANN401
        said = dict(zip(places, args, strict=False))
        if places and known[places[-1]].metadata["option"].several and args:
            said[places[-1]] = args[len(places) - 1 :]
        said |= {name: value for name, value in kwargs.items() if value is not None}
        values = {name: _given(known[name], said[name]) for name in said}
        return function(model(**values, given=frozenset(said)))

    called = sorted(known.values(), key=lambda each: not _is_place(each))
    call.__signature__ = Signature(list(map(_place, called)))  # type: ignore[attr-defined]
    call.__name__, call.__doc__, call.__annotations__ = function.__name__, function.__doc__, {}
    return call


def _is_place(of: Field[Any]) -> bool:
    """Return whether a field is an argument, which has no name."""
    return not of.kw_only and of.metadata["option"].name is None


def _place(of: Field[Any]) -> Place:
    """Return the argument or option that a field is."""
    told: Option = of.metadata["option"]
    annotation: Any = Annotated[_hint(of.type, told), _parameter(of, told)]
    default = Place.empty if of.default is MISSING else None
    if not _is_place(of):
        return Place(of.name, Place.KEYWORD_ONLY, default=default, annotation=annotation)
    if not told.several:
        return Place(of.name, Place.POSITIONAL_ONLY, default=default, annotation=annotation)
    return Place(of.name, Place.VAR_POSITIONAL, annotation=Annotated[str, _parameter(of, told)])


def _kinds(written: Any, told: Option) -> list[str]:  # noqa: ANN401
    # Of an option that may be given several times, those of each; others are one text that is read.
    each = r"\b(?:list|Sequence)\[([^\[\]]*)\]"
    plain = re.sub(each, r"\1", str(written)) if told.several else str(written)
    return [kind.strip() for kind in plain.split("|")]


#: Types that options have, by what annotations call them; those of others are texts.
_TYPES: dict[str, Any] = {"bool": bool, "int": int, "float": float, "Path": Path}


def _hint(written: Any, told: Option) -> Any:  # noqa: ANN401
    """Return the type of a field as a command line reads it."""
    if told.words:
        return Literal[told.words] | None
    kinds = _kinds(written, told)
    # What is read by a function of its own may be anything.
    own: Any = next((_TYPES[kind] for kind in kinds if kind in _TYPES), Any if told.read else str)
    return list[own] | None if told.several or "KEY=" in told.metavar else own | None


def _parameter(of: Field[Any], told: Option) -> Parameter:
    more: dict[str, Any] = {"name": told.name, "alias": told.alias, "negative": told.negative}
    if told.metavar:
        more |= {"metavar": told.metavar, "allow_leading_hyphen": True}
    if _is_place(of):
        more["required"] = not told.metavar.startswith("[")
    if (check := told.check) is not None:
        more["validator"] = lambda _, value: None if value is None else check(value)
    kind = next((kind for kind in (int, float) if kind.__name__ in _kinds(of.type, told)), None)
    if (read := told.read) is not None:
        more["converter"] = lambda _, tokens: read(tokens[0].value)
    elif kind is not None:
        more["converter"] = checks.number(kind, *(told.range or RANGES[of.name]))
    if told.offer:
        offer = getattr(complete, told.offer)
        more["completer"] = lambda context: offer(context.incomplete)
    return Parameter(help=told.help, **more)


def _given(of: Field[Any], value: Any) -> Any:  # noqa: ANN401
    """Return a value as the field has it: keys with their values as a dict."""
    told: Option = of.metadata["option"]
    if "KEY=" not in told.metavar:
        return value
    with checks.told(told.name or f"--{of.name}"):
        return checks.pairs(value)


@dataclass(frozen=True, kw_only=True)
class Shown(Options):
    """How results are printed."""

    json: bool = option("", "Print one JSON document and nothing else.", default=False)
    format: Form = option(
        "",
        "Print a readable table (default), csv or markdown with all digits and units in the "
        "header, or json, like --json.",
        default="table",
        words=get_args(Form),
    )

    def __post_init__(self) -> None:
        if self.json and "format" in self.given and self.format != "json":
            raise checks.wrong(f"--json and --format {self.format} are two forms; give one")

    @property
    def form(self) -> Form:
        """How to print; --json is short for --format json."""
        return "json" if self.json else self.format


@dataclass(frozen=True, kw_only=True)
class Metered(Options):
    """When progress is drawn."""

    meter: When = option(
        "",
        "Show progress on standard error. Off a terminal, auto prints at most one estimate.",
        default="auto",
        name="--progress",
        words=get_args(When),
    )


@dataclass(frozen=True, kw_only=True)
class Saved(Options):
    """Where results go."""

    out: Path | None = option(
        "DIR", "Write result.json, Parquet tables and report.html to this directory."
    )


@dataclass(frozen=True, kw_only=True)
class Explained(Shown):
    """How results are printed, and whether all is told that is known."""

    explain: bool = option(
        "",
        "Print the full explanation: why schemes differ, pace, lifetime and bounds.",
        default=False,
    )

    def check_explained(self) -> None:
        """Say that what is printed for other programs is not shorter than all that is known."""
        if self.explain and self.form != "table":
            told = f"--explain: has no effect with --format {self.form}, which has it all"
            raise checks.wrong(told)


@dataclass(frozen=True, kw_only=True)
class OwnScheme(Options):
    """The class of Python that a document may name."""

    scheme: str | None = option(
        "FILE.py:CLASS",
        "The Python class of the document's scheme, if it has one. Documents load no code by "
        "themselves.",
        alias="--schemes",
    )

    def check_used(self) -> None:
        """Say that a class that is named for a document is not the one that it names."""
        if self.scheme is not None and not named.is_loaded(self.scheme):
            raise checks.wrong(f"{self.scheme} is no class that the document names", "--scheme")
