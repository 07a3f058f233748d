"""Block traces as functions: what they hold, what is wrong with them, and new ones made from them.

>>> import slcache
>>> slcache.trace.info("web.csv.gz")["write_share"]
>>> slcache.trace.convert("web.csv.gz", "web.parquet")

`slcache.Trace` is the same for one trace, of which format and options are said once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slcache.files import Path
from slcache.given.arguments import checked
from slcache.traces.api import Progress, Trace, convert, generate

__all__ = [
    "convert",
    "generate",
    "info",
    "lint",
    "picture",
    "twin",
]


@checked
def info(
    trace: Path,
    *,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return a trace's counts, footprint and statistics."""
    return Trace(trace, trace_format, trace_options).info(on_progress)


@checked
def lint(
    trace: Path,
    *,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Return every problem that would stop or distort a run, with its line."""
    return Trace(trace, trace_format, trace_options).lint(on_progress)


@checked
def picture(
    trace: Path,
    output: Path,
    *,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
) -> None:
    """Draw sizes, times, hot set and addresses in a .png, .svg, .pdf or .html file."""
    Trace(trace, trace_format, trace_options).picture(output)


@checked
def twin(
    trace: Path,
    output: Path,
    *,
    trace_format: str | None = None,
    trace_options: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Write a workload file, a `.toml`, whose requests have a trace's figures, and return these.

    What was fitted or given up is there with the reasons, and what else it does not carry.
    """
    return Trace(trace, trace_format, trace_options).twin(output)
