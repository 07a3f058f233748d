"""Pages are driven as readers do: zoom, hover, key, field, paper, the dark, and a phone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import slcache
from browser import Browser, browser, needs_chromium
from charted import charts, rows
from slcache.study import sweep
from support import mixed, write_trace

pytestmark = [pytest.mark.slow, needs_chromium]
HOSTILE = "<img src=http://localhost/x onerror=alert(1)>"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def report(comparison: slcache.Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = [run.to_dict() for run in comparison.runs]
    labels = ["plain", HOSTILE]
    runs = [slcache.Result(d, label=name) for d, name in zip(documents, labels, strict=True)]
    file = tmp_path_factory.mktemp("pages") / "report.html"
    file.write_text(slcache.Comparison(runs).report())
    return file


def figure(title: str) -> str:
    return f"document.querySelector(\"[aria-label='{title}']\")"


def texts(title: str) -> str:
    return f"[...{figure(title)}.querySelectorAll('text')].map((each) => each.textContent)"


def test_a_page_asks_for_nothing_and_says_nothing(chromium: Browser, report: Path) -> None:
    chromium.open(report)
    assert [url for url in chromium.requests if not url.startswith(("file:", "data:"))] == []
    assert chromium.console == []
    shown = chromium.value("document.querySelectorAll('[data-chart] svg').length")
    assert shown >= len(charts(report.read_text()))
    assert chromium.value("document.images.length") == 0


def test_hostile_names_are_text_in_keys_and_tips(chromium: Browser, report: Path) -> None:
    chromium.open(report)
    assert HOSTILE in chromium.value(texts("Latency distributions"))
    bar = f"{figure('What was programmed')}.querySelector('.mark-rect path')"
    chromium.mouse("mouseMoved", *chromium.place(bar))
    chromium.until("document.querySelector('#vg-tooltip-element.visible') !== null")
    tip = chromium.value("document.querySelector('#vg-tooltip-element').textContent")
    assert "scheme" in tip
    assert "iB" in tip
    assert chromium.value("document.images.length") == 0


def test_the_wheel_zooms_all_panels_over_time_together(chromium: Browser, report: Path) -> None:
    chromium.open(report)
    labels = f"JSON.stringify({texts('Over time')}.sort())"
    lines = (
        f"JSON.stringify([...{figure('Over time')}.querySelectorAll('.mark-line path')]"
        ".map((each) => each.getAttribute('d').slice(0, 40)))"
    )
    # Any panel will do, such as the last.
    x, y = chromium.place(f"[...{figure('Over time')}.querySelectorAll('.mark-line')].at(-1)")
    before, drawn = chromium.value(labels), chromium.value(lines)
    chromium.mouse("mouseMoved", x, y)
    for _ in range(5):
        chromium.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240, modifiers=2)
    chromium.until(f"{labels} !== {before!r}")
    assert all(a != b for a, b in zip(eval(drawn), eval(chromium.value(lines)), strict=True))
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            chromium.mouse(kind, x, y, button="left", buttons=1, clickCount=count)
    chromium.until(f"{labels} === {before!r}")
    chromium.open(report)
    x, y = chromium.place(f"{figure('Latency distributions')}.querySelector('.mark-line')")
    labels = f"JSON.stringify({texts('Latency distributions')})"
    before, at = chromium.value(labels), chromium.value("scrollY")
    chromium.mouse("mouseMoved", x, y)
    chromium.mouse("mouseWheel", x, y, deltaX=0, deltaY=200)
    chromium.until(f"scrollY !== {at}")
    assert chromium.value(labels) == before


def test_a_name_of_the_key_is_shown_alone(chromium: Browser, report: Path) -> None:
    chromium.open(report)
    title = "Latency distributions"
    faint = (
        f"[...{figure(title)}.querySelectorAll('.mark-line path')]"
        ".filter((each) => Number(each.getAttribute('opacity') ?? 1) < 0.1).length"
    )
    assert chromium.value(faint) == 0
    entry = (
        f"[...{figure(title)}.querySelectorAll('.role-legend-label text')]"
        ".find((each) => each.textContent === 'plain')"
    )
    chromium.click(*chromium.place(entry))
    chromium.until(f"{faint} > 0")
    lines = chromium.value(f"{figure(title)}.querySelectorAll('.mark-line path').length")
    assert chromium.value(faint) == lines / 2


def test_points_are_searched_for_and_tell_their_commands(chromium: Browser, tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "plain.csv", mixed(80))
    found = sweep(
        str(trace), device="tiny", scheme=["tlc-only", "sa"],
        vary={"scheme.sa.slc_blocks": [3, 4], "host.time_scale": [0.5, 1.0]},
        settings={"device.user_bytes": "2MiB", "trace.address": "wrap"}, jobs=1,
    )  # fmt: skip
    page = tmp_path / "study.html"
    page.write_text(found.report())
    chromium.open(page)
    marks = f"{figure('Pareto front')}.querySelectorAll('.mark-symbol.role-mark path').length"
    before = chromium.value(marks)
    place = chromium.place(f"{figure('Pareto front')}.querySelector('input')")
    chromium.click(*place)
    chromium.type("slc_blocks=3")
    chromium.until(f"{marks} < {before}")
    named = {row["name"] for row in rows(charts(page.read_text())["Pareto front"])}
    kept = [name for name in named if "slc_blocks=3" in name]
    assert chromium.value(marks) / before == len(kept) / len(named)
    mark = f"{figure('Pareto front')}.querySelector('.mark-symbol.role-mark path')"
    chromium.click(*chromium.place(mark))
    chromium.until("location.hash.startsWith('#point-')")
    shown = "getComputedStyle(document.querySelector(location.hash)).display"
    assert chromium.value(shown) == "block"
    command = chromium.value("document.querySelector(location.hash + ' .command').textContent")
    assert command.startswith("slcache run ")
    chromium.open(page, fragment=chromium.value("location.hash"))
    assert chromium.value(shown) == "block"


@pytest.mark.parametrize("dark", [False, True])
def test_ink_stands_out_from_the_page(chromium: Browser, report: Path, dark: bool) -> None:
    chromium.open(report, dark=dark)
    ink, ground = (
        chromium.value(f"getComputedStyle({element}).{what}")
        for element, what in (
            (f"{figure('Wear')}.querySelector('svg text')", "fill"),
            ("document.body", "backgroundColor"),
        )
    )
    light = [sum(map(int, each.strip("rgba()").split(",")[:3])) for each in (ink, ground)]
    assert (light[0] > 600 and light[1] < 120) if dark else (light[0] < 120 and light[1] > 600)


@pytest.mark.parametrize("width", [390, 700, 1400])
def test_no_width_scrolls_sideways(chromium: Browser, report: Path, width: int) -> None:
    chromium.open(report, width)
    assert chromium.value("document.documentElement.scrollWidth") <= width
    widest = (
        "Math.max(...[...document.querySelectorAll('[data-chart] svg')]"
        ".map((each) => each.getBoundingClientRect().right))"
    )
    assert chromium.value(widest) <= width


def test_paper_has_the_charts_and_dark_ink(chromium: Browser, report: Path) -> None:
    chromium.open(report, dark=True)
    chromium.do("Emulation.setEmulatedMedia", media="print")
    ink = chromium.value(f"getComputedStyle({figure('Wear')}.querySelector('svg text')).fill")
    assert sum(map(int, ink.strip("rgba()").split(",")[:3])) < 120
    drawn = chromium.printed()
    assert drawn.startswith(b"%PDF")
    assert len(drawn) > 50_000
    if folder := os.environ.get("SLCACHE_KEEP"):
        Path(folder, "print.pdf").write_bytes(drawn)
