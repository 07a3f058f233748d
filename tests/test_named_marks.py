"""Marks in pictures say what they are under the pointer: value, unit and scheme, as text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

import slcache
from slcache.documents import normalise
from slcache.plots import (
    curves,
    effects,
    histograms,
    images,
    marks,
    progress,
    sizes,
    style,
    windows,
)
from slcache.study.effects import main_effects
from slcache.study.outcome import Setting
from slcache.words import units

HOSTILE = "</title></svg><script>alert(1)</script>\"'&<!--"
TITLE = re.compile(r"<title>([^<]*)</title>")


@pytest.fixture(scope="module")
def titles(comparison: slcache.Comparison) -> list[str]:
    body = comparison.report().partition("</head>")[2]
    return [unescape(title) for title in TITLE.findall(body)]


def test_bars_tell_value_unit_and_scheme(titles: list[str], comparison: slcache.Comparison) -> None:
    for label, run in zip(comparison.labels, comparison.runs, strict=True):
        document = run.to_dict()
        for side in ("read", "write"):
            found = document["host"][side]["latency_us"]
            for key in ("mean", "p99", "p99_9"):
                name = key.replace("_", ".")
                told = f"{label}, {side} {name}: {units.duration(found[key])}, "
                assert [title for title in titles if title.startswith(told)], told
            told = f"{label}, {side}s: p50 {units.duration(found['p50'])}, "
            # The distribution, and its tail.
            assert sum(title.startswith(told) for title in titles) == 2
            value = normalise.attribution(document, side)["service array"]
            assert f"{label}, service array: {units.duration(value)}" in titles


def test_every_erase_count_is_told(titles: list[str], comparison: slcache.Comparison) -> None:
    for label, run in zip(comparison.labels, comparison.runs, strict=True):
        begun = f"{label}, blocks with "
        counts = [
            int(t.rpartition(": ")[2].replace(",", "")) for t in titles if t.startswith(begun)
        ]
        pools = run.to_dict()["wear"]["pools"]
        assert sum(counts) == sum(n for pool in pools for _, n in pool["histogram"])


def named(figure: Figure) -> list[str]:
    """Return what marks of a figure are called on a page."""
    return [unescape(title) for title in TITLE.findall(images.svg(figure, "own", "own"))]


def scheme(**told: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"scheme": {"series": [], **told}}


def test_points_of_a_search_tell_their_place_and_value() -> None:
    tried = {"write_p99_ns": [3e6, None, 1e6, 2e6], "waf": [1.5, None, 2.0, 1.25]}
    assert named(progress.draw({"write_p99_ns": "min", "waf": "max"}, tried)) == [
        "point 1, write_p99_ns: 3.00 ms",
        "point 3, write_p99_ns: 1.00 ms",
        "point 4, write_p99_ns: 2.00 ms",
        "best, write_p99_ns: 1.00 ms",
        "point 1, waf: 1.500",
        "point 3, waf: 2",
        "point 4, waf: 1.250",
        "best, waf: 2",
    ]


def test_levels_tell_their_mean_and_reach() -> None:
    columns: dict[str, list[Setting]] = {"a.blocks": [1, 1, 2, 2], "a.victim": ["x", "y", "x", "y"]}
    found = main_effects(columns, [1e6, 2e6, 5e6, 8e6])
    drawn = effects.draw("read_p99_ns", found, {"a.blocks": "blocks", "a.victim": "victim"})
    assert named(drawn) == [
        "blocks 1, read_p99_ns: mean 1.50 ms, 2 points from 1.00 ms to 2.00 ms",
        "blocks 2, read_p99_ns: mean 6.50 ms, 2 points from 5.00 ms to 8.00 ms",
        "victim x, read_p99_ns: mean 3.00 ms, 2 points from 1.00 ms to 5.00 ms",
        "victim y, read_p99_ns: mean 5.00 ms, 2 points from 2.00 ms to 8.00 ms",
    ]


def test_sizes_tell_their_metrics_and_the_chosen_one_too() -> None:
    values = {"waf": [2.5, None, 1.5]}
    drawn = sizes.draw("blocks", [4, 6, 8], values, {"waf": [2.0]}, chosen=8, word="smallest")
    assert named(drawn) == ["blocks=4, waf: 2.500", "blocks=8, waf: 1.500", "blocks=8, waf: 1.500"]


@pytest.mark.parametrize("count", [1, 6])
def test_lines_over_windows_tell_their_reach_and_end(count: int) -> None:
    sizes_, rewards = [4096.0, 65536.0, 16384.0], [None, -0.5, 0.25]
    series = [
        {"name": "theta_bytes", "writes_per_value": 10, "values": sizes_},
        {"name": "reward", "writes_per_value": 10, "values": rewards},
        {"name": "l2_share", "writes_per_value": 10, "values": [0.5, 0.5]},
    ]
    labels = [f"{HOSTILE}{i}" for i in range(count)]
    told = named(windows.draw(labels, [scheme(series=series)] * count))
    assert sorted(told) == sorted(
        f"{label}, {what}"
        for label in labels
        for what in (
            "largest write request that goes to SLC: 4 KiB to 64 KiB, last 16 KiB",
            "reward: -0.5 to 0.25, last 0.25",
            "share of the second level in the SLC cache: 50.0 %",
        )
    )


def test_bins_tell_share_and_count() -> None:
    axes = [{"name": "size", "bins": ["small", "large"]}, {"name": "hot", "bins": ["no", "yes"]}]
    third = {"name": "age", "bins": ["all"]}
    counts = [1, 2, 0, 5]
    entries = [
        {"name": "two", "axes": axes, "counts": counts},
        {"name": "three", "axes": [*axes, third], "counts": counts},
    ]
    document = scheme(histograms=entries)
    assert named(histograms.draw(["a"], [document], "two")) == [
        "a, small, no: 12.5 %, 1 of 8",
        "a, small, yes: 25.0 %, 2 of 8",
        "a, large, no: 0.0 %, 0 of 8",
        "a, large, yes: 62.5 %, 5 of 8",
    ]
    assert named(histograms.draw(["a"], [document], "three")) == [
        "a, size small: 37.5 %, 3 of 8",
        "a, size large: 62.5 %, 5 of 8",
        "a, hot no: 12.5 %, 1 of 8",
        "a, hot yes: 87.5 %, 7 of 8",
        "a, age all: 100.0 %, 8 of 8",
        "a, 3 combinations, the most frequent: 62.5 %, 5 of 8",
    ]


@pytest.mark.parametrize("windows_", [2, 60])
def test_costs_tell_the_least_and_what_was_measured(windows_: int) -> None:
    measured = [[0.2 + 0.6 * (i % 2), 1e6 * (1 + i % 2)] for i in range(windows_)]
    curve = {"name": "cost", "x": "utilisation", "y": "ns per unit access", "measured": measured}
    curve["computed"] = [[0.05, 9e6], [0.5, 2e6], [0.97, 2e7]]
    told = named(curves.draw(["a"], [scheme(curves=[curve])], "cost"))
    # The line and the triangle at its minimum.
    assert told[:2] == ["a, least computed: 2.00 ms at utilisation 50.0 %"] * 2
    word = "measured in a window" if windows_ == 2 else "mean of windows"
    assert told[2:] == [
        f"a, {word}: 1.00 ms at utilisation 20.0 %",
        f"a, {word}: 2.00 ms at utilisation 80.0 %",
    ]


def test_bars_of_a_trace_tell_their_shares(trace: Path, tmp_path: Path) -> None:
    found = slcache.Trace(trace)
    info = found.info()
    for kind in ("html", "svg"):
        found.picture(tmp_path / f"trace.{kind}")
        told = [unescape(t) for t in TITLE.findall((tmp_path / f"trace.{kind}").read_text())]
        for bucket in info["size_histogram"]:
            for side in ("read", "write"):
                share = units.percent(bucket[f"{side}s"] / info[f"{side}s"])
                assert f"{side}s, up to {units.size(bucket['to_bytes'])}: {share}" in told
        for gap in info["gap_classes"]:
            assert sum(t.startswith("gaps ") and units.percent(gap["share"]) in t for t in told)
        again = units.percent(info["write_after_write_share"])
        assert f"write behind a write: {again}" in told
        half = units.duration(info["interarrival"]["us"]["p50"])
        assert f"of gaps: half up to {half}" in told
        hot = next(h for h in info["hot_set"]["hottest"] if h["pages_share"] == 0.1)
        share = units.percent(hot["write_share"])
        assert f"writes to pages written: {share} on the hottest 10 %" in told


def test_hostile_names_stay_text() -> None:
    figure, (axes,) = style.panels(1, 1, 2.0)
    (bar,) = axes.bar(0, 2)
    marks.name(bar, HOSTILE)
    (line,) = axes.plot([0, 1, 2], [3, 2, 1], "o")
    marks.name(line, *(f"{HOSTILE}{number}" for number in range(3)))
    drawn = images.svg(figure, "hostile", "hostile")
    assert "<script" not in drawn
    found = [each.text for each in ET.fromstring(drawn).iter() if each.tag.endswith("title")]
    assert found == [HOSTILE, *(f"{HOSTILE}{number}" for number in range(3))]


def test_names_stand_at_their_own_marks() -> None:
    figure, (axes,) = style.panels(1, 1, 2.0)
    xs, ys = [5.0, 1.0, 3.0, 2.0, 4.0, 0.5, 0.7], [1.0, 4.0, 2.0, 9.0, 3.0, 5.5, 7.5]
    (line,) = axes.plot(xs, ys, "o-")
    marks.name(line, *(f"{x} {y}" for x, y in zip(xs, ys, strict=True)))
    drawn = images.svg(figure, "own", "own")
    found = re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*><title>(\S+) ([^<]+)</', drawn)
    assert len(found) == len(xs)
    by_x = sorted(found, key=lambda each: float(each[0]))
    assert [float(x) for *_, x, _ in by_x] == sorted(xs)
    # Upwards is less in a picture.
    by_y = sorted(found, key=lambda each: -float(each[1]))
    assert [float(y) for *_, y in by_y] == sorted(ys)


def test_no_names_are_better_than_wrong_ones() -> None:
    figure, (axes,) = style.panels(1, 1, 2.0)
    (line,) = axes.plot([0, 1, float("nan")], [1, 2, 3], "o")
    marks.name(line, "first", "second", "nowhere")
    (other,) = axes.plot([0, 1, 2], [2, float("nan"), 3], "o")
    marks.number(other, [1, 2, 3])
    drawn = images.svg(figure, "wrong", "wrong")
    assert "title" not in drawn
    assert "data-points" not in drawn
