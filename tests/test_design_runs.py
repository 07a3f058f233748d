"""A design simulates what it says: end to end on a small flash cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache as sl
from slcache import design, models
from slcache.design import region
from slcache.report.terminal import overload
from slcache.runs.executors.local import Local
from slcache.runs.tasks import Task
from support import slcache, workers

BLOCKS = 32
#: 32 blocks, 8 MiB in SLC mode and 16 MiB in MLC, in front of a disk of 256 MiB.
DEVICE = """
[device]
name = "small"
summary = "a small flash cache"
source = "made for a test"
user_bytes = "256MiB"

[device.disk]
rpm = 5400
track_seek_ns = 2_000_000
average_seek_ns = 12_000_000
mb_per_s = 40
[device.disk.power]
active_mw = 2550
idle_mw = 800
standby_mw = 250
idle_after_ns = 1_000_000_000
to_idle_ns = 500_000_000
to_idle_mj = 1150
from_idle_ns = 500_000_000
from_idle_mj = 1150
standby_after_ns = 3_380_000_000
spin_down_ns = 2_300_000_000
spin_down_mj = 2940
spin_up_ns = 1_600_000_000
spin_up_mj = 5000

[[device.pool]]
name = "nand"
channels = 1
chips = 1
dies = 1
planes = 1
blocks = 32
wordlines = 64
page_bytes = 4096
[device.pool.bus]
ps_per_byte = 0
[device.pool.slc]
read_ns = [100_000]
program_ns = [200_000]
erase_ns = 900_000
endurance_cycles = 50_000
[device.pool.mlc]
read_ns = [100_000]
program_ns = [800_000]
erase_ns = 900_000
endurance_cycles = 10_000
"""
#: Overwrites the small chip several times.
WORKLOAD = """
about = "random reads and writes"
requests = 20000
footprint_bytes = 33554432
[arrivals]
process = "poisson"
mean_gap_ns = 60000000
[global]
rw = "randrw"
rwmixread = 40
bs = "4k"
random_distribution = "zipf:0.9"
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The device and the workload."""
    folder = tmp_path_factory.mktemp("small")
    paths = {"device": folder / "small.toml", "trace": folder / "w.toml"}
    for path, text in zip(paths.values(), (DEVICE, WORKLOAD), strict=True):
        path.write_text(text)
    return paths


SETTINGS = {"buffer.bytes": "256KiB"}


def asked(files: dict[str, Path], **change: Any) -> design.Design:  # noqa: ANN401
    """Return a design over multiples of an eighth of the blocks."""
    given: dict[str, Any] = {"lifespan": "1.5x", "candidates": 8, "settings": SETTINGS}
    given |= {} if "jobs" in change else {"executor": workers()}
    return design.nvc(files["trace"], device=files["device"], **{**given, **change})


def ran(files: dict[str, Path], scheme: str, key: str, blocks: int) -> dict[str, float]:
    """Return what the second pass alone adds to figures, from runs without a design."""
    settings = {**SETTINGS, f"scheme.{scheme}.{key}": blocks}
    found = []
    for path in (files["trace"], twice(files)):
        result = sl.run(path, device=files["device"], scheme=scheme, settings=settings)
        found.append(counted(result.to_dict()))
    first, both = found
    return {key: both[key] - first[key] for key in both}


def twice(files: dict[str, Path]) -> Path:
    """Return the workload as a trace that has it two times."""
    path = files["trace"].with_name("twice.parquet")
    if not path.exists():
        sl.Trace(files["trace"], options={"copies": "2"}).convert(path)
    return path


def counted(document: dict[str, Any]) -> dict[str, float]:
    """Return a run's figures, with what the host wrote."""
    figures: dict[str, float] = document["scheme"]["figures"]
    # A lifespan counts what the host writes, as a run's does; a part of it never leaves the DRAM.
    written = document["host"]["write"]["bytes"]
    assert written > 1.02 * figures["host_bytes"]
    return {**figures, "host_bytes": written}


def test_the_answer_is_that_of_running_everything(files: dict[str, Path]) -> None:
    """Run all candidates by hand; the smallest that suffices is the answer."""
    lives = []
    for slc in range(0, BLOCKS + 1, 4):
        volumes: dict[str, float] = {}
        if slc:
            alone = ran(files, "nvc-slc-only", "blocks", slc)
            volumes |= {"host_bytes": alone["host_bytes"], "slc_only_bytes": alone["slc_bytes"]}
        if slc < BLOCKS:
            alone = ran(files, "nvc-mlc-only", "blocks", BLOCKS - slc)
            volumes |= {"host_bytes": alone["host_bytes"], "dense_only_bytes": alone["dense_bytes"]}
        if 0 < slc < BLOCKS:
            both = ran(files, "nvc", "slc_blocks", slc)
            volumes |= {key: both[key] for key in ("host_bytes", "slc_bytes", "dense_bytes")}
        chip = dict(zip(models.CHIP_KEYS, (50_000, 10_000, 262_144, 2, BLOCKS), strict=True))
        found = models.nvc_lifespan(chip, slc_share=slc / BLOCKS, volumes=volumes)
        assert found.host_bytes is not None
        lives.append(found.host_bytes)
    answer = asked(files)
    cold = asked(files, passes=1)
    assert [p.volumes for p in cold.points] != [p.volumes for p in answer.points]
    places = [point.slc_blocks // 4 for point in answer.points]
    assert [point.life_bytes for point in answer.points] == [lives[place] for place in places]
    assert answer.slc_blocks is not None
    place = answer.slc_blocks // 4
    assert lives[place] >= 1.5 * lives[0] > lives[place - 1]
    assert {place - 1, place + 1} & set(range(9)) <= set(places)
    assert all(all(point.cleanings.values()) for point in answer.points), "cleaning was measured"


class Counting(Local):
    """Workers that remember what they were given."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.started: list[str] = []

    def submit(self, task: Task) -> None:
        """Take a task."""
        self.started.append(task.name)
        super().submit(task)


def test_finished_runs_are_taken_up_again(files: dict[str, Path], tmp_path: Path) -> None:
    def stopping(phase: str, done: int, total: int) -> bool:
        return phase != "runs" or done / total < 0.4

    with pytest.raises(KeyboardInterrupt):
        asked(files, keep=tmp_path, progress=stopping)
    kept = len(list(tmp_path.rglob("*.json.gz")))
    assert kept > 0
    executor = Counting(2)
    try:
        first = asked(files, keep=tmp_path, executor=executor)
        every = len(list(tmp_path.rglob("*.json.gz")))
        assert len(executor.started) == every - kept
        executor.started.clear()
        # Another question of the same runs takes none of them anew.
        again = asked(files, keep=tmp_path, goal="energy", executor=executor)
    finally:
        executor.close()
    assert again.slc_blocks == first.slc_blocks
    assert not executor.started


def test_the_answer_does_not_depend_on_how_many_run_at_a_time(files: dict[str, Path]) -> None:
    assert asked(files, jobs=1).to_json() == asked(files, jobs=3).to_json()


def test_a_region_alone_may_have_the_whole_chip(files: dict[str, Path]) -> None:
    found = asked(files, only_full_chip=True, candidates=4)
    inner = [point for point in found.points if 0 < point.slc_share < 1]
    assert len(inner) >= 2
    whole = found.points[0].volumes["dense_only_bytes"]
    assert {point.volumes["dense_only_bytes"] for point in inner} == {whole}


def test_a_lifespan_out_of_reach_is_told_with_status_0(
    files: dict[str, Path], tmp_path: Path
) -> None:
    done = slcache(
        "design", "nvc", "--workload", files["trace"], "--device", files["device"],
        "--lifespan", "50x", "--candidates", "2", "--set", "buffer.bytes=256KiB",
        "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["slc_blocks"], document["r_min"]) == (None, None)
    assert 0 < document["nearest"]["share_of_constraint"] < 1
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"design.json", "design.svg", "design.png", "store"}
    assert json.loads((tmp_path / "out/design.json").read_text()) == document


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (["--device", "tiny"], "device.disk"),
        (["--set", "scheme.nvc.slc_blocks=4"], "scheme.nvc.slc_blocks"),
        (["--set", "scheme.nvc.policy=1", "--policy", "2"], "scheme.nvc.policy"),
        (["--set", "scheme.nvc.slc.cold_share=7"], "scheme.nvc.slc.cold_share"),
        (["--candidates", "33"], "candidates = 33: must be between 1 and 32"),
    ],
)
def test_what_cannot_be_designed_is_named(
    arguments: list[str], key: str, files: dict[str, Path], tmp_path: Path
) -> None:
    device = [] if "--device" in arguments else ["--device", str(files["device"])]
    done = slcache(
        "design", "nvc", "--workload", files["trace"], "--lifespan", "2x",
        "--out", tmp_path / "out", *device, *arguments,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert key in done.stderr.decode()
    assert not (tmp_path / "out").exists()


def test_a_trace_that_is_not_there_is_a_trace_error(files: dict[str, Path], tmp_path: Path) -> None:
    done = slcache(
        "design", "nvc", "--trace", tmp_path / "none.csv", "--lifespan", "2x",
        "--device", files["device"], "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert b"none.csv" in done.stderr


def test_passes_that_are_none_are_refused(files: dict[str, Path]) -> None:
    for passes in (0, -1, 101):
        with pytest.raises(sl.UsageError, match=f"passes = {passes}: must be between 1 and 100"):
            asked(files, passes=passes)


def test_overload_is_told_as_a_run_tells_it(files: dict[str, Path]) -> None:
    """Hurry the trace, and slow it down: the warning comes with the runs', and only with theirs."""
    for scale, behind in (("0.01", True), ("4", False)):
        settings = {**SETTINGS, "host.time_scale": scale}
        found = asked(files, settings=settings, candidates=2)
        runs = [
            sl.run(
                twice(files), device=files["device"], scheme="nvc",
                settings={**settings, "scheme.nvc.slc_blocks": point.slc_blocks},
            ).to_dict()
            for point in found.points
            if 0 < point.slc_share < 1
        ]  # fmt: skip
        told = [overload(run) for run in runs]
        assert told == [point.overload for point in found.points if 0 < point.slc_share < 1]
        assert all(told) if behind else not any(told)
        sentences = " ".join(design.sentences(found))
        assert ("does not keep up with the trace" in sentences) == behind


@pytest.mark.parametrize(("take", "told"), [(5000, True), (19_999, True), (20_000, False)])
def test_only_a_beginning_is_called_one(
    take: int, *, told: bool, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Take a part of 20,000 requests, or no less than all."""
    monkeypatch.setattr(region, "QUICK_REQUESTS", take)
    found = asked(files, quick=True, candidates=1)
    assert found.first_requests == (take if told else None)
    sentences = " ".join(design.sentences(found))
    assert (f"Only the first {take:,} requests were run" in sentences) == told


def test_a_size_left_out_names_its_key_once(files: dict[str, Path]) -> None:
    found = asked(files, candidates=BLOCKS)
    assert set(found.left_out) == {1, 31}
    for reason in found.left_out.values():
        assert reason.count("scheme.nvc.slc_blocks") == 1
        assert reason.startswith("scheme.nvc.slc_blocks = ")
