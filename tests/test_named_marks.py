"""Marks in pictures say what they are under the pointer: value, unit and scheme, as text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest

import slcache
from slcache.documents import normalise
from slcache.plots import images, marks, style
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
