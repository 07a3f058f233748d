"""How far the results of a twin by blocks lie from those of the piece of a trace it is made of.

Run as a program, it prints how far each piece is off under each scheme, or what
bootstrap_distance.toml holds. KEY=VALUE are parameters of the twin, such as `regions=kept`:
`python tests/bootstrap_distance.py [--record] [KEY=VALUE...] [PIECE...]`.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
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


def measure(source: Source, **given: object) -> Measured:
    """Return the figures of a piece and of its twins, with these parameters, by scheme."""
    path = source.piece.path()
    assert path is not None
    trace = slcache.Trace(path, options=source.piece.options)
    info = trace.info()
    with TemporaryDirectory() as folder:
        twins = []
        for seed in range(1 if info["requests"] > LARGE else SEEDS):
            twins.append(Path(folder) / f"{seed}.parquet")
            how: dict[str, Any] = {**source.parameters, **given, "seed": seed}
            trace.twin_by_blocks(twins[-1], **how)
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
    return text if is_near(pair) else f"**{text}**"


def record(source: Source, measured: Measured) -> str:
    """Return the distances as a section of bootstrap_distance.toml."""
    lines = [f'["{source}"]']
    for scheme, pairs in measured.items():
        cells = ", ".join(f'"{name}" = {pair.percent:.1f}' for name, pair in pairs.items())
        lines.append(f"{scheme} = {{ {cells} }}")
    return "\n".join([*lines, ""])


def is_near(pair: Pair | None) -> bool:
    """Return whether a figure is near; one that the piece does not have is."""
    return pair is None or abs(pair.percent) <= NEAR


def summary(all_measured: Iterable[Measured]) -> str:
    """Return the table that says how often each figure is near, in all and by scheme."""
    each = list(all_measured)
    lines = [f"| figure | near, of {len(each) * len(COMPARED)} | {' | '.join(COMPARED)} |"]
    for name in FIGURES:
        near = [sum(is_near(one[scheme].get(name)) for one in each) for scheme in COMPARED]
        share = 100 * sum(near) / (len(each) * len(COMPARED))
        cells = " | ".join(f"{count} of {len(each)}" for count in near)
        lines.append(f"| {name} | {sum(near)} ({share:.0f} %) | {cells} |")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Print a row or a section for each piece that is named, or for all, and the summary."""
    given = dict(text.split("=") for text in arguments if "=" in text)
    named = [text for text in arguments if "=" not in text and text != "--record"]
    parameters = {key: int(text) if text.isdigit() else text for key, text in given.items()}
    done = []
    for source in SOURCES:
        if named and str(source) not in named:
            continue
        done.append(measure(source, **parameters))
        print((record if "--record" in arguments else row)(source, done[-1]), flush=True)
    print(summary(done), file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
