"""Latency logs: what is no steady log of single random requests is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hidden_drives import lines, steady
from slcache.errors import TraceError
from slcache.fit import files


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        (lines(steady, count=999), "999 requests: must be at least 1000"),
        (lines(steady, lambda row: [*row[:3], "0", "0"]), "without log_avg_msec"),
        (lines(steady, lambda row: [*row[:2], "2", *row[3:]]), "direction 2: must be 0"),
        (lines(steady, lambda row: [row[0], "80.5", *row[2:]]), "'80.5': no whole number"),
        (lines(steady, lambda row: [row[0], "80", *row[2:]]), "no ns, as before fio 3"),
        (lines(steady, lambda row: [row[0], "160000", *row[2:]]), "more than one request"),
        (lines(lambda i: 8e4 * (1 + i / 1200)), "no steady state; not identifiable"),
        (lines(steady) + "200, 80000, 1, 4096, 0\n", ":1201: writes beside reads"),
        (lines(steady) + "200, 80000, 0, 8192, 0\n", ":1201: block size 8192 beside 4096"),
        (lines(steady) + "90, 80000, 0, 4096, 0\n", ":1201: time 90 ms is before"),
        (
            "".join(f"{i // 12}, 80000, 0, 4096, {4096 * i}, 0\n" for i in range(1200)),
            "in order: the requests must be random",
        ),
    ],
)
def test_logs_that_tell_nothing_end_in_words(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "read_lat.1.log"
    path.write_text(text)
    with pytest.raises(TraceError, match=told):
        files.read_file(path)


def test_two_logs_of_one_kind_are_refused(tmp_path: Path) -> None:
    paths = [tmp_path / "a.log", tmp_path / "b.log"]
    for path in paths:
        path.write_text(lines(steady))
    with pytest.raises(TraceError, match=r"b\.log: 4 KiB random reads, as in .*a\.log"):
        files.several(paths)
