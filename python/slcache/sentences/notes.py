"""What decides a run's figures and is not among them: the state of its device, and notes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from slcache import _core, units
from slcache.documents import Document, Runs, figures
from slcache.kinds import STORES
from slcache.names import by_reason, joined, leaves, said_of

#: What the presets say of themselves that are like drives which are sold.
_DRIVE = "calibrated to published"
#: Devices of which each is named.
_NAMED = 3
#: SLC caches that differ by more than this share are told of, and buffers that hold more of a run.
_MUCH = 0.1


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


def state(document: Document) -> State:
    """Return the state of a run, by its result or by the footer of its log."""
    found = document["state"]
    cache = {f"cache_{name}": value for name, value in (found["cache"] or {}).items()}
    state = _state({"device": document["config"]["device"]["name"], **found, **cache})
    return replace(state, limit=cache.get("cache_limit_bytes"))


def state_of_row(row: Mapping[str, Any]) -> State | None:
    """Return the state of a row of a study's table; None of an older table."""
    return None if row.get("full_share") is None else _state(row)


def _state(figures: Mapping[str, Any]) -> State:
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


def state_line(documents: Iterable[Document]) -> str:
    """Return the line of runs; empty where none tells its state."""
    return states_line([state(document) for document in documents])


def states_line(states: Sequence[State]) -> str:
    """Return the line of one state, or of several as the range that they cover."""
    if not states:
        return ""
    names = list(dict.fromkeys(state.device for state in states))
    device = joined(names) if len(names) <= _NAMED else f"{len(names)} devices"
    before = [_full(states), _overwritten(states), _steady(states)]
    return f"{device}: {', '.join(filter(None, before))}; {_cache(states)}"


def _full(states: Sequence[State]) -> str:
    shares = [state.full for state in states]
    return "empty" if max(shares) == 0 else f"{ranged(shares, units.percent)} full"


def _overwritten(states: Sequence[State]) -> str:
    known = [state.overwritten for state in states if state.overwritten is not None]
    if not known:
        return "overwritten as its saved state was"
    if max(known) == 0:
        return "never overwritten"
    return (
        f"overwritten {ranged(known, lambda times: units.trimmed(units.significant(times)))} times"
    )


def _steady(states: Sequence[State]) -> str:
    known = [state.steady for state in states if state.steady is not None]
    if not known:
        return "too few writes to be steady"
    if all(known) or not any(known):
        return "steady" if all(known) else "not steady"
    return f"steady in {sum(known)} of {len(states)}"


def _cache(states: Sequence[State]) -> str:
    """Say what the caches took at most, when room was made in them, and what is left in them."""
    cached = [state for state in states if state.peak is not None]
    if not cached:
        return "no SLC cache"
    peak = ranged([state.peak or 0 for state in cached], units.size)
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
        return f"reclaimed from {units.span(filled[0] / 1e3)} on"
    some = "" if len(filled) == len(cached) else f" in {len(filled)} of {len(cached)}"
    return f"reclaimed{some}"


def ranged(values: Sequence[float], show: Callable[[float], str]) -> str:
    """Return the least and the most of values, or what they have in common."""
    return " to ".join(dict.fromkeys((show(min(values)), show(max(values)))))


def untested(named: Sequence[tuple[str, Document]]) -> str:
    """Say of which schemes the run asked too little: a DRAM buffer or an SLC cache had the room.

    Empty where there are none; else with a space behind it, for a verdict to follow.
    """
    asked = [(name, each) for name, each in named if _held_share(each) < 1]
    return "".join(f"{told} " for told in [*buffered(named), *_unfilled(asked)])


def buffered(named: Sequence[tuple[str, Document]]) -> list[str]:
    """Say for how much of what was written the DRAM buffer has room, where that is much."""
    told = by_reason((name, _buffered(document)) for name, document in named)
    labels = {name for name, _ in named}
    return [
        text if labels == set(names) else f"{joined([*dict.fromkeys(names)])}: {text}"
        for text, names in told.items()
    ]


def _buffered(document: Document) -> str | None:
    share = _held_share(document)
    if share <= _MUCH:
        return None
    room = units.size(document["config"]["buffer"]["bytes"])
    written = units.size(document["host"]["write"]["bytes"])
    if share < 1:
        return (
            f"The DRAM buffer of {room} has room for {units.percent(share)} of the {written} "
            "written, which need not wait for the flash: a longer run may be slower."
        )
    return (
        f"The DRAM buffer of {room} has room for all of the {written} written: the writes tell "
        "nothing about the flash or its SLC cache."
    )


def _held_share(document: Document) -> float:
    """Return how much of what was written the DRAM buffer has room for, and ends writes by it."""
    buffer, written = document["config"].get("buffer"), document["host"]["write"]["bytes"]
    if not buffer or buffer["acknowledge"] != "on-buffer" or not written:
        return 0.0
    return float(buffer["bytes"] / written)


def _unfilled(named: Iterable[tuple[str, Document]]) -> Iterator[str]:
    """Say which caches took data and never filled: what comes later is not in the figures."""
    states = [(name, state(each)) for name, each in named if _is_programmed(each)]
    cached = dict.fromkeys(name for name, state in states if state.peak is not None)
    filled = {name for name, state in states if state.full_ns is not None}
    names = [name for name in cached if name not in filled]
    if not names:
        return
    caches = "cache" if len(names) == 1 else "caches"
    who = f"The SLC {caches} of {said_of(names, 'was', 'were')} never full here"
    if len(names) == len(cached):
        who = "No SLC cache was ever full here"
    yield f"{who}: a longer run, or a fuller device, may reverse the result."


def _is_programmed(document: Document) -> bool:
    """Return whether a run programmed anything in SLC mode."""
    return any(op["kind"] in STORES and op["mode"] == "slc" for op in document["flash"]["ops"])


def unchosen(documents: Sequence[Document]) -> str:
    """Say that a drive as people own was empty, if it was; what wins there may not win later."""
    states = [state(document) for document in documents]
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


def unpacked(runs: Runs, to: str) -> str:
    """Return a sentence on what packing does, where the reference programs a page for each write.

    Empty where that is little, or where what has a cache does so too.
    """
    if "tlc-only" not in runs[to]["config"]["scheme"]:
        return ""
    # Padding of one-shot wordlines is what a cache does save.
    beside = {name: run["waf"]["by_cause"].get("rmw", 0.0) for name, run in runs.items()}
    own, total = beside[to], runs[to]["waf"]["total"]
    names = [n for n, run in runs.items() if run["state"]["cache"] and beside[n] < own / 2]
    if own <= _MUCH * total or not names:
        return ""
    return (
        f"Part of the gain over {to} is not the cache's: {own:.2f} of its write amplification of "
        f"{total:.2f} is old data beside small writes, which "
        f"{said_of(names, 'packs', 'pack')}; qlc-only packs too, and has no cache."
    )


def unequal_caches(runs: Runs) -> str:
    """Return a sentence that names the smallest and the largest SLC cache where they differ."""
    caches = {name: run["state"]["cache"] for name, run in runs.items()}
    # What never took anything explains nothing.
    sizes = {name: c["limit_bytes"] for name, c in caches.items() if c and c["peak_bytes"]}
    if not sizes:
        return ""
    small, large = (choose(sizes, key=lambda name: sizes[name]) for choose in (min, max))
    if sizes[large] <= (1 + _MUCH) * sizes[small]:
        return ""
    least, most = units.size(sizes[small]), units.size(sizes[large])
    return (
        f"The SLC caches differ in size: {small} has {least}, {large} {most}. This may explain "
        "part of the difference between the schemes."
    )


def unequal_room(runs: Runs) -> str:
    """Return a sentence on schemes that clean with more spare room than others, or nothing."""
    causes = [run["waf"]["by_cause"] for run in runs.values()]
    if not any(each.get("gc") or each.get("agc") for each in causes):
        return ""
    configs = {label: document["config"] for label, document in runs.items()}
    more = {name: blocks for name, blocks in figures.equalised(configs).items() if blocks}
    if not more:
        return ""
    (key, fewest), *_ = next(iter(more.values())).items()
    pool = int(key.removeprefix("device.pool[").partition("]")[0])
    has = configs[next(iter(more))]["device"]["pool"][pool]["blocks"]
    known = {
        name: found
        for name, each in configs.items()
        if (found := figures.dense_blocks(each)) is not None
    }
    cached = [name for name, (blocks, is_one) in known.items() if is_one and blocks[pool] == fewest]
    verb = "has" if len(more) == 1 else "have"
    return (
        f"For garbage collection, {joined(list(more))} {verb} {has} dense blocks per plane "
        f"and {joined(cached)} {fewest}, for the same data. This may explain part of their "
        "difference in write amplification; --equal-cells gives all the same number."
    )


def missed_peaks(config: Mapping[str, Any], depth: int) -> str | None:
    """Return which peaks of a resolved configuration are out of reach without a buffer."""
    missed = _core.config_missed(json.dumps(config), depth)
    if not missed:
        return None
    told = ", ".join(f"{mode} {most:.0f} of {peak:.0f} MB/s" for mode, most, peak in missed)
    requests = "1 request" if depth == 1 else f"{depth} requests"
    return f"writes wait for their programs: {told} with {requests} of 128 KiB outstanding"


def of_runs(runs: Runs) -> list[str]:
    """Return each note once: requests beyond the device, a rounded capacity, tiers on shared dies.

    One that is not of all runs begins with the labels of those that it is of.
    """
    noted = by_reason(
        (label, note)
        for label, document in runs.items()
        for note in dict.fromkeys((*beyond(document), *_of_config(document["config"])))
    )
    return [
        note
        if len(names) == len(runs) and not note.startswith(_NAMED_FIRST)
        else f"{joined(names)}: {note.removeprefix(_NAMED_FIRST)}"
        for note, names in noted.items()
    ]


def beyond(document: Document) -> Iterator[str]:
    """Yield what was not served, or not whole, since the device is smaller than the trace."""
    trace = document["trace"]
    # A compact trace leaves out trims of what nothing reads or writes, which does nothing.
    if document["config"]["trace"]["address"] != "clip":
        return
    count = trace["requests"] + trace["trims"]
    for key, became in (("address_dropped", "left out"), ("address_clipped", "cut at its end")):
        if number := trace["adjusted"].get(key):
            reach, are = ("reaches", "is") if number == 1 else ("reach", "are")
            told = f"{number:,} of {count:,} requests {reach} beyond the device"
            yield f"{told}, and {are} {became} (trace.address = clip)"


def guessed(document: Document) -> Iterator[str]:
    """Yield that the life is a guess, without the figures that differ from run to run."""
    if figures.is_life_guess(document):
        yield LIFE_GUESS


def _of_config(config: Mapping[str, Any]) -> Iterator[str]:
    name = next(iter(config["scheme"]))
    for note in _core.config_notes(json.dumps(config)):
        yield re.sub(rf"^{re.escape(name)}: ", _NAMED_FIRST, note)
    if "client" in config["scheme"]:
        # In open replay the trace says how many requests are outstanding.
        host = config["host"]
        told = missed_peaks(config, host["queue_depth"] if host["replay"] == "closed" else 1)
        if told is not None:
            yield f"the device has no [buffer], as drives have, so that {told}"


#: Marks a life that is a guess, and the note on a point of a study that has one.
GUESS = "~"
LIFE_GUESS = (
    f"{GUESS} lifetime_host_bytes is a guess: too few cycles of a block, or much left in the SLC "
    "cache that is still to be moved"
)
#: Between the notes on a point of a study.
BETWEEN = "; "
#: Stands for the scheme's own name where schemes share a reason, and what begins with it.
_OWN = "NAME"
_NAMED_FIRST = f"{_OWN}: "


def reasons(of: Mapping[str, str], one: str, many: str) -> list[str]:
    """Return a sentence for each reason, such as `a and b are left out: ...`.

    `one` and `many` are what is said of a scheme and of several.
    """
    return [f"{said_of(names, one, many)}: {reason}" for names, reason in grouped(of)]


def grouped(reasons: Mapping[str, str]) -> list[tuple[Sequence[str], str]]:
    """Return the schemes of each reason; where they share it, NAME stands for their names in it."""
    groups = by_reason(
        (name, re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", _OWN, reason))
        for name, reason in reasons.items()
    )
    return [
        (names, reasons[names[0]] if len(names) == 1 else shared)
        for shared, names in groups.items()
    ]
