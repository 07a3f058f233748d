"""Every verb explains itself, and wrong usage is told apart from everything else."""

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


RUN = "run t.csv --device tiny --scheme baseline"
COMPARE = "compare t.csv --device tiny --schemes"
CLIFF = "cliff --device tiny --schemes baseline"
SEEDS = "reproduce ips --quick --out out --seeds"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("nonsense", "nonsense"),
        ("devices shw", "has no verb 'shw'; did you mean show? See slcache devices --help"),
        ("trace inf", 'Unknown command "inf"; did you mean "info"? See slcache trace --help'),
        ("run", "TRACE"),
        ("run t.csv --scheme baseline", "--device"),
        (f"{RUN} --bad", "--bad"),
        (f"{RUN} --set x", "key=value"),
        (f"{RUN} --seed -1", "--seed"),
        (f"{RUN} --replay closed:0", "closed:N"),
        (f"{RUN} --unsorted sort", "sort:N"),
        (f"{RUN} --address x", "wrap"),
        ("run t.csv --json --format csv", "--json and --format csv"),
        ("run t.csv --device --scheme b", "--device: its value is missing"),
        ("run t.csv --seed 1.5", "'1.5' is no whole number"),
        ("report a b --gb-per-dya 1", "did you mean --gb-per-day?"),
        ("run t.csv x.csv --device tiny --scheme b", "'x.csv'"),
        ("trace info t.csv --trace-format msn", "did you mean 'msr'"),
        (f"{COMPARE} ,", "no scheme"),
        (f"{COMPARE} a,a", "named twice: a"),
        (f"{COMPARE} a --normalise b", "'b'"),
        # What Python calls resample.
        (f"{COMPARE.replace('t.csv', 'T')} baseline --seeds 3", "--resample N of compare"),
        ("explain --schema nonsense", "result"),
        ("explain waf --schema run", "KEY: has no effect with --schema"),
        ("explain --schema run --format csv", "--format: has no effect"),
        ("tune t.csv --device tiny --scheme sa --vary a", "--vary"),
        (f"{CLIFF} --amount 0", "--amount"),
        (f"{CLIFF} --amount 1KB", "see slcache cliff --help"),
        (f"{CLIFF} --bs 0", "--bs"),
        (f"{CLIFF} --bs 1000", "--bs"),
        (f"{CLIFF} --span 0", "--span"),
        (f"{CLIFF} --iodepth 0", "--iodepth"),
        (f"{CLIFF} --pattern bursts --pause 0s", "--pause"),
        (f"{CLIFF} --pattern bursts --bursts 1", "--bursts"),
        (f"{SEEDS} -1", "-1 is not between 0 and 9223372036854775807"),
        (f"{SEEDS} 18446744073709551616", "error: --seeds: '18446744073709551616'"),
        (f"{SEEDS} 1,1", "1 is given twice"),
        (f"{SEEDS} 1,,2", "expected whole numbers"),
    ],
)
def test_wrong_usage_exits_with_2(
    arguments: str, told: str, trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = slcache(*(str(trace) if word == "T" else word for word in arguments.split()))
    assert (done.returncode, done.stdout) == (2, b"")
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("group", [[], ["trace"]])
def test_a_missing_command_is_told_beside_the_help(group: list[str]) -> None:
    done = slcache(*group)
    assert done.returncode == 2
    assert b"Usage: slcache" in done.stdout
    assert "a command is missing" in done.stderr.decode()
