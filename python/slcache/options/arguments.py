"""The one check of Python arguments: types by annotation, ranges by name."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NoReturn, ParamSpec, TypeVar

from slcache import code
from slcache.errors import Error, UsageError, about

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
        bound = signature.bind(*args, **said)
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
    if (outer, inner) == ("Mapping", "str, str"):
        texts = _if(lambda value: _is_table(value) and all(map(_is_text, value.values())))
        return texts, "a dict whose keys and values are text"
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
_FUNCTION = _if(lambda value: callable(value) and not isinstance(value, type))
#: By the name of an annotation: what fits it, as the function gets it, and what it is called.
_KINDS: Mapping[str, tuple[Callable[[object], Any], str]] = {
    "Content": (_CONTENT, "a path, a name or a dict"),
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
