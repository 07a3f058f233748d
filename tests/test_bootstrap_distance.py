"""Twins by blocks give what their pieces give, as nearly as was measured once."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bootstrap_distance import COMPARED, SOURCES, Source, measure

pytestmark = pytest.mark.long

#: Percent of the piece's figure by which that of its twins, the mean of the seeds, was off.
MEASURED = tomllib.loads((Path(__file__).parent / "bootstrap_distance.toml").read_text())
#: How far a distance may move before somebody looks: in points, and as a part of it.
POINTS, PART = 5.0, 0.1


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "source", [source for source in SOURCES if str(source) in MEASURED], ids=str
)
def test_a_twin_is_as_near_to_its_piece_as_it_was(source: Source) -> None:
    if source.piece.path() is None:
        pytest.skip(f"{source.piece.file} is not in traces/public of SLCACHE_SHARED (../shared)")
    measured = measure(source)
    assert set(measured) == set(COMPARED)
    moved = [
        f"{scheme}, {figure}: {pair.percent:+.1f} %, {expected:+.1f} % once"
        for scheme, pairs in measured.items()
        for figure, pair in pairs.items()
        if abs(pair.percent - (expected := MEASURED[str(source)][scheme][figure]))
        > POINTS + PART * abs(expected)
    ]
    assert not moved, "\n".join(moved)
