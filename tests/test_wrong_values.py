"""Values that mean nothing end with a message that names the option, never with a traceback."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.cli.app import execute
from support import slcache as command
from test_design_runs import DEVICE
from test_once import verbs

JUNK = ["", "0", "-1", "18446744073709551616", "1e400", "nan", "inf", "-inf", "ü", "\u202e", "a b"]
#: What a verb needs beside the option that is tried; "T" is a trace, "D" a device with a disk, "O"
#: an output.
NEEDED = {
    "run": ["T", "--device", "tiny", "--scheme", "baseline"],
    "compare": ["T", "--device", "tiny", "--schemes", "tlc-only,baseline"],
    "cliff": ["--device", "tiny", "--schemes", "baseline", "--bs", "4k", "--amount", "64k"],
    "design nvc": ["--trace", "T", "--lifespan", "2x", "--device", "D", "--candidates", "4"],
    "reproduce": ["nonsense"],
    "schemes": [],
    "devices": [],
    "schema": [],
    "trace info": ["T"],
    "trace lint": ["T"],
    "trace convert": ["T", "-o", "O"],
    "trace split": ["T", "-o", "{}O", "--requests", "100"],
    "trace sample": ["T", "-o", "O", "--share", "0.5"],
    "trace window": ["T", "-o", "O", "--take", "9"],
    "trace scale": ["T", "-o", "O", "--time", "0.5"],
    "trace remap": ["T", "-o", "O"],
    "trace repeat": ["T", "-o", "O", "--times", "2"],
    "trace merge": ["T", "T", "-o", "O"],
    "trace generate": ["zipf-4k", "-o", "O", "--workload", "requests=50"],
    "trace twin": ["T", "-o", "O"],
    "trace formats": [],
    "trace workloads": ["zipf-4k"],
}
OPTIONS = [
    pytest.param(" ".join(path), max(option.opts, key=len), id=" ".join([*path, option.name]))
    for path, verb in verbs()
    for option in verb.params
    if option.param_type_name == "option" and not option.is_flag
]


def without(arguments: list[str], option: str) -> list[str]:
    """Return the arguments without an option that is to be tried itself."""
    for name in (option, "-o" if option == "--out" else option):
        if name in arguments:
            place = arguments.index(name)
            return arguments[:place] + arguments[place + 2 :]
    return arguments


@pytest.mark.parametrize(("verb", "option"), OPTIONS)
def test_no_value_of_any_option_ends_in_a_traceback(
    trace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: str,
    option: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    device = tmp_path / "disk.toml"
    device.write_text(DEVICE)
    given = {"T": str(trace), "D": str(device), "O": "out.parquet", "{}O": "{}.parquet"}
    for junk in JUNK if option not in {"--out", "--times"} else JUNK[:3]:
        needed = without(NEEDED[verb], option)
        arguments = [given.get(word, word) for word in needed]
        status = execute([*verb.split(), *arguments, option, junk])
        told = capsys.readouterr().err
        assert status in (0, 1, 2, 3, 4), (junk, told)
        # What lint finds is its result.
        found = (status, verb) == (4, "trace lint")
        assert status == 0 or found or told.startswith(("error: ", "note: ")), (junk, told)


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        ("-1", "-1 is not between 0 and 9223372036854775807"),
        ("18446744073709551616", "18446744073709551616 is not between 0 and"),
        ("1,1", "1 is given twice"),
        ("", "expected whole numbers"),
        ("1,,2", "expected whole numbers"),
    ],
)
def test_seeds_of_an_evaluation(
    seeds: str, told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status = execute(["reproduce", "ips", "--quick", "--out", str(tmp_path), "--seeds", seeds])
    assert status == 2
    error = capsys.readouterr().err
    assert "--seeds" in error
    assert told in error


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64, 10**30])
def test_a_seed_out_of_range_is_a_configuration_error(seed: int, trace: Path) -> None:
    allowed = f"seed = {seed}: must be between 0 and {2**63 - 1}"
    tiny: dict[str, Any] = {"device": "tiny", "seed": seed}
    with pytest.raises(slcache.ConfigError, match=allowed):
        slcache.run(trace, scheme="baseline", **tiny)
    with pytest.raises(slcache.ConfigError, match=allowed):
        slcache.compare(trace, schemes=["baseline"], **tiny)
    with pytest.raises(slcache.ConfigError, match=allowed):
        slcache.resolve(scheme="baseline", **tiny)
    with pytest.raises(slcache.ConfigError, match=allowed):
        slcache.generate("zipf-4k", "x.parquet", seed=seed)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--amount", "0"],
        ["--amount", "1KB"],
        ["--bs", "0"],
        ["--bs", "1000"],
        ["--span", "0"],
        ["--pattern", "bursts", "--pause", "0s"],
        ["--iodepth", "0"],
        ["--pattern", "bursts", "--bursts", "1"],
    ],
    ids=" ".join,
)
def test_the_cliff_names_the_option_and_what_it_can_be(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    status = execute(["cliff", "--device", "tiny", "--schemes", "baseline", *arguments])
    assert status == 2
    error = capsys.readouterr().err
    assert arguments[-2] in error
    assert any(word in error for word in ("must be", "such as", "than or equal"))
    assert "see slcache cliff --help" in error


def closed(*numbers: int) -> Callable[[], None]:
    """Return what closes streams in a child."""

    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


@pytest.mark.parametrize("arguments", [["devices"], ["devices", "--json"], ["--version"], ["-h"]])
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


def test_a_reader_that_goes_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = command("devices", stdout=pipe)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("arguments", "page"),
    [
        (["run"], "slcache run --help"),
        (["trace", "nonsense"], "slcache trace --help"),
        (["trace", "sample", "x", "-o", "y"], "slcache trace sample --help"),
        (["compare", "x", "--device", "tiny"], "slcache compare --help"),
        (["nonsense"], "slcache --help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_page_of_the_verb_is_named(
    arguments: list[str], page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(arguments) == 2
    assert capsys.readouterr().err.endswith(f"; see {page}\n")
