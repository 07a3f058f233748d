"""Saved results come back the same; reports of them are those of the runs."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import slcache
from charted import charts
from slcache.results.loading import gather
from slcache.results.seeded import SeededComparison
from support import mixed, undrawn, write_trace
from support import slcache as command


def test_a_run_and_a_comparison_come_back_from_a_file_and_a_folder(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    for result in (comparison, comparison.runs[1]):
        result.save(tmp_path / "folder")
        result.save(tmp_path / "odd näme.json")
        for place in (
            tmp_path / "folder",
            tmp_path / "folder/result.json",
            tmp_path / "odd näme.json",
        ):
            back = slcache.load(place)
            assert type(back) is type(result)
            assert back.to_dict() == result.to_dict()
            assert type(result).load(place).report() == result.report()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "odd näme.json"]


def test_what_was_loaded_is_saved_in_its_own_place(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path)
    (tmp_path / "report.html").unlink()
    slcache.load(tmp_path).save(tmp_path)
    assert (tmp_path / "report.html").exists()


def test_runs_keep_the_names_they_were_compared_by(trace: Path, tmp_path: Path) -> None:
    both = slcache.compare(
        trace, device="tiny", schemes=["tlc-only", "baseline"], normalise="baseline"
    )
    both.save(tmp_path / "both.json")
    back = slcache.Comparison.load(tmp_path / "both.json")
    assert (back.labels, back.reference) == (both.labels, "baseline")


def test_one_kind_is_not_taken_for_the_other(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    comparison.save(tmp_path / "both.json")
    comparison.runs[0].save(tmp_path / "one.json")
    with pytest.raises(
        slcache.ResultError, match=r"both\.json: a comparison of tlc-only, baseline"
    ):
        slcache.Result.load(tmp_path / "both.json")
    with pytest.raises(slcache.ResultError, match=r"one\.json: a single run; Result\.load"):
        slcache.Comparison.load(tmp_path / "one.json")


def test_what_is_wrong_with_a_file_names_file_and_key(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    file = tmp_path / "broken.json"

    def refused(text: str | bytes) -> str:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(slcache.ResultError) as caught:
            slcache.load(file)
        assert str(caught.value).startswith(str(file))
        return str(caught.value).removeprefix(str(file))

    one, both = comparison.runs[0].to_dict(), comparison.to_dict()
    assert refused('{\n "a": }') == ":2: not JSON: Expecting value at column 7"
    assert "not JSON" in refused(b"\xff{}")
    assert "not JSON" in refused("[" * 100_000)
    assert refused("[1]") == ": a result document is an object, not a list"
    assert refused("{}").startswith(": schema_version: missing")
    del one["waf"]["total"]
    assert refused(json.dumps(one)) == ": waf.total: missing"
    both["runs"][1]["host"]["iops"] = "fast"
    assert refused(json.dumps(both)).startswith(": runs[1]: host.iops = 'fast': must be")
    for wrong, told in (
        ({"runs": []}, "normalised: missing"),
        ({"runs": [], "normalised": {}}, "runs = []: must be a list of"),
        (
            {**comparison.to_dict(), "normalised": {"to": "x", "schemes": {"x": {}}}},
            "name the 2 runs",
        ),
    ):
        assert told in refused(json.dumps(wrong))
    swapped = comparison.to_dict()
    swapped["normalised"]["to"] = "sector"
    assert "normalised.to = 'sector': must be one of tlc-only, baseline" in refused(
        json.dumps(swapped)
    )
    swapped = comparison.to_dict()
    swapped["runs"][1]["trace"]["sha256"] = "0" * 64
    assert "trace.sha256" in refused(json.dumps(swapped))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        slcache.load(tmp_path / "nowhere.json")


def test_no_seed_is_left_out(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "mixed.csv", mixed(80))
    names = ["tlc-only", "baseline"]
    parts = [slcache.compare(trace, device="tiny", schemes=names, seed=n) for n in (1, 2)]
    both = SeededComparison(parts)
    both.save(tmp_path / "both")
    found = slcache.rerun(tmp_path / "both")
    assert found.equal
    assert isinstance(found.result, SeededComparison)
    assert [run.labels[0] for run in found.difference.runs] == [
        f"{name} (seed {seed})" for seed in (1, 2) for name in names
    ]
    assert gather([tmp_path / "both"]).report() == both.report()
    with pytest.raises(slcache.ResultError, match="several seeds"):
        gather([tmp_path / "both", tmp_path / "both"])
    with pytest.raises(slcache.ResultError, match="2 seeds"):
        slcache.rerun(tmp_path / "both", scheme="baseline")


VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Collects what a page refers to, and checks that its elements close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.tags: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element's names and references."""
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "data", "srcset"):
                self.references.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element."""
        assert self._open.pop() == tag


@pytest.fixture(scope="module")
def text(comparison: slcache.Comparison) -> str:
    return comparison.report()


def test_the_page_is_whole_and_self_contained(text: str) -> None:
    page = Page(text)
    assert all(reference.startswith("#") for reference in page.references)
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert not {"link", "iframe", "img"} & set(page.tags)
    assert not re.search(r"url\((?!#)|@import", text.partition("</head>")[0])
    assert len(charts(text)) == 7


def test_the_page_states_verdict_assumptions_and_provenance(
    text: str, comparison: slcache.Comparison
) -> None:
    document = comparison.runs[0].to_dict()
    for wanted in (
        document["trace"]["sha256"],
        document["provenance"]["config_hash"],
        document["provenance"]["version"],
        "model version",
        "trace.prefill",
        "trace.sub_mu",
        "trace.address",
        "host.replay",
        "precondition.fill",
        "sub_mu_rounded",
        "device.user_bytes",
    ):
        assert wanted in text
    assert comparison.verdict()[0].split(",")[0] in text


def test_a_single_run_has_a_page_without_a_comparison(comparison: slcache.Comparison) -> None:
    page = comparison.runs[1].report()
    assert len(charts(page)) == 5
    assert "(= 1)" not in page


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
