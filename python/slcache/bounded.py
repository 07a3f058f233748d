"""Documents in files, read up to a stated size: a pipe or a device may have no end."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

from slcache.errors import RunError

#: The largest document of results, a store's too, and the largest log of a drive; none
#: comes near it.
RESULT_BYTES_MAX = 256 << 20
#: The largest file that people write: studies, evaluations, lists of points and schemes.
STUDY_BYTES_MAX = 16 << 20


class TooLongError(ValueError):
    """A file that is larger than any document of its kind."""


def regular(path: Path) -> Path:
    """Return the path of a file; OSError for what is none: to open a pipe may take for ever."""
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise OSError(errno.EISDIR, "it is a folder, not a file", str(path))
    if not stat.S_ISREG(kind):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
    return path


def read(path: Path, limit_bytes: int) -> bytes:
    """Return a file's bytes; raises OSError, TooLongError."""
    with regular(path).open("rb") as file:
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise TooLongError(f"{path}: is larger than {limit_bytes >> 20} MiB, the largest allowed")
    return content


def text(path: Path, limit_bytes: int = STUDY_BYTES_MAX) -> str:
    """Return a file's text, UTF-8 with or without a mark in front; raises OSError, ValueError."""
    return read(path, limit_bytes).decode("utf-8-sig")


def check_addresses(least_bytes: int, what: str) -> None:
    """Raise RunError where a process may have fewer addresses than a library takes.

    Such a library would end the process, and nobody would be told why.
    """
    try:
        import resource
    except ImportError:
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < least_bytes:
        told = f"out of address space: {limit >> 20:,} MiB are allowed (ulimit -v)"
        raise RunError(f"{told}, and {what} need {least_bytes >> 20:,}")
