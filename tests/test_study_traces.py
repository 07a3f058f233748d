"""A study of several traces: what is best is judged on each trace by itself."""

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
from slcache.report import terminal as text_of
from slcache.study import page as pages
from slcache.study import show
from slcache.study.analysis import Analysis
from slcache.study.outcome import Outcome
from studies import grid, row, table_of

EASY, HARD = "in/easy.csv", "in/hard.csv"
METRICS = ("waf", "read_p99_ns")


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
    return Analysis.of(Outcome.of(table), METRICS)


def alone(table: pl.DataFrame, trace: str) -> dict[str, Any]:
    """Return what a study of this trace alone shows."""
    rows = [each for each in table.to_dicts() if each["trace"] == trace]
    return Analysis.of(Outcome.of(table_of(rows)), METRICS).to_dict()


def printed(study: Analysis) -> str:
    return " ".join(text_of.text(*show.parts(study)).split())


def test_each_trace_is_judged_as_if_it_were_alone(table: pl.DataFrame, study: Analysis) -> None:
    found = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert [each["trace"] for each in found["traces"]] == [EASY, HARD]
    for each in found["traces"]:
        single = alone(table, each["trace"])
        assert each["front"] == single["front"]
        assert each["seeds"] == {name: single["metrics"][name]["seeds"] for name in METRICS}
    easy, hard = (each["front"]["configurations"] for each in found["traces"])
    assert [one["settings"] for one in easy] == [{"s.blocks": 1}]
    assert len(hard) > 1
    assert "front" not in found
    jsonschema.validate(found, schemata.schema("sweep-show"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(
            found | {"front": found["traces"][0]["front"]}, schemata.schema("sweep-show")
        )
    assert all("seeds" not in found["metrics"][name] for name in METRICS)


DEPTH = "host.queue_depth"


def of_loads(depths: Sequence[int], blocks: Sequence[int]) -> Analysis:
    """A short queue is faster whatever is chosen; on a long one more blocks are better."""

    def figure(depth: int, of: int, _: int) -> dict[str, float]:
        return {"waf": 1.0 + 0.1 * of, "write_p99_ns": 1e5 * depth - (depth - 1) * of}

    return Analysis.of(Outcome.of(grid({DEPTH: depths, "s.blocks": blocks}, figure)))


def test_a_load_is_no_choice() -> None:
    study = of_loads([1, 8], [2, 4, 6])
    assert [dict(each.load) for each in study.judged] == [{DEPTH: 1}, {DEPTH: 8}]
    short, long = (each.front for each in study.judged)
    assert [one.settings for one in short.best] == [{"s.blocks": 2}]
    assert [one.settings["s.blocks"] for one in long.best] == [6, 4, 2]
    found = study.to_dict()
    jsonschema.validate(found, schemata.schema("sweep-show"))
    assert [each["trace"] for each in found["traces"]] == ["queue_depth=1", "queue_depth=8"]
    assert "On queue_depth=8: " in printed(study)
    assert "The nearest to the best on all 2 loads is " in printed(study)
    assert "Pareto front on queue_depth=8" in pages.render(study, "t")


def test_a_trace_and_other_loads_are_told_together() -> None:
    levels: dict[str, Sequence[Any]] = {"trace": [EASY, HARD], DEPTH: [1, 8], "s.blocks": [2, 4]}
    study = Analysis.of(Outcome.of(grid(levels, lambda t, d, b, _: {"waf": len(t) + d / b})))
    assert [each.trace for each in study.judged][:2] == [
        f"{EASY}, queue_depth=1",
        f"{EASY}, queue_depth=8",
    ]
    assert len(study.judged) == 4


@pytest.mark.parametrize(("depths", "blocks"), [(range(1, 9), [2]), ([1, 2, 4], [3])])
def test_where_each_load_has_one_configuration_there_is_no_front(
    depths: Sequence[int], blocks: Sequence[int]
) -> None:
    study = of_loads(depths, blocks)
    assert study.front.places == []
    assert f"No front: {DEPTH} is the load" in printed(study)
    assert study.judged[0].spreads["waf"].best is None
    jsonschema.validate(study.to_dict(), schemata.schema("sweep-show"))


def test_a_search_chooses_what_it_varied() -> None:
    table = of_loads([1, 8], [2, 4]).outcome.frame.drop("#")
    (judged,) = Analysis.of(Outcome.of(table), ["waf"], {"waf": "min"}).judged
    assert len(judged.front.configurations) == 4


def test_the_trace_stays_a_parameter_of_effects(study: Analysis) -> None:
    effects = {e["parameter"]: e for e in study.to_dict()["metrics"]["waf"]["effects"]}
    assert effects.keys() == {"trace", "s.blocks"}
    assert "cannot be chosen" in printed(study)


def test_a_map_has_the_trace_only_beside_a_single_other_parameter(study: Analysis) -> None:
    beside = study.map("waf")
    assert beside is not None
    assert {beside.across, beside.up} == {"s.blocks", "trace"}

    def figure(trace: str, a: int, b: int, _: int) -> dict[str, float]:
        return {"waf": (100.0 if trace == HARD else 1.0) + a + 0.1 * b}

    levels: dict[str, list[Any]] = {"trace": [EASY, HARD], "a": [1, 2], "b": [1, 2, 3]}
    found = Analysis.of(Outcome.of(grid(levels, figure)), ["waf"])
    assert found.effects["waf"][0].factor == "trace"
    among = found.map("waf")
    assert among is not None
    assert {among.across, among.up} == {"a", "b"}
    assert "lie furthest apart, the trace left aside; a cell" in pages.render(found, "", "")
    assert "left aside" not in pages.render(study, "", "")


def test_traces_of_one_name_keep_their_folders() -> None:
    table = grid({"trace": ["a/t.csv", "b/t.csv"], "n": [1, 2]}, lambda t, n, _: {"waf": 1.0 + n})
    told = printed(Analysis.of(Outcome.of(table), ["waf"]))
    assert "On a/t.csv:" in told
    assert "On b/t.csv:" in told
    assert told.count("Each configuration has one seed") == 1


def test_the_page_has_a_section_for_each_trace(study: Analysis) -> None:
    page = pages.render(study, "two", "")
    for name in ("easy.csv", "hard.csv"):
        assert f"<h3>Pareto front on {name}</h3>" in page
        assert f">On {name}</h2>" in page
        assert f"<h3>read_p99_ns over the seeds on {name}</h3>" in page
    assert "Pictures are of the first" not in page
    identifiers = re.findall(r'\bid="([^"]*)"', page)
    assert len(identifiers) == len(set(identifiers))


def test_a_trace_whose_points_all_failed_has_an_empty_front() -> None:
    rows = [row({"trace": EASY, "n": n}, {"waf": float(n)}) for n in (1, 2)]
    failed = {"status": "failed", "reason": "full"}
    rows += [row({"trace": HARD, "n": n}, {"waf": None}, **failed) for n in (1, 2)]
    study = Analysis.of(Outcome.of(table_of(rows)))
    assert [len(each.front.places) for each in study.judged] == [1, 0]
    assert "On hard.csv: Not in the front" in printed(study)
    assert "no front: no point has all of these metrics" in pages.render(study, "half", "")


def lacking(trace: str, n: int, _: int) -> Mapping[str, float | None]:
    """Of the hard trace some runs cannot tell a lifetime, and there are no reads."""
    lifetime = None if trace == HARD and n == 1 else 1e12 * n
    reads = None if trace == HARD else 1000.0 * n
    return {"waf": 1.0 + n, "lifetime_host_bytes": lifetime, "read_p99_ns": reads}


def test_a_front_is_of_the_metrics_that_its_trace_has() -> None:
    found = Analysis.of(Outcome.of(grid({"trace": [EASY, HARD], "n": [1, 2]}, lacking)))
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
    page = pages.render(Analysis.of(Outcome.of(table_of(rows)), ["waf"]), "", "")
    fronts = [chart for title, chart in charts(page).items() if title.startswith("Pareto front")]
    assert [keys(front) for front in fronts] == [["sector", "hierarchy", "sa"]] * 2


def test_no_single_front_is_made_of_several(study: Analysis) -> None:
    with pytest.raises(ValueError, match="2 traces"):
        _ = study.front


def test_tables_for_programs_name_the_trace(study: Analysis) -> None:
    front = show.sheets(study)[-2]
    assert front.columns[:3] == ["front", "trace", "s.blocks"]
    assert [(r["trace"], r["front"]) for r in front.records][:2] == [(EASY, 1), (HARD, 1)]


def test_many_traces_have_tables_but_not_all_have_pictures() -> None:
    traces = [f"t{i}" for i in range(pages.DRAWN + 1)]
    table = grid({"trace": traces, "n": [1, 2]}, lambda t, n, _: {"waf": 1.0 + n})
    page = pages.render(Analysis.of(Outcome.of(table), ["waf"]), "many", "")
    assert "Pictures are of the first 8 of 9 traces." in page
    assert ">On t8</h2>" in page
    assert "<h3>Pareto front on t8</h3>" not in page
    assert page.count("1 of 2 configurations are on the front") == len(traces)
