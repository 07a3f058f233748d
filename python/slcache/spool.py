"""Standard input as a file, for comparisons that read a trace once per scheme."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator

from slcache.files import scratch

#: The trace name that stands for standard input.
STDIN = "-"


@contextlib.contextmanager
def rereadable(trace: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a path that can be read several times; standard input is copied to a temporary file."""
    if os.fspath(trace) != STDIN:
        yield os.fspath(trace)
        return
    with scratch() as folder:
        path = folder / "stdin"
        with path.open("xb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)
