"""`fit --latency`: the times of hidden drives are found, and what no flash has is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hidden_drives import Drive, Parts, a_log, drive, filled, fio_log, lines, steady, waits
from slcache import fit
from slcache.fit import latency, times
from support import QUICK, slcache

pytestmark = pytest.mark.long


def hidden(seed: int) -> tuple[Drive, list[float]]:
    """Return a drive whose channels and reads only the seed knows, and its times of dense reads."""
    random, found = np.random.default_rng(500 + seed), drive(seed, 0.5)
    pool = found.device["device"]["pool"][0]
    mode = "tlc" if "tlc" in pool else "qlc"
    pool["bus"] = {"ps_per_byte": int(random.choice([500, 625, 833]))}
    read = float(random.uniform(40e3, 120e3))
    kinds = np.linspace(0.7, 1.3, found.bits) if random.random() < 0.5 else np.ones(1)
    pool[mode]["read_ns"] = [round(read * each) for each in kinds]
    return found, pool[mode]["read_ns"]


def errors(seed: int, folder: Path) -> dict[str, float]:
    """Return how far times and planes of a hidden drive are off."""
    found, reads = hidden(seed)
    written, _ = filled(found.device, found.user_bytes, found.window_ms)
    path = folder / f"{seed}.log"
    path.write_text(fio_log(written, found.window_ms, seed))
    logs = []
    for kind in ("reads", "writes"):
        logs.append(folder / f"{seed}-{kind}.log")
        logs[-1].write_text(waits(found.device, kind, seed))
    log = fit.fill(path, found.user_bytes)
    told = fit.fitted(*log, found.bits, found.user_bytes, None, latency.several(logs))
    given, pool = told.given, found.device["device"]["pool"][0]
    assert given.reads is not None
    assert given.planes is not None
    assert given.turnaround is not None
    assert len(given.reads.values) == len(reads)
    count = pool["channels"] * pool["planes"]
    off = {f"read {i}": ns / reads[i] - 1 for i, ns in enumerate(given.reads.values)}
    off["planes"] = given.planes.values[0] / count - 1
    off["turnaround"] = given.turnaround.values[0] / 7_000 - 1
    mode = "tlc" if "tlc" in pool else "qlc"
    truth = {"slc": pool["slc"]["program_ns"][0], "dense": pool[mode]["program_ns"][0]}
    off |= {k: told.values[f"{k}.program_ns"].value / ns - 1 for k, ns in truth.items()}
    for each in latency.several(logs).values():
        shown = times.judged(each, told.text)
        # Between two kinds of pages a median leaps.
        if each.kind == "writes" or len(reads) != 4:
            off[f"p50 of {each.kind}"] = shown.p50_us[1] / shown.p50_us[0] - 1
        assert shown.near > 0.95
    return off


@pytest.mark.parametrize("seed", [1] if QUICK else [0, 1, 2])
def test_times_and_planes_of_hidden_drives_are_found(tmp_path: Path, seed: int) -> None:
    assert {k: e for k, e in errors(seed, tmp_path).items() if abs(e) > 0.05} == {}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_times_and_planes_of_twenty_hidden_drives_are_found(tmp_path: Path, seed: int) -> None:
    off = errors(seed, tmp_path)
    print(seed, " ".join(f"{key} {error:+.1%}" for key, error in off.items()))
    assert {key: error for key, error in off.items() if abs(error) > 0.05} == {}


THREE_PHASES: Parts = [(1.0, 2250.0), (4.0, 700.0), (5.0, 400.0)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (lines(lambda _: 3_000.0), "reads take 3 µs, and 2.56 without the array: not from flash"),
        (lines(steady, lambda row: [*row[:3], "24576", "0"]), "24576 bytes: must be a part of"),
        (lines(steady, lambda row: [*row[:2], "1", *row[3:]]), "writes of 4096 bytes: must be 16"),
        (
            lines(lambda _: 3e4, lambda row: [*row[:2], "1", "16384", "0"]),
            "writes take 30 µs, less than a program: they end in a buffer; log them with sync=1",
        ),
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


def test_several_times_that_are_no_kinds_of_pages_are_not_identifiable(tmp_path: Path) -> None:
    path, wait, out = a_log(tmp_path, THREE_PHASES, ms=8), tmp_path / "a.log", tmp_path / "d.toml"
    wait.write_text(lines(lambda i: 3e4 if i % 7 == 0 else 8e4 + 4e4 * (i % 2)))
    ended = slcache("fit", path, "--user", "5GB", "--bits", "3", "--latency", wait, "--out", out)
    assert ended.returncode == 0, ended.stderr
    assert "several times that are no 3 kinds of pages" in ended.stdout.decode()
    grounds = json.loads(slcache("devices", "show", out, "--json").stdout)["evidence"]
    assert grounds["device.pool[0].tlc.read_ns"]["kind"] == "not-identifiable"
    assert grounds["host.turnaround_ns"]["kind"] == "fitted"
    assert "a.log (sha256 " in grounds["host.turnaround_ns"]["source"]
    # The half that judges is no better than the drive is like one time of reads.
    share = ended.stdout.decode().split("reads of 4 KiB")[1].split("%")[0].split()[-1]
    assert int(share) < 60


def test_a_link_as_fast_as_the_cache_hides_the_planes(tmp_path: Path) -> None:
    path, wait, out = a_log(tmp_path, THREE_PHASES, ms=8), tmp_path / "a.log", tmp_path / "d.toml"
    wait.write_text(lines(lambda _: 2e5, lambda row: [*row[:2], "1", "16384", "0"]))
    args = ("fit", path, "--user", "5GB", "--bits", "3", "--latency", wait, "--out", out)
    for link, kind in ((), "fitted"), (("--link", "ufs3"), "not-identifiable"):
        ended = slcache(*args, *link)
        assert ended.returncode == 0, ended.stderr
        grounds = json.loads(slcache("devices", "show", out, "--json").stdout)["evidence"]
        ground = grounds["device.pool[0].planes"]
        assert ground["kind"] == kind
        assert "planes of all channels" in ground["source"]
