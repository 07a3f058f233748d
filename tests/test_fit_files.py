"""Files that `fit` reads: what each says, and whatever is wrong in one is told by line or key."""

from __future__ import annotations

import copy
import json
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import changed_runs
import fio_documents
from changed_runs import json_changed, text_changed
from example_logs import DRIVE
from hidden_drives import Parts, fio_log, lines, steady, windows
from slcache import fit
from slcache.drives import trials
from slcache.errors import TraceError
from slcache.execute import given
from slcache.fit import files, log
from slcache.fit.measured import Measured, Role
from support import cases

REAL = Path(__file__).with_name("fio_3_33.json")
NAMES = list(fio_documents.sections())
LINE = "500, 2000000, 1, 0, 0\n"


def test_forms_of_logs_say_the_same(tmp_path: Path) -> None:
    written = windows([(2.0, 4000.0), (6.0, 1000.0)], 20)
    rates = [round(w / 1.024 / 20) for w in written if w > 1e6]
    rows = [(20 * (i + 1), rate) for i, rate in enumerate(rates)]
    ends = np.cumsum([rate * 1024 * 20 / 1000 for rate in rates])
    csv = ["gb,mb_s", *(f"{e / 1e9},{r * 1.024e-3!r}" for e, r in zip(ends, rates, strict=True))]
    forms = {
        "fio to 3.17": [f"{t}, {r}, 1, 0" for t, r in rows],
        "3.28 to 3.36, and with offset to 3.17": [f"{t}, {r}, 1, 0, 0" for t, r in rows],
        "log_prio": [f"{t}, {r}, 1, 0, 0x4001" for t, r in rows],
        "log_offset": [f"{t}, {r}, 1, 0, 0, 0" for t, r in rows],
        "log_issue_time": [f"{t}, {r}, 1, 0, 0, 0, 0" for t, r in rows],
        "log_unix_epoch": [f"{t + 1_700_000_000_000}, {r}, 1, 0, 0" for t, r in rows],
        "csv": csv,
        "csv behind a mark, of Windows": [f"{line}\r" for line in [f"\ufeff{csv[0]}", *csv[1:]]],
    }
    for name, of in forms.items():
        path = tmp_path / "one.log"
        path.write_text("\n".join(of) + "\n", newline="")
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
    path = tmp_path / "one.log"
    times = [500 * (i + 1 + 8 * (i > 9)) for i in range(20)]
    path.write_text("".join(f"{t}, 2000000, 1, 0, 0\n" for t in times))
    found = log.read(path, 20 * 1_024_000_000)
    assert (found.seconds[-1], found.written[-1]) == (14.0, 20 * 1_024_000_000)
    with pytest.raises(TraceError, match=r"one.log:11: no entry in the 4500 ms .* --user SIZE"):
        log.read(path)


def test_what_fio_wrote_is_read(tmp_path: Path) -> None:
    reads, deep, flushed, synced = files.read_file(REAL)
    roles = [test.role for test in (reads, deep, flushed, synced)]
    assert roles == [Role.reads, Role.writes, Role.flushed, Role.synced]
    assert (reads.depth, deep.depth, reads.block_bytes, synced.block_bytes) == (1, 8, 4096, 16384)
    job = json.loads(REAL.read_text())["jobs"][1]["write"]
    assert deep.count == job["total_ios"]
    assert deep.figures["write"]["iops"] == job["iops"]
    assert deep.figures["write"]["p99"] * 1e3 == job["clat_ns"]["percentile"]["99.000000"]
    reads, erased, writes = read_as(tmp_path, FIGURES)
    assert reads.figures == {"read": {"iops": 13000, "p50": 67.1, "p99": 85.5}}
    assert (erased.role, writes.depth) == (Role.erased, 8)
    assert reads.turnaround is not None
    assert reads.turnaround.values[0] == pytest.approx(1e9 / 13000 - 67_100)


CSV = "rw,bytes,depth,iops,p50_us,p99_us,p99_9_us\n"
FIGURES = (
    CSV + "randread,4096,1,13000,67.1,85.5,\nerased,4096,1,,6.5,,\nrandwrite,4096,8,225000,,,\n"
)


def read_as(folder: Path, text: Any) -> list[Measured]:  # noqa: ANN401
    path = folder / "tests.json"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return files.read_file(path)


@pytest.fixture(scope="module")
def documents() -> dict[str, Any]:
    """Return what fio prints of every test of the job."""
    found: dict[str, Any] = json.loads(fio_documents.document(DRIVE, NAMES, requests=2_000))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_each_test_of_the_printed_job_is_simulated_as_it_is_printed(
    name: str, documents: dict[str, Any], tmp_path: Path
) -> None:
    options = fio_documents.sections()[name]
    # What fio says before a document is passed over.
    said = "note: both iodepth >= 1 and synchronous I/O engine are selected\n"
    tests = read_as(tmp_path, said + json.dumps(documents))
    test = tests[NAMES.index(name)]
    (run,) = trials.plan(test.trial(1.5), DRIVE).runs
    load = given.content_of(run.trace)
    assert isinstance(load, dict)
    assert run.replay == f"closed:{options.get('iodepth', '1')}"
    assert f"{int(load['global']['bs']) >> 10}k" == options["bs"]
    assert load["global"]["rw"] == options["rw"]
    flushed = "fsync" in options or "sync" in options
    assert load["global"].get("fsync", 0) == flushed
    assert load["requests"] == test.count * (1 + flushed)
    settings = run.settings or {}
    assert settings["host.turnaround_ns"] == 1500
    # An erased drive holds nothing, one that is read does, and one that is written may.
    assert ("trace.prefill" in settings) == (name == "erased")
    assert ("precondition.fill" in settings) == (test.role == Role.reads)


def fill(path: Path) -> object:
    return log.read(path, 1_000_000_000_000)


#: Logs of a fill that are none.
FILLS = [
    ("\x00\x01", "1 columns"),
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
    ("gb,mb_s\n1,nan\n", ":2: '1,nan': expected two numbers"),
    ("gb,mb_s,gb\n1,9,1\n", ":1: columns gb, mb_s, gb: must be gb and mb_s"),
    ("mb_s,gb\n9,1\n", ":1: columns mb_s, gb: must be gb and mb_s"),
    (LINE.replace("2000000", "2000"), "0.001024 GB written: must be 2^28"),
    ("500, 0, 1, 0, 0\n1000, 0, 1, 0, 0\n", "0 GB written: must be 2^28 to 2^50 bytes"),
    (LINE + f"1000, {'9' * 400}, 1, 0, 0\n", ":2: KiB/s '999999999999999999999999…': must be"),
    (LINE + "1000, 18446744073709551616, 1, 0, 0\n", "must be at most 2^64 - 1"),
    ("500 ms, 2000000, 1, 0, 0\n", ":1: time '500 ms': no whole number"),
]
#: Logs of latencies that are no steady log of single random requests.
WAITS = [
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
]
#: Rows of figures that are none.
ROWS = [
    ("randread,4096,1,13000,67.1,85.5", ":2: 6 columns, 7 in the first line"),
    ("trim,4096,1,13000,,,", ":2: rw = 'trim': must be one of"),
    ("randread,4k,1,13000,,,", ":2: bytes = '4k': must be a whole number"),
    ("randread,4097,1,13000,,,", ":2: bytes = 4097: must be a multiple of 512"),
    ("randread,4096,0,13000,,,", ":2: depth = '0': must be a whole number from 1"),
    ("randread,4096,1,,,,", ":2: neither iops nor p50_us"),
    ("randread,4096,1,-5,,,", ":2: iops = '-5': must be a number from 0.001"),
    ("randread,4096,1,1e3,,,", ":2: iops = '1e3': must be a number"),
    ("randread,4096,1,,90,80,", ":2: p50_us, p99_us and p99_9_us must rise"),
    ("", "has no row"),
]


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (fill, "", "is empty"),
        (files.read_file, "", "is empty"),
        *((fill, *case) for case in FILLS),
        *((files.read_file, *case) for case in WAITS),
        *((files.read_file, CSV + row, told) for row, told in ROWS),
    ],
)
def test_what_tells_nothing_is_refused_by_line(
    read: Callable[[Path], object], text: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.log"
    path.write_text(text)
    with pytest.raises(TraceError, match=re.escape(told)) as raised:
        read(path)
    assert str(path) in str(raised.value)
    assert raised.value.file == str(path)


def changed(document: dict[str, Any], place: str, value: object) -> dict[str, Any]:
    """Return a document with a value at a dotted place; ... takes the key out."""
    found = copy.deepcopy(document)
    *path, last = place.split(".")
    table: Any = found
    for part in path:
        table = table[int(part)] if isinstance(table, list) else table[part]
    if value is ...:
        del table[last.replace("!", ".")]
    else:
        table[int(last) if isinstance(table, list) else last.replace("!", ".")] = value
    return found


OPTIONS, OF_READS = "jobs.0.job options", "jobs.0.read.clat_ns"


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("fio version", "fio-2.21", "fio version: 'fio-2.21': must be fio-3 or newer"),
        ("fio version", ..., "fio version: missing"),
        ("jobs", [], "jobs: must be a list with a job"),
        ("jobs.0", 7, "jobs[0]: must be a table"),
        ("jobs.0.error", 5, "jobs[0].'read'.error: 5: the job failed"),
        ("global options.direct", "0", "job options.direct: '0': must be 1"),
        ("global options.direct", ..., "job options.direct: missing: must be 1"),
        (f"{OPTIONS}.rw", "trim", "job options.rw: 'trim': must be one of read, write"),
        (f"{OPTIONS}.rw", ..., "job options.rw: missing"),
        (f"{OPTIONS}.bs", "4ki", "job options.bs: '4ki': must be one size"),
        (f"{OPTIONS}.bs", "4k,16k", "job options.bs: '4k,16k': must be one size"),
        (f"{OPTIONS}.numjobs", "4", "job options.numjobs: '4': must be 1"),
        (f"{OPTIONS}.rate_iops", "100", "job options.rate_iops: '100': must be 0"),
        (f"{OPTIONS}.bssplit", "4k/60", "job options.bssplit: '4k/60': must be left out"),
        (f"{OPTIONS}.iodepth", "0", "job options.iodepth: 0: must be at least 1"),
        (f"{OPTIONS}.iodepth", "4x", "job options.iodepth: '4x': must be a whole number"),
        ("jobs.1.job options.ioengine", "psync", "ioengine psync has one request outstanding"),
        ("jobs.0.read.total_ios", 10, "read.total_ios: 10 requests: must be at least 1000"),
        ("jobs.0.read.total_ios", True, "read.total_ios: missing, or no number"),
        ("jobs.0.read.iops", 1e9, "read.iops: '1000000000.0': must be 0.001 to 1e+08"),
        ("jobs.0.read.iops", 90_000, "more than iodepth = 1 were outstanding"),
        ("jobs.0.read.iops", float("nan"), "read.iops: 'nan': must be"),
        (f"{OF_READS}", ..., "read.clat_ns: missing, or no table"),
        (f"{OF_READS}.mean", 1.0, "clat_ns.mean: 1: must be between min"),
        (f"{OF_READS}.max", -5, "clat_ns.max: '-5': must be 0 to 1e+11"),
        (f"{OF_READS}.percentile", ..., "percentile: missing: log it with clat_percentiles=1"),
        (f"{OF_READS}.percentile.50!000000", ..., "percentile.50.000000: missing"),
        (f"{OF_READS}.percentile.50!000000", 10**10, ".50.000000: 1e+10: must be between"),
        (f"{OF_READS}.percentile.x", 5, "must be percentiles, from the lowest to the highest"),
        ("jobs.5.sync.total_ios", 3, "jobs[5].'flush'.sync.total_ios: 3 requests"),
    ],
)
def test_a_document_that_is_no_test_is_refused_by_key(
    place: str, value: object, told: str, documents: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(TraceError) as refused:
        read_as(tmp_path, changed(documents, place, value))
    assert str(refused.value).startswith(f"{tmp_path / 'tests.json'}: ")
    assert told in str(refused.value)


def test_a_document_that_is_cut_short_or_has_a_key_twice_is_refused(
    documents: dict[str, Any], tmp_path: Path
) -> None:
    text = json.dumps(documents, indent=1)
    half = text[: len(text) // 2]
    with pytest.raises(TraceError, match=rf"tests\.json:{half.count(chr(10)) + 1}: .*cut short"):
        read_as(tmp_path, half)
    twice = text.replace('"total_ios"', '"total_ios": 5, "total_ios"', 1)
    with pytest.raises(TraceError, match="total_ios is given twice"):
        read_as(tmp_path, twice)
    for text in (lines(steady), json.dumps(documents)):
        paths = [tmp_path / "a.log", tmp_path / "b.log"]
        for path in paths:
            path.write_text(text)
        with pytest.raises(TraceError, match=r"b\.log: 4 KiB random reads, as in .*a\.log"):
            files.several(paths)
    # Nor are jobs side by side a fill.
    (tmp_path / "fill_bw.1.log").write_text(LINE * 3)
    (tmp_path / "fill_bw.2.log").write_text("")
    with pytest.raises(TraceError, match=r"fill_bw.2.log beside it is another job"):
        log.read(tmp_path / "fill_bw.1.log")


PARTS: Parts = [(1.0, 2000.0), (4.0, 700.0), (5.0, 400.0)]
#: In the place of a cell, or of a line.
ODD = (
    *("", "0", "-1", "1e308", "-1e308", "nan", "inf", "9" * 400, "0." + "0" * 400 + "1", "x", "+5"),
    *("18446744073709551615", "18446744073709551616", "\u0663", "1e-320", "\ufeff1", "0x10", "1_0"),
)


def curve() -> str:
    """Return a fill as a table of amounts and speeds."""
    written = np.cumsum(windows(PARTS, 40)) / 1e9
    speeds = windows(PARTS, 40) / 40e3
    rows = "".join(f"{gb:.6f},{v:.3f}\n" for gb, v in zip(written, speeds, strict=True))
    return f"gb,mb_s\n{rows}"


def cells_changed(text: str, rng: random.Random) -> bytes:
    """Return a log with cells, lines, columns or bytes changed."""
    rows = [row.split(",") for row in text.splitlines()]
    place, column = rng.randrange(len(rows)), rng.randrange(len(rows[0]))
    match rng.randrange(6):
        case 0:
            rows[place][rng.randrange(len(rows[place]))] = rng.choice(ODD)
        case 1:
            value = rng.choice(ODD)
            rows = [[*row[:column], value, *row[column + 1 :]] for row in rows]
        case 2:
            rows = [[*row, row[column]] for row in rows]
        case 3:
            rows = rng.choice([rows[: rng.randrange(4)], rows[::-1], rows[place:] + rows[:place]])
        case 4:
            rows = [[rng.choice(["ms", " ", "\ufeff", "MiB/s"]) + row[0], *row[1:]] for row in rows]
        case _:
            return text_changed(text.encode(), rng)
    return "\n".join(",".join(row) for row in rows).encode()


def fitted(path: Path) -> None:
    for user in (None, 5_000_000_000):
        fit.fitted(*fit.fill(path, user), 3, user)


#: What is changed, by what it is read, and how many times.
FORMS: dict[str, tuple[Callable[[], str], Callable[[Path], object], int]] = {
    "fio": (lambda: fio_log(windows(PARTS, 40), 40, 1), fitted, 50),
    "csv": (curve, fitted, 50),
    "latencies": (lambda: lines(steady), files.read_file, 50),
    "figures": (lambda: FIGURES, files.read_file, 50),
    "documents": (lambda: "", files.read_file, 400),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_changed_file_is_read_or_refused_by_name(
    form: str, tmp_path: Path, documents: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What tells noise takes long and reads no text.
    monkeypatch.setattr(fit, "RESAMPLES", 2)
    (made, read, count), told = FORMS[form], ""
    text = made() or json.dumps(documents)
    path, first = tmp_path / "changed.log", changed_runs.first_seed()
    for seed in range(first, first + cases(count)):
        rng = random.Random(seed)
        if form == "documents":
            path.write_text(json_changed(text, rng))
        else:
            path.write_bytes(cells_changed(text, rng))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                read(path)
        except TraceError as error:
            told = str(error)
            assert told.startswith(f"{path}:"), f"SLCACHE_SEED={seed}"
            assert len(told) < 600, f"SLCACHE_SEED={seed}"
        except Exception as error:
            raise AssertionError(f"SLCACHE_SEED={seed}") from error
    assert told, "nothing was refused"
