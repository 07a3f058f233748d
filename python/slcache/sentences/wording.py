"""How schemes differ, in words: the component that moved a mean, and write amplification."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from slcache import kinds, units
from slcache.documents import Document, figures
from slcache.names import joined


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
    mine = figures.latency(document, side, "mean")
    theirs = figures.latency(reference, side, "mean")
    if mine is None or theirs is None:
        return ""
    if figures.equal(mine, theirs):
        text = f"{side}s take as long as on {to} on average (within 1 %)"
    else:
        word = "less" if mine < theirs else "more"
        show = units.in_one_unit([mine, theirs])
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
    show: Callable[[float], str],
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
    now, before = _energies(document), _energies(reference)
    state = max(
        kinds.of(kinds.POWER, [*now, *before]),
        key=lambda name: sign * (now.get(name, 0.0) - before.get(name, 0.0)),
    )
    return (
        f"The disk takes {units.energy(mine)} against {units.energy(theirs)}, above all in the "
        f"state {state} ({units.energy(now.get(state, 0.0))} against "
        f"{units.energy(before.get(state, 0.0))})."
    )


def _energies(document: Document) -> dict[str, float]:
    return {state["state"]: state["energy_j"] for state in document["disk"]["states"]}


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
