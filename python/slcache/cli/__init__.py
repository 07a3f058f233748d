"""The `slcache` command line as a process: its streams, its room, and how it ends."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from slcache import _boot

#: Address space below which libraries cannot be loaded.
LEAST_BYTES = 400 << 20


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        _boot.begin_with_hashes(sys.argv[1:])
        if not _streams_open() or not _has_room():
            sys.exit(1)
        from slcache.cli.app import execute

        _boot.heed(_boot.interrupt)
        status = execute(sys.argv[1:])
        _boot.done()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        status = _boot.INTERRUPTED
    if status == _boot.INTERRUPTED:
        _leave()
    sys.exit(status)


def _leave() -> None:
    """End without waiting for what may still be going on, and leave no files of it."""
    from slcache import _core

    _core.remove_scratches()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(_boot.INTERRUPTED)


def _has_room() -> bool:
    """Return whether libraries can be loaded; some end the process where they cannot."""
    try:
        import resource
    except ImportError:
        return True
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or limit >= LEAST_BYTES:
        return True
    told = f"out of address space: {limit >> 20} MiB are allowed (ulimit -v)"
    sys.stderr.write(f"error: {told}, and libraries need {LEAST_BYTES >> 20}\n")
    return False


def _streams_open() -> bool:
    """Give closed standard streams a place, lest a file take their number and what is printed.

    Without standard output there is nothing to do: False.
    """
    closed = [number for number in range(3) if _is_closed(number)]
    for _ in closed:
        # The system hands out the lowest free number.
        os.open(os.devnull, os.O_RDWR)
    if 2 in closed:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if 1 in closed:
        sys.stderr.write("error: standard output is closed\n")
    return 1 not in closed


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


#: Standard output while a verb runs, from the outermost one.
_results: list[TextIO] = []


def stdout() -> TextIO:
    """Return where results are printed."""
    return _results[-1] if _results else sys.stdout


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """Print what is no result, such as the words of a scheme in Python, on standard error."""
    _results.append(sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _results.pop()
