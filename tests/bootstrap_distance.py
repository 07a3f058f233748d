"""How far the results of a twin by bootstrap lie from those of the piece of a trace it is made of.

Run as a program, it prints the table of docs/twins-by-bootstrap.md, or what
bootstrap_distance.toml holds: `python tests/bootstrap_distance.py [--record] [--drawn] [PIECE...]`.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import slcache
from slcache.words import kinds
from twin_distance import PIECES as WITH_FIGURES
from twin_distance import SCHEMES, Piece, device

FIGURES = ("write latency", "write p99", "write amplification", "bytes moved")
COMPARED = ("baseline", "turbo-write", "hierarchy", "ips-agc")
#: A twin is near where no figure is off by more, in percent.
NEAR = 10.0
#: A larger piece takes one seed instead of three.
LARGE, SEEDS = 100_000, 3


@dataclass(frozen=True)
class Source:
    """A piece, and the pause that its blocks are cut at where that is not the usual one."""

    piece: Piece
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.piece.name


#: Without gaps of 100 ms: the longest power of ten that cuts the piece.
SHORT_PAUSES = {"MSN": 10_000_000, "LUN0": 10_000_000, "TPC-C": 100_000}
_MOBILE = {"format": "mobileblockio"}
#: Left out: web searches with four writes, a sample that is one whole second long, and one whose
#: columns no reader knows.
MORE = (
    Piece("telegram", "telegram_exec.csv.zst", _MOBILE),
    Piece("you_cut", "you_cut_exec.csv.zst", _MOBILE),
    Piece("diablo", "diablo_exec.csv.zst", {**_MOBILE, "unsorted": "keep"}),
    *(
        Piece(name, f"../recorded/{name}.blkparse.zst")
        for name in ("oltp", "tpcc", "linkbench", "ycsb", "desktop", "bursts")
    ),
)
SOURCES = tuple(
    Source(piece, {"pause_ns": SHORT_PAUSES[piece.name]} if piece.name in SHORT_PAUSES else {})
    for piece in (*WITH_FIGURES, *MORE)
)


def figures(result: slcache.Result) -> dict[str, float | None]:
    """Return the figures that are compared."""
    document = result.to_dict()
    write, page_bytes = document["host"]["write"], document["config"]["device"]["pool"][0]
    moved = sum(
        op["pages"] * page_bytes["page_bytes"]
        for op in document["flash"]["ops"]
        if op["kind"] in kinds.STORES and op["cause"] in ("migration", "gc", "agc")
    )
    latency = write["latency_us"] if write["requests"] else {"mean": None, "p99": None}
    values = (latency["mean"], latency["p99"], document["waf"]["total"], moved)
    return dict(zip(FIGURES, values, strict=True))


@dataclass(frozen=True)
class Pair:
    """A figure of the piece and those of its twins, one for each seed."""

    piece: float
    twins: tuple[float, ...]

    @property
    def percent(self) -> float:
        """Return how far the mean of the twins is off, in percent of the piece."""
        off = statistics.fmean(self.twins) - self.piece
        if not off:
            return 0.0
        return 100 * off / self.piece if self.piece else math.inf


#: The figures of a piece and of its twins, by scheme.
Measured = Mapping[str, Mapping[str, Pair]]


def measure(source: Source, places: str = "kept") -> Measured:
    """Return the figures of a piece and of its twins under every scheme."""
    path = source.piece.path()
    assert path is not None
    trace = slcache.Trace(path, options=source.piece.options)
    info = trace.info()
    with TemporaryDirectory() as folder:
        twins = []
        for seed in range(1 if info["requests"] > LARGE else SEEDS):
            twins.append(Path(folder) / f"{seed}.parquet")
            how = {**source.parameters, "places": places, "seed": seed}
            trace.transform("bootstrap", twins[-1], **how)
        return {scheme: _pairs(source.piece, path, twins, scheme, info) for scheme in COMPARED}


def _pairs(
    piece: Piece, path: Path, twins: list[Path], scheme: str, info: Mapping[str, Any]
) -> Mapping[str, Pair]:
    how: dict[str, Any] = {"device": SCHEMES[scheme], "scheme": scheme}
    how["settings"] = device(scheme, info)
    real = figures(slcache.run(path, trace_options=piece.options, **how))
    made = [figures(slcache.run(twin, **how)) for twin in twins]
    return {
        name: Pair(value, tuple(each[name] or 0.0 for each in made))
        for name, value in real.items()
        if value is not None
    }


def row(source: Source, measured: Measured) -> str:
    """Return a piece's row of the table: how far the twins are off under each scheme."""
    cells = (" ".join(_cell(pairs.get(name)) for name in FIGURES) for pairs in measured.values())
    return f"| {source} | {' | '.join(cells)} |"


def _cell(pair: Pair | None) -> str:
    if pair is None:
        return "–"
    text = f"{pair.percent:+.0f}" if math.isfinite(pair.percent) else "some"
    return text if abs(pair.percent) <= NEAR else f"**{text}**"


def record(source: Source, measured: Measured) -> str:
    """Return the distances as a section of bootstrap_distance.toml."""
    lines = [f'["{source}"]']
    for scheme, pairs in measured.items():
        cells = ", ".join(f'"{name}" = {pair.percent:.1f}' for name, pair in pairs.items())
        lines.append(f"{scheme} = {{ {cells} }}")
    return "\n".join(lines)


def nearness(measured: Measured) -> dict[str, int]:
    """Return under how many of the schemes each figure is near."""
    return {
        name: sum(
            name not in pairs or abs(pairs[name].percent) <= NEAR for pairs in measured.values()
        )
        for name in FIGURES
    }


if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if not name.startswith("--")]
    places = "drawn" if "--drawn" in sys.argv[1:] else "kept"
    near: dict[str, dict[str, int]] = {}
    for source in SOURCES:
        if chosen and str(source) not in chosen:
            continue
        measured = measure(source, places)
        recorded = "--record" in sys.argv[1:]
        text = f"{record(source, measured)}\n" if recorded else row(source, measured)
        print(text, flush=True)
        near[str(source)] = nearness(measured)
    for name, counts in near.items():
        print(f"# {name}: near under {counts} of {len(COMPARED)}", file=sys.stderr)
