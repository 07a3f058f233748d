"""Claims about a measure over the whole of a grid, and lines drawn of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from slcache.reproduce import figures
from slcache.reproduce import plan as plans
from slcache.reproduce.claims import Claim
from slcache.reproduce.drawings import FigureSpec
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.lines import curve
from slcache.reproduce.table import Table
from slcache.reproduce.variants import Grid

SETTINGS = [0, 0.5, 1]
GRID, OTHER = (Grid(name, "baseline", {"r": SETTINGS}) for name in ("grid", "other"))

#: A figure by trace and seed over the settings: one trace rises steeply, one hardly falls.
CURVES = {
    "grid": {("up", 1): (10, 19, 40), ("up", 2): (10, 21, 60), ("flat", 1): (100, 99.5, 98.5)},
    "other": {("up", 1): (10, 10, 80), ("up", 2): (10, 10, 80), ("flat", 1): (50, 50, 50)},
}


def table(curves: dict[str, Any] = CURVES) -> Table:
    documents = {
        (trace, f"{name} {setting}", seed): {"scheme": {"figures": {"cost": cost}}}
        for name, of in curves.items()
        for (trace, seed), costs in of.items()
        for setting, cost in zip(SETTINGS, costs, strict=True)
    }
    one = {"scheme": {"figures": {"cost": 200.0}}}
    documents |= {(t, "alone", seed): one for t, seed in curves["grid"]}
    return Table(documents, "alone", ["up", "flat"], [GRID, OTHER])


def judge(kind: str, paper: Any, of: Table | None = None, **more: Any) -> Row:  # noqa: ANN401
    claim = Claim("x", "1", "text", kind, paper, measure="cost", scheme="grid", **more)
    return ledger([claim], {"": of or table()})[0]


@pytest.mark.parametrize(
    ("way", "trace", "verdict"),
    [
        ("up", "up", "reproduced"),
        ("down", "up", "not reproduced"),
        ("down", "flat", "reproduced"),
        ("up", "flat", "not reproduced"),
    ],
)
def test_a_curve_rises_or_falls(way: str, trace: str, verdict: str) -> None:
    assert judge("goes", "every trace", workloads=[trace], way=way).verdict == verdict


def test_a_curve_that_hardly_moves_neither_rises_nor_falls() -> None:
    flat = table({"grid": {("up", 1): (100.0, 100.2, 100.4)}, "other": {}})
    assert judge("goes", "every trace", flat).verdict == "not reproduced"
    assert judge("goes", "every trace", flat, way="down").verdict == "not reproduced"
    none = table({"grid": {("up", 1): (0.0, 0.0, 0.0)}, "other": {}})
    assert judge("goes", "every trace", none).verdict == "not reproduced"


def test_a_curve_with_a_step_back_goes_the_same_direction_only() -> None:
    bent = table({"grid": {("up", 1): (10.0, 9.0, 30.0)}, "other": {}})
    row = judge("goes", "every trace", bent)
    assert (row.ours, row.verdict) == ("0 of 1 traces", "same direction")
    assert judge("goes", "every trace", bent, points=[0.5, 1]).verdict == "reproduced"
    for last, verdict in ((101.0, "not reproduced"), (102.0, "same direction")):
        hardly = table({"grid": {("up", 1): (100.0, 90.0, last)}, "other": {}})
        assert judge("goes", "every trace", hardly).verdict == verdict


def test_some_of_the_traces_are_the_same_direction() -> None:
    row = judge("goes", "every trace")
    assert (row.ours, row.verdict) == ("1 of 2 traces", "same direction")


def test_a_swing_is_from_the_least_to_the_most() -> None:
    row = judge("value", 42, over="difference", workloads=["up"], tolerance=3)
    assert (row.ours, row.spread, row.verdict) == (40, [30, 50], "reproduced")
    assert (
        judge("value", 44, over="difference", workloads=["up"], tolerance=3).verdict
        == "not reproduced"
    )


def test_steady_and_widest_compare_the_ends_as_ratios() -> None:
    row = judge("bound", 5, over="ratio", workloads=["flat"])
    assert row.ours == pytest.approx(100 * (100 / 98.5 - 1))
    assert row.verdict == "consistent"
    assert judge("bound", 5, over="ratio").ours == pytest.approx(400)
    assert judge("widest", "up", over="ratio").verdict == "reproduced"
    assert judge("widest", "flat", over="ratio").ours == "up"
    assert judge("widest", "up", over="ratio", workloads=["up"]).verdict == "no data"


def test_where_a_measure_first_reaches_a_multiple() -> None:
    row = judge("reaches", 50, workloads=["up"], threshold=2, scale=100)
    assert (row.ours, row.spread, row.verdict) == (50, [50, 100], "reproduced")
    row = judge("reaches", 50, workloads=["up"], threshold=2.1, scale=100, tolerance=49)
    assert (row.ours, row.verdict) == (100, "not reproduced")
    row = judge("reaches", 50, workloads=["up"], threshold=6)
    assert (row.ours, row.verdict) == ("never: 5.00 at most", "not reproduced")


def test_a_range_is_over_traces_and_settings() -> None:
    row = judge("range", [-95, -50], against="alone", tolerance=1)
    assert (row.ours, row.verdict) == ([-95, -50], "reproduced")
    for least, verdict in ((-25.1, "same direction"), (-24.9, "not reproduced")):
        row = judge("range", [-99, least], against="alone", tolerance=1)
        assert row.verdict == verdict
    assert judge("range", [-95, 50], against="other").verdict == "not reproduced"


def test_grids_are_compared_point_by_point() -> None:
    # Against other: up 0, +100 and -37.5 %; flat +100, +99 and +97 %.
    row = judge("change", 20, workloads=["up"], against="other", tolerance=2)
    assert row.ours == pytest.approx(62.5 / 3)
    assert row.verdict == "reproduced"
    for paper, verdict in ((10.5, "same direction"), (10.4, "not reproduced")):
        row = judge("change", paper, workloads=["up"], against="other")
        assert row.verdict == verdict
    row = judge("change", -5, workloads=["up"], against="other", tolerance=99)
    assert row.verdict == "not reproduced"
    assert judge("change", "above", against="other").verdict == "reproduced"
    assert judge("change", "below", against="other").verdict == "not reproduced"
    row = judge("change", "below", workloads=["up"], against="other", points=[1])
    assert row.verdict == "reproduced"


def test_a_change_may_be_more_at_some_settings() -> None:
    row = judge("apart", "above", workloads=["up"], against="other", points=[0.5])
    assert row.ours == pytest.approx(100 + 37.5 / 2)
    assert row.verdict == "reproduced"
    row = judge("apart", "above", workloads=["up"], against="other", points=[1])
    assert row.verdict == "not reproduced"


def test_the_bound_holds_for_the_worst_trace_and_setting() -> None:
    assert judge("bound", 100).verdict == "consistent"
    assert judge("bound", 99).ours == 100
    assert judge("bound", 99).verdict == "not reproduced"


def test_one_grid_is_ahead_of_the_others() -> None:
    row = judge("ahead", "every trace", which="most", among=["grid", "other"])
    assert (row.ours, row.verdict) == ("1 of 2 traces", "same direction")
    assert row.detail["winners"] == {"up": ["other"], "flat": ["grid"]}
    row = judge("ahead", "every trace", which="least", among=["grid", "other"], workloads=["up"])
    assert row.verdict == "reproduced"


def test_ends_lie_below_the_middle() -> None:
    hill = table({"grid": {("up", 1): (1, 3, 2), ("flat", 1): (1, 3, 4)}, "other": {}})
    row = judge("ends-below", "every trace", hill)
    assert (row.ours, row.verdict) == ("1 of 2 traces", "same direction")


def test_a_peak_lies_between_two_settings() -> None:
    row = judge("optimum", [30, 70], which="most", scale=100, tolerance=30)
    assert row.detail["per_trace"] == {"up": 100, "flat": 0}
    assert row.verdict == "reproduced"
    row = judge("optimum", [30, 70], which="most", scale=100, tolerance=29)
    assert row.verdict == "not reproduced"


def test_traces_are_apart() -> None:
    assert judge("apart", "below", workloads=["up"]).verdict == "reproduced"
    assert judge("apart", "above", workloads=["up"]).verdict == "not reproduced"
    assert judge("apart", "below", workloads=["up", "flat"]).verdict == "no data"
    row = judge("apart", "below", workloads=["up"], against="other")
    assert row.detail["per_trace"] == pytest.approx({"up": 62.5 / 3, "flat": 296 / 3})


@pytest.mark.parametrize(
    ("kind", "paper"),
    [
        *(("change", 5), ("change", "above"), ("range", [0, 1]), ("value", 1), ("bound", 1)),
        *(("ahead", "every trace"), ("goes", "every trace"), ("above", "above there")),
        *(("ends-below", "every trace"), ("reaches", 1), ("widest", "c"), ("apart", "above")),
        *(("optimum", "every trace"), ("optimum", [0, 1]), ("optimum", 1)),
    ],
)
@pytest.mark.parametrize("over", ["", "difference", "ratio"])
def test_a_grid_that_was_not_run_says_nothing(kind: str, paper: Any, over: str) -> None:  # noqa: ANN401
    more: dict[str, Any] = {"against": "other", "among": ["grid", "other"], "points": [0.5]}
    row = judge(kind, paper, workloads=["c"], over=over, **more)
    assert (row.ours, row.verdict) == (None, "no data")


SPEC = FigureSpec(
    *("7", "lines-by-workload", "t"),
    measures=["cost"],
    names=["cost"],
    scheme="grid",
    relative_to="alone",
    times=100,
)


def test_a_line_is_relative_to_one_scheme_or_to_a_grid() -> None:
    assert curve(SPEC, table(), "cost", "grid", "up") == {0: 0.05, 0.5: 0.1, 1: 0.25}
    relative = replace(SPEC, relative_to="other")
    assert curve(relative, table(), "cost", "grid", "up", 1) == {0: 1, 0.5: 1.9, 1: 0.5}
    bare = replace(SPEC, relative_to="", per=10)
    assert curve(bare, table(), "cost", "grid", "up") == {0: 1, 0.5: 2, 1: 5}


@pytest.mark.parametrize(
    ("kind", "more", "panels", "lines"),
    [
        ("lines-by-workload", {}, 1, 2),
        ("lines-by-measure", {}, 2, 1),
        ("lines-by-grid", {"measure": "cost", "schemes": ["grid"]}, 2, 1),
    ],
)
def test_lines_are_drawn_over_the_sizes(
    kind: str, more: dict[str, Any], panels: int, lines: int
) -> None:
    figure = figures.draw(replace(SPEC, kind=kind, **more), plans.load("hyssd"), table())
    drawn = [axes for axes in figure.axes if axes.lines]
    assert len(drawn) == panels
    for axes in drawn:
        *curves, level = axes.lines
        assert len(curves) == lines
        assert list(curves[0].get_xdata()) == [0, 50, 100]  # type: ignore[arg-type]
        assert set(level.get_ydata()) == {1.0}  # type: ignore[arg-type]


@pytest.mark.parametrize(("cost", "scale"), [(49 * 50, "linear"), (51 * 50, "log")])
def test_lines_far_apart_are_drawn_over_logarithms(cost: float, scale: str) -> None:
    curves: dict[str, Any] = CURVES
    flat = {("flat", 1): (cost, cost, cost)}
    far = {name: of | flat for name, of in curves.items()}
    figure = figures.draw(replace(SPEC, relative_to=""), plans.load("hyssd"), table(far))
    assert figure.axes[0].get_yscale() == scale
