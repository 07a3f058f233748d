"""The log of requests: every one once, in the order of arrival, its parts adding up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slcache
from support import mixed, write_trace
from support import slcache as run_slcache

LINK = {
    "host.link.lanes": 1,
    "host.link.lane_mb_per_s": 100,
    "host.link.payload_bytes": 256,
    "host.link.header_bytes": 26,
    "host.link.read_overhead_ns": 11,
    "host.link.write_overhead_ns": 17,
}
RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "open": ("tiny", "baseline", {}),
    "pending": ("tiny", "tlc-only", {"host.queue_depth": 2, "host.time_scale": 0.01}),
    "closed": ("tiny", "baseline", {"host.replay": "closed", "host.queue_depth": 8}),
    "link": ("tiny", "hierarchy", {**LINK, "device.mu_bytes": 1024}),
    "buffer": ("tiny", "baseline", {"buffer.bytes": "64KiB", "host.time_scale": 0.05}),
    "disk": ("nvc-hdd", "nvc", {"trace.address": "wrap"}),
}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("log") / "t.csv", mixed(1200))


def read(path: Path) -> dict[str, Any]:
    """Return a log's columns as arrays."""
    table: pa.Table = pq.read_table(path)
    return {name: table[name].to_numpy() for name in table.column_names}


@pytest.mark.parametrize("name", RUNS)
def test_every_request_is_there_and_its_parts_add_up(
    name: str, trace: Path, tmp_path: Path
) -> None:
    device, scheme, settings = RUNS[name]
    path = tmp_path / "requests.parquet"
    logged = slcache.run(trace, device=device, scheme=scheme, settings=settings, log=path)
    document, log = logged.to_dict(), read(path)
    assert (log["request"] == np.arange(1200)).all()
    assert (log["scheme"] == scheme).all()
    parts = [key for key in log if key.startswith(("service_", "wait_")) and key != "service_ns"]
    assert (sum(log[part] for part in parts) == log["latency_ns"]).all()
    assert (log["completion_ns"] - log["arrival_ns"] == log["latency_ns"]).all()
    assert (log["completion_ns"] - log["start_ns"] == log["service_ns"]).all()
    assert (log["arrival_ns"] <= log["admission_ns"]).all()
    assert (np.diff(log["arrival_ns"]) >= 0).all()
    assert log["completion_ns"].max() == document["host"]["duration_ns"]
    for side in ("read", "write"):
        mine, told = log["operation"] == side, document["host"][side]
        assert mine.sum() == told["requests"]
        assert log["sectors"][mine].sum() * 512 == told["bytes"]
        assert log["latency_ns"][mine].max() == round(told["latency_us"]["max"] * 1000)
        for part in parts:
            kind, cause = part.removesuffix("_ns").split("_", 1)
            us = told["attribution_us"][kind].get(cause.replace("_", "-"), 0.0)
            assert log[part][mine].sum() == round(us * 1000), part
    # What the run comes to does not depend on its being watched.
    plain = slcache.run(trace, device=device, scheme=scheme, settings=settings).to_dict()
    for key in ("host", "flash", "series", "wear", "scheme", "config"):
        assert plain[key] == document[key]


def test_rows_stand_in_the_order_of_arrival_not_of_completion(trace: Path, tmp_path: Path) -> None:
    slcache.run(
        trace,
        device="tiny",
        scheme="tlc-only",
        settings={"host.time_scale": 0.05},
        log=tmp_path / "a",
    )
    log = read(tmp_path / "a")
    assert (np.diff(log["completion_ns"]) < 0).any()
    assert (np.diff(log["request"]) == 1).all()


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
    assert {path.name for path in tmp_path.iterdir()} == {
        "requests-tlc-only.parquet",
        "requests-baseline.parquet",
    }
    both = pq.read_table(tmp_path)
    assert both.num_rows == 2400
    assert set(both["scheme"].to_pylist()) == {"tlc-only", "baseline"}


def test_no_log_is_left_of_a_run_that_fails(tmp_path: Path) -> None:
    rows = [*mixed(300), (999, "Write", 1 << 40, 4096)]
    trace = write_trace(tmp_path / "t.csv", rows)
    log = tmp_path / "requests.parquet"
    log.write_bytes(b"what was there before")
    with pytest.raises(slcache.TraceError):
        slcache.run(
            trace, device="tiny", scheme="baseline", settings={"trace.prefill": "none"}, log=log
        )
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
    columns = document["series"]["columns"]
    assert (
        document["series"]["window_ns"] == document["config"]["run"]["series_window_ns"] == 500_000
    )
    assert columns["t_ns"][:3] == [0, 500_000, 1_000_000]
    assert sum(columns["read_requests"]) == document["host"]["read"]["requests"]
    assert max(filter(None, columns["read_latency_ns_max"])) == round(
        1000 * document["host"]["read"]["latency_us"]["max"]
    )
    done = run_slcache(*words, "--window", "10us")
    short = json.loads(done.stdout)["series"]
    assert short["window_ns"] > 10_000
    assert len(short["columns"]["t_ns"]) <= 65_536
    assert "the windows of the series last" in done.stderr.decode()
    plain = json.loads(run_slcache(*words).stdout)
    assert "series_window_ns" not in plain["config"]["run"]
