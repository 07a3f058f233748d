"""The verbs that write traces: what they keep, what they tell, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from slcache.given import quantity
from support import mixed, process, slcache, write_trace

ROWS = mixed(count=100)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A hundred requests, two milliseconds apart."""
    return write_trace(tmp_path / "small.csv", ROWS)


def make(verb: str, trace: Path | list[Path], out: Path, *arguments: str) -> dict[str, Any]:
    """Run a verb that writes a trace; return its report."""
    traces = trace if isinstance(trace, list) else [trace]
    done = slcache("trace", verb, *traces, "-o", out, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def info(trace: Path, **options: str) -> dict[str, Any]:
    """Return a trace's figures."""
    return package.Trace(trace, options=options).info()


def test_parquet_and_back_gives_the_same_requests(small: Path, tmp_path: Path) -> None:
    make("convert", small, tmp_path / "t.parquet")
    make("convert", tmp_path / "t.parquet", tmp_path / "back.csv", "--as", "msr")
    before, after = info(small), info(tmp_path / "back.csv")
    different = {key for key in before if before[key] != after[key]}
    assert different <= {"file", "summary"}


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
    report = make("convert", small, tmp_path / "out.parquet", *how)
    assert [output["requests"] for output in report["outputs"]] == [requests]
    figures = info(tmp_path / "out.parquet")
    assert figures["requests"] == requests
    assert figures["duration_s"] == pytest.approx(duration_s)


def test_several_traces_are_volumes_in_order_of_time(small: Path, tmp_path: Path) -> None:
    make("convert", [small, small], tmp_path / "two.parquet")
    figures = info(tmp_path / "two.parquet", volume="each")
    assert figures["requests"] == 200
    assert [stream["requests"] for stream in figures["streams"]] == [100, 100]
    assert figures["duration_s"] == pytest.approx(0.198)


def test_a_trace_on_standard_output_is_nothing_else(small: Path) -> None:
    done = process("trace", "convert", small, "-o", "-", "--as", "msr", "--json")
    assert len(done.stdout.splitlines()) == len(ROWS)
    assert json.loads(done.stderr)["outputs"][0]["requests"] == len(ROWS)


def test_losses_are_refused_until_named_and_then_counted(tmp_path: Path) -> None:
    trace = tmp_path / "t.blkparse"
    lines = (f"8,0 0 {i} 0.{i:09d} 1 D {rw} {8 * i} + 8 [x]\n" for i, rw in enumerate("WDW", 1))
    trace.write_text("".join(lines))
    out = tmp_path / "t.trace"
    done = slcache("trace", "convert", trace, "-o", out, "--as", "mqsim", "--lossy", "volume")
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"request 2 does not fit the format mqsim" in done.stderr
    assert b'lossy = "trim"' in done.stderr
    assert not out.exists()
    report = make("convert", trace, out, "--as", "mqsim", "--lossy", "trim,volume")
    assert report["outputs"][0]["lost"]["trim"] == 1


BAD = [
    (["convert", "{trace}"], 2, "--out"),
    (["convert", "{trace}", "-o", "{out}", "--as", "nonsense"], 3, "nonsense"),
    (["convert", "{trace}", "-o", "{out}", "--as", "msr", "--lossy", "all"], 3, "all"),
    (["convert", "{trace}", "-o", "{missing}/t.parquet"], 1, "missing"),
    (["convert", "{missing}", "-o", "{out}"], 4, "missing"),
    (["convert", "{trace}", "{missing}", "-o", "{out}"], 4, "missing"),
    (["convert", "{trace}", "{trace}", "-o", "{out}", "--volume", "x"], 4, "--volume"),
    *(
        (["convert", "{trace}", "-o", "{out}", "--trace-option", option], 3, option.split("=")[0])
        for option in (
            *("from_ns=1h", "from_ns=soon", "to_ns=0s", "skip=100", "skip=-1", "take=0"),
            *("copies=0.5", "copies=x", "time_scale=0", "rebase=x"),
        )
    ),
    (["generate", "nonsense", "-o", "{out}"], 4, "nonsense"),
]


@pytest.mark.parametrize(("arguments", "status", "told"), BAD, ids=[" ".join(b[0]) for b in BAD])
def test_bad_requests_are_told_and_leave_nothing(
    small: Path, tmp_path: Path, arguments: list[str], status: int, told: str
) -> None:
    names = {"trace": small, "out": tmp_path / "out.parquet", "missing": tmp_path / "missing"}
    filled = [argument.format(**names) for argument in arguments]
    done = slcache("trace", *filled)
    assert (done.returncode, done.stdout) == (status, b""), done.stderr
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [small.name]


@pytest.mark.parametrize(
    ("text", "value"),
    [("4096", 4096), ("4k", 4096), ("1.5KiB", 1536), ("2GB", 2 * 10**9), ("1 T", 1 << 40)],
)
def test_sizes_are_read_exactly(text: str, value: int) -> None:
    assert quantity.size_bytes(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("10us", 10_000), ("1.5 ms", 1_500_000), ("0.1µs", 100), ("2min", 120 * 10**9), ("0s", 0)],
)
def test_times_are_read_exactly(text: str, value: int) -> None:
    assert quantity.time_ns(text) == value


@pytest.mark.parametrize("text", ["", "k", "-4k", "4x", "0.3", "1e3", "4 k k", "4KB"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"size|number"):
        quantity.size_bytes(text)


@pytest.mark.parametrize("text", ["", "5", "1.5ns", "3 weeks", "-1s"])
def test_other_times_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"time|number"):
        quantity.time_ns(text)
