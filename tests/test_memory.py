"""What does not fit into memory is refused with figures, not ended by an abort."""

from __future__ import annotations

import csv
import io
import os
import re
import resource
from pathlib import Path

import pytest

from slcache import _core
from slcache.cli import console
from slcache.errors import RunError
from support import slcache

ROOT = Path(__file__).parent.parent
GIB = 1 << 30


@pytest.fixture
def enormous(tmp_path: Path) -> Path:
    """The tiny device with 2^20 times its slots: 2^31, each level rounded up."""
    text = (ROOT / "presets/devices/tiny.toml").read_text()
    sizes = {"blocks": 65536, "wordlines": 128, "page_bytes": 65536, "user_bytes": '"3328GiB"'}
    for key, value in sizes.items():
        text = re.sub(rf"^{key} = \S+", f"{key} = {value}", text, flags=re.MULTILINE)
    path = tmp_path / "enormous.toml"
    path.write_text(text)
    return path


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (6 * GIB, 6 * GIB))


def test_a_device_beyond_the_address_space_is_refused(
    trace: Path, enormous: Path, tmp_path: Path
) -> None:
    done = slcache("run", trace, "--device", enormous, "--scheme", "tlc-only", setup=limited)
    assert (done.returncode, done.stdout) == (1, b"")
    match = re.search(rb"needs about (\d+) MiB .* and (\d+) MiB are available", done.stderr)
    assert match, done.stderr
    assert int(match[1]) > 10_000
    assert int(match[2]) < 6 * 1024
    assert b"cliff --scale 1/16" in done.stderr
    out = tmp_path / "out"
    asked: list[str | Path] = ["sweep", trace, "--scheme", "tlc-only"]
    asked += ["--device", "tiny", "--device", enormous]
    done = slcache(*asked, "--out", out, setup=limited)
    assert done.returncode == 3, done.stderr
    assert f"1 point of tlc-only on {enormous}: the device needs about" in done.stderr.decode()
    assert not (out / "points.parquet").exists()
    done = slcache(*asked, "--skip-impossible", "--out", out, "--format", "csv", setup=limited)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [row["status"] for row in rows] == ["done", "impossible"]
    assert ", more than there is" in rows[1]["reason"]


WORK = ("zipf-4k", "--workload", "requests=20")
#: What each verb that runs one device is given beside it.
VERBS = {
    "run": ("run", *WORK, "--scheme", "client"),
    "compare": ("compare", *WORK, "--schemes", "client,tlc-only"),
    "cliff": ("cliff", "--schemes", "client", "--amount", "64MiB"),
    "like": ("cliff", "--like", "techpowerup"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("part", [64, 1])
def test_a_large_map_is_told_before_the_run(
    verb: str, part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "presets/devices/adata-atom-50-1tb-like.toml").read_text()
    for key, value in {"wordlines": 256 // part, "user_bytes": 800_000_000_000 // part}.items():
        text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
    device = tmp_path / "drive.toml"
    device.write_text(text)

    def ended(*_: object, **__: object) -> None:
        raise RunError("the run was reached")

    for place in ("api.run.of", "comparing.compare.of", "cliffs.cliff.of", "drives.like.like"):
        monkeypatch.setattr(f"slcache.{place}", ended)
    told = slcache(*VERBS[verb], "--device", device).stderr.decode().splitlines()
    about = [line for line in told if "of memory as it begins" in line]
    assert len(about) == (part == 1), told
    assert told[-1] == "error: the run was reached", told
    assert not about or told.index(about[0]) < len(told) - 1


def test_a_part_is_named_where_memory_is_short(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for free, named in ((4 * GIB, False), (2 * GIB, True), (None, False)):
        found = GIB, 3 * GIB, free
        monkeypatch.setattr(_core, "memory_outlook", lambda _, found=found: found)
        console.tell("tiny", ["client"], {}, "mine.toml")
        told = capsys.readouterr().err
        assert ("--scale 1/16" in told) == named
        assert told.startswith("note: a run on mine.toml takes about 1.00 GiB")


MANY = "run zipf-4k --workload requests=1500000 --set host.time_scale=1e-9 --device rl-32g"
FEW = "--workload requests=50 --address wrap --device tiny"
STUDY = f"sweep zipf-4k {FEW} --scheme baseline --vary host.queue_depth=1,2 --out out"
NO_LIBRARIES = "^error: out of (address space|memory)|^$"
NO_BOUND = "there is no memory for the bound of 268435456 units of 4096 bytes"
#: Command lines with so many MiB, the statuses they may end with, and what they tell.
SHORT = [
    *(
        (f"{MANY} --scheme qlc-only", mib, (0, 1), r"no memory for the \d+ requests|out of addr|^$")
        for mib in range(450, 850, 200)
    ),
    *((STUDY, mib, statuses, NO_LIBRARIES) for mib, statuses in ((350, (1,)), (470, (0, 1)))),
    # Before the run of what cannot be drawn.
    (
        f"run zipf-4k {FEW} --scheme sa --out out",
        30 << 10,
        (1,),
        r"\(ulimit -v\), and pictures need",
    ),
    *((f"bound long.csv --sizes {of}", 1024, (1,), NO_BOUND) for of in ("1MiB", "1MiB..32MiB*2")),
]


@pytest.mark.parametrize(("words", "mib", "statuses", "told"), SHORT)
def test_what_there_is_no_memory_for_is_refused(
    words: str, mib: int, statuses: tuple[int, ...], told: str, cwd: Path
) -> None:
    trace = cwd / "long.csv"
    trace.write_text(f"128166372000000000,test,0,Write,0,{1 << 40},0\n")
    done = slcache(
        *words.split(),
        environment={**os.environ, "XDG_CACHE_HOME": str(cwd / "cache")},
        setup=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)),
    )
    assert done.returncode in statuses, done.stderr
    assert re.search(told, done.stderr.decode()), done.stderr
    assert b"Traceback" not in done.stderr
    assert "sweep" in words or list(cwd.iterdir()) == [trace]
