"""Where logs of requests go, and the windows of series: what is kept, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import slcache
from support import mixed, write_trace
from support import slcache as run_slcache


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("log") / "t.csv", mixed(1200))


def test_equal_runs_write_equal_logs_and_say_what_they_are(trace: Path, tmp_path: Path) -> None:
    results = [
        slcache.run(trace, device="tiny", scheme="baseline", log=tmp_path / name) for name in "ab"
    ]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    about = json.loads(pq.read_metadata(tmp_path / "a").metadata[b"slcache.requests"])
    document = results[0].to_dict()
    assert about["config"] == document["config"]
    assert about["trace"]["sha256"] == document["trace"]["sha256"]
    assert about["provenance"]["config_hash"] == document["provenance"]["config_hash"]


def test_a_comparison_writes_a_log_for_each_scheme(trace: Path, tmp_path: Path) -> None:
    log = tmp_path / "requests.parquet"
    words = ("--device", "tiny", "--schemes", "tlc-only,baseline", "--log", log)
    done = run_slcache("compare", trace, *words)
    assert done.returncode == 0, done.stderr
    names = {f"requests-{scheme}.parquet" for scheme in ("tlc-only", "baseline")}
    assert {path.name for path in tmp_path.iterdir()} == names
    both = pq.read_table(tmp_path)
    assert both.num_rows == 2400
    assert set(both["scheme"].to_pylist()) == {"tlc-only", "baseline"}


def test_no_log_is_left_of_a_run_that_fails(tmp_path: Path) -> None:
    rows = [*mixed(300), (999, "Write", 1 << 40, 4096)]
    trace = write_trace(tmp_path / "t.csv", rows)
    log = tmp_path / "requests.parquet"
    log.write_bytes(b"what was there before")
    how: dict[str, Any] = {"scheme": "baseline", "settings": {"trace.prefill": "none"}}
    with pytest.raises(slcache.TraceError):
        slcache.run(trace, device="tiny", **how, log=log)
    assert log.read_bytes() == b"what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["requests.parquet", "t.csv"]


@pytest.mark.parametrize(
    ("window", "told"),
    [("0ms", "must be longer than 0"), ("10", "is not a time"), ("0.5ns", "whole number")],
)
def test_a_window_is_a_time(window: str, told: str, trace: Path) -> None:
    done = run_slcache("run", trace, "--device", "tiny", "--scheme", "baseline", "--window", window)
    assert done.returncode == 2
    assert told in done.stderr.decode()


def test_the_window_asked_for_is_that_of_the_series(trace: Path) -> None:
    words = ("run", trace, "--device", "tiny", "--scheme", "baseline", "--json")
    document = json.loads(run_slcache(*words, "--window", "500us").stdout)
    series, columns = document["series"], document["series"]["columns"]
    assert series["window_ns"] == document["config"]["run"]["series_window_ns"] == 500_000
    assert columns["t_ns"][:3] == [0, 500_000, 1_000_000]
    read = document["host"]["read"]
    assert sum(columns["read_requests"]) == read["requests"]
    longest_ns = max(filter(None, columns["read_latency_ns_max"]))
    assert longest_ns == round(1000 * read["latency_us"]["max"])
    done = run_slcache(*words, "--window", "10us")
    short = json.loads(done.stdout)["series"]
    assert short["window_ns"] > 10_000
    assert len(short["columns"]["t_ns"]) <= 65_536
    assert "the windows of the series last" in done.stderr.decode()
    plain = json.loads(run_slcache(*words).stdout)
    assert "series_window_ns" not in plain["config"]["run"]
