"""Results appear whole or not at all."""

from __future__ import annotations

import contextlib
import json
import resource
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from slcache.files import Transaction
from support import slcache

FILES = ["latency.parquet", "ops.parquet", "report.html", "result.json", "series.parquet"]
COMPARE = ("--device", "tiny", "--schemes", "tlc-only,baseline")


def test_out_writes_every_file_and_names_the_report(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    done = slcache("compare", trace, *COMPARE, "--out", out)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in out.iterdir()) == FILES
    assert str(out / "report.html") in done.stdout.decode()
    document = json.loads((out / "result.json").read_text())
    assert document["runs"][0]["config"]["scheme"]
    for name in ("series", "latency", "ops"):
        table = pq.read_table(out / f"{name}.parquet")
        assert set(table["scheme"].to_pylist()) == {"tlc-only", "baseline"}


def test_a_full_disk_is_an_error_and_leaves_nothing(trace: Path, tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    out = tmp_path / "out"
    done = slcache("compare", trace, *COMPARE, "--out", out, setup=limit)
    assert done.returncode == 1
    assert b"File too large" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("out", ["/dev/full", "/dev/full/out", "/proc/out"])
def test_an_impossible_directory_is_an_error(trace: Path, out: str) -> None:
    done = slcache("compare", trace, *COMPARE, "--out", out)
    assert (done.returncode, done.stdout) == (1, b"")
    assert out.encode() in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_full_standard_output_is_an_error(trace: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = slcache("compare", trace, *COMPARE, "--json", stdout=full)
    assert done.returncode == 1
    assert b"No space left" in done.stderr


def test_a_failed_transaction_keeps_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with contextlib.suppress(KeyboardInterrupt), Transaction(tmp_path) as files:
        files.write("a", b"new")
        files.write("b", b"new")
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_a_directory_in_the_way_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with contextlib.suppress(IsADirectoryError), Transaction(tmp_path) as files:
        files.write("a", b"new")
        files.write("b", b"new")
        pytest.fail("wrote over a directory")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_a_transaction_replaces_files_and_creates_directories(tmp_path: Path) -> None:
    for text in (b"first", b"second"):
        with Transaction(tmp_path / "x" / "y") as files:
            files.write("a", text)
    assert (tmp_path / "x" / "y" / "a").read_bytes() == b"second"
