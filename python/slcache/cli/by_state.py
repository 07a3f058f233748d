"""A comparison in several states of the device, side by side: who wins in each, and what turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from slcache.documents import normalise
from slcache.sentences import verdict
from slcache.tables import grid

if TYPE_CHECKING:
    from slcache.results import Comparison

#: What stands side by side.
TITLES = ("write mean", "read mean", "WAF")

ByState = Mapping[str, "Comparison"]


def columns(compared: ByState) -> list[str]:
    """Return the titles of the table, a figure in each state."""
    return [f"{title}\n{state}" for title in TITLES for state in compared]


def rows(compared: ByState) -> list[grid.Row]:
    """Return the table: a scheme's figures in each state, as factors of the reference there."""
    tables = [comparison.rows() for comparison in compared.values()]
    return [
        grid.Row(same[0].label, same[0].reference, _cells(same), "")
        for same in zip(*tables, strict=True)
    ]


def _cells(same: Sequence[grid.Row]) -> list[grid.Cell]:
    """Return what is shown of one scheme, of which there is a row for each state."""
    return [cell for title in TITLES for row in same for cell in row.cells if cell.title == title]


def sentences(compared: ByState) -> list[str]:
    """Return for each side who wins in each state, by how much, and whether that is the same."""
    lines = []
    for side in ("write", "read"):
        told = {
            state: verdict.winner(side, each.labels, each.documents, each.reference)
            for state, each in compared.items()
        }
        if not any(told.values()):
            continue
        turns = "turn round" if _turns(side, compared) else "do not turn round"
        parts = "; ".join(
            f"{state}: {text.removeprefix(f'{side}s: ')}" for state, text in told.items()
        )
        lines.append(f"{side.capitalize()}s {turns} with the state. {parts}.")
    return lines


def _turns(side: str, compared: ByState) -> bool:
    """Return whether not the same schemes have the least mean in each state."""
    best = [
        frozenset(normalise.winners([normalise.latency(d, side, "mean") for d in each.documents]))
        for each in compared.values()
    ]
    return len(set(best)) > 1
