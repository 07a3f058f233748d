"""The verb fit: from logs to a file that runs and fits, or to words and no file."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from hidden_drives import THREE, Parts, a_log, drive, lines, steady
from slcache import cliffs, fit
from slcache.drives import fills
from slcache.execute import given
from slcache.execute.run import Run
from slcache.fit import judged
from slcache.fit.judged import TOLERANCE
from support import slcache, stdout

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
    assert fitted == {
        *("device.pool[0].blocks", "device.pool[0].slc.program_ns"),
        *("device.pool[0].tlc.program_ns", "device.pool[0].tlc.fold.program_ns"),
        "scheme-defaults.client.dynamic.max_bytes",
    }
    assert all(digest[:12] in grounds[key]["source"] for key in fitted)
    values = {"blocks": pool["blocks"], "slc.program_ns": pool["slc"]["program_ns"][0]}
    for key, value in values.items():
        ends = grounds[f"device.pool[0].{key}"]
        assert ends["low"] <= value <= ends["high"]


#: GB and MB/s of phases, and whether a TLC device of them can do the same.
FILLS: dict[str, tuple[Parts, bool]] = {
    "the last rises": ([(0.3, 2000.0), (2.0, 300.0), (2.5, 500.0)], True),
    "too little room, rising": ([(0.3, 2000.0), (1.0, 300.0), (2.5, 500.0)], False),
    "too little room, falling": ([(0.3, 2000.0), (1.0, 700.0), (2.5, 300.0)], False),
}


@pytest.mark.parametrize("name", FILLS)
def test_a_device_is_written_only_if_it_does_what_the_log_shows(name: str, tmp_path: Path) -> None:
    parts, fits = FILLS[name]
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
        write_bytes=judged.WRITE_MIB << 20,
        queue_depth=judged.DEPTH,
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
            *(of_writes(12_500.0, 4096), (), "controller, a write      12.50 µs", ""),
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
    assert printed in told
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
        judged.filled(hidden.device)
    load = given.content_of(asked[0].trace)
    assert isinstance(load, dict)
    assert asked[0].replay == f"closed:{told['iodepth']}"
    assert told["bs"] == f"{int(load['global']['bs']) >> 20}M"
    assert load["global"]["rw"] == told["rw"]
    assert load["requests"] == hidden.user_bytes // int(load["global"]["bs"])
