"""What verbs and functions that write traces keep, and how hints come from them to a scheme."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import slcache
from slcache.given import quantity
from slcache.traces import api
from support import process
from support import slcache as command

if TYPE_CHECKING:
    from slcache._core import View, Write


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
    trace = slcache.Trace(source, "mqsim", options)

    def sectors(take: int | None = None, copies: str | None = None) -> list[int]:
        path, text = tmp_path / "p.parquet", tmp_path / "p.txt"
        api.cut(trace, path, take=take, copies=copies)
        slcache.Trace(path).convert(text, to="ssdsim", lossy=["label"])
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


#: Writes of 4 KiB to pages 0, 1, 2, ... with these hints, each in turn.
HINTS = (0, 1, 17, 255)
COLUMNS = {
    **{"format": "generic", "header": "true", "op": "op", "hint": "hint"},
    **{"time": "at", "time_unit": "ms"},
    **{"address": "sector", "address_unit": "sector", "size": "sectors", "size_unit": "sector"},
}


class ByHint(slcache.Scheme):
    """Has a place for what comes with its hint, and none for anything else."""

    regions: ClassVar = {"slc": slcache.slc(1), "dense": slcache.dense()}

    def place(self, write: Write, view: View) -> str:
        """Return a region where the hint is that of the page."""
        return "dense" if write.hint == HINTS[write.page % 4] else "none"


@pytest.fixture
def hinted(tmp_path: Path) -> Path:
    path = tmp_path / "hints.csv"
    rows = (f"{page},{8 * page},8,W,{HINTS[page % 4]}" for page in range(100))
    path.write_text("at,sector,sectors,op,hint\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("buffer", [{}, {"buffer.bytes": 16384}])
def test_a_scheme_sees_the_hint(hinted: Path, buffer: dict[str, object]) -> None:
    kept = hinted.with_name("kept.parquet")
    slcache.Trace(hinted, options=COLUMNS).convert(kept)
    how: dict[str, Any] = {"device": "tiny", "scheme": ByHint, "settings": buffer}
    slcache.run(hinted, trace_options=COLUMNS, **how)
    slcache.run(kept, **how)
    without = {key: value for key, value in COLUMNS.items() if key != "hint"}
    with pytest.raises(slcache.RunError, match="none"):
        slcache.run(hinted, trace_options=without, **how)


def test_hints_are_counted_and_lost_by_name_alone(hinted: Path) -> None:
    options = [f"--trace-option={key}={value}" for key, value in COLUMNS.items()]
    document = json.loads(command("trace", "info", hinted, "--json", *options).stdout)
    each = {"writes": 25, "write_bytes": 25 * 4096}
    assert document["hints"] == [{"hint": hint, **each} for hint in HINTS]
    to = [*f"trace convert {hinted} -o {hinted}.out --as mqsim".split(), *options]
    refused = command(*to)
    assert refused.returncode == 4
    assert b'lossy = "hint"' in refused.stderr
    assert command(*to, "--lossy", "hint").returncode == 0
