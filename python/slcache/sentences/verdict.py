"""The verdict: who wins on each side, by how much, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slcache import kinds, units
from slcache.documents import Document, figures
from slcache.documents.saved import differences
from slcache.names import joined, said_of
from slcache.sentences import state, wording

#: So much of all latency lies in the stretches that are told.
_MOST = 0.9
#: They take no more of the time than this, else no stretch decides.
_SHORT = 0.1
#: A run of fewer windows has no stretches.
_WINDOWS = 40
#: What is a hundredth of the run apart is one stretch.
_NEAR = 100
#: More stretches are no incidents.
_COUNT_MAX = 5


@dataclass(frozen=True)
class Stretches:
    """The shortest time in which most of one side's latency lies."""

    #: Share of the sum of latencies.
    share: float
    #: Begin and end of each, as numbers of windows.
    places: list[tuple[int, int]]
    #: Windows, of so many.
    windows: int
    of: int
    #: Mean latency without them, ns; None where nothing is left.
    rest_ns: float | None


def found(document: Document, side: str) -> Stretches | None:
    """Return the stretches that make a run's mean latency, if a few short ones do."""
    columns = document["series"]["columns"]
    sums = [value or 0 for value in columns[f"{side}_latency_ns_sum"]]
    requests = [value or 0 for value in columns[f"{side}_requests"]]
    total = sum(sums)
    if len(sums) < _WINDOWS or total == 0:
        return None
    chosen: set[int] = set()
    held = 0
    for window in sorted(range(len(sums)), key=lambda i: (-sums[i], i)):
        if held >= _MOST * total:
            break
        chosen.add(window)
        held += sums[window]
    places = _runs(sorted(chosen), len(sums) // _NEAR)
    if len(chosen) > _SHORT * len(sums) or len(places) > _COUNT_MAX:
        return None
    left = sum(requests) - sum(requests[i] for i in chosen)
    return Stretches(
        share=held / total,
        places=places,
        windows=len(chosen),
        of=len(sums),
        rest_ns=(total - held) / left if left else None,
    )


def _runs(windows: Sequence[int], near: int) -> list[tuple[int, int]]:
    """Return the begins and ends of windows between which no more than `near` others lie."""
    runs: list[tuple[int, int]] = []
    for window in windows:
        if runs and window - runs[-1][1] <= near:
            runs[-1] = (runs[-1][0], window + 1)
        else:
            runs.append((window, window + 1))
    return runs


def sentences(labels: Sequence[str], documents: Sequence[Document]) -> list[str]:
    """Return, of each side, the schemes whose mean a few stretches make."""
    told = []
    for side in ("write", "read"):
        for label, document in zip(labels, documents, strict=True):
            stretches = found(document, side)
            if stretches is not None:
                told.append(_sentence(label, side, document, stretches))
    return told


def _sentence(label: str, side: str, document: Document, stretches: Stretches) -> str:
    window_us = document["series"]["window_ns"] / 1e3
    begins = [units.span(begin * window_us) for begin, _ in stretches.places]
    count = len(stretches.places)
    what = "one stretch" if count == 1 else f"{count} stretches"
    lasts = units.span(stretches.windows * window_us)
    whole = units.span(stretches.of * window_us)
    mean = document["host"][side]["latency_us"]["mean"]
    text = (
        f"{label}: {units.percent(stretches.share)} of the time that {side}s took lies in {what}, "
        f"{lasts} of {whole}, from {joined(begins)} on"
    )
    if stretches.rest_ns is None:
        return f"{text}; there are no other {side}s."
    rest_us = stretches.rest_ns / 1e3
    show = units.in_one_unit([rest_us, mean])
    return f"{text}; without, the mean is {show(rest_us)}, not {show(mean)}."


def line(document: Document) -> str | None:
    """Return one sentence of a run's disk, or None without one."""
    disk = document.get("disk")
    if disk is None:
        return None
    power, spins = units.significant(disk["mean_power_w"]), disk["spin_ups"]
    parts = [
        f"{units.energy(disk['energy_j'])}, {power} W on average",
        _states(disk),
        f"{units.count(spins)} spin-up{'' if spins == 1 else 's'}",
    ]
    parts += [
        f"{units.count(_sum(disk, kind, 'count'))} {kind}s "
        f"({units.size(_sum(disk, kind, 'bytes'))})"
        for kind in ("read", "write")
    ]
    miss = document["figures"]["miss_rate"]
    parts += [] if miss is None else [f"miss rate {units.percent(miss)}"]
    return "disk: " + "; ".join(parts)


def states(disk: Document) -> list[Document]:
    """Return the power states that a disk was in, from the most power to the least."""
    by_name = {s["state"]: s for s in disk["states"] if s["time_s"] or s["energy_j"]}
    return [by_name[name] for name in kinds.of(kinds.POWER, by_name)]


def _states(disk: Document) -> str:
    """Return the share of the time in each state."""
    total = sum(state["time_s"] for state in disk["states"])
    shares = [(s["state"], s["time_s"] / total) for s in states(disk)] if total else []
    return ", ".join(f"{name} {units.percent(share)}" for name, share in shares) or "no time passed"


def _sum(disk: Document, kind: str, key: str) -> float:
    return float(sum(op[key] for op in disk["ops"] if op["kind"] == kind))


Runs = Mapping[str, Document]
SIDES = ("write", "read")


def standings(runs: Runs, to: str) -> list[str]:
    """Return why each side's winner beats the reference, then one sentence per kind of rival."""
    best = {side: _best(side, runs) for side in SIDES}
    firsts = {side: name for side, name in best.items() if name is not None}
    if not firsts:
        return []
    wins = {label: [s for s in firsts if firsts[s] == label] for label in firsts.values()}
    lines = [
        wording.against(label, sides, runs[label], to, runs[to])
        for label, sides in wins.items()
        if label != to
    ]
    groups = _alike(runs)
    rivals = [group for group in groups if group != [to] and not set(group) & wins.keys()]
    rivals.sort(key=lambda group: _place(runs[group[0]]))
    ties = [group for group in groups if len(group) > 1 and set(group) & wins.keys()]
    lines = [_same(group, firsts) for group in ties] + lines
    return lines + [_behind(group, runs, firsts) for group in rivals]


def _best(side: str, runs: Runs) -> str | None:
    """Return the scheme with the lowest mean latency of a side; of equals the first."""
    values = {name: figures.latency(document, side, "mean") for name, document in runs.items()}
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return None
    least = min(known.values())
    return next(name for name, value in known.items() if figures.equal(value, least))


def _alike(runs: Runs) -> list[list[str]]:
    """Return the schemes in groups whose every compared figure is equal within the tie margin."""
    groups: list[list[str]] = []
    for name, document in runs.items():
        mine = figures.compared(document)
        for group in groups:
            theirs = figures.compared(runs[group[0]])
            if all(_equal(mine.get(key), theirs.get(key)) for key in mine.keys() | theirs.keys()):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _equal(a: float | None, b: float | None) -> bool:
    return a == b if a is None or b is None else figures.equal(a, b)


def _place(document: Document) -> tuple[float, ...]:
    """Return what orders rivals: writes first, then reads."""
    return tuple(figures.latency(document, side, "mean") or 0.0 for side in SIDES)


def _same(group: Sequence[str], firsts: Mapping[str, str]) -> str:
    """Say that schemes cannot be told apart from a winner."""
    first = next(name for name in group if name in firsts.values())
    others = [name for name in group if name != first]
    return f"{said_of(others, 'has', 'have')} the same figures as {first} (within 1 %)."


def _behind(group: Sequence[str], runs: Runs, firsts: Mapping[str, str]) -> str:
    """Say how far schemes are behind the winners, and through what."""
    document = runs[group[0]]
    parts = [
        _distance(side, document, winner, runs[winner], named=len(set(firsts.values())) > 1)
        for side, winner in firsts.items()
    ]
    waf = document["figures"]["waf"]
    if waf is not None:
        causes = {c: v for c, v in document["waf"]["by_cause"].items() if c != "host" and v >= 0.01}
        main = max(causes, key=lambda cause: causes[cause], default=None)
        through = "" if main is None else f", of which {main} {causes[main]:.2f}"
        parts.append(f"write amplification {waf:.2f}{through}")
    return f"{joined(group)}: {'; '.join(parts)}."


def _distance(side: str, document: Document, winner: str, first: Document, *, named: bool) -> str:
    """Return how one side's mean compares with the winner's, and the component that differs."""
    mine = figures.latency(document, side, "mean")
    theirs = figures.latency(first, side, "mean")
    relative = figures.ratio(mine, theirs)
    whose = f"{winner}'s" if named else "the winner's"
    if mine is None or theirs is None:
        return f"{side}s cannot be compared"
    if figures.equal(mine, theirs):
        return f"{side}s equal {whose}"
    if relative is None:
        return f"{side}s take {units.duration(mine)} on average, {whose} no time"
    moved = wording.changes(side, document, first, 1.0)
    cause = max(moved, key=lambda name: moved[name])
    show = units.in_one_unit([mine - theirs, moved[cause]])
    return (
        f"{side}s take {units.factor(relative)} {whose} time "
        f"(+{show(mine - theirs)}; {wording.component(cause)} +{show(moved[cause])})"
    )


#: More schemes than these are not described one by one.
FEW = 3


def verdict(labels: Sequence[str], documents: Sequence[Document], to: str) -> list[str]:
    """Return the headline, then what separates the schemes.

    A mean that a few stretches of time make is told, with what it is without them. Few are held
    against the reference one by one; of many, the winners against the reference and the others
    against the winners. A scheme that knew the trace is a yardstick: it wins nothing.
    """
    labels, documents = _contenders(labels, documents, to)
    if len(labels) == 1:
        return [f"Only {to} was run: there is nothing to compare it with."]
    reference = documents[list(labels).index(to)]
    caveat = differences(labels, documents)
    lines = [_headline(labels, documents, to)]
    if caveat is not None:
        lines.insert(0, caveat)
    lines[0] = state.unfilled(zip(labels, documents, strict=True)) + lines[0]
    lines += sentences(labels, documents)
    if len(labels) > FEW:
        return lines + standings(dict(zip(labels, documents, strict=True)), to)
    for label, document in zip(labels, documents, strict=True):
        if label != to:
            lines.append(wording.against(label, SIDES, document, to, reference))
    return lines


def _contenders(
    labels: Sequence[str], documents: Sequence[Document], to: str
) -> tuple[list[str], list[Document]]:
    """Return the schemes that did not know their trace, and the reference."""
    pairs = zip(labels, documents, strict=True)
    kept = [(name, each) for name, each in pairs if name == to or not figures.looks_ahead(each)]
    return [name for name, _ in kept], [each for _, each in kept]


#: What is said where no run has figures; the trace may have requests beyond the device.
NOTHING = "Neither reads nor writes were served: there is nothing to compare."


def _headline(labels: Sequence[str], documents: Sequence[Document], to: str) -> str:
    sides = [text for side in ("write", "read") if (text := winner(side, labels, documents, to))]
    if not sides:
        return NOTHING
    text = "; ".join(sides)
    return text[0].upper() + text[1:] + "."


def winner(side: str, labels: Sequence[str], documents: Sequence[Document], to: str) -> str:
    """Return who has the lowest mean latency of one side, empty where there are no requests."""
    values = [figures.latency(document, side, "mean") for document in documents]
    known = [value for value in values if value is not None]
    if not known:
        return ""
    best = figures.winners(values)
    if not best:
        return f"{side}s: equal within 1 % on mean latency"
    names = joined([labels[i] for i in sorted(best)])
    verb = "tie (within 1 %)" if len(best) > 1 else "wins"
    wins = f"{side}s: {names} {verb} with the lowest mean latency"
    relative = figures.ratio(min(known), values[list(labels).index(to)])
    if list(labels).index(to) in best:
        others = [(v, labels[i]) for i, v in enumerate(values) if i not in best and v is not None]
        second, name = min(others)
        relative = figures.ratio(second, min(known))
        if relative is None:
            return wins
        return f"{wins}; {name} takes {units.factor(relative)} as long"
    return wins if relative is None else f"{wins}, {units.factor(relative)} that of {to}"
