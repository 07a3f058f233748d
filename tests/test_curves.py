"""The picture of a scheme's model holds the computed curve, its minimum and what was measured."""

from __future__ import annotations

from typing import Any

import pytest

import slcache
from charted import axis, only, panels, rows
from slcache.charts import scheme
from slcache.documents import saved
from slcache.report import html

COMPUTED = [[0.05, 9e6], [0.5, 2e6], [0.6, 2e6], [0.97, 2e7]]


def document(computed: list[list[float]], measured: list[list[float]]) -> dict[str, Any]:
    curve = {"name": "cost", "x": "utilisation", "y": "ns per unit access"}
    return {"scheme": {"curves": [{**curve, "computed": computed, "measured": measured}]}}


def points(panel: Any, key: str) -> list[list[float]]:  # noqa: ANN401
    return [[row["x"], row["y"]] for row in rows(panel) if row["key"] == key]


def test_the_first_least_point_is_marked_and_the_measured_ones_lie_beside() -> None:
    panel = only(scheme.curve(["a"], [document(COMPUTED, [[0.4, 3e6]])], "cost"))
    assert points(panel, "computed") == [[x, y / 1e3] for x, y in COMPUTED]
    assert points(panel, "least computed") == [[0.5, 2e3]]
    assert points(panel, "measured in a window") == [[0.4, 3e3]]
    told = [row["told"] for row in rows(panel) if "told" in row]
    assert "2.00 ms at utilisation 50.0 %" in told
    assert axis(panel, "y")["title"] == "per unit access"
    assert axis(panel, "y")["scale"]["type"] == "log"


def test_many_measured_points_have_their_means_by_utilisation() -> None:
    measured = [[0.2, 1e6 + i] for i in range(30)] + [[0.8, 5e6 + i] for i in range(30)]
    panel = only(scheme.curve(["a"], [document([], measured)], "cost"))
    assert points(panel, "mean of windows") == [
        pytest.approx([0.2, 1e3 + 14.5e-3]),
        pytest.approx([0.8, 5e3 + 14.5e-3]),
    ]


def test_each_scheme_with_a_curve_has_a_panel_of_the_same_scale() -> None:
    runs: list[dict[str, Any]] = [
        document(COMPUTED, []),
        {"scheme": {}},
        document([], [[0.9, 5e7]]),
        document([], []),
    ]
    assert scheme.curve_names(runs) == ["cost"]
    drawn = panels(scheme.curve(["a", "none", "b", "empty"], runs, "cost"))
    assert list(drawn) == ["a", "b"]
    for way in ("x", "y"):
        ends = [axis(each, way)["scale"] for each in drawn.values()]
        assert ends[0]["domainMax"] == ends[1]["domainMax"]
        assert ends[0]["domainMin"] == ends[1]["domainMin"]
    assert axis(drawn["a"], "y")["scale"]["domainMax"] >= 5e4


def test_times_of_zero_and_other_quantities_are_drawn_too() -> None:
    panel = only(scheme.curve(["a"], [document([[0.1, 0.0], [0.2, 3e3]], [])], "cost"))
    assert "type" not in axis(panel, "y")["scale"]
    other = document([[1.0, 5.0]], [])
    other["scheme"]["curves"][0] |= {"x": "blocks", "y": "hits"}
    panel = only(scheme.curve(["a"], [other], "cost"))
    assert axis(panel, "y")["title"] == "hits"
    assert points(panel, "computed") == [[1.0, 5.0]]


def test_the_report_shows_it(comparison: Any) -> None:  # noqa: ANN401
    made = comparison.runs[0].to_dict()
    made["scheme"] |= document(COMPUTED, [[0.4, 3e6]])["scheme"]
    saved.current(made)
    page = html.render(["a"], [made], None)
    assert page.count(">Computed and measured: cost</h2>") == 1
    assert "what one window of the run really took" in page
    made["scheme"]["curves"][0]["measured"] = [[0.4]]
    with pytest.raises(slcache.ResultError, match=r"scheme\.curves"):
        saved.current(made)
