"""Twins of real pieces give what the pieces give, as nearly as was measured once."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from twin_distance import KINDS, Piece, measure

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
#: Percent of the piece's figure by which that of its twins, the mean of the seeds, was off.
MEASURED = {
    "figures": tomllib.loads((HERE / "twin_distance.toml").read_text()),
    "blocks": tomllib.loads((HERE / "bootstrap_distance.toml").read_text()),
}
#: How far a distance may move before somebody looks: in points, and as a part of it.
POINTS, PART = 5.0, 0.1
#: A file server's, a bank's and a database's: seconds each. `make slow` tries the others.
FEW = {("figures", name) for name in ("mds_0", "Financial1", "TPC-C")}
FEW |= {("blocks", name) for name in ("hm_0", "wdev_1", "MSN")}


@pytest.mark.parametrize(
    ("kind", "piece"),
    [
        pytest.param(
            *(kind, piece),
            marks=[] if (kind, piece.name) in FEW else [pytest.mark.slow],
            id=f"{kind} of {piece}",
        )
        for kind, of in KINDS.items()
        for piece in of.pieces
        if piece.name in MEASURED[kind]
    ],
)
def test_a_twin_is_as_near_to_its_piece_as_it_was(kind: str, piece: Piece) -> None:
    if piece.path() is None:
        pytest.skip(f"{piece.file} is not in traces/public of SLCACHE_SHARED (../shared)")
    measured = measure(KINDS[kind], piece)
    assert measured.keys() == MEASURED[kind][piece.name].keys()
    moved = [
        f"{scheme}, {figure}: {percent:+.1f} %, {expected:+.1f} % once"
        for scheme, distances in measured.items()
        for figure, percent in distances.items()
        if (expected := MEASURED[kind][piece.name][scheme].get(figure)) is not None
        if abs(percent - expected) > POINTS + PART * abs(expected)
    ]
    assert not moved, "\n".join(moved)
