"""How far results of twins lie from those of the pieces of real traces they are made from.

`python tests/twin_distance.py {figures,blocks} [PIECE ...]` prints what twin_distance.toml and
bootstrap_distance.toml hold, of which docs/twins.md tells.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import slcache
from slcache import kinds

MIB = 1 << 20
#: Each scheme on the chips of the paper that has it, and on no more of them than a piece fills.
HIERARCHY, IPS = "hierarchy-44g", "ips-384g"
SCHEMES = {
    **dict.fromkeys(("tlc-only", "baseline", "sa", "sector", "hierarchy"), HIERARCHY),
    **dict.fromkeys(("turbo-write", "ips", "ips-agc", "ips-coop"), IPS),
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


#: First what was looked at while twins learned their figures, then what was not looked at before
#: they were settled, then what was looked at when the distances of all others were known.
PIECES = (
    Piece("hm_0", "hm_0_6900.csv.zst"),
    Piece("rsrch_1", "rsrch_1_full.csv.zst"),
    Piece("mds_0", "mds_0_first1000.csv.zst"),
    Piece("wdev_1", "wdev_1_full.csv.zst"),
    Piece(
        "Financial1",
        "Financial1_first10000.ssdsim.ascii.zst",
        {"format": "ssdsim", "volume": "each"},
    ),
    Piece("CloudPhysics", "cloudPhysicsIO.vscsi.zst", {"unsorted": "keep"}),
    Piece("MSN", "MSN-FS-30s-ms.trace.zst", {"format": "disksim"}),
    Piece("hm_0_first", "hm_0_first1000.csv.zst"),
    Piece("TPC-C", "tpcc-small.trace.zst", {"format": "mqsim"}),
    Piece("LUN0", "systor17-traces-sample.csv.zst", {"unsorted": "sort:200"}),
)
_MOBILE = {"format": "mobileblockio"}
#: Of these there are twins by blocks alone. Left out: web searches with four writes, a sample that
#: is one whole second long, and one whose columns no reader knows.
MORE = (
    Piece("telegram", "telegram_exec.csv.zst", _MOBILE),
    Piece("you_cut", "you_cut_exec.csv.zst", _MOBILE),
    Piece("diablo", "diablo_exec.csv.zst", {**_MOBILE, "unsorted": "keep"}),
    *(
        Piece(name, f"../recorded/{name}.blkparse.zst")
        for name in ("oltp", "tpcc", "linkbench", "ycsb", "desktop", "bursts")
    ),
)
#: Without gaps of 100 ms: the longest power of ten that cuts the piece.
SHORT_PAUSES_NS = {"MSN": 10_000_000, "LUN0": 10_000_000, "TPC-C": 100_000}


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


#: Figures of a run, by name; None where it has none.
Figures = Mapping[str, float | None]
#: How far each figure of a twin is off under each scheme, in percent of the piece's.
Measured = Mapping[str, Mapping[str, float]]


def figures(result: slcache.Result, fewest: int) -> Figures:
    """Return the figures that are compared; fewer requests of a side have no mean."""
    document = result.to_dict()
    host, page_bytes = document["host"], document["config"]["device"]["pool"][0]["page_bytes"]
    moved = sum(
        op["pages"]
        for op in document["flash"]["ops"]
        if op["kind"] in kinds.STORES and op["cause"] in ("migration", "gc", "agc")
    )
    sides = (("write latency", "write", "mean"), ("read latency", "read", "mean"))
    return {
        "write amplification": document["waf"]["total"],
        "bytes moved": moved * page_bytes,
        **{
            name: host[side]["latency_us"][key] if host[side]["requests"] >= fewest else None
            for name, side, key in (*sides, ("write p99", "write", "p99"))
        },
    }


def off(piece: float, twins: Sequence[float]) -> float:
    """Return how far the mean of the twins is off, in percent of the piece."""
    difference = statistics.fmean(twins) - piece
    if not difference:
        return 0.0
    return 100 * difference / piece if piece else math.inf


@dataclass(frozen=True)
class Kind:
    """A kind of twins: what is asked of them, under which schemes, and how they are made."""

    pieces: tuple[Piece, ...]
    schemes: tuple[str, ...]
    names: tuple[str, ...]
    #: Requests of a side below this have no mean worth a comparison.
    fewest: int
    #: Makes twins in a folder: each with the arguments of its runs.
    make: Callable[[slcache.Trace, Piece, Path], list[tuple[Path, dict[str, Any]]]]


def by_figures(trace: slcache.Trace, _: Piece, folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Make a twin that is drawn with three seeds."""
    trace.twin(folder / "twin.toml")
    return [(folder / "twin.toml", {"seed": seed}) for seed in range(3)]


def by_blocks(
    trace: slcache.Trace, piece: Piece, folder: Path
) -> list[tuple[Path, dict[str, Any]]]:
    """Make three twins by blocks, or one of a large piece."""
    found: list[tuple[Path, dict[str, Any]]] = []
    pause_ns = SHORT_PAUSES_NS.get(piece.name)
    for seed in range(1 if trace.info()["requests"] > 100_000 else 3):
        how: dict[str, Any] = {} if pause_ns is None else {"pause_ns": pause_ns}
        trace.twin_by_blocks(folder / f"{seed}.parquet", **how, seed=seed)
        found.append((folder / f"{seed}.parquet", {}))
    return found


KINDS = {
    "figures": Kind(
        PIECES,
        tuple(SCHEMES),
        ("write latency", "read latency", "write amplification", "bytes moved"),
        100,
        by_figures,
    ),
    "blocks": Kind(
        (*PIECES, *MORE),
        ("baseline", "turbo-write", "hierarchy", "ips-agc"),
        ("write latency", "write p99", "write amplification", "bytes moved"),
        1,
        by_blocks,
    ),
}


def measure(kind: Kind, piece: Piece) -> Measured:
    """Return how far the twins of a piece are off under every scheme."""
    path = piece.path()
    assert path is not None
    trace = slcache.Trace(path, options=piece.options)
    info = trace.info()
    found = {}
    with TemporaryDirectory() as folder:
        twins = kind.make(trace, piece, Path(folder))
        for scheme in kind.schemes:
            how: dict[str, Any] = {"device": SCHEMES[scheme], "scheme": scheme}
            how["settings"] = device(scheme, info)
            real = figures(slcache.run(path, trace_options=piece.options, **how), kind.fewest)
            made = [figures(slcache.run(twin, **how, **own), kind.fewest) for twin, own in twins]
            found[scheme] = {
                name: off(value, known)
                for name in kind.names
                if (value := real[name]) is not None
                if (known := [each for one in made if (each := one[name]) is not None])
            }
    return found


def record(piece: str, measured: Measured) -> str:
    """Return the distances as a section of the file that holds them."""
    lines = [f'["{piece}"]']
    for scheme, distances in measured.items():
        cells = ", ".join(f'"{name}" = {percent:.1f}' for name, percent in distances.items())
        lines.append(f"{scheme} = {{ {cells} }}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    kind, chosen = KINDS[sys.argv[1]], sys.argv[2:]
    for piece in kind.pieces:
        if not chosen or piece.name in chosen:
            print(record(piece.name, measure(kind, piece)), flush=True)
