"""Input that is bad, extreme or endless ends with its status, one message and no results."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import changed_runs
import slcache
from slcache.study.axes import GRID_MAX, PARAMETERS_MAX, POINTS_MAX, Sampling, StudyAxis
from slcache.study.outcome import Outcome
from slcache.trace import OPTIONS_MAX
from support import cases, stdout, write_trace
from support import slcache as command

HOW: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}


@pytest.mark.long
def test_a_long_list_of_wrong_keys_is_told_in_short(tmp_path: Path) -> None:
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.resolve(**HOW, settings={f"k{i}": 1 for i in range(2_000)})
    lines = str(caught.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "more is wrong; the first 100 errors are told"
    many = {f"k{i}": "1" for i in range(OPTIONS_MAX + 1)}
    limit = r"option k1000 = 1: the 1,001st .* at most 1,000"
    with pytest.raises(slcache.ConfigError, match=limit):
        slcache.run("zipf-4k", **HOW, trace_options=many)
    with pytest.raises(slcache.ConfigError, match=r"workload key k1000 = 1: .* at most 1,000"):
        slcache.workload("zipf-4k", many)
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.Trace(tmp_path / "t.csv", options=dict.fromkeys(many, "y" * 10_000))
    assert len(str(caught.value)) < 200


@pytest.mark.long
def test_draws_a_grid_and_a_study_have_a_limit() -> None:
    for said in ("random:1000000000", "random:100001", f"latin-hypercube:{'9' * 5000}"):
        with pytest.raises(ValueError, match="at most 100,000 points"):
            Sampling.read(said)
    assert Sampling.read(f"random:{POINTS_MAX}").count == POINTS_MAX
    axes = [StudyAxis.read(f"k{i}", "1..100") for i in range(5)]
    with pytest.raises(ValueError, match=f"10,000,000,000 points; at most {GRID_MAX:,}"):
        Sampling().points(axes)
    vary = {"host.time_scale": "0.01..1/1001", "slc_blocks": "1..100"}
    with pytest.raises(slcache.ConfigError, match="too many points; at most 100,000"):
        slcache.sweep("zipf-4k", **HOW, vary=vary)
    many = {f"k{i}": [1, 2] for i in range(PARAMETERS_MAX + 1)}
    with pytest.raises(slcache.ConfigError, match="101 keys are varied; at most 100 may be"):
        slcache.sweep("zipf-4k", **HOW, vary=many)
    columns = {"trace": "t", "device": "d", "scheme": "s", "seed": 1, "status": "done"}
    table = pl.DataFrame({**{k: [v] * 2 for k, v in columns.items()}, **many})
    with pytest.raises(ValueError, match="column k100: 101 columns vary; at most 100 may"):
        Outcome.of(table)


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


Rows = list[tuple[int, str, int, int]]

SIZE = 1 << 28
OPS = ("Read", "Write")


def shapes() -> dict[str, Rows]:
    """Return rows of (ms, op, offset, size) by what is extreme about them."""
    found: dict[str, Rows] = {}
    for op in OPS:
        found |= {
            f"one {op}": [(0, op, 4096, 4096)],
            f"two {op}s": [(0, op, 0, 4096), (1, op, 8192, 512)],
            f"{op}s at one time": [(5, op, 4096 * (i * 37 % 50), 4096) for i in range(200)],
            f"{op}s at one place": [(i, op, 65536, 4096) for i in range(200)],
            f"{op}s at one time and place": [(0, op, 0, 4096)] * 60,
            f"{op}s of each place once": [(i, op, 4096 * 97 * i, 4096) for i in range(200)],
            f"{op}s in sequence": [(i, op, 4096 * i, 4096) for i in range(200)],
            f"{op}s of each size once": [(i, op, 1 << 20, 512 * (i + 1)) for i in range(120)],
            f"one {op} of 256 MiB": [(0, op, 0, SIZE)],
            f"a {op} of 256 MiB and others": [
                (0, op, 0, SIZE),
                *((i, op, 4096 * i, 4096) for i in range(1, 99)),
            ],
            f"{op}s at the end of all addresses": [
                (i, op, (1 << 62) + 4096 * (i % 7), 4096) for i in range(90)
            ],
            f"{op}s a day apart": [(86_400_000 * i, op, 4096 * (i % 9), 4096) for i in range(90)],
        }
    mixed = itertools.cycle(OPS)
    found["each place once, by turns"] = [
        (i, op, 4096 * 97 * i, 4096) for i, op in zip(range(200), mixed, strict=False)
    ]
    found["one of each"] = [(0, "Read", 0, 4096), (0, "Write", 0, 4096)]
    return found


SHAPES = shapes()
VERBS: dict[str, list[str]] = {
    "info": ["trace", "info", "{trace}"],
    "lint": ["trace", "lint", "{trace}"],
    "twin": ["trace", "twin", "{trace}", "--out", "{out}.toml"],
    "blocks": ["trace", "twin", "{trace}", "--out", "{out}.csv", "--by", "blocks"],
    "kept": [
        *("trace", "twin", "{trace}", "--out", "{out}.kept.csv", "--by", "blocks"),
        *("--regions", "kept", "--places", "drawn", "--requests", "300"),
    ],
    "bound": ["bound", "{trace}"],
}


@pytest.mark.few(3)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_verb_takes_a_trace_of_extreme_shape(shape: str, tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "t.csv", SHAPES[shape])
    for name, words in VERBS.items():
        places = {"trace": str(trace), "out": str(tmp_path / "out")}
        done = command(*(word.format_map(places) for word in words))
        assert done.returncode in (0, 1, 3, 4), (name, done.stderr)
        assert (done.returncode == 0) == (b"error:" not in done.stderr), (name, done.stderr)
        assert b"panicked" not in done.stderr, name
    twin = tmp_path / "out.toml"
    if twin.exists():
        for words in (
            ["trace", "info", str(trace), "--against", str(twin)],
            ["trace", "info", str(twin)],
        ):
            stdout(*words)


def test_changed_inputs_end_with_a_status(record_property: Callable[[str, object], None]) -> None:
    done, seed = changed_runs.check(seconds=8, most=cases(80))
    record_property("told", f"changed inputs: {done} command lines from SLCACHE_SEED={seed} on")
    assert done > 0
