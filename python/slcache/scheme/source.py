"""Finds the class that a configuration names: FILE.py:CLASS, or MODULE:CLASS of this program."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path

from slcache.scheme.base import Scheme


class NotFoundError(Exception):
    """A source that names no scheme; the message says what would."""


#: Classes that this program named itself, with the text of their file: a script that is running
#: must not be run once more to find the class that it has.
_named: dict[str, tuple[type[Scheme], str | None]] = {}


def found(source: str) -> tuple[type[Scheme], str]:
    """Return the class of a source and the checksum of what it is written in."""
    place, _, name = source.rpartition(":")
    if not place or not name:
        raise NotFoundError("FILE.py:CLASS, such as ./mine.py:TwoTemperatures")
    if source in _named:
        known, text = _named[source]
        if text is None or text == _read(Path(place)):
            return known, _checksum(known, text)
    module, text = _of_file(Path(place)) if place.endswith(".py") else _of_module(place)
    cls: object = getattr(module, name, None)
    if cls is None:
        listed = ", ".join(_schemes(module)) or "none"
        raise NotFoundError(f"a class of {place}, which has no {name}; schemes there: {listed}")
    if not (isinstance(cls, type) and issubclass(cls, Scheme)):
        raise NotFoundError(f"a class that begins with slcache.Scheme; {name} does not")
    return cls, _checksum(cls, text)


def _checksum(cls: type[Scheme], text: str | None) -> str:
    # A class of a notebook has no file that says all of it.
    own = text if text is not None else _source_of(cls)
    return hashlib.sha256(own.encode()).hexdigest()


def of_class(cls: type[Scheme]) -> str:
    """Return the source by which a configuration names a class of this program."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    # Files that were loaded as schemes are no modules that others could import.
    source, text = f"{cls.__module__}:{cls.__qualname__}", None
    if file is not None and (cls.__module__ == "__main__" or _is_loaded(cls.__module__)):
        source, text = f"{_shown(Path(file))}:{cls.__qualname__}", _read(Path(file))
    _named[source] = cls, text
    return source


def _shown(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)


_PREFIX = "slcache_scheme_"


def _is_loaded(name: str) -> bool:
    return name.startswith(_PREFIX)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise NotFoundError(f"a file of Python: {reason}") from error


def _of_file(file: Path) -> tuple[object, str]:
    """Return the module that a file holds, made once for all that it says, and its text."""
    text = _read(file)
    name = _PREFIX + hashlib.sha256(f"{file}\n{text}".encode()).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name], text
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(compile(text, str(file), "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[name]
        told = f"{type(error).__name__}: {error}"
        raise NotFoundError(f"a file that Python can load: {told}") from error
    return module, text


def _of_module(name: str) -> tuple[object, str | None]:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        raise NotFoundError(f"FILE.py:CLASS, or a module that can be imported: {error}") from error
    file = getattr(module, "__file__", None)
    return module, Path(file).read_text(encoding="utf-8") if file and file.endswith(".py") else None


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
