"""The report of saved results is that of the runs themselves; several become a comparison."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache
from slcache.results.loading import gather
from support import mixed, undrawn, write_trace
from support import slcache as command


@pytest.fixture
def folders(comparison: slcache.Comparison, trace: Path, tmp_path: Path) -> Path:
    """Results of one trace: a comparison, its runs alone, and one of another setting."""
    fifo = {"slc.victim": "fifo"}
    other = slcache.run(trace, device="tiny", scheme="baseline", settings=fifo)
    # Their own pages are not the question.
    with undrawn():
        comparison.save(tmp_path / "both")
        for run in comparison.runs:
            run.save(tmp_path / f"{run.label}.json")
        other.save(tmp_path / "other")
    return tmp_path


def test_the_page_is_that_of_the_run_or_the_comparison(
    comparison: slcache.Comparison, folders: Path
) -> None:
    page = folders / "page.html"
    assert command("report", folders / "both", "--out", page).returncode == 0
    assert page.read_text() == comparison.report()
    alone = [folders / "tlc-only.json", folders / "baseline.json"]
    assert command("report", *alone, "--out", page).returncode == 0
    # Runs one by one do not tell the bounds of other sizes.
    assert page.read_text() == slcache.Comparison(comparison.runs).report()
    done = command("report", alone[1], "--out", folders / "all")
    assert f"report: {folders / 'all/report.html'}" in done.stdout.decode()
    assert (folders / "all/report.html").read_text() == comparison.runs[1].report()
    assert slcache.load(folders / "all").to_dict() == comparison.runs[1].to_dict()


@pytest.mark.usefixtures("undrawn")
def test_runs_of_one_scheme_are_told_apart(folders: Path) -> None:
    done = command(
        "report", folders / "both", folders / "other", "--normalise", "tlc-only",
        "--out", folders / "x.html", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    schemes = json.loads(done.stdout)["normalised"]["schemes"]
    assert list(schemes) == ["tlc-only", "baseline (both)", "baseline (other)"]
    page = (folders / "x.html").read_text()
    assert "scheme.baseline.slc_blocks" not in page.partition("</h1>")[0]
    assert "baseline (other)" in page
    (folders / "deep").mkdir()
    slcache.load(folders / "other").save(folders / "deep/other")
    twice = gather([folders / "other", folders / "deep/other"])
    assert len(set(twice.labels)) == 2


@pytest.mark.usefixtures("undrawn")
def test_no_input_is_replaced_and_other_traces_are_refused(folders: Path) -> None:
    before = (folders / "both/result.json").read_bytes()
    refused = command("report", folders / "both", "--out", folders / "both")
    assert refused.returncode == 3
    assert "result.json" in refused.stderr.decode()
    assert (folders / "both/result.json").read_bytes() == before
    trace = write_trace(folders / "foreign.csv", mixed(seed=8))
    slcache.run(trace, device="tiny", scheme="baseline").save(folders / "foreign.json")
    page = folders / "page.html"
    mixed_up = command("report", folders / "both", folders / "foreign.json", "--out", page)
    assert mixed_up.returncode == 1
    assert "runs of different traces cannot be compared" in mixed_up.stderr.decode()
    wrong = command("report", folders / "both", "--normalise", "sector", "--out", page)
    assert wrong.returncode == 2
    assert not page.exists()
