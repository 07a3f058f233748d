"""Figures show what the documents hold, on axes that can be read."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

import slcache
from figured import figured
from slcache import api
from slcache.plots import attribution, dots, images, latency, plain, style, trace, writes
from slcache.words import kinds, units
from support import mixed, write_trace

FIGURES = ("attribution", "writes", "series", "windows", "latency", "wear", "bars")


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> slcache.Comparison:
    """Every scheme on a filled device; pages hold four mapping units, and writes may be shorter."""
    rows = [(ms, op, at // 4, size // 4) for ms, op, at, size in mixed(1500)]
    path = write_trace(tmp_path_factory.mktemp("figures") / "mixed.csv", rows)
    fit, _ = slcache.fitting(device="tiny")
    settings = {"precondition.fill": 0.6, "device.mu_bytes": 1024}
    return slcache.compare(path, device="tiny", schemes=fit, settings=settings)


def some(nine: slcache.Comparison, count: int) -> slcache.Comparison:
    return slcache.Comparison(nine.runs[:count])


def test_what_was_programmed_adds_up_to_write_amplification(nine: slcache.Comparison) -> None:
    causes = set()
    for document in nine.documents:
        host, waf = document["host"]["write"]["bytes"], document["waf"]
        stack = writes.programmed(document)
        stored = [op for op in document["flash"]["ops"] if "program" in op["kind"]]
        assert sum(stack.values()) == sum(op["bytes"] for op in stored)
        assert sum(stack.values()) == pytest.approx(waf["total"] * host)
        assert sum(waf["by_cause"].values()) == pytest.approx(waf["total"])
        for cause in {cause for _, cause in stack} | waf["by_cause"].keys():
            mine = sum(size for (_, name), size in stack.items() if name == cause)
            assert mine == pytest.approx(waf["by_cause"].get(cause, 0.0) * host), cause
        assert waf["by_cause"]["host"] == pytest.approx(1.0, abs=0.02)
        causes |= waf["by_cause"].keys()
    assert {"host", "rmw", "migration", "gc", "pad"} <= causes


def test_a_line_marks_what_the_host_wrote(nine: slcache.Comparison) -> None:
    figure = writes.draw(nine.labels, nine.documents)
    (axes,) = figure.axes
    ends = [sum(bar[0].get_width() for bar in row) for row in _rows(axes, len(nine.labels))]
    marks = [float(line.get_xdata()[0]) for line in axes.lines]  # type: ignore[index,arg-type]
    for document, end, mark in zip(nine.documents, ends, marks, strict=True):
        assert end / mark == pytest.approx(document["waf"]["total"])
    assert "written by the host" in _keys(figure)


def _rows(axes: Axes, count: int) -> list[list[BarContainer]]:
    bars = [c for c in axes.containers if isinstance(c, BarContainer)]
    each = len(bars) // count
    return [bars[i : i + each] for i in range(0, len(bars), each)]


def _keys(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_means_stand_in_a_column_of_their_own(nine: slcache.Comparison) -> None:
    figure = dots.draw(nine.labels, nine.documents, nine.labels[0])
    figures = nine.normalised["schemes"]
    for axes, side in zip(figure.axes, ("read", "write"), strict=True):
        column = {text.xy[1]: text for text in axes.texts}  # type: ignore[attr-defined]
        assert all(text.xy[0] == 1.0 for text in column.values())  # type: ignore[attr-defined]
        for row, name in enumerate(nine.labels):
            assert column[row].get_text() == units.factor(figures[name][f"{side}_mean"])
        assert "mean" in {text.get_text() for text in axes.texts}


def _labelled(axes: Axes, which: str) -> list[str]:
    """Return the labels of an axis that stand within what it shows."""
    ruler = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(ruler.get_view_interval())
    places = ruler.get_majorticklocs()
    texts = ruler.get_major_formatter().format_ticks(list(places))
    return [text for at, text in zip(places, texts, strict=True) if low <= at <= high and text]


def _check_axes(figure: Figure, what: str) -> None:
    figure.draw_without_rendering()
    for axes in figure.axes:
        for which in ("x", "y"):
            if getattr(axes, f"get_{which}scale")() != "log":
                continue
            assert not [c for c in axes.containers if isinstance(c, BarContainer)], what
            shown = _labelled(axes, which)
            assert not [text for text in shown if "$" in text], what
            ruler = axes.xaxis if which == "x" else axes.yaxis
            if ruler.get_tick_params()["labelbottom" if which == "x" else "labelleft"]:
                assert len(shown) >= 2, (what, which, shown)
            assert len(set(shown)) == len(shown), (what, which, shown)


COUNTS = [1, 3, 9, *(pytest.param(each, marks=pytest.mark.slow) for each in (2, 5))]


@pytest.mark.parametrize("count", COUNTS)
def test_log_axes_have_labels_and_no_bars(nine: slcache.Comparison, count: int) -> None:
    for name in FIGURES:
        _check_axes(getattr(some(nine, count), f"plot_{name}")(), f"{name} of {count}")


def test_log_axes_of_a_trace_have_labels_and_no_bars(tmp_path: Path) -> None:
    for share in (0.0, 0.5, 1.0):
        path = write_trace(tmp_path / f"{share}.csv", mixed(300, write_share=share))
        _check_axes(trace.draw(api.Trace(path).info()), f"trace, {share} writes")


def test_log_ticks_are_enough_and_apart_wherever_an_axis_begins() -> None:
    rng = random.Random(5)
    for most in (3, 5, 7):
        for _ in range(400):
            low = 10 ** rng.uniform(-3, 8)
            high = low * 10 ** (10 ** rng.uniform(-1.5, 0.9))
            ticks = list(style.LogTicks(most).tick_values(low, high))
            assert len(ticks) >= 2, (low, high, ticks)
            assert all(low <= tick <= high for tick in ticks)
            assert all(a < b for a, b in itertools.pairwise(ticks))


def test_times_on_a_short_stretch_are_told_apart() -> None:
    figure, (axes,) = style.panels(1, 1, 2.0)
    axes.plot([1001.0, 1009.0], [0.0, 1.0])
    style.time_ticks(axes)
    figure.draw_without_rendering()
    shown = _labelled(axes, "x")
    assert len(shown) >= 3
    assert len(set(shown)) == len(shown)


def test_a_new_kind_of_waiting_just_appears(nine: slcache.Comparison) -> None:
    documents = [run.to_dict() for run in nine.runs[:2]]
    for document in documents:
        document["host"]["write"]["attribution_us"]["wait"] |= {"zeal": 5.0, "ardour": 9.0}
        figured(document)
    found = attribution.seen(documents)
    colours = [kind.colour for kind in found.values()]
    assert len(set(colours)) == len(colours)
    keys = _keys(attribution.draw(["a", "b"], documents))
    assert {"wait zeal", "wait ardour"} <= set(keys)
    assert "wait zeal is waiting behind zeal" in attribution.caption(documents)


def test_waiting_for_a_wordline_is_explained(nine: slcache.Comparison) -> None:
    documents = [run.to_dict() for run in nine.runs[:2]]
    documents[0]["host"]["write"]["attribution_us"]["wait"]["stage"] = 1e6
    figured(documents[0])
    keys = _keys(attribution.draw(["a", "b"], documents))
    assert "wait stage" not in keys
    assert "wait wordline to fill" in keys
    assert kinds.WAITS["stage"].words in attribution.caption(documents)


def test_of_few_lines_the_lower_ones_are_wider(nine: slcache.Comparison) -> None:
    figure = latency.draw(nine.labels[:3], nine.documents[:3])
    widths = [line.get_linewidth() for line in figure.axes[0].lines]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 3


def test_a_picture_is_drawn_once_and_keeps_its_ground(
    nine: slcache.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = latency.draw(nine.labels[:2], nine.documents[:2])
    draws: list[object] = []
    draw = plain.PlainFigure.draw

    def counted(drawn: plain.PlainFigure, renderer: RendererBase) -> None:
        draws.append(drawn)
        draw(drawn, renderer)

    monkeypatch.setattr(plain.PlainFigure, "draw", counted)
    grounds = [axes.patch.get_facecolor() for axes in figure.axes]
    assert 'role="img"' in images.svg(figure, "latency", "latency")
    assert draws == [figure]
    assert [axes.patch.get_facecolor() for axes in figure.axes] == grounds
