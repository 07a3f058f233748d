"""Who wins, by how much and why, in sentences computed from the result documents."""

from __future__ import annotations

from collections.abc import Sequence

from slcache.documents import normalise
from slcache.documents.contract import differences
from slcache.documents.normalise import Document
from slcache.sentences import standings, state, stretches, wording
from slcache.words import units

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
    lines += stretches.sentences(labels, documents)
    if len(labels) > FEW:
        return lines + standings.standings(dict(zip(labels, documents, strict=True)), to)
    for label, document in zip(labels, documents, strict=True):
        if label != to:
            lines.append(wording.against(label, standings.SIDES, document, to, reference))
    return lines


def _contenders(
    labels: Sequence[str], documents: Sequence[Document], to: str
) -> tuple[list[str], list[Document]]:
    """Return the schemes that did not know their trace, and the reference."""
    pairs = zip(labels, documents, strict=True)
    kept = [(name, each) for name, each in pairs if name == to or not normalise.looks_ahead(each)]
    return [name for name, _ in kept], [each for _, each in kept]


def _headline(labels: Sequence[str], documents: Sequence[Document], to: str) -> str:
    sides = [text for side in ("write", "read") if (text := winner(side, labels, documents, to))]
    if not sides:
        return "The trace has neither reads nor writes: there is nothing to compare."
    text = "; ".join(sides)
    return text[0].upper() + text[1:] + "."


def winner(side: str, labels: Sequence[str], documents: Sequence[Document], to: str) -> str:
    """Return who has the lowest mean latency of one side, empty where there are no requests."""
    values = [normalise.latency(document, side, "mean") for document in documents]
    known = [value for value in values if value is not None]
    if not known:
        return ""
    best = normalise.winners(values)
    if not best:
        return f"{side}s: equal within 1 % on mean latency"
    names = wording.listed([labels[i] for i in sorted(best)])
    verb = "tie (within 1 %)" if len(best) > 1 else "wins"
    wins = f"{side}s: {names} {verb} with the lowest mean latency"
    relative = normalise.ratio(min(known), values[list(labels).index(to)])
    if list(labels).index(to) in best:
        others = [(v, labels[i]) for i, v in enumerate(values) if i not in best and v is not None]
        second, name = min(others)
        relative = normalise.ratio(second, min(known))
        if relative is None:
            return wins
        return f"{wins}; {name} takes {units.factor(relative)} as long"
    return wins if relative is None else f"{wins}, {units.factor(relative)} that of {to}"
