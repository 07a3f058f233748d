"""Pages that stay in their region, and data between regions that are cleaned together."""

from __future__ import annotations

from pathlib import Path

import slcache
from slcache import conformance as checking
from support import TINY_BYTES, Row, own_scheme, write_trace

#: Data on their way between two regions that share their blocks, and within one.
ROUND = """
    regions = {"cache": slcache.slc(), "hot": slcache.dense(), "cold": slcache.dense()}

    def reclaim(self, region, view):
        if view.free_blocks(region):
            return None
        return slcache.reclaim("hot", to="cold") if view.used_blocks("hot") > 6 else "hot"

    def idle(self, view):
        if view.used_blocks("hot") > 2:
            return slcache.reclaim("hot", to="cold")
        return slcache.reclaim("cold", to="cold")
"""


def test_emptying_a_region_that_is_cleaned_by_that_is_sound(tmp_path: Path) -> None:
    """Making room for what leaves a block may clean that block away."""
    outcome = checking.check(own_scheme(tmp_path, ROUND), cases=20)
    assert outcome.failure is None, outcome.failure


STAYS = """
    def reclaim(self, region, view):
        return slcache.reclaim() if view.free_blocks(region) <= 1 else None

    def destination(self, page, region, view):
        return "cache"

    def idle(self, view):
        return slcache.reclaim("cache", to="cache")
"""


def test_what_stays_is_counted_and_written_by_cleaning(tmp_path: Path, trace: Path) -> None:
    run = slcache.run(trace, device="tiny", scheme=own_scheme(tmp_path, STAYS)).documents[0]
    kept = run["scheme"]["figures"]["cache_pages_kept"]
    assert kept > 0
    assert run["scheme"]["figures"]["cache_pages_moved_out"] == 0
    cleaned = {op["kind"]: op for op in run["flash"]["ops"] if op["cause"] == "gc"}
    assert cleaned["program"]["pages"] == cleaned["read"]["pages"] == kept
    assert {op["mode"] for op in cleaned.values()} == {"slc"}
    assert not [op for op in run["flash"]["ops"] if op["cause"] == "migration"]


def test_a_pause_moves_nothing_in_a_circle(tmp_path: Path) -> None:
    """Where nothing is dead, nothing is won by moving it: the same run without pauses' work."""
    rows: list[Row] = [(20 * i, "Write", 16384 * i, 16384) for i in range(TINY_BYTES // 32768)]
    once = write_trace(tmp_path / "once.csv", rows)
    run = slcache.run(once, device="tiny", scheme=own_scheme(tmp_path, STAYS)).documents[0]
    assert "cache_pages_kept" not in run["scheme"]["figures"]
    assert run["scheme"]["figures"]["cache_pages_written"] > 0
