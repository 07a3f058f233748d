"""Files are written whole or not at all, and single values are refused."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import slcache
import verbs
from hidden_drives import a_log
from slcache.cli.app import execute
from slcache.files import Transaction
from support import QUICK, TINY_BYTES, command, process, stdout, write_trace
from support import slcache as cli
from verbs import Inputs

RUN = ("--device", "tiny", "--scheme", "baseline")


def convert(trace: Path, output: str | Path) -> list[str | Path]:
    return ["trace", "convert", trace, "-o", output, "--as", "msr"]


def save(trace: Path, output: str | Path) -> list[str | Path]:
    return ["run", trace, *RUN, "--save-state", output]


@pytest.fixture
def source(trace: Path, tmp_path: Path) -> Path:
    """A trace that may be lost."""
    return Path(shutil.copy(trace, tmp_path / "t.csv"))


@pytest.fixture
def others(source: Path) -> list[Path]:
    """Every other way to say its name."""
    soft, hard = source.with_name("soft.csv"), source.with_name("hard.csv")
    soft.symlink_to(source.name)
    hard.hardlink_to(source)
    relative = source.parent / ".." / source.parent.name / source.name
    return [source, soft, hard, relative]


def test_standard_input_is_an_input_and_output_an_output(source: Path, tmp_path: Path) -> None:
    before = source.read_bytes()
    with source.open("rb") as stdin:
        arguments: list[str | Path] = ["run", "-", *RUN, "--save-state", source]
        done = subprocess.run(command(arguments), stdin=stdin, capture_output=True, check=False)
    assert done.returncode == 3, done.stderr
    with source.open("ab") as stdout:
        done = cli(*convert(source, "-"), stdout=stdout)
    assert done.returncode == 3, done.stderr
    assert source.read_bytes() == before
    parts = [tmp_path / f"disk.blktrace.{cpu}" for cpu in range(2)]
    for part in parts:
        part.write_bytes(b"events")
    for name in (parts[0], tmp_path / "disk"):
        done = cli(*convert(name, parts[1]))
        assert done.returncode == 3, done.stderr
    assert parts[1].read_bytes() == b"events"


def test_python_refuses_as_the_command_line_does(source: Path, others: list[Path]) -> None:
    before = source.read_bytes()
    calls: list[Callable[[Path], object]] = [
        lambda output: slcache.run(source, device="tiny", scheme="baseline", save_state=output),
        lambda output: slcache.Trace(source).convert(output, to="msr"),
        lambda output: slcache.Trace(source).twin_by_blocks(output, to="msr"),
        lambda output: slcache.trace.convert([source, source], output, to="msr"),
    ]
    for call in calls:
        for output in others:
            with pytest.raises(slcache.ConfigError, match="is the input"):
                call(output)
    assert source.read_bytes() == before


@pytest.mark.parametrize("device", ["/dev/null", "/dev/stdout"])
def test_a_device_is_written_into(device: str, source: Path) -> None:
    before = Path(device).stat()
    done = process(*convert(source, device))
    assert done.returncode == 0, done.stderr
    assert (b",Write," in done.stdout) == (device == "/dev/stdout")
    done = process(*save(source, device))
    assert done.returncode == 0, done.stderr
    assert stat.S_IFMT(Path(device).stat().st_mode) == stat.S_IFMT(before.st_mode)
    assert not Path("/dev/null").is_file()


def test_standard_output_in_a_file_keeps_what_is_there(source: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as stdout:
        stdout.write(b"before\n")
        stdout.flush()
        arguments = (*convert(source, "/dev/stdout"), "--json")
        assert cli(*arguments, stdout=stdout).returncode == 0
    lines = log.read_bytes().splitlines()
    assert lines[0] == b"before"
    assert len(lines) > 400


def test_a_fifo_is_written_into(source: Path, tmp_path: Path) -> None:
    fifo, taken = tmp_path / "fifo", []
    for words in (convert, save):
        os.mkfifo(fifo)
        reader = threading.Thread(target=lambda: taken.append(fifo.read_bytes()), daemon=True)
        reader.start()
        stdout(*words(source, fifo))
        reader.join(timeout=60)
        assert fifo.is_fifo()
        fifo.unlink()
    assert taken[0].count(b"\n") == 400
    assert taken[1].startswith(b"SLCSNAP\n")


def test_the_next_run_removes_what_a_killed_one_left(source: Path, tmp_path: Path) -> None:
    rows = [(0, "Write", (i * 131072) % (TINY_BYTES - 131072), 131072) for i in range(300_000)]
    long, out = write_trace(tmp_path / "long.csv", rows), tmp_path / "out"
    arguments: list[str | Path] = ["run", long, *RUN, "--out", out, "--replay", "closed:8"]
    with subprocess.Popen(command(arguments), stderr=subprocess.DEVNULL) as process:
        while not (out.is_dir() and list(out.iterdir())):
            assert process.poll() is None, "no hidden folder before the end"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert list(out.iterdir())
    stdout("run", source, *RUN, "--out", out)
    assert len(list(out.iterdir())) == 5
    assert not list(out.glob(".*"))


def test_python_writes_through_one_place() -> None:
    package = Path(slcache.__file__).parent
    words = ("write_text(", "write_bytes(", "mkstemp(", "NamedTemporary", ".rename(", "os.open(")
    # Both write into a scratch folder: what is read again, and what gets its name with its seal.
    allowed = {("twins.py", "write_text("), ("store.py", "write_bytes(")}
    # What makes Vega's script again in no time is kept where the platform keeps such things, and a
    # shell's completion where the shell looks for it.
    allowed |= {("pictures.py", "write_text("), ("help.py", "write_text(")}
    # Open for no more than its lock.
    allowed |= {("files.py", "os.open(")}
    allowed |= {("app.py", "os.open("), ("__init__.py", "os.open(")}
    found = {
        (path.name, word)
        for path in package.rglob("*.py")
        for word in words
        if word in path.read_text()
    }
    assert found == allowed


def test_the_page_of_a_study_takes_no_other_files_place(
    inputs: Inputs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (study,) = inputs.needed(("sweep", "show"))
    copy = Path(shutil.copytree(study, tmp_path / "study"))
    files = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    for path in (path for path in files if path.suffix != ".html"):
        assert execute(["sweep", "show", str(copy), "--html", str(path)]) == 2
        assert "a page is named FILE.html" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()} == files


#: Threads make hidden folders, and files in them, while the process ends as a worker does.
ENDING = """
import os, pathlib, sys, threading, time
from slcache import _core

def work():
    while True:
        scratch = _core.Scratch(sys.argv[1])
        for number in range(20):
            (pathlib.Path(scratch.path) / str(number)).touch()
        scratch.close()

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
_core.remove_scratches()
time.sleep(0.05)
os._exit(0)
"""


def test_a_process_that_ends_leaves_no_hidden_folder(tmp_path: Path) -> None:
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", ENDING, tmp_path],
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0
        assert list(tmp_path.iterdir()) == []


FILES = ["latency.parquet", "ops.parquet", "report.html", "result.json", "series.parquet"]
COMPARE = ("--device", "tiny", "--schemes", "tlc-only,baseline")


def test_out_writes_every_file_and_names_the_report(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    done = stdout("compare", trace, *COMPARE, "--out", out)
    assert sorted(path.name for path in out.iterdir()) == FILES
    assert str(out / "report.html") in done
    for name in ("series", "latency", "ops"):
        table = pq.read_table(out / f"{name}.parquet")
        assert set(table["scheme"].to_pylist()) == {"tlc-only", "baseline"}


def test_what_cannot_be_written_is_an_error_and_leaves_nothing(trace: Path, tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    out = tmp_path / "out"
    done = cli("compare", trace, *COMPARE, "--out", out, setup=limit)
    assert done.returncode == 1
    assert b"File too large" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not out.exists()
    # A study keeps traces and results as it goes; the one that fails is named too.
    vary = ("--device", "tiny", "--scheme", "baseline", "--vary", "host.time_scale=1,2")
    for load in ([trace], ["zipf-4k", "--workload", "requests=300", "--address", "wrap"]):
        done = cli("sweep", *load, *vary, "--out", tmp_path / "study", setup=limit)
        told = done.stderr.decode().strip().splitlines()[-1]
        assert "File too large" in told
        assert re.search(rf"{tmp_path}/study/store/(results|traces)/\w+\.(json|parquet)", told)
    for no in ("/dev/full", "/dev/full/out", "/proc/out"):
        done = cli("compare", trace, *COMPARE, "--out", no)
        assert (done.returncode, done.stdout) == (1, b"")
        assert no.encode() in done.stderr
        assert b"Traceback" not in done.stderr
    with Path("/dev/full").open("wb") as full:
        done = cli("compare", trace, *COMPARE, "--json", stdout=full)
    assert done.returncode == 1
    assert b"No space left" in done.stderr


def test_transactions_replace_files_create_folders_and_may_come_at_once(tmp_path: Path) -> None:
    for text in (b"first", b"second"):
        with Transaction(tmp_path / "x" / "y") as files:
            files.write("a", text)
    assert (tmp_path / "x" / "y" / "a").read_bytes() == b"second"
    folder = tmp_path / "x" / "y"

    def save(text: bytes) -> None:
        with Transaction(folder) as files:
            for name in "abc":
                files.write(name, text)

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(save, b"%d" % i) for i in range(8)]:
            done.result()
    assert len({path.read_bytes() for path in folder.iterdir()}) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b", "c"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, IsADirectoryError])
def test_a_failed_transaction_keeps_the_old(error: type[BaseException], tmp_path: Path) -> None:
    """A directory in the way is an error, too, and stays."""
    (tmp_path / "a").write_text("old")
    if error is IsADirectoryError:
        (tmp_path / "b").mkdir()
    with contextlib.suppress(error), Transaction(tmp_path) as files:
        files.write("a", b"new")
        files.write("b", b"new")
        if error is KeyboardInterrupt:
            raise error
        pytest.fail("wrote over a directory")
    assert (tmp_path / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["a"]


JUNK = ["", "0", "-1", "18446744073709551616", "1e400", "nan", "inf", "-inf", "ü", "\u202e", "a b"]
#: One of each kind; `make slow` tries all.
KINDS = [junk for junk in JUNK if junk not in ("inf", "-inf", "a b")]
#: Options whose large values are asked for work that is only long.
FEWER = {"--out", "--store"}
CASES = verbs.options(with_flags=False)
#: The verb in which an option of several verbs is given more values than in others.
FIRST = {
    (option.opts[0], option.help): path
    for path, option in (case.values for case in reversed(CASES))
}


def tried(path: tuple[str, ...], option: Any) -> list[str]:  # noqa: ANN401
    """Return what an option is given: half of the kinds in one verb, one in each of the others."""
    name = option.opts[0]
    junk = JUNK[:3] if name in FEWER else KINDS
    first = zlib.crc32(f"{path} {name}".encode())
    count = len(junk) // 2 if FIRST[name, option.help] == path and not QUICK else 1
    return [junk[(first + 5 * i) % len(junk)] for i in range(count)]


NUMBERS = [str(2**63), str(2**64), "1" + "0" * 30, "-1", "nan", "1e308"]
#: Units of options that take a time or a size.
UNITS = {"TIME": ("ns", "d"), **dict.fromkeys(("SIZE", "SIZE,...|FROM..TO*FACTOR"), ("", "TiB"))}
#: What an option has no effect without, but for verbs in which it is another.
WITH = {
    **{name: ["--timeline", "t.json"] for name in ("--from", "--until")},
    "--pause": ["--pattern", "bursts"],
    "--resample-block": ["--resample", "2", "--jobs", "1"],
}


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("path", "option"), CASES)
def test_no_value_of_any_option_ends_in_a_traceback(
    path: tuple[str, ...],
    option: Any,  # noqa: ANN401
    every: bool,
    inputs: verbs.Inputs,
    cwd: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A time or a size is taken or told with its name."""
    name = option.opts[0]
    needed = inputs.needed(path, name)
    units = UNITS.get(option.metavar, ())
    if units:
        needed += [] if path[-1] == "twin" else WITH.get(name, [])
    if units and name == "--user":
        log = a_log(cwd, [(1.0, 2000.0), (4.0, 700.0), (5.0, 400.0)], ms=40)
        needed = [str(log), "--out", "d.toml"]
    numbers = NUMBERS[1::2] if QUICK else NUMBERS
    quantities = [number + unit for number in numbers for unit in units]
    for value in [*(JUNK if every else tried(path, option)), *quantities]:
        status = execute([*path, *needed, name, value])
        printed = capsys.readouterr()
        told = printed.err
        assert status in (0, 1, 2, 3, 4), (value, told)
        assert (status, told.count("its value is empty")) == (2, 1) or value, (value, told)
        # What lint finds is its result.
        found = (status, path) == (4, ("trace", "lint"))
        assert status == 0 or found or told.startswith(("error: ", "note: ")), (value, told)
        if value in quantities:
            # A study tells in its table why its points failed.
            words = (told + printed.out).replace("_", "-")
            assert status == 0 or name.strip("-") in words, (value, told)
            # Less than nothing, and what is no number, is nothing of anything.
            assert status != 0 or not value.startswith(("-", "nan")), value


def closed(*numbers: int) -> Callable[[], None]:
    """Return what closes streams in a child."""

    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


@pytest.mark.parametrize("arguments", [["devices", "--json"], ["-h"]])
def test_a_closed_standard_output_is_told(arguments: list[str]) -> None:
    done = cli(*arguments, setup=closed(1))
    assert (done.returncode, done.stderr) == (1, b"error: standard output is closed\n")
    done = cli(*arguments, setup=closed(0, 1, 2))
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_a_closed_standard_error_hides_nothing_else(trace: Path, tmp_path: Path) -> None:
    output = tmp_path / "x.parquet"
    done = cli("trace", "convert", trace, "-o", output, setup=closed(2))
    assert done.returncode == 0
    assert slcache.Trace(output).info()["requests"] == 400
    assert cli("nonsense", setup=closed(2)).returncode == 2
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = cli("devices", stdout=pipe)
    assert (done.returncode, done.stderr) == (1, b"")
