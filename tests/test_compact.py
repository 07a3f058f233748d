"""Pictures on pages are small, and what they show is what Matplotlib drew."""

from __future__ import annotations

import random
import re

import pytest

from slcache.plots import compact, images, style

_STEP = re.compile(r"([MLlhvz])([^MLlhvz]*)")


def places(path: str) -> list[tuple[float, float]]:
    """Return the points of a path, as SVG defines its commands."""
    x = y = 0.0
    found = []
    for letter, said in _STEP.findall(path):
        numbers = [float(each) for each in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", said)]
        for at in range(0, len(numbers), 1 if letter in "hv" else 2):
            if letter in "ML":
                x, y = numbers[at : at + 2]
            elif letter in "hv":
                x, y = (x + numbers[at], y) if letter == "h" else (x, y + numbers[at])
            else:
                x, y = x + numbers[at], y + numbers[at + 1]
            found.append((x, y))
    return found


def test_paths_keep_their_points() -> None:
    rng = random.Random(3)
    for _ in range(200):
        points = [(rng.uniform(-20, 700), rng.choice([0.0, 12.5, rng.uniform(-9, 600)]))]
        while len(points) < 30:
            x, y = points[-1]
            points.append(rng.choice([(x, y + 0.57), (x - 1.2, y), (x + 30.03, y - 0.01)]))
        drawn = "M " + " \nL ".join(f"{x:.2f} {y:.2f}" for x, y in points) + " \nz\n"
        made = compact.smaller(f'<svg><path d="{drawn}"/></svg>', "a")
        (path,) = re.findall(r'<path d="([^"]*)"/>', made)
        assert path.endswith("z")
        assert len(path) < len(drawn)
        for found, (x, y) in zip(places(path), points, strict=True):
            assert found == pytest.approx((round(x, 2), round(y, 2)))


def test_other_paths_and_dots_stay() -> None:
    curve = "M 0 1 \nC 0.5 1 2 3 4 5 \nz\n"
    dot = "M 3 4 \nL 3 4 \n"
    made = compact.smaller(f'<svg><path d="{curve}"/><path d="{dot}"/></svg>', "a")
    assert re.findall(r'd="([^"]*)"', made) == ["M 0 1 C 0.5 1 2 3 4 5 z", "M3 4h0"]


def test_groups_close_as_they_open_and_references_resolve() -> None:
    figure, areas = style.panels(2, 2, 4.0, sharex=True)
    for area in areas:
        area.plot([1, 5, 3], ls=":")
        area.bar([0, 1], [2, 3], hatch="//", edgecolor="w")
        style.title(area, '<g> id="x" url(#y)')
    drawn = images.svg(figure, "whole", "whole")
    assert drawn.count("<g>") == 0
    assert drawn.count("<g ") == drawn.count("</g>")
    assert drawn.count('&lt;g&gt; id="x" url(#y)</text>') == 4
    tags = "".join(re.findall(r"<style>.*?</style>|<[^>]+>", drawn))
    ids = re.findall(r' id="([^"]+)"', tags)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', tags)) == set(ids)
