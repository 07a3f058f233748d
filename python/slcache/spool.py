"""Standard input as a file, for comparisons that read a trace once per scheme."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator

#: The trace name that stands for standard input.
STDIN = "-"


@contextlib.contextmanager
def rereadable(trace: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a path that can be read several times; standard input is copied to a temporary file."""
    if os.fspath(trace) != STDIN:
        yield os.fspath(trace)
        return
    with tempfile.NamedTemporaryFile(prefix="slcache-") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        yield file.name
