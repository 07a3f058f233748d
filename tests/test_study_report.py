"""What a study's report and its terminal page say, on tables of which it is known."""

from __future__ import annotations

import json
import re

import pytest

from charted import charts
from slcache.report import terminal as text_of
from slcache.study import page as pages
from slcache.study import show
from slcache.study.analysis import Analysis
from slcache.study.outcome import Outcome
from studies import grid, row, table_of

METRICS = ("waf", "read_p99_ns")


def additive(blocks: int, order: str, seed: int) -> dict[str, float | None]:
    """Two parameters that add up; seeds move the latency and not the amplification."""
    waf = 1.0 + 0.1 * blocks + (0.5 if order == "fifo" else 0.0)
    return {"waf": waf, "read_p99_ns": 1000.0 * (100 - blocks) + 1500.0 * seed * (blocks % 3)}


@pytest.fixture(scope="module")
def study() -> Analysis:
    table = grid({"s.blocks": [1, 2, 4], "s.order": ["fifo", "<b>"]}, additive, seeds=(1, 2, 3))
    lost = row({"s.blocks": 8, "s.order": "fifo"}, {"waf": None, "read_p99_ns": None})
    lost.update(status="impossible", reason="at most 7 <blocks>")
    quiet = row({"s.blocks": 4, "s.order": "fifo"}, {"waf": 1.9, "read_p99_ns": None}, seed=9)
    return Analysis.of(Outcome.of(table_of([*table.to_dicts(), lost, quiet])), METRICS)


def printed(study: Analysis) -> str:
    return " ".join(text_of.text(*show.parts(study)).split())


def test_the_page_is_whole_and_says_the_same(study: Analysis) -> None:
    page = pages.render(study, "a <study>", 'vary = "<x>"')
    assert "a &lt;study&gt;" in page
    assert "at most 7 &lt;blocks&gt;" in page
    assert "<b>" not in page
    assert not re.search(r"(src|href)=.http", page)
    assert len(charts(page)) >= 5
    assert "Pareto front" in page
    assert "waf over blocks and order" in page


def test_plain_data_hold_the_figures(study: Analysis) -> None:
    found = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert found["points"] == {"done": 19, "impossible": 1}
    assert found["metrics"]["read_p99_ns"]["points_without"] == 1
    effects = {e["parameter"]: e for e in found["metrics"]["waf"]["effects"]}
    means = [level["mean"] for level in effects["s.blocks"]["levels"]]
    assert means == pytest.approx([1.35, 1.45, 1.65])
    assert [effects[name]["balanced"] for name in ("s.blocks", "s.order")] == [True, True]
    front = [one["settings"]["s.blocks"] for one in found["front"]["configurations"]]
    # With the seeds, 2 blocks are slower than 1 and 4.
    assert sorted(front) == [1, 4]


def test_a_metric_that_some_lack_is_in_the_front_only_if_asked_for() -> None:
    def figures(blocks: int, _: int) -> dict[str, float | None]:
        lifetime = None if blocks == 1 else 1e12 * blocks
        return {"waf": 1.0 + blocks, "slc_bytes": 9.0 - blocks, "lifetime_host_bytes": lifetime}

    outcome = Outcome.of(grid({"s.blocks": [1, 2, 4]}, figures))
    silent = Analysis.of(outcome)
    assert (list(silent.front.metrics), silent.front.left_out) == (["waf", "slc_bytes"], 0)
    assert "some configurations have none: lifetime_host_bytes" in printed(silent)
    asked = Analysis.of(outcome, ("waf", "slc_bytes", "lifetime_host_bytes"))
    assert asked.front.left_out == 1


def test_a_metric_without_a_better_is_not_in_the_front() -> None:
    table = grid(
        {"s.blocks": [1, 2]}, lambda blocks, _: {"waf": blocks, "utilisation": 0.5 / blocks}
    )
    found = Analysis.of(Outcome.of(table), ("waf", "utilisation"))
    assert list(found.front.metrics) == ["waf"]
    told = printed(found)
    assert "neither less nor more is better: utilisation." in told
    assert "some configurations have none" not in told


@pytest.mark.parametrize("status", ["failed", "done"])
def test_a_study_without_figures_says_so(status: str) -> None:
    rows = [row({"a": n}, {"waf": None}, status=status, reason="full") for n in (1, 2)]
    found = Analysis.of(Outcome.of(table_of(rows)))
    assert f"2 {status}" in printed(found)
    assert "2 points" in pages.render(found, "none")


def test_an_unknown_metric_is_told() -> None:
    table = grid({"a": [1, 2]}, lambda a, _: {"waf": float(a)})
    with pytest.raises(ValueError, match="did you mean waf"):
        Analysis.of(Outcome.of(table), ["wav"])
    with pytest.raises(ValueError, match="no column energy_j"):
        Analysis.of(Outcome.of(table), ["energy_j"])
