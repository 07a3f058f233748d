"""The verbs that write traces: what they keep, what they tell, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from slcache.given import quantity
from slcache.traces import api
from support import mixed, process, slcache, write_trace

ROWS = mixed(count=100)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A hundred requests, two milliseconds apart."""
    return write_trace(tmp_path / "small.csv", ROWS)


def convert(*words: str | Path) -> dict[str, Any]:
    """Convert traces; return the report."""
    done = slcache("trace", "convert", *words, "--json")
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def info(trace: Path, **options: str) -> dict[str, Any]:
    """Return a trace's figures."""
    return package.Trace(trace, options=options).info()


def test_parquet_and_back_gives_the_same_requests(small: Path, tmp_path: Path) -> None:
    convert(small, "-o", tmp_path / "t.parquet")
    convert(tmp_path / "t.parquet", "-o", tmp_path / "back.csv", "--as", "msr")
    before, after = info(small), info(tmp_path / "back.csv")
    assert {key for key in before if before[key] != after[key]} <= {"file", "summary"}


@pytest.mark.parametrize(
    ("options", "requests", "duration_s"),
    [
        ("from_ns=100ms to_ns=150ms", 25, 0.048),
        ("skip=10 take=5", 5, 0.008),
        ("time_scale=0.5", 100, 0.099),
        ("copies=2.5", 250, 0.494),
        ("from_ns=100ms copies=3 time_scale=1/2", 150, 0.147),
    ],
)
def test_parts_and_copies_hold_what_was_asked_for(
    small: Path, tmp_path: Path, options: str, requests: int, duration_s: float
) -> None:
    how = [word for option in options.split() for word in ("--trace-option", option)]
    report = convert(small, "-o", tmp_path / "out.parquet", *how)
    assert [output["requests"] for output in report["outputs"]] == [requests]
    figures = info(tmp_path / "out.parquet")
    assert figures["requests"] == requests
    assert figures["duration_s"] == pytest.approx(duration_s)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"skip": "10", "take": "30"},
        {"from_ns": "20us", "to_ns": "60us"},
        {"take": "10", "copies": "3"},
        {"time_scale": "1/3"},
        {"resample": "1"},
    ],
    ids=str,
)
def test_a_part_of_a_part_is_of_what_the_options_of_the_reader_leave(
    options: dict[str, str], tmp_path: Path
) -> None:
    source = tmp_path / "t.csv"
    source.write_text("".join(f"{i * 1000} 0 {i} 1 0\n" for i in range(100)))
    trace = package.Trace(source, "mqsim", options)

    def sectors(take: int | None = None, copies: str | None = None) -> list[int]:
        path, text = tmp_path / "p.parquet", tmp_path / "p.txt"
        api.cut(trace, path, take=take, copies=copies)
        package.Trace(path).convert(text, to="ssdsim", lossy=["label"])
        return [int(line.split()[2]) for line in text.read_text().splitlines()]

    whole = sectors(copies="1")
    assert len(whole) == trace.info()["requests"]
    assert sectors(take=5) == whole[:5]
    assert sectors(copies="5/2") == (whole * 3)[: len(whole) * 5 // 2]


def test_several_traces_are_volumes_in_order_of_time(small: Path, tmp_path: Path) -> None:
    convert(small, small, "-o", tmp_path / "two.parquet")
    figures = info(tmp_path / "two.parquet", volume="each")
    assert figures["requests"] == 200
    assert [stream["requests"] for stream in figures["streams"]] == [100, 100]
    assert figures["duration_s"] == pytest.approx(0.198)


def test_a_trace_on_standard_output_is_nothing_else(small: Path) -> None:
    done = process("trace", "convert", small, "-o", "-", "--as", "msr", "--json")
    assert len(done.stdout.splitlines()) == len(ROWS)
    assert json.loads(done.stderr)["outputs"][0]["requests"] == len(ROWS)


def test_losses_are_refused_until_named_and_then_counted(tmp_path: Path) -> None:
    trace, out = tmp_path / "t.blkparse", tmp_path / "t.trace"
    lines = (f"8,0 0 {i} 0.{i:09d} 1 D {rw} {8 * i} + 8 [x]\n" for i, rw in enumerate("WDW", 1))
    trace.write_text("".join(lines))
    how = (trace, "-o", out, "--as", "mqsim", "--lossy")
    done = slcache("trace", "convert", *how, "volume")
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"request 2 does not fit the format mqsim" in done.stderr
    assert b'lossy = "trim"' in done.stderr
    assert not out.exists()
    assert convert(*how, "trim,volume")["outputs"][0]["lost"]["trim"] == 1


SIZES = {"4096": 4096, "4k": 4096, "1.5KiB": 1536, "2GB": 2 * 10**9, "1 T": 1 << 40}
TIMES = {"10us": 10_000, "1.5 ms": 1_500_000, "0.1µs": 100, "2min": 120 * 10**9, "0s": 0}


def test_sizes_and_times_are_read_exactly_or_refused() -> None:
    assert {text: quantity.size_bytes(text) for text in SIZES} == SIZES
    assert {text: quantity.time_ns(text) for text in TIMES} == TIMES
    for text in ("", "k", "-4k", "4x", "0.3", "1e3", "4 k k", "4KB"):
        with pytest.raises(ValueError, match=r"size|number"):
            quantity.size_bytes(text)
    for text in ("", "5", "1.5ns", "3 weeks", "-1s"):
        with pytest.raises(ValueError, match=r"time|number"):
            quantity.time_ns(text)
