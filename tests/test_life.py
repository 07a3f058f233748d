"""How a device wears, by cell mode and in years, as results and reports tell it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import support
from slcache.sentences import life

DEVICE = ("--device", "tiny", "--scheme", "baseline", "--address", "wrap")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("life")
    rows = [(i, "Write", i * 4096 % (2 << 20), 4096) for i in range(4000)]
    trace = support.write_trace(folder / "life.csv", rows)
    done = support.slcache("run", trace, *DEVICE, "--out", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def document(result: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((result / "result.json").read_text())
    return found


def test_parts_by_mode_add_up_and_what_wears_first_is_named(result: Path) -> None:
    told = document(result)
    waf, wear = told["waf"], told["wear"]
    assert set(waf["by_mode"]) == {"slc", "tlc"}
    assert sum(waf["by_mode"].values()) == pytest.approx(waf["total"], rel=1e-12)
    used = {row["mode"]: 100 * row["mean"] / row["endurance_cycles"] for row in wear["pools"]}
    assert {m: each["percent_used"] for m, each in wear["by_mode"].items()} == pytest.approx(used)
    first = max(used, key=lambda mode: used[mode])
    assert wear["lifetime_by"] == {"pool": "nand", "mode": first}
    written = told["host"]["write"]["bytes"]
    assert wear["lifetime_host_bytes"] == pytest.approx(written * 100 / used[first])


def test_years_fall_with_what_is_written_a_day(result: Path) -> None:
    told = document(result)
    told["wear"]["lifetime_host_bytes"] = 365 * 50e9 * 3
    years = [dict(life.rows(told, gb))["years"] for gb in (25, 50, 100)]
    assert years == ["6.00 at 25 GB a day", "3.00 at 50 GB a day", "1.50 at 100 GB a day"]
    told["wear"]["lifetime_host_bytes"] = None
    assert dict(life.rows(told))["estimated lifetime"] == "–"


def test_a_report_tells_the_years_that_are_asked_for(result: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    told = support.slcache("report", result, "--gb-per-day", "20", "--out", page)
    text = " ".join(told.stdout.decode().split())
    assert "write amplification in tlc" in text
    assert "at 20 GB a day" in text
    assert "at 50 GB a day" in page.read_text()
    refused = support.slcache("report", result, "--gb-per-day", "0", "--out", page)
    assert refused.returncode == 2
    assert b"--gb-per-day" in refused.stderr


def test_older_results_have_no_parts_by_mode(result: Path) -> None:
    told = document(result)
    del told["waf"]["by_mode"], told["wear"]["by_mode"], told["wear"]["lifetime_by"]
    assert [name for name, _ in life.rows(told)] == ["estimated lifetime", "years"]
