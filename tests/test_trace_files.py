"""The verbs that write traces: what they keep, what they tell, and what they refuse."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from slcache.given import quantity
from support import command, heed_ctrl_c, mixed, process, slcache, write_trace

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
    ("verb", "arguments", "requests", "duration_s"),
    [
        ("sample", ["--every", "4"], 25, None),
        ("sample", ["--share", "1"], 100, 0.198),
        ("window", ["--from", "100ms", "--to", "150ms", "--rebase"], 25, 0.048),
        ("window", ["--skip", "10", "--take", "5"], 5, 0.008),
        ("scale", ["--time", "0.5"], 100, 0.099),
        ("remap", ["--page", "4k"], 100, 0.198),
        ("repeat", ["--times", "3", "--gap", "2ms"], 300, None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_changed_copies_hold_what_was_asked_for(
    small: Path,
    tmp_path: Path,
    verb: str,
    arguments: list[str],
    requests: int,
    duration_s: float | None,
) -> None:
    report = make(verb, small, tmp_path / "out.parquet", *arguments)
    assert [output["requests"] for output in report["outputs"]] == [requests]
    figures = info(tmp_path / "out.parquet")
    assert figures["requests"] == requests
    if duration_s is not None:
        assert figures["duration_s"] == pytest.approx(duration_s)


def test_remap_leaves_no_gap(small: Path, tmp_path: Path) -> None:
    make("remap", small, tmp_path / "dense.parquet")
    figures = info(tmp_path / "dense.parquet")
    assert figures["end_address_bytes"] == figures["touched_4kib_pages"] * 4096


def test_split_names_its_parts(small: Path, tmp_path: Path) -> None:
    report = make("split", small, tmp_path / "part-{}.parquet", "--requests", "30")
    assert [output["requests"] for output in report["outputs"]] == [30, 30, 30, 10]
    assert all(Path(output["file"]).exists() for output in report["outputs"])


def test_split_by_volume_needs_no_other_option(small: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.csv"
    both.write_text(small.read_text() + small.read_text().replace(",test,", ",other,"))
    report = make("split", both, tmp_path / "{}.parquet", "--volumes", "--unsorted", "sort:200")
    assert [output["requests"] for output in report["outputs"]] == [100, 100]


def test_merged_traces_are_volumes_in_order_of_time(small: Path, tmp_path: Path) -> None:
    make("merge", [small, small], tmp_path / "two.parquet")
    figures = info(tmp_path / "two.parquet", volume="each")
    assert figures["requests"] == 200
    assert [stream["requests"] for stream in figures["streams"]] == [100, 100]
    assert figures["duration_s"] == pytest.approx(0.198)


def test_a_sample_is_the_same_for_the_same_seed(small: Path, tmp_path: Path) -> None:
    hashes = []
    for i, seed in enumerate(("7", "7", "8")):
        out = tmp_path / f"{i}.csv"
        make("sample", small, out, "--share", "0.3", "--seed", seed, "--as", "msr")
        hashes.append(out.read_bytes())
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_report_for_readers_names_file_and_count(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "few.parquet"
    done = slcache("trace", "window", small, "-o", out, "--take", "5")
    text = done.stdout.decode().replace("\n", "")
    assert f"read {small} (msr)" in text
    assert "5 requests" in text
    assert done.stderr == b""


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
    (["split", "{trace}", "-o", "{out}"], 2, "--volumes"),
    (["split", "{trace}", "-o", "{out}", "--requests", "10", "--time", "1s"], 2, "--requests"),
    (["split", "{trace}", "-o", "{out}", "--requests", "10"], 3, "{}"),
    (["sample", "{trace}", "-o", "{out}"], 2, "--every"),
    (["sample", "{trace}", "-o", "{out}", "--share", "2"], 3, "share"),
    (["sample", "{trace}", "-o", "{out}", "--share", "half"], 3, "half"),
    (["window", "{trace}", "-o", "{out}"], 2, "--from"),
    (["window", "{trace}", "-o", "{out}", "--from", "soon"], 2, "soon"),
    (["window", "{trace}", "-o", "{out}", "--from", "9"], 2, "time"),
    (["window", "{trace}", "-o", "{out}", "--from", "1h"], 3, "no request"),
    (["scale", "{trace}", "-o", "{out}"], 2, "--time"),
    (["scale", "{trace}", "-o", "{out}", "--time", "0"], 3, "positive number"),
    (["remap", "{trace}", "-o", "{out}", "--page", "1000"], 3, "1000"),
    (["remap", "{trace}", "-o", "{out}", "--page", "4x"], 2, "4x"),
    (["repeat", "{trace}", "-o", "{out}", "--times", "0"], 2, "--times"),
    (["merge", "{trace}", "{trace}", "-o", "{out}", "--addresses", "x"], 2, "stacked"),
    (["merge", "{trace}", "{trace}", "-o", "{out}", "--offset", "4k"], 3, "offset"),
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


def test_ctrl_c_leaves_nothing_half_written(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "long.parquet"
    arguments: list[str | Path] = ["trace", "repeat", small, "-o", out, "--times", "100000000"]
    with subprocess.Popen(
        command([*arguments, "--progress", "always"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_ctrl_c,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline(), "no progress before the end"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == [small.name]


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
