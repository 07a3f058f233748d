"""What `trace info` says about a trace, and how it is checked, drawn and described."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import slcache as package
from slcache.documents.schemata import schema
from slcache.traces import against
from support import EPOCH, TICKS_PER_MS, line, slcache, write_trace

KIB = 1024
#: Ten writes of 4 KiB to one page, then two to others, one of 16 KiB over them all, two reads.
ROWS = [
    *((i, "Write", 0, 4 * KIB) for i in range(10)),
    (2_000, "Write", 4 * KIB, 4 * KIB),
    (2_001, "Write", 8 * KIB, 4 * KIB),
    (2_002, "Write", 0, 16 * KIB),
    (2_003, "Read", 16 * KIB, 4 * KIB),
    (2_004, "Read", 1_024 * KIB, 8 * KIB),
]
RESPONSE_TICKS = 2 * TICKS_PER_MS


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace whose figures follow from ROWS by hand; every request took 2 ms."""
    path = tmp_path_factory.mktemp("info") / "known.csv"
    lines = (line(EPOCH + ms * TICKS_PER_MS, op, at, size) for ms, op, at, size in ROWS)
    path.write_text("".join(text.rstrip("0\n") + f"{RESPONSE_TICKS}\n" for text in lines))
    return path


def info(trace: Path, *arguments: str | Path) -> dict[str, Any]:
    """Return the JSON document of `trace info`, which is as its schema says."""
    done = slcache("trace", "info", trace, "--json", *arguments)
    assert done.stderr == b""
    document: dict[str, Any] = json.loads(done.stdout)
    Draft202012Validator(schema("trace-info")).validate(document)
    return document


@pytest.fixture(scope="module")
def told(known: Path) -> dict[str, Any]:
    """What is said of it."""
    return info(known, "--expect", "requests=15")


FIGURES = {
    "requests": 15,
    "write_share": 13 / 15,
    "mean_write_bytes": 4 * KIB * 16 / 13,
    "p50_write_bytes": 4 * KIB,
    "p99_write_bytes": 16 * KIB,
    "written_4kib_pages": 4,
    "touched_4kib_pages": 7,
    "read_first_share": 3 / 7,
    "update_ratio": 12 / 16,
    "update_writes": 10,
    "update_writes_up_to_4kib_share": 0.9,
    "sequential_share": 3 / 15,
    "mean_run_requests": 15 / 12,
    "duration_s": 2.004,
    "short_gap_runs": 11 / 12,
    "short_pause_runs": 0,
    "mean_burst_requests": 7.5,
    "median_burst_requests": 10,
    "write_after_write_share": 12 / 13,
    "overwriting_writes": 9,
    "repeated_extent_share": 1,
    "writers_per_16kib_page": 1,
    # Two bursts write 40 and 24 KiB; sizes are told to the end of a class of 1/16.
    "median_burst_write_bytes": 42 * KIB - 1,
    # Of twelve rewrites ten come at once, one behind a page and one behind two.
    "rewrite_distance_p50_bytes": 0,
    "rewrite_distance_p90_bytes": 4.25 * KIB - 1,
    "phase_write_share_spread": math.sqrt(13 * 2) / 15,
}


def test_figures_are_those_counted_by_hand(told: dict[str, Any]) -> None:
    assert {name: told[name] for name in FIGURES} == pytest.approx(FIGURES, rel=1e-12)
    hot = {entry["pages_share"]: entry for entry in told["hot_set"]["hottest"]}
    # Four pages were written 11, 2, 2 and 1 times; half of them is the first two.
    assert hot[0.5]["write_share"] == pytest.approx(13 / 16)
    assert hot[1.0]["access_share"] == 1
    response = told["response"]
    assert response["requests"] == 15
    assert response["write_us"]["p99_9"] == pytest.approx(2_000, rel=1e-3)
    assert response["mean_queue_depth"] == pytest.approx(15 * 0.002 / 2.004)


def test_idle_time_and_gaps(told: dict[str, Any]) -> None:
    gaps = told["interarrival"]
    assert gaps["us"]["p50"] == pytest.approx(1_000, rel=1e-3)
    assert gaps["us"]["max"] == 1_991_000
    over_1s = next(idle for idle in gaps["idle"] if idle["over_us"] == 1_000_000)
    assert (over_1s["gaps"], over_1s["time_s"]) == (1, 1.991)
    assert over_1s["share"] == pytest.approx(1.991 / 2.004)
    assert sum(decade["gaps"] for decade in gaps["decades"]) == len(ROWS) - 1
    classes = told["gap_classes"]
    filled = {c.get("to_ns"): (c["share"], c["mean_ns"]) for c in classes if c["share"]}
    assert filled == {10**6: (13 / 14, 1e6), None: (1 / 14, 1_991e6)}
    assert [c.get("to_ns") for c in classes] == [*(10**p for p in range(4, 10)), None]


def test_nothing_is_lost_between_the_figures(told: dict[str, Any]) -> None:
    for side in ("read", "write"):
        count = told[f"{side}s"]
        assert sum(told["timeline"][f"{side}_requests"]) == count
        assert sum(told["timeline"][f"{side}_bytes"]) == told[f"{side}_bytes"]
        assert sum(told["address_map"][f"{side}s"]) == count
        assert sum(bucket[f"{side}s"] for bucket in told["size_histogram"]) == count


def test_volumes_side_by_side_have_figures_of_their_own(tmp_path: Path) -> None:
    trace = tmp_path / "two.csv"
    one, two = (line(EPOCH + i, "Write", 4096 * i, 4096) for i in (0, 1))
    trace.write_text(one + two.replace("test", "other") + two)
    streams = info(trace, "--volume", "each")["streams"]
    found = [(s["volume"], s["requests"], s["sequential_share"]) for s in streams]
    assert found == [("test_0", 2, 0.5), ("other_0", 1, 0.0)]


def test_two_traces_side_by_side(known: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.csv"
    half.write_text("".join(known.read_text().splitlines(keepends=True)[:10]))
    document = info(known, "--against", half)
    assert document["against"]["file"] == str(half)
    rows = {row["name"]: row for row in document["against"]["figures"]}
    assert (rows["requests"]["value"], rows["requests"]["ratio"]) == (15, 10 / 15)
    assert rows["write_share"]["difference"] == pytest.approx(1 - 13 / 15)
    assert (rows["mean_read_bytes"]["against"], rows["mean_read_bytes"]["ratio"]) == (None, None)
    assert rows["gap_classes[6].share"]["difference"] == pytest.approx(-1 / 14)


def test_a_trace_against_a_workload_or_a_file_of_another_format(
    known: Path, tmp_path: Path
) -> None:
    document = info(known, "--against", "zipf-4k", "--against-option", "workload.requests=100")
    rows = {row["name"]: row for row in document["against"]["figures"]}
    assert rows["requests"]["against"] == 100
    other = tmp_path / "other.trace"
    other.write_text("0 0 8 8 1\n1000 0 16 8 0\n")
    document = info(known, "--against", other, "--against-option", "format=mqsim")
    assert document["against"]["figures"][0]["against"] == 2


def test_traces_on_which_schemes_would_differ_are_told(known: Path, tmp_path: Path) -> None:
    larger = [(ms, op, 4 * at, 4 * size) for ms, op, at, size in ROWS]
    other = write_trace(tmp_path / "larger.csv", larger)
    warnings = info(known, "--against", other)["against"]["warnings"]
    assert any(text.startswith("mean write") and text.endswith("latency") for text in warnings)
    assert not any("page writes" in text for text in warnings)
    shown = slcache("trace", "info", known, "--against", other).stdout
    assert warnings[0].split()[0].encode() in shown
    assert info(known, "--against", known)["against"]["warnings"] == []


@pytest.mark.parametrize(
    ("figures", "agree"),
    [
        ("requests=15", True),
        ("requests=16", False),
        ("requests=16~1", True),
        ("write_share=0.867,mean_write_kib=4.92", True),
        ("write_percent=86.7", True),
        ("write_percent=86.6", False),
        ("write_percent=86.6~0.5%", True),
        ("interarrival.us.p50=1000~0.2%", True),
        ("duration_ms=2004", True),
    ],
)
def test_expected_figures_decide_the_status(known: Path, figures: str, agree: bool) -> None:
    done = slcache("trace", "info", known, "--expect", figures)
    assert (done.returncode, "is off" in done.stdout.decode()) == (1 - agree, not agree)


def test_the_digits_printed_are_the_tolerance() -> None:
    tolerances = [figure.tolerance for figure in against.parse("a=0.701,b=12,c=1.5e3,d=8~2%")]
    assert tolerances == pytest.approx([0.0005, 0.5, 50, 0.16])


def test_the_shortest_trace_has_a_picture(tmp_path: Path) -> None:
    trace = tmp_path / "short.csv"
    trace.write_text(line(EPOCH, "Read", 0, 4096))
    assert info(trace, "--picture", tmp_path / "short.png")["requests"] == 1
    assert (tmp_path / "short.png").stat().st_size > 1_000
    package.Trace(trace).picture(tmp_path / "short.html")
    assert (tmp_path / "short.html").read_text().startswith("<!doctype html>")
