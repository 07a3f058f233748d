"""Logs of a fill: every form of fio is read alike, and what is no whole fill is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from hidden_drives import windows
from slcache.errors import TraceError
from slcache.fit import log

LINE = "500, 2000000, 1, 0, 0\n"


def test_forms_of_logs_say_the_same(tmp_path: Path) -> None:
    written = windows([(2.0, 4000.0), (6.0, 1000.0)], 20)
    rates = [round(w / 1.024 / 20) for w in written if w > 1e6]
    rows = [(20 * (i + 1), rate) for i, rate in enumerate(rates)]
    ends = np.cumsum([rate * 1024 * 20 / 1000 for rate in rates])
    forms = {
        "fio to 3.17": [f"{t}, {r}, 1, 0" for t, r in rows],
        "with offset, to 3.17": [f"{t}, {r}, 1, 0, 0" for t, r in rows],
        "3.28 to 3.36": [f"{t}, {r}, 1, 0, 0" for t, r in rows],
        "log_prio": [f"{t}, {r}, 1, 0, 0x4001" for t, r in rows],
        "log_offset": [f"{t}, {r}, 1, 0, 0, 0" for t, r in rows],
        "log_issue_time": [f"{t}, {r}, 1, 0, 0, 0, 0" for t, r in rows],
        "log_unix_epoch": [f"{t + 1_700_000_000_000}, {r}, 1, 0, 0" for t, r in rows],
        "csv": [
            "gb,mb_s",
            *(f"{e / 1e9},{r * 1.024e-3!r}" for e, r in zip(ends, rates, strict=True)),
        ],
    }
    forms["csv behind a mark, of Windows"] = [
        f"{mark}{line}\r"
        for mark, line in zip(["\ufeff", *[""] * 10**4], forms["csv"], strict=False)
    ]
    for name, lines in forms.items():
        path = tmp_path / "one.log"
        path.write_text("\n".join(lines) + "\n", newline="")
        found = log.read(path, 6_000_000_000)
        assert found.written == pytest.approx(ends), name
        assert found.seconds == pytest.approx([t / 1000 for t, _ in rows]), name


def test_a_log_of_single_requests_counts_their_sizes(tmp_path: Path) -> None:
    mib, path = 1 << 20, tmp_path / "one.log"
    # Rates are those of each request alone, and a deep queue is not quite in order.
    offsets = [i ^ 1 for i in range(400)]
    path.write_text(
        "".join(f"{i // 2}, 9999, 1, {mib}, {o * mib}, 0\n" for i, o in enumerate(offsets))
    )
    found = log.read(path, 400 * mib)
    assert found.written[-1] == 400 * mib
    assert found.seconds[-1] == pytest.approx(0.199)


def test_a_stall_without_entries_is_time_if_the_data_are_all_there(tmp_path: Path) -> None:
    path = tmp_path / "one.log"
    times = [500 * (i + 1 + 8 * (i > 9)) for i in range(20)]
    path.write_text("".join(f"{t}, 2000000, 1, 0, 0\n" for t in times))
    found = log.read(path, 20 * 1_024_000_000)
    assert (found.seconds[-1], found.written[-1]) == (14.0, 20 * 1_024_000_000)
    with pytest.raises(TraceError, match=r"one.log:11: no entry in the 4500 ms .* --user SIZE"):
        log.read(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("\x00\x01", "1 columns"),
        ("time,bw,dir,bs\n", "no whole number"),
        (LINE + "1000, 2000000, 0, 0, 0\n", ":2: a read (direction 0)"),
        (LINE + "1000, 2000000, 2, 0, 0\n", ":2: a trim (direction 2)"),
        (LINE + "1000, 2000000, 9000, 1, 0\n", ":2: direction 9000"),
        (LINE + "400, 2000000, 1, 0, 0\n", ":2: time 400 ms is before"),
        (LINE + "1000, 2000000, 1, 0\n", ":2: 4 columns, 5 in the first line"),
        (LINE * 2, "most entries have the same time"),
        (LINE + LINE.replace("500", "1000"), "2.048 GB written, not 1000 GB"),
        (LINE + "1000, -5, 1, 0, 0\n", ":2: KiB/s '-5'"),
        (LINE + "1000, 2000000, 1, 4096, 0\n", ":2: block size 4096 beside 0"),
        (
            "".join(f"{i}, 9, 1, 1048576, {i % 200 * 1048576}, 0\n" for i in range(400)),
            ":201: offset 0 goes back",
        ),
        ("gb,mb_s\n", "has no row"),
        ("gb,mb_s\n1,900\n1,900\n", ":3: gb = 1: must be above the 1 before it"),
        ("gb,mb_s\n1,0\n", ":2: mb_s = 0: must be 0.001 to 1,000,000"),
        ("gb,mb_s\n1,1e308\n", ":2: mb_s = 1e+308: must be 0.001 to"),
        ("gb,mb_s\n1e308,9\n", ":2: gb = 1e+308: must be above the 0 before it, and at most"),
        ("gb,mb_s\n1,fast\n", ":2: '1,fast': expected two numbers"),
        ("gb,mb_s\n1,nan\n", ":2: '1,nan': expected two numbers"),
        ("gb,mb_s\n-1,9\n", ":2: gb = -1: must be above the 0"),
        ("gb,mb_s,gb\n1,9,1\n", ":1: columns gb, mb_s, gb: must be gb and mb_s"),
        ("mb_s,gb\n9,1\n", ":1: columns mb_s, gb: must be gb and mb_s"),
        ("\ufeffgb,mb_s\n1,900\n1,900\n", ":3: gb = 1: must be above"),
        (LINE.replace("2000000", "2000"), "0.001024 GB written: must be 2^28"),
        (LINE.replace("2000000", "0") * 2, "most entries have the same time"),
        ("500, 0, 1, 0, 0\n1000, 0, 1, 0, 0\n", "0 GB written: must be 2^28 to 2^50 bytes"),
        (LINE + f"1000, {'9' * 400}, 1, 0, 0\n", ":2: KiB/s '999999999999999999999999…': must be"),
        (LINE + "1000, 18446744073709551616, 1, 0, 0\n", "must be at most 2^64 - 1"),
        (LINE + "1000, 1e308, 1, 0, 0\n", ":2: KiB/s '1e308': no whole number"),
        (LINE + "-1, 9, 1, 0, 0\n", ":2: time '-1': no whole number"),
        ("500 ms, 2000000, 1, 0, 0\n", ":1: time '500 ms': no whole number"),
    ],
)
def test_what_is_no_fill_is_refused_in_words(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "bad.log"
    path.write_text(text)
    with pytest.raises(TraceError, match=re.escape(told)) as raised:
        log.read(path, 1_000_000_000_000)
    assert str(path) in str(raised.value)
    assert raised.value.file == str(path)


def test_jobs_side_by_side_are_no_fill(tmp_path: Path) -> None:
    path = tmp_path / "fill_bw.1.log"
    path.write_text(LINE * 3)
    (tmp_path / "fill_bw.2.log").write_text("")
    with pytest.raises(TraceError, match=r"fill_bw.2.log beside it is another job"):
        log.read(path)
