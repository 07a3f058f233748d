"""Pages can be touched: only their own script runs, and its figures are the result's."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import browser
import slcache
from browser import browsed, check_script, figures, needs_chromium, needs_node
from slcache.report import over_time
from test_report import Page

SCRIPT = Path(slcache.__file__).parent / "templates" / "touch.js"
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&<!--"


@pytest.fixture(scope="module")
def text(comparison: slcache.Comparison) -> str:
    return comparison.report()


def test_only_the_page_s_own_script_may_run(text: str) -> None:
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    policy = policy.replace("&#39;", "'")
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert text.count("<script") == 2
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"


def test_the_figures_over_time_are_the_result_s(text: str, comparison: slcache.Comparison) -> None:
    given = figures(text, "over-time-data")
    assert given["labels"] == list(comparison.labels)
    panels = {panel["title"]: panel for panel in given["panels"]}
    for number, run in enumerate(comparison.runs):
        document = run.to_dict()
        columns, window_ns = document["series"]["columns"], document["series"]["window_ns"]
        times_s = given["times_s"][number]
        # Several windows a point, of which the last may have fewer.
        each = -(-len(columns["t_ns"]) // len(times_s))
        rates = panels["writes completed"]["values"][number]
        written = sum(rates) * each * window_ns / 1e9 * (1 << 20)
        assert written == pytest.approx(sum(columns["write_bytes"]), rel=1e-3)
        for side in ("read", "write"):
            requests, sums = columns[f"{side}_requests"], columns[f"{side}_latency_ns_sum"]
            means = panels[f"mean {side} latency"]["values"][number]
            for at, mean in enumerate(means):
                part = slice(at * each, (at + 1) * each)
                if mean is None:
                    assert sum(requests[part]) == 0
                else:
                    expected_us = sum(sums[part]) / sum(requests[part]) / 1e3
                    assert mean == pytest.approx(expected_us, rel=1e-3)


def test_hostile_names_stay_text(comparison: slcache.Comparison) -> None:
    documents = [run.to_dict() for run in comparison.runs]
    for document in documents:
        document["trace"]["path"] = HOSTILE
        document["scheme"]["figures"] = {HOSTILE: HOSTILE}
    page = slcache.Result(documents[0]).report()
    assert "img" not in Page(page).tags
    assert page.count("<script") == 2
    labels = [HOSTILE + str(number) for number in range(len(documents))]
    data = over_time.data(labels, documents)
    assert data is not None
    assert "<" not in data
    assert json.loads(data)["labels"] == labels


def test_a_run_without_a_time_series_has_no_figures_to_touch(
    comparison: slcache.Comparison,
) -> None:
    document = comparison.runs[0].to_dict()
    columns = document["series"]["columns"]
    document["series"]["columns"] = {name: [] for name in columns}
    assert over_time.data(["a"], [document]) is None


def in_node(asked: str) -> Any:  # noqa: ANN401
    """Return what an expression gives beside the script's functions, whose work is not begun."""
    return browser.in_node(SCRIPT.read_text().rpartition("\ntables();")[0], asked)


@needs_node
def test_the_script_parses(text: str, tmp_path: Path) -> None:
    check_script(text, tmp_path)


@needs_node
@pytest.mark.parametrize(
    ("cells", "ordered"),
    [
        (["1.20 ms", "900 µs", "2 s", "–", "12 ns"], ["12 ns", "900 µs", "1.20 ms", "2 s", "–"]),
        (["2.00 GiB", "900 MiB", "1,024 B"], ["1,024 B", "900 MiB", "2.00 GiB"]),
        (["13,392", "9", "-3", "−4"], ["−4", "-3", "9", "13,392"]),
        # A reference in units is 1 among factors.
        (["178 µs", "1.02×", "0.35×*", "≥2.0×"], ["0.35×*", "178 µs", "1.02×", "≥2.0×"]),
        (["1e-3", "2.5e+10", "0.5 %"], ["1e-3", "0.5 %", "2.5e+10"]),
    ],
)
def test_cells_are_sorted_by_what_they_mean(cells: list[str], ordered: list[str]) -> None:
    factors = any("×" in cell for cell in cells)
    values = in_node(f"{json.dumps(cells)}.map((cell) => value(cell, {json.dumps(factors)}))")
    # NaN is null in JSON, and comes last.
    pairs = sorted(
        zip(values, cells, strict=True), key=lambda pair: (pair[0] is None, pair[0] or 0)
    )
    assert [cell for _, cell in pairs] == ordered


@needs_node
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["980-pro", "tlc-only", "baseline"], False),
        (["tlc-only", "rl"], False),
        (["1.20 ms", "–", "900 µs"], True),
        (["–", "", "-"], False),
        (["12", "none"], False),
    ],
)
def test_a_column_is_of_figures_where_most_cells_are(cells: list[str], expected: bool) -> None:
    assert in_node(f"figures({json.dumps(cells)}, false)") is expected


@needs_node
def test_ticks_are_few_and_within_the_axis() -> None:
    for low, high, log in ((0, 88, False), (12.5, 12.6, False), (3e-4, 2e6, True), (5, 9, True)):
        ticks = in_node(f"ticks({low}, {high}, {json.dumps(log)})")
        assert 2 <= len(ticks) <= 6, (low, high, ticks)
        assert all(low <= tick <= high * (1 + 1e-9) for tick in ticks)
        assert ticks == sorted(ticks)


@pytest.mark.slow
@needs_chromium
def test_a_browser_runs_the_page(text: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(text)
    shown = browsed(page)
    assert shown.count("<canvas") == len(figures(text, "over-time-data")["panels"])
    assert '<nav aria-label="Contents">' in shown
    assert 'class="sorts"' in shown
