"""Twins of traces, by their figures and by their blocks: they load and have what they should."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from slcache.traces import against
from support import mixed, slcache, write_trace

KIB = 1024


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Twelve bursts of 40 requests a second apart, over hot and fresh data."""
    rng, rows, fresh = random.Random(3), [], 1 << 30
    for second in range(12):
        for place in range(40):
            fresh += 16 * KIB
            at = rng.randrange(8) * 64 * KIB if place % 2 else fresh
            op = "Write" if rng.random() < 0.7 else "Read"
            rows.append((1000 * second + place, op, at, 4 * KIB))
    return write_trace(tmp_path / "bursts.csv", rows)


def test_a_twin_by_blocks_has_the_figures_and_its_options_one_meaning(
    trace: Path, tmp_path: Path
) -> None:
    """What the options do is asked where blocks are put in order."""
    made, again = tmp_path / "made.parquet", tmp_path / "again.parquet"

    def twin(*arguments: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401
        own = ("--by", "blocks", "--block-requests", "9", *arguments)
        done = slcache("trace", "twin", trace, "-o", made, *own)
        assert done.returncode == 0, done.stderr
        package.Trace(trace).twin_by_blocks(again, block_requests=9, **parameters)
        assert made.read_bytes() == again.read_bytes()
        return package.Trace(made).info()

    before, after = package.Trace(trace).info(), twin()
    assert after["summary"]["label"].startswith("twin of bursts.csv")
    same = ("requests", "write_share", "write_bytes", "duration_s", "gap_size_coupling")
    assert [after[name] for name in same] == pytest.approx([before[name] for name in same])
    assert after["touched_4kib_pages"] == pytest.approx(before["touched_4kib_pages"], rel=0.05)
    assert not [told for told in against.warnings(before, after) if "update" in told]
    long = twin("--requests", "3000", "--footprint", "1MiB", requests=3000, footprint_bytes=1 << 20)
    assert (long["requests"], long["end_address_bytes"] <= 1 << 20) == (3000, True)
    other = ("--seed", "7", "--stages", "99", "--regions", "kept", "--places", "drawn")
    kept = twin(*other, "--pause", "1ms", seed=7, stages=99, regions="kept", places="drawn",
                pause_ns=10**6)  # fmt: skip
    assert kept["requests"] == before["requests"]
    text = f"--by blocks --block-requests 9 -o {made}.csv --as generic --lossy label,volume"
    assert slcache("trace", "twin", trace, *text.split()).returncode == 0


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
