"""Long lists are told in short, and what has no end is refused."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import slcache
from slcache.study.axes import GRID_MAX, PARAMETERS_MAX, POINTS_MAX, Axis, Sampling
from slcache.study.outcome import Outcome
from slcache.traces.api import OPTIONS_MAX


def unknown(count: int) -> dict[str, int]:
    return {f"k{i}": 1 for i in range(count)}


def test_a_long_list_of_wrong_keys_is_told_in_short() -> None:
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.resolve(device="tiny", scheme="baseline", settings=unknown(2_000))
    lines = str(caught.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "more is wrong; the first 100 errors are told"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("random:1000000000", "at most 100,000 points"),
        ("random:100001", "at most 100,000 points"),
        (f"latin-hypercube:{'9' * 5000}", "at most 100,000 points"),
    ],
)
def test_draws_have_a_limit(said: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Sampling.read(said)
    assert Sampling.read(f"random:{POINTS_MAX}").count == POINTS_MAX


def test_a_grid_and_a_study_have_a_limit() -> None:
    axes = [Axis.read(f"k{i}", "1..100") for i in range(5)]
    with pytest.raises(ValueError, match=f"10,000,000,000 points; at most {GRID_MAX:,}"):
        Sampling().points(axes)
    with pytest.raises(slcache.ConfigError, match="too many points; at most 100,000"):
        slcache.sweep(
            "zipf-4k",
            device="tiny",
            scheme="baseline",
            vary={"host.time_scale": "0.01..1/1001", "slc_blocks": "1..100"},
        )


@pytest.mark.parametrize(
    "verb",
    [
        ["run", "/dev/zero", "--device", "tiny", "--scheme", "baseline"],
        ["compare", "/dev/zero", "--device", "tiny", "--schemes", "baseline,tlc-only"],
        ["trace", "info", "/dev/zero"],
        ["trace", "lint", "/dev/zero"],
        ["run", "zipf-4k", "--device", "tiny", "--scheme", "baseline", "--config", "/dev/zero"],
        ["sweep", "zipf-4k", "--device", "tiny", "--scheme", "baseline", "--points", "/dev/zero"],
        ["report", "/dev/zero"],
        ["diff", "/dev/zero", "/dev/zero"],
        ["fit", "/dev/zero", "--out", "fitted.toml"],
        ["diff", "--rerun", "/dev/zero"],
        ["why", "/dev/zero"],
    ],
    ids=lambda verb: " ".join(verb[:2]),
)
def test_what_has_no_end_is_refused(verb: list[str]) -> None:
    limits = (4 << 30, 4 << 30)
    done = subprocess.run(
        [sys.executable, "-m", "slcache", *verb],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
    )
    is_trace = verb[0] in {"trace", "fit"} or (
        verb[0] in {"run", "compare"} and "--config" not in verb
    )
    assert done.returncode in ({4} if is_trace else {1, 2, 3}), done.stderr
    assert "/dev/zero" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["parquet", "tencent"])
@pytest.mark.parametrize("volume", ["error", "none of them"])
def test_a_long_list_of_volumes_is_told_in_short(kind: str, volume: str, tmp_path: Path) -> None:
    text = tmp_path / "t.csv"
    text.write_text("".join(f"1538323199,0,8,0,{number}\n" for number in range(1000)))
    file = text
    if kind == "parquet":
        file = tmp_path / "t.parquet"
        slcache.Trace(text, format="tencent", options={"volume": "each"}).convert(file)
    with pytest.raises(slcache.TraceError) as caught:
        slcache.Trace(file, format=kind, options={"volume": volume}).info()
    assert "and 988 more" in str(caught.value)
    assert len(str(caught.value)) < 600 + len(str(tmp_path))


TINY_LISTS: dict[str, Any] = {"trace": "zipf-4k", "device": "tiny"}


def test_options_have_a_limit() -> None:
    many = {f"k{i}": "1" for i in range(OPTIONS_MAX + 1)}
    with pytest.raises(
        slcache.ConfigError, match=r"option k1000 = 1: the 1,001st .* at most 1,000"
    ):
        slcache.run(**TINY_LISTS, scheme="baseline", trace_options=many)
    with pytest.raises(slcache.ConfigError, match=r"workload key k1000 = 1: .* at most 1,000"):
        slcache.workload("zipf-4k", many)


def test_varied_keys_have_a_limit() -> None:
    many = {f"k{i}": [1, 2] for i in range(PARAMETERS_MAX + 1)}
    with pytest.raises(slcache.ConfigError, match="101 keys are varied; at most 100 may be"):
        slcache.sweep(**TINY_LISTS, scheme="baseline", vary=many)
    columns = {"trace": "t", "device": "d", "scheme": "s", "seed": 1, "status": "done"}
    table = pl.DataFrame({**{k: [v] * 2 for k, v in columns.items()}, **many})
    with pytest.raises(ValueError, match="column k100: 101 columns vary; at most 100 may"):
        Outcome.of(table)


def test_a_long_option_is_told_in_short(tmp_path: Path) -> None:
    many = {f"k{i}": "y" * 10_000 for i in range(OPTIONS_MAX + 1)}
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.Trace(tmp_path / "t.csv", options=many)
    assert len(str(caught.value)) < 200
