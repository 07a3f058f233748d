"""Every verb explains itself."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from support import slcache
from verbs import verbs

VERBS = [path for path, _ in verbs()]


@pytest.mark.parametrize("verb", [[], ["trace"], *VERBS], ids=" ".join)
def test_help_has_an_example(verb: list[str]) -> None:
    done = slcache(*verb, "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Example" in done.stdout.decode()
    assert f"slcache {' '.join(verb)}".encode() in done.stdout


EXAMPLES = {
    example.replace("\\\n", "")
    for _, verb in verbs()
    for example in re.findall(r"(?m)^  (slcache (?:.*\\\n)*.*)$", verb.help)
}
#: Those that read a file, which is not there.
FIRST = re.compile(r"slcache( [a-z]+)+ ([./\w]+[.](csv|parquet|json|toml|log|py)\b|out/)")
READING = sorted(line for line in EXAMPLES if FIRST.match(line) and "examples/" not in line)
assert len(READING) > 50


@pytest.mark.few(5)
@pytest.mark.parametrize("example", READING)
def test_all_that_an_example_lacks_is_its_file(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = slcache(*shlex.split(example)[1:])
    assert done.returncode
    assert re.search("(?i)no such (file|preset)|there is no file", done.stderr.decode()), done


@pytest.mark.parametrize("group", [[], ["trace"]])
def test_a_missing_command_is_told_beside_the_help(group: list[str]) -> None:
    done = slcache(*group)
    assert done.returncode == 2
    assert b"Usage: slcache" in done.stdout
    assert "a command is missing" in done.stderr.decode()
