"""The picture of a scheme's model holds the computed curve, its minimum and what was measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

import slcache
from slcache.documents import contract
from slcache.plots import curves
from slcache.report import html

COMPUTED = [[0.05, 9e6], [0.5, 2e6], [0.6, 2e6], [0.97, 2e7]]


def document(computed: list[list[float]], measured: list[list[float]]) -> dict[str, Any]:
    curve = {"name": "cost", "x": "utilisation", "y": "ns per unit access"}
    return {"scheme": {"curves": [{**curve, "computed": computed, "measured": measured}]}}


def lines(axes: Axes) -> list[list[list[float]]]:
    return [np.column_stack(line.get_data()).tolist() for line in axes.lines]


def test_the_first_least_point_is_marked_and_the_measured_ones_lie_beside() -> None:
    figure = curves.draw(["a"], [document(COMPUTED, [[0.4, 3e6]])], "cost")
    (axes,) = figure.axes
    in_us = [[x, y / 1e3] for x, y in COMPUTED]
    assert lines(axes) == [in_us, [[0.5, 2e3]], [[0.4, 3e3]]]
    assert axes.get_ylabel() == "per unit access"
    figure.draw_without_rendering()
    assert "5 ms" in [text.get_text() for text in axes.get_yticklabels()]


def test_many_measured_points_have_their_means_by_utilisation() -> None:
    measured = [[0.2, 1e6 + i] for i in range(30)] + [[0.8, 5e6 + i] for i in range(30)]
    (axes,) = curves.draw(["a"], [document([], measured)], "cost").axes
    assert lines(axes)[1] == [
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
    assert curves.names(runs) == ["cost"]
    figure = curves.draw(["a", "none", "b", "empty"], runs, "cost")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["a", "b"]
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
    assert figure.axes[0].get_ylim()[1] > 5e4


def test_times_of_zero_and_other_quantities_are_drawn_too() -> None:
    (axes,) = curves.draw(["a"], [document([[0.1, 0.0], [0.2, 3e3]], [])], "cost").axes
    assert (axes.get_yscale(), axes.get_ylabel()) == ("linear", "µs per unit access")
    other = document([[1.0, 5.0]], [])
    other["scheme"]["curves"][0] |= {"x": "blocks", "y": "hits"}
    (axes,) = curves.draw(["a"], [other], "cost").axes
    assert (axes.get_ylabel(), lines(axes)[0]) == ("hits", [[1.0, 5.0]])


def test_the_report_shows_it(comparison: Any) -> None:  # noqa: ANN401
    made = comparison.runs[0].to_dict()
    made["scheme"] |= document(COMPUTED, [[0.4, 3e6]])["scheme"]
    contract.current(made)
    page = html.render(["a"], [made], None)
    assert page.count("<h2>Computed and measured: cost</h2>") == 1
    assert "what one window of the run really took" in page
    made["scheme"]["curves"][0]["measured"] = [[0.4]]
    with pytest.raises(slcache.ResultError, match=r"scheme\.curves"):
        contract.current(made)
