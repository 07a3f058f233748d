"""Claims about a measure over the whole of a grid, and lines drawn of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from charted import axis, nodes, rows
from slcache.reproduce import figures
from slcache.reproduce import plan as plans
from slcache.reproduce.figures import Drawing
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
