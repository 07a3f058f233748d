"""Messages name a few of a list that is somebody else's, however long it is."""

import json
from pathlib import Path

import pytest

import slcache
from slcache.words.few import few


def test_the_first_names_are_told_and_how_many_more_there_are() -> None:
    assert few("abc") == "a, b, c"
    assert few(range(2000), 2) == "0, 1, and 1,998 more"
    assert few(["x" * 1000]) == "x" * 60 + "…"


def test_an_edited_comparison_with_many_names_ends_in_a_short_message(
    trace: Path, tmp_path: Path
) -> None:
    both = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"])
    both.save(tmp_path)
    file = tmp_path / "result.json"
    document = json.loads(file.read_text())
    run, count = document["runs"][0], 40
    document["runs"] = count * [run]
    document["normalised"]["schemes"] = {f"name{i}": {} for i in range(count)}
    document["normalised"]["to"] = "nobody"
    file.write_text(json.dumps(document))
    with pytest.raises(slcache.ResultError, match=r"name11, and 28 more") as raised:
        slcache.load(file)
    assert len(str(raised.value)) < 1000
