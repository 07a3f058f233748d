"""Traces that can be read only once: pipes give what files give, to the last byte."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import slcache
from support import command
from support import slcache as cli

ON = ("--device", "tiny", "--scheme", "baseline")


def plain(text: bytes, *names: str | Path) -> dict[str, Any]:
    """Return a document without what differs from run to run and the trace's name."""
    for name in names:
        text = text.replace(str(name).encode(), b"TRACE")
    document: dict[str, Any] = json.loads(text)
    for part in (document, *document.get("runs", [])):
        part.pop("sim", None)
        part.pop("provenance", None)
    return document


@pytest.fixture(scope="module")
def stored(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The small trace in several forms."""
    folder = tmp_path_factory.mktemp("stored")
    packed = folder / "mixed.csv.gz"
    packed.write_bytes(gzip.compress(trace.read_bytes()))
    parquet = folder / "mixed.parquet"
    slcache.Trace(trace).convert(parquet)
    return {"plain": trace, "gzip": packed, "parquet": parquet}


@pytest.mark.few(5)
@pytest.mark.parametrize("form", ["plain", "gzip", "parquet"])
@pytest.mark.parametrize("prefill", ["touched", "none"])
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_run_of_a_pipe(stored: dict[str, Path], form: str, prefill: str, name: str) -> None:
    how = (*ON, "--set", f"trace.prefill={prefill}", "--json")
    from_file = cli("run", stored[form], *how)
    piped = cli("run", name, *how, stdin=stored[form].read_bytes())
    assert (from_file.returncode, piped.returncode) == (0, 0), piped.stderr
    assert json.loads(piped.stdout)["trace"]["path"] == name
    left, right = plain(piped.stdout), plain(from_file.stdout)
    del left["trace"]["path"], right["trace"]["path"]
    assert left == right


def test_a_killed_run_leaves_no_copy(trace: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(["run", "-", *ON]),
        stdin=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdin is not None
    # More than is looked at before anything is copied.
    process.stdin.write(trace.read_bytes() * (1 + (512 << 10) // trace.stat().st_size))
    process.stdin.flush()
    copies = Path(f"/proc/{process.pid}/fd")
    end = time.monotonic() + 60
    while not any(
        str(tmp_path) in str(fd.readlink()) for fd in copies.iterdir() if fd.is_symlink()
    ):
        assert time.monotonic() < end, "no copy is made"
        time.sleep(0.05)
    process.kill()
    process.wait()
    process.stdin.close()
    assert list(tmp_path.iterdir()) == []


def test_a_last_line_cut_short_is_told_and_counted(trace: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.csv"
    cut.write_bytes(trace.read_bytes()[:-1])
    warning = f"note: {cut}: the last line has no line end".encode()
    linted = cli("trace", "lint", cut, "--json")
    assert (linted.returncode, json.loads(linted.stdout)["counts"]) == (4, {"no line end": 1})
    for verb in (("run", cut, *ON), ("trace", "convert", cut, "-o", tmp_path / "a.parquet")):
        assert cli(*verb).stderr.count(warning) == 1, verb
    how = ("--device", "/dev/stdin", "--scheme", "baseline")
    done = cli("run", trace, *how, stdin=b"[host]\n")
    assert done.returncode == 3
    assert b"/dev/stdin: is a pipe or a device, which can be read only once" in done.stderr
