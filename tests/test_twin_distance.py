"""Twins of real pieces give what the pieces give, as nearly as was measured once."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from twin_distance import PIECES, SCHEMES, Piece, measure

pytestmark = pytest.mark.long

#: Percent of the piece's figure by which that of its twin, the mean of the seeds, was off.
MEASURED = tomllib.loads((Path(__file__).parent / "twin_distance.toml").read_text())
#: How far a distance may move before somebody looks: in points, and as a part of it.
POINTS, PART = 5.0, 0.1


#: One of each kind of volume is tried: of a file server's, a bank's and a database's, seconds each.
FEW = ("mds_0", "Financial1", "TPC-C")


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(piece, marks=[] if piece.name in FEW else [pytest.mark.slow], id=piece.name)
        for piece in PIECES
    ],
)
def test_a_twin_is_as_near_to_its_piece_as_it_was(piece: Piece) -> None:
    if piece.path() is None:
        pytest.skip(f"{piece.file} is not in traces/public of SLCACHE_SHARED (../shared)")
    measured = measure(piece)
    assert set(measured) == set(SCHEMES)
    moved = [
        f"{scheme}, {figure}: {pair.percent:+.1f} %, {expected:+.1f} % once"
        for scheme, pairs in measured.items()
        for figure, pair in pairs.items()
        if pair.percent is not None
        and (expected := MEASURED[piece.name][scheme].get(figure)) is not None
        and abs(pair.percent - expected) > POINTS + PART * abs(expected)
    ]
    assert not moved, "\n".join(moved)
