"""The table of operations that a result has of its timeline, and the file that it lies in."""

from __future__ import annotations

import hashlib
import itertools
import pathlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slcache import files
from slcache.errors import ResultError, about

#: What is left of a label in a file's name.
_UNSAFE = re.compile(r"[^\w.=+-]+", re.ASCII)
_NAME_MAX = 80


@dataclass(frozen=True)
class Timeline:
    """A run's operations in a stretch of time, as the Parquet table that tells them."""

    #: Where the table is, or what it is called.
    path: str
    #: What is in it; None: it is read from the file when it is asked for.
    content: bytes | None
    sha256: str
    #: Of every which of the host's requests it has the operations.
    every: int = 1

    @classmethod
    def of(cls, path: pathlib.Path, every: int) -> Timeline:
        """Return the table that a run has just written; it is read at once."""
        content = path.read_bytes()
        return cls(str(path), content, hashlib.sha256(content).hexdigest(), every)

    def told(self) -> dict[str, Any]:
        """Return what a result's document says about it."""
        every = {} if self.every == 1 else {"every": self.every}
        return {"sha256": self.sha256, **every}

    def whole(self) -> bytes:
        """Return the table; ResultError where it is not the one of the result."""
        if self.content is not None:
            return self.content
        path = pathlib.Path(self.path)
        if path.exists() and not path.is_file():
            raise self._wrong("is no file")
        try:
            content = path.read_bytes()
        except OSError as error:
            raise self._wrong(f"cannot be read: {error.strerror or error}") from error
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            told = f"its SHA-256 is {found}, and the result's timeline has {self.sha256}"
            raise self._wrong(told)
        return content

    def _wrong(self, told: str) -> ResultError:
        why = files.unfinished(pathlib.Path(self.path).parent)
        return about(ResultError(f"{self.path}: {told}{why}"), file=self.path)


def names(labels: Sequence[str]) -> list[str]:
    """Return the file of each run's table beside its result, whatever runs are called."""
    found: list[str] = []
    for label in labels:
        stem = "timeline-" + _UNSAFE.sub("-", label)[:_NAME_MAX]
        numbered = (f"{stem}.{number}" for number in itertools.count(2))
        free = (f"{each}.parquet" for each in itertools.chain([stem], numbered))
        # Some disks take names for equal that differ in case.
        taken = {name.casefold() for name in found}
        found.append(next(name for name in free if name.casefold() not in taken))
    return found


def beside(
    file: pathlib.Path, labels: Sequence[str], documents: Sequence[Mapping[str, Any]]
) -> list[Timeline | None]:
    """Return the tables beside a result's file, of those runs that say that they have one.

    A document may have been saved alone.
    """
    found: list[Timeline | None] = []
    for name, document in zip(names(labels), documents, strict=True):
        told, path = document["provenance"].get("timeline"), file.parent / name
        there = told is not None and path.is_file()
        every = told.get("every", 1) if there else 1
        found.append(Timeline(str(path), None, told["sha256"], every) if there else None)
    return found
