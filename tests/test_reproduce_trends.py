"""Claims about a measure over the whole of a grid, and lines drawn of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from charted import axis, nodes, rows
from slcache.reproduce import figures
from slcache.reproduce import plan as plans
from slcache.reproduce.claims import Claim
from slcache.reproduce.figures import Drawing
from slcache.reproduce.ledger import Row, ledger
from slcache.reproduce.parts import FigureSpec, Grid
from slcache.reproduce.points import Table

SETTINGS = [0, 0.5, 1]
GRID, OTHER = (Grid(name, "baseline", {"r": SETTINGS}) for name in ("grid", "other"))

#: A figure by trace and seed over the settings: one trace rises steeply, one hardly falls.
CURVES = {
    "grid": {("up", 1): (10, 19, 40), ("up", 2): (10, 21, 60), ("flat", 1): (100, 99.5, 98.5)},
    "other": {("up", 1): (10, 10, 80), ("up", 2): (10, 10, 80), ("flat", 1): (50, 50, 50)},
}


def table(curves: dict[str, Any] = CURVES) -> Table:
    documents = {
        (trace, f"{name} {setting}", seed): {"scheme": {"figures": {"lifetime": cost}}}
        for name, of in curves.items()
        for (trace, seed), costs in of.items()
        for setting, cost in zip(SETTINGS, costs, strict=True)
    }
    one = {"scheme": {"figures": {"lifetime": 200.0}}}
    documents |= {(t, "alone", seed): one for t, seed in curves["grid"]}
    return Table(documents, "alone", ["up", "flat"], [GRID, OTHER])


def judge(function: str, paper: Any, *more: str, of: Table | None = None, **said: Any) -> Row:  # noqa: ANN401
    """Judge a function of the grid's figure, against further schemes, under keywords."""
    words = [
        *(f'"{scheme}"' for scheme in ("grid", *more)),
        *(f"{k}={v!r}" for k, v in said.items()),
    ]
    claim = Claim("x", "1", "text", paper, f"{function}(lifetime, {', '.join(words)})")
    return ledger([claim], {"": of or table()})[0]


@pytest.mark.parametrize(
    ("function", "trace", "verdict"),
    [
        ("rises", "up", "reproduced"),
        ("falls", "up", "not reproduced"),
        ("falls", "flat", "reproduced"),
        ("rises", "flat", "not reproduced"),
    ],
)
def test_a_curve_rises_or_falls(function: str, trace: str, verdict: str) -> None:
    assert judge(function, "every trace", on=[trace]).verdict == verdict


def test_a_curve_that_hardly_moves_neither_rises_nor_falls() -> None:
    flat = table({"grid": {("up", 1): (100.0, 100.2, 100.4)}, "other": {}})
    none = table({"grid": {("up", 1): (0.0, 0.0, 0.0)}, "other": {}})
    for function, of in (("rises", flat), ("falls", flat), ("rises", none)):
        assert judge(function, "every trace", of=of).verdict == "not reproduced"


def test_a_curve_with_a_step_back_goes_the_same_direction_only() -> None:
    bent = table({"grid": {("up", 1): (10.0, 9.0, 30.0)}, "other": {}})
    row = judge("rises", "every trace", of=bent)
    assert (row.ours, row.verdict) == ("0 of 1 traces", "same direction")
    assert judge("rises", "every trace", of=bent, at=[0.5, 1]).verdict == "reproduced"
    for last, verdict in ((101.0, "not reproduced"), (102.0, "same direction")):
        hardly = table({"grid": {("up", 1): (100.0, 90.0, last)}, "other": {}})
        assert judge("rises", "every trace", of=hardly).verdict == verdict


def test_some_of_the_traces_are_the_same_direction() -> None:
    row = judge("rises", "every trace")
    assert (row.ours, row.verdict) == ("1 of 2 traces", "same direction")


def test_a_span_is_from_the_least_to_the_most() -> None:
    row = judge("span", "42 ± 3", on=["up"])
    assert (row.ours, row.spread, row.verdict) == (40, [30, 50], "reproduced")
    assert judge("span", "44 ± 3", on=["up"]).verdict == "not reproduced"


def test_steady_and_widest_compare_the_ends_as_ratios() -> None:
    row = judge("swing", "at most 5", on=["flat"])
    assert row.ours == pytest.approx(100 * (100 / 98.5 - 1))
    assert row.verdict == "consistent"
    assert judge("swing", "at most 5").ours == pytest.approx(400)
    assert judge("widest", "up").verdict == "reproduced"
    assert judge("widest", "flat").ours == "up"
    assert judge("widest", "up", on=["up"]).verdict == "no data"


def test_where_a_measure_first_reaches_a_multiple() -> None:
    row = judge("100 * reaches", 50, on=["up"], times=2)
    assert (row.ours, row.spread, row.verdict) == (50, [50, 100], "reproduced")
    row = judge("100 * reaches", "50 ± 49", on=["up"], times=2.1)
    assert (row.ours, row.verdict) == (100, "not reproduced")
    row = judge("100 * reaches", 50, on=["up"], times=6)
    assert (row.ours, row.verdict) == ("never: 5.00 at most", "not reproduced")


def test_a_range_is_over_traces_and_settings() -> None:
    row = judge("ends", "-95 to -50 ± 1", "alone")
    assert (row.ours, row.verdict) == ([-95, -50], "reproduced")
    for least, verdict in ((-25.1, "same direction"), (-24.9, "not reproduced")):
        assert judge("ends", f"-99 to {least} ± 1", "alone").verdict == verdict
    assert judge("ends", "-95 to 50", "other").verdict == "not reproduced"


def test_grids_are_compared_point_by_point() -> None:
    # Against other: up 0, +100 and -37.5 %; flat +100, +99 and +97 %.
    row = judge("change", "20 ± 2", "other", on=["up"])
    assert row.ours == pytest.approx(62.5 / 3)
    assert row.verdict == "reproduced"
    for paper, verdict in (("10.5", "same direction"), ("10.4", "not reproduced")):
        assert judge("change", paper, "other", on=["up"]).verdict == verdict
    assert judge("change", "-5 ± 99", "other", on=["up"]).verdict == "not reproduced"
    assert judge("change", "above", "other").verdict == "reproduced"
    assert judge("change", "below", "other").verdict == "not reproduced"
    assert judge("change", "below", "other", on=["up"], at=[1]).verdict == "reproduced"


def test_a_change_may_be_more_at_some_settings() -> None:
    row = judge("more_there", "above", "other", on=["up"], at=[0.5])
    assert row.ours == pytest.approx(100 + 37.5 / 2)
    assert row.verdict == "reproduced"
    assert judge("more_there", "above", "other", on=["up"], at=[1]).verdict == "not reproduced"


def test_the_bound_holds_for_the_worst_trace_and_setting() -> None:
    assert judge("largest", "at most 100").verdict == "consistent"
    assert judge("largest", "at most 99").ours == 100
    assert judge("largest", "at most 99").verdict == "not reproduced"


def test_one_grid_is_ahead_of_the_others() -> None:
    row = judge("most", "every trace", among=["grid", "other"])
    assert (row.ours, row.verdict) == ("1 of 2 traces", "same direction")
    assert row.detail["winners"] == {"up": ["other"], "flat": ["grid"]}
    row = judge("least", "every trace", among=["grid", "other"], on=["up"])
    assert row.verdict == "reproduced"


def test_ends_lie_below_the_middle() -> None:
    hill = table({"grid": {("up", 1): (1, 3, 2), ("flat", 1): (1, 3, 4)}, "other": {}})
    row = judge("ends_below", "every trace", of=hill)
    assert (row.ours, row.verdict) == ("1 of 2 traces", "same direction")


def test_a_peak_lies_between_two_settings() -> None:
    row = judge("peak", "30 to 70 ± 30", times=100)
    assert row.detail["per_trace"] == {"up": 100, "flat": 0}
    assert row.verdict == "reproduced"
    assert judge("peak", "30 to 70 ± 29", times=100).verdict == "not reproduced"


def test_traces_are_apart() -> None:
    assert judge("apart", "below", on=["up"]).verdict == "reproduced"
    assert judge("apart", "above", on=["up"]).verdict == "not reproduced"
    assert judge("apart", "below", on=["up", "flat"]).verdict == "no data"
    row = judge("apart", "below", "other", on=["up"])
    assert row.detail["per_trace"] == pytest.approx({"up": 62.5 / 3, "flat": 296 / 3})


@pytest.mark.parametrize(
    ("function", "paper", "more"),
    [
        *(("change", 5, "other"), ("change", "above", "other"), ("ends", "0 to 1", "other")),
        *(("ends", "0 to 1", ""), ("largest", 1, ""), ("span", 1, ""), ("swing", "at most 1", "")),
        *(("total", 0, ""), ("rises", "every trace", ""), ("above", "above there", "")),
        *(("ends_below", "every trace", ""), ("widest", "c", ""), ("apart", "above", "")),
        *(("valley", "every trace", ""), ("peak", "0 to 1", ""), ("where_least", 1, "")),
        *(("falls", "at every step", "other"), ("up_on", "1 to 2", "other")),
    ],
)
def test_a_grid_that_was_not_run_says_nothing(function: str, paper: Any, more: str) -> None:  # noqa: ANN401
    row = judge(function, paper, *([more] if more else []), on=["c"])
    assert (row.ours, row.verdict) == (None, "no data")


SPEC = FigureSpec(
    *("7", "lines-by-workload", "t"),
    measures=["lifetime"],
    names=["lifetime"],
    scheme="grid",
    relative_to="alone",
    times=100,
)


def test_a_line_is_relative_to_one_scheme_or_to_a_grid() -> None:
    plan, of = plans.load("hyssd"), ("lifetime", "grid", "up")
    assert Drawing(SPEC, plan, table()).curve(*of) == {0: 0.05, 0.5: 0.1, 1: 0.25}
    relative = replace(SPEC, relative_to="other")
    assert Drawing(relative, plan, table()).curve(*of, 1) == {0: 1, 0.5: 1.9, 1: 0.5}
    bare = replace(SPEC, relative_to="", per=10)
    assert Drawing(bare, plan, table()).curve(*of) == {0: 1, 0.5: 2, 1: 5}


@pytest.mark.parametrize(
    ("kind", "more", "panels", "lines"),
    [
        ("lines-by-workload", {}, 1, 2),
        ("lines-by-measure", {}, 2, 1),
        ("lines-by-grid", {"measure": "lifetime", "schemes": ["grid"]}, 2, 1),
    ],
)
def test_lines_are_drawn_over_the_sizes(
    kind: str, more: dict[str, Any], panels: int, lines: int
) -> None:
    figure = figures.draw(replace(SPEC, kind=kind, **more), plans.load("hyssd"), table())
    assert len(figure["concat"]) == panels
    for panel in figure["concat"]:
        found = [row for row in rows(panel) if "key" in row]
        assert len({row["key"] for row in found}) == lines
        assert [row["x"] for row in found[:3]] == [0, 50, 100]
        assert {"datum": 1.0} in [node.get("encoding", {}).get("y") for node in nodes(panel)]


@pytest.mark.parametrize(("cost", "scale"), [(49 * 50, None), (51 * 50, "log")])
def test_lines_far_apart_are_drawn_over_logarithms(cost: float, scale: str | None) -> None:
    curves: dict[str, Any] = CURVES
    flat = {("flat", 1): (cost, cost, cost)}
    far = {name: of | flat for name, of in curves.items()}
    figure = figures.draw(replace(SPEC, relative_to=""), plans.load("hyssd"), table(far))
    assert axis(figure["concat"][0], "y")["scale"].get("type") == scale
