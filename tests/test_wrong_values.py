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
from slcache.cli.app import execute
from support import QUICK, mixed, write_trace
from support import slcache as command

JUNK = ["", "0", "-1", "18446744073709551616", "1e400", "nan", "inf", "-inf", "ü", "\u202e", "a b"]
#: One of each kind; `make slow` tries all.
KINDS = [junk for junk in JUNK if junk not in ("inf", "-inf", "a b")]
#: Options whose large values are asked for work that is only long.
FEWER = {"--out", "--store"}
CASES = verbs.options(with_flags=False)
#: The verb in which an option of several verbs is given every value.
FIRST = {
    (option.opts[0], option.help): path
    for path, option in (case.values for case in reversed(CASES))
}


def tried(path: tuple[str, ...], option: Any) -> list[str]:  # noqa: ANN401
    """Return what an option is given: each kind in one verb, two values in each of the others."""
    name = option.opts[0]
    junk = JUNK[:3] if name in FEWER else KINDS
    if FIRST[name, option.help] == path and not QUICK:
        return junk
    first = zlib.crc32(f"{path} {name}".encode())
    count = 1 if QUICK else 2
    return [junk[(first + 5 * i) % len(junk)] for i in range(count)]


@pytest.fixture
def ask(
    inputs: verbs.Inputs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[tuple[str, ...], str, str], None]:
    """Return what gives an option of a verb a value, and checks how that ends."""
    monkeypatch.chdir(tmp_path)

    def given(path: tuple[str, ...], name: str, junk: str) -> None:
        status = execute([*path, *inputs.needed(path, name), name, junk])
        told = capsys.readouterr().err
        assert status in (0, 1, 2, 3, 4), (junk, told)
        assert (status, told.count("its value is empty")) == (2, 1) or junk, (junk, told)
        # What lint finds is its result.
        found = (status, path) == (4, ("trace", "lint"))
        assert status == 0 or found or told.startswith(("error: ", "note: ")), (junk, told)

    return given


@pytest.mark.parametrize(("path", "option"), CASES)
def test_no_value_of_any_option_ends_in_a_traceback(
    path: tuple[str, ...],
    option: Any,  # noqa: ANN401
    ask: Callable[[tuple[str, ...], str, str], None],
) -> None:
    for junk in tried(path, option):
        ask(path, option.opts[0], junk)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "option"), CASES)
def test_no_value_in_any_verb_ends_in_a_traceback(
    path: tuple[str, ...],
    option: Any,  # noqa: ANN401
    ask: Callable[[tuple[str, ...], str, str], None],
) -> None:
    for junk in JUNK:
        ask(path, option.opts[0], junk)


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        ("-1", "-1 is not between 0 and 9223372036854775807"),
        ("18446744073709551616", "18446744073709551616 is not between 0 and"),
        ("1,1", "1 is given twice"),
        ("", "its value is empty"),
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
    assert any(word in error for word in ("must be", "such as", "is not between"))
    assert "see slcache cliff --help" in error


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["devices", "shw"], "has no verb 'shw'; did you mean show? See slcache devices --help"),
        (["schemes", "shw", "x"], "has no verb 'shw'; did you mean show? See"),
        (["trace", "inf"], 'Unknown command "inf"; did you mean "info"? See slcache trace --help'),
    ],
    ids=str,
)
def test_a_verb_below_another_that_is_misspelt_is_told_with_the_one_meant(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(words) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("scheme", "told"),
    [
        (
            "baseline:slc_blocks=999",
            "baseline:slc_blocks=999: scheme.baseline.slc_blocks = 999: must be between 3 and 12",
        ),
        ("basline", '"basline" is not a scheme'),
    ],
)
def test_what_no_device_can_run_names_no_schemes_that_run_on_it(
    scheme: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["compare", "zipf-4k", "--device", "tiny", "--schemes", f"tlc-only,{scheme}"]
    assert execute(asked) == 3
    error = capsys.readouterr().err
    assert told in error
    assert "these do" not in error


def test_what_helps_is_called_as_the_command_line_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(20))
    asked = ["compare", str(trace), "--device", "tiny", "--schemes", "tlc-only,baseline"]
    assert execute([*asked, "--seeds", "3"]) == 2
    assert "--resample N of compare" in capsys.readouterr().err


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
