"""reproduce drives: presets against published figures of fills and latencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from slcache.cli import checks, console
from slcache.cli import options as opt
from slcache.files import Transaction
from slcache.sentences.wording import by_reason
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Table, Words

if TYPE_CHECKING:
    from slcache.drives.latency import Judged, Latency
    from slcache.drives.ledger import Ledger, Row

#: How a column of figures is titled; a mean is judged as p50 is.
_COLUMNS = {"p50": "p50", "p99": "p99", "p99_9": "p99.9", "iops": "IOPS"}
_USES = {"calibrate": "calibrated", "held-out": "held out"}


def tables(found: Latency) -> list[Table | Text]:
    """Return what is told of latencies."""
    from slcache.drives.published import FAILED

    told: list[Table | Text] = []
    for use, name in _USES.items():
        mine = [figure for figure in found.judged if figure.use == use]
        told += [Text(f"Latencies, {name}: reproduced of judged", "bold"), _by_drive(mine), Text()]
    misses = [figure for figure in found.judged if figure.verdict == FAILED]
    told += [Text("Latencies that fail", "bold"), _misses(misses), Text()]
    if found.without:
        told += [Text("Latencies that hold without a mechanism", "bold"), _without(found), Text()]
    told += [Text("Tests that are not judged", "bold"), _unjudged(found), Text()]
    if found.cut:
        told.append(Text(f"cut, so that a test takes about 10 s: {', '.join(found.cut)}"))
    return told


def _by_drive(figures: Sequence[Judged]) -> Table:
    of: dict[tuple[str, str], list[Judged]] = {}
    for figure in figures:
        of.setdefault((figure.drive, figure.kind), []).append(figure)
    rows = [*((*drive, *_row(mine)) for drive, mine in of.items()), ("all", "", *_row(figures))]
    return Table("drive", [Words("kind"), *_COLUMNS.values()], rows, boxed=False)


def _row(figures: Sequence[Judged]) -> list[str]:
    return [_held(figure for figure in figures if figure.column == name) for name in _COLUMNS]


def _held(figures: Iterable[Judged]) -> str:
    """Return how many hold, of how many."""
    holds = [figure.holds for figure in figures]
    return f"{sum(holds)}/{len(holds)}" if holds else "–"


def _misses(figures: Sequence[Judged]) -> Table:
    columns = [
        Words("figure"), "published", "ours", "ratio", Words("use"),
        Words("reason"),
    ]  # fmt: skip
    return Table("test", columns, map(_miss, figures), boxed=False)


def _miss(figure: Judged) -> tuple[str, ...]:
    name = f"{figure.side} {_COLUMNS.get(figure.figure, figure.figure)}"
    unit = "µs" if figure.unit == "us" else figure.unit
    ours = "–" if figure.ours is None else f"{figure.ours:,.4g} {unit}"
    ratio = "–" if figure.ratio is None else f"{figure.ratio:.2f}"
    published = f"{figure.published:,.4g} {unit}"
    return figure.trial, name, published, ours, ratio, _USES[figure.use], figure.reason


def _without(found: Latency) -> Table:
    from slcache.drives.published import KINDS

    titles = ["with all", *(f"without {name}" for name in found.without)]
    columns = [found.judged, *([f for f in fs if f.is_judged] for fs in found.without.values())]
    rows = [
        (kind, *(_held(f for f in figures if f.kind == kind) for figures in columns))
        for kind in KINDS
    ]
    rows += [
        (title, *(_held(f for f in figures if f.column == name) for figures in columns))
        for name, title in _COLUMNS.items()
    ]
    return Table("figures", titles, rows, boxed=False)


def _unjudged(found: Latency) -> Table:
    rows = (
        (reason, str(len(names)), ", ".join(names))
        for reason, names in by_reason(found.unjudged.items()).items()
    )
    return Table("reason", ["tests", Words("which")], rows, boxed=False)


#: What the verb's argument calls it.
NAME = "drives"
#: Minutes on two cores, and so many times that with each mechanism switched off.
LATENCY_MINUTES, ABLATED = 3, 3
_COLOURS = {"reproduced": "green", "failed": "red"}


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
        found = ledgers.make(store or out / "store", quick, jobs, meter, parts=parts, ablate=ablate)
        written.write("ledger.json", (found.to_json() + "\n").encode())
        _draw(found, written)
    place = console.written("ledger and pictures", out)
    console.answer(form, found.to_json, lambda: _sheets(found), lambda: [*_tables(found), *place])


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
    told = [] if found.latency is None else tables(found.latency)
    return told + (_of_fills(found) if found.rows else [])


def _of_fills(found: Ledger) -> list[Table | Text]:
    told: list[Table | Text] = []
    for title, by in (("Presets, simulated", "simulation"), ("Whole drives held out", "law")):
        table = Table(
            "drive",
            [Words("figure"), "published", "ours", "off", Words("use"),
             Words("verdict"), Words("reason")],
            (_cells(row) for row in found.rows if row.by == by),
            boxed=False,
        )  # fmt: skip
        told += [Text(title, "bold"), table, Text()]
    for kind, verdicts in found.counts().items():
        listed = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
        told.append(Text(f"{kind}: {listed}"))
    return told


def _cells(row: Row) -> list[str | Text]:
    ours = "–" if row.ours is None else f"{row.ours:.3g} {row.unit}"
    off = "–" if row.off is None else f"{row.off:+.1%}"
    verdict = Text(row.verdict, _COLOURS.get(row.verdict, ""))
    published = f"{row.published:.3g} {row.unit}"
    return [row.drive, row.figure, published, ours, off, row.use, verdict, row.reason]
