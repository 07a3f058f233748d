"""A result that was saved comes back the same, or what is wrong with its file is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache


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
