"""Presets against published fills and latencies, and the laws against drives held out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from slcache.bandwidth.curves import RETURN
from slcache.documents import JsonDocument, provenance
from slcache.drives import fills, latency, published
from slcache.drives.protocol import ProtocolRun
from slcache.drives.published import FAILED, REPRODUCED, SHOWN, reason, reasons
from slcache.execute.engine import Engine
from slcache.trace import Progress

#: How far each kind of figure may be off: of itself, but a boundary of the drive.
NEAR = {"cache": 0.10, "speed": 0.15, "boundary": 0.10, "average": 0.15}
#: A speed is that of a published phase without so much at either end.
INNER = 0.1
#: A quick ledger fills a part of each device.
QUICK = 8
#: What a ledger has: fills with the laws, and latencies.
PARTS = ("fills", "latency")
#: A drive with two speeds within one cache: the cache ends with the second.
TWO_SPEEDS = "hp-fx700-2tb"


@dataclass(frozen=True)
class FillRow:
    """A published figure beside ours."""

    drive: str
    figure: str
    unit: str
    published: float
    ours: float | None
    #: What stands behind ours: the simulation, or a law.
    by: str
    use: str
    off: float | None
    tolerance: float | None
    verdict: str
    reason: str = ""


@dataclass
class Ledger(JsonDocument):
    """Every row, and the curves that they come from."""

    indent = 1

    rows: list[FillRow]
    likes: list[ProtocolRun]
    scale: int
    latency: latency.Latency | None

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the verdicts of figures: calibrated, held out, and by law."""
        found: dict[str, Counter[str]] = {}
        for row in self.rows:
            kind = "by law" if row.by == "law" else row.use
            found.setdefault(kind, Counter())[row.verdict] += 1
        return {kind: dict(counter) for kind, counter in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "schema_version": 1,
            "scale": f"1/{self.scale}",
            "counts": self.counts(),
            "rows": [asdict(row) for row in self.rows],
            "latency": None if self.latency is None else self.latency.to_dict(),
            "provenance": provenance(),
        }


def make(
    place: Path,
    quick: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    *,
    parts: Collection[str] = PARTS,
    ablate: bool = False,
) -> Ledger:
    """Run what is not kept below `place` yet, and hold every figure of the parts against it.

    `ablate` also judges latencies without each of the mechanisms that make them.
    """
    scale = QUICK if quick else 1
    likes: list[ProtocolRun] = []
    rows: list[FillRow] = []
    with Engine(place, "local", jobs, progress) as engine:
        late = latency.make(engine, quick, ablate) if "latency" in parts else None
        if "fills" in parts:
            likes, rows = _fills(engine, quick, scale)
    return Ledger(rows, likes, scale, late)


def _fills(engine: Engine, quick: bool, scale: int) -> tuple[list[ProtocolRun], list[FillRow]]:
    """Return every fill, and the rows of all of them and of the laws."""
    drives = [drive for drive in published.drives().values() if drive.whole is None]
    asked = [(drive, name) for drive in drives for name in protocols(drive, quick)]
    # The longest first: drives that are slow have no more requests than fast ones.
    runs = [
        replace(fills.fill_run(drive.preset, scale, name), size=int(drive.user_gb))
        for drive, name in asked
    ]
    full = list(filled(drives, scale))
    bursts = [run for *_, of in full for run in of.first()]
    documents = iter(engine.results([*runs, *bursts]))
    likes = []
    for drive, name in asked:
        fill = fills.filled(next(documents), scale, fills.passes(name))
        likes.append(ProtocolRun(name, drive.preset, scale, drive, fill, None))
    rows = [row for like in likes for row in judged(like)]
    for drive, name, of in full:
        ours = fills.cache_gb(of, [next(documents) for _ in of.first()])
        rows.append(_row(drive, name, "GB", drive.others[name], ours, NEAR["cache"]))
    rows += [row for drive in published.drives().values() for row in by_law(drive)]
    return likes, rows


def protocols(drive: published.Drive, quick: bool) -> list[str]:
    """Return the protocols by which a drive was measured."""
    is_at = any(name.startswith(AT) and not FULL.fullmatch(name) for name in drive.others)
    return ["techpowerup", "anandtech"] if is_at and not quick else ["techpowerup"]


#: The cache of a drive of which so much per cent hold data.
FULL = re.compile(r"cache_gb_at_(\d+)_percent")


def filled(
    drives: Iterable[published.Drive], scale: int
) -> Iterator[tuple[published.Drive, str, fills.Bursts]]:
    """Yield the figures of drives that are partly full, each with the bursts that tell ours."""
    for drive in drives:
        for name in drive.others:
            share = FULL.fullmatch(name)
            if share is not None:
                yield drive, name, fills.bursts(drive.preset, scale, int(share[1]) / 100)


#: Figures of the second protocol, and what of a simulated one they are held against.
AT = ("cache_gb_at", "cache_second_pass", "second_burst")


def judged(like: ProtocolRun) -> list[FillRow]:
    """Return the rows of a simulated preset by one protocol."""
    assert like.drive is not None
    return _of_second(like) if like.protocol == "anandtech" else _of_first(like)


def _of_first(like: ProtocolRun) -> list[FillRow]:
    drive, curve = like.drive, like.passes[0]
    assert drive is not None
    assert like.fill is not None
    bars = drive.phases
    size = bars[1 if drive.name == TWO_SPEEDS else 0]
    cache = replace(size, value=size.to_gb)
    rows = [_row(drive, "cache", "GB", cache, curve.cache_gb, NEAR["cache"])]
    fill = like.fill.passes[0]
    for number, bar in enumerate(bars, 1):
        span = bar.to_gb - bar.from_gb
        ours = fill.between(bar.from_gb + INNER * span, bar.to_gb - INNER * span)
        rows.append(_row(drive, f"speed {number}", "GB/s", bar, ours, NEAR["speed"]))
    if len(bars) == 3 and drive.name != TWO_SPEEDS:
        ours = fill.knee_gb(1.05 * curve.cache_gb, float(fill.gb[-1]))
        rows.append(_boundary(drive, ours, bars[1].use, "simulation"))
    if drive.average is not None:
        ours, near = curve.average_gb_s, NEAR["average"]
        rows.append(_row(drive, "average", "GB/s", drive.average, ours, near))
    return rows


def _of_second(like: ProtocolRun) -> list[FillRow]:
    """Return the rows of figures that only the second protocol tells."""
    drive = like.drive
    assert drive is not None
    first, second = like.passes
    rows = []
    for name, figure in drive.others.items():
        if name.startswith("cache_gb_at"):
            rows.append(_row(drive, name, "GB", figure, first.cache_gb, NEAR["cache"]))
        elif name.startswith("cache_second_pass"):
            # It may be 0, and so be off by so many GB.
            near = NEAR["cache"] * first.cache_gb
            row = _row(drive, name, "GB", figure, second.cache_gb, near, whole=1.0)
            rows.append(replace(row, off=None, tolerance=None))
        elif name.startswith("second_burst"):
            rows.append(_row(drive, name, "GB", figure, _second_burst(like), NEAR["cache"]))
    return rows


def _second_burst(like: ProtocolRun) -> float:
    """Return how long the speed of the first phase came back in the first pass, GB."""
    told = like.passes[0].phases
    first = told[0]["gb_s"]
    back = (p for p in told[2:] if abs(p["gb_s"] / first - 1) <= RETURN)
    found = next(back, None)
    return 0.0 if found is None else found["to_gb"] - found["from_gb"]


def _row(
    drive: published.Drive,
    name: str,
    unit: str,
    figure: published.PublishedFigure,
    ours: float,
    near: float,
    by: str = "simulation",
    whole: float | None = None,
) -> FillRow:
    """Return a row: ours may be off by the part `near` of the figure, or of what is `whole`."""
    value, use = figure.value, figure.use
    off = ours / value - 1 if whole is None else (ours - value) / whole
    verdict = SHOWN if use == "context" else REPRODUCED if abs(off) <= near else FAILED
    why = reason(drive.name, name, verdict, by)
    return FillRow(drive.name, name, unit, value, ours, by, use, off, near, verdict, why)


def _boundary(drive: published.Drive, ours: float, use: published.Use, by: str) -> FillRow:
    """Return the row of where the third phase begins."""
    figure = replace(drive.phases[1], value=drive.phases[1].to_gb, use=use)
    return _row(drive, "boundary", "GB", figure, ours, NEAR["boundary"], by, drive.user_gb)


#: Random writes behind the cache of a drive's sizes, and sequential ones.
RANDOM, BEHIND = "random_after_cache_kiops_", "after_cache_gb_s_"


def by_law(drive: published.Drive) -> list[FillRow]:
    """Return what the laws say of a drive: average, random writes, and of whole ones a boundary."""
    if len(drive.phases) < 2:
        return _random(drive)
    first, second = drive.phases[0], drive.phases[1]
    usable = published.USABLE * drive.user_gb
    rows = []
    if len(drive.phases) == 3 and all(bar.held_out for bar in drive.phases):
        ours = published.boundary_gb(first.to_gb, drive.bits, usable)
        rows.append(_boundary(drive, ours, "held-out", "law"))
    is_whole = drive.bits * first.to_gb > 0.9 * drive.user_gb
    if drive.average is not None and not is_whole and drive.name != TWO_SPEEDS:
        speeds = first.value, second.value
        fill = published.fill(first.to_gb, *speeds, bits=drive.bits, user_gb=drive.user_gb)
        use: published.Use = "context" if drive.name in reasons("lawless") else "held-out"
        average, ours = replace(drive.average, use=use), fill.average_gb_s
        rows.append(_row(drive, "average", "GB/s", average, ours, NEAR["average"], "law"))
    return rows


def _random(drive: published.Drive) -> list[FillRow]:
    """Return what law 4 makes of the sequential speeds behind the cache."""
    rows = []
    for name, figure in drive.others.items():
        if name.startswith(RANDOM):
            speed = drive.others[BEHIND + name.removeprefix(RANDOM)].value
            ours = published.random_kiops(speed)
            rows.append(_row(drive, name, "kIOPS", figure, ours, NEAR["speed"], "law"))
    return rows
