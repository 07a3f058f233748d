"""Long lists are told in short, and what has no end is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import slcache
from changed_runs import Worker
from slcache.study.axes import GRID_MAX, PARAMETERS_MAX, POINTS_MAX, Axis, Sampling
from slcache.study.outcome import Outcome
from slcache.traces.api import OPTIONS_MAX

ON: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}


def test_a_long_list_of_wrong_keys_is_told_in_short() -> None:
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.resolve(**ON, settings={f"k{i}": 1 for i in range(2_000)})
    lines = str(caught.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "more is wrong; the first 100 errors are told"


def test_draws_a_grid_and_a_study_have_a_limit() -> None:
    for said in ("random:1000000000", "random:100001", f"latin-hypercube:{'9' * 5000}"):
        with pytest.raises(ValueError, match="at most 100,000 points"):
            Sampling.read(said)
    assert Sampling.read(f"random:{POINTS_MAX}").count == POINTS_MAX
    axes = [Axis.read(f"k{i}", "1..100") for i in range(5)]
    with pytest.raises(ValueError, match=f"10,000,000,000 points; at most {GRID_MAX:,}"):
        Sampling().points(axes)
    vary = {"host.time_scale": "0.01..1/1001", "slc_blocks": "1..100"}
    with pytest.raises(slcache.ConfigError, match="too many points; at most 100,000"):
        slcache.sweep("zipf-4k", **ON, vary=vary)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """A process in which memory has a limit."""
    serving = Worker()
    yield serving
    serving.close()


@pytest.mark.parametrize(
    ("verb", "statuses"),
    [
        ("run /dev/zero --device tiny --scheme baseline", {4}),
        ("compare /dev/zero --device tiny --schemes baseline,tlc-only", {4}),
        ("trace info /dev/zero", {4}),
        ("trace lint /dev/zero", {4}),
        ("run zipf-4k --device tiny --scheme baseline --config /dev/zero", {1, 2, 3}),
        ("sweep zipf-4k --device tiny --scheme baseline --points /dev/zero", {1, 2, 3}),
        ("report /dev/zero", {1, 2, 3}),
        ("diff /dev/zero /dev/zero", {1, 2, 3}),
        ("fit /dev/zero --out fitted.toml", {4}),
        ("diff --rerun /dev/zero", {1, 2, 3}),
        ("why /dev/zero", {1, 2, 3}),
    ],
)
def test_what_has_no_end_is_refused(
    worker: Worker, verb: str, statuses: set[int], tmp_path: Path
) -> None:
    answer = worker.run(verb.split(), tmp_path)
    assert answer["status"] in statuses, answer
    assert "/dev/zero" in answer["told"][1]
    assert "Traceback" not in answer["told"][1]


@pytest.mark.parametrize("kind", ["parquet", "tencent"])
def test_a_long_list_of_volumes_is_told_in_short(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("".join(f"1538323199,0,8,0,{number}\n" for number in range(1000)))
    if kind == "parquet":
        text, file = file, tmp_path / "t.parquet"
        slcache.Trace(text, format="tencent", options={"volume": "each"}).convert(file)
    for volume in ("error", "none of them"):
        with pytest.raises(slcache.TraceError) as caught:
            slcache.Trace(file, format=kind, options={"volume": volume}).info()
        assert "and 988 more" in str(caught.value)
        assert len(str(caught.value)) < 600 + len(str(tmp_path))


def test_options_have_a_limit_and_long_ones_are_told_in_short(tmp_path: Path) -> None:
    many = {f"k{i}": "1" for i in range(OPTIONS_MAX + 1)}
    limit = r"option k1000 = 1: the 1,001st .* at most 1,000"
    with pytest.raises(slcache.ConfigError, match=limit):
        slcache.run("zipf-4k", **ON, trace_options=many)
    with pytest.raises(slcache.ConfigError, match=r"workload key k1000 = 1: .* at most 1,000"):
        slcache.workload("zipf-4k", many)
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.Trace(tmp_path / "t.csv", options=dict.fromkeys(many, "y" * 10_000))
    assert len(str(caught.value)) < 200


def test_varied_keys_have_a_limit() -> None:
    many = {f"k{i}": [1, 2] for i in range(PARAMETERS_MAX + 1)}
    with pytest.raises(slcache.ConfigError, match="101 keys are varied; at most 100 may be"):
        slcache.sweep("zipf-4k", **ON, vary=many)
    columns = {"trace": "t", "device": "d", "scheme": "s", "seed": 1, "status": "done"}
    table = pl.DataFrame({**{k: [v] * 2 for k, v in columns.items()}, **many})
    with pytest.raises(ValueError, match="column k100: 101 columns vary; at most 100 may"):
        Outcome.of(table)
