"""Standard output, which is for results alone: what code of a user's prints goes beside them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TextIO

#: Standard output while a verb runs, from the outermost one.
_results: list[TextIO] = []


def results() -> TextIO:
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
