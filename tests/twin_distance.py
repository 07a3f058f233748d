"""How far a twin's results lie from those of the piece of a trace it was made from.

Run as a program, it prints the figures behind docs/twins.md, or what twin_distance.toml holds:
`python tests/twin_distance.py [--record] [PIECE ...]`.
"""

from __future__ import annotations

import functools
import math
import os
import statistics
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import slcache
from slcache.words import kinds, units

MIB = 1 << 20
#: Requests of a kind below this have no mean worth a comparison.
FEWEST = 100
SEEDS = range(3)
FIGURES = ("write latency", "read latency", "write amplification", "bytes moved")
#: Each scheme on the chips of the paper that has it, and on no more of them than a piece fills.
HIERARCHY, IPS = "hierarchy-44g", "ips-384g"
SCHEMES = {
    "tlc-only": HIERARCHY,
    "baseline": HIERARCHY,
    "sa": HIERARCHY,
    "sector": HIERARCHY,
    "hierarchy": HIERARCHY,
    "turbo-write": IPS,
    "ips": IPS,
    "ips-agc": IPS,
    "ips-coop": IPS,
}
#: Channels of one chip, planes of a chip, and programs that dense blocks keep free of user data.
CHANNELS, PLANES, SPARE_BLOCKS = 4, 2, 6


@dataclass(frozen=True)
class Piece:
    """A piece of a real trace, and how it is read."""

    name: str
    file: str
    options: Mapping[str, str] = field(default_factory=dict)

    def path(self) -> Path | None:
        """Return where the piece is, or nothing where the shared traces are not there."""
        root = Path(os.environ.get("SLCACHE_SHARED") or Path(__file__).parents[2] / "shared")
        path = root / "traces" / "public" / self.file
        return path if path.is_file() else None

    def __str__(self) -> str:
        return self.name


#: Looked at while twins learned their figures.
KNOWN = (
    Piece("hm_0", "hm_0_6900.csv.zst"),
    Piece("rsrch_1", "rsrch_1_full.csv.zst"),
    Piece("mds_0", "mds_0_first1000.csv.zst"),
)
#: Not looked at before the figures were settled.
UNSEEN = (
    Piece("wdev_1", "wdev_1_full.csv.zst"),
    Piece(
        "Financial1",
        "Financial1_first10000.ssdsim.ascii.zst",
        {"format": "ssdsim", "volume": "each"},
    ),
    Piece("CloudPhysics", "cloudPhysicsIO.vscsi.zst", {"unsorted": "keep"}),
    Piece("MSN", "MSN-FS-30s-ms.trace.zst", {"format": "disksim"}),
)
#: Looked at first when the distances of all others were known.
LATER = (
    Piece("hm_0_first", "hm_0_first1000.csv.zst"),
    Piece("TPC-C", "tpcc-small.trace.zst", {"format": "mqsim"}),
    Piece("LUN0", "systor17-traces-sample.csv.zst", {"unsorted": "sort:200"}),
)


PIECES = (*KNOWN, *UNSEEN, *LATER)


def device(scheme: str, info: Mapping[str, Any]) -> dict[str, object]:
    """Return the settings of a device that a piece fills, with SLC for half of what it writes."""
    pages = 4096
    touched, written = (info[f"{kind}_4kib_pages"] * pages for kind in ("touched", "written"))
    wide = SCHEMES[scheme] == HIERARCHY
    page_bytes = 16_384 if wide else 4096
    # Pages of 16 KiB are touched in part; IPS has SLC in proportion to its blocks.
    user = MIB * (1 + int(touched * (2 if wide else 1.25) / MIB))
    wordlines = 32 if not wide and touched > 16 * MIB else 8
    row = CHANNELS * PLANES * wordlines * page_bytes
    dense = max(math.ceil(1.15 * user / (3 * row)), math.ceil(user / (3 * row)) + SPARE_BLOCKS)
    slc = 0 if scheme in ("tlc-only", "ips", "ips-agc") else max(4, math.ceil(written / 2 / row))
    pool = {"channels": CHANNELS, "chips": 1, "dies": 1, "planes": PLANES}
    pool |= {"wordlines": wordlines, "blocks": dense + slc}
    settings: dict[str, object] = {f"device.pool.0.{key}": value for key, value in pool.items()}
    settings |= {"device.user_bytes": user, "trace.address": "compact"}
    if slc:
        settings[f"scheme.{scheme}.slc_blocks"] = slc
    return settings


def figures(result: slcache.Result) -> dict[str, float | None]:
    """Return the figures that are compared."""
    document = result.to_dict()
    host, page_bytes = document["host"], document["config"]["device"]["pool"][0]["page_bytes"]
    moved = sum(
        op["pages"]
        for op in document["flash"]["ops"]
        if op["kind"] in kinds.STORES and op["cause"] in ("migration", "gc", "agc")
    )
    means = (
        host[side]["latency_us"]["mean"] if host[side]["requests"] >= FEWEST else None
        for side in ("write", "read")
    )
    return dict(zip(FIGURES, (*means, document["waf"]["total"], moved * page_bytes), strict=True))


@dataclass(frozen=True)
class Pair:
    """A figure of the piece and of its twin, the mean of the seeds."""

    piece: float
    twin: float

    @property
    def percent(self) -> float | None:
        """Return how far the twin is off, in percent of the piece; nothing where that has none."""
        return 100 * (self.twin - self.piece) / self.piece if self.piece else None


#: The figures of a piece and of its twin, by scheme.
Measured = Mapping[str, Mapping[str, Pair]]


def measure(piece: Piece) -> Measured:
    """Return the figures of a piece and of its twin under every scheme."""
    path = piece.path()
    assert path is not None
    trace = slcache.Trace(path, options=piece.options)
    info = trace.info()
    with TemporaryDirectory() as folder:
        twin = Path(folder) / "twin.toml"
        trace.twin(twin)
        return {scheme: dict(_pairs(piece, path, twin, scheme, info)) for scheme in SCHEMES}


def _pairs(
    piece: Piece, path: Path, twin: Path, scheme: str, info: Mapping[str, Any]
) -> Iterator[tuple[str, Pair]]:
    run = functools.partial(
        slcache.run, device=SCHEMES[scheme], scheme=scheme, settings=device(scheme, info)
    )
    real = figures(run(path, trace_options=piece.options))
    twins = [figures(run(twin, seed=seed)) for seed in SEEDS]
    for name, value in real.items():
        known = [figure for made in twins if (figure := made[name]) is not None]
        if value is not None and known:
            yield name, Pair(value, statistics.fmean(known))


def table(piece: str, measured: Measured) -> str:
    """Return the distances as a table: the piece's figure, the twin's, and percent."""
    lines = [f"| {piece} | {' | '.join(FIGURES)} |", "|---" * (1 + len(FIGURES)) + "|"]
    for scheme, pairs in measured.items():
        cells = [_cell(name, pairs.get(name)) for name in FIGURES]
        lines.append(f"| `{scheme}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(name: str, pair: Pair | None) -> str:
    if pair is None:
        return "–"
    scales = {"write amplification": (1, ""), "bytes moved": (MIB, " MiB")}
    scale, unit = scales.get(name, (1000, " ms"))
    piece, twin = (units.significant(value / scale) for value in (pair.piece, pair.twin))
    off = "" if pair.percent is None else f", {pair.percent:+.0f} %"
    return f"{piece} : {twin}{unit}{off}"


def record(piece: str, measured: Measured) -> str:
    """Return the distances as a section of twin_distance.toml."""
    lines = [f"[{piece}]"]
    for scheme, pairs in measured.items():
        off = {name: pair.percent for name, pair in pairs.items() if pair.percent is not None}
        cells = ", ".join(f'"{name}" = {percent:.1f}' for name, percent in off.items())
        lines.append(f"{scheme} = {{ {cells} }}")
    return "\n".join(lines)


def overview(results: Mapping[str, Measured]) -> str:
    """Return the percents of all pieces as one table, figures in the order of `FIGURES`."""
    lines = [f"| | {' | '.join(results)} |", "|---" * (1 + len(results)) + "|"]
    for scheme in SCHEMES:
        cells = [" ".join(map(_percent, _in_order(result[scheme]))) for result in results.values()]
        lines.append(f"| `{scheme}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _in_order(pairs: Mapping[str, Pair]) -> list[float | None]:
    return [pairs[name].percent if name in pairs else None for name in FIGURES]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:+.0f}"


if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if name != "--record"]
    results = {}
    for piece in PIECES:
        if not chosen or piece.name in chosen:
            results[piece.name] = measured = measure(piece)
            form = record if "--record" in sys.argv[1:] else table
            print(form(piece.name, measured), end="\n\n", flush=True)
    if "--record" not in sys.argv[1:]:
        print(overview(results))
