"""Every verb explains itself, and wrong usage is told apart from everything else."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nonsense"], "nonsense"),
        (["run"], "TRACE"),
        (["run", "t.csv", "--scheme", "baseline"], "--device"),
        (["run", "t.csv", "--device", "tiny", "--scheme", "baseline", "--bad"], "--bad"),
        (["run", "t.csv", "--device", "tiny", "--scheme", "baseline", "--set", "x"], "key=value"),
        (["run", "t.csv", "--device", "tiny", "--scheme", "baseline", "--seed", "-1"], "--seed"),
        (["run", "t.csv", "--device", "tiny", "--scheme", "b", "--replay", "closed:0"], "closed:N"),
        (["run", "t.csv", "--device", "tiny", "--scheme", "b", "--unsorted", "sort"], "sort:N"),
        (["run", "t.csv", "--device", "tiny", "--scheme", "b", "--address", "x"], "wrap"),
        (["run", "t.csv", "--json", "--format", "csv"], "--json and --format csv"),
        (["run", "t.csv", "--device", "--scheme", "b"], "--device: its value is missing"),
        (["run", "t.csv", "--seed", "1.5"], "'1.5' is no whole number"),
        (["report", "a", "b", "--gb-per-dya", "1"], "did you mean --gb-per-day?"),
        (["run", "t.csv", "x.csv", "--device", "tiny", "--scheme", "b"], "'x.csv'"),
        (["trace", "info", "t.csv", "--trace-format", "msn"], "did you mean 'msr'"),
        (["compare", "t.csv", "--device", "tiny", "--schemes", ","], "no scheme"),
        (["compare", "t.csv", "--device", "tiny", "--schemes", "a,a"], "named twice: a"),
        (["compare", "t.csv", "--device", "tiny", "--schemes", "a", "--normalise", "b"], "'b'"),
        (["explain", "--schema", "nonsense"], "result"),
        (["explain", "waf", "--schema", "run"], "KEY: has no effect with --schema"),
        (["explain", "--schema", "run", "--format", "csv"], "--format: has no effect"),
        (["tune", "t.csv", "--device", "tiny", "--scheme", "sa", "--vary", "a"], "--vary"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_usage_exits_with_2(arguments: list[str], told: str) -> None:
    done = slcache(*arguments)
    assert done.returncode == 2
    assert done.stdout == b""
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("group", [[], ["trace"]])
def test_a_missing_command_is_told_beside_the_help(group: list[str]) -> None:
    done = slcache(*group)
    assert done.returncode == 2
    assert b"Usage: slcache" in done.stdout
    assert "a command is missing" in done.stderr.decode()


def test_version_names_the_commit() -> None:
    done = slcache("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(b"slcache ")


@pytest.mark.parametrize("verb", ["schemes", "devices"])
def test_catalogues_print_one_json_list(verb: str) -> None:
    entries = json.loads(slcache(verb, "--json").stdout)
    names = [entry["name"] for entry in entries]
    assert {"schemes": "baseline", "devices": "tiny"}[verb] in names
    table = slcache(verb).stdout.decode()
    assert all(name in table for name in names)
