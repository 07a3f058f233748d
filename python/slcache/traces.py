"""Block traces on disk: what they hold, what is wrong with them, a picture of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from slcache import _core, pictures

#: Called a few times a second with (phase, done, total); returning False cancels the work.
Progress = Callable[[str, int, int], bool]
Path = str | os.PathLike[str]


class Trace:
    """A block trace on disk: its statistics and its problems.

    `format` and `options` say how to read it, as `--trace-format` and `--trace-option` do.
    """

    def __init__(
        self,
        path: Path,
        format: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self._options = reader_options(format, options)

    def info(self) -> dict[str, Any]:
        """Return counts, footprint and statistics."""
        document: dict[str, Any] = json.loads(_core.trace_info(self.path, self._options))
        return document

    def lint(self) -> dict[str, Any]:
        """Return every problem that would stop or distort a run, with its line."""
        document: dict[str, Any] = json.loads(_core.trace_lint(self.path, self._options))
        return document

    def picture(self, path: Path) -> None:
        """Draw sizes, times, hot set and addresses in a .png, .svg, .pdf or .html file."""
        pictures.check(path)
        pictures.save_trace(self.info(), path)

    def __repr__(self) -> str:
        return f"<slcache.Trace {self.path}>"


def reader_options(trace_format: str | None, options: Mapping[str, str] | None) -> dict[str, str]:
    """Return a trace's reader options with the format among them."""
    named = {} if trace_format is None else {"format": trace_format}
    return {**(options or {}), **named}
