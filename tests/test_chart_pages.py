"""Pages: only the library that draws charts may run, and what it draws is the result's."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import slcache
from charted import axis, charts, panels, rows
from slcache.charts import files, page


@pytest.fixture(scope="module")
def text(comparison: slcache.Comparison) -> str:
    return comparison.report()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, of which nothing is remembered, for a library that is made at once."""
    drawer = SimpleNamespace(javascript_bundle=lambda begin: f'{begin}"</script>"')
    monkeypatch.setattr(files, "drawer", lambda: drawer)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    page._library.cache_clear()
    yield tmp_path / "slcache"
    page._library.cache_clear()


def test_only_the_library_may_run_and_nothing_is_fetched(text: str) -> None:
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in html.unescape(policy).split("; "))
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert "[data-chart]" in script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert "unsafe-eval" not in policy


def test_what_happened_over_time_is_the_result_s(text: str, comparison: slcache.Comparison) -> None:
    drawn = panels(charts(text)["Over time"])
    for label, run in zip(comparison.labels, comparison.runs, strict=True):
        document = run.to_dict()
        columns, window_ns = document["series"]["columns"], document["series"]["window_ns"]
        rates = [r for r in rows(drawn["writes completed, MB/s"]) if r["key"] == label]
        each = -(-len(columns["t_ns"]) // len(rates))
        written = sum(row["y"] for row in rates) * each * window_ns / 1e9 * 1e6
        assert written == pytest.approx(sum(columns["write_bytes"]), rel=1e-3)
        for side in ("read", "write"):
            requests, sums = columns[f"{side}_requests"], columns[f"{side}_latency_ns_sum"]
            means = [r["y"] for r in rows(drawn[f"mean {side} latency"]) if r["key"] == label]
            for at, mean in enumerate(means):
                part = slice(at * each, (at + 1) * each)
                if mean is None:
                    assert sum(sums[part]) == 0
                else:
                    expected_us = sum(sums[part]) / sum(requests[part]) / 1e3
                    assert mean == pytest.approx(expected_us, rel=1e-3)
    assert axis(drawn["mean write latency"], "y")["scale"]["type"] == "log"


def test_a_name_is_not_taken_for_the_place_of_the_script(comparison: slcache.Comparison) -> None:
    document = comparison.runs[0].to_dict()
    document["trace"]["path"] = "/* script */"
    text = slcache.Result(document, label="/* script */").report()
    assert text.endswith(f"<script>{page._library()}</script></body>\n</html>")


def test_the_library_is_bundled_once_and_again_where_it_is_damaged(cache: Path) -> None:
    """Where it cannot be kept nothing is left of it."""
    first = page._library()
    assert "[data-chart]" in first
    assert "</script" not in first
    (kept,) = cache.iterdir()
    page._library.cache_clear()
    assert page._library() == first
    kept.write_text(first[:1000])
    page._library.cache_clear()
    assert page._library() == first
    assert kept.read_text().startswith(first)
    kept.unlink()
    kept.mkdir()
    kept.joinpath("in the way").touch()
    page._library.cache_clear()
    assert page._library() == first
    assert [each.name for each in cache.iterdir()] == [kept.name]


def test_a_user_without_a_home_has_pages(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Nor is the cache where one happens to stand."""

    def none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.chdir(cache.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setattr(Path, "home", none)
    assert "[data-chart]" in page._library()
    assert not list(cache.parent.iterdir())
