"""Values that mean nothing end with a message that names the option, never with a traceback."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import slcache
import verbs
from hidden_drives import a_log
from slcache.cli.app import execute
from support import QUICK
from support import slcache as command

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
    quantities = [number + unit for number in NUMBERS for unit in units]
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
    done = command(*arguments, setup=closed(1))
    assert (done.returncode, done.stderr) == (1, b"error: standard output is closed\n")
    done = command(*arguments, setup=closed(0, 1, 2))
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_a_closed_standard_error_hides_nothing_else(trace: Path, tmp_path: Path) -> None:
    output = tmp_path / "x.parquet"
    done = command("trace", "convert", trace, "-o", output, setup=closed(2))
    assert done.returncode == 0
    assert slcache.Trace(output).info()["requests"] == 400
    assert command("nonsense", setup=closed(2)).returncode == 2
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = command("devices", stdout=pipe)
    assert (done.returncode, done.stderr) == (1, b"")
