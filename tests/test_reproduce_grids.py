"""Grids: where a setting is best, what is picked from them, learning beside it, and figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from charted import axis, nodes, rows
from slcache.reproduce import figures, optima
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import pick
from slcache.reproduce.figures import Drawing
from slcache.reproduce.optima import Optima
from slcache.reproduce.parts import FigureSpec, Grid, Pick, Yardstick
from slcache.reproduce.points import Key, Table

GRID = Grid("static", "baseline", {"u": [0.1, 0.5, 0.9]})

#: A figure by trace and seed, over the three settings of the grid: the optimum of the means lies
#: in the middle on a, although one seed has it at the end, and at the first setting on b.
CURVES = {
    ("a", 1): (9.0, 4.0, 6.0),
    ("a", 2): (9.0, 5.0, 4.9),
    ("b", 1): (2.0, 3.0, 8.0),
    ("b", 2): (2.0, 3.0, 8.0),
}


def document(**scheme_figures: float) -> dict[str, Any]:
    """Return the parts of a result that the figures are read from."""
    return {"scheme": {"figures": scheme_figures, "series": []}}


def table() -> Table:
    names = [variant.name for variant in GRID.variants]
    documents = {
        (trace, name, seed): document(lifetime=cost, model_optimum=0.4)
        for (trace, seed), costs in CURVES.items()
        for name, cost in zip(names, costs, strict=True)
    }
    documents |= {
        (trace, "own", seed): document(lifetime=5.0, fast_share=0.45) for trace, seed in CURVES
    }
    return Table(documents, "own", ["a", "b"], [GRID])


def test_paper_simulation_model_and_scheme_stand_side_by_side() -> None:
    spec = Optima(
        *(["p"], "static", "lifetime", "least", "own", "fast_share", "model_optimum"),
        paper={"p": {"a": 0.9}},
    )
    first, second = optima.study([spec], {"p": table()})
    assert (first["workload"], first["paper"], first["ours"]) == ("a", 0.9, 0.5)
    assert (first["spread"], first["near"]) == ([0.5, 0.9], [0.5, 0.5])
    assert (first["predicted"], first["chosen"]) == pytest.approx((0.4, 0.45))
    assert first["paper_worse"] == pytest.approx(5.45 / 4.5 - 1)
    assert first["adaptive_worse"] == pytest.approx(5.0 / 4.5 - 1)
    assert (second["paper"], second["paper_worse"], second["ours"]) == (None, None, 0.1)
    # Of a measure that should be large less is worse.
    (line, _) = optima.study([replace(spec, which="most")], {"p": table()})
    assert line["ours"] == 0.1
    assert line["adaptive_worse"] == pytest.approx(1 - 5.0 / 9.0)
    documents: dict[Any, Any] = dict(table().documents)
    best = Pick("best", ["p"], "lifetime", "least", grid="static")
    pick(best, documents, documents, [variant.name for variant in GRID.variants])
    shown = {seed: documents["a", "best", seed] for seed in (1, 2)}
    assert [shown[seed]["scheme"]["figures"]["lifetime"] for seed in (1, 2)] == [4.0, 5.0]
    assert {each["picked"] for each in shown.values()} == {"static 0.5"}


def shown(learned: list[float], random: float, constants: dict[str, float]) -> Table:
    """Return the table of a trace with its best and worst constant picked."""
    main: dict[Key, Any] = {
        ("t", name, seed): document(lifetime=of)
        for seed, own in enumerate(learned)
        for name, of in (("rl", own), ("chance", random))
    }
    grid = {("t", name, 0): document(lifetime=of) for name, of in constants.items()}
    for name, which in (("best", "most"), ("worst", "least")):
        pick(Pick(name, ["main"], "lifetime", which, source="grid"), grid, main)
    return Table(main, "rl", ["t"])


CONSTANTS = {"c 1": 10.0, "c 2": 20.0, "c 3": 15.0}


@pytest.mark.parametrize(
    ("constants", "learned", "verdict", "share", "random"),
    [
        (CONSTANTS, [12.0, 18.0], "below", 0.5, 0.1),
        (CONSTANTS, [19.9, 20.0], "as good as", 0.995, 0.1),
        (CONSTANTS, [24.0, 26.0], "beats", 1.5, 0.1),
        (CONSTANTS, [5.0], "below", -0.5, 0.1),
        # Constants that are all alike give no share.
        ({"c 1": 5.0, "c 2": 5.0}, [5.0], "as good as", None, None),
    ],
)
def test_learning_is_held_against_the_best_constant(
    constants: dict[str, float],
    learned: list[float],
    verdict: str,
    share: float | None,
    random: float | None,
) -> None:
    spec = Yardstick("main", "lifetime", "rl", "best", "worst", "chance")
    table = shown(learned, 11.0, constants)
    # One run of what does not learn stands beside every seed.
    for seed in range(len(learned)):
        ends = [table.get("lifetime", "t", name, seed) for name in ("worst", "best")]
        assert ends == [min(constants.values()), max(constants.values())]
    (line,) = optima.learned(spec, {"main": table})
    first = max(constants, key=lambda name: constants[name])
    assert (line["verdict"], line["best_is"]) == (verdict, first)
    assert [line["share"], line["random_share"]] == pytest.approx([share, random])
    assert line["spread"] == [min(learned), max(learned)]
    assert f"1 {verdict} it (t)" in optima.sentence([line])


def test_a_figure_over_a_grid_has_a_curve_and_a_line_for_each_scheme() -> None:
    spec = FigureSpec(
        "3", "over-grid", "t", measure="lifetime", scheme="static", schemes=["own"], which="least"
    )
    figure = figures.draw(spec, plans.load("hierarchy"), table())
    first, second = figure["concat"]
    means = [row["y"] for row in rows(first) if row.get("key") == "static" and "told" not in row]
    assert means == [9.0, 4.5, 5.45]
    (star,) = [row for row in rows(first) if "told" in row and "x" in row]
    assert (star["x"], star["y"]) == (0.5, 4.5)
    assert {"datum": 5.0} in [node.get("encoding", {}).get("y") for node in nodes(first)]
    (star,) = [row for row in rows(second) if "told" in row and "x" in row]
    assert star["x"] == 0.1
    plan, of = plans.load("hyssd"), ("lifetime", "grid", "up")
    assert Drawing(SPEC, plan, trends()).curve(*of) == {0: 0.05, 0.5: 0.1, 1: 0.25}
    relative = replace(SPEC, relative_to="other")
    assert Drawing(relative, plan, trends()).curve(*of, 1) == {0: 1, 0.5: 1.9, 1: 0.5}
    bare = replace(SPEC, relative_to="", per=10)
    assert Drawing(bare, plan, trends()).curve(*of) == {0: 1, 0.5: 2, 1: 5}


TRENDS = [0, 0.5, 1]
#: A figure by trace and seed over the settings: one trace rises steeply, one hardly falls.
RISES = {
    "grid": {("up", 1): (10, 19, 40), ("up", 2): (10, 21, 60), ("flat", 1): (100, 99.5, 98.5)},
    "other": {("up", 1): (10, 10, 80), ("up", 2): (10, 10, 80), ("flat", 1): (50, 50, 50)},
}


def trends(curves: dict[str, Any] = RISES) -> Table:
    """Return a table of two grids beside a scheme whose figure is 200 everywhere."""
    documents = {
        (trace, f"{name} {setting}", seed): document(lifetime=cost)
        for name, of in curves.items()
        for (trace, seed), costs in of.items()
        for setting, cost in zip(TRENDS, costs, strict=True)
    }
    documents |= {(t, "alone", seed): document(lifetime=200.0) for t, seed in curves["grid"]}
    grids = [Grid(name, "baseline", {"r": TRENDS}) for name in ("grid", "other")]
    return Table(documents, "alone", ["up", "flat"], grids)


SPEC = FigureSpec(
    *("7", "lines-by-workload", "t"),
    measures=["lifetime"],
    names=["lifetime"],
    scheme="grid",
    relative_to="alone",
    times=100,
)


@pytest.mark.parametrize(
    ("kind", "more", "panels", "lines"),
    [
        ("lines-by-workload", {}, 1, 2),
        ("lines-by-measure", {}, 2, 1),
        ("lines-by-grid", {"measure": "lifetime", "schemes": ["grid"]}, 2, 1),
    ],
)
def test_lines_are_over_sizes(kind: str, more: dict[str, Any], panels: int, lines: int) -> None:
    figure = figures.draw(replace(SPEC, kind=kind, **more), plans.load("hyssd"), trends())
    assert len(figure["concat"]) == panels
    for panel in figure["concat"]:
        found = [row for row in rows(panel) if "key" in row]
        assert len({row["key"] for row in found}) == lines
        assert [row["x"] for row in found[:3]] == [0, 50, 100]
        assert {"datum": 1.0} in [node.get("encoding", {}).get("y") for node in nodes(panel)]


@pytest.mark.parametrize(("cost", "scale"), [(49 * 50, None), (51 * 50, "log")])
def test_lines_far_apart_are_drawn_over_logarithms(cost: float, scale: str | None) -> None:
    curves: dict[str, Any] = RISES
    flat = {("flat", 1): (cost, cost, cost)}
    far = {name: of | flat for name, of in curves.items()}
    figure = figures.draw(replace(SPEC, relative_to=""), plans.load("hyssd"), trends(far))
    assert axis(figure["concat"][0], "y")["scale"].get("type") == scale
