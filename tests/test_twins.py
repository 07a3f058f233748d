"""Twins of traces, by their figures and by their blocks: they load and have what they should."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path

import pytest

import slcache as package
from slcache.traces import against
from support import Row, mixed, slcache, write_trace

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


EXAMPLE = Path(__file__).parent.parent / "examples" / "linkbench-40s.blkparse.zst"


def test_the_twin_of_the_shipped_trace_has_its_figures(tmp_path: Path) -> None:
    twin = tmp_path / "linkbench.toml"
    done = slcache("trace", "twin", EXAMPLE, "-o", twin)
    assert (done.returncode, done.stderr) == (0, b"")
    hot = []
    for trace in (EXAMPLE, twin):
        document = package.Trace(trace).info()
        findings = against.check(document, against.of_workload(package.workload(twin)))
        assert len(findings) > 15
        # What pages are from in the end is settled on the first requests of a twin.
        off = [f for f in findings if not f.agrees and f.name != "writers_per_16kib_page"]
        assert off == []
        writers = next(f for f in findings if f.name == "writers_per_16kib_page")
        assert writers.found == pytest.approx(writers.expected, rel=0.1)
        hottest = document["hot_set"]["hottest"]
        hot.append(next(entry for entry in hottest if entry["pages_share"] == 0.1))
    # The skews fit the hot set.
    assert hot[1]["write_share"] == pytest.approx(hot[0]["write_share"], abs=0.05)
    text = twin.read_text()
    assert set(tomllib.loads(text)["twin"]["free"]) == {"update_skew", "read_skew"}
    lacks = text.split("# What it does not carry:")[1]
    assert all(told in lacks for told in ("flushes", "trims", "phases"))


def test_figures_that_conflict_are_left_out_and_named(tmp_path: Path) -> None:
    # Pages that are only read make up less than one request of 16 KiB.
    writes = [(i, "Write", i % 8 * 16_384, 16_384) for i in range(40)]
    rows = [*writes, (200, "Read", 0, 16_384), (201, "Read", 1 << 20, 4096)]
    trace = write_trace(tmp_path / "few.csv", rows)
    report = package.Trace(trace).twin(tmp_path / "few.toml")
    assert "less than one request" in report["given_up"]["footprint_touched_bytes"]
    assert "footprint_touched_bytes" not in report["figures"]
    assert "less than one request" in (tmp_path / "few.toml").read_text()
    assert slcache("trace", "info", tmp_path / "few.toml").returncode == 0


def test_any_name_of_a_file_will_do(tmp_path: Path) -> None:
    name = 'say "hi" back\\slash line\nbreak \U0001f600é \x7f.csv'
    trace = write_trace(tmp_path / name, mixed(50))
    done = slcache("trace", "twin", trace, "-o", tmp_path / "twin.toml", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["from"] == f"measured in {name}"
    assert slcache("trace", "workloads", tmp_path / "twin.toml").returncode == 0
