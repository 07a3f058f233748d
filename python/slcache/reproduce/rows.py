"""The ledger as text: a line for every claim, under every reading that was run, by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from slcache.reproduce.ledger import Row
from slcache.reproduce.outcome import Evaluation
from slcache.reproduce.reading import LITERAL
from slcache.reproduce.verdicts import Finding
from slcache.words import units


@dataclass(frozen=True)
class Counts:
    """How many claims got each verdict under a reading, of all of them and of every class."""

    #: What the reading is called; empty where the plan has only one.
    reading: str
    whole: str
    of_classes: Sequence[tuple[str, str]]


def headline(evaluation: Evaluation) -> list[Counts]:
    """Return the counts under every reading that was run."""
    classes = evaluation.classes()
    several = classes if len(classes) > 1 else []
    return [
        Counts(
            title(evaluation, reading),
            _counted(evaluation.counts(reading)),
            [(name, _counted(evaluation.counts(reading, name))) for name in several],
        )
        for reading in evaluation.readings
    ]


def title(evaluation: Evaluation, reading: str) -> str:
    """Return what a reading is called; nothing where the plan has only one."""
    probable = evaluation.plan.reading
    if probable is None:
        return ""
    return f"{LITERAL if reading == LITERAL else probable.name} reading"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def sections(evaluation: Evaluation) -> list[tuple[str, list[Row]]]:
    """Return the claims by class; without a heading where all are of one."""
    classes = evaluation.classes()
    of = [(name, [row for row in evaluation.claims if row.class_ == name]) for name in classes]
    return of if len(of) > 1 else [("", rows) for _, rows in of]


def cells(row: Row, evaluation: Evaluation) -> dict[str, Any]:
    """Return a ledger line as text, with what every reading says of it."""
    return {
        "id": row.id,
        "figure": row.figure,
        "claim": row.claim,
        "paper": shown(row.paper, row.unit),
        "tolerance": f"± {row.tolerance:g}" if row.tolerance else "",
        "reason": row.reason,
        "found": [
            {**_found(found, row.unit), "reading": title(evaluation, reading)}
            for reading in evaluation.readings
            if (found := row.under(reading)) is not None
        ],
    }


def _found(found: Finding, unit: str) -> dict[str, str]:
    spreads = bool(found.spread) and found.spread is not None and found.spread[0] != found.spread[1]
    return {
        "ours": shown(found.ours, unit),
        "spread": shown(found.spread, unit) if spreads else "",
        "verdict": found.verdict,
        "css": css(found.verdict),
        "detail": _detail(found, unit),
    }


def css(verdict: str) -> str:
    """Return the class that colours a verdict."""
    return verdict.replace(" ", "-")


def shown(figure: object, unit: str) -> str:
    """Return a figure as people write it."""
    if figure is None:
        return "–"
    if isinstance(figure, list | tuple):
        if figure and isinstance(figure[0], str):
            return " < ".join(figure)
        # The unit once: "+1.0 … +2.0 %".
        *firsts, last = [shown(part, unit) for part in figure]
        bare = [text.removesuffix(" %") if last.endswith(" %") else text for text in firsts]
        return " … ".join([*bare, last])
    if isinstance(figure, bool) or not isinstance(figure, int | float):
        return str(figure)
    if unit == "%":
        return f"{figure:+.1f} %"
    if unit.startswith("% "):
        return f"{figure:.1f} %"
    if unit == "bytes":
        return units.size(figure) if figure else "0"
    return f"{figure:,.3g}" if isinstance(figure, float) and figure < 1000 else f"{figure:,.0f}"


def _detail(found: Finding, unit: str) -> str:
    """Return the traces one by one, and the average taken in other ways."""
    parts = []
    detail = found.detail
    each = detail.get("per_trace") or detail.get("relative_to_reference")
    if each:
        parts.append(", ".join(f"{name} {_short(value, unit)}" for name, value in each.items()))
    if "geometric_mean" in detail:
        parts.append(f"geometric mean {detail['geometric_mean']:+.1f} %")
    if "of_sums" in detail:
        parts.append(f"of sums {detail['of_sums']:+.1f} %")
    if detail.get("undefined"):
        parts.append(f"nothing to divide by: {', '.join(detail['undefined'])}")
    if "winners" in detail:
        winners = detail["winners"].items()
        parts.append(", ".join(f"{name}: {' = '.join(who)}" for name, who in winners))
    return "; ".join(parts)


def _short(value: float, unit: str) -> str:
    return f"{value:+.1f}" if unit == "%" else f"{value:.3g}"
