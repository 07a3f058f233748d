"""The verdict: who wins on each side, by how much, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from slcache import kinds, units
from slcache.documents import Document, Runs, figures
from slcache.documents.saved import differences
from slcache.names import joined, said_of
from slcache.sentences import notes
from slcache.tables import grid
from slcache.tables.grid import Show

SIDES = ("write", "read")
#: Kinds of requests that a winner is told of, and what many of them are called.
KINDS = {"write": "writes", "read": "reads", "flush": "flushes"}
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


def stretches(document: Document, side: str) -> Stretches | None:
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
    places = _joined(sorted(chosen), len(sums) // _NEAR)
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


def _joined(windows: Sequence[int], near: int) -> list[tuple[int, int]]:
    """Return the begins and ends of windows between which no more than `near` others lie."""
    runs: list[tuple[int, int]] = []
    for window in windows:
        if runs and window - runs[-1][1] <= near:
            runs[-1] = (runs[-1][0], window + 1)
        else:
            runs.append((window, window + 1))
    return runs


def of_stretches(runs: Runs, show: Show) -> list[str]:
    """Return, of each side, the schemes whose mean a few stretches make."""
    return [
        _of_stretches(label, side, document, found, show)
        for side in SIDES
        for label, document in runs.items()
        if (found := stretches(document, side)) is not None
    ]


def _of_stretches(label: str, side: str, document: Document, found: Stretches, show: Show) -> str:
    window_us = document["series"]["window_ns"] / 1e3
    begins = [units.span(begin * window_us) for begin, _ in found.places]
    what = "one stretch" if len(begins) == 1 else f"{len(begins)} stretches"
    lasts, whole = (units.span(windows * window_us) for windows in (found.windows, found.of))
    mean = document["host"][side]["latency_us"]["mean"]
    text = (
        f"{label}: {units.percent(found.share)} of the time that {side}s took lies in {what}, "
        f"{lasts} of {whole}, from {joined(begins)} on"
    )
    if found.rest_ns is None:
        return f"{text}; there are no other {side}s."
    rest_us = found.rest_ns / 1e3
    return f"{text}; without, the mean is {show(rest_us)}, not {show(mean)}."


def standings(runs: Runs, to: str) -> list[str]:
    """Return why each side's winner beats the reference, then one sentence per kind of rival."""
    best = {side: _best(side, runs) for side in SIDES}
    firsts = {side: name for side, name in best.items() if name is not None}
    if not firsts:
        return []
    wins = {label: [s for s in firsts if firsts[s] == label] for label in firsts.values()}
    lines = [
        against(label, sides, runs[label], to, runs[to])
        for label, sides in wins.items()
        if label != to
    ]
    groups = _alike(runs)
    rivals = [group for group in groups if group != [to] and not set(group) & wins.keys()]
    rivals.sort(key=lambda group: [_mean(runs[group[0]], side) or 0.0 for side in SIDES])
    ties = [group for group in groups if len(group) > 1 and set(group) & wins.keys()]
    lines = [_same(group, firsts) for group in ties] + lines
    show = grid.of_latencies(runs[to])
    return lines + [_behind(group, runs, firsts, show) for group in rivals]


def _best(side: str, runs: Runs) -> str | None:
    """Return the scheme with the lowest mean latency of a side; of equals the first."""
    known = {name: mean for name, each in runs.items() if (mean := _mean(each, side)) is not None}
    least = min(known.values(), default=0.0)
    return next((name for name, mean in known.items() if figures.equal(mean, least)), None)


def _mean(document: Document, side: str) -> float | None:
    return figures.latency(document, side, "mean")


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


def _same(group: Sequence[str], firsts: Mapping[str, str]) -> str:
    """Say that schemes cannot be told apart from a winner."""
    first = next(name for name in group if name in firsts.values())
    others = [name for name in group if name != first]
    return f"{said_of(others, 'has', 'have')} the same figures as {first} (within 1 %)."


def _behind(group: Sequence[str], runs: Runs, firsts: Mapping[str, str], show: Show) -> str:
    """Say how far schemes are behind the winners, and through what."""
    document, named = runs[group[0]], len(set(firsts.values())) > 1
    parts = [
        _distance(side, document, f"{winner}'s" if named else "the winner's", runs[winner], show)
        for side, winner in firsts.items()
    ]
    waf = document["figures"]["waf"]
    if waf is not None:
        causes = {c: v for c, v in document["waf"]["by_cause"].items() if c != "host" and v >= 0.01}
        main = max(causes, key=lambda cause: causes[cause], default=None)
        through = "" if main is None else f", of which {main} {causes[main]:.2f}"
        parts.append(f"write amplification {waf:.2f}{through}")
    return f"{joined(group)}: {'; '.join(parts)}."


def _distance(side: str, document: Document, whose: str, first: Document, show: Show) -> str:
    """Return how one side's mean compares with the winner's, and the component that differs."""
    mine, theirs = _mean(document, side), _mean(first, side)
    relative = figures.ratio(mine, theirs)
    if mine is None or theirs is None:
        return f"{side}s cannot be compared"
    if figures.equal(mine, theirs):
        return f"{side}s equal {whose}"
    if relative is None:
        return f"{side}s take {show(mine)} on average, {whose} no time"
    moved = changes(side, document, first, 1.0)
    cause = max(moved, key=lambda name: moved[name])
    return (
        f"{side}s take {units.factor(relative)} {whose} time "
        f"(+{show(mine - theirs)}; {component(cause)} +{show(moved[cause])})"
    )


#: More schemes than these are not described one by one.
FEW = 3


def verdict(runs: Runs, to: str) -> list[str]:
    """Return the headline, then what separates the schemes.

    A mean that a few stretches of time make is told, with what it is without them. Few are held
    against the reference one by one; of many, the winners against the reference and the others
    against the winners. A scheme that knew the trace is a yardstick: it wins nothing.
    """
    if len(runs) == 1:
        return [f"Only {to} was run: there is nothing to compare it with."]
    headline = _headline(runs, to)
    runs = figures.buildable(runs) | {to: runs[to]}
    caveat = differences(runs)
    lines = [*([] if caveat is None else [caveat]), headline]
    lines[0] = notes.untested([*runs.items()]) + lines[0]
    lines += of_stretches(runs, grid.of_latencies(runs[to]))
    if len(runs) > FEW:
        return lines + standings(runs, to)
    others = (label for label in runs if label != to)
    return [*lines, *(against(label, SIDES, runs[label], to, runs[to]) for label in others)]


def kinds_of(documents: Iterable[Document]) -> dict[str, str]:
    """Return those of `KINDS` that runs have: flushes where one took any time."""
    known = figures.kinds_of(documents)
    return {kind: many for kind, many in KINDS.items() if kind in known}


#: What is said where no run has figures; the trace may have requests beyond the device.
NOTHING = "Neither reads nor writes were served: there is nothing to compare."


def _headline(runs: Runs, to: str) -> str:
    sides = [text for kind in kinds_of(runs.values()) if (text := winner(kind, runs, to))]
    if not sides:
        return NOTHING
    text = "; ".join(sides)
    return text[0].upper() + text[1:] + "."


def winner(side: str, runs: Runs, to: str) -> str:
    """Return who has the lowest mean latency of one kind, empty where there are no requests.

    Beside them the best is told of those that knew the trace, which wins nothing.
    """
    every = {n: mean for n, each in runs.items() if (mean := _mean(each, side)) is not None}
    known = {name: every[name] for name in figures.buildable(runs) if name in every}
    ahead = {name: mean for name, mean in every.items() if name not in known}
    if not every:
        return ""
    beside = _beside(ahead, every, to) if known else ""
    return _winner(side, known or every, every, to) + beside


def _beside(ahead: Mapping[str, float], every: Mapping[str, float], to: str) -> str:
    """Return how far the best goes of those that knew the trace; empty without one."""
    name = min(ahead, key=lambda each: ahead[each], default=to)
    relative = None if name == to else figures.ratio(ahead[name], every.get(to))
    if relative is None:
        return ""
    return f" ({name}, which knew the trace: {units.factor(relative)} that of {to})"


def _winner(side: str, known: Mapping[str, float], every: Mapping[str, float], to: str) -> str:
    """Return who is best of those that can be built, of which `known` has the means."""
    names, least = [*known], min(known.values())
    best = [names[place] for place in sorted(figures.winners([*known.values()]))]
    if len(known) == 1:
        return f"{KINDS[side]}: only {names[0]} can be built"
    if not best:
        return f"{KINDS[side]}: equal within 1 % on mean latency"
    verb = "tie (within 1 %)" if len(best) > 1 else "wins"
    wins = f"{KINDS[side]}: {joined(best)} {verb} with the lowest mean latency"
    if to in best:
        second, name = min((value, name) for name, value in known.items() if name not in best)
        relative = figures.ratio(second, least)
        return (
            wins if relative is None else f"{wins}; {name} takes {units.factor(relative)} as long"
        )
    relative = figures.ratio(least, every.get(to))
    return wins if relative is None else f"{wins}, {units.factor(relative)} that of {to}"


def component(name: str) -> str:
    """Return an attribution component such as `wait gc` in words."""
    kind, _, cause = name.partition(" ")
    return kinds.words(kinds.SERVICES if kind == "service" else kinds.WAITS, cause)


def against(
    label: str, sides: Sequence[str], document: Document, to: str, reference: Document
) -> str:
    """Return what separates a scheme from the reference on these sides, and through what."""
    parts = [_side(side, document, to, reference) for side in sides]
    parts += [
        _destinations(document, reference),
        _amplification(document, to, reference),
        _energy(document, to, reference),
    ]
    return f"{label}: " + (" ".join(filter(None, parts)) or "nothing to compare.")


def _side(side: str, document: Document, to: str, reference: Document) -> str:
    """Return how one side's mean latency differs from the reference's, and through what."""
    mine, theirs = _mean(document, side), _mean(reference, side)
    if mine is None or theirs is None:
        return ""
    if figures.equal(mine, theirs):
        text = f"{side}s take as long as on {to} on average (within 1 %)"
    else:
        word = "less" if mine < theirs else "more"
        show = grid.of_latencies(reference)
        text = (
            f"{side}s take {show(mine)} on average against {show(theirs)}; "
            f"{_why(side, document, reference, mine - theirs, word, show)}"
        )
    return text[0].upper() + text[1:] + _tail(side, document, reference) + "."


def _why(
    side: str,
    document: Document,
    reference: Document,
    change: float,
    word: str,
    show: Show,
) -> str:
    """Name the component that moved the mean most, and the one that most offsets it."""
    moved = changes(side, document, reference, 1.0 if change > 0 else -1.0)
    total = f"of the {show(abs(change))} {word} per {side}"
    if not moved or max(moved.values()) <= 0:
        return f"the documents do not attribute the {show(abs(change))} {word}"
    first, *rest = sorted(moved, key=lambda name: -moved[name])
    text = f"{total}, {component(first)} makes {show(moved[first])}"
    if rest and moved[rest[0]] >= 0.25 * abs(change):
        text += f" and {component(rest[0])} {show(moved[rest[0]])}"
    last = min(moved, key=lambda name: moved[name])
    if moved[last] < -0.1 * abs(change):
        back = "adds" if change < 0 else "saves"
        text += f", while {component(last)} {back} {show(-moved[last])}"
    return text


def changes(side: str, document: Document, reference: Document, sign: float) -> dict[str, float]:
    """Return by how many µs each component of a mean differs, times `sign`."""
    mine = figures.attribution(document, side)
    moved = _differences(mine, figures.attribution(reference, side))
    return {name: sign * change for name, change in moved.items()}


def _differences(mine: Mapping[str, float], theirs: Mapping[str, float]) -> dict[str, float]:
    return {
        name: mine.get(name, 0.0) - theirs.get(name, 0.0)
        for name in sorted(mine.keys() | theirs.keys())
    }


def _tail(side: str, document: Document, reference: Document) -> str:
    """Return the 99th percentile's factor where it tells another story than the mean's."""
    mean, tail = (figures.factor(document, reference, side, key) for key in ("mean", "p99"))
    if mean is None or tail is None or _direction(mean) == _direction(tail):
        return ""
    if _direction(tail) == 0:
        return ", but its 99th percentile is the same"
    return f", but its 99th percentile is {units.factor(tail)} as long"


def _direction(relative: float) -> int:
    """Return -1 for better, 0 for equal within the tie margin, 1 for worse."""
    return 0 if figures.equal(relative, 1.0) else (1 if relative > 1 else -1)


def _amplification(document: Document, to: str, reference: Document) -> str:
    """Return how write amplification compares, and the cause that differs most."""
    mine, theirs = (each["figures"]["waf"] for each in (document, reference))
    if mine is None or theirs is None:
        return ""
    if figures.equal(mine, theirs):
        return f"Write amplification is as on {to} ({mine:.2f})."
    now, before = document["waf"]["by_cause"], reference["waf"]["by_cause"]
    causes = _differences(now, before)
    sign = 1.0 if mine > theirs else -1.0
    cause = max(causes, key=lambda name: sign * causes[name], default=None)
    text = f"Write amplification is {mine:.2f} against {theirs:.2f}"
    if cause is None or sign * causes[cause] <= 0:
        return text + "."
    through = kinds.words(kinds.CAUSES, cause)
    amounts = f"{now.get(cause, 0.0):.2f} against {before.get(cause, 0.0):.2f}"
    return f"{text}, above all through {through} ({amounts})."


def _energy(document: Document, to: str, reference: Document) -> str:
    """Return how the disk's energy compares, and the power state that makes the difference."""
    mine, theirs = (each["figures"]["energy_j"] for each in (document, reference))
    if mine is None or theirs is None:
        return ""
    if figures.equal(mine, theirs):
        return f"The disk takes as much energy as on {to} (within 1 %)."
    sign = 1.0 if mine > theirs else -1.0
    now, before = (
        {state["state"]: state["energy_j"] for state in each["disk"]["states"]}
        for each in (document, reference)
    )
    state = max(
        kinds.of(kinds.POWER, [*now, *before]),
        key=lambda name: sign * (now.get(name, 0.0) - before.get(name, 0.0)),
    )
    return (
        f"The disk takes {units.energy(mine)} against {units.energy(theirs)}, above all in the "
        f"state {state} ({units.energy(now.get(state, 0.0))} against "
        f"{units.energy(before.get(state, 0.0))})."
    )


def _destinations(document: Document, reference: Document) -> str:
    """Return the cell modes that took the host's data, where they differ between the two."""
    mine, theirs = _mode_shares(document), _mode_shares(reference)
    if not mine or (len(mine) == 1 and mine.keys() == theirs.keys()):
        return ""
    parts = [f"{100 * share:.0f} % in {mode.upper()} mode" for mode, share in mine.items()]
    return f"Its host data was programmed {joined(parts)}."


def _mode_shares(document: Document) -> dict[str, float]:
    """Return the share of host data programmed in each cell mode, largest first."""
    sizes: dict[str, float] = {}
    for op in document["flash"]["ops"]:
        if op["kind"] in kinds.STORES and op["cause"] == "host" and op["bytes"]:
            sizes[op["mode"]] = sizes.get(op["mode"], 0.0) + op["bytes"]
    total = sum(sizes.values())
    return {mode: sizes[mode] / total for mode in sorted(sizes, key=lambda m: (-sizes[m], m))}
