"""A study gives the same table on a cluster as here, also where a worker is killed meanwhile."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from executors import Here
from slcache import ConfigError, RunError
from slcache.execute import driver, remote
from slcache.execute.driver import Executor
from slcache.execute.run import Run
from slcache.execute.tasks import Done, Task, perform
from slcache.study.api import Course
from slcache.study.model import Study
from slcache.study.run import run_study
from support import mixed, stdout, write_trace

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
        if 0 < done < total and not victims:
            victims.extend(pids()[:1])
            os.kill(victims[0], signal.SIGKILL)

    found = run_study(study(trace), Course(out=out, executor=executor, on_progress=kill))
    assert victims
    assert victims[0] not in pids()
    return found.counts()["done"]


@pytest.mark.long
def test_dask_goes_on_without_a_worker(trace: Path, here: bytes, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from slcache.execute.dask import Dask

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
    from slcache.execute.ray import Ray

    def pids() -> list[int]:
        children = psutil.Process().children(recursive=True)
        return [child.pid for child in children if child.name() == "ray::perform"]

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
            sent = remote.packed(task)
            with monkeypatch.context() as moved:
                moved.chdir("/")
                return remote.perform(sent, remote.version())

        def close(self) -> None:
            raise AssertionError("it was not made by the sweep")

    Path("t.csv").write_bytes(trace.read_bytes())
    Path("d.toml").write_bytes((ROOT / "presets/devices/tiny.toml").read_bytes())
    there = run_study(study("t.csv", "d.toml"), Course(store="there", executor=Elsewhere()))
    same = run_study(study("t.csv", "d.toml"), Course(store="here"))
    assert there.table.equals(same.table)
    assert there.counts()["done"] == 8


def test_a_worker_refuses_what_it_cannot_do_alike(tmp_path: Path, trace: Path) -> None:
    task = Task("a", "point", Run("", "t.csv", "tiny", "sa", {}))
    done = remote.perform(task, "another version")
    assert "another version" in (done.error or "")
    unseen = replace(task, prepared=str(tmp_path / "none"))
    done = remote.perform(unseen, remote.version())
    assert "all machines share" in (done.error or "")
    # Where the driver is, what is prepared only saves time.
    assert "t.csv" in (perform(unseen).error or "")
    remote.check({"one": remote.version()})
    with pytest.raises(RunError, match="two has slcache 0"):
        remote.check({"one": remote.version(), "two": "0"})
    refused = {"scheme.sa.slc_blocks": 10**6}
    impossible = Study(trace=trace, device="tiny", scheme="sa", settings=refused)
    with pytest.raises(ConfigError):
        run_study(impossible, Course(store="/dev/null/none", executor="dask://127.0.0.1:1"))


def test_a_missing_library_and_a_scheduler_that_does_not_answer_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as lacking:
        lacking.setattr("importlib.util.find_spec", lambda _: None)
        with pytest.raises(ValueError, match=r"pip install 'slcache\[ray\]'"):
            driver.check("ray://", None)
    pytest.importorskip("distributed")
    from slcache.execute import dask

    monkeypatch.setattr(dask, "_WAIT_S", 0.2)
    workers = driver.workers("dask://127.0.0.1:1", None)
    with pytest.raises(RunError, match="no scheduler answers"), workers:
        pass
