"""`fit --latency`: the times of hidden drives are found, and what no flash has is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hidden_drives import KINDS, Drive, Parts, a_log, drive, filled, fio_log, lines, steady, waits
from slcache import fit
from slcache.fit import files
from support import slcache

pytestmark = pytest.mark.long


def hidden(seed: int) -> tuple[Drive, list[float]]:
    """Return a drive whose times only the seed knows, and those of its dense reads."""
    random, found = np.random.default_rng(500 + seed), drive(seed, 0.5)
    pool = found.device["device"]["pool"][0]
    mode = "tlc" if "tlc" in pool else "qlc"
    pool["bus"] = {"ps_per_byte": int(random.choice([500, 625, 833]))}
    read = float(random.uniform(40e3, 120e3))
    kinds = np.linspace(0.7, 1.3, found.bits) if random.random() < 0.5 else np.ones(1)
    pool[mode]["read_ns"] = [round(read * each) for each in kinds]
    found.device["buffer"]["write_back"] = "at-once"
    own = {f"{op}_ns": int(random.uniform(4e3, 20e3)) for op in ("read", "write")}
    found.device["device"] |= {"mu_bytes": 4096, "plp": False, "controller": own}
    return found, pool[mode]["read_ns"]


def errors(seed: int, folder: Path) -> dict[str, float]:
    """Return how far times and planes of a hidden drive are off."""
    found, reads = hidden(seed)
    written, _ = filled(found.device, found.user_bytes, found.window_ms)
    path = folder / f"{seed}.log"
    path.write_text(fio_log(written, found.window_ms, seed))
    logs = [folder / f"{kind}_lat.log" for kind in KINDS]
    for log, kind in zip(logs, KINDS, strict=True):
        log.write_text(waits(found.device, kind, seed))
    tests = files.several(logs)
    fill = fit.fill(path, found.user_bytes)
    told = fit.fitted(*fill, found.bits, found.user_bytes, None, tests)
    given, pool = told.given.told, found.device["device"]["pool"][0]
    assert len(given["read_ns"].values) == len(reads)
    count = pool["channels"] * pool["planes"]
    off = {f"read {i}": ns / reads[i] - 1 for i, ns in enumerate(given["read_ns"].values)}
    off["planes"] = given["planes"].values[0] / count - 1
    off["turnaround"] = given["host.turnaround_ns"].values[0] / 7_000 - 1
    own = found.device["device"]["controller"]
    off |= {key: given[f"controller.{key}"].values[0] / ns - 1 for key, ns in own.items()}
    mode = "tlc" if "tlc" in pool else "qlc"
    truth = {"slc": pool["slc"]["program_ns"][0], "dense": pool[mode]["program_ns"][0]}
    off |= {k: told.values[f"{k}.program_ns"].value / ns - 1 for k, ns in truth.items()}
    # The tail of a log is its own; without it the device is as near as published figures must be.
    far = [(t.title, r) for t, rows in fit.near(told, tests) for r in rows if not r.holds]
    assert [place for place in far if place[1].figure != "p99_9"] == []
    return off


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(20) if n != 1)]
)
def test_times_and_planes_of_a_hidden_drive_are_found(tmp_path: Path, seed: int) -> None:
    off = errors(seed, tmp_path)
    assert {key: error for key, error in off.items() if abs(error) > 0.05} == {}


THREE_PHASES: Parts = [(1.0, 2250.0), (4.0, 700.0), (5.0, 400.0)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (lines(lambda _: 3_000.0), "reads take 3 µs, and 9.56 without the array: not from flash"),
        (lines(steady, lambda row: [*row[:3], "24576", "0"]), "24576 bytes: must be a part of"),
        (lines(steady, lambda row: [*row[:2], "1", *row[3:]]), "writes of 4096 bytes that take a"),
    ],
)
def test_latencies_that_no_flash_has_end_in_words_and_no_file(
    tmp_path: Path, text: str, told: str
) -> None:
    path, wait, out = (
        a_log(tmp_path, THREE_PHASES, ms=8),
        tmp_path / "a.log",
        tmp_path / "o" / "d.toml",
    )
    wait.write_text(text)
    ended = slcache("fit", path, "--user", "5GB", "--bits", "3", "--latency", wait, "--out", out)
    assert (ended.returncode, told in ended.stderr.decode()) == (4, True), ended.stderr
    assert not out.parent.exists()


def fitted(folder: Path, text: str, *more: str) -> tuple[str, str, dict[str, dict[str, str]]]:
    """Fit a drive with a log of latencies beside; return what is printed, noted, and grounds."""
    path, wait, out = a_log(folder, THREE_PHASES, ms=8), folder / "a.log", folder / "d.toml"
    wait.write_text(text)
    size = ("--user", "5GB", "--bits", "3")
    ended = slcache("fit", path, *size, "--latency", wait, "--out", out, *more)
    assert ended.returncode == 0, ended.stderr
    shown = json.loads(slcache("devices", "show", out, "--json").stdout)["evidence"]
    return ended.stdout.decode(), ended.stderr.decode(), shown


def test_several_times_that_are_no_kinds_of_pages_are_not_identifiable(tmp_path: Path) -> None:
    text = lines(lambda i: 3e4 if i % 7 == 0 else 8e4 + 4e4 * (i % 2))
    told, noted, grounds = fitted(tmp_path, text)
    assert "several times that are no 3 kinds of pages" in told
    assert grounds["device.pool[0].tlc.read_ns"]["kind"] == "not-identifiable"
    assert grounds["host.turnaround_ns"]["kind"] == "fitted"
    assert "a.log (sha256 " in grounds["host.turnaround_ns"]["source"]
    # Nothing tells these.
    for op in ("read", "write", "flush"):
        assert grounds[f"device.controller.{op}_ns"]["kind"] == "assumed"
    # The half that judges is no better than the drive is like one time of reads.
    assert ("not near" in noted) == ("(far)" in told)


def test_a_latency_that_a_device_cannot_have_is_told(tmp_path: Path) -> None:
    # One read in fifty waits: no model of one request at a time has that.
    told, noted, _ = fitted(tmp_path, lines(lambda i: 8e4 if i % 50 else 8e5))
    assert "(far)" in told
    assert "note: d: 4 KiB random reads: the device is not near in read p99" in noted


def test_writes_that_end_in_the_buffer_tell_the_controller(tmp_path: Path) -> None:
    text = lines(lambda _: 12_500.0, lambda row: [*row[:2], "1", "4096", "0"])
    told, _, grounds = fitted(tmp_path, text)
    assert "controller, a write      12.50 µs" in told
    assert grounds["device.controller.write_ns"]["kind"] == "fitted"


def test_a_link_as_fast_as_the_cache_hides_the_planes(tmp_path: Path) -> None:
    text = lines(lambda _: 2e5, lambda row: [*row[:2], "1", "16384", "0"])
    for link, kind in ((), "fitted"), (("--link", "ufs3"), "not-identifiable"):
        ground = fitted(tmp_path, text, *link)[2]["device.pool[0].planes"]
        assert ground["kind"] == kind
        assert "planes of all channels" in ground["source"]


def test_more_planes_than_drives_have_are_a_flush_instead(tmp_path: Path) -> None:
    text = lines(lambda _: 4e6, lambda row: [*row[:2], "1", "16384", "0"])
    told, _, grounds = fitted(tmp_path, text)
    assert "a program of it needs more than 256 planes" in told
    assert grounds["device.pool[0].planes"]["kind"] == "not-identifiable"
    assert grounds["device.controller.flush_ns"]["kind"] == "fitted"
