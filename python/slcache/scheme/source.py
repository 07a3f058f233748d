"""Finds the class that a configuration names: FILE.py:CLASS, or MODULE:CLASS of this program."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path

from slcache import bounded
from slcache.scheme.base import Scheme


class NotFoundError(Exception):
    """A source that names no scheme; the message says what would."""


#: Classes that this program named itself, with the texts that they were read from: a script that
#: is running must not be run once more to find the class that it has.
_named: dict[str, tuple[type[Scheme], str]] = {}


def found(source: str) -> tuple[type[Scheme], str]:
    """Return the class of a source and the checksum of what it is written in."""
    place, _, name = source.rpartition(":")
    if not place or not name:
        raise NotFoundError("FILE.py:CLASS, such as ./mine.py:TwoTemperatures")
    if source in _named and _named[source][1] == _texts(_named[source][0]):
        return _named[source][0], _checksum(_named[source][1])
    module = _of_file(Path(place)) if place.endswith(".py") else _of_module(place)
    cls: object = getattr(module, name, None)
    if cls is None:
        listed = ", ".join(_schemes(module)) or "none"
        raise NotFoundError(f"a class of {place}, which has no {name}; schemes there: {listed}")
    if not (isinstance(cls, type) and issubclass(cls, Scheme)):
        raise NotFoundError(f"a class that begins with slcache.Scheme; {name} does not")
    return cls, _checksum(_texts(cls))


def of_class(cls: type[Scheme]) -> str:
    """Return the source by which a configuration names a class of this program."""
    file = _file_of(cls)
    source = f"{cls.__module__}:{cls.__qualname__}"
    # Files that were loaded as schemes are no modules that others could import.
    if file is not None and (cls.__module__ == "__main__" or cls.__module__.startswith(_PREFIX)):
        source = f"{_shown(file)}:{cls.__qualname__}"
    _named[source] = cls, _texts(cls)
    return source


def _file_of(cls: type) -> Path | None:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return Path(file) if file and file.endswith(".py") else None


def _texts(cls: type) -> str:
    """Return all that a class is written in: the files of its own and of its bases.

    What a function made it from is part of it; modules that it imports are not.
    """
    texts = []
    for base in cls.__mro__:
        if base.__module__ in ("builtins", "slcache.scheme.base", "typing", "abc"):
            continue
        file = _file_of(base)
        # A class of a notebook has no file that says all of it.
        texts.append(_read(file) if file is not None else _source_of(base))
        texts += [f"{base.__qualname__}.{name} {each}" for name, each in _closed_over(base)]
    return "\n".join(texts)


def _closed_over(cls: type) -> list[tuple[str, str]]:
    """Return what the methods of a class have from the function that made it."""
    found = []
    for name, method in vars(cls).items():
        for cell in getattr(method, "__closure__", None) or ():
            contents = cell.cell_contents
            if contents is not cls and not isinstance(contents, type):
                found.append((name, repr(contents)))
    return found


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _shown(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)


_PREFIX = "slcache_scheme_"


def _read(file: Path) -> str:
    try:
        return bounded.text(file)
    except (OSError, UnicodeDecodeError, bounded.TooLongError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise NotFoundError(f"a file of Python: {reason}") from error


def _of_file(file: Path) -> object:
    """Return the module that a file holds, made once for all that it says."""
    text = _read(file)
    name = _PREFIX + hashlib.sha256(f"{file}\n{text}".encode()).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(compile(text, str(file), "exec"), module.__dict__)
    except KeyboardInterrupt:
        del sys.modules[name]
        raise
    except BaseException as error:
        # A file that ends itself has said half of what it means.
        del sys.modules[name]
        told = f"{type(error).__name__}: {error}"
        raise NotFoundError(f"a file that Python can load: {told}") from error
    return module


def _of_module(name: str) -> object:
    try:
        return importlib.import_module(name)
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        raise NotFoundError(f"FILE.py:CLASS, or a module that can be imported: {told}") from error


def _source_of(cls: type) -> str:
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        return cls.__qualname__


def _schemes(module: object) -> list[str]:
    own = vars(module).items()
    return sorted(
        name
        for name, each in own
        if isinstance(each, type) and issubclass(each, Scheme) and each is not Scheme
    )
