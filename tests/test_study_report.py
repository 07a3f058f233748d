"""What a study shows on its page and terminal, of one trace and of several, on tables known of."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.text import Text

from charted import charts, keys
from slcache.study import page as pages
from slcache.study import show
from slcache.study.analysis import Analysis, Effect, main_effects
from slcache.study.outcome import Outcome, Setting
from slcache.tables.table import Table
from studies import analysis, grid, printed, row
from support import validator

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
    assert Analysis.of(outcome, ("waf", "slc_bytes", "lifetime_host_bytes")).front.left_out == 1
    found = Analysis.of(outcome, ("waf", "utilisation"))
    assert list(found.front.metrics) == ["waf"]
    assert "neither less nor more is better: utilisation." in printed(found)


@pytest.mark.parametrize("status", ["failed", "done"])
def test_a_study_without_figures_says_so(status: str) -> None:
    found = analysis([row({"a": n}, {"waf": None}, status=status, reason="full") for n in (1, 2)])
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
    validator("sweep-show").validate(found)
    both = found | {"front": found["traces"][0]["front"]}
    assert not validator("sweep-show").is_valid(both)
    assert all("seeds" not in found["metrics"][name] for name in METRICS)
    with pytest.raises(ValueError, match="2 traces"):
        _ = study.front
    tables = [part for part in show.parts(study) if isinstance(part, Table)]
    fronts = [table for table in tables if "front" in table.keys]
    assert [table.keys[:3] for table in fronts] == [["front", "trace", "s.blocks"]] * 2
    first = [table.records[0] for table in fronts]
    assert [(row["trace"], row["front"]) for row in first] == [(EASY, 1), (HARD, 1)]
    # Effects are of all points: there the trace is a parameter.
    assert {e["parameter"] for e in found["metrics"]["waf"]["effects"]} == {"trace", "s.blocks"}
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
    validator("sweep-show").validate(found)
    assert [each["trace"] for each in found["traces"]] == ["queue_depth=1", "queue_depth=8"]
    assert "The nearest to the best on both loads is " in printed(study)
    assert "Pareto front on queue_depth=8" in pages.render(study, "t")
    table = of_loads([1, 8], [2, 4]).outcome.frame.drop("#")
    (judged,) = Analysis.of(Outcome.of(table), ["waf"], {"waf": "min"}).judged
    assert len(judged.front.configurations) == 4
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
    validator("sweep-show").validate(study.to_dict())


def answered(study: Analysis) -> tuple[list[list[str]], list[str]]:
    """Return the points of an answer as they are printed, and its sentences."""
    headline, *told = show.brief(study)
    (table,) = (part for part in told if isinstance(part, Table))
    lines = [part.plain for part in told if isinstance(part, Text)]
    assert headline.plain.startswith(f"{study.outcome.frame.height} points: ")
    assert lines.pop().startswith("--explain prints more")
    assert len(lines) <= 5
    return [[cell.plain for cell in row] for row in table.rows], lines


def test_an_answer_is_the_points_the_best_of_each_load_and_five_sentences(study: Analysis) -> None:
    rows, told = answered(study)
    assert [(row[0], row[1]) for row in rows] == [(n, t) for t in (EASY, HARD) for n in "123"]
    assert told[0] == "The best by waf: on easy.csv blocks=1 (1.100); on hard.csv blocks=4 (5)."
    # What is best of every load is told once.
    same = analysis(
        grid({DEPTH: [1, 8], "n": [1, 2]}, lambda depth, n, _: {"waf": depth * n}), "waf"
    )
    assert answered(same)[1][0] == "The best by waf: on both loads n=1 (1 to 8)."

    # What knew the trace is no choice, which is said.
    names = ["baseline", "turbo-write", "bypass-oracle:slc_blocks=3"]
    found = analysis(grid({"scheme": names}, lambda of, seed: {"waf": seed / len(of)}, (1, 2)))
    rows, told = answered(found)
    assert told[0].startswith("The best by waf: scheme=turbo-write (0.136")
    assert told[1] == "bypass-oracle:slc_blocks=3 knew the trace: a yardstick, and no choice."
    assert told[1] in printed(found)
    assert [row[1] for row in rows] == ["turbo-write", "baseline", "bypass-oracle:slc_blocks=3"]

    # Nor is a best hidden that seeds do not tell from others.
    def noisy(depth: int, n: int, seed: int) -> dict[str, float]:
        return {"waf": depth + 0.01 * n + (0.5 * ((seed * n) % 3) if depth == 8 else 1e-4 * seed)}

    both = grid({DEPTH: [1, 8], "n": [1, 2]}, noisy, seeds=(1, 2, 3))
    assert answered(analysis(both, "waf"))[1][0] == (
        "The best by waf: on both loads n=1 (1.010 to 8.510, not told from others by seeds on 1)."
    )
    alone = answered(analysis(both.filter(pl.col(DEPTH) == 8), "waf"))[1][0]
    assert "not told from 1 of 1 by seeds)" in alone
    rows, told = answered(of_loads([1, 8], [2, 4, 6]))
    assert [row[:3] for row in rows] == [
        *(["1", "1", "2"], ["2", "1", "4"], ["3", "1", "6"]),
        *(["1", "8", "6"], ["2", "8", "4"], ["3", "8", "2"]),
    ]
    # Of a load's single configuration there is no best, nor where none has a figure.
    rows, told = answered(of_loads(range(1, 9), [2]))
    assert [row[0] for row in rows] == list("12345678")
    rows, told = answered(analysis(grid({"a": [3, 1]}, lambda *_: {"waf": None}), "waf"))
    assert [row[0] for row in rows] == ["3", "1"]
    assert told == [
        "waf: 2 of the 2 points that are done have no value and are not in its figures."
    ]
    # Of many loads the first points, of many reasons the first.
    rows, told = answered(of_loads(range(1, 17), range(1, 9)))
    assert [row[0] for row in rows] == [*"123"] * 16
    lost = [row({"a": n}, {"waf": None}, status="failed", reason=f"r{n}") for n in range(9)]
    done = [row({"a": n}, {"waf": 1.0}) for n in (9, 10)]
    rows, told = answered(analysis([*lost, *done], "waf"))
    assert told == [f"1 failed: r{n}" for n in range(3)] + [
        "6 more reasons",
        "The best by waf: all alike (1).",
    ]


def test_no_table_is_shown_twice_nor_empty() -> None:
    """A study of one parameter has its points once, and one without figures no effects."""
    for levels in ({"a": [1, 2, 3, 4]}, {"a": [1, 2, 3, 4], "b": [1, 2]}):
        for figure in (lambda a, *_: {"waf": 1.5 * a}, lambda *_: {"waf": None}):
            parts = show.parts(analysis(grid(levels, figure), "waf"))
            rows = [[row[1:] for row in part.rows] for part in parts if isinstance(part, Table)]
            assert all(rows)
            assert all(one not in rows[:i] for i, one in enumerate(rows))


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


def test_traces_of_one_name_keep_their_folders_and_failed_ones_have_no_front() -> None:
    table = grid({"trace": ["a/t.csv", "b/t.csv"], "n": [1, 2]}, lambda t, n, _: {"waf": 1.0 + n})
    told = printed(analysis(table, "waf"))
    assert "On a/t.csv:" in told
    assert "On b/t.csv:" in told
    # What is the same on each trace is said once.
    assert told.count("Each configuration has one seed") == 1
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
    assert page.count("1 of 2 configurations is on the front") == len(traces)


A = {1: 0.0, 2: 30.0, 4: -30.0}
B = {"fifo": 5.0, "greedy": -5.0}
MEAN = 100.0


def of(found: Sequence[Effect], factor: str) -> Effect:
    return next(effect for effect in found if effect.factor == factor)


def means(effect: Effect) -> dict[object, float]:
    return {level.low: level.mean for level in effect.levels}


def known_effects(pairs: Sequence[tuple[int, str]]) -> list[Effect]:
    columns: dict[str, Sequence[Setting]] = {"a": [a for a, _ in pairs], "b": [b for _, b in pairs]}
    return main_effects(columns, [MEAN + A[a] + B[b] for a, b in pairs])


def test_a_full_grid_gives_each_effect_alone_and_too_few_points_none() -> None:
    found = known_effects([(a, b) for b, a in itertools.product(B, A)])
    assert means(of(found, "a")) == pytest.approx({a: MEAN + add for a, add in A.items()})
    assert means(of(found, "b")) == pytest.approx({b: MEAN + add for b, add in B.items()})
    assert [(effect.factor, effect.balanced) for effect in found] == [("a", True), ("b", True)]
    assert [level.spread for level in of(found, "b").levels] == [
        pytest.approx((75, 90, 120, 135)), pytest.approx((65, 80, 110, 125)),
    ]  # fmt: skip
    assert [main_effects({"a": [1] * count}, [1.0] * count) for count in (0, 1)] == [[], []]


def test_missing_points_leave_others_in_the_means_which_is_told() -> None:
    pairs = [p for p in itertools.product(A, B) if p not in ((4, "fifo"), (1, "greedy"))]
    found = known_effects(pairs)
    assert [effect.balanced for effect in found] == [False, False]
    # Of the points as they are, 25 apart instead of 10.
    assert means(of(found, "b")) == pytest.approx({"fifo": MEAN + 20, "greedy": MEAN - 5})
    rows = [row({"a": a, "b": b}, {"waf": MEAN + A[a] + B[b]}) for a, b in pairs]
    (said,) = show.means(analysis(rows, "waf"))
    assert said.endswith("effects of other parameters are in the means of a and b.")


def test_parameters_that_change_together_are_not_balanced() -> None:
    columns: dict[str, Sequence[Setting]] = {
        "a": [1, 2, 3] * 4,
        "b": ["x", "y", "z"] * 4,
        "c": [1, 2] * 6,
    }
    found = main_effects(columns, [float(i % 3) for i in range(12)])
    assert [of(found, name).balanced for name in "abc"] == [False, False, True]
    assert means(of(found, "a")) == pytest.approx({1: 0.0, 2: 1.0, 3: 2.0})
    assert means(of(found, "c")) == pytest.approx({1: 1.0, 2: 1.0})


def test_schemes_with_keys_of_their_own_are_compared_over_the_same_loads() -> None:
    """A scheme with more points does not bend what a load that all of them have does."""
    loads = (1, 2)
    points: list[tuple[str, int | None, int]]
    points = [("cached", b, t) for b in (1, 2, 3) for t in loads]
    points += [("plain", None, t) for t in loads]
    columns: dict[str, Sequence[Setting]] = {
        "scheme": [s for s, _, _ in points],
        "blocks": [b for _, b, _ in points],
        "load": [t for _, _, t in points],
    }
    found = main_effects(columns, [(b or 9) * 10.0**t for _, b, t in points])
    assert all(effect.balanced for effect in found)
    assert means(of(found, "load")) == pytest.approx({1: 37.5, 2: 375.0})


def test_a_slope_over_many_values_is_seen_in_ranges() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.random(600), rng.random(600)
    columns: dict[str, Sequence[Setting]] = {"a": a.tolist(), "b": b.tolist()}
    found = main_effects(columns, (10 * a + 2 * b).tolist())
    assert all(effect.ranges and not effect.balanced for effect in found)
    effect = of(found, "a")
    for level in effect.levels:
        assert level.mean == pytest.approx(10 * level.place + 2 * b.mean(), abs=0.15)
    assert sum(level.count for level in effect.levels) == 600


def test_a_parameter_of_some_points_is_judged_among_them() -> None:
    columns: dict[str, Sequence[Setting]] = {
        "scheme": ["plain", "plain", "cached", "cached", "cached", "cached"],
        "blocks": [None, None, 1, 2, 1, 2],
        "load": [1, 2, 1, 1, 2, 2],
    }
    found = main_effects(columns, [50.0, 52.0, 10.0, 20.0, 12.0, 22.0])
    blocks = of(found, "blocks")
    assert means(blocks) == pytest.approx({1: 11.0, 2: 21.0})
    assert blocks.absent == 2
    assert means(of(found, "scheme")) == pytest.approx({"plain": 51.0, "cached": 16.0})
    assert means(of(found, "load"))[2] - means(of(found, "load"))[1] == pytest.approx(2.0)


Figures = Mapping[str, float | None]
#: By trace and configuration: less waf is better, more lifetime is.
KNOWN: dict[tuple[str, int], Figures] = {
    ("d/easy", 1): {"waf": 1.0, "lifetime_host_bytes": 100.0},
    ("d/easy", 2): {"waf": 1.2, "lifetime_host_bytes": 80.0},
    ("d/easy", 3): {"waf": 2.0, "lifetime_host_bytes": 99.0},
    ("d/hard", 1): {"waf": 90.0, "lifetime_host_bytes": 1.0},
    ("d/hard", 2): {"waf": 33.0, "lifetime_host_bytes": 3.0},
    ("d/hard", 3): {"waf": 30.0, "lifetime_host_bytes": 4.0},
}


def known(figures: Mapping[tuple[str, int], Figures] = KNOWN) -> Analysis:
    return analysis([row({"trace": t, "s.n": n}, values) for (t, n), values in figures.items()])


def test_worst_factors_are_those_of_the_definition_and_one_trace_has_none() -> None:
    analysed = known()
    found = json.loads(json.dumps(analysed.to_dict(), allow_nan=False))["across_traces"]
    assert set(found["metrics"]) == {"waf", "lifetime_host_bytes"}
    worst = {one["settings"]["s.n"]: one["worst"] for one in found["configurations"]}
    # The one that is at most 1.33 times from the best comes first.
    assert list(worst) == [2, 3, 1]
    assert worst[2]["waf"] == {"factor": pytest.approx(1.2), "trace": "d/easy"}
    assert worst[2]["lifetime_host_bytes"] == {"factor": pytest.approx(4 / 3), "trace": "d/hard"}
    assert worst[3]["lifetime_host_bytes"]["factor"] == pytest.approx(100 / 99)
    assert worst[1]["lifetime_host_bytes"] == {"factor": 4.0, "trace": "d/hard"}
    told = printed(analysed)
    assert "is n=2: at worst 1.33×, in lifetime_host_b" in told
    assert "all, waf 2 1.20× 1.33×" in told
    assert "lifetime_host_bytes 3 2.00× 1.01×" in told
    assert "<td>1.33×</td>" in pages.render(analysed, "", "")
    table = [part for part in show.parts(analysed) if isinstance(part, Table)][-1]
    assert [each["s.n"] for each in table.records] == [2, 3, 1]
    assert table.records[0]["lifetime_host_bytes worst on"] == "d/hard"
    found = known({at: values for at, values in KNOWN.items() if at[0] == "d/easy"})
    assert "across_traces" not in found.to_dict()
    assert "On all traces" not in printed(found)
    assert "On all traces" not in pages.render(found, "", "")
    assert sum(isinstance(part, Table) for part in show.parts(found)) == 2


def test_the_best_everywhere_is_called_so() -> None:
    table = grid({"trace": ["a", "b"], "n": [1, 2]}, lambda t, n, _: {"waf": n, "slc_bytes": n})
    told = printed(analysis(table))
    assert "The best on both traces, in every metric, is n=1." in told
    assert "all, and each of them 1 1.00× 1.00×" in told
    figures = {at: {**values, "slc_bytes": at[1] - 1.0} for at, values in KNOWN.items()}
    lost: Figures = {"waf": 90.0, "lifetime_host_bytes": None, "slc_bytes": 0.0}
    found = known({**figures, ("d/hard", 1): lost})
    assert list(found.across.metrics) == ["waf"]
    assert "No factors of what is 0 somewhere: slc_bytes." in printed(found)
    assert "some configurations have none of: lifetime_host_bytes." in printed(found)


def test_what_has_not_run_on_all_traces_is_counted_and_what_differs_in_nothing_has() -> None:
    found = known({at: values for at, values in KNOWN.items() if at != ("d/hard", 2)})
    assert found.across.left_out == 1
    assert [one.settings["s.n"] for one in found.across.configurations] == [3, 1]
    assert "1 configuration without figures on all traces" in printed(found)
    apart = known({at: each for at, each in KNOWN.items() if (at[0] == "d/easy") == (at[1] < 3)})
    assert "No configuration has figures on all traces." in printed(apart)
    assert apart.to_dict()["across_traces"]["configurations"] == []
    same: Figures = {"waf": 5.0, "lifetime_host_bytes": 7.0}
    found = known({at: same if at[0] == "d/hard" else values for at, values in KNOWN.items()})
    assert found.across.left_out == 0
    assert found.across.configurations[0].settings == {"s.n": 1}
