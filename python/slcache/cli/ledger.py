"""What evaluations find as tables: a paper's claims, drives and separation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.text import Text

from slcache.drives.latency import Latency, LatencyRow
from slcache.drives.ledger import Ledger
from slcache.drives.published import FAILED, KINDS
from slcache.names import by_reason
from slcache.reproduce import ledger, points
from slcache.reproduce.claims import ClaimRow
from slcache.reproduce.ledger import PaperEvaluation
from slcache.reproduce.parts import PROBABLE
from slcache.reproduce.separation import Row, Separation
from slcache.tables.table import Cells, Columns, Table

_COLOURS = {
    "reproduced": "green",
    "consistent": "cyan",
    "same direction": "yellow",
    "not reproduced": "red",
    "failed": "red",
    "cannot hold": "magenta",
    "cannot be simulated": "magenta",
}


def parts(evaluation: PaperEvaluation) -> list[Cells | Text]:
    """Return the ledger as tables, and what it rests on."""
    told: list[Cells | Text] = [_claims(evaluation)]
    probable = evaluation.plan.probable
    if probable and PROBABLE in evaluation.readings:
        told.append(Text(f"The {evaluation.title(PROBABLE)} differs from the literal one:"))
        told += [Text(f"  {option.text}") for option in probable.options.values()]
        told.append(Text())
    for name, of in evaluation.sections():
        if name:
            told.append(Text(name.capitalize(), "bold"))
        told.append(_ledger(evaluation, of))
    for reading, whole, of_classes in evaluation.headline():
        before = f"{reading.capitalize()}: " if reading else ""
        told.append(Text(f"{before}{whole}."))
        told += [Text(f"  {name}: {text}") for name, text in of_classes]
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


def _claims(evaluation: PaperEvaluation) -> Table:
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
            for reading, found in evaluation.found(row)
        ],
        {},
    )


def _ledger(evaluation: PaperEvaluation, of: Sequence[ClaimRow]) -> Cells:
    """Return claims as a table, with a figure and a verdict for every reading."""
    columns = ["figure", "claim", "paper"]
    for reading in evaluation.readings:
        two = len(evaluation.readings) > 1
        columns += [reading if two else "ours", "verdict"]
    rows = (
        [
            *(row.figure, row.claim, ledger.shown(row.paper, row.unit)),
            *(
                cell
                for _, found in evaluation.found(row)
                for cell in (ledger.shown(found.ours, row.unit), _verdict(found.verdict))
            ),
        ]
        for row in of
    )
    return Cells(columns, rows)


def _verdict(verdict: str) -> Text:
    return Text(verdict, _COLOURS.get(verdict, ""))


#: How a column of figures is titled; a mean is judged as p50 is.
_COLUMNS = {"p50": "p50", "p99": "p99", "p99_9": "p99.9", "iops": "IOPS"}
_USES = {"calibrate": "calibrated", "held-out": "held out"}


def _latencies(found: Latency) -> Iterator[Cells | Text]:
    """Yield what is told of latencies."""
    for use, name in _USES.items():
        mine = [figure for figure in found.judged if figure.use == use]
        of: dict[tuple[str, str], list[LatencyRow]] = {}
        for figure in mine:
            of.setdefault((figure.drive, figure.kind), []).append(figure)
        every = [*((*drive, *_held_by_column(figures)) for drive, figures in of.items())]
        yield Cells(
            ["drive", "kind", *_COLUMNS.values()],
            [*every, ("all", "", *_held_by_column(mine))],
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


def _held_by_column(figures: Sequence[LatencyRow]) -> list[str]:
    return [_held(figure for figure in figures if figure.column == name) for name in _COLUMNS]


def _held(figures: Iterable[LatencyRow]) -> str:
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
    "verdict": lambda row: _verdict(row.verdict),
    "reason": "reason",
}


def of_drives(found: Ledger) -> Iterator[Cells | Text]:
    """Yield what was judged: fills, then latencies."""
    if found.rows:
        yield Table(found.rows, _OF_FILLS, title="Presets, simulated, and whole drives by a law")
        for kind, verdicts in found.counts().items():
            listed = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
            yield Text(f"{kind}: {listed}")
    if found.latency is not None:
        yield from _latencies(found.latency)


def of_separation(found: Separation) -> list[Table]:
    """Return the cells of a store that separates data, and what it leaves of a cache's gain."""
    title = "Programs and wear per byte written"
    gained = "Dense programs per byte written, without a cache and with it"
    survivals = found.survivals()
    return [
        Table(found.cells, _CELL if found.cells else {}, title=title),
        *([Table(survivals, _GAIN, title=gained)] if survivals else []),
    ]


def _three(key: str) -> Callable[[Row], str]:
    return lambda row: f"{row[key]:.3f}"


def _survival(each: Row) -> str:
    left = "–" if each["survival"] is None else f"{each['survival']:.2f}"
    if each["survival_least"] is not None and each["survival_most"] is not None:
        left += f" ({each['survival_least']:.2f} to {each['survival_most']:.2f})"
    return left


_GAIN: Columns = {
    "workload": "workload",
    "cache": "scheme",
    "SLC blocks": "slc_blocks",
    "rule": "rule",
    "alone": _three("alone"),
    "behind": _three("cached"),
    "gain": lambda each: (
        f"{each['gain']:+.3f} ({each['gain_least']:+.3f} to {each['gain_most']:+.3f})"
    ),
    "survival": _survival,
}
_CELL: Columns = {
    "workload": "workload",
    "scheme": "scheme",
    "SLC blocks": "slc_blocks",
    "rule": "rule",
    "seed": "seed",
    "dense": _three("dense"),
    "all": _three("programs"),
    "damage": _three("damage"),
    "as dense": _three("damage_same"),
    "read p99, us": lambda cell: f"{cell['read_p99_us']:.0f}",
    "drift": lambda cell: f"{cell['drift']:+.1%}",
}
