"""What a process has: pipes, interrupts and memory."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import resource
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import slcache
import slcache as sl
from slcache import _boot, _core
from slcache.cli import console
from slcache.errors import RunError
from slcache.execute import executors
from support import command, heed_ctrl_c, lasting
from support import slcache as cli
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
    assert sl.run(trace, device="tiny", scheme="baseline", **how).documents[0]["host"]["requests"]
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


def test_a_read_in_a_thread_leaves_signals_to_the_first() -> None:
    before = signal.signal(signal.SIGINT, _boot.interrupt)
    found: list[object] = []

    def read() -> None:
        with _boot.held():
            found.append(signal.getsignal(signal.SIGINT))

    try:
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert found == [_boot.interrupt]


def test_a_worker_leaves_ctrl_c_to_its_driver() -> None:
    worker = executors._Worker()
    process = worker.process
    while not has_set(process, signal.SIGINT, "SigIgn"):
        time.sleep(0.001)
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    assert process.poll() is None
    worker.end()


ON = ("--device", "tiny", "--scheme", "baseline")


@pytest.fixture(scope="module")
def stored(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The small trace in several forms."""
    folder = tmp_path_factory.mktemp("stored")
    packed = folder / "mixed.csv.gz"
    packed.write_bytes(gzip.compress(trace.read_bytes()))
    parquet = folder / "mixed.parquet"
    slcache.Trace(trace).convert(parquet)
    return {"plain": trace, "gzip": packed, "parquet": parquet}


@pytest.mark.few(5)
@pytest.mark.parametrize("form", ["plain", "gzip", "parquet"])
@pytest.mark.parametrize("prefill", ["touched", "none"])
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_run_of_a_pipe(stored: dict[str, Path], form: str, prefill: str, name: str) -> None:
    how = (*ON, "--set", f"trace.prefill={prefill}", "--json")
    from_file = cli("run", stored[form], *how)
    piped = cli("run", name, *how, stdin=stored[form].read_bytes())
    assert (from_file.returncode, piped.returncode) == (0, 0), piped.stderr
    left, right = (lasting(json.loads(done.stdout)) for done in (piped, from_file))
    assert left["trace"]["path"] == name
    right["trace"]["path"] = name
    assert left == right


def test_a_killed_run_leaves_no_copy(trace: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(["run", "-", *ON]),
        stdin=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdin is not None
    # More than is looked at before anything is copied.
    process.stdin.write(trace.read_bytes() * (1 + (512 << 10) // trace.stat().st_size))
    process.stdin.flush()
    copies = Path(f"/proc/{process.pid}/fd")
    end = time.monotonic() + 60
    while not any(
        str(tmp_path) in str(fd.readlink()) for fd in copies.iterdir() if fd.is_symlink()
    ):
        assert time.monotonic() < end, "no copy is made"
        time.sleep(0.05)
    process.kill()
    process.wait()
    process.stdin.close()
    assert list(tmp_path.iterdir()) == []


def test_a_last_line_cut_short_is_told_and_counted(trace: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.csv"
    cut.write_bytes(trace.read_bytes()[:-1])
    warning = f"note: {cut}: the last line or record has no end".encode()
    linted = cli("trace", "lint", cut, "--json")
    assert (linted.returncode, json.loads(linted.stdout)["counts"]) == (4, {"no line end": 1})
    for verb in (("run", cut, *ON), ("trace", "convert", cut, "-o", tmp_path / "a.parquet")):
        assert cli(*verb).stderr.count(warning) == 1, verb
    how = ("--device", "/dev/stdin", "--scheme", "baseline")
    done = cli("run", trace, *how, stdin=b"[host]\n")
    assert done.returncode == 3
    assert b"/dev/stdin: is a pipe or a device, which can be read only once" in done.stderr


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


@pytest.mark.long
def test_devices_beyond_addresses_are_refused(trace: Path, enormous: Path, tmp_path: Path) -> None:
    done = cli("run", trace, "--device", enormous, "--scheme", "tlc-only", setup=limited)
    assert (done.returncode, done.stdout) == (1, b"")
    match = re.search(rb"needs about (\d+) MiB .* and (\d+) MiB are available", done.stderr)
    assert match, done.stderr
    assert int(match[1]) > 10_000
    assert int(match[2]) < 6 * 1024
    assert b"cliff --scale 1/16" in done.stderr
    out = tmp_path / "out"
    asked: list[str | Path] = ["sweep", trace, "--scheme", "tlc-only"]
    asked += ["--device", "tiny", "--device", enormous]
    done = cli(*asked, "--out", out, setup=limited)
    assert done.returncode == 3, done.stderr
    assert f"1 point of tlc-only on {enormous}: the device needs about" in done.stderr.decode()
    assert not (out / "points.parquet").exists()
    done = cli(*asked, "--skip-impossible", "--out", out, "--format", "csv", setup=limited)
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
def test_large_maps_are_told(
    verb: str, part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "presets/devices/adata-atom-50-1tb-like.toml").read_text()
    for key, value in {"wordlines": 256 // part, "user_bytes": 800_000_000_000 // part}.items():
        text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
    device = tmp_path / "drive.toml"
    device.write_text(text)

    def ended(*_: object, **__: object) -> None:
        raise RunError("the run was reached")

    places = (
        "simulation.run.of",
        "simulation.compare.of",
        "cliffs.cliff.of",
        "drives.protocol.measure",
    )
    for place in places:
        monkeypatch.setattr(f"slcache.{place}", ended)
    told = cli(*VERBS[verb], "--device", device).stderr.decode().splitlines()
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


@pytest.mark.long
@pytest.mark.parametrize(("words", "mib", "statuses", "told"), SHORT)
def test_what_there_is_no_memory_for_is_refused(
    words: str, mib: int, statuses: tuple[int, ...], told: str, cwd: Path
) -> None:
    trace = cwd / "long.csv"
    trace.write_text(f"128166372000000000,test,0,Write,0,{1 << 40},0\n")
    done = cli(
        *words.split(),
        environment={**os.environ, "XDG_CACHE_HOME": str(cwd / "cache")},
        setup=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)),
    )
    assert done.returncode in statuses, done.stderr
    assert re.search(told, done.stderr.decode()), done.stderr
    assert b"Traceback" not in done.stderr
    assert "sweep" in words or list(cwd.iterdir()) == [trace]
