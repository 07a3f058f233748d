"""Beginnings and copies of a trace are those of what the reader's options leave."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache
from slcache.traces import api


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
def test_a_part_of_a_part(options: dict[str, str], tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text("".join(f"{i * 1000} 0 {i} 1 0\n" for i in range(100)))
    trace = slcache.Trace(source, "mqsim", options)

    def sectors(take: int | None = None, copies: str | None = None) -> list[int]:
        path = tmp_path / "p.parquet"
        api.cut(trace, path, take=take, copies=copies)
        text = tmp_path / "p.txt"
        slcache.Trace(path).convert(text, to="ssdsim", lossy=["label"])
        return [int(line.split()[2]) for line in text.read_text().splitlines()]

    whole = sectors(copies="1")
    assert len(whole) == trace.info()["requests"]
    assert sectors(take=5) == whole[:5]
    assert sectors(copies="5/2") == (whole * 3)[: len(whole) * 5 // 2]
