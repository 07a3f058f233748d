"""Timelines of several runs: files for each, over one stretch of time or around a request."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from slcache import files
from slcache.errors import UsageError, about
from slcache.execute import given
from slcache.execute.run import Run
from slcache.files import Path as Named
from slcache.names import in_file_name
from slcache.results.result import Result
from slcache.slow import log, stretch


def results(
    runs: Sequence[Run],
    labels: Sequence[str],
    file: Named | None,
    said: stretch.Said,
    run: Callable[[Sequence[Run]], list[Result]],
) -> list[Result]:
    """Return the results of runs that draw timelines, each in a file with its label in the name.

    A stretch around a request is that request's own in each run; all run for it first.
    """
    asked = _drawn(runs, labels, file, said, run)
    found = run(asked)
    for each, result in zip(asked, found, strict=True):
        stretch.name(result.documents[0], *each.timelines)
    return found


def _drawn(
    runs: Sequence[Run],
    labels: Sequence[str],
    file: Named | None,
    said: stretch.Said,
    run: Callable[[Sequence[Run]], object],
) -> list[Run]:
    """Return runs that draw a file each."""
    path = Path(stretch.checked(file, said, given.path_of(runs[0].trace)))
    if not path.name:
        told = f"timeline = {os.fspath(path)!r}: must name a file"
        raise about(UsageError(told), "timeline")
    paths = [str(_named(path, label)) for label in labels]
    # What cannot be written is told before anything runs.
    files.check(paths, [])
    if said[2] is None:
        when = stretch.asked(*said, _no_log)
        return [
            replace(each, timelines=((to, *when),)) for each, to in zip(runs, paths, strict=True)
        ]
    with files.scratch(path.parent) as folder:
        logs = [folder / f"{number}.parquet" for number in range(len(runs))]
        first = (replace(each, save_state=None, memory_out=None) for each in runs)
        run([replace(each, log=to) for each, to in zip(first, logs, strict=True)])
        stretches = [stretch.asked(*said, partial(log.read, each)) for each in logs]
        drawn = [(to, *when) for to, when in zip(paths, stretches, strict=True)]
    return [replace(each, timelines=(what,)) for each, what in zip(runs, drawn, strict=True)]


def _named(path: Path, label: str) -> Path:
    """Return the timeline of one run of several: the name with its label, if it has one."""
    if not label:
        return path
    stem, dot, kinds = path.name.partition(".")
    return path.with_name(f"{stem}-{in_file_name(label)}{dot}{kinds}")


def _no_log() -> log.Log:
    raise AssertionError("only a stretch around a request asks for a log")
