"""How much of the dense programs could be spared, in sentences; on a device too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slcache import units
from slcache.documents import Document, Runs, figures
from slcache.names import by_reason, joined, said_of
from slcache.tables import grid
from slcache.tables.table import Cells

#: Runs by name, each with its reference, or none.
Pairs = Mapping[str, tuple[Document, Document | None]]
NOTHING = "nothing to gain"
#: In place of a share where all that was written had room.
UNFILLED = "cache not filled"
#: A cache that takes less than this share of what the bound counts is told of.
_NEAR = 0.9


def table(runs: Runs, to: str, mark: str) -> list[Cells]:
    """Return the table of what the runs program dense beside the least; none without a bound."""
    pairs = {name: (each, None if name == to else runs[to]) for name, each in runs.items()}
    return beside(pairs, {to: mark})


def beside(pairs: Pairs, marks: Mapping[str, str] | None = None) -> list[Cells]:
    """Return the same table of runs that each have a reference of their own, or none."""
    if all(figures.bound(document) is None for document, _ in pairs.values()):
        return []
    any_disk = any(document.get("disk") for document, _ in pairs.values())
    done = "written to disk" if any_disk else "dense"
    titles = ["cache and memory", done, "at least", f"{done} / least", "share of the gain"]
    of = marks or {}
    rows = ([grid.named(name, of.get(name, "")), *_cells(*pair)] for name, pair in pairs.items())
    return [Cells(["scheme", *titles], rows)]


def _cells(document: Document, reference: Document | None) -> list[str]:
    relative = document["figures"]["dense_over_least"]
    gained = None if reference is None else figures.gain_share(document, reference)
    return [
        *_sizes(document),
        "–" if relative is None else f"{relative:.2f}",
        without_share(document, reference) or ("–" if gained is None else units.percent(gained)),
    ]


def without_share(document: Document, reference: Document | None) -> str:
    """Return why a share of the gain would say nothing; empty where it says something."""
    if reference is None:
        return ""
    if figures.is_unfilled(document):
        return UNFILLED
    return NOTHING if figures.is_at_bound(document, reference) else ""


def _sizes(document: Document) -> list[str]:
    """Return what cache and memory hold, what was programmed dense, and the least of that."""
    told = document["figures"]
    sizes = [figures.room_bytes(document), told["dense_bytes"], told["dense_least_bytes"]]
    return ["–" if size is None else units.size(size) for size in sizes]


def line(document: Document) -> str | None:
    """Return a sentence on one run's bound, or None where it was not counted."""
    if "bound" not in document:
        return None
    found = document["bound"]
    if found["kind"] == "none":
        return f"no bound on dense programs: {found['why']}"
    room, done, least = _sizes(document)
    took = f", of which the cache took {_peak(document)}" if _takes_less(document) else ""
    does = "written to the disk" if found["kind"] == "disk" else "programmed dense"
    return f"{done} {does}, {least} at least with {room} of cache and memory{took}"


def lines(runs: Runs, to: str) -> list[str]:
    """Return the sentences on the table: who comes nearest, and who is not bound and why."""
    if len(set(map(figures.device, runs.values()))) > 1:
        return [*_taken(runs), "Shares of the gain are told of schemes on one device."]
    return [*_taken(runs), *_nearest(runs), *unbound(runs, to)]


def _takes_less(document: Document) -> bool:
    """Return whether a cache took much less than the bound counts, the most it may ever."""
    found, peak = figures.bound(document), document["figures"]["cache_peak_bytes"]
    if found is None or peak is None:
        return False
    memory = found["buffer_slots"] * int(document["config"]["device"]["mu_bytes"])
    return bool(peak + memory < _NEAR * (figures.room_bytes(document) or 0))


def _peak(document: Document) -> str:
    return f"{units.size(document['figures']['cache_peak_bytes'])} at most"


def _taken(named: Runs) -> Iterator[str]:
    """Name the caches that took less than the bound counts."""
    told = [
        f"{name} {_sizes(document)[0]}, of which its cache took {_peak(document)}"
        for name, document in named.items()
        if _takes_less(document)
    ]
    if told:
        yield (
            "Cache and memory are the most that a scheme may ever have, in any state of the "
            f"device: {joined(told)}."
        )


def unfilled(named: Runs) -> Iterator[str]:
    """Say whose cache never filled: there gains and ties are those of its size."""
    found = [name for name, each in named.items() if figures.is_unfilled(each)]
    if not found:
        return
    name = max(found, key=lambda each: figures.cached_bytes(named[each]))
    written = units.size(figures.cached_bytes(named[name]))
    room = units.size(figures.room_bytes(named[name]) or 0)
    of = "" if len(found) == 1 else f" (at most: {name})"
    who = said_of(found, "never filled its cache", "never filled their caches")
    yield (
        f"{who}: {written} were written to {room}{of}. No share of a gain is told there, and "
        "equals are no tie: what has room needs no policy. A longer trace or a smaller cache "
        "tells policies apart."
    )


def _nearest(named: Runs) -> Iterator[str]:
    """Say how near the one comes that is nearest of those with a cache."""
    known = [
        (value, name)
        for name, each in named.items()
        if figures.has_cache(each) and (value := each["figures"]["dense_over_least"]) is not None
    ]
    if not known:
        return
    value, name = min(known)
    document = named[name]
    room, done, least = _sizes(document)
    if document["bound"]["kind"] == "disk":
        does, to_do = "writes", "write less than {} to the disk"
    else:
        does, to_do = "programs", "program less than {} dense"
    emptied = ", emptied at the end," if document["bound"]["drained"] else ""
    yield (
        f"With {room} of cache and memory{emptied} no scheme can {to_do.format(least)}; {name} "
        f"{does} {done}, {value:.2f} times that."
    )


def unbound(named: Runs, to: str) -> Iterator[str]:
    """Say who is not bound and why, and why there are no shares."""
    yield from unfilled(named)
    yield from _reasons(named)
    others = any(figures.bound(each) is not None for name, each in named.items() if name != to)
    if others and figures.bound(named[to]) is None:
        yield f"{to} has no bound, so that no share of a gain over it can be told."
    if others and figures.has_cache(named[to]):
        yield f"{to} has a cache itself: shares of the gain need a reference without one."


def _reasons(named: Runs) -> Iterator[str]:
    reasons = by_reason(
        (name, document["bound"]["why"])
        for name, document in named.items()
        if (document.get("bound") or {}).get("kind") == "none"
    )
    for why, names in reasons.items():
        yield f"No bound holds for {joined(names)}: {why}."


def lines_beside(pairs: Pairs) -> list[str]:
    """Return the sentences on runs that each have a reference of their own."""
    alone = [
        name for name, (each, other) in pairs.items() if figures.has_cache(each) and other is None
    ]
    named = {name: document for name, (document, _) in pairs.items()}
    told = [*unfilled(named), *_reasons(named)]
    if alone:
        told.append(f"No share for {joined(alone)}: the device needs its cache to run.")
    return told
