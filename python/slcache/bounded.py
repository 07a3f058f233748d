"""Documents in files, read up to a stated size: a pipe or a device may have no end."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

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
