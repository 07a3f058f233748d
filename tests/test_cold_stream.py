"""A stream in which nothing is worth learning: the agent should leave the SLC region alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

import slcache
from support import Row, write_trace

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a trace of writes of 516 KiB to 1 MiB over 24 GiB, once each."""
    rng = random.Random(10)
    rows: list[Row] = []
    at = 0
    while at < 24 << 30:
        size = rng.randint(129, 256) * 4096
        rows.append((len(rows), "Write", at, size))
        at += size
    return write_trace(tmp_path_factory.mktemp("cold") / "cold.csv", rows)


def took_ns(trace: Path, scheme: str, seed: int = 1, **settings: object) -> int:
    """Return how long a trace takes, one request at a time."""
    given = {f"scheme.{scheme}.{key}": value for key, value in settings.items()}
    result = slcache.run(
        trace, device="rl-32g", scheme=scheme, replay="closed:1", seed=seed, settings=given
    )
    return int(result.to_dict()["host"]["duration_ns"])


@pytest.mark.parametrize(
    "seeds", [[10], pytest.param(range(1, 10), marks=pytest.mark.slow)], ids=["one", "others"]
)
def test_every_seed_leaves_a_cold_stream_as_fast(cold: Path, seeds: Sequence[int]) -> None:
    without = took_ns(cold, "qlc-only")
    learned = [took_ns(cold, "rl", seed) for seed in seeds]
    assert learned == pytest.approx([without] * len(seeds), rel=0.001)


def test_without_blocks_held_back_a_seed_learns_too_large_a_region(cold: Path) -> None:
    # The blocks are held back for cleaning.
    assert took_ns(cold, "rl", 10, dense_spare_share=0) > 1.5 * took_ns(cold, "qlc-only")
