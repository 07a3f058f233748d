"""How far a twin's results lie from those of the piece of a trace it was made from.

Run as a program, it prints the tables of docs/workloads.md:
`python tests/twin_distance.py [PIECE ...]`.
"""

from __future__ import annotations

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
from slcache import kinds

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
        root = os.environ.get("SLCACHE_SHARED")
        path = Path(root or ".") / "traces" / "public" / self.file
        return path if root and path.is_file() else None


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
    def percent(self) -> float:
        """Return how far the twin is off, in percent of the piece; 0 where both have none."""
        return 100 * (self.twin - self.piece) / self.piece if self.piece else math.inf * self.twin


def measure(piece: Piece) -> dict[str, dict[str, Pair]]:
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
    where = {"device": SCHEMES[scheme], "scheme": scheme, "settings": device(scheme, info)}
    real = figures(slcache.run(path, trace_options=piece.options, **where))
    twins = [figures(slcache.run(twin, seed=seed, **where)) for seed in SEEDS]
    for name, value in real.items():
        known = [figure for made in twins if (figure := made[name]) is not None]
        if value is not None and known:
            yield name, Pair(value, statistics.fmean(known))


def table(piece: Piece) -> str:
    """Return the distances as a table: in percent, and the piece's own figure."""
    lines = [f"| {piece.name} | {' | '.join(FIGURES)} |", "|---" * (1 + len(FIGURES)) + "|"]
    for scheme, pairs in measure(piece).items():
        cells = [_cell(name, pairs.get(name)) for name in FIGURES]
        lines.append(f"| `{scheme}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(name: str, pair: Pair | None) -> str:
    if pair is None:
        return "–"
    if not pair.piece and not pair.twin:
        return "none"
    shown = {
        "write amplification": f"{pair.piece:.2f}",
        "bytes moved": f"{pair.piece / MIB:.1f} MiB",
    }.get(name, f"{pair.piece / 1000:.3g} ms")
    return f"{shown}, {pair.percent:+.0f} %"


if __name__ == "__main__":
    for chosen in (*KNOWN, *UNSEEN):
        if not sys.argv[1:] or chosen.name in sys.argv[1:]:
            print(table(chosen), end="\n\n")
