"""The latencies of `reproduce drives`: by drive and kind, misses, and what holds without what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from slcache.tables.tabular import Column, Table

if TYPE_CHECKING:
    from slcache.drives.latency import Judged, Latency

#: How a column of figures is titled; a mean is judged as p50 is.
_COLUMNS = {"p50": "p50", "p99": "p99", "p99_9": "p99.9", "iops": "IOPS"}
_USES = {"calibrate": "calibrated", "held-out": "held out"}


def tables(found: Latency) -> list[Table | Text]:
    """Return what is told of latencies."""
    from slcache.drives.reasons import FAILED

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
    table = Table("drive", [Column("kind", text=True), *_COLUMNS.values()], boxed=False)
    for drive, kind in dict.fromkeys((figure.drive, figure.kind) for figure in figures):
        mine = [figure for figure in figures if (figure.drive, figure.kind) == (drive, kind)]
        table.add(drive, kind, *_row(mine))
    table.add("all", "", *_row(figures))
    return table


def _row(figures: Sequence[Judged]) -> list[str]:
    return [_held(figure for figure in figures if figure.column == name) for name in _COLUMNS]


def _held(figures: Iterable[Judged]) -> str:
    """Return how many hold, of how many."""
    holds = [figure.holds for figure in figures]
    return f"{sum(holds)}/{len(holds)}" if holds else "–"


def _misses(figures: Sequence[Judged]) -> Table:
    columns: list[Column | str] = [
        Column("figure", text=True), "published", "ours", "ratio", Column("use", text=True),
        Column("reason", text=True),
    ]  # fmt: skip
    table = Table("test", columns, boxed=False)
    for figure in figures:
        name = f"{figure.side} {_COLUMNS.get(figure.figure, figure.figure)}"
        table.add(figure.trial, name, *_numbers(figure), _USES[figure.use], figure.reason)
    return table


def _numbers(figure: Judged) -> list[str]:
    unit = "µs" if figure.unit == "us" else figure.unit
    ours = "–" if figure.ours is None else f"{figure.ours:,.4g} {unit}"
    ratio = "–" if figure.ratio is None else f"{figure.ratio:.2f}"
    return [f"{figure.published:,.4g} {unit}", ours, ratio]


def _without(found: Latency) -> Table:
    from slcache.drives.published import KINDS

    titles = ["with all", *(f"without {name}" for name in found.without)]
    table = Table("figures", titles, boxed=False)
    columns = [found.judged, *([f for f in fs if f.is_judged] for fs in found.without.values())]
    for kind in KINDS:
        table.add(kind, *(_held(f for f in figures if f.kind == kind) for figures in columns))
    for name, title in _COLUMNS.items():
        table.add(title, *(_held(f for f in figures if f.column == name) for figures in columns))
    return table


def _unjudged(found: Latency) -> Table:
    table = Table("reason", ["tests", Column("which", text=True)], boxed=False)
    for reason in dict.fromkeys(found.unjudged.values()):
        names = [name for name, why in found.unjudged.items() if why == reason]
        table.add(reason, str(len(names)), ", ".join(names))
    return table
