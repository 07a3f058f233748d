"""The stretch of time that a timeline is of: given, or around a request."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from slcache.errors import UsageError, about
from slcache.given.quantity import time_ns
from slcache.slow.log import Log

#: No run lasts as long, ns.
END_NS = 2**64 - 1
_REQUEST = re.compile(r"request=(\d{1,18})")

#: From when until when, ns.
Stretch = tuple[int, int]


def asked(
    since: str | None, until: str | None, around: str | None, log: Callable[[], Log]
) -> Stretch:
    """Return the stretch that texts tell, such as `1.5s`; UsageError where they tell none.

    `log` runs what is to be drawn and tells its requests, for a stretch around one of them.
    """
    if around is None:
        begin = 0 if since is None else _time_ns("timeline_from", since)
        end = END_NS if until is None else _time_ns("timeline_until", until)
        if begin >= end:
            _refuse("timeline_until", until, f"must be later than timeline_from = {since or '0s'}")
        return begin, end
    if since is not None or until is not None:
        _refuse("timeline_around", around, "tells from when until when; leave those out")
    if around != "slowest" and _REQUEST.fullmatch(around) is None:
        _refuse("timeline_around", around, "must be slowest, or request=N with N from 0")
    return _around(log(), around)


def _around(log: Log, around: str) -> Stretch:
    """Return a request's time, with as much before and behind it as it took."""
    if around == "slowest":
        place = int(np.argmax(log.latency_ns))
    else:
        number = int(around.partition("=")[2])
        found = np.flatnonzero(log.request == number)
        if not len(found):
            _refuse("timeline_around", around, f"the requests are 0 to {len(log) - 1:,}")
        place = int(found[0])
    latency = max(int(log.latency_ns[place]), 1)
    begin, end = int(log.arrival_ns[place]) - latency, int(log.completion_ns[place]) + latency
    return max(begin, 0), end


def _time_ns(name: str, text: str) -> int:
    try:
        return time_ns(text)
    except ValueError as error:
        raise about(UsageError(f"{name}: {error}"), name) from error


def _refuse(name: str, value: object, told: str) -> None:
    raise about(UsageError(f"{name} = {value}: {told}"), name)
