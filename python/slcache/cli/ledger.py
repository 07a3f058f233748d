"""An evaluation's claims as tables: for a reader, and for other programs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from slcache.reproduce import ledger, points
from slcache.reproduce.claims import ClaimRow
from slcache.reproduce.functions import Finding
from slcache.reproduce.ledger import Evaluation
from slcache.reproduce.parts import PROBABLE
from slcache.tables.table import Cells, Table

_COLOURS = {
    "reproduced": "green",
    "consistent": "cyan",
    "same direction": "yellow",
    "not reproduced": "red",
    "cannot hold": "magenta",
    "cannot be simulated": "magenta",
}


def parts(evaluation: Evaluation) -> list[Cells | Text]:
    """Return the ledger as tables, and what it rests on."""
    told: list[Cells | Text] = [_claims(evaluation)]
    probable = evaluation.plan.probable
    if probable and PROBABLE in evaluation.readings:
        told.append(Text(f"The {ledger.title(evaluation, PROBABLE)} differs from the literal one:"))
        told += [Text(f"  {option.text}") for option in probable.options.values()]
        told.append(Text())
    for name, of in ledger.sections(evaluation):
        if name:
            told.append(Text(name.capitalize(), "bold"))
        told.append(_ledger(evaluation, of))
    for counts in ledger.headline(evaluation):
        before = f"{counts.reading.capitalize()}: " if counts.reading else ""
        told.append(Text(f"{before}{counts.whole}."))
        told += [Text(f"  {name}: {text}") for name, text in counts.of_classes]
    twins = sum(not each.file for each in evaluation.inputs)
    files = len(evaluation.inputs) - twins
    sources = f"{twins} twin{'s' * (twins != 1)}, {files} published file{'s' * (files != 1)}"
    told.append(Text(f"Inputs: {sources}; {evaluation.mode} mode."))
    for entry in evaluation.sensitivity:
        if entry["front"]:
            count = f"{len(entry['front'])} of {len(entry['points']) - 1} combinations"
            told.append(Text(f"{entry['name']}: {count} are beaten by no other on all figures:"))
            told += [
                Text(f"  {each['value']}: {each['met']} emergent claims met")
                for each in entry["front"]
            ]
    for view in evaluation.views:
        if view.gains:
            title = f"Share of the dense programs that could be spared, {view.reading} reading:"
            told += [Text(title, "bold"), ledger.gain_table(view.gains)]
    if evaluation.yardstick:
        told.append(Text(points.sentence(evaluation.yardstick)))
    return told


def _claims(evaluation: Evaluation) -> Table:
    """Return a row for each claim under each reading that was run, for other programs."""
    return Table(
        [
            {
                "id": row.id,
                "class": row.class_,
                "figure": row.figure,
                "claim": row.claim,
                "reading": reading,
                "unit": row.unit,
                "paper": row.paper,
                "ours": found.ours,
                "spread": found.spread,
                "verdict": found.verdict,
                "reason": row.reason,
            }
            for row in evaluation.claims
            for reading, found in ledger.found(row, evaluation)
        ],
        {},
    )


def _ledger(evaluation: Evaluation, of: Sequence[ClaimRow]) -> Cells:
    """Return claims as a table, with a figure and a verdict for every reading."""
    columns = ["figure", "claim", "paper"]
    for reading in evaluation.readings:
        two = len(evaluation.readings) > 1
        columns += [reading if two else "ours", "verdict"]
    rows = (
        [
            *(row.figure, row.claim, ledger.shown(row.paper, row.unit)),
            *(cell for _, found in ledger.found(row, evaluation) for cell in _cells(found, row)),
        ]
        for row in of
    )
    return Cells(columns, rows)


def _cells(found: Finding, row: ClaimRow) -> tuple[str, Text]:
    verdict = Text(found.verdict, _COLOURS.get(found.verdict, ""))
    return ledger.shown(found.ours, row.unit), verdict
