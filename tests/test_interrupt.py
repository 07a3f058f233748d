"""Whatever a command is in the middle of, it ends soon after it is told to, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import slcache as sl
from slcache.execute import local
from support import command, heed_ctrl_c
from verbs import Inputs

RUN = ("--device", "tiny", "--scheme", "baseline")
#: Answering takes 0.3 s at most; a busy machine may make it ten times as long.
ANSWER_S = 3.0
#: Requests without end, so to speak.
ENDLESS = 4_000_000_000
SPEC = f"""
requests = {ENDLESS}
footprint_bytes = 1048576
[global]
rw = "randwrite"
bs = "4k"
"""


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A workload that no test waits for."""
    path = tmp_path / "endless.toml"
    path.write_text(SPEC)
    return path


def commands(endless: Path, folder: Path) -> dict[str, list[str | Path]]:
    """Return what takes for ever, each in a part of the work of its own."""
    schemes = ("--device", "tiny", "--schemes", "tlc-only,baseline")
    large = ("--set", "trace.prefill=touched")
    out, last = ("-o", folder / "o.parquet"), ("--trace-option", f"skip={ENDLESS - 1}")
    return {
        "replay": ["run", endless, *RUN, "--out", folder / "out"],
        "scan": ["run", endless, *RUN, *large],
        "info": ["trace", "info", endless],
        "lint": ["trace", "lint", endless],
        "convert": ["trace", "convert", endless, *out],
        "nothing taken": ["trace", "convert", endless, *out, *last],
        "twin": ["trace", "twin", endless, *out, "--by", "blocks"],
        "generate": ["trace", "generate", endless, *out],
        "compare": ["compare", endless, *schemes, "--out", folder / "out"],
        "no writer": ["trace", "info", folder / "fifo"],
        "precondition": [
            *("run", endless, "--device", "hierarchy-44g", "--scheme", "tlc-only"),
            *("--set", "precondition.fill=0.9", "--set", "precondition.overwrite=100"),
        ],
        "reproduce": ["reproduce", "hierarchy", "--out", folder / "out"],
        "bisection": [
            *("tune", endless, *RUN, "--vary", "host.queue_depth=1..9"),
            *("--least", "host.queue_depth", "--such-that", "waf<=9", "--out", folder / "out"),
        ],
    }


def told(arguments: list[str | Path], order: signal.Signals) -> tuple[int, bytes, float]:
    """Run a command, tell it to end once it is at work; status, standard error, seconds."""
    with subprocess.Popen(
        command(arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_ctrl_c,
    ) as process:
        wait_for_work(process)
        process.send_signal(order)
        began = time.monotonic()
        try:
            _, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
        return process.returncode, stderr, time.monotonic() - began


def wait_for_work(process: subprocess.Popen[bytes]) -> None:
    """Wait until the engine has been at work for a moment, on a thread of its own."""
    threads = Path(f"/proc/{process.pid}/task")
    while process.poll() is None:
        names = [(thread / "comm").read_text().strip() for thread in threads.iterdir()]
        if "slcache" in names:
            break
        time.sleep(0.01)
    time.sleep(0.1)
    assert process.poll() is None, process.stderr and process.stderr.read()


@pytest.mark.few(3)
@pytest.mark.parametrize("name", commands(Path(), Path()))
def test_ctrl_c_is_answered_everywhere(name: str, endless: Path, tmp_path: Path) -> None:
    """And in one case what else ends a process."""
    order = signal.SIGTERM if name == "replay" else signal.SIGINT
    os.mkfifo(tmp_path / "fifo")
    before = sorted(tmp_path.iterdir())
    status, stderr, seconds = told(commands(endless, tmp_path)[name], order)
    assert status == 130, stderr
    assert stderr.endswith(b"interrupted\n")
    assert b"Traceback" not in stderr
    assert seconds < ANSWER_S
    kept = {tmp_path / "out"} if name in ("reproduce", "bisection") else set()
    assert set(tmp_path.iterdir()) - kept == set(before)
    assert not list(tmp_path.rglob(".*"))


def test_a_callback_ends_what_it_says_false_to(endless: Path, tmp_path: Path, trace: Path) -> None:
    for work in (
        lambda no: sl.run(endless, device="tiny", scheme="baseline", progress=no),
        lambda no: sl.Trace(endless).info(no),
        lambda no: sl.Trace(endless).lint(no),
        lambda no: sl.Trace(endless).convert(tmp_path / "o.parquet", on_progress=no),
    ):
        with pytest.raises(KeyboardInterrupt):
            work(lambda *_: False)
    assert not (tmp_path / "o.parquet").exists()
    phases: list[str] = []

    def fail(phase: str, done: int, total: int) -> bool:
        raise LookupError(phase, done, total)

    with pytest.raises(LookupError):
        sl.run(endless, device="tiny", scheme="baseline", progress=fail)
    how: dict[str, Any] = {"progress": lambda phase, _done, _total: phases.append(phase)}
    result = sl.run(trace, device="tiny", scheme="baseline", **how)
    assert result.documents[0]["host"]["requests"]
    assert "replay" in phases
    assert sl.Trace(trace).info(lambda *_: None)["requests"]


#: Moments at which each of some commands is told to end, spread over what it takes undisturbed.
MOMENTS = [10, pytest.param(100, marks=pytest.mark.slow)]


def has_set(process: subprocess.Popen[bytes], number: signal.Signals, how: str) -> bool:
    """Return whether a process catches (`SigCgt`) or ignores (`SigIgn`) a signal."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith(how))
    return bool(int(mask, 16) >> (number - 1) & 1)


def begun(words: list[str]) -> subprocess.Popen[bytes]:
    """Start a command and wait for its first module."""
    process = subprocess.Popen(
        command(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_ctrl_c
    )
    # Before it an interpreter has its own way.
    while process.poll() is None and not has_set(process, signal.SIGALRM, "SigCgt"):
        time.sleep(0.001)
    return process


# Interpreters have a moment of their own before the first module and within a call of theirs.
@pytest.mark.slow
@pytest.mark.parametrize("moments", MOMENTS)
@pytest.mark.parametrize("verb", ["why", "sweep show"])
def test_ctrl_c_is_answered_while_libraries_load(verb: str, moments: int, inputs: Inputs) -> None:
    path = tuple(verb.split())
    words = [*path, *inputs.needed(path)]
    with begun(words) as whole:
        began = time.monotonic()
        whole.communicate(timeout=60)
        whole_s = time.monotonic() - began
    assert whole.returncode == 0
    statuses = set()
    for moment in range(moments):
        with begun(words) as process:
            time.sleep(whole_s * moment / moments)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        statuses.add(process.returncode)
        # At its very end, all being said, an interpreter has the system end it.
        assert process.returncode in (0, 130, -signal.SIGINT), told
        assert told.endswith(b"interrupted\n") or process.returncode != 130
        assert b"Traceback" not in told
    assert 130 in statuses


def test_a_worker_leaves_ctrl_c_to_its_driver() -> None:
    worker = local._Worker()
    process = worker.process
    while not has_set(process, signal.SIGINT, "SigIgn"):
        time.sleep(0.001)
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    assert process.poll() is None
    worker.end()
