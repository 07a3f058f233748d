"""The verb fit: from logs to a file that runs and fits, or to words and no file."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from hidden_drives import THREE, Parts, a_log, drive
from slcache import cliffs, fit
from slcache.drives import fills
from slcache.execute import given
from slcache.execute.run import Run
from slcache.fit import judged
from slcache.fit.judged import TOLERANCE
from support import slcache


@pytest.mark.parametrize(
    ("parts", "noise", "told"),
    [
        (THREE[:2], 0.05, "GB written, not 1000 GB"),
        ([(1000.0, 3000.0)], 0.05, "one speed, 3,00"),
        ([(200.0, 2000.0), (1000.0, 500.0)], 0.05, "two speeds, and no room"),
        ([(100.0, 2000.0), (600.0, 500.0), (1000.0, 2000.0)], 0.05, "no phases of a cache"),
        ([(300.0, 1000.0), (1000.0, 3000.0)], 0.05, "no phases of a cache"),
        (
            [(100.0, 5000.0), (300.0, 2500.0), (600.0, 1200.0), (1000.0, 500.0)],
            0.05,
            "no phases of a cache",
        ),
    ],
)
def test_fills_that_tell_too_little_end_in_words(
    tmp_path: Path, parts: Parts, noise: float, told: str
) -> None:
    path, out = a_log(tmp_path, parts, noise=noise), tmp_path / "out" / "drive.toml"
    ended = slcache("fit", path, "--user", "1TB", "--bits", "3", "--out", out)
    assert (ended.returncode, told in ended.stderr.decode()) == (4, True), ended.stderr
    assert not out.parent.exists()


def test_the_whole_way_from_a_log_to_a_run(tmp_path: Path) -> None:
    path = a_log(tmp_path, [(1.0, 2000.0), (4.0, 700.0), (5.0, 400.0)], ms=8)
    out = tmp_path / "out" / "drive.toml"
    ended = slcache("fit", path, "--user", "5GB", "--out", out)
    assert ended.returncode == 0, ended.stderr
    names = {f"drive-{mode}.{end}" for mode in ("tlc", "qlc") for end in ("toml", "svg", "png")}
    assert {file.name for file in out.parent.iterdir()} == names
    assert ended.stdout.decode().count("log and device") == 2
    device = out.with_name("drive-tlc.toml")
    assert (
        slcache(
            "run", "zipf-4k", "--workload", "requests=50", "--device", device, "--scheme", "client"
        ).returncode
        == 0
    )
    again = tmp_path / "again" / "drive.toml"
    ended = slcache("fit", path, "--user", "5GB", "--bits", "3", "--out", again)
    assert again.read_bytes() == device.read_bytes()


def test_the_file_says_on_what_each_key_stands_and_devices_show_tells_it(tmp_path: Path) -> None:
    path = a_log(tmp_path, [(1.0, 2000.0), (4.0, 700.0), (5.0, 400.0)], ms=8)
    out = tmp_path / "drive.toml"
    assert slcache("fit", path, "--user", "5GB", "--bits", "3", "--out", out).returncode == 0
    facts = json.loads(slcache("devices", "show", out, "--json").stdout)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert f"fill_bw.1.log, sha256 {digest}" in facts["statement"]
    grounds, pool = facts["evidence"], tomllib.loads(out.read_text())["device"]["pool"][0]
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
    ends = grounds["device.pool[0].blocks"]
    assert ends["low"] <= pool["blocks"] <= ends["high"]
    ends = grounds["device.pool[0].slc.program_ns"]
    assert ends["low"] <= pool["slc"]["program_ns"][0] <= ends["high"]
    shown = slcache("devices", "show", out).stdout.decode()
    assert f"fitted ({ends['low']:.0f} to {ends['high']:.0f})" in shown


def test_the_job_is_printed_and_names_the_device_alone() -> None:
    told = slcache("fit", "--job", "/dev/nvme1n1").stdout.decode()
    assert told.startswith("# DESTROYS EVERYTHING ON THE DRIVE.")
    assert "\nfilename=/dev/nvme1n1\n" in told
    for wrong in (
        ["--job", "/dev/x\nrw=read"],
        ["--job", "nvme"],
        ["--job", "/dev/x", "a.log"],
        [],
    ):
        assert slcache("fit", *wrong).returncode == 2, wrong


#: GB and MB/s of phases, and whether a TLC device of them can do the same.
FILLS: dict[str, tuple[Parts, bool]] = {
    "three that fall": ([(0.5, 2000.0), (2.0, 700.0), (2.5, 400.0)], True),
    "the last rises": ([(0.3, 2000.0), (2.0, 300.0), (2.5, 500.0)], True),
    "too little room, rising": (
        [(0.3, 2000.0), (1.0, 300.0), (2.5, 500.0)],
        False,
    ),
    "too little room, falling": (
        [(0.3, 2000.0), (1.0, 700.0), (2.5, 300.0)],
        False,
    ),
    "two": ([(0.88, 2100.0), (2.5, 500.0)], True),
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
    amount = device["device"]["user_bytes"] >> 20 << 20
    found = cliffs.cliff(
        device=device,
        schemes=["client"],
        amount_bytes=amount,
        write_bytes=judged.WRITE_MIB << 20,
        queue_depth=judged.DEPTH,
    )
    document = found.runs["client"][1].documents[0]
    average = document["host"]["bytes"] / document["host"]["duration_ns"] * 1e3
    read, shown, _ = fit.fill(path, 2_500_000_000)
    assert average == pytest.approx(read.mb_per_s, rel=TOLERANCE)
    assert read.mb_per_s == pytest.approx(average, rel=TOLERANCE)
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


def test_the_job_that_is_printed_is_the_one_that_is_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = dict(
        re.findall(r"^(\w+)=(\S+)$", judged.text("/dev/x").partition("\n[read]\n")[0], re.M)
    )
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
