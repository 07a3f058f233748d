"""What schemes report over their windows and count by bins, in figures and the report."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import slcache
from slcache.plots import histograms, windows
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


def keys(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def titles(figure: Figure) -> list[str]:
    return [axes.get_title(loc="left") for axes in figure.axes]


def series(document: Any, name: str) -> dict[str, Any]:  # noqa: ANN401
    return next(each for each in document["scheme"]["series"] if each["name"] == name)


def test_windows_of_bytes_end_at_every_step(three: slcache.Comparison) -> None:
    learner = three.runs[2].to_dict()
    assert {each["name"] for each in learner["scheme"]["series"]} >= {"slc_blocks", "reward"}
    for each in learner["scheme"]["series"]:
        assert each["write_bytes_per_value"] == STEP
        # The last window ends when the next request arrives, which none does.
        written = learner["host"]["write"]["bytes"]
        assert len(each["values"]) in (written // STEP, written // STEP - 1)


def test_lines_are_of_the_schemes_that_have_windows(three: slcache.Comparison) -> None:
    figure = three.plot_windows()
    assert keys(figure) == ["dwa", "rl"]
    assert titles(figure)[0] == "size of the SLC region (blocks)"
    lines = figure.axes[0].lines
    blocks = [series(run.documents[0], "slc_blocks")["values"] for run in three.runs[1:]]
    for line, values in zip(lines, blocks, strict=True):
        assert list(line.get_ydata())[1:] == values  # type: ignore[arg-type]
        assert line.get_xdata()[-1] * 2**20 == len(values) * STEP  # type: ignore[index,operator]
    assert len({line.get_color() for line in lines}) == 2


def test_a_run_without_windows_says_so(three: slcache.Comparison) -> None:
    figure = three.runs[0].plot_windows()
    assert [text.get_text() for text in figure.axes[0].texts] == ["no scheme with windows"]
    figure = three.runs[0].plot_histogram("actions")
    assert [text.get_text() for text in figure.axes[0].texts] == ["nothing counted: actions"]


@pytest.mark.parametrize(("count", "over"), [(1, 1), (7, 3), (100, 2), (5, 5)])
def test_a_moving_mean_is_that_of_the_last_values(count: int, over: int) -> None:
    values = np.sin(np.arange(count, dtype=np.float64))
    wanted = [values[max(0, i - over + 1) : i + 1].mean() for i in range(count)]
    assert windows._moving_mean(values, over) == pytest.approx(wanted)


def test_windows_of_different_units_are_not_mixed(three: slcache.Comparison) -> None:
    documents = copy.deepcopy([run.to_dict() for run in three.runs[1:]])
    for each in documents[0]["scheme"]["series"]:
        each["writes_per_value"] = each.pop("write_bytes_per_value")
    figure = windows.draw(["a", "b"], documents)
    assert titles(figure).count("size of the SLC region (blocks)") == 2
    named = [axes.get_xlabel() for axes in figure.axes if axes.get_xlabel()]
    assert named == ["written by the host (MiB)", "write requests"]


@pytest.mark.parametrize(
    ("values", "counts"),
    [([3.0], (1, 4)), ([0.0], (1, 2)), ([8.0, 8.0], (2, 5)), (list(range(5000)), (1, 9))],
)
def test_few_and_many_windows_are_drawn(
    three: slcache.Comparison, values: list[float], counts: tuple[int, ...]
) -> None:
    document = three.runs[2].to_dict()
    for each in document["scheme"]["series"]:
        each["values"] = values
    for count in counts:
        labels = [f"rl {i}" for i in range(count)]
        figure = windows.draw(labels, [document] * count)
        figure.draw_without_rendering()
        windows.caption([document] * count)
        shown = keys(figure) or [axes.get_ylabel() for axes in figure.axes]
        assert count == 1 or set(labels) <= set(shown)


def test_every_choice_is_counted_once(three: slcache.Comparison) -> None:
    learner = three.runs[2].to_dict()
    by_name = {each["name"]: each for each in learner["scheme"]["histograms"]}
    states, actions = by_name["states"], by_name["actions"]
    assert len(states["counts"]) == 1296
    assert len(actions["counts"]) == 9
    steps = learner["scheme"]["figures"]["steps"]
    assert sum(states["counts"]) == sum(actions["counts"]) == steps


def test_cells_hold_the_shares_of_actions(three: slcache.Comparison) -> None:
    figure = three.plot_histogram("actions")
    (table,) = [axes for axes in figure.axes if axes.patches]
    assert table.get_title(loc="left") == "rl"
    cells = [patch for patch in table.patches if isinstance(patch, Rectangle)]
    counts = next(
        h["counts"] for h in three.documents[2]["scheme"]["histograms"] if h["name"] == "actions"
    )
    fullest = max(counts)
    assert [cell.get_alpha() for cell in cells] == pytest.approx([c / fullest for c in counts])


def test_bars_of_an_axis_sum_over_the_others(three: slcache.Comparison) -> None:
    figure = three.plot_histogram("states")
    entry = next(h for h in three.documents[2]["scheme"]["histograms"] if h["name"] == "states")
    counts = np.array(entry["counts"]).reshape([len(axis["bins"]) for axis in entry["axes"]])
    for number, (axes, axis) in enumerate(zip(figure.axes, entry["axes"], strict=False)):
        assert axes.get_title(loc="left") == axis["name"]
        others = tuple(i for i in range(counts.ndim) if i != number)
        wanted = counts.sum(axis=others) / counts.sum()
        heights = [bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle)]
        assert heights == pytest.approx(list(wanted))
    times = figure.axes[len(entry["axes"])].lines[0].get_ydata()
    assert sum(times) == counts.sum()  # type: ignore[arg-type]


def test_one_axis_is_bars_alone() -> None:
    axes = [{"name": "colour", "bins": ["red", "green"]}]
    document: dict[str, Any] = {
        "scheme": {"histograms": [{"name": "x", "axes": axes, "counts": [1, 3]}]}
    }
    figure = histograms.draw(["a"], [document], "x")
    (panel,) = [axes for axes in figure.axes if axes.axison]
    assert [bar.get_height() for bar in panel.patches] == [0.25, 0.75]  # type: ignore[attr-defined]
    assert histograms.names([document]) == ["x"]


def test_the_report_shows_what_there_is(three: slcache.Comparison) -> None:
    page = three.report()
    for title in ("What schemes changed", "How often: actions", "How often: states"):
        assert page.count(f"<h2>{title}</h2>") == 1
    assert "What schemes changed" not in three.runs[0].report()


def test_costs_over_windows_are_times() -> None:
    costs = {"name": "measured_cost_ns", "writes_per_value": 100, "values": [2e6, 4e6]}
    figure = windows.draw(["a"], [{"scheme": {"series": [costs]}}])
    figure.draw_without_rendering()
    assert titles(figure) == ["cost of an access, measured"]
    assert "3 ms" in [text.get_text() for text in figure.axes[0].get_yticklabels()]


def test_infinite_values_are_left_out() -> None:
    def entry(name: str, values: list[float | None]) -> dict[str, Any]:
        return {"name": name, "writes_per_value": 10, "values": values}

    cost = entry("predicted_cost_ns", [None, 2e6, None, 4e6])
    document = {"scheme": {"series": [entry("lifetime_dense", [None]), cost]}}
    figure = windows.draw(["a"], [document])
    figure.draw_without_rendering()
    assert titles(figure) == ["cost of an access, computed"]
    assert list(figure.axes[0].lines[0].get_ydata()) == pytest.approx(  # type: ignore[arg-type]
        [np.nan, 2e6, np.nan, 4e6], nan_ok=True
    )
    assert windows._moving_mean(np.array([np.nan, 2.0, 4.0]), 2) == pytest.approx(
        [np.nan, 2.0, 3.0], nan_ok=True
    )


@pytest.mark.parametrize(("least", "scale"), [(0.5, "log"), (-0.1, "linear")])
def test_lifetimes_are_on_a_log_axis_while_there_is_any(least: float, scale: str) -> None:
    left = {"name": "lifetime_fast", "writes_per_value": 10, "values": [1e6, 1e3, least]}
    figure = windows.draw(["a"], [{"scheme": {"series": [left]}}])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_yscale() == scale
    low, high = axes.get_ylim()
    assert low < least < 1e6 < high
