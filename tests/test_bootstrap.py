"""Twins by blocks from the command line: the same bytes, other addresses, refusals in words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

import slcache as package
from slcache.traces import against
from support import Row, slcache, write_trace

KIB = 1024
BLOCKS = 12


def bursts(shift: int = 0) -> list[Row]:
    """Return bursts of 40 requests a second apart, over hot and fresh data."""
    rng, rows, fresh = random.Random(3), [], 0
    for second in range(BLOCKS):
        for place in range(40):
            op = "Write" if rng.random() < 0.7 else "Read"
            if place % 2:
                at = rng.randrange(8) * 64 * KIB
            else:
                fresh += 16 * KIB
                at = (1 << 30) + fresh
            rows.append((1000 * second + place, op, shift + at, 4 * KIB))
    return rows


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A trace of twelve blocks."""
    return write_trace(tmp_path / "bursts.csv", bursts())


def twin(trace: Path, out: Path, *arguments: str) -> Path:
    """Write a twin of a trace, cut into its bursts."""
    how = ("--by", "blocks", "--block-requests", "9", *arguments)
    done = slcache("trace", "twin", trace, "-o", out, *how)
    assert done.returncode == 0, done.stderr
    return out


def test_a_seed_gives_the_same_bytes_and_another_one_others(trace: Path, tmp_path: Path) -> None:
    made = [twin(trace, tmp_path / "t.parquet", "--seed", s).read_bytes() for s in "112"]
    assert made[0] == made[1] != made[2]


def test_it_is_called_a_twin_and_has_the_figures(trace: Path, tmp_path: Path) -> None:
    out = twin(trace, tmp_path / "twin.parquet")
    before, after = (package.Trace(path).info() for path in (trace, out))
    assert after["summary"]["label"].startswith("twin of bursts.csv")
    same = ("requests", "write_share", "write_bytes", "duration_s", "gap_size_coupling")
    assert [after[name] for name in same] == pytest.approx([before[name] for name in same])
    assert after["touched_4kib_pages"] == pytest.approx(before["touched_4kib_pages"], rel=0.05)
    assert not [told for told in against.warnings(before, after) if "update" in told]


def test_where_the_trace_lay_is_not_seen(tmp_path: Path) -> None:
    made = []
    for shift in (0, 1 << 34):
        source = write_trace(tmp_path / "source.csv", bursts(shift))
        out = twin(source, tmp_path / f"{shift}.csv", "--as", "generic", "--lossy", "label,volume")
        made.append(out.read_bytes())
    assert made[0] == made[1]


def test_length_and_footprint_are_those_asked_for(trace: Path, tmp_path: Path) -> None:
    out = twin(trace, tmp_path / "long.parquet", "--requests", "3000", "--footprint", "1MiB")
    info = package.Trace(out).info()
    assert info["requests"] == 3000
    assert info["end_address_bytes"] <= 1 << 20


def test_blocks_that_stay_and_regions_in_order_leave_holes_out_and_nothing_else(
    trace: Path, tmp_path: Path
) -> None:
    out = twin(trace, tmp_path / "same.parquet", "--stages", "99", "--regions", "kept")
    before, after = (package.Trace(path).info() for path in (trace, out))
    elsewhere = {"file", "format", "end_address_bytes", "address_map", "response", "summary"}
    assert {name for name in before if before[name] != after[name]} == elsewhere
    assert after["end_address_bytes"] < before["end_address_bytes"] / 100


def test_a_trace_without_writes_has_a_twin_without(tmp_path: Path) -> None:
    rows = [(at, "Read", place, size) for at, _, place, size in bursts()]
    out = twin(write_trace(tmp_path / "reads.csv", rows), tmp_path / "twin.parquet")
    assert package.Trace(out).info()["writes"] == 0


ONE = [(0, "Write", 0, 4 * KIB)]
EVEN = [(place, "Write", 4 * KIB * place, 4 * KIB) for place in range(300)]
REFUSED = [
    (ONE, [], 3, ["1 requests", "one block"]),
    (EVEN, [], 3, ["one block", "pause_ns = 100000000", "gaps up to 1000000 ns"]),
    (bursts(), ["--footprint", "1000"], 3, ["footprint_bytes = 1000"]),
    (bursts(), ["--block-requests", "9", "--footprint", "2k"], 3, ["request of 4096 bytes"]),
    (bursts(), ["--pause", "soon"], 2, ["soon"]),
    (bursts(), ["--requests", "0"], 2, ["--requests"]),
    (bursts(), ["--places", "else"], 2, ["kept", "drawn"]),
    (bursts(), ["--stages", "0"], 2, ["--stages"]),
    (bursts(), ["--stages", str(1 << 64)], 2, ["stages", str((1 << 64) - 1)]),
    (bursts(), ["--requests", "9" * 4000], 2, ["requests", str((1 << 64) - 1)]),
    (bursts(), ["--regions", "else"], 2, ["shuffled", "kept"]),
]


@pytest.mark.parametrize(
    ("rows", "arguments", "status", "told"),
    REFUSED,
    ids=[" ".join(map(str, (len(case[0]), *case[1]))) for case in REFUSED],
)
def test_refusals_are_told_and_leave_nothing(
    tmp_path: Path, rows: list[Row], arguments: list[str], status: int, told: Sequence[str]
) -> None:
    source = write_trace(tmp_path / "source.csv", rows)
    out = tmp_path / "twin.parquet"
    done = slcache("trace", "twin", source, "-o", out, "--by", "blocks", *arguments)
    assert (done.returncode, done.stdout) == (status, b""), done.stderr
    assert all(text in done.stderr.decode() for text in told), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [source.name]
