"""`cliff --like`: what is printed of a preset hangs together, and wrong scales are told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import drive_models
from slcache.drives import fills, like
from slcache.errors import UsageError
from support import slcache
from test_drives import small

#: `make slow` fills all of them.
SOME = {("samsung-970-evo-500gb-like", "techpowerup")}
NAMES = [f"{name}-like" for name in drive_models.TEMPLATES]


def smallest(device: str) -> int:
    """Return the largest K of which a K-th of a device can be run."""

    def runs(scale: int) -> bool:
        try:
            fills.scaled(device, scale, fills.as_client(None))
        except UsageError:
            return False
        return True

    return max(scale for scale in (1, 2, 4, 8, 16, 32, 64) if runs(scale))


@pytest.mark.parametrize(
    ("name", "protocol"),
    [
        pytest.param(name, protocol, marks=[] if (name, protocol) in SOME else [pytest.mark.slow])
        for name in NAMES
        for protocol in ("techpowerup", "anandtech")
    ],
)
def test_a_phase_has_its_speed_between_and_its_bytes_by_its_time(name: str, protocol: str) -> None:
    found = like.like(protocol, device=name, scale=smallest(name))
    assert found.fill is not None
    for each, curve in zip(found.passes, found.fill.passes, strict=True):
        begin, spent = 0.0, 0.0
        for phase in each.phases:
            assert phase["low_gb_s"] <= phase["gb_s"] <= phase["high_gb_s"]
            assert phase["from_gb"] == begin < phase["to_gb"]
            seconds = curve.at(phase["to_gb"]) - curve.at(begin)
            assert phase["gb_s"] * seconds == pytest.approx(phase["to_gb"] - begin)
            begin, spent = phase["to_gb"], spent + seconds
        assert begin == pytest.approx(float(curve.gb[-1]))
        assert spent == pytest.approx(float(curve.seconds[-1]))
        assert each.average_gb_s == pytest.approx(begin / spent)


@pytest.mark.few(5)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [7, 32, 690, 999_999])
def test_a_scale_that_cannot_be_names_the_nearest_that_works(name: str, scale: int) -> None:
    as_client = fills.as_client(None)
    with pytest.raises(UsageError) as raised:
        fills.scaled(name, scale, as_client)
    assert raised.value.key == "scale"
    found = re.match(rf"scale = 1/{scale}: the nearest that works is 1/(\d+); ", str(raised.value))
    assert found is not None
    nearest = int(found[1])
    fills.scaled(name, nearest, as_client)
    # What lies between does not divide the blocks, or does not run.
    for other in range(nearest + 1, min(scale, nearest + 9)):
        with pytest.raises(UsageError):
            fills.scaled(name, other, as_client)


@pytest.mark.parametrize(
    "more",
    [
        ["--like", "techpowerup"],
        ["--like", "recovery"],
        ["--schemes", "client"],
        ["--schemes", "all"],
    ],
    ids=" ".join,
)
def test_every_form_of_the_cliff_names_the_scale(more: list[str]) -> None:
    ended = slcache("cliff", "--device", "lexar-nm790-2tb-like", *more, "--scale", "1/64")
    told = ended.stderr.decode()
    assert ended.returncode == 2, told
    assert "--scale = 1/64: the nearest that works is 1/16; " in told
    assert "fold.keep_blocks = " in told


@pytest.mark.parametrize("protocol", like.PROTOCOLS)
def test_a_protocol_begins_in_the_state_that_is_said_and_says_it(
    protocol: str, tmp_path: Path
) -> None:
    device = tmp_path / "small.json"
    device.write_text(json.dumps(small()))
    how = ("cliff", "--device", device, "--like", protocol)
    for said, told in (
        ((), "small: empty, never overwritten, not steady; SLC cache "),
        (("--state", "full=0.5"), "small: 50.0 % full, never overwritten, not steady; SLC cache "),
        (("--set", "precondition.fill=0.25"), "small: 25.0 % full, "),
    ):
        done = slcache(*how, *said)
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode().startswith(told), said
    twice = slcache(*how, "--state", "full=0.5", "--fill", "0.5")
    assert twice.returncode == 2
    assert b"--fill" in twice.stderr


@pytest.mark.parametrize("how", [["--like", "techpowerup"], ["--schemes", "client"]], ids=" ".join)
def test_a_part_says_that_its_buffer_is_whole(how: list[str], tmp_path: Path) -> None:
    """A buffer of a part of the device would be too small for all its planes."""
    device, bare = tmp_path / "small.json", tmp_path / "bare.json"
    device.write_text(json.dumps(small()))
    bare.write_text(json.dumps({k: part for k, part in small().items() if k != "buffer"}))
    for path, scale, told in ((device, "1/2", True), (device, "1", False), (bare, "1/2", False)):
        done = slcache("cliff", "--device", path, *how, "--scale", scale)
        assert done.returncode == 0, done.stderr
        said = b"note: --scale 1/2 leaves buffer.bytes = 1.00 MiB whole"
        assert (said in done.stderr) == told
