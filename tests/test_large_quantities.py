"""Times and sizes that no run has: every option that takes one gives a result, or names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import verbs
from hidden_drives import a_log
from slcache.cli.app import execute

NUMBERS = [str(2**63), str(2**64), "1" + "0" * 30, "-1", "nan", "1e308"]
UNITS = {
    "TIME": ("ns", "d"),
    **dict.fromkeys(("SIZE", "SIZE,...|FROM..TO*FACTOR"), ("", "TiB")),
}
CASES = [case for case in verbs.options(with_flags=False) if case.values[1].metavar in UNITS]
#: What an option has no effect without.
WITH = {
    "--from": ["--timeline", "t.json"],
    "--until": ["--timeline", "t.json"],
    "--pause": ["--pattern", "bursts"],
    "--resample-block": ["--resample", "2", "--jobs", "1"],
    "--user": ["log", "--out", "d.toml"],
}
#: Verbs in which these are other options.
ALONE = {"trace twin"}


@pytest.mark.parametrize(("path", "option"), CASES)
def test_a_time_or_size_is_taken_or_told_with_its_name(
    path: tuple[str, ...],
    option: Any,  # noqa: ANN401
    inputs: verbs.Inputs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    name = option.opts[0]
    more = [] if " ".join(path) in ALONE else WITH.get(name, [])
    if name == "--user":
        more = [str(a_log(tmp_path, [(1.0, 2000.0), (4.0, 700.0), (5.0, 400.0)], ms=40)), *more[1:]]
    needed = [] if name == "--user" else inputs.needed(path, name)
    for value in [number + unit for number in NUMBERS for unit in UNITS[option.metavar]]:
        status = execute([*path, *needed, *more, name, value])
        printed = capsys.readouterr()
        told = printed.err
        assert status in (0, 1, 2, 3, 4), (value, told)
        # A study tells in its table why its points failed.
        words = (told + printed.out).replace("_", "-")
        assert status == 0 or name.strip("-") in words, (value, told)
        assert status == 0 or told.startswith(("error: ", "note: ")), (value, told)
        # Less than nothing, and what is no number, is nothing of anything.
        assert status != 0 or not value.startswith(("-", "nan")), value
