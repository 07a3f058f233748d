"""What a study shows on its page and terminal, of one trace and of several, on tables known of."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jsonschema
import polars as pl
import pytest

from charted import charts, keys
from slcache.documents import schemata
from slcache.study import page as pages
from slcache.study import show
from slcache.study.analysis import Analysis
from slcache.study.outcome import Outcome
from studies import analysis, grid, printed, row

EASY, HARD = "in/easy.csv", "in/hard.csv"
METRICS = ("waf", "read_p99_ns")
DEPTH = "host.queue_depth"


def additive(blocks: int, order: str, seed: int) -> dict[str, float | None]:
    """Two parameters that add up; seeds move the latency and not the amplification."""
    waf = 1.0 + 0.1 * blocks + (0.5 if order == "fifo" else 0.0)
    return {"waf": waf, "read_p99_ns": 1000.0 * (100 - blocks) + 1500.0 * seed * (blocks % 3)}


def test_page_and_document_hold_the_figures_whatever_the_names_are() -> None:
    table = grid({"s.blocks": [1, 2, 4], "s.order": ["fifo", "<b>"]}, additive, seeds=(1, 2, 3))
    lost = row({"s.blocks": 8, "s.order": "fifo"}, {"waf": None, "read_p99_ns": None})
    lost.update(status="impossible", reason="at most 7 <blocks>")
    quiet = row({"s.blocks": 4, "s.order": "fifo"}, {"waf": 1.9, "read_p99_ns": None}, seed=9)
    study = analysis([*table.to_dicts(), lost, quiet], *METRICS)
    page = pages.render(study, "a <study>", 'vary = "<x>"')
    assert "at most 7 &lt;blocks&gt;" in page
    assert "<b>" not in page
    assert len(charts(page)) >= 5
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


def test_a_front_has_the_metrics_that_all_have_and_those_asked_for_if_they_have_a_better() -> None:
    def figures(blocks: int, _: int) -> dict[str, float | None]:
        lifetime = None if blocks == 1 else 1e12 * blocks
        own = {"waf": 1.0 + blocks, "slc_bytes": 9.0 - blocks, "utilisation": 0.5 / blocks}
        return {**own, "lifetime_host_bytes": lifetime}

    outcome = Outcome.of(grid({"s.blocks": [1, 2, 4]}, figures))
    silent = Analysis.of(outcome)
    assert (list(silent.front.metrics), silent.front.left_out) == (["waf", "slc_bytes"], 0)
    assert "some configurations have none: lifetime_host_bytes" in printed(silent)
    asked = Analysis.of(outcome, ("waf", "slc_bytes", "lifetime_host_bytes"))
    assert asked.front.left_out == 1
    found = Analysis.of(outcome, ("waf", "utilisation"))
    assert list(found.front.metrics) == ["waf"]
    assert "neither less nor more is better: utilisation." in printed(found)


@pytest.mark.parametrize("status", ["failed", "done"])
def test_a_study_without_figures_says_so(status: str) -> None:
    rows = [row({"a": n}, {"waf": None}, status=status, reason="full") for n in (1, 2)]
    found = analysis(rows)
    assert f"2 {status}" in printed(found)
    assert "2 points" in pages.render(found, "none")


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        (["wav"], "did you mean waf"),
        (["energy_j"], "no column energy_j"),
        (["waf", "waf"], "metric: waf is given twice"),
    ],
)
def test_metrics_that_cannot_be_shown_are_told(metrics: list[str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        analysis(grid({"a": [1, 2]}, lambda a, _: {"waf": float(a)}), *metrics)


def figures(trace: str, blocks: int, seed: int) -> dict[str, float | None]:
    """On the easy trace small caches are best in all, on the hard one each is best in something.

    Of the hard trace's read latency, seeds change more than the number of blocks does.
    """
    if trace == EASY:
        return {"waf": 1.0 + 0.1 * blocks, "read_p99_ns": 1000.0 * blocks + seed}
    noise = 900.0 * seed * (1 if blocks == 2 else -1)
    return {"waf": 9.0 - blocks, "read_p99_ns": 1e6 + 10 * blocks + noise}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return grid({"trace": [EASY, HARD], "s.blocks": [1, 2, 4]}, figures, seeds=(1, 2, 3))


@pytest.fixture(scope="module")
def study(table: pl.DataFrame) -> Analysis:
    return analysis(table, *METRICS)


def test_each_trace_is_judged_as_if_it_were_alone(table: pl.DataFrame, study: Analysis) -> None:
    found = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert [each["trace"] for each in found["traces"]] == [EASY, HARD]
    for each in found["traces"]:
        single = analysis(table.filter(pl.col("trace") == each["trace"]), *METRICS).to_dict()
        assert each["front"] == single["front"]
        assert each["seeds"] == {name: single["metrics"][name]["seeds"] for name in METRICS}
    easy, hard = (each["front"]["configurations"] for each in found["traces"])
    assert [one["settings"] for one in easy] == [{"s.blocks": 1}]
    assert len(hard) > 1
    jsonschema.validate(found, schemata.schema("sweep-show"))
    both = found | {"front": found["traces"][0]["front"]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(both, schemata.schema("sweep-show"))
    assert all("seeds" not in found["metrics"][name] for name in METRICS)
    with pytest.raises(ValueError, match="2 traces"):
        _ = study.front
    front = show.sheets(study)[-2]
    assert front.columns[:3] == ["front", "trace", "s.blocks"]
    assert [(r["trace"], r["front"]) for r in front.records][:2] == [(EASY, 1), (HARD, 1)]
    # Effects are of all points: there the trace is a parameter.
    effects = {e["parameter"] for e in found["metrics"]["waf"]["effects"]}
    assert effects == {"trace", "s.blocks"}
    assert "cannot be chosen" in printed(study)
    page = pages.render(study, "two", "")
    for picture in ("Pareto front on", "read_p99_ns over the seeds on"):
        assert all(f"<h3>{picture} {name}</h3>" in page for name in ("easy.csv", "hard.csv"))


def of_loads(depths: Sequence[int], blocks: Sequence[int]) -> Analysis:
    """A short queue is faster whatever is chosen; on a long one more blocks are better."""

    def figure(depth: int, of: int, _: int) -> dict[str, float]:
        return {"waf": 1.0 + 0.1 * of, "write_p99_ns": 1e5 * depth - (depth - 1) * of}

    return analysis(grid({DEPTH: depths, "s.blocks": blocks}, figure))


def test_a_load_is_no_choice_but_in_a_search_that_varied_it() -> None:
    study = of_loads([1, 8], [2, 4, 6])
    assert [dict(each.load) for each in study.judged] == [{DEPTH: 1}, {DEPTH: 8}]
    short, long = (each.front for each in study.judged)
    assert [one.settings for one in short.best] == [{"s.blocks": 2}]
    assert [one.settings["s.blocks"] for one in long.best] == [6, 4, 2]
    found = study.to_dict()
    jsonschema.validate(found, schemata.schema("sweep-show"))
    assert [each["trace"] for each in found["traces"]] == ["queue_depth=1", "queue_depth=8"]
    assert "The nearest to the best on all 2 loads is " in printed(study)
    assert "Pareto front on queue_depth=8" in pages.render(study, "t")
    table = of_loads([1, 8], [2, 4]).outcome.frame.drop("#")
    (judged,) = Analysis.of(Outcome.of(table), ["waf"], {"waf": "min"}).judged
    assert len(judged.front.configurations) == 4


def test_a_trace_and_other_loads_are_told_together() -> None:
    levels: dict[str, Sequence[Any]] = {"trace": [EASY, HARD], DEPTH: [1, 8], "s.blocks": [2, 4]}
    study = analysis(grid(levels, lambda t, d, b, _: {"waf": len(t) + d / b}))
    wanted = [f"{trace}, queue_depth={depth}" for trace in (EASY, HARD) for depth in (1, 8)]
    assert [each.trace for each in study.judged] == wanted


@pytest.mark.parametrize(("depths", "blocks"), [(range(1, 9), [2]), ([1, 2, 4], [3])])
def test_where_each_load_has_one_configuration_there_is_no_front(
    depths: Sequence[int], blocks: Sequence[int]
) -> None:
    study = of_loads(depths, blocks)
    assert study.front.places == []
    assert f"No front: {DEPTH} is the load" in printed(study)
    assert study.judged[0].spreads["waf"].best is None
    jsonschema.validate(study.to_dict(), schemata.schema("sweep-show"))


def test_a_map_has_the_trace_only_beside_a_single_other_parameter(study: Analysis) -> None:
    beside = study.map("waf")
    assert beside is not None
    assert {beside.across, beside.up} == {"s.blocks", "trace"}

    def figure(trace: str, a: int, b: int, _: int) -> dict[str, float]:
        return {"waf": (100.0 if trace == HARD else 1.0) + a + 0.1 * b}

    levels: dict[str, list[Any]] = {"trace": [EASY, HARD], "a": [1, 2], "b": [1, 2, 3]}
    found = analysis(grid(levels, figure), "waf")
    assert found.effects["waf"][0].factor == "trace"
    among = found.map("waf")
    assert among is not None
    assert {among.across, among.up} == {"a", "b"}
    assert "the trace left aside" in pages.render(found, "", "")
    assert "left aside" not in pages.render(study, "", "")


def test_traces_of_one_name_keep_their_folders() -> None:
    table = grid({"trace": ["a/t.csv", "b/t.csv"], "n": [1, 2]}, lambda t, n, _: {"waf": 1.0 + n})
    told = printed(analysis(table, "waf"))
    assert "On a/t.csv:" in told
    assert "On b/t.csv:" in told
    # What is the same on each trace is said once.
    assert told.count("Each configuration has one seed") == 1


def test_a_trace_whose_points_all_failed_has_an_empty_front() -> None:
    rows = [row({"trace": EASY, "n": n}, {"waf": float(n)}) for n in (1, 2)]
    failed = {"status": "failed", "reason": "full"}
    rows += [row({"trace": HARD, "n": n}, {"waf": None}, **failed) for n in (1, 2)]
    study = analysis(rows)
    assert [len(each.front.places) for each in study.judged] == [1, 0]
    assert "no front: no point has all of these metrics" in pages.render(study, "half", "")


def test_a_front_is_of_the_metrics_that_its_trace_has() -> None:
    """Of the hard trace some runs cannot tell a lifetime, and there are no reads."""

    def lacking(trace: str, n: int, _: int) -> Mapping[str, float | None]:
        lifetime = None if trace == HARD and n == 1 else 1e12 * n
        reads = None if trace == HARD else 1000.0 * n
        return {"waf": 1.0 + n, "lifetime_host_bytes": lifetime, "read_p99_ns": reads}

    found = analysis(grid({"trace": [EASY, HARD], "n": [1, 2]}, lacking))
    easy, hard = (each.front for each in found.judged)
    assert set(easy.metrics) == {"read_p99_ns", "waf", "lifetime_host_bytes"}
    assert (list(hard.metrics), list(hard.without)) == (["waf"], ["read_p99_ns"])
    assert (list(hard.absent), hard.left_out) == (["lifetime_host_bytes"], 0)


def test_a_scheme_has_the_same_colour_on_all_traces() -> None:
    """The first scheme failed on the first trace."""
    schemes = ["sa", "sector", "hierarchy"]
    rows = [
        row({"trace": trace, "scheme": scheme}, {"waf": float(i)})
        for trace in (EASY, HARD)
        for i, scheme in enumerate(schemes, 1)
    ]
    rows[0].update(status="failed", reason="full", waf=None)
    page = pages.render(analysis(rows, "waf"), "", "")
    fronts = [chart for title, chart in charts(page).items() if title.startswith("Pareto front")]
    assert [keys(front) for front in fronts] == [["sector", "hierarchy", "sa"]] * 2


def test_many_traces_have_tables_but_not_all_have_pictures() -> None:
    traces = [f"t{i}" for i in range(pages.DRAWN + 1)]
    table = grid({"trace": traces, "n": [1, 2]}, lambda t, n, _: {"waf": 1.0 + n})
    page = pages.render(analysis(table, "waf"), "many", "")
    assert "Pictures are of the first 8 of 9 traces." in page
    assert "<h3>Pareto front on t7</h3>" in page
    assert "<h3>Pareto front on t8</h3>" not in page
    identifiers = re.findall(r'\bid="([^"]*)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert page.count("1 of 2 configurations are on the front") == len(traces)
