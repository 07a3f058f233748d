"""Where workers cannot be started, fewer do the work, or the command ends and says why."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from slcache import RunError
from slcache.execute import local
from slcache.study.api import sweep
from slcache.study.run import Sweep
from support import mixed, process, write_trace

#: What answers without having been asked.
SAYING = (
    "import sys, time; from multiprocessing.connection import Connection; "
    "Connection(int(sys.argv[1])).{}; time.sleep(0.3); sys.exit(1)"
)
#: A program in the place of a worker, and what is told of it.
PROGRAMS = {
    "missing": (["/nowhere/python"], "a worker cannot be started: No such file or directory"),
    "no program": ([__file__], "a worker cannot be started: Permission denied"),
    "dies at its start": (
        [sys.executable, "-c", "raise SystemExit('no slcache here')"],
        "the worker exited with status 1: no slcache here (3 times)",
    ),
    **{
        f"says {said}": ([sys.executable, "-c", SAYING.format(said)], "exited with status 1")
        for said in ("send_bytes(b'hello')", "send(())")
    },
    "says nothing": ([sys.executable, "-c", ""], "the worker exited with status 0"),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("lacking") / "t.csv", mixed(40))


def swept(trace: Path, **how: Any) -> Sweep:  # noqa: ANN401
    """Return a sweep of four points by two workers."""
    own = {"vary": {"host.time_scale": "0.5,1,2,4"}, "settings": {"trace.address": "wrap"}}
    return sweep(trace, device="tiny", scheme="sa", jobs=2, **own, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_no_worker_ends_the_work(
    name: str, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, told = PROGRAMS[name]
    monkeypatch.setattr(local, "_COMMAND", command)
    with pytest.raises(RunError) as caught:
        swept(small, fail_fast=True)
    assert told in str(caught.value)


class Failing:
    """Starts so many processes, and no more."""

    def __init__(self, count: int) -> None:
        self.left = count
        self.plain = subprocess.Popen

    def __call__(self, *arguments: Any, **how: Any) -> Any:  # noqa: ANN401
        """Start a process."""
        if not self.left:
            raise OSError(24, "Too many open files")
        self.left -= 1
        return self.plain(*arguments, **how)


@pytest.fixture(scope="module")
def whole(small: Path) -> pl.DataFrame:
    return swept(small).table


def test_fewer_workers_do_the_work(
    small: Path,
    whole: pl.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", Failing(1))
    with pytest.warns(UserWarning, match=r"Too many open files .*: 1 of 2 do the work"):
        assert swept(small).table.equals(whole)


def test_a_worker_that_is_lost_and_cannot_be_started_anew_leaves_its_task(
    small: Path,
    whole: pl.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts = Failing(2)
    monkeypatch.setattr(subprocess, "Popen", starts)
    plain = local._Worker.give
    killed: list[object] = []

    def give(worker: Any, task: Any) -> None:  # noqa: ANN401
        if starts.left == 0 and not killed:
            killed.append(worker)
            worker.process.kill()
        plain(worker, task)

    monkeypatch.setattr(local._Worker, "give", give)
    with pytest.warns(UserWarning, match=r"Too many open files .*: 1 of 2 do the work"):
        assert swept(small).table.equals(whole)
    assert killed


FEW = [8, 12, *(pytest.param(n, marks=pytest.mark.slow) for n in (6, 7, 9, 10, 11, *range(13, 25)))]


@pytest.mark.parametrize("files", FEW)
def test_few_open_files_are_enough_or_told(files: int, small: Path, tmp_path: Path) -> None:
    ended = process(
        *("sweep", small, "--device", "tiny", "--scheme", "sa", "--no-report"),
        *("--vary", "host.time_scale=0.5,1", "--set", "trace.address=wrap", "--jobs", "2"),
        *("--out", tmp_path / "out"),
        setup=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    assert b"Traceback" not in ended.stderr
    assert ended.returncode in (0, 1, 4)
    assert ended.returncode == 0 or b"oo many open files" in ended.stderr
