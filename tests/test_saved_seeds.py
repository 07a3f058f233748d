"""A comparison of several seeds is held against another, repeated and reported with all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache
from slcache.results.loading import gather
from slcache.results.seeded import SeededComparison
from support import mixed, write_trace


def test_no_seed_is_left_out(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "mixed.csv", mixed(80))
    names = ["tlc-only", "baseline"]
    parts = [slcache.compare(trace, device="tiny", schemes=names, seed=n) for n in (1, 2)]
    both = SeededComparison(parts)
    both.save(tmp_path / "both")
    found = slcache.rerun(tmp_path / "both")
    assert found.equal
    assert isinstance(found.result, SeededComparison)
    assert [run.labels[0] for run in found.difference.runs] == [
        f"{name} (seed {seed})" for seed in (1, 2) for name in names
    ]
    assert gather([tmp_path / "both"]).report() == both.report()
    with pytest.raises(slcache.ResultError, match="several seeds"):
        gather([tmp_path / "both", tmp_path / "both"])
    with pytest.raises(slcache.ResultError, match="2 seeds"):
        slcache.rerun(tmp_path / "both", scheme="baseline")
