"""Results kept on disk, so that interrupted work goes on where it stopped.

What is kept names its key and a checksum: a file that was edited, cut short, or put in the place
of another is told and made anew. Names of files are never believed.

Several commands may work on one store. Nothing is removed from it: a file gets its name whole and
sealed, in the place of whatever was there. Equal keys have equal bytes, so it does not matter whose
file stays.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import re
import stat
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from slcache import _core, files
from slcache.documents import saved
from slcache.errors import Error, ResultError
from slcache.options import parsing

#: A kept document is never so long: a small file that unpacks to more was not written here.
MOST_BYTES = 256 << 20
#: Longer than any seal, whatever the name in it.
_SEAL_BYTES_MAX = 1 << 16
#: Where a file is made that gets its name later.
_HIDDEN = re.compile(r"/\.slcache-\w+\.tmp(?=/)")
#: Files written at a time, and results that may wait for it.
_WRITERS, _WAITING = 4, 8


def key(parts: Mapping[str, Any]) -> str:
    """Return a name for what these parts, and this version of slcache, lead to."""
    whole = {**parts, "version": _core.version(), "commit": _core.commit()}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def pack(key: str, text: bytes, level: int = 6) -> bytes:
    """Return a document as it is kept under a key: behind a line that seals it."""
    whole = _seal(key, hashlib.sha256(text).hexdigest()) + text
    return gzip.compress(whole, level, mtime=0)


def unpack(content: bytes) -> dict[str, Any]:
    """Return the document of what was `packed` just now."""
    _, _, text = gzip.decompress(content).partition(b"\n")
    document: dict[str, Any] = json.loads(text)
    return document


class Store:
    """Documents by what made them, such as results by configuration, trace, seed and version."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def get(
        self, key: str, check: Callable[[object], object] = saved.current
    ) -> dict[str, Any] | None:
        """Return a kept document; None where there is none, or none that fits.

        Seals can be forged: `check` raises ResultError for what is no result, or no other kind of
        document that is wanted.
        """
        path = self._path(key)
        if not os.path.lexists(path):
            return None
        try:
            with gzip.open(_regular(path)) as file:
                whole = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            _tell(path)
            return None
        text = whole[whole.find(b"\n") + 1 :]
        sealed = _seal(key, hashlib.sha256(text).hexdigest()) + text
        if len(whole) > MOST_BYTES or whole != sealed:
            _tell(path)
            return None
        try:
            document: dict[str, Any] = parsing.json_text(text.decode())
            check(document)
        except (ResultError, ValueError) as error:
            _tell(path, f": {error}")
            return None
        return document

    def put(self, key: str, document: Mapping[str, Any]) -> None:
        """Keep a document: whole or not at all."""
        self.put_packed(key, pack(key, json.dumps(document, ensure_ascii=False).encode()))

    def put_packed(self, key: str, content: bytes) -> None:
        """Keep a document that is `packed`: whole or not at all."""
        path = self._path(key)
        self.directory.mkdir(parents=True, exist_ok=True)
        with files.scratch(self.directory) as folder:
            made = folder / path.name
            with _told_of(path):
                made.write_bytes(content)
                made.replace(path)

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}.json.gz"


class Keeper:
    """Writes documents while others are made: to make sure of a file takes longer than many a run.

    Everything is in the store when the block is left.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pool = ThreadPoolExecutor(_WRITERS, thread_name_prefix="keeper")
        self._writing: set[Future[None]] = set()

    def __enter__(self) -> Self:
        return self

    def keep(self, key: str, content: bytes) -> None:
        """Write what is `packed`; raises what went wrong with an earlier one."""
        self._writing.add(self._pool.submit(self._store.put_packed, key, content))
        over = len(self._writing) > _WAITING
        written, self._writing = wait(
            self._writing, timeout=None if over else 0, return_when=FIRST_COMPLETED
        )
        for each in written:
            each.result()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown()
        if kind is None:
            for each in self._writing:
                each.result()


def sound(path: Path) -> bool:
    """Return whether a file is there as it was when it was sealed.

    One without its seal is no more than not there: somebody deleted that, or was ended.
    """
    try:
        sealed = files.bytes_of(_regular(_beside(path)), _SEAL_BYTES_MAX)
        fits = sealed == _seal(path.name, _sha256(path))
    except FileNotFoundError:
        return False
    except (OSError, files.TooLongError):
        fits = False
    if not fits:
        _tell(path)
    return fits


@contextlib.contextmanager
def making(path: Path) -> Iterator[Path]:
    """Yield where to make a file for later runs; it gets its own name sealed, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.scratch(path.parent) as folder:
        made = folder / path.name
        with _told_of(path):
            yield made
            _beside(made).write_bytes(_seal(path.name, _sha256(made)))
            # In this order, and with equal bytes for equal names, no file is ever without its seal.
            _beside(made).replace(_beside(path))
            made.replace(path)


@contextlib.contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """Have what is wrong with a file in the making told of the one that it is to be."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and not _HIDDEN.search(str(error.filename)):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    except Error as error:
        error.args = (_HIDDEN.sub("", str(error)),)
        raise


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.seal")


def _seal(name: str, sha256: str) -> bytes:
    return json.dumps({"key": name, "sha256": sha256}).encode() + b"\n"


def _sha256(path: Path) -> str:
    with _regular(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _regular(path: Path) -> Path:
    """Return the path of a file; reading a pipe or a device might never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(f"{path}: not a file")
    return path


def _tell(path: Path, why: str = "") -> None:
    told = f"{path}: damaged, or not what its name says{why}: it is made anew"
    warnings.warn(told, stacklevel=3)
