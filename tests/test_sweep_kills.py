"""Sweeps end with the same table after any kill, and on any cluster."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from executors import Here
from slcache import ConfigError, RunError
from slcache.execute import executors as clusters
from slcache.execute import tasks
from slcache.execute.engine import TRIES
from slcache.execute.executors import Executor
from slcache.execute.run import Run
from slcache.execute.tasks import Done, Task, perform
from slcache.study import Course
from slcache.study.model import Study
from slcache.study.run import run_study
from support import command, heed_ctrl_c, mixed, slcache, stdout, write_trace

#: Kills of the driver, and as many of a worker, each at a moment of its own.
KILLS = [pytest.param(1, marks=pytest.mark.long), pytest.param(8, marks=pytest.mark.slow)]
#: Workers end by themselves once their driver is gone; a busy machine may take a while.
GONE_S = 5.0
#: Within this after the first worker is there, the driver is killed.
MOMENT_S = 1.2
SPEC = """
requests = 100000
footprint_bytes = 2097152
[global]
rw = "randrw"
bs = "4k"
"""


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Requests that keep a worker busy for a moment."""
    path = tmp_path_factory.mktemp("kills") / "w.toml"
    path.write_text(SPEC)
    return path


def arguments(workload: Path, out: Path) -> list[str | Path]:
    """Return a sweep of 16 points, half of which start from a preconditioned state; no page."""
    return [
        *("sweep", workload, "--device", "tiny", "--scheme", "tlc-only,sa", "--seed", "1"),
        *("--vary", "precondition.fill=0,0.5", "--vary", "host.time_scale=0.5,1,2,4"),
        *("--jobs", "2", "--no-report", "--out", out),
    ]


def processes(mark: str) -> list[int]:
    """Return the worker processes whose environment has a mark."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            ours = mark.encode() in (place / "environ").read_bytes()
            if ours and b"import serve" in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def started(words: list[str | Path], mark: str) -> subprocess.Popen[bytes]:
    """Start a sweep whose workers can be told by a mark."""
    return subprocess.Popen(
        command(words),
        env={**os.environ, "SLCACHE_TEST_MARK": mark},
        preexec_fn=heed_ctrl_c,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_until_gone(mark: str) -> None:
    """Wait until no worker is left."""
    end = time.monotonic() + GONE_S
    while left := processes(mark):
        if time.monotonic() > end:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            pytest.fail("workers outlive their driver")
        time.sleep(0.02)


def results(out: Path) -> dict[str, int]:
    """Return the results that are there, with the times they were written."""
    folder = out / "store" / "results"
    files = folder.glob("*.json.gz") if folder.exists() else []
    return {path.name: path.stat().st_mtime_ns for path in files}


def at_work(driver: subprocess.Popen[bytes], mark: str) -> list[int]:
    """Return the workers of a sweep once there are some, or none where it ended."""
    while driver.poll() is None:
        if pids := processes(mark):
            return pids
        time.sleep(0.01)
    return []


@pytest.mark.parametrize("kills", KILLS)
def test_kills_at_random_moments_change_nothing(
    kills: int, workload: Path, tmp_path: Path, record_property: Callable[[str, str], None]
) -> None:
    seed = int(os.environ.get("SLCACHE_SEED", random.SystemRandom().randrange(1 << 32)))
    rng = random.Random(seed)
    reference = slcache(*arguments(workload, tmp_path / "a"))
    assert reference.returncode == 0, reference.stderr
    words, out = arguments(workload, tmp_path / "b"), tmp_path / "b"
    hit = 0
    for _ in range(kills):
        before = results(out)
        mark = uuid.uuid4().hex
        with started(words, mark) as driver:
            at_work(driver, mark)
            time.sleep(rng.uniform(0, MOMENT_S))
            hit += len(processes(mark))
            driver.kill()
            driver.communicate()
        wait_until_gone(mark)
        assert before.items() <= results(out).items(), f"ran twice; SLCACHE_SEED={seed}"
    mark = uuid.uuid4().hex
    # With what a killed driver was about to write. On a busy machine none may have got so far.
    if results(out):
        shutil.rmtree(out / "store" / "results")
    with started(words, mark) as driver:
        lost = 0
        for _ in range(kills):
            lost += kill_one(rng, at_work(driver, mark))
            time.sleep(rng.uniform(0, MOMENT_S / 2))
        stdout, stderr = driver.communicate(timeout=120)
    again = slcache(*words)
    assert again.returncode == 0, (seed, stdout, stderr, again.stderr)
    tables = [(folder / "points.parquet").read_bytes() for folder in (tmp_path / "a", out)]
    assert tables[0] == tables[1], f"SLCACHE_SEED={seed}"
    told = f"{kills} drivers killed with {hit} workers at work, {lost} workers killed"
    record_property("told", f"sweep kills: {told} (seed {seed})")


@pytest.mark.long
def test_a_worker_does_not_outlive_its_driver_in_the_middle_of_a_run(tmp_path: Path) -> None:
    endless = tmp_path / "endless.toml"
    endless.write_text(SPEC.replace("100000", "4000000000"))
    mark = uuid.uuid4().hex
    words = ("sweep", endless, "--device", "tiny", "--scheme", "sa", "--out", tmp_path / "out")
    with started(list(words), mark) as driver:
        assert len(at_work(driver, mark)) == 1
        # Python starts, and the run with it.
        time.sleep(MOMENT_S)
        driver.kill()
        driver.communicate()
    wait_until_gone(mark)


def kill_one(rng: random.Random, pids: list[int]) -> int:
    """Kill one of several processes; how many were hit."""
    if not pids:
        return 0
    try:
        os.kill(rng.choice(pids), signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


@pytest.mark.long
@pytest.mark.parametrize(
    "order", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_an_ended_sweep_goes_on(workload: Path, tmp_path: Path, order: signal.Signals) -> None:
    words = arguments(workload, tmp_path)
    mark = uuid.uuid4().hex
    with started(words, mark) as driver:
        end = time.monotonic() + 60
        while not results(tmp_path) and time.monotonic() < end:
            time.sleep(0.01)
        driver.send_signal(order)
        stdout, stderr = driver.communicate(timeout=20)
    assert (driver.returncode, stdout) == (130, b"")
    said = rb"(note: )?\d+ of 16 points done; the same command goes on from there\s+interrupted\n"
    assert re.fullmatch(said, stderr), stderr
    wait_until_gone(mark)
    kept = results(tmp_path)
    assert kept
    done = slcache("sweep", tmp_path, "--no-report")
    assert done.returncode == 0, done.stderr
    assert f"16 points: 16 done; {len(kept)} results were there before".encode() in done.stdout
    assert kept.items() <= results(tmp_path).items()


class Losing(Here):
    """Loses the tasks of some schemes so many times, and looks whether files are there."""

    def __init__(self, **lost: int) -> None:
        super().__init__()
        self.left = lost

    def did(self, task: Task) -> Done:
        """Do a task, or lose it."""
        shared = [task.prepared, task.state if task.kind == "point" else None]
        assert all(Path(path).exists() for path in shared if path is not None)
        if self.left.get(task.run.scheme, 0):
            self.left[task.run.scheme] -= 1
            return Done(task.name, lost="the worker was ended by SIGKILL")
        return perform(task)

    @property
    def made(self) -> list[tuple[str, bool]]:
        """Kinds of tasks, and whether they read a state."""
        return sorted((task.kind, task.state is not None) for task in self.tasks)


def test_what_is_shared_is_there_before_the_points(trace: Path, cwd: Path) -> None:
    vary = {"precondition.fill": [0.0, 0.5], "host.time_scale": [1, 2]}
    study = Study(trace=trace, device="tiny", scheme="tlc-only", vary=vary)
    executor = Losing()
    assert run_study(study, Course(out="out", executor=executor)).counts()["done"] == 4
    points = [*[("point", False)] * 2, *[("point", True)] * 2]
    assert executor.made == [*points, ("state", False)]
    # One point alone makes no state, and reads its trace as it is.
    alone, settings = Losing(), {"precondition.fill": 0.4}
    other = Study(trace=trace, device="tiny", scheme="tlc-only", settings=settings)
    assert run_study(other, Course(out="other", executor=alone)).counts()["done"] == 1
    assert alone.made == [("point", False)]


def test_a_lost_point_is_tried_again_and_then_told(trace: Path, tmp_path: Path) -> None:
    study = Study(trace=trace, device="tiny", scheme=["tlc-only", "sa", "baseline"])
    executor = Losing(**{"tlc-only": TRIES, "sa": TRIES - 1})
    found = run_study(study, Course(out=tmp_path, executor=executor))
    assert [row["status"] for row in found.table.to_dicts()] == ["failed", "done", "done"]
    assert found.points[0].reason == f"the worker was ended by SIGKILL ({TRIES} times)"
    asked = sorted(task.run.scheme for task in executor.tasks)
    assert asked == ["baseline", *["sa"] * TRIES, *["tlc-only"] * TRIES]
    # What failed is tried anew, and nothing else.
    again = Losing()
    assert run_study(study, Course(out=tmp_path, executor=again)).counts()["done"] == 3
    assert [task.run.scheme for task in again.tasks] == ["tlc-only"]


ROOT = Path(__file__).parent.parent
ROOM = {"device.user_bytes": "2MiB", "trace.address": "wrap"}


def study(trace: Path | str, device: Path | str = "tiny") -> Study:
    """Return eight points that take a moment each."""
    own = {"scheme": ["tlc-only", "sa"], "vary": {"host.time_scale": "0.5,1.0"}, "seeds": 2}
    return Study(trace=trace, device=device, settings=ROOM, **own)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("cluster") / "a trace.csv", mixed(20_000))


def table(folder: Path) -> bytes:
    return (folder / "points.parquet").read_bytes()


@pytest.fixture(scope="module")
def here(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the table of an undisturbed sweep on this machine."""
    out = tmp_path_factory.mktemp("here")
    run_study(study(trace), Course(out=out))
    return table(out)


def killed_in_the_middle(
    executor: Executor, pids: Callable[[], list[int]], trace: Path, out: Path
) -> int:
    """Run the study, kill a worker once a point is done, and return how many points ran."""
    victims: list[int] = []

    def kill(_told: str, done: int, total: int) -> None:
        # None may be at work between two points: the next report asks again.
        if 0 < done < total and not victims and (found := pids()):
            victims.append(found[0])
            os.kill(found[0], signal.SIGKILL)

    found = run_study(study(trace), Course(out=out, executor=executor, on_progress=kill))
    assert victims
    assert victims[0] not in pids()
    return found.counts()["done"]


@pytest.mark.long
def test_dask_goes_on_without_a_worker(trace: Path, here: bytes, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from slcache.execute.executors import Dask

    # Another scheduler may run here, and has the port that schedulers like best.
    with socket.socket() as other:
        with contextlib.suppress(OSError):
            other.bind(("", 8787))
            other.listen()
        executor = Dask("", 2)

    def pids() -> list[int]:
        return sorted(executor.run_everywhere(os.getpid).values())

    try:
        assert len(pids()) == 2
        assert killed_in_the_middle(executor, pids, trace, tmp_path) == 8
    finally:
        executor.close()
    assert table(tmp_path) == here


@pytest.mark.long
def test_a_dask_cluster_is_found_by_its_address(trace: Path, here: bytes, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    quiet = {"dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "threads_per_worker": 1}
    # It listens at an address as one of processes does, and starts in no time.
    with distributed.LocalCluster(n_workers=2, processes=False, protocol="tcp", **quiet) as cluster:
        address = cluster.scheduler_address.removeprefix("tcp://")
        asked = tmp_path / "asked.toml"
        asked.write_text(study(trace).to_toml())
        stdout("sweep", asked, "--out", tmp_path, "--executor", f"dask://{address}")
    assert table(tmp_path) == here


@pytest.mark.slow
def test_ray_goes_on_without_a_worker(trace: Path, here: bytes, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="pip install ray")
    psutil = pytest.importorskip("psutil")
    from slcache.execute.executors import Ray

    def pids() -> list[int]:
        children = psutil.Process().children(recursive=True)
        return [child.pid for child in children if child.name() == "ray::perform_sent"]

    executor = Ray("", 2)
    try:
        assert killed_in_the_middle(executor, pids, trace, tmp_path) == 8
    finally:
        executor.close()
    assert table(tmp_path) == here


def test_tasks_travel_to_a_folder(trace: Path, cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(Here):
        here = False

        def did(self, task: Task) -> Done:
            sent = tasks.portable(task)
            with monkeypatch.context() as moved:
                moved.chdir("/")
                return tasks.perform_sent(sent, tasks.version())

        def close(self) -> None:
            raise AssertionError("it was not made by the sweep")

    Path("t.csv").write_bytes(trace.read_bytes())
    Path("d.toml").write_bytes((ROOT / "presets/devices/tiny.toml").read_bytes())
    there = run_study(study("t.csv", "d.toml"), Course(store="there", executor=Elsewhere()))
    assert there.table.equals(run_study(study("t.csv", "d.toml"), Course(store="here")).table)
    assert there.counts()["done"] == 8


def test_a_worker_refuses_what_it_cannot_do_alike(tmp_path: Path, trace: Path) -> None:
    task = Task("a", "point", Run("", "t.csv", "tiny", "sa", {}))
    done = tasks.perform_sent(task, "another version")
    assert "another version" in (done.error or "")
    unseen = replace(task, prepared=str(tmp_path / "none"))
    done = tasks.perform_sent(unseen, tasks.version())
    assert "all machines share" in (done.error or "")
    # Where the driver is, what is prepared only saves time.
    assert "t.csv" in (perform(unseen).error or "")
    tasks.check_versions({"one": tasks.version()})
    with pytest.raises(RunError, match="two has slcache 0"):
        tasks.check_versions({"one": tasks.version(), "two": "0"})
    refused = {"scheme.sa.slc_blocks": 10**6}
    impossible = Study(trace=trace, device="tiny", scheme="sa", settings=refused)
    with pytest.raises(ConfigError):
        run_study(impossible, Course(store="/dev/null/none", executor="dask://127.0.0.1:1"))


def test_a_missing_library_or_scheduler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as lacking:
        lacking.setattr("importlib.util.find_spec", lambda _: None)
        with pytest.raises(ValueError, match=r"pip install 'slcache\[ray\]'"):
            clusters.check("ray://", None)
    pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "_WAIT_S", 0.2)
    workers = clusters.workers("dask://127.0.0.1:1", None)
    with pytest.raises(RunError, match="no scheduler answers"), workers:
        pass
