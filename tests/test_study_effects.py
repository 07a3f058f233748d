"""Main effects, and which configuration is good on all traces, on tables that are known."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from slcache.study import page as pages
from slcache.study import show
from slcache.study.analysis import Analysis
from slcache.study.effects import Effect, main_effects
from slcache.study.outcome import Setting
from studies import analysis, grid, printed, row

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


def test_a_full_grid_gives_each_effect_alone_the_largest_first() -> None:
    found = known_effects([(a, b) for b, a in itertools.product(B, A)])
    assert means(of(found, "a")) == pytest.approx({a: MEAN + add for a, add in A.items()})
    assert means(of(found, "b")) == pytest.approx({b: MEAN + add for b, add in B.items()})
    assert [(effect.factor, effect.balanced) for effect in found] == [("a", True), ("b", True)]
    assert [level.spread for level in of(found, "b").levels] == [
        pytest.approx((75, 90, 120, 135)), pytest.approx((65, 80, 110, 125)),
    ]  # fmt: skip


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


def test_too_few_points_have_no_effects() -> None:
    assert [main_effects({"a": [1] * count}, [1.0] * count) for count in (0, 1)] == [[], []]


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


def study(figures: Mapping[tuple[str, int], Figures] = KNOWN) -> Analysis:
    return analysis([row({"trace": t, "s.n": n}, values) for (t, n), values in figures.items()])


def test_worst_factors_are_those_of_the_definition_on_terminal_page_and_table() -> None:
    analysed = study()
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
    table = show.sheets(analysed)[-1]
    assert [each["s.n"] for each in table.records] == [2, 3, 1]
    assert table.records[0]["lifetime_host_bytes worst on"] == "d/hard"


def test_the_best_everywhere_is_called_so() -> None:
    table = grid({"trace": ["a", "b"], "n": [1, 2]}, lambda t, n, _: {"waf": n, "slc_bytes": n})
    told = printed(analysis(table))
    assert "The best on all 2 traces, in every metric, is n=1." in told
    assert "all, and each of them 1 1.00× 1.00×" in told


def test_a_metric_that_is_zero_or_missing_somewhere_has_no_factors() -> None:
    figures = {at: {**values, "slc_bytes": at[1] - 1.0} for at, values in KNOWN.items()}
    lost: Figures = {"waf": 90.0, "lifetime_host_bytes": None, "slc_bytes": 0.0}
    found = study({**figures, ("d/hard", 1): lost})
    assert list(found.across.metrics) == ["waf"]
    assert "No factors of what is 0 somewhere: slc_bytes." in printed(found)
    assert "some configurations have none of: lifetime_host_bytes." in printed(found)


def test_what_has_not_run_on_all_traces_is_counted() -> None:
    found = study({at: values for at, values in KNOWN.items() if at != ("d/hard", 2)})
    assert found.across.left_out == 1
    assert [one.settings["s.n"] for one in found.across.configurations] == [3, 1]
    assert "1 configuration without figures on all traces" in printed(found)
    one_each = {at: each for at, each in KNOWN.items() if (at[0] == "d/easy") == (at[1] < 3)}
    apart = study(one_each)
    assert "No configuration has figures on all traces." in printed(apart)
    assert apart.to_dict()["across_traces"]["configurations"] == []


def test_a_trace_on_which_nothing_differs_counts_as_run() -> None:
    same: Figures = {"waf": 5.0, "lifetime_host_bytes": 7.0}
    found = study({at: same if at[0] == "d/hard" else values for at, values in KNOWN.items()})
    assert found.across.left_out == 0
    assert found.across.configurations[0].settings == {"s.n": 1}


def test_one_trace_has_nothing_of_it() -> None:
    found = study({at: values for at, values in KNOWN.items() if at[0] == "d/easy"})
    assert "across_traces" not in found.to_dict()
    assert "On all traces" not in printed(found)
    assert "On all traces" not in pages.render(found, "", "")
    assert len(show.sheets(found)) == 3
