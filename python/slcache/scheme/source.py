"""The class that a configuration names: FILE.py:CLASS, or MODULE:CLASS of this program.

This is the one place where code of a user's is loaded, and only what a call names
(`slcache.code`). A checksum that is told with a class is compared before.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import itertools
import sys
from collections.abc import Mapping
from pathlib import Path

from slcache import code, files
from slcache.scheme import Scheme


class NotFoundError(Exception):
    """A source that names no scheme; the message says what would."""


class ChangedError(Exception):
    """A source that is another than was told; the message is the checksum that it has."""


#: A class with the file in which it was found, if any.
Found = tuple[type[Scheme], Path | None]
#: Classes that this program named itself, with the texts that they were read from: a script that
#: is running must not be run once more to find the class that it has.
_given: dict[str, tuple[Found, list[str]]] = {}
#: Between the checksum of a class's own file and that of what else it is written in.
_AND = "+"


def found(source: str, sha256: str | None = None) -> tuple[type[Scheme], str]:
    """Return the class of a source, and the checksum of what it is written in.

    Raises NotFoundError where there is none or no call names it, and ChangedError where it has
    another checksum than is told.
    """
    each = _known(source, _given) or _known(source, code.loaded) or _loaded(source, sha256)
    texts = _texts(each)
    checksum = _checksum(texts)
    if sha256 not in (None, checksum):
        raise ChangedError(checksum)
    if source not in _given:
        code.loaded[source] = each, texts
    code.read_from(source, _files(each))
    return each[0], checksum


def _known(source: str, among: Mapping[str, tuple[Found, list[str]]]) -> Found | None:
    """Return a class that this program has, if what it is written in is as it was."""
    each, texts = among.get(source, (None, []))
    return each if each is not None and texts == _texts(each) else None


def _loaded(source: str, sha256: str | None) -> Found:
    place, _, name = source.rpartition(":")
    if not place or not name:
        raise NotFoundError(_without_class(source))
    if not code.is_named(source):
        raise NotFoundError(_unnamed(source, sha256))
    is_file = place.endswith(".py")
    file = Path(place).absolute() if is_file else _file_of_module(place)
    if sha256 is not None and file is not None:
        own = _digest(_read(file))
        if own != sha256.partition(_AND)[0]:
            raise ChangedError(own)
    module = _of_file(Path(place)) if is_file else _of_module(place)
    cls: object = getattr(module, name, None)
    if cls is None:
        listed = ", ".join(_schemes(module)) or "none"
        raise NotFoundError(f"a class of {place}, which has no {name}; schemes there: {listed}")
    if not (isinstance(cls, type) and issubclass(cls, Scheme)):
        raise NotFoundError(f"a class that begins with slcache.Scheme; {name} does not")
    return cls, file


def _unnamed(source: str, sha256: str | None) -> str:
    """Return what a caller says to have a class loaded that only a document names."""
    told = f" (SHA-256 {sha256})" if sha256 is not None else ""
    return (
        f"named by whoever runs it{told}: no document loads code of Python; "
        f"to load it, add --scheme {source}"
    )


def _without_class(source: str) -> str:
    """Return what is to be said in place of a file alone, whose classes are read, not loaded."""
    wanted = "FILE.py:CLASS, such as ./mine.py:TwoTemperatures"
    if not source.endswith(".py"):
        return wanted
    try:
        tree = ast.parse(_read(Path(source)))
    except (SyntaxError, ValueError) as error:
        raise NotFoundError(f"a file that Python can load: {type(error).__name__}") from error
    classes = [each.name for each in tree.body if isinstance(each, ast.ClassDef) and each.bases]
    listed = " or ".join(f"{source}:{name}" for name in classes)
    return f"{wanted}; the file has {listed}" if listed else f"{wanted}; the file has no class"


def of_class(cls: type[Scheme]) -> str:
    """Return the source by which a configuration names a class of this program."""
    file = _file_of(cls)
    source = f"{cls.__module__}:{cls.__qualname__}"
    # Files that were loaded as schemes are no modules that others could import.
    if file is not None and (cls.__module__ == "__main__" or cls.__module__.startswith(_PREFIX)):
        source = f"{_shown(file)}:{cls.__qualname__}"
    each = cls, file
    _given[source] = each, _texts(each)
    code.read_from(source, _files(each))
    return source


def _file_of(cls: type) -> Path | None:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return Path(file) if file and file.endswith(".py") else None


def _files(each: Found) -> list[Path]:
    """Return the files that a class is written in."""
    cls, own = each
    found = [own, *map(_file_of, _own_bases(cls))]
    return list(dict.fromkeys(file for file in found if file is not None))


def _own_bases(cls: type) -> list[type]:
    """Return a class and those that it begins with, but for what every scheme does."""
    others = ("builtins", "slcache.scheme", "typing", "abc")
    return [base for base in cls.__mro__ if base.__module__ not in others]


def _texts(each: Found) -> list[str]:
    """Return all that a class is written in: the file it was found in first, then its bases'.

    What a function made it from is part of it; modules that it imports are not.
    """
    cls, own = each
    texts: dict[str, None] = {} if own is None else {_read(own): None}
    made = []
    for base in _own_bases(cls):
        file = _file_of(base)
        # A class of a notebook has no file that says all of it.
        texts[_read(file) if file is not None else _source_of(base)] = None
        made += [f"{base.__qualname__}.{name} {each}" for name, each in _closed_over(base)]
    return [*texts, *made]


def _closed_over(cls: type) -> list[tuple[str, str]]:
    """Return what the methods of a class have from the function that made it."""
    found = []
    for name, method in vars(cls).items():
        for cell in getattr(method, "__closure__", None) or ():
            contents = cell.cell_contents
            if contents is not cls and not isinstance(contents, type):
                found.append((name, repr(contents)))
    return found


def _checksum(texts: list[str]) -> str:
    """Return the checksum of a class's own file, and behind it that of the rest, if any."""
    own, *rest = texts or [""]
    return _digest(own) + (f"{_AND}{_digest(chr(0).join(rest))}" if rest else "")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _shown(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)


_PREFIX = "slcache_scheme_"


def _read(file: Path) -> str:
    try:
        return files.text_of(file)
    except OSError as error:
        raise NotFoundError(f"a file of Python: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise NotFoundError("a file of Python: it is no text") from error
    except files.TooLongError as error:
        raise NotFoundError(f"a file of Python: {error}") from error


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
        with code.loading(file):
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


def _file_of_module(name: str) -> Path | None:
    """Return the file of a module that is not imported to find it; None where that is unknown."""
    if name in sys.modules:
        file = getattr(sys.modules[name], "__file__", None)
    else:
        file, places = None, None
        # The packages that a module is in, from the outermost, and the module.
        for whole in itertools.accumulate(name.split("."), "{}.{}".format):
            spec = importlib.machinery.PathFinder.find_spec(whole, places)
            if spec is None:
                return None
            file, places = spec.origin, spec.submodule_search_locations
    return Path(file) if file and file.endswith(".py") else None


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
