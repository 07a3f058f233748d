"""The code that a call names: no other code of Python is loaded.

Whoever calls names it: on the command line, by an argument, or in a study's file that is run. A
document that names a class, be it a result, a device file or a recording, has that told.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from slcache.errors import UsageError

#: What stands between the names of a list.
_BETWEEN = re.compile(r"[=,\s\"'\[\]]+")
#: What stands before each setting of its own that a scheme is named with, as in `client:full=x`.
OWN = re.compile(r":(?=[A-Za-z_][\w.\[\]-]*=)")
#: By how much each bracket goes deeper.
BRACKETS = {"[": 1, "{": 1, "]": -1, "}": -1}
#: What calls have loaded, for the results that they have returned; see `slcache.scheme.source`.
loaded: dict[str, Any] = {}
#: The files of code that is loaded.
_files: dict[str, list[Path]] = {}
#: The calls under way, with the code that each names: the engine asks in threads of its own.
_calls: dict[int, set[str]] = {}
#: The call that goes on here; what it calls itself names nothing.
_own: ContextVar[set[str] | None] = ContextVar("own", default=None)
#: The file that is loaded here.
_loading: ContextVar[Path | None] = ContextVar("loading", default=None)


@contextlib.contextmanager
def call(said: Iterable[str]) -> Iterator[None]:
    """Let the code be loaded that these texts name, until the outermost call is over."""
    if _own.get() is not None:
        yield
        return
    names = set(_spellings(said))
    token = _own.set(names)
    _calls[id(names)] = names
    try:
        yield
    finally:
        del _calls[id(names)]
        _own.reset(token)


@contextlib.contextmanager
def loading(file: Path) -> Iterator[None]:
    """Load a file for its class: what it does beside is done anew by every worker."""
    token = _loading.set(file)
    try:
        yield
    finally:
        _loading.reset(token)


def begin(function: str) -> None:
    """Refuse what a file that is loaded runs: workers would start workers without end."""
    if (file := _loading.get()) is not None:
        told = f"slcache.{function}(...) runs whenever {file.name} is loaded, as every worker does"
        raise UsageError(f'{told}: put it below `if __name__ == "__main__":`')


@contextlib.contextmanager
def command(arguments: Iterable[str]) -> Iterator[None]:
    """Begin a command line: its words name code, and nothing is loaded before."""
    loaded.clear()
    with call(words(arguments)):
        yield


def also(said: Iterable[str]) -> None:
    """Let code be loaded that the call under way names in the file of a study."""
    names = _own.get()
    if names is not None:
        names.update(_spellings(said))


def spoken() -> list[str]:
    """Return the code that the call under way names, for a worker that does a part of it."""
    return sorted(_own.get() or ())


def is_named(source: str) -> bool:
    """Return whether a call under way names FILE.py:CLASS or MODULE:CLASS."""
    spelled = {*_spellings([source])}
    return any(not spelled.isdisjoint(names) for names in list(_calls.values()))


def is_loaded(source: str) -> bool:
    """Return whether code that is named was loaded, as a document names it too."""
    return _key(source) in map(_key, loaded)


def read_from(source: str, files: Iterable[Path]) -> None:
    """Note the files that code is written in; they are inputs of the call that names it."""
    _files[_key(source)] = list(files)


def files() -> list[Path]:
    """Return the files of the code that the calls under way name."""
    sources = [source for names in list(_calls.values()) for source in names]
    own = [Path(source.rpartition(":")[0]) for source in sources if ".py:" in source]
    more = [file for source in sources for file in _files.get(source, ())]
    return list(dict.fromkeys([*own, *more]))


def parts(text: str) -> list[str]:
    """Return what commas part, but for those within brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += BRACKETS.get(letter, 0)
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found]


def names_of(text: str) -> list[str]:
    """Return the names of a list; `raro:min_retries=[0, 0]` is one of them."""
    return [name for name in parts(text) if name]


def words(texts: Iterable[str]) -> Iterator[str]:
    """Yield what may name code in the words of a command line."""
    for text in texts:
        value = text.partition("=")[2]
        parts = (text, value, *names_of(text), *names_of(value), *_BETWEEN.split(text))
        yield from filter(_is_source, parts)
        # A class with settings of its own.
        yield from (OWN.split(part)[0] for part in parts if _is_source(OWN.split(part)[0]))


def of_arguments(arguments: Iterable[Any]) -> Iterator[str]:
    """Yield what may name code in arguments: texts, and those in lists and mappings."""
    for value in arguments:
        match value:
            case str():
                yield from words([value])
            case Mapping():
                yield from of_arguments(value.values())
            case list() | tuple():
                yield from of_arguments(value)


def _is_source(text: str) -> bool:
    place, _, name = text.rpartition(":")
    return bool(place and name)


def _spellings(said: Iterable[str]) -> Iterator[str]:
    """Yield sources as they are said, as a worker elsewhere has them, and with whole paths."""
    for source in said:
        yield from (source, _key(source))


def _key(source: str) -> str:
    """Return a source by the whole path of its file, however it is spelled."""
    place, _, name = source.rpartition(":")
    return f"{os.path.realpath(place)}:{name}" if place.endswith(".py") else source
