"""Workloads in place of traces: listed, described, run and written, and twins called twins."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import slcache as package
from slcache.traces import against
from support import mixed, slcache, write_trace

TWIN = """
name = "small"
[twin]
of = "vol_9"
from = "Somebody, Table I"
requests = 2000
write_share = 0.75
mean_write_bytes = "8KiB"
max_write_bytes = "16KiB"
mean_read_bytes = "4KiB"
max_read_bytes = "4KiB"
footprint_written_bytes = "1MiB"
update_skew = 0.5
duration_ns = "2s"
[twin.free.max_write_bytes]
reason = "assumed"
sweep = ["16KiB", "32KiB"]
[twin.free.max_read_bytes]
reason = "assumed"
sweep = ["4KiB"]
[twin.free.update_skew]
reason = "assumed"
sweep = [0, 0.5]
"""
LABEL = "twin of vol_9 (Somebody, Table I)"
RUN = ("--device", "tiny", "--scheme", "baseline")


@pytest.fixture
def twin(tmp_path: Path) -> Path:
    """A twin small enough for the tiny device."""
    path = tmp_path / "twin.toml"
    path.write_text(TWIN)
    return path


def run(trace: Path | str, *arguments: str) -> dict[str, Any]:
    """Run baseline on the tiny device; return the JSON document."""
    done = slcache("run", trace, *RUN, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_twin_says_what_is_given_and_what_is_free(twin: Path) -> None:
    figures = package.workload(twin)["figures"]
    assert figures["write_share"]["state"] == "given"
    assert figures["update_skew"]["state"] == "free"
    text = slcache("trace", "workloads", twin).stdout.decode()
    assert LABEL in text
    assert "assumed (0, 0.5)" in text


@pytest.mark.usefixtures("undrawn")
def test_a_twin_is_called_a_twin_in_every_output_and_a_recording_is_not(
    twin: Path, tmp_path: Path
) -> None:
    done = slcache("run", twin, *RUN, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert LABEL in done.stdout.decode()
    result = package.run(twin, device="tiny", scheme="baseline")
    assert result.to_dict()["trace"]["label"] == LABEL
    assert LABEL in result.summary()
    assert LABEL in (tmp_path / "out" / "report.html").read_text().split("<table")[0]
    assert LABEL in result.plot_series().to_json()
    assert LABEL in slcache("trace", "info", twin).stdout.decode()
    recording = write_trace(tmp_path / "t.csv", mixed(20))
    assert run(recording)["trace"]["label"] is None
    assert "workload:" not in slcache("run", recording, *RUN).stdout.decode()


def test_running_a_workload_is_running_its_file(twin: Path, tmp_path: Path) -> None:
    package.generate(twin, tmp_path / "twin.parquet", seed=9)
    at_once, from_file = (run(trace, "--seed", "9") for trace in (twin, tmp_path / "twin.parquet"))
    assert at_once["host"] == from_file["host"]
    assert at_once["trace"]["label"] == from_file["trace"]["label"] == LABEL


def test_compare_runs_every_scheme_on_the_draw_of_the_seed(twin: Path) -> None:
    sums = set()
    for seed in (3, 4):
        both = package.compare(twin, device="tiny", schemes=["tlc-only", "baseline"], seed=seed)
        (drawn,) = {document["trace"]["sha256"] for document in both.documents}
        assert LABEL in both.summary()
        sums.add(drawn)
    assert len(sums) == 2


def test_a_workload_is_changed_by_key(twin: Path) -> None:
    document = run(twin, "--workload", "requests=500")
    assert document["trace"]["requests"] == 500
    endless = run("uniform-4k", "--workload", "requests=50", "--workload", "footprint_bytes=1MiB")
    assert endless["trace"]["requests"] == 50


def test_a_trace_is_checked_against_what_a_twin_was_given(twin: Path, tmp_path: Path) -> None:
    package.generate(twin, tmp_path / "t.parquet")
    done = slcache("trace", "info", tmp_path / "t.parquet", "--expect", twin)
    assert done.returncode == 0, done.stdout
    names = {figure.name for figure in against.of_workload(package.workload(twin))}
    assert {"requests", "write_share", "footprint_written_bytes"} <= names
    assert "update_skew" not in names
    other = write_trace(tmp_path / "other.csv", mixed(300))
    assert slcache("trace", "info", other, "--expect", twin).returncode == 1


def test_a_file_called_like_a_preset_is_that_file(tmp_path: Path) -> None:
    write_trace(tmp_path / "zipf-4k", mixed(20))
    assert package.Trace(tmp_path / "zipf-4k").info()["requests"] == 20


def test_a_workload_without_end_is_bounded_by_what_python_is_told(tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "address": "wrap"}
    bound = {"requests": 9}
    options = {f"workload.{key}": str(value) for key, value in bound.items()}
    vary = {"device.mu_bytes": [4096]}
    acts: list[tuple[Any, dict[str, Any]]] = [
        (partial(package.run, "zipf-4k", **how), {"trace_options": options}),
        (partial(package.sweep, "zipf-4k", **how, vary=vary), {"trace_options": options}),
        (partial(package.trace.info, "zipf-4k"), {"trace_options": options}),
        (partial(package.generate, "zipf-4k", tmp_path / "t.parquet"), {"overrides": bound}),
    ]
    for act, bounded in acts:
        with pytest.raises(package.Error, match="the workload has no end") as refused:
            act()
        told = str(refused.value)
        assert 'option "workload.requests": "1000000" or "workload.duration_ns": ' in told
        assert 'of generate by overrides={"requests": 1000000}' in told
        assert act(**bounded)
