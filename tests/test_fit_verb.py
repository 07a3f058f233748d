"""The verb `fit`: from a log to a file that runs, or to words and no file."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

from hidden_drives import THREE, Parts, a_log
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


@pytest.mark.parametrize(("link", "status"), [("pcie4x4", 0), ("nonsense", 3)])
def test_the_link_is_one_that_the_engine_knows(tmp_path: Path, link: str, status: int) -> None:
    path = a_log(tmp_path, [(0.6, 2000.0), (2.0, 700.0), (2.5, 400.0)], ms=4)
    out = tmp_path / "out" / "drive.toml"
    size = ("--user", "2.5GB", "--bits", "3")
    ended = slcache("fit", path, *size, "--link", link, "--out", out)
    assert (ended.returncode, out.exists()) == (status, status == 0), ended.stderr
