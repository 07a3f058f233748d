"""What a user is helped by: pages of verbs with examples, and the names that a shell offers."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import slcache
from slcache.cli import complete
from slcache.documents import keys
from support import slcache as command
from verbs import verbs

VERBS = [path for path, _ in verbs()]


@pytest.mark.parametrize("verb", [[], ["trace"], *VERBS], ids=" ".join)
def test_help_has_an_example(verb: list[str]) -> None:
    done = command(*verb, "--help")
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
    done = command(*shlex.split(example)[1:])
    assert done.returncode
    assert re.search("(?i)no such (file|preset)|there is no file", done.stderr.decode()), done


@pytest.mark.parametrize("group", [[], ["trace"]])
def test_a_missing_command_is_told_beside_the_help(group: list[str]) -> None:
    done = command(*group)
    assert done.returncode == 2
    assert b"Usage: slcache" in done.stdout
    assert "a command is missing" in done.stderr.decode()


def offered(*words: str) -> list[str]:
    """What bash offers behind these words, the last of which is half typed."""
    done = command("__complete", *words)
    assert done.returncode == 0, done.stderr
    return [
        line.split("\t")[0] for line in done.stdout.decode().partition("begin\n")[2].splitlines()
    ]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["run", "t.csv", "--device", "hyssd-m"], "hyssd-mt"),
        (["run", "hierarchy-we"], "hierarchy-web_0"),
        (["run", "t.csv", "--device", "README"], "README.md"),
        (["run", "t.csv", "--scheme", "slc-o"], "slc-only"),
        (["compare", "t.csv", "--schemes", "baseline,hier"], "baseline,hierarchy"),
        (["run", "t.csv", "--trace-format", "ms"], "msr"),
        (["run", "t.csv", "--set", "precondition.ov"], "precondition.overwrite="),
        (["run", "t.csv", "--set", "host.replay=c"], "host.replay=closed"),
        (["sweep", "t.csv", "--scheme", "baseline,hier"], "baseline,hierarchy"),
        (["tune", "--device", "nvc-h"], "nvc-hdd"),
        (["explain", "host.dur"], "host.duration_ns"),
        (["devices", "show", "ips-3"], "ips-384g"),
    ],
)
def test_bash_is_offered_what_fits(words: list[str], first: str) -> None:
    assert offered(*words)[0] == first


def test_everything_known_is_offered() -> None:
    names = {name for name, _ in complete.scheme("")}
    assert names >= {entry["name"] for entry in slcache.schemes()}
    assert {name for name, _ in complete.devices("")} == {d["name"] for d in slcache.devices()}
    plain = [key for key in keys.of_config().values() if not key.section]
    assert len(complete.settings("")) == len(plain)
    assert ("all", "every scheme that the device can run") in complete.schemes("")
    assert all(name != "baseline,baseline" for name, _ in complete.schemes("baseline,"))
    assert complete.settings("no.such=") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_shown(shell: str) -> None:
    done = command("--show-completion", shell)
    assert done.returncode == 0, done.stderr
    script = done.stdout.decode()
    assert "__complete" in script
    assert all(word in script for word in ("compare", "memory-in", "workloads"))
    # What stands below a field of a class of options.
    assert shell == "bash" or "Run N bootstrap draws" in script
