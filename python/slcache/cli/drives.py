"""reproduce drives: presets against published figures of fills and latencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from slcache.cli import checks, console
from slcache.files import Transaction
from slcache.names import by_reason
from slcache.tables.table import Cells, Columns, Table

if TYPE_CHECKING:
    from slcache.cli.reproduce import Asked
    from slcache.drives.latency import Judged, Latency
    from slcache.drives.ledger import Ledger

#: How a column of figures is titled; a mean is judged as p50 is.
_COLUMNS = {"p50": "p50", "p99": "p99", "p99_9": "p99.9", "iops": "IOPS"}
_COLOURS = {"reproduced": "green", "failed": "red"}
_USES = {"calibrate": "calibrated", "held-out": "held out"}


def _late(found: Latency) -> Iterator[Cells | Text]:
    """Yield what is told of latencies."""
    from slcache.drives.published import FAILED, KINDS

    for use, name in _USES.items():
        mine = [figure for figure in found.judged if figure.use == use]
        of: dict[tuple[str, str], list[Judged]] = {}
        for figure in mine:
            of.setdefault((figure.drive, figure.kind), []).append(figure)
        every = [*((*drive, *_row(figures)) for drive, figures in of.items())]
        yield Cells(
            ["drive", "kind", *_COLUMNS.values()],
            [*every, ("all", "", *_row(mine))],
            title=f"Latencies, {name}: reproduced of judged",
        )
    failed = "Latencies that fail"
    yield Table(found.figures, _JUDGED, told=lambda each: each.verdict == FAILED, title=failed)
    if found.without:
        judged = [found.judged, *([f for f in fs if f.is_judged] for fs in found.without.values())]
        rows = [
            (kind, *(_held(f for f in fs if f.kind == kind) for fs in judged)) for kind in KINDS
        ]
        rows += [
            (title, *(_held(f for f in fs if f.column == name) for fs in judged))
            for name, title in _COLUMNS.items()
        ]
        titles = ["figures", "with all", *(f"without {name}" for name in found.without)]
        yield Cells(titles, rows, title="Latencies that hold without a mechanism")
    reasons = by_reason(found.unjudged.items()).items()
    which = [(reason, str(len(names)), ", ".join(names)) for reason, names in reasons]
    yield Cells(["reason", "tests", "which"], which, title="Tests that are not judged")
    if found.cut:
        yield Text(f"cut, so that a test takes about 10 s: {', '.join(found.cut)}")


def _row(figures: Sequence[Judged]) -> list[str]:
    return [_held(figure for figure in figures if figure.column == name) for name in _COLUMNS]


def _held(figures: Iterable[Judged]) -> str:
    """Return how many hold, of how many."""
    holds = [figure.holds for figure in figures]
    return f"{sum(holds)}/{len(holds)}" if holds else "–"


def _figure(value: float | None, unit: str) -> str:
    """Return a figure in its unit."""
    return "–" if value is None else f"{value:,.4g} {'µs' if unit == 'us' else unit}"


_JUDGED: Columns = {
    "test": "trial",
    "figure": lambda each: f"{each.side} {_COLUMNS.get(each.figure, each.figure)}",
    "published": lambda each: _figure(each.published, each.unit),
    "ours": lambda each: _figure(each.ours, each.unit),
    "ratio": lambda each: "–" if each.ratio is None else f"{each.ratio:.2f}",
    "use": lambda each: _USES[each.use],
    "reason": "reason",
}
_OF_FILLS: Columns = {
    "drive": "drive",
    "figure": "figure",
    "published": lambda row: _figure(row.published, row.unit),
    "ours": lambda row: _figure(row.ours, row.unit),
    "off": lambda row: "–" if row.off is None else f"{row.off:+.1%}",
    "by": "by",
    "use": "use",
    "verdict": lambda row: Text(row.verdict, _COLOURS.get(row.verdict, "")),
    "reason": "reason",
}


#: What the verb's argument calls it.
NAME = "drives"
#: Minutes on two cores, and so many times that with each mechanism switched off.
LATENCY_MINUTES, ABLATED = 3, 3


def reproduce(asked: Asked) -> None:
    """Run the presets, judge every figure, and write ledger.json and a picture of each."""
    from slcache.drives import ledger as ledgers
    from slcache.drives import measured

    out, quick, ablate = asked.place, asked.quick, asked.sensitivity
    parts = _parts(asked.workloads or [], quick, ablate)
    fills = "fills" in parts
    names = [drive.name for drive in measured.drives().values() if fills and drive.whole is None]
    files = ["ledger.json", *(f"{name}.png" for name in names)]
    if not quick:
        console.note(_time(parts, ablate))
    with Transaction(out, files, []) as written, console.meter(asked.meter, kept=True) as meter:
        found = ledgers.make(asked.kept, quick, asked.jobs, meter, parts=parts, ablate=ablate)
        written.write("ledger.json", (found.to_json() + "\n").encode())
        _draw(found, written)
    place = console.written("ledger and pictures", out)
    console.answer(asked.form, found.to_json, [*_told(found), *place])


def _told(found: Ledger) -> Iterator[Cells | Text]:
    """Yield what was judged: fills, then latencies."""
    if found.rows:
        yield Table(found.rows, _OF_FILLS, title="Presets, simulated, and whole drives by a law")
        for kind, verdicts in found.counts().items():
            listed = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
            yield Text(f"{kind}: {listed}")
    if found.latency is not None:
        yield from _late(found.latency)


def _parts(named: list[str], quick: bool, ablate: bool) -> list[str]:
    """Return the parts that are asked for; all where none is."""
    from slcache.drives import ledger as ledgers

    for part in named:
        if part not in ledgers.PARTS:
            told = f"drives have no workload {part!r}; allowed: {', '.join(ledgers.PARTS)}"
            raise checks.wrong(told, "--workloads")
    parts = named or list(ledgers.PARTS)
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
    from slcache.charts import pictures

    for like in found.likes:
        if like.protocol == "techpowerup" and like.drive is not None:
            written.write(f"{like.drive.name}.png", pictures.written(like.picture(), ".png"))
