"""What schemes report over their windows and count by bins, in figures and the report."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slcache
from charted import axis, keys, only, panels, rows, texts
from slcache.charts import files, scheme
from support import mixed, write_trace

STEP = 65536
SETTINGS = {"scheme.rl.step_bytes": STEP, "scheme.dwa.window_bytes": STEP}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough writes for more windows than a moving mean takes."""
    return write_trace(tmp_path_factory.mktemp("windows") / "mixed.csv", mixed(1200))


@pytest.fixture(scope="module")
def three(trace: Path) -> slcache.Comparison:
    """A scheme without windows, one that changes sizes and one that learns."""
    schemes = ["tlc-only", "dwa", "rl"]
    return slcache.compare(trace, device="tiny", schemes=schemes, settings=SETTINGS)


def series(document: Any, name: str) -> dict[str, Any]:  # noqa: ANN401
    return next(each for each in document["scheme"]["series"] if each["name"] == name)


def test_lines_are_of_the_schemes_that_have_windows(three: slcache.Comparison) -> None:
    drawn = three.plot_windows()
    assert keys(drawn) == ["dwa", "rl"]
    title, panel = next(iter(panels(drawn).items()))
    assert title == "size of the SLC region (blocks)"
    found = rows(panel)
    for run in three.runs[1:]:
        values = series(run.documents[0], "slc_blocks")["values"]
        own = [row for row in found if row["key"] == run.label]
        assert [row["y"] for row in own][1:] == values
        assert own[-1]["x"] * 2**20 == pytest.approx(len(values) * STEP)


def test_a_moving_mean_is_that_of_the_last_values_known() -> None:
    for count, over in ((1, 1), (7, 3), (100, 2), (5, 5)):
        values = np.sin(np.arange(count, dtype=np.float64))
        wanted = [values[max(0, i - over + 1) : i + 1].mean() for i in range(count)]
        assert scheme._moving_mean(values, over) == pytest.approx(wanted)
    gap = scheme._moving_mean(np.array([np.nan, 2.0, 4.0]), 2)
    assert gap == pytest.approx([np.nan, 2.0, 3.0], nan_ok=True)


def test_windows_of_different_units_are_not_mixed(three: slcache.Comparison) -> None:
    documents = copy.deepcopy([run.to_dict() for run in three.runs[1:]])
    for each in documents[0]["scheme"]["series"]:
        each["writes_per_value"] = each.pop("write_bytes_per_value")
    found = scheme.windows(["a", "b"], documents)["concat"]
    sizes = [each for each in found if each["title"] == "size of the SLC region (blocks)"]
    assert [axis(each, "x")["title"] for each in sizes] == [
        *("written by the host (MiB)", "write requests")
    ]


@pytest.mark.parametrize(("values", "count"), [([3.0], 4), ([0.0], 1), (list(range(5000)), 9)])
def test_few_and_many_windows_are_drawn(
    three: slcache.Comparison, values: list[float], count: int
) -> None:
    document = three.runs[2].to_dict()
    for each in document["scheme"]["series"]:
        each["values"] = values
    labels = [f"rl {i}" for i in range(count)]
    drawn = scheme.windows(labels, [document] * count)
    files.written(drawn, ".svg")
    scheme.windows_caption([document] * count)
    assert count == 1 or labels == keys(drawn)


def counted(document: Any, name: str) -> tuple[list[int], list[int]]:  # noqa: ANN401
    """Return what a histogram counted, and how many bins each of its axes has."""
    found = next(each for each in document["scheme"]["histograms"] if each["name"] == name)
    return found["counts"], [len(each["bins"]) for each in found["axes"]]


def test_choices_are_drawn_as_cells_and_as_bars_of_each_axis(three: slcache.Comparison) -> None:
    """Cells are shares of the most frequent; bars of an axis sum over the others."""
    learner = three.runs[2].to_dict()
    actions, _ = counted(learner, "actions")
    states, sides = counted(learner, "states")
    assert sum(actions) == sum(states) == learner["scheme"]["figures"]["steps"]
    drawn = panels(three.plot_histogram("actions"))
    assert list(drawn) == ["rl"]
    shown = [row["value"] for row in rows(drawn["rl"])]
    assert shown == pytest.approx([count / max(actions) for count in actions])
    bars = list(panels(three.plot_histogram("states")).items())
    table = np.array(states).reshape(sides)
    for number, (_, panel) in enumerate(bars[: len(sides)]):
        others = tuple(i for i in range(table.ndim) if i != number)
        wanted = list(table.sum(axis=others) / table.sum())
        assert [row["y"] for row in rows(panel)] == pytest.approx(wanted)
    times = [row["y"] for row in rows(dict(bars)["how often each occurred"])]
    assert sum(times) == table.sum()


def test_one_axis_is_bars_alone() -> None:
    axes = [{"name": "colour", "bins": ["red", "green"]}]
    document: dict[str, Any] = {
        "scheme": {"histograms": [{"name": "x", "axes": axes, "counts": [1, 3]}]}
    }
    found = rows(only(scheme.histogram(["a"], [document], "x")))
    assert [row["y"] for row in found] == [0.25, 0.75]
    assert [row["told"] for row in found] == ["25.0 %, 1 of 4", "75.0 %, 3 of 4"]
    assert scheme.histogram_names([document]) == ["x"]


def test_the_report_shows_what_there_is(three: slcache.Comparison) -> None:
    page = three.report()
    for title in ("What schemes changed", "How often: actions", "How often: states"):
        assert page.count(f">{title}</h2>") == 1
    assert "What schemes changed" not in three.runs[0].report()
    assert texts(three.runs[0].plot_windows()) == ["no scheme with windows"]
    assert texts(three.runs[0].plot_histogram("actions")) == ["nothing counted: actions"]


def test_costs_over_windows_are_times_and_infinite_ones_left_out() -> None:
    def entry(name: str, values: list[float | None]) -> dict[str, Any]:
        return {"name": name, "writes_per_value": 10, "values": values}

    cost = entry("predicted_cost_ns", [None, 2e6, None, 4e6])
    document = {"scheme": {"series": [entry("lifetime_dense", [None]), cost]}}
    panel = only(scheme.windows(["a"], [document]))
    assert [row["y"] for row in rows(panel)] == [None, 2000, None, 4000]
    assert "' ms'" in axis(panel, "y")["axis"]["labelExpr"]


@pytest.mark.parametrize(("least", "scale"), [(0.5, "log"), (-0.1, None)])
def test_lifetimes_are_on_a_log_axis_while_there_is_any(least: float, scale: str | None) -> None:
    left = {"name": "lifetime_fast", "writes_per_value": 10, "values": [1e6, 1e3, least]}
    panel = only(scheme.windows(["a"], [{"scheme": {"series": [left]}}]))
    assert axis(panel, "y")["scale"].get("type") == scale
