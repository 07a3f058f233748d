"""The state that decides a run's figures, in a line: of the device before, of the cache in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slcache import units
from slcache.documents import Document
from slcache.names import joined, leaves, said_of

#: What the presets say of themselves that are like drives which are sold.
_DRIVE = "calibrated to published"
#: Devices of which each is named.
_NAMED = 3


@dataclass(frozen=True)
class State:
    """What the line is made of, for one run."""

    device: str
    full: float
    overwritten: float | None
    steady: bool | None
    #: The rest is of the SLC cache: None without one.
    peak: float | None = None
    #: What it might have; not known where only a study's table is.
    limit: float | None = None
    full_ns: float | None = None
    left: float | None = None


def of(document: Document) -> State:
    """Return the state of a run."""
    found = _of({"device": document["config"]["device"]["name"], **document["figures"]})
    return replace(found, limit=(document["state"]["cache"] or {}).get("limit_bytes"))


def of_row(row: Mapping[str, Any]) -> State | None:
    """Return the state of a row of a study's table; None of an older table."""
    return None if row.get("full_share") is None else _of(row)


def _of(figures: Mapping[str, Any]) -> State:
    steady = figures.get("steady")
    return State(
        str(figures["device"]),
        figures["full_share"],
        figures.get("overwritten_share"),
        None if steady is None else bool(steady),
        figures.get("cache_peak_bytes"),
        None,
        figures.get("cache_full_ns"),
        figures.get("cache_left_bytes"),
    )


def line(documents: Iterable[Document]) -> str:
    """Return the line of runs; empty where none tells its state."""
    return told([of(document) for document in documents])


def told(states: Sequence[State]) -> str:
    """Return the line of one state, or of several as the range that they cover."""
    if not states:
        return ""
    names = list(dict.fromkeys(state.device for state in states))
    device = joined(names) if len(names) <= _NAMED else f"{len(names)} devices"
    before = [_full(states), _overwritten(states), _steady(states)]
    return f"{device}: {', '.join(filter(None, before))}; {_cache(states)}"


def _full(states: Sequence[State]) -> str:
    shares = [state.full for state in states]
    return "empty" if max(shares) == 0 else f"{_range(shares, units.percent)} full"


def _overwritten(states: Sequence[State]) -> str:
    known = [state.overwritten for state in states if state.overwritten is not None]
    if not known:
        return "overwritten as its saved state was"
    if max(known) == 0:
        return "never overwritten"
    return (
        f"overwritten {_range(known, lambda times: units.trimmed(units.significant(times)))} times"
    )


def _steady(states: Sequence[State]) -> str:
    known = [state.steady for state in states if state.steady is not None]
    if not known:
        return "too few writes to be steady"
    if all(known) or not any(known):
        return "steady" if all(known) else "not steady"
    return f"steady in {sum(known)} of {len(states)}"


def _cache(states: Sequence[State]) -> str:
    """Say what the caches took at most, whether they were ever full, and what is left in them."""
    cached = [state for state in states if state.peak is not None]
    if not cached:
        return "no SLC cache"
    peak = _range([state.peak or 0 for state in cached], units.size)
    limits = {state.limit for state in cached}
    limit = next(iter(limits)) if len(limits) == 1 else None
    of = f" of {units.size(limit)}" if limit and all((s.peak or 0) <= limit for s in cached) else ""
    left = max(state.left or 0 for state in cached)
    most = "up to " if len(cached) > 1 and left else ""
    remains = f"{most}{units.size(left)} left in it at the end" if left else "nothing left in it"
    return f"SLC cache {peak}{of} at most, {_filled(cached)}, {remains}"


def _filled(cached: Sequence[State]) -> str:
    filled = [state.full_ns for state in cached if state.full_ns is not None]
    if not filled:
        return "never full"
    if len(cached) == 1:
        return f"full after {units.span(filled[0] / 1e3)}"
    return "full" if len(filled) == len(cached) else f"full in {len(filled)} of {len(cached)}"


def _range(values: Sequence[float], show: Any) -> str:  # noqa: ANN401
    ends = list(dict.fromkeys((show(min(values)), show(max(values)))))
    return " to ".join(ends)


def unfilled(named: Iterable[tuple[str, Document]]) -> str:
    """Say of which schemes no cache ever filled: what they come to later is not in the figures.

    Empty where all caches were full once; else with a space behind it, for a verdict to follow.
    """
    states = [(name, of(each)) for name, each in named]
    cached = dict.fromkeys(name for name, state in states if state.peak is not None)
    filled = {name for name, state in states if state.full_ns is not None}
    names = [name for name in cached if name not in filled]
    if not names:
        return ""
    caches = "cache" if len(names) == 1 else "caches"
    who = f"The SLC {caches} of {said_of(names, 'was', 'were')} never full here"
    if len(names) == len(cached):
        who = "No SLC cache was ever full here"
    return f"{who}: a longer run, or a fuller device, may reverse the result. "


def unchosen(documents: Sequence[Document]) -> str:
    """Say that a drive as people own was empty, if it was; what wins there may not win later."""
    states = [of(document) for document in documents]
    configs = [document["config"] for document in documents]
    drives = any(
        _DRIVE in str(config["device"].get("summary")) or "client" in config["scheme"]
        for config in configs
    )
    filled = any(dict(leaves(config)).get("precondition.fill") for config in configs)
    if not drives or filled or not states or any(s.overwritten is None for s in states):
        return ""
    return (
        "Before the run the drive held only the data that the trace accesses, but most drives are "
        "full and overwritten: slcache compare --states compares both."
    )
