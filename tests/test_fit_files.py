"""The verb fit, and the files of fio that it reads."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
import tomllib
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import changed_runs
import fio_documents
from changed_runs import json_changed, text_changed
from example_logs import DRIVE
from hidden_drives import THREE, Parts, a_log, drive, fio_log, lines, steady, windows
from slcache import cliffs, fit
from slcache.drives import fills, latency
from slcache.errors import TraceError
from slcache.execute.run import Run
from slcache.fit import TOLERANCE, logs
from slcache.fit.latency import LatencyTest, Role
from slcache.options import content
from support import cases, slcache, stdout

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
        found = logs.read_fill(path, 6_000_000_000)
        assert found.written == pytest.approx(ends), name
        assert found.seconds == pytest.approx([t / 1000 for t, _ in rows]), name


def test_a_log_of_single_requests_counts_their_sizes(tmp_path: Path) -> None:
    mib, path = 1 << 20, tmp_path / "one.log"
    # Rates are those of each request alone, and a deep queue is not quite in order.
    offsets = [i ^ 1 for i in range(400)]
    path.write_text(
        "".join(f"{i // 2}, 9999, 1, {mib}, {o * mib}, 0\n" for i, o in enumerate(offsets))
    )
    found = logs.read_fill(path, 400 * mib)
    assert found.written[-1] == 400 * mib
    assert found.seconds[-1] == pytest.approx(0.199)
    path = tmp_path / "one.log"
    times = [500 * (i + 1 + 8 * (i > 9)) for i in range(20)]
    path.write_text("".join(f"{t}, 2000000, 1, 0, 0\n" for t in times))
    found = logs.read_fill(path, 20 * 1_024_000_000)
    assert (found.seconds[-1], found.written[-1]) == (14.0, 20 * 1_024_000_000)
    with pytest.raises(TraceError, match=r"one.log:11: no entry in the 4500 ms .* --user SIZE"):
        logs.read_fill(path)


def test_what_fio_wrote_is_read(tmp_path: Path) -> None:
    reads, deep, flushed, synced = fit.read_file(REAL)
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


def read_as(folder: Path, text: Any) -> list[LatencyTest]:  # noqa: ANN401
    path = folder / "tests.json"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return fit.read_file(path)


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
    test = read_as(tmp_path, said + json.dumps(documents))[NAMES.index(name)]
    (run,) = latency.plan(test.trial(1.5), DRIVE).runs
    load = content.content_of(run.trace)
    assert isinstance(load, dict)
    assert run.replay == f"closed:{options.get('iodepth', '1')}"
    assert f"{int(load['global']['bs']) >> 10}k" == options["bs"]
    assert load["global"]["rw"] == options["rw"]
    flushed = "fsync" in options or "sync" in options
    assert load["global"].get("fsync", 0) == flushed
    assert load["requests"] == test.count * (1 + flushed)
    settings = run.settings or {}
    # A synchronous write and its flush are one request.
    assert settings["host.turnaround_ns"] == (0 if "sync" in options else 1500)
    # An erased drive holds nothing, one that is read does, and one that is written may.
    assert ("trace.prefill" in settings) == (name == "erased")
    assert ("precondition.fill" in settings) == (test.role == Role.reads)


def fill(path: Path) -> object:
    return logs.read_fill(path, 1_000_000_000_000)


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
        (fit.read_file, "", "is empty"),
        *((fill, *case) for case in FILLS),
        *((fit.read_file, *case) for case in WAITS),
        *((fit.read_file, CSV + row, told) for row, told in ROWS),
    ],
)
def test_no_log_is_told_by_line(
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
        ("fio version", "fio-2.21", "fio version = 'fio-2.21': must be fio-3 or newer"),
        ("fio version", ..., "fio version is missing"),
        ("jobs", [], "jobs = []: list should have at least 1 item"),
        ("jobs.0", 7, "jobs 1 = 7: input should be an object"),
        ("jobs.0.error", 5, "jobs 1: error = 5: input should be 0"),
        ("global options.direct", "0", "job options: direct = '0': input should be '1'"),
        ("global options.direct", ..., "job options: direct is missing"),
        (f"{OPTIONS}.rw", "trim", "job options: rw = 'trim': input should be 'read', 'write'"),
        (f"{OPTIONS}.rw", ..., "job options: rw is missing"),
        (f"{OPTIONS}.bs", "4ki", "job options: bs: '4ki' is not a size"),
        (f"{OPTIONS}.bs", "4k,16k", "job options: bs: '4k,16k' is not one size"),
        (f"{OPTIONS}.bs", "1000", "job options: bs = '1000': input should be a multiple of 512"),
        (f"{OPTIONS}.numjobs", "4", "job options: numjobs = '4': input should be '1'"),
        (f"{OPTIONS}.rate_iops", "100", "job options: rate_iops = '100': input should be '0'"),
        (f"{OPTIONS}.bssplit", "4k/60", "job options: bssplit = '4k/60': input should be null"),
        (f"{OPTIONS}.iodepth", "0", "job options: iodepth = '0': input should be greater than"),
        (f"{OPTIONS}.iodepth", "4x", "job options: iodepth: '4x' is no whole number"),
        ("jobs.1.job options.ioengine", "psync", "ioengine psync has one request outstanding"),
        ("jobs.0.read.total_ios", 10, "read: total_ios: 10 requests: must be at least 1000"),
        ("jobs.0.read.total_ios", True, "read: total_ios = True: input should be a valid integer"),
        ("jobs.0.read.iops", 1e9, "read: iops = 1000000000.0: input should be less than"),
        ("jobs.0.read.iops", 90_000, "more than iodepth = 1 were outstanding"),
        ("jobs.0.read.iops", float("nan"), "read: iops = nan: input should be"),
        (f"{OF_READS}", ..., "read: clat_ns: it = None: input should be an object"),
        (f"{OF_READS}.mean", 1.0, "clat_ns: mean: 1: must be between min"),
        (f"{OF_READS}.max", -5, "clat_ns: max = -5: input should be greater than"),
        (f"{OF_READS}.percentile", ..., "percentile is missing"),
        (f"{OF_READS}.percentile.50!000000", ..., "percentile: 50.000000 is missing"),
        (f"{OF_READS}.percentile.50!000000", 10**10, "50.000000: 1e+10: must be between"),
        (f"{OF_READS}.percentile.x", 5, "percentile = 'x': string should match pattern"),
        (f"{OF_READS}.percentile.10!000000", 1, "10.000000: 1: must be between"),
        ("jobs.5.sync.total_ios", 3, "job 6 'flush': sync: total_ios: 3 requests"),
    ],
)
def test_a_document_that_is_no_test_is_refused_by_key(
    place: str, value: object, told: str, documents: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(TraceError) as refused:
        read_as(tmp_path, changed(documents, place, value))
    assert str(refused.value).startswith(f"{tmp_path / 'tests.json'}: ")
    assert told in str(refused.value)


def test_documents_cut_short_or_doubled_are_refused(
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
            fit.tests_of(paths)
    # Nor are jobs side by side a fill.
    (tmp_path / "fill_bw.1.log").write_text(LINE * 3)
    (tmp_path / "fill_bw.2.log").write_text("")
    with pytest.raises(TraceError, match=r"fill_bw.2.log beside it is another job"):
        logs.read_fill(tmp_path / "fill_bw.1.log")


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
    "latencies": (lambda: lines(steady), fit.read_file, 50),
    "figures": (lambda: FIGURES, fit.read_file, 50),
    "documents": (lambda: "", fit.read_file, 400),
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


THREE_OF_5: Parts = [(1.0, 2250.0), (4.0, 700.0), (5.0, 400.0)]
TWO = [(100.0, 5000.0), (300.0, 2500.0)]


def of_writes(ns: float, size: int) -> str:
    """Return a log of writes that all take as long."""
    return lines(lambda _: ns, lambda row: [*row[:2], "1", str(size), "0"])


@pytest.mark.parametrize(
    ("parts", "waits", "told"),
    [
        (THREE[:2], "", "GB written, not 1000 GB"),
        ([(1000.0, 3000.0)], "", "one speed, 3,00"),
        ([(200.0, 2000.0), (1000.0, 500.0)], "", "two speeds, and no room"),
        ([(100.0, 2000.0), (600.0, 500.0), (1000.0, 2000.0)], "", "no phases of a cache"),
        ([(300.0, 1000.0), (1000.0, 3000.0)], "", "no phases of a cache"),
        ([*TWO, (600.0, 1200.0), (1000.0, 500.0)], "", "no phases of a cache"),
        # Latencies that no flash has.
        (
            *(THREE_OF_5, lines(lambda _: 3_000.0)),
            "reads take 3 µs, and 9.56 without the array: not from flash",
        ),
        (
            *(THREE_OF_5, lines(steady, lambda row: [*row[:3], "24576", "0"])),
            "24576 bytes: must be a part of",
        ),
        (THREE_OF_5, of_writes(80_000, 4096), "writes of 4096 bytes that take a"),
    ],
)
def test_logs_that_tell_too_little_end_in_words_and_no_file(
    tmp_path: Path, parts: Parts, waits: str, told: str
) -> None:
    small = parts is THREE_OF_5
    path, out = a_log(tmp_path, parts, ms=8 if small else 500), tmp_path / "out" / "drive.toml"
    latency = tmp_path / "a.log"
    latency.write_text(waits)
    beside = ("--latency", latency) if waits else ()
    user = "5GB" if small else "1TB"
    ended = slcache("fit", path, "--user", user, "--bits", "3", *beside, "--out", out)
    assert (ended.returncode, told in ended.stderr.decode()) == (4, True), ended.stderr
    assert not out.parent.exists()


def test_the_whole_way_from_a_log_to_a_run_and_what_each_key_stands_on(tmp_path: Path) -> None:
    path = a_log(tmp_path, [(1.0, 2000.0), (4.0, 700.0), (5.0, 400.0)], ms=8)
    out = tmp_path / "out" / "drive.toml"
    ended = stdout("fit", path, "--user", "5GB", "--out", out)
    names = {f"drive-{mode}.{end}" for mode in ("tlc", "qlc") for end in ("toml", "svg", "png")}
    assert {file.name for file in out.parent.iterdir()} == names
    assert ended.count("log and device") == 2
    device = out.with_name("drive-tlc.toml")
    load = ("zipf-4k", "--workload", "requests=50")
    assert slcache("run", *load, "--device", device, "--scheme", "client").returncode == 0
    again = tmp_path / "again" / "drive.toml"
    stdout("fit", path, "--user", "5GB", "--bits", "3", "--out", again)
    assert again.read_bytes() == device.read_bytes()
    facts = json.loads(slcache("devices", "show", device, "--json").stdout)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert f"fill_bw.1.log, sha256 {digest}" in facts["statement"]
    grounds, pool = facts["evidence"], tomllib.loads(device.read_text())["device"]["pool"][0]
    assert {ground["kind"] for ground in grounds.values()} == {
        *("known", "fitted", "assumed", "not-identifiable")
    }
    fitted = {key for key, ground in grounds.items() if ground["kind"] == "fitted"}
    # What hangs on planes and blocks that are assumed has no interval of its own.
    assert fitted == {"device.pool[0].blocks", "scheme-defaults.client.dynamic.max_bytes"}
    assert "GB of dense cells" in grounds["device.pool[0].blocks"]["source"]
    assert all(digest[:12] in grounds[key]["source"] for key in fitted)
    assert [key for key in grounds if "pool" in key and "low" in grounds[key]] == []
    (program,) = pool["slc"]["program_ns"]
    assert f"SLC program {program / 1e3:.4g} µs – not identifiable apart from" in " ".join(
        ended.split()
    )


#: GB and MB/s of phases, and whether a TLC device of them can do the same.
SPEEDS: dict[str, tuple[Parts, bool]] = {
    "the last rises": ([(0.3, 2000.0), (2.0, 300.0), (2.5, 500.0)], True),
    "too little room, rising": ([(0.3, 2000.0), (1.0, 300.0), (2.5, 500.0)], False),
    "too little room, falling": ([(0.3, 2000.0), (1.0, 700.0), (2.5, 300.0)], False),
}


@pytest.mark.parametrize("name", SPEEDS)
def test_a_device_is_written_only_if_it_does_what_the_log_shows(name: str, tmp_path: Path) -> None:
    parts, fits = SPEEDS[name]
    path, out = a_log(tmp_path, parts, ms=4, seed=3), tmp_path / "out" / "drive.toml"
    ended = slcache("fit", path, "--user", "2.5GB", "--bits", "3", "--out", out)
    told = ended.stderr.decode()
    assert ended.returncode == (0 if fits else 1), told
    assert out.exists() == fits
    if not fits:
        assert "drive: not fitted: phase 2: to 1.00" in told
        assert "less than the drive" in told
        assert not out.parent.exists()
        return
    # By another way to the same load.
    device = tomllib.loads(out.read_text())
    found = cliffs.cliff(
        device=device,
        schemes=["client"],
        amount_bytes=device["device"]["user_bytes"] >> 20 << 20,
        write_bytes=fit.WRITE_MIB << 20,
        queue_depth=fit.DEPTH,
    )
    document = found.runs["client"][1].documents[0]
    average = document["host"]["bytes"] / document["host"]["duration_ns"] * 1e3
    read, shown, _ = fit.fill(path, 2_500_000_000)
    assert average == pytest.approx(read.mb_per_s, rel=TOLERANCE)
    assert len(shown.phases) == len(parts)


def test_a_reading_that_does_not_fit_is_left_out_and_told(tmp_path: Path) -> None:
    # As QLC the same phases have room for the drive.
    path = a_log(tmp_path, [(0.3, 2000.0), (1.9, 300.0), (2.5, 500.0)], ms=4)
    ended = slcache("fit", path, "--user", "2.5GB", "--out", tmp_path / "out" / "drive.toml")
    kinds = {file.name for file in (tmp_path / "out").iterdir()}
    assert ended.returncode == 0, ended.stderr
    for mode in ("tlc", "qlc"):
        left_out = f"drive-{mode}: not fitted" in ended.stderr.decode()
        assert left_out == (f"drive-{mode}.toml" not in kinds), ended.stderr


READ_NS, TURNAROUND = "device.pool[0].tlc.read_ns", "host.turnaround_ns"
PLANES, CONTROLLER = "device.pool[0].planes", "device.controller"


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "more", "printed", "noted", "grounds"),
    [
        # Several times that are no kinds of pages.
        (
            lines(lambda i: 3e4 if i % 7 == 0 else 8e4 + 4e4 * (i % 2)),
            *((), "several times that are no 3 kinds of pages", ""),
            {
                READ_NS: "not-identifiable",
                TURNAROUND: "fitted",
                **dict.fromkeys((f"{CONTROLLER}.{op}_ns" for op in ("read", "flush")), "assumed"),
            },
        ),
        # One read in fifty waits: no model of one request at a time has that.
        (
            lines(lambda i: 8e4 if i % 50 else 8e5),
            *((), "(far)", "note: d: 4 KiB random reads: the device is not near in read p99"),
            {},
        ),
        # Writes that end in the buffer tell the controller.
        (
            *(of_writes(12_500.0, 4096), (), "controller, a write 12.50 µs", ""),
            {f"{CONTROLLER}.write_ns": "fitted", f"{CONTROLLER}.read_ns": "assumed"},
        ),
        (of_writes(2e5, 16384), (), "", "", {PLANES: "fitted"}),
        # A link as fast as the cache hides the planes.
        (of_writes(2e5, 16384), ("--link", "ufs3"), "", "", {PLANES: "not-identifiable"}),
        # More planes than drives have are a flush instead.
        (
            *(of_writes(4e6, 16384), (), "a program of it needs more than 256 planes", ""),
            {PLANES: "not-identifiable", f"{CONTROLLER}.flush_ns": "fitted"},
        ),
    ],
)
def test_latencies_beside_a_fill_tell_what_they_can(
    text: str,
    more: tuple[str, ...],
    printed: str,
    noted: str,
    grounds: dict[str, str],
    tmp_path: Path,
) -> None:
    path, wait, out = a_log(tmp_path, THREE_OF_5, ms=8), tmp_path / "a.log", tmp_path / "d.toml"
    wait.write_text(text)
    size = ("--user", "5GB", "--bits", "3")
    ended = slcache("fit", path, *size, "--latency", wait, "--out", out, *more)
    assert ended.returncode == 0, ended.stderr
    told, note = ended.stdout.decode(), ended.stderr.decode()
    assert printed in " ".join(told.split())
    assert noted in note
    # The half of a log that judges is no nearer than it is told.
    assert ("not near" in note) == ("(far)" in told)
    found = json.loads(slcache("devices", "show", out, "--json").stdout)["evidence"]
    assert {key: found[key]["kind"] for key in grounds} == grounds
    fitted = [key for key, kind in grounds.items() if kind == "fitted"]
    assert [key for key in fitted if "a.log (sha256 " not in found[key]["source"]] == []


def test_the_job_that_is_printed_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    text = slcache("fit", "--job", "/dev/nvme1n1").stdout.decode()
    assert text.startswith("# DESTROYS EVERYTHING ON THE DRIVE.")
    assert "\nfilename=/dev/nvme1n1\n" in text
    told = dict(re.findall(r"^(\w+)=(\S+)$", text.partition("\n[read]\n")[0], re.M))
    asked: list[Run] = []

    def done(runs: Sequence[Run], *_: object) -> None:
        asked.extend(runs)
        raise InterruptedError

    monkeypatch.setattr(fills, "done", done)
    hidden = drive(0, 0.5)
    with pytest.raises(InterruptedError):
        fit.simulated_fill(hidden.device)
    load = content.content_of(asked[0].trace)
    assert isinstance(load, dict)
    assert asked[0].replay == f"closed:{told['iodepth']}"
    assert told["bs"] == f"{int(load['global']['bs']) >> 20}M"
    assert load["global"]["rw"] == told["rw"]
    assert load["requests"] == hidden.user_bytes // int(load["global"]["bs"])
