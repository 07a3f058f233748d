"""The verbs that write traces: what they keep, what they tell, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache as package
from slcache.given import quantity
from slcache.traces import api
from support import process


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


def test_a_trace_on_standard_output_is_nothing_else(trace: Path) -> None:
    done = process("trace", "convert", trace, trace, "-o", "-", "--as", "msr", "--json")
    assert len(done.stdout.splitlines()) == 800
    assert json.loads(done.stderr)["outputs"][0]["requests"] == 800


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
