"""Saved results come back the same, also while they are written; reports are those of the runs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import slcache
from charted import Page, charts
from slcache.files import Transaction
from slcache.results.differences import gather
from slcache.results.seeded import SeededComparison
from support import json_of, mixed, undrawn, write_trace
from support import slcache as command
from verbs import Inputs


@pytest.mark.usefixtures("undrawn")
def test_results_come_back_from_files_and_folders(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    for result in (comparison, comparison.runs[1]):
        result.save(tmp_path / "folder")
        result.save(tmp_path / "odd näme.json")
        for name in ("folder", "folder/result.json", "odd näme.json"):
            place = tmp_path / name
            back = slcache.load(place)
            assert type(back) is type(result)
            assert back.to_dict() == result.to_dict()
            assert type(result).load(place).report() == result.report()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "odd näme.json"]


def test_what_was_loaded_is_saved_in_its_own_place_and_kinds_are_told_apart(
    comparison: slcache.Comparison, tmp_path: Path
) -> None:
    """With the reference that it had."""
    other = slcache.Comparison(comparison.runs, normalise_to="baseline")
    other.save(tmp_path)
    (tmp_path / "report.html").unlink()
    back = slcache.Comparison.load(tmp_path)
    assert (back.labels, back.reference) == (other.labels, "baseline")
    back.save(tmp_path)
    assert (tmp_path / "report.html").exists()
    comparison.save(tmp_path / "both.json")
    comparison.runs[0].save(tmp_path / "one.json")
    with pytest.raises(slcache.ResultError, match=r"both\.json: a comparison of tlc-only, bas"):
        slcache.Result.load(tmp_path / "both.json")
    with pytest.raises(slcache.ResultError, match=r"one\.json: a single run; Result\.load"):
        slcache.Comparison.load(tmp_path / "one.json")


def test_a_wrong_file_is_named_with_its_key(comparison: slcache.Comparison, tmp_path: Path) -> None:
    file = tmp_path / "broken.json"

    def changed(*path: str | int, to: object) -> str:
        whole = comparison.to_dict()
        holder: Any = whole
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = to
        return json.dumps(whole)

    for text, told in (
        (b'{\n "a": }', ":2: not JSON: Expecting value at column 7"),
        (b"\xff{}", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        ("{}", ": schema_version: missing"),
        (changed("runs", 1, "host", "iops", to="fast"), ": runs[1]: host.iops = 'fast': must be"),
        ('{"runs": []}', "normalised: missing"),
        ('{"runs": [], "normalised": {}}', "runs = []: must be a list of"),
        (changed("normalised", to={"to": "x", "schemes": {"x": {}}}), "name the 2 runs"),
        (
            changed("normalised", "to", to="sector"),
            "normalised.to = 'sector': must be one of tlc-only, baseline",
        ),
        (changed("runs", 1, "trace", "sha256", to="0" * 64), "trace.sha256"),
    ):
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(slcache.ResultError) as caught:
            slcache.load(file)
        assert str(caught.value).startswith(f"{file}:")
        assert told in str(caught.value)
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


@pytest.fixture(scope="module")
def text(comparison: slcache.Comparison) -> str:
    return comparison.report()


def test_the_page_is_whole_and_states_verdict_assumptions_and_provenance(
    text: str, comparison: slcache.Comparison
) -> None:
    page = Page(text)
    assert all(reference.startswith("#") for reference in page.references)
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert not {"link", "iframe", "img"} & set(page.tags)
    assert not re.search(r"url\((?!#)|@import", text.partition("</head>")[0])
    assert len(charts(text)) == 7
    document = comparison.runs[0].to_dict()
    origin = document["provenance"]
    wanted = [document["trace"]["sha256"], origin["config_hash"], origin["version"]]
    wanted += ["trace.prefill", "trace.sub_mu", "host.replay", "device.user_bytes"]
    assert all(word in text for word in [*wanted, comparison.verdict()[0].split(",")[0]])
    # A single run has a page without a comparison.
    alone = comparison.runs[1].report()
    assert len(charts(alone)) == 5
    assert "(= 1)" not in alone


@pytest.fixture
def folders(comparison: slcache.Comparison, trace: Path, tmp_path: Path) -> Path:
    """Results of one trace: a comparison, its runs alone, and one of another setting."""
    other = slcache.run(trace, device="tiny", scheme="baseline", settings={"slc.victim": "fifo"})
    # Their own pages are not the question.
    with undrawn():
        comparison.save(tmp_path / "both")
        for run in comparison.runs:
            run.save(tmp_path / f"{run.label}.json")
        other.save(tmp_path / "other")
    return tmp_path


@pytest.mark.parametrize("folder", ["both", "study"])
def test_a_page_that_is_not_named_replaces_only_pages(
    folder: str, folders: Path, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if folder == "study":
        slcache.sweep(trace, device="tiny", scheme="baseline", out=folders / folder)
    monkeypatch.chdir(folders)
    page = folders / "report.html"
    for _ in range(2):
        assert command("report", folder).returncode == 0
    assert "<html" in page.read_text()
    page.write_text("<title>mine</title>")
    done = command("report", folder)
    assert (done.returncode, page.read_text()) == (2, "<title>mine</title>")
    assert "--out: report.html is there" in done.stderr.decode()
    assert command("report", folder, "--out", "report.html").returncode == 0
    assert "mine" not in page.read_text()


def test_the_page_is_that_of_the_run(comparison: slcache.Comparison, folders: Path) -> None:
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
    done = json_of(
        "report", folders / "both", folders / "other", "--normalise", "tlc-only",
        "--out", folders / "x.html", "--json",
    )  # fmt: skip
    schemes = done["normalised"]["schemes"]
    assert list(schemes) == ["tlc-only", "baseline (both)", "baseline (other)"]
    assert "baseline (other)" in (folders / "x.html").read_text()
    slcache.load(folders / "other").save(folders / "deep/other")
    assert len(set(gather([folders / "other", folders / "deep/other"]).labels)) == 2


WRITING = "a command is writing into {0}: try again when it has ended"


@pytest.mark.parametrize("verb", ["report", "diff", "diff --rerun"])
def test_a_result_that_is_being_written(verb: str, inputs: Inputs, tmp_path: Path) -> None:
    (whole, *_) = inputs.needed(("report",))
    folder = tmp_path / "new"
    words: list[str | Path] = [*verb.split()]
    if verb == "report":
        words += ["--out", tmp_path / "page"]
    more = [whole] if verb == "diff" else []
    with Transaction(folder, ["result.json"]) as outputs:
        done = command(*words, folder, *more)
        assert done.returncode != 0
        assert WRITING.format(folder) in done.stderr.decode()
        outputs.write("result.json", (Path(whole) / "result.json").read_bytes())
    done = command(*words, folder, *more)
    assert b"is writing" not in done.stderr
    # One that was killed there is not writing any more.
    (folder / "result.json").unlink()
    (folder / ".slcache-killed.tmp").mkdir()
    done = command(*words, folder, *more)
    assert done.returncode != 0
    assert b"is writing" not in done.stderr


def test_an_old_result_is_read_while_a_new_one_is_made(inputs: Inputs, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    shutil.copytree(inputs.needed(("report",))[0], folder)
    with Transaction(folder, ["result.json"]):
        assert slcache.load(folder).documents


@pytest.mark.parametrize("share", [0.0, 1.0], ids=["only reads", "only writes"])
def test_one_sided_traces_are_drawn_and_told(tmp_path: Path, share: float) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(60, write_share=share))
    both = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"])
    both.save(tmp_path / "out")
    missing = "Writes" if share == 0.0 else "Reads"
    assert missing not in " ".join(both.verdict())
