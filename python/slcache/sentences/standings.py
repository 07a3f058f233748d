"""Many schemes in few sentences: why the best wins, and what holds the others back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slcache.documents import normalise
from slcache.documents.normalise import Document
from slcache.sentences import wording
from slcache.words import units

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
    values = {name: normalise.latency(document, side, "mean") for name, document in runs.items()}
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return None
    least = min(known.values())
    return next(name for name, value in known.items() if normalise.equal(value, least))


def _alike(runs: Runs) -> list[list[str]]:
    """Return the schemes in groups whose every compared figure is equal within the tie margin."""
    groups: list[list[str]] = []
    for name, document in runs.items():
        mine = normalise.figures(document)
        for group in groups:
            theirs = normalise.figures(runs[group[0]])
            if all(_equal(mine.get(key), theirs.get(key)) for key in mine.keys() | theirs.keys()):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _equal(a: float | None, b: float | None) -> bool:
    return a == b if a is None or b is None else normalise.equal(a, b)


def _place(document: Document) -> tuple[float, ...]:
    """Return what orders rivals: writes first, then reads."""
    return tuple(normalise.latency(document, side, "mean") or 0.0 for side in SIDES)


def _same(group: Sequence[str], firsts: Mapping[str, str]) -> str:
    """Say that schemes cannot be told apart from a winner."""
    first = next(name for name in group if name in firsts.values())
    others = [name for name in group if name != first]
    verb = "has" if len(others) == 1 else "have"
    return f"{wording.listed(others)} {verb} the same figures as {first} (within 1 %)."


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
    return f"{wording.listed(group)}: {'; '.join(parts)}."


def _distance(side: str, document: Document, winner: str, first: Document, *, named: bool) -> str:
    """Return how one side's mean compares with the winner's, and the component that differs."""
    mine = normalise.latency(document, side, "mean")
    theirs = normalise.latency(first, side, "mean")
    relative = normalise.ratio(mine, theirs)
    whose = f"{winner}'s" if named else "the winner's"
    if mine is None or theirs is None:
        return f"{side}s cannot be compared"
    if normalise.equal(mine, theirs):
        return f"{side}s equal {whose}"
    if relative is None:
        return f"{side}s take {units.duration(mine)} on average, {whose} no time"
    moved = wording.changes(side, document, first, 1.0)
    cause = max(moved, key=lambda name: moved[name])
    return (
        f"{side}s take {units.factor(relative)} {whose} time "
        f"(+{units.duration(mine - theirs)}; {wording.component(cause)} "
        f"+{units.duration(moved[cause])})"
    )
