"""What no SLC cache can keep: figures by hand and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slcache import bounds
from support import slcache as verb
from support import write_trace

DEMO = "examples/linkbench-40s.blkparse.zst"


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a trace that writes two units ten times in turn, and another once."""
    rows = [(i, "Write", 4096 * (i % 2), 4096) for i in range(20)]
    file = tmp_path_factory.mktemp("bound") / "t.csv"
    return write_trace(file, [*rows, (20, "Write", 8192, 4096), (21, "Read", 0, 8192)])


def test_sizes_keep_what_can_be_counted_by_hand(rewritten: Path) -> None:
    found = bounds.of_trace(rewritten, [0, 4096, 8192, 12288])
    assert (found["versions"], found["units"], found["alive_max"]) == (21, 3, 3)
    kept = [(row["kept"], row["kept_died"]) for row in found["sizes"]]
    # With one slot: one of the two units' versions, and the last one of all.
    assert kept == [(0, 0), (10, 9), (20, 18), (21, 18)]
    assert [row["least"] for row in found["sizes"]] == [21, 11, 1, 0]


def test_without_sizes_they_end_where_everything_is_kept() -> None:
    found = bounds.of_trace(DEMO)
    sizes = [row["bytes"] for row in found["sizes"]]
    assert sizes == [1 << (20 + i) for i in range(len(sizes))]
    assert [row["kept"] == found["versions"] for row in found["sizes"]].index(True) == (
        len(sizes) - 1
    )
    assert sizes[-2] < found["alive_max"] * 4096 <= sizes[-1]
    assert bounds.reached(found, 1.0) == sizes[-1]
    assert bounds.reached({**found, "sizes": found["sizes"][:1]}, 0.5) is None


def test_a_larger_unit_is_another_count() -> None:
    small, large = (bounds.of_trace(DEMO, [1 << 25], unit_bytes=unit) for unit in (4096, 16384))
    assert large["versions"] < small["versions"]
    assert large["alive_max"] * 4 >= small["alive_max"]


def test_the_verb_tells_the_same_in_every_form(rewritten: Path, tmp_path: Path) -> None:
    picture = tmp_path / "bound.svg"
    told = verb("bound", rewritten, "--sizes", "4KiB..16KiB*2", "--picture", picture)
    assert told.returncode == 0
    text = told.stdout.decode()
    assert "84.0 KiB written" in text
    assert "At most 12.0 KiB are alive" in text
    assert picture.read_text().startswith("<svg")
    found = json.loads(verb("bound", rewritten, "--sizes", "4KiB,8KiB,16KiB", "--json").stdout)
    assert found == bounds.of_trace(str(rewritten), [4096, 8192, 16384])
    csv = verb("bound", rewritten, "--sizes", "4KiB", "--format", "csv").stdout.decode()
    assert csv.splitlines()[1].split(",")[0] == "4096"


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--sizes", "5000"], 2, "whole units of 4.00 KiB"),
        (["--sizes", "8KiB,4KiB"], 2, "sizes must rise"),
        (["--sizes", "4KiB,4KiB"], 2, "sizes must rise"),
        (["--sizes", "1MiB..4GiB"], 2, "FROM..TO*FACTOR"),
        (["--sizes", "4GiB..1MiB*2"], 2, "FROM..TO*FACTOR"),
        (["--sizes", "many"], 2, "is not a number with a unit"),
        (["--sizes", "8TiB"], 2, "at most 4.00 TiB"),
        (["--unit", "3KiB"], 2, "a power of two"),
        (["--unit", "256"], 2, "a power of two"),
        (["--seed", "3"], 2, "--seed draws a workload"),
        (["--picture", "bound.html"], 2, "does not end in one of .png, .svg, .pdf"),
    ],
)
def test_what_cannot_be_asked_is_told(
    rewritten: Path, arguments: list[str], status: int, told: str
) -> None:
    found = verb("bound", rewritten, *arguments)
    assert found.returncode == status
    assert told in " ".join(found.stderr.decode().split())


def test_a_trace_without_writes_has_no_bound(tmp_path: Path) -> None:
    file = write_trace(tmp_path / "reads.csv", [(0, "Read", 0, 4096)])
    found = verb("bound", file)
    assert found.returncode == 4
    assert "has no writes" in found.stderr.decode()
    assert verb("bound", tmp_path / "nothing.csv").returncode == 4
