"""How long a device lives, and how many of its dense programs could be spared, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from slcache import units
from slcache.documents import Document, Runs, figures
from slcache.names import by_reason, joined, said_of
from slcache.sentences import notes
from slcache.tables import grid
from slcache.tables.table import Cells

Rows = list[tuple[str, str]]
#: The runs of each scheme: one, or one for each seed.
Repeated = Mapping[str, Sequence[Document]]

_UNKNOWN = "–"
#: What is said below a table of lives.
CAPTION = (
    "TBW and drive writes a day for five years by the mean block, then TBW by the most worn one"
)


@dataclass(frozen=True)
class Life:
    """How long a device lives; what is not known is None."""

    host_bytes: float | None
    #: Until the most worn block is used up, as if it went on wearing faster than the others.
    most_worn_bytes: float | None
    drive_writes_per_day: float | None
    years: float | None
    #: Written a day, 10^9 bytes.
    gb_per_day: float | None
    #: Whether that is what the trace does in its own times.
    own: bool
    is_guess: bool

    @classmethod
    def of(cls, document: Document, gb_per_day: float | None = None) -> Life:
        """Return a run's, at the trace's own rate or at another one."""
        wear, own = document["wear"], document["trace"]["write_bytes_per_day"]
        written = wear["lifetime_host_bytes"]
        if gb_per_day is None:
            rate, years = (None if own is None else own / 1e9), wear["years"]
        else:
            rate, years = gb_per_day, None if written is None else written / (365e9 * gb_per_day)
        return cls(
            written,
            wear["lifetime_most_worn_host_bytes"],
            wear["drive_writes_per_day"],
            years,
            rate,
            gb_per_day is None,
            figures.is_life_guess(document),
        )

    def told(self, value: float | None, show: Callable[[float], str] = units.significant) -> str:
        """Return a figure of it, marked where it is a guess."""
        return _UNKNOWN if value is None else notes.GUESS * self.is_guess + show(value)

    @property
    def tbw(self) -> str:
        """What is written until the mean block is worn out."""
        return self.told(self.host_bytes, units.written)

    @property
    def rate(self) -> str:
        """What is written a day, as the title of how long it lives."""
        if self.gb_per_day is None:
            return "life (the trace has no times)"
        whose = " (the trace's own)" if self.own else ""
        return f"life at {units.written(1e9 * self.gb_per_day)} a day{whose}"


def life_rows(document: Document, gb_per_day: float | None = None) -> Rows:
    """Return a run's write amplification and wear by mode, and how long the device lives."""
    wear = document["wear"]
    found = [
        (f"write amplification in {mode}", units.number(value))
        for mode, value in document["waf"]["by_mode"].items()
    ]
    for mode, each in wear["by_mode"].items():
        factor, used = each["erase_factor"], each["percent_used"]
        found.append((f"erase factor in {mode}", "–" if factor is None else units.number(factor)))
        found.append((f"life used in {mode}", "–" if used is None else units.percent(used / 100)))
    damage, life = wear["damage"], Life.of(document, gb_per_day)
    if damage is not None:
        by = f"{damage['pool']} in {joined(damage['modes'])}"
        mean, most = (units.percent(damage[key]) for key in ("mean", "max"))
        cycles = units.significant(damage["cycles"])
        used = f"{mean} of the mean block, {most} of the most worn ({by}, {cycles} cycles)"
        found.append(("life used", used))
    elif wear["note"] is not None:
        found.append(("life", wear["note"]))
    found += [("estimated lifetime", life.told(life.host_bytes, _written))]
    if life.most_worn_bytes is not None:
        worst = life.told(life.most_worn_bytes, _written)
        found.append(("lifetime by the most worn block", worst))
    by_rule = {rule: each["lifetime_host_bytes"] for rule, each in wear.get("by_rule", {}).items()}
    if len(set(by_rule.values())) > 1:
        found += [
            (f"lifetime by rule {rule}", life.told(own, _written)) for rule, own in by_rule.items()
        ]
    found += [
        ("TBW", life.tbw),
        ("drive writes a day for five years", life.told(life.drive_writes_per_day)),
    ]
    return [*found, (life.rate, life.told(life.years, units.life))]


def life_line(document: Document, gb_per_day: float | None = None) -> str | None:
    """Return a run's life in one sentence, or None where there is none to tell."""
    life = Life.of(document, gb_per_day)
    if life.host_bytes is None:
        return None
    worst = life.told(life.most_worn_bytes, units.written)
    worn = "" if life.most_worn_bytes is None else f" ({worst} by the most worn block)"
    daily = (
        f", {life.told(life.drive_writes_per_day)} drive writes a day for five years"
        if life.drive_writes_per_day is not None
        else ""
    )
    lasts = "" if life.years is None else f"; {life.rate}: {life.told(life.years, units.life)}"
    return f"TBW {life.tbw}{worn}{daily}{lasts}"


def lives(every: Repeated, first: Document, gb_per_day: float | None = None) -> list[Cells]:
    """Return the table of lives, and below it why some are guesses; none without a life.

    Lives of several runs are their means, at the rate of the `first` document.
    """
    lives = {
        label: [Life.of(each, gb_per_day) for each in of_one] for label, of_one in every.items()
    }
    if all(life.host_bytes is None for of_one in lives.values() for life in of_one):
        return []
    rate = Life.of(first, gb_per_day).rate
    titles = ["scheme", "TBW", "drive writes a day", "TBW, most worn", rate]
    rows = ([grid.named(label), *_life_cells(_mean(each))] for label, each in lives.items())
    below = "\n".join([CAPTION, *life_notes(every, gb_per_day)])
    return [Cells(titles, rows, caption=below)]


def _mean(lives: Sequence[Life]) -> Life:
    """Return the mean of lives over seeds; None of what any of them does not tell."""
    names = ("host_bytes", "most_worn_bytes", "drive_writes_per_day", "years")
    known = {name: [getattr(life, name) for life in lives] for name in names}
    means: dict[str, Any] = {
        name: None if None in each else fmean(each) for name, each in known.items()
    }
    return replace(lives[0], is_guess=any(life.is_guess for life in lives), **means)


def _life_cells(life: Life) -> list[str]:
    return [
        life.tbw,
        life.told(life.drive_writes_per_day),
        life.told(life.most_worn_bytes, units.written),
        life.told(life.years, units.life),
    ]


def once(runs: Runs) -> Repeated:
    """Return runs as those that are not repeated."""
    return {label: [document] for label, document in runs.items()}


def life_notes(every: Repeated, gb_per_day: float | None = None) -> list[str]:
    """Return why lives are guesses or not told, each reason once with those that it holds for.

    Of a device that says no endurance at all nobody expects a life, but who says what is written.
    """
    told = {
        label: written
        for label, documents in every.items()
        if (written := [each for each in documents if each["host"]["write"]["bytes"]])
        and (gb_per_day or any(p["endurance_cycles"] for p in written[0]["wear"]["pools"]))
    }
    unknown = by_reason(
        (label, documents[0]["wear"]["note"])
        for label, documents in told.items()
        if documents[0]["wear"]["damage"] is None
    )
    absent = [f"{joined(names)}: {why}" for why, names in unknown.items()]
    return [*absent, *_of_few_cycles(told), *_of_left(told)]


def _of_few_cycles(every: Repeated) -> Iterator[str]:
    """Say whose blocks had so few cycles that the life is a guess, as the results do."""
    found = [
        (label, wear["note"], f"{wear['damage']['cycles']:.2f}")
        for label, documents in every.items()
        for wear in (each["wear"] for each in documents)
        if wear["damage"] is not None and wear["note"] is not None
    ]
    if found:
        names, (note, *_), cycles = zip(*found, strict=True)
        least, most = (choose(cycles, key=float) for choose in (min, max))
        span = least if least == most else f"{least} to {most}"
        told = note.replace(cycles[0], span, 1)
        yield f"{notes.GUESS} {joined([*dict.fromkeys(names)])}: {told}"


def _of_left(every: Repeated) -> Iterator[str]:
    """Say in whose caches much is left that is still to wear dense cells."""
    found = [
        (label, document["state"]["cache"]["left_bytes"], document["host"]["write"]["bytes"])
        for label, documents in every.items()
        for document in documents
        if figures.has_much_left(document)
    ]
    if found:
        names, left, written = zip(*found, strict=True)
        yield (
            f"{notes.GUESS} {joined([*dict.fromkeys(names)])}: the life is a guess: of "
            f"{notes.ranged(written, units.size)} written, {notes.ranged(left, units.size)} are "
            "left in the SLC cache, and their move to dense cells is still to come"
        )


def _written(host_bytes: float) -> str:
    return f"{units.size(host_bytes)} written"


#: Runs by name, each with its reference, or none.
Pairs = Mapping[str, tuple[Document, Document | None]]
NOTHING = "nothing to gain"
#: In place of a share where all that was written had room.
UNFILLED = "cache not filled"
#: A cache that takes less than this share of what the bound counts is told of.
_NEAR = 0.9


def gains(runs: Runs, to: str, mark: str) -> list[Cells]:
    """Return the table of what the runs program dense beside the least; none without a bound."""
    pairs = {name: (each, None if name == to else runs[to]) for name, each in runs.items()}
    return gains_beside(pairs, {to: mark})


def gains_beside(pairs: Pairs, marks: Mapping[str, str] | None = None) -> list[Cells]:
    """Return the same table of runs that each have a reference of their own, or none."""
    if all(figures.bound(document) is None for document, _ in pairs.values()):
        return []
    any_disk = any(document.get("disk") for document, _ in pairs.values())
    done = "written to disk" if any_disk else "dense"
    titles = ["cache and memory", done, "at least", f"{done} / least", "share of the gain"]
    of = marks or {}
    rows = (
        [grid.named(name, of.get(name, "")), *_gain_cells(*pair)] for name, pair in pairs.items()
    )
    return [Cells(["scheme", *titles], rows)]


def _gain_cells(document: Document, reference: Document | None) -> list[str]:
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


def gain_line(document: Document) -> str | None:
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


def gain_lines(runs: Runs, to: str) -> list[str]:
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
        for name, each in figures.buildable(named).items()
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


def gain_lines_beside(pairs: Pairs) -> list[str]:
    """Return the sentences on runs that each have a reference of their own."""
    alone = [
        name for name, (each, other) in pairs.items() if figures.has_cache(each) and other is None
    ]
    named = {name: document for name, (document, _) in pairs.items()}
    told = [*unfilled(named), *_reasons(named)]
    if alone:
        told.append(f"No share for {joined(alone)}: the device needs its cache to run.")
    return told
