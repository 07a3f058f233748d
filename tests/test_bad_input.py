"""Bad input ends with its own exit status, one clear message and no results."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

from slcache import Trace, TraceError
from support import EPOCH, TICKS_PER_MS, TINY_BYTES, line, mixed, slcache, write_trace

GOOD = "".join(line(EPOCH + i * TICKS_PER_MS, "Write", 4096 * i, 4096) for i in range(50))
ON = ("--device", "tiny", "--scheme", "baseline")


LATER = EPOCH + 1000 * TICKS_PER_MS
#: What the line says behind good ones; the request beyond the device is no fault of the file.
BAD_LINES = {
    "wrong columns": f"{LATER},test,0,Write,0\n",
    "negative field": line(LATER, "Write", -4096, 4096),
    "text for a number": line(LATER, "Write", "far", 4096),
    "unknown operation": line(LATER, "Wrote", 0, 4096),
    "zero size": line(LATER, "Write", 0, 0),
    "backwards in time": line(EPOCH, "Write", 0, 4096),
    "beyond the capacity": line(LATER, "Write", TINY_BYTES - 4096, 8192),
}


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_bad_line_exits_with_4_and_is_named(tmp_path: Path, kind: str) -> None:
    trace = tmp_path / "bad.csv"
    trace.write_text(GOOD + BAD_LINES[kind] + line(LATER + 9, "Read", 0, 4096))
    done = slcache("run", trace, *ON, "--json", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"51" in done.stderr
    assert (b"--address" in done.stderr) == (kind == "beyond the capacity")
    assert not (tmp_path / "out").exists()


UNREADABLE = {
    "missing": None,
    "empty": b"",
    "junk": bytes(range(256)) * 64,
    "truncated gzip": gzip.compress((GOOD * 40).encode())[:-40],
    "truncated zstd": pa.Codec("zstd").compress((GOOD * 40).encode(), asbytes=True)[:-20],
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_an_unreadable_trace_exits_with_4(tmp_path: Path, kind: str) -> None:
    trace, content = tmp_path / "bad.csv", UNREADABLE[kind]
    if content is not None:
        trace.write_bytes(content)
    for verb in (["run", *ON], ["trace", "info"], ["trace", "lint"]):
        done = slcache(*verb, trace, "--trace-format", "msr")
        assert done.returncode == 4
        assert b"Traceback" not in done.stderr
        assert done.stderr + done.stdout


@pytest.mark.parametrize(
    ("arguments", "kind", "counter"),
    [
        ("--address wrap", "beyond the capacity", "address_wrapped"),
        ("--address clip", "beyond the capacity", "address_clipped"),
        ("--address compact", "beyond the capacity", "address_compacted"),
        ("--unsorted sort:100", "backwards in time", "reordered"),
        ("--unsorted keep", "backwards in time", "kept_unsorted"),
    ],
)
def test_a_policy_accepts_and_counts(
    tmp_path: Path, arguments: str, kind: str, counter: str
) -> None:
    trace = tmp_path / "far.csv"
    trace.write_text(GOOD + BAD_LINES[kind])
    done = slcache("run", trace, *ON, *arguments.split(), "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["trace"]["adjusted"][counter] >= 1
    assert "wrap" not in arguments or document["config"]["trace"]["address"] == "wrap"


def test_lint_lists_every_problem_and_exits_with_4(tmp_path: Path) -> None:
    trace = tmp_path / "bad.csv"
    trace.write_text(GOOD + BAD_LINES["wrong columns"] + BAD_LINES["zero size"])
    done = slcache("trace", "lint", trace, "--json")
    assert done.returncode == 4
    document = json.loads(done.stdout)
    assert [problem["line"] for problem in document["problems"]] == [51, 52]
    assert sum(document["counts"].values()) == 2
    assert slcache("trace", "lint", trace).returncode == 4
    clean = slcache("trace", "lint", write_trace(tmp_path / "good.csv", mixed(20)))
    assert (clean.returncode, b"no problems" in clean.stdout) == (0, True)


def test_python_names_no_option_of_the_command_line(tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    for text, form in (
        ("0 0 8 8 1\n1000 0 16 8 0\n", None),
        ("2000 0 8 8 1\n1000 0 16 8 0\n", "mqsim"),
    ):
        trace.write_text(text)
        with pytest.raises(TraceError) as raised:
            Trace(trace, form).info()
        assert "--" not in str(raised.value)
