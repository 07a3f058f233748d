"""Twins made from traces: they load, have the trace's figures, and say what they lack."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import slcache as package
from slcache.traces import against
from support import mixed, slcache, write_trace

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


def test_refusals_leave_nothing_behind(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "one.csv", mixed(1))
    for out, status, told in (
        (tmp_path / "twin.csv", 2, "ends with .toml"),
        (tmp_path / "twin.toml", 4, "a twin needs 2 or more"),
    ):
        done = slcache("trace", "twin", trace, "-o", out)
        assert (done.returncode, done.stdout) == (status, b"")
        assert told in done.stderr.decode()
    assert list(tmp_path.iterdir()) == [trace]
