"""`fit`: a device is held against its log under the log's own job, and written only if it fits."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from hidden_drives import Parts, a_log, drive
from slcache import cliffs, fit
from slcache.drives import fills
from slcache.execute import given
from slcache.execute.run import Run
from slcache.fit import judged
from slcache.fit.judged import TOLERANCE
from support import slcache

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
    load = cliffs.Pattern(amount, judged.WRITE_MIB << 20, judged.DEPTH)
    document = cliffs.run(load, device=device, schemes=["client"]).runs["client"][1].documents[0]
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
