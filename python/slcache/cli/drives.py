"""`reproduce drives`: presets against published figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from slcache.cli import console
from slcache.cli import options as opt
from slcache.files import Transaction
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table

if TYPE_CHECKING:
    from slcache.drives.ledger import Ledger, Row

#: What the verb's argument calls it.
NAME = "drives"
_COLOURS = {"reproduced": "green", "failed": "red"}


def refuse(given: Mapping[str, object]) -> None:
    """Refuse the options that only a paper has."""
    for option, value in given.items():
        if value:
            raise typer.BadParameter(f"{option}: has no effect on {NAME}, which is no paper")


def reproduce(
    out: Path, quick: bool, jobs: int | None, store: Path | None, form: opt.Form, progress: opt.When
) -> None:
    """Run the presets, judge every figure, and write ledger.json and a picture of each."""
    from slcache.drives import ledger as ledgers
    from slcache.drives import measured

    names = [drive.name for drive in measured.drives().values() if drive.whole is None]
    files = ["ledger.json", *(f"{name}.png" for name in names)]
    if not quick:
        console.note("all drives take about 20 minutes on two cores; finished runs are kept")
    with Transaction(out, files, []) as written, console.meter(progress, kept=True) as meter:
        found = ledgers.make(store or out / "store", quick, jobs, meter)
        written.write("ledger.json", (found.to_json() + "\n").encode())
        _draw(found, written)
    if console.in_form(form, found.to_json, lambda: [_sheet(found)]):
        return
    console.show(*_tables(found), Text(f"ledger and pictures: {out}"))


def _draw(found: Ledger, written: Transaction) -> None:
    from slcache.plots import images

    for like in found.likes:
        if like.protocol == "techpowerup" and like.drive is not None:
            written.write(f"{like.drive.name}.png", images.png(like.plot()))


def _sheet(found: Ledger) -> Sheet:
    return Sheet([dict(vars(row)) for row in found.rows])


def _tables(found: Ledger) -> list[Table | Text]:
    told: list[Table | Text] = []
    for title, by in (("Presets, simulated", "simulation"), ("Whole drives held out", "law")):
        table = Table(
            "drive",
            [Column("figure", text=True), "published", "ours", "off", Column("use", text=True),
             Column("verdict", text=True), Column("reason", text=True)],
            boxed=False,
        )  # fmt: skip
        for row in (row for row in found.rows if row.by == by):
            table.add(row.drive, *_cells(row))
        told += [Text(title, "bold"), table, Text()]
    for kind, verdicts in found.counts().items():
        listed = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        told.append(Text(f"{kind}: {listed}"))
    return told


def _cells(row: Row) -> list[str | Text]:
    ours = "–" if row.ours is None else f"{row.ours:.3g} {row.unit}"
    off = "–" if row.off is None else f"{row.off:+.1%}"
    verdict = Text(row.verdict, _COLOURS.get(row.verdict, ""))
    return [row.figure, f"{row.published:.3g} {row.unit}", ours, off, row.use, verdict, row.reason]
