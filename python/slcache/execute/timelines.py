"""Timelines of several runs: files for each, over one stretch of time or around a request."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import numpy as np

from slcache import _core, files, slow
from slcache.errors import UsageError, about
from slcache.execute.run import Run
from slcache.files import Path as Named
from slcache.names import in_file_name
from slcache.options import content
from slcache.options.parsing import time_ns
from slcache.results.result import Result
from slcache.slow import Log

#: No run lasts as long, ns.
END_NS = 2**64 - 1
_REQUEST = re.compile(r"request=(\d{1,18})")

#: Writes that are shown before and after the cliff.
_CLIFF_WRITES = 500

#: From when until when, ns, and of every which request.
Stretch = tuple[int, int, int]
#: From when until when, around what, and of every which request.
Said = tuple[str | None, str | None, str | None, int | None]


def results(
    runs: Sequence[Run],
    labels: Sequence[str],
    file: Named | None,
    said: Said,
    run: Callable[[Sequence[Run]], list[Result]],
) -> list[Result]:
    """Return the results of runs that draw timelines, each in a file with its label in the name.

    A stretch around a request is that request's own in each run; all run for it first.
    """
    path = Path(file_of(file, said, content.path_of(runs[0].trace)))
    if not path.name:
        told = f"timeline = {os.fspath(path)!r}: must name a file"
        raise about(UsageError(told), "timeline")
    paths = [str(_named(path, label)) for label in labels]
    # What cannot be written is told before anything runs.
    files.check(paths, [])
    if said[2] is None:
        stretches = [stretch_of(*said, _no_log)] * len(runs)
    else:
        with files.scratch(path.parent) as folder:
            logs = [folder / f"{number}.parquet" for number in range(len(runs))]
            first = (replace(each, save_state=None, memory_out=None) for each in runs)
            run([replace(each, log=to) for each, to in zip(first, logs, strict=True)])
            stretches = [stretch_of(*said, partial(slow.read, each)) for each in logs]
    drawn = [(to, *when) for to, when in zip(paths, stretches, strict=True)]
    found = run([replace(each, timelines=(what,)) for each, what in zip(runs, drawn, strict=True)])
    for result, (to, _, _, every) in zip(found, drawn, strict=True):
        drawing = {"file": to} | ({} if every == 1 else {"every": every})
        result.documents[0]["provenance"]["timeline"] = drawing
    return found


def _named(path: Path, label: str) -> Path:
    """Return the timeline of one run of several: the name with its label, if it has one."""
    if not label:
        return path
    stem, dot, kinds = path.name.partition(".")
    return path.with_name(f"{stem}-{in_file_name(label)}{dot}{kinds}")


def _no_log() -> slow.Log:
    raise AssertionError("only a stretch around a request asks for a log")


def stretch_of(
    since: str | None,
    until: str | None,
    around: str | None,
    every: int | None,
    log: Callable[[], Log],
) -> Stretch:
    """Return the stretch that texts tell, such as `1.5s`; UsageError where they tell none.

    `log` runs what is to be drawn and tells its requests, for a stretch that depends on them.
    """
    every = every or 1
    if around is None:
        begin = 0 if since is None else _time_ns("timeline_from", since)
        end = END_NS if until is None else _time_ns("timeline_until", until)
        if begin >= end:
            _refuse("timeline_until", until, f"must be later than timeline_from = {since or '0s'}")
        return begin, end, every
    if since is not None or until is not None:
        _refuse("timeline_around", around, "tells from when until when; leave those out")
    if around == "cliff":
        return (*_cliff(log()), every)
    if around != "slowest":
        if _REQUEST.fullmatch(around) is None:
            _refuse("timeline_around", around, "must be slowest, cliff, or request=N with N from 0")
        # What is known without a run is told before one.
        _check_kept(int(around.partition("=")[2]), every, around)
    found = log()
    place = _place(found, around)
    _check_kept(int(found.request[place]), every, around)
    # As much before and behind it as it took.
    latency = max(int(found.latency_ns[place]), 1)
    begin, end = int(found.arrival_ns[place]) - latency, int(found.completion_ns[place]) + latency
    return max(begin, 0), end, every


def _check_kept(number: int, every: int, around: str) -> None:
    """Refuse a timeline around a request that it would leave out."""
    if number % every:
        told = f"leaves out request {number}, which timeline_around = {around} is of"
        _refuse("timeline_every", every, told)


def _cliff(log: Log) -> tuple[int, int]:
    """Return the time of the writes around the one from which on writes are slower.

    It is where the logarithms of the latencies before and after differ most from one another for
    how much they differ among themselves: the best fit of two levels.
    """
    writes = np.flatnonzero(log.operation == "write")
    count = len(writes)
    if count < 4:
        _refuse("timeline_around", "cliff", f"there are {count} writes; 4 are the fewest")
    level = np.log(np.maximum(log.latency_ns[writes], 1).astype(float))
    # Sums of equal ones are then equal to the last digit.
    level -= level[0]
    before = np.arange(2, count - 1)
    sums = np.cumsum(level)
    first, rest = sums[before - 1] / before, (sums[-1] - sums[before - 1]) / (count - before)
    gain = np.where(rest > first, before * (count - before) * (rest - first) ** 2, 0.0)
    if not gain.any():
        _refuse("timeline_around", "cliff", "no write is followed by slower ones")
    at = int(before[np.argmax(gain)])
    shown = writes[max(at - _CLIFF_WRITES, 0) : at + _CLIFF_WRITES]
    return int(log.arrival_ns[shown[0]]), int(log.completion_ns[shown].max())


def _place(log: Log, around: str) -> int:
    """Return the row of the request that a timeline is around."""
    if around == "slowest":
        return int(np.argmax(log.latency_ns))
    found = np.flatnonzero(log.request == int(around.partition("=")[2]))
    if not len(found):
        _refuse("timeline_around", around, f"the requests are 0 to {len(log) - 1:,}")
    return int(found[0])


def _time_ns(name: str, text: str) -> int:
    try:
        found = time_ns(text)
    except ValueError as error:
        raise about(UsageError(f"{name}: {error}"), name) from error
    if found > END_NS:
        _refuse(name, text, f"must be at most {END_NS} ns, 584 years")
    return found


def _refuse(name: str, value: object, told: str) -> NoReturn:
    raise about(UsageError(f"{name} = {value}: {told}"), name)


def file_of(file: Named | None, said: Said, trace: Named | None) -> str:
    """Return the file; UsageError without one, or where a stretch cannot be known beforehand."""
    if file is None:
        told = "timeline is missing: a stretch of time is that of a timeline"
        raise about(UsageError(told), "timeline")
    if said[2] is not None and trace is not None and _core.is_read_once(os.fspath(trace)):
        told = f"timeline_around = {said[2]}: {os.fspath(trace)} can be read only once"
        raise about(UsageError(told), "timeline_around")
    return os.fspath(file)
