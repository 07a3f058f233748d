"""Options and arguments: what functions, verbs and the file of a study take, declared and checked.

A field of a class is an argument of the function that takes the class, and an option of the verb.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import math
import operator
import os
import pathlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn, ParamSpec, Protocol, TypeVar, cast

from slcache import code, files
from slcache.errors import ConfigError, Error, UsageError, about
from slcache.files import Path
from slcache.options.content import duplicate, unique

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: The most seeds of one configuration.
SEEDS_MAX = 100_000
#: No argument goes further; Python's whole numbers have no end, and beyond 4,300 digits no text.
_FURTHEST = 2**64
#: Least and most that numbers of a name may be; a seed has a check of its own.
RANGES = {
    "gb_per_day": (1e-6, 1e9),
    "jobs": (1, 10_000),
    "max_windows": (1, 2**63 - 1),
    "minutes": (0, 1e6),
    "num_envs": (1, 10_000),
    "pause_ns": (0, 2**63 - 1),
    "points": (1, 1_000_000),
    "resample": (2, SEEDS_MAX),
    "sampler_seed": (0, 2**32 - 1),
    "seed": (-math.inf, math.inf),
    "seeds": (1, SEEDS_MAX),
    "threads": (1, 10_000),
    "timeline_every": (1, 2**64 - 1),
}
#: Least and most, where there is one.
Range = tuple[float, float | None]
_NO_RANGES: Mapping[str, Range | None] = {}
#: Arguments that may be a class, or a list of names and classes.
_SCHEMES = ("scheme", "schemes")
#: Those that have keys with values.
_SETTINGS = ("settings", "vary")
#: Numbers are shown to so many characters.
_SHOWN = 60
#: What the engine calls a dict that stands for a file, which is the file of its errors.
_CALLED = {"trace": "workload.toml", "device": "device"}
_HALVES = re.compile("[\ud800-\udfff]")


#: Words for one thing, and spellings of one word: what takes one of them takes the other too.
OTHER_WORDS = {
    "scheme": "schemes",
    "schemes": "scheme",
    "trace": "workload",
    "workload": "trace",
    "minimize": "minimise",
    "maximize": "maximise",
    "normalize": "normalise",
}


def own_word(name: str, known: Collection[str]) -> str:
    """Return what an argument is called where `known` are: its own name, or another for it."""
    other = OTHER_WORDS.get(name, name)
    return other if name not in known and other in known else name


def checked(
    function: Callable[_P, _R], ranges: Mapping[str, Range | None] = _NO_RANGES
) -> Callable[_P, _R]:
    """Return a function that raises UsageError, with the argument's name, for what means nothing.

    `ranges` has what numbers may be that have no range by their name. An argument may be called by
    the word that another function has for it (`OTHER_WORDS`). An annotation is taken apart at `|`;
    what is neither a number, text, path, mapping nor list is the function's own business. True and
    False are no numbers.
    """
    signature = inspect.signature(function)
    every = signature.parameters.values()
    rest = next((each.name for each in every if each.kind is each.VAR_KEYWORD), "")
    kinds = {
        name: str(parameter.annotation)
        for name, parameter in signature.parameters.items()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        said: dict[str, Any] = {}
        for name, value in kwargs.items():
            word = own_word(name, kinds)
            if word in said or (word != name and word in kwargs):
                refuse(name, value, f"is the same argument as {word}; give one of the two")
            said[word] = value
        try:
            bound = signature.bind(*args, **said)
        except TypeError as error:
            unknown = next((name for name in said if not rest and name not in kinds), None)
            raise TypeError(f"{function.__name__}(): {_told(unknown, kinds) or error}") from None
        for name, value in bound.arguments.items():
            if name in kinds:
                by_source = _by_source(value) if name in _SCHEMES else value
                bound.arguments[name] = fitting(name, by_source, kinds[name], ranges.get(name))
        more = bound.arguments.get(rest, {})
        with code.call(code.of_arguments(_naming({**bound.arguments, **more}))):
            try:
                return function(*bound.args, **bound.kwargs)
            except Error as error:
                _forget_no_file(error, bound.arguments | more)
                raise

    return call


def _told(unknown: str | None, known: Collection[str]) -> str:
    """Return that there is no such argument, with the nearest; nothing where none is unknown."""
    if unknown is None:
        return ""
    near = difflib.get_close_matches(unknown, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    return f"unknown argument {unknown}; {hint}"


def _naming(arguments: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the arguments that name code; a whole configuration is a document."""
    for name in _SCHEMES:
        yield arguments.get(name)
    for name in _SETTINGS:
        given = arguments.get(name)
        if isinstance(given, Mapping) and "device" not in given:
            yield given
    yield list(arguments["points"]) if isinstance(arguments.get("points"), list | tuple) else ()


def _forget_no_file(error: Error, given: Mapping[str, Any]) -> None:
    """Leave the file out of an error about a dict, which the engine calls by a name of its own."""
    for argument, called in _CALLED.items():
        said = given.get(argument)
        many = said if isinstance(said, list | tuple) else [said]
        if error.file == called and any(isinstance(each, Mapping) for each in many):
            error.file = None
            error.args = (re.sub(rf"^{re.escape(called)}: ", "", str(error), flags=re.MULTILINE),)


def _by_source(value: Any) -> Any:  # noqa: ANN401
    """Return schemes as configurations name them: a class of one's own by its source."""
    if isinstance(value, list | tuple):
        return [_by_source(each) for each in value]
    if not isinstance(value, type):
        return value
    from slcache.scheme import Scheme
    from slcache.scheme.source import of_class

    return of_class(value) if issubclass(value, Scheme) else value


def fitting(name: str, value: object, annotation: str, own: Range | None = None) -> object:
    """Return an argument as its function takes it; UsageError where it is of no such kind."""
    kinds = [kind.strip() for kind in annotation.split("|")]
    known = [found for kind in kinds if (found := _known(kind)) is not None]
    if value is None and "None" in kinds:
        return value
    least, most = RANGES.get(name, own or (-_FURTHEST, _FURTHEST))
    most = _FURTHEST if most is None else most
    between = f"between {least:,} and {most:,}"
    for fits, _ in known:
        if (found := fits(value)) is not None:
            if isinstance(found, int | float) and not least <= found <= most:
                refuse(name, value, f"must be {between}")
            return found
    if len(known) == len([kind for kind in kinds if kind != "None"]):
        told = " or ".join(told for _, told in known)
        refuse(
            name, value, f"must be {told}" + f" {between}" * (name in RANGES and most < math.inf)
        )
    return value


def _known(kind: str) -> tuple[Callable[[object], Any], str] | None:
    """Return what is known of an annotation: of a list also what its brackets say."""
    outer, _, inner = kind.removesuffix("]").partition("[")
    each = _known(inner) if outer == "Sequence" and inner else None
    outer = outer.rpartition(".")[2]
    if each is None:
        return _KINDS.get(outer)
    fits, told = each
    listed = _if(lambda value: _is_list(value) and all(fits(one) is not None for one in value))
    return listed, f"a list, each {told}"


def refuse(name: str, value: object, told: str) -> NoReturn:
    """Raise UsageError for the value of an argument, which is shown short."""
    try:
        shown = repr(value)
    except ValueError:
        # A number of more digits than Python prints.
        shown = "a number of thousands of digits"
    cut = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
    raise about(UsageError(f"{name} = {cut}: {told}"), name)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def _number(value: object) -> float | int | None:
    whole = _whole(value)
    if whole is not None:
        return whole
    try:
        number = float(value) if hasattr(value, "__float__") else math.nan
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and not isinstance(value, bool | str) else None


def _is_text(value: object) -> bool:
    """Return whether a value is text that UTF-8 has: half of a character is none."""
    return isinstance(value, str) and not _HALVES.search(value)


def _is_path(value: object) -> bool:
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    return bool(path) and _is_text(path) and "\0" not in str(path)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value))


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is_result(value: object) -> bool:
    """Return whether a value is a run or a comparison, whose classes are beyond reach here."""
    names = {each.__name__ for each in type(value).__mro__}
    return bool(names & {"Result", "Comparison"})


def _if(fits: Callable[[Any], bool]) -> Callable[[object], Any]:
    """Return what gives a value as it is, if it fits."""
    return lambda value: value if fits(value) else None


_CONTENT = _if(lambda value: isinstance(value, Mapping) or _is_path(value))


def _texts(value: object) -> Mapping[str, str] | None:
    """Return a table whose values are text, numbers, True or False with all of them as text."""
    if not isinstance(value, Mapping) or not _is_table(value):
        return None
    told = {
        key: each if isinstance(each, str | bool) else _number(each) for key, each in value.items()
    }
    texts = {k: each if isinstance(each, str) else json.dumps(each) for k, each in told.items()}
    return texts if None not in told.values() and all(map(_is_text, texts.values())) else None


_FUNCTION = _if(lambda value: callable(value) and not isinstance(value, type))
#: By the name of an annotation: what fits it, as the function gets it, and what it is called.
_KINDS: Mapping[str, tuple[Callable[[object], Any], str]] = {
    "Content": (_CONTENT, "a path, a name or a dict"),
    "OptionValues": (_texts, "a dict whose keys are text, and values text, numbers or booleans"),
    "Settings": (_CONTENT, "a dict, or the path of a file"),
    "bool": (_if(lambda value: isinstance(value, bool)), "True or False"),
    "int": (_whole, "a whole number"),
    "float": (_number, "a number"),
    "str": (_if(_is_text), "text"),
    "Callable": (_FUNCTION, "a function"),
    "Progress": (_FUNCTION, "a function"),
    "Result": (_if(_is_result), "a run"),
    "Comparison": (_if(_is_result), "a comparison"),
    "Path": (_if(_is_path), "the path of a file or folder"),
    "Mapping": (_if(_is_table), "a dict whose keys are text"),
    "Sequence": (_if(_is_list), "a list"),
}

_A = TypeVar("_A")

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
            code.begin(function.__name__)
            return function(model(**bound, given=given))  # type: ignore[call-arg,arg-type]

        functools.update_wrapper(call, function)
        del call.__wrapped__  # type: ignore[attr-defined]
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__doc__ = f"{inspect.getdoc(function)}\n\nArguments:\n{_told_options(model)}"
        ranges = {name: each.range for name, each in options_of(cast(type, model)).items()}
        found = cast(OptionsFunction[_P, _A, _R], checked(call, ranges))
        found.of = function
        return found

    return made


def _told_options(model: Any) -> str:  # noqa: ANN401
    """Return the options of a class by the names of their arguments."""
    options = options_of(model)
    names = {each.name: name for name, each in options.items() if each.name}
    return "\n".join(f"    {name}: {in_names(each.help, names)}" for name, each in options.items())


def in_names(told: str, names: Mapping[str, str]) -> str:
    """Return a text with options by the names of their arguments: `names`, or their own words."""

    def argument(found: re.Match[str]) -> str:
        return names.get(found[0], found[0][2:].replace("-", "_"))

    return re.sub(r"--[a-z][a-z-]*", argument, told)


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

    names = (name for text in texts(values) for name in code.names_of(text))
    if said := duplicate(names, catalogue.modes()):
        raise ValueError(said)
