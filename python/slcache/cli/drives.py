"""`reproduce drives`: presets against published figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from slcache.cli import checks, console, latencies
from slcache.cli import options as opt
from slcache.files import Transaction
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Column, Table

if TYPE_CHECKING:
    from slcache.drives.ledger import Ledger, Row

#: What the verb's argument calls it.
NAME = "drives"
#: Minutes on two cores, and so many times that with each mechanism switched off.
LATENCY_MINUTES, ABLATED = 3, 3
_COLOURS = {"reproduced": "green", "failed": "red"}


def refuse(given: Mapping[str, object]) -> None:
    """Refuse the options that only a paper has."""
    for option, value in given.items():
        if value:
            raise checks.wrong(f"{option}: has no effect on {NAME}, which is no paper")


def reproduce(
    out: Path,
    parts: list[str],
    quick: bool,
    ablate: bool,
    jobs: int | None,
    store: Path | None,
    form: opt.Form,
    progress: opt.When,
) -> None:
    """Run the presets, judge every figure, and write ledger.json and a picture of each."""
    from slcache.drives import ledger as ledgers
    from slcache.drives import measured

    parts = _parts(parts, quick, ablate)
    fills = "fills" in parts
    names = [drive.name for drive in measured.drives().values() if fills and drive.whole is None]
    files = ["ledger.json", *(f"{name}.png" for name in names)]
    if not quick:
        console.note(_time(parts, ablate))
    with Transaction(out, files, []) as written, console.meter(progress, kept=True) as meter:
        place = store or out / "store"
        found = ledgers.make(place, quick, jobs, meter, parts=parts, ablate=ablate)
        written.write("ledger.json", (found.to_json() + "\n").encode())
        _draw(found, written)
    if console.in_form(form, found.to_json, lambda: _sheets(found)):
        return
    console.show(*_tables(found), Text(f"ledger and pictures: {out}"))


def _parts(asked: list[str], quick: bool, ablate: bool) -> list[str]:
    """Return the parts that are asked for; all where none is."""
    from slcache.drives import ledger as ledgers

    for part in asked:
        if part not in ledgers.PARTS:
            told = f"drives have no workload {part!r}; allowed: {', '.join(ledgers.PARTS)}"
            raise checks.wrong(told, "--workloads")
    parts = asked or list(ledgers.PARTS)
    if ablate and quick:
        raise checks.wrong("--quick and --sensitivity exclude each other")
    if ablate and "latency" not in parts:
        raise checks.wrong("--sensitivity: has no effect on fills")
    return parts


def _time(parts: list[str], ablate: bool) -> str:
    """Return how long the parts take, so that nobody waits unawares."""
    minutes = {"fills": 20, "latency": LATENCY_MINUTES * (ABLATED if ablate else 1)}
    whole = sum(minutes[part] for part in parts)
    return f"all of it takes about {whole} minutes on two cores; finished runs are kept"


def _draw(found: Ledger, written: Transaction) -> None:
    from slcache.charts import files

    for like in found.likes:
        if like.protocol == "techpowerup" and like.drive is not None:
            written.write(f"{like.drive.name}.png", files.written(like.picture(), ".png"))


def _sheets(found: Ledger) -> list[Sheet]:
    late = () if found.latency is None else found.latency.figures
    return [Sheet([dict(vars(row)) for row in rows]) for rows in (found.rows, late) if rows]


def _tables(found: Ledger) -> list[Table | Text]:
    told = [] if found.latency is None else latencies.tables(found.latency)
    return told + (_of_fills(found) if found.rows else [])


def _of_fills(found: Ledger) -> list[Table | Text]:
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
