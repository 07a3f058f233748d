"""The exceptions: all have one base, and say which key, file and line they are about."""

from __future__ import annotations

import re
from typing import TypeVar

from slcache._core import ConfigError, EpisodeError, Error, RunError, TraceError

__all__ = [
    "ConfigError",
    "EpisodeError",
    "Error",
    "ResultError",
    "RunError",
    "TraceError",
    "UsageError",
    "about",
]

_E = TypeVar("_E", bound=Error)


def _told(error: BaseException) -> str:
    """Return a message without the numbers that the system's library puts behind its reasons."""
    return re.sub(r" \(os error \d+\)", "", Exception.__str__(error))


Error.__str__ = _told  # type: ignore[method-assign]


class UsageError(Error, ValueError):
    """An argument that means nothing, whatever the device and the trace are."""


class ResultError(Error, ValueError):
    """A result document that cannot be read, or runs that cannot be compared."""


for _class in (UsageError, ResultError):
    # Where users find them, as they find the others.
    _class.__module__ = "slcache"


def about(
    error: _E, key: str | None = None, *, line: int | None = None, file: str | None = None
) -> _E:
    """Return the error with the key, argument or file that it is about."""
    error.key = key
    error.line = line
    error.file = file
    return error


def one_line(error: Exception) -> str:
    """Return what an error says, its lines with semicolons between."""
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
