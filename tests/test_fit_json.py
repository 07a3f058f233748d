"""fio's JSON beside a fill: what its jobs tell of a drive, and what is refused by key."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

import changed_runs
import example_logs
import fio_documents
from example_logs import DRIVE
from slcache import fit
from slcache.drives import trials
from slcache.errors import TraceError
from slcache.execute import given
from slcache.fit import files, simulated
from slcache.fit.measured import Measured, Role
from support import cases

REAL = Path(__file__).with_name("fio_3_33.json")
NAMES = list(fio_documents.sections())
USER = 32_000_000_000


def test_what_fio_wrote_is_read() -> None:
    reads, deep, flushed, synced = files.read_file(REAL)
    roles = [test.role for test in (reads, deep, flushed, synced)]
    assert roles == [Role.reads, Role.writes, Role.flushed, Role.synced]
    assert (reads.depth, deep.depth, reads.block_bytes, synced.block_bytes) == (1, 8, 4096, 16384)
    job = json.loads(REAL.read_text())["jobs"][1]["write"]
    assert deep.count == job["total_ios"]
    assert deep.figures["write"]["iops"] == job["iops"]
    assert deep.figures["write"]["p99"] * 1e3 == job["clat_ns"]["percentile"]["99.000000"]


@pytest.fixture(scope="module")
def documents() -> dict[str, Any]:
    """Return what fio prints of every test of the job."""
    found: dict[str, Any] = json.loads(fio_documents.document(DRIVE, NAMES, requests=2_000))
    return found


def read_as(folder: Path, document: Any) -> list[Measured]:  # noqa: ANN401
    path = folder / "tests.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return files.read_file(path)


@pytest.mark.parametrize("name", NAMES)
def test_each_test_of_the_printed_job_is_simulated_as_it_is_printed(
    name: str, documents: dict[str, Any], tmp_path: Path
) -> None:
    options = fio_documents.sections()[name]
    test = read_as(tmp_path, documents)[NAMES.index(name)]
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


#: Drives beside the one of the examples: what is changed, and what a fit is to find by key.
HIDDEN: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, float]]] = {
    "no stripes": ({}, {}, {"controller.read_ns": 6000, "controller.write_ns": 9000, "planes": 64}),
    "stripes": (
        {"stripe_planes": 32, "stripes_in_flight": 2, "run_overhead_ns": 7_000},
        {},
        {"planes": 64, "buffer.stripes_in_flight": 2, "buffer.stripe_planes": 32},
    ),
    "a rate": (
        {},
        {"commands_per_s": 250_000},
        {"controller.commands_per_s": 250_000, "planes": 64},
    ),
    "flushes": ({}, {"flush_ns": 3_000_000}, {"controller.flush_ns": 3_000_000}),
}


@pytest.mark.few(2)
@pytest.mark.long
@pytest.mark.parametrize("name", HIDDEN)
def test_what_a_drive_is_made_of_is_found(name: str, tmp_path: Path) -> None:
    buffer, controller, wanted = HIDDEN[name]
    hidden = copy.deepcopy(DRIVE)
    hidden["buffer"] = {"bytes": 6 << 20, "write_back": "at-once", **buffer}
    hidden["device"]["controller"] |= controller
    text = fio_documents.document(hidden, NAMES, requests=20_000)
    tests = read_as(tmp_path, text)
    log = tmp_path / "fill_bw.1.log"
    log.write_text(example_logs.fill(hidden))
    fill = fit.fill(log, USER)
    found = fit.fitted(*fill, 3, USER, None, tests)
    told = {key: each.values[0] for key, each in found.given.told.items()}
    assert {key: told[key] for key in wanted} == pytest.approx(wanted, rel=0.1)
    assert ("buffer.stripe_planes" in told) == bool(buffer)
    assert ("controller.commands_per_s" in told) == ("commands_per_s" in controller)
    rows = {test.title: simulated.rows(test, simulated.device_of(found.text)) for test in tests}
    assert [(title, row) for title, of in rows.items() for row in of if not row.holds] == []


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


OPTIONS, WAITS = "jobs.0.job options", "jobs.0.read.clat_ns"


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
        (f"{WAITS}", ..., "read.clat_ns: missing, or no table"),
        (f"{WAITS}.mean", 1.0, "clat_ns.mean: 1: must be between min"),
        (f"{WAITS}.max", -5, "clat_ns.max: '-5': must be 0 to 1e+11"),
        (f"{WAITS}.percentile", ..., "percentile: missing: log it with clat_percentiles=1"),
        (f"{WAITS}.percentile.50!000000", ..., "percentile.50.000000: missing"),
        (f"{WAITS}.percentile.50!000000", 10**10, "percentile.50.000000: 1e+10: must be between"),
        (f"{WAITS}.percentile.x", 5, "must be percentiles, from the lowest to the highest"),
        ("jobs.5.sync.total_ios", 3, "jobs[5].'flush'.sync.total_ios: 3 requests"),
    ],
)
def test_a_document_that_is_no_test_is_refused_by_key(
    place: str,
    value: object,
    told: str,
    documents: dict[str, Any],
    tmp_path: Path,
) -> None:
    with pytest.raises(TraceError) as refused:
        read_as(tmp_path, changed(documents, place, value))
    assert str(refused.value).startswith(f"{tmp_path / 'tests.json'}: ")
    assert told in str(refused.value)


def test_a_document_that_is_cut_short_or_has_a_key_twice_is_refused(
    documents: dict[str, Any], tmp_path: Path
) -> None:
    text = json.dumps(documents, indent=1)
    lines = text.count("\n", 0, len(text) // 2) + 1
    with pytest.raises(TraceError, match=rf"tests\.json:{lines}: .*cut short"):
        read_as(tmp_path, text[: len(text) // 2])
    twice = text.replace('"total_ios"', '"total_ios": 5, "total_ios"', 1)
    with pytest.raises(TraceError, match="total_ios is given twice"):
        read_as(tmp_path, twice)


def test_what_fio_says_before_a_document_is_passed_over(
    documents: dict[str, Any], tmp_path: Path
) -> None:
    text = "note: both iodepth >= 1 and synchronous I/O engine are selected\n"
    assert len(read_as(tmp_path, text + json.dumps(documents))) == len(NAMES)


def test_the_same_test_twice_is_refused(documents: dict[str, Any], tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(documents))
    with pytest.raises(TraceError, match=r"b\.json: 4 KiB random reads, as in .*a\.json"):
        files.several([tmp_path / "a.json", tmp_path / "b.json"])


def mutated(value: Any, rng: random.Random) -> Any:  # noqa: ANN401
    """Return plain data with one thing in it changed."""
    odd: tuple[Any, ...] = (
        None,
        True,
        -1,
        0,
        1e308,
        float("inf"),
        10**400,
        "",
        "9" * 400,
        [],
        {},
        "x",
        "4k",
    )
    if not isinstance(value, dict | list) or not value or rng.random() < 0.1:
        return rng.choice(odd)
    found = copy.copy(value)
    key = rng.choice(list(found)) if isinstance(found, dict) else rng.randrange(len(found))
    if rng.random() < 0.1:
        del found[key]
    else:
        found[key] = mutated(found[key], rng)
    return found


def test_a_changed_document_is_read_or_refused_by_name(
    documents: dict[str, Any], tmp_path: Path
) -> None:
    first = changed_runs.first_seed()
    for seed in range(first, first + cases(400)):
        told = refusal(tmp_path, mutated(documents, random.Random(seed)), seed)
        assert told.startswith(f"{tmp_path / 'tests.json'}") or not told, f"SLCACHE_SEED={seed}"
        assert len(told) < 600, f"SLCACHE_SEED={seed}"


def refusal(folder: Path, document: Any, seed: int) -> str:  # noqa: ANN401
    """Return why a document is refused, and nothing where it is not."""
    try:
        read_as(folder, document)
    except TraceError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"SLCACHE_SEED={seed}") from error
    return ""


CSV = "rw,bytes,depth,iops,p50_us,p99_us,p99_9_us\n"


def test_figures_as_they_are_printed_are_read(tmp_path: Path) -> None:
    text = (
        CSV + "randread,4096,1,13000,67.1,85.5,\nerased,4096,1,,6.5,,\nrandwrite,4096,8,225000,,,\n"
    )
    reads, erased, writes = read_as(tmp_path, text)
    assert reads.figures == {"read": {"iops": 13000, "p50": 67.1, "p99": 85.5}}
    assert (erased.role, writes.depth) == (Role.erased, 8)
    assert reads.turnaround is not None
    assert reads.turnaround.values[0] == pytest.approx(1e9 / 13000 - 67_100)


@pytest.mark.parametrize(
    ("row", "told"),
    [
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
    ],
)
def test_figures_that_are_none_are_refused_by_line(row: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError) as refused:
        read_as(tmp_path, CSV + row)
    assert told in str(refused.value)
