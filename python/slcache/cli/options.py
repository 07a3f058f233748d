"""Verbs made of the classes of their options: each field is an option or an argument."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from inspect import Parameter as Place
from inspect import Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

from cyclopts import UNSET, App, Parameter

from slcache import code
from slcache.cli import help
from slcache.errors import UsageError, about
from slcache.names import near
from slcache.options import RANGES, Check, Option, Options, needed, no_folder, option, options_of
from slcache.options.content import unique

if TYPE_CHECKING:
    from cyclopts import Argument, ArgumentCollection, Token

_A = TypeVar("_A")
_R = TypeVar("_R")

#: How tables are printed.
Form = Literal["table", "csv", "markdown", "json"]
#: When to draw progress.
When = Literal["auto", "always", "never"]


def argument(metavar: str, help: str, *, default: Any = MISSING, **how: Any) -> Any:  # noqa: ANN401
    """Return a field that is an argument: it has no name."""
    return field(default=default, kw_only=False, metadata=needed(metavar, help, **how))


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
        more["converter"] = number(kind, *(told.range or RANGES[of.name]))
    if told.offer:
        offer = getattr(help, told.offer)
        more["completer"] = lambda context: offer(context.incomplete)
    return Parameter(help=told.help, **more)


def _given(of: Field[Any], value: Any) -> Any:  # noqa: ANN401
    """Return a value as the field has it: keys with their values as a dict."""
    told: Option = of.metadata["option"]
    if "KEY=" not in told.metavar:
        return value
    with as_usage(told.name or f"--{of.name}"):
        return pairs(value)


@dataclass(frozen=True, kw_only=True)
class OutputOptions(Options):
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
            raise wrong(f"--json and --format {self.format} are two forms; give one")

    @property
    def form(self) -> Form:
        """How to print; --json is short for --format json."""
        return "json" if self.json else self.format


@dataclass(frozen=True, kw_only=True)
class ProgressOptions(Options):
    """When progress is drawn."""

    meter: When = option(
        "",
        "Show progress on standard error. Off a terminal, auto prints at most one estimate.",
        default="auto",
        name="--progress",
        words=get_args(When),
    )


@dataclass(frozen=True, kw_only=True)
class FolderOptions(Options):
    """Where results go."""

    out: Path | None = option(
        "DIR", "Write result.json, Parquet tables and report.html to this directory."
    )


@dataclass(frozen=True, kw_only=True)
class ExplanationOptions(OutputOptions):
    """How results are printed, and whether all is told that is known."""

    explain: bool = option(
        "",
        "Print the full explanation: of runs why schemes differ, pace, lifetime and bounds; of a "
        "study main effects, front and seeds.",
        default=False,
    )

    def check_explained(self) -> None:
        """Say that what is printed for other programs is not shorter than all that is known."""
        if self.explain and self.form != "table":
            raise wrong(f"--explain: has no effect with --format {self.form}, which has it all")


@dataclass(frozen=True, kw_only=True)
class SchemeSourceOptions(Options):
    """The class of Python that a document may name."""

    scheme: str | None = option(
        "FILE.py:CLASS",
        "The Python class of the document's scheme, if it has one. Documents load no code by "
        "themselves.",
        alias="--schemes",
    )

    def check_used(self) -> None:
        """Say that a class that is named for a document is not the one that it names."""
        if self.scheme is not None and not code.is_loaded(self.scheme):
            raise wrong(f"{self.scheme} is no class that the document names", "--scheme")


#: Options that take a key with its value, what is most often meant first.
_OF_KEYS = ("--workload", "--set", "--trace-option")
_PAIR = re.compile(r"[a-z][\w.\[\]-]*=")
#: Options whose every value counts: figures that are all checked.
_EVERY = ("--expect",)
#: Text of so many characters is shown.
_LETTERS_SHOWN = 60


def wrong(told: str, option: str | None = None) -> UsageError:
    """Return the error that says what is wrong with an option, or with several together."""
    return UsageError(f"{option}: {told}" if option else told)


def refuse(asked: Options, names: Iterable[str], why: str) -> None:
    """Refuse the first of some options that is given; they go by their names in Python."""
    for name in names:
        if name in asked.given:
            raise about(UsageError(why), name)


@contextlib.contextmanager
def as_usage(option: str | None = None) -> Iterator[None]:
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
            shown = text if len(text) <= _LETTERS_SHOWN else f"{text[:_LETTERS_SHOWN]}..."
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
