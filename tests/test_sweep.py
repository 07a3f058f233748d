"""A study gives the same rows however it is asked for, and each row is that of a plain run."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

import slcache as sl
from slcache.metrics import METRICS
from slcache.study.api import sweep
from slcache.study.axes import Axis
from slcache.study.model import Study, read
from slcache.study.run import Sweep
from support import json_of, mixed, slcache, stdout, write_trace

#: Room for more sizes of the cache than the tiny device has.
ROOM = {"device.user_bytes": "2MiB", "trace.address": "wrap"}
SET = [word for key, value in ROOM.items() for word in ("--set", f"{key}={value}")]
BLOCKS, SCALE = "scheme.sa.slc_blocks", "host.time_scale"
SIZES = {BLOCKS: "3..4", SCALE: [0.5, 1.0]}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace with an odd name."""
    folder = tmp_path_factory.mktemp("odd")
    return write_trace(folder / "an odd, 'näme' = [1].csv", mixed(80))


def swept(trace: Path, **how: Any) -> Sweep:  # noqa: ANN401
    """Return a study of the scheme sa, unless another is given."""
    return sweep(trace, device="tiny", **{"scheme": "sa", **how})


def swept_alike(small: Path, *words: str | Path, scheme: str = "sa") -> list[str | Path]:
    """Return the words of a sweep with more room."""
    return ["sweep", small, "--device", "tiny", "--scheme", scheme, *SET, *words]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("found")


@pytest.fixture(scope="module")
def found(small: Path, place: Path) -> Sweep:
    return swept(small, scheme=["tlc-only", "sa"], vary=SIZES, seeds=2, settings=ROOM, out=place)


def plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without what differs between equal runs."""
    own = {k: v for k, v in document["provenance"].items() if k not in ("time", "host")}
    return {**{k: v for k, v in document.items() if k != "sim"}, "provenance": own}


def test_the_command_line_a_file_and_python_give_the_same_tables(
    small: Path, found: Sweep, place: Path, tmp_path: Path
) -> None:
    vary = ("--vary", f"{BLOCKS}=3..4", "--vary", f"{SCALE}=0.5,1.0", "--seeds", "2")
    words = swept_alike(small, *vary, "--out", tmp_path / "a", "--json", scheme="tlc-only,sa")
    document = json_of(*words)
    assert document["counts"] == {"done": 12, "failed": 0, "impossible": 0, "kept": 0}
    stdout("sweep", tmp_path / "a" / "study.toml", "--out", tmp_path / "b")
    folders = (tmp_path / "a", tmp_path / "b", place)
    assert len({(folder / "points.parquet").read_bytes() for folder in folders}) == 1
    assert found.table.to_dicts() == document["points"]
    jsonschema.validate(document, json.loads(slcache("explain", "--schema", "sweep").stdout))


def test_rows_and_documents_are_those_of_plain_runs(small: Path, found: Sweep) -> None:
    rows = found.table.to_dicts()
    expected = [
        (scheme, blocks, scale, seed)
        for scheme, sizes in (("tlc-only", [None]), ("sa", [3, 4]))
        for blocks, scale, seed in itertools.product(sizes, [0.5, 1.0], [1, 2])
    ]
    columns = ("scheme", BLOCKS, SCALE, "seed")
    assert [tuple(row[name] for name in columns) for row in rows] == expected
    for row, document, (scheme, blocks, scale, seed) in zip(
        rows, found.documents(), expected, strict=True
    ):
        settings: dict[str, Any] = {**ROOM, SCALE: scale}
        settings |= {} if blocks is None else {BLOCKS: blocks}
        alone = sl.run(small, device="tiny", scheme=scheme, settings=settings, seed=seed).to_dict()
        assert json.dumps(plain(document)) == json.dumps(plain(alone))
        assert row["status"] == "done"
        assert {name: row[name] for name in METRICS} == {
            name: metric.value(alone) for name, metric in METRICS.items()
        }


def test_what_was_run_is_found_by_wider_studies(small: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"settings": ROOM, "store": tmp_path / "store"}
    assert swept(small, vary={BLOCKS: "3..4"}, **how).kept == 0
    results = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "store/results").iterdir()}
    copy = tmp_path / "copy.csv"
    copy.write_bytes(small.read_bytes())
    wider = swept(copy, vary={BLOCKS: "3..5"}, **how)
    assert wider.kept == 2
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "store/results").iterdir()}
    assert len(after) == 3
    assert results.items() <= after.items()
    own = {**ROOM, BLOCKS: 3}
    alone = sl.run(copy, device="tiny", scheme="sa", settings=own).to_dict()
    assert plain(wider.document(0)) == plain(alone)
    copy.write_text("".join(small.read_text().splitlines(keepends=True)[:-3]))
    assert swept(copy, vary={BLOCKS: "3..4"}, **how).kept == 0


def test_workloads_are_drawn_by_the_seed_and_varied(tmp_path: Path) -> None:
    spec = tmp_path / "w.toml"
    spec.write_text(
        'requests = 50\nfootprint_bytes = 1048576\n[global]\nrw = "randrw"\nbs = "4k"\n'
    )
    vary = {"workload.requests": [40, 50], "reader.format": ["workload"]}
    found = swept(spec, vary=vary, seeds=2)
    hashes = set()
    for row, document in zip(found.table.to_dicts(), found.documents(), strict=True):
        options = {"workload.requests": str(row["workload.requests"]), "format": "workload"}
        arguments: dict[str, Any] = {"trace_options": options, "seed": row["seed"]}
        alone = sl.run(spec, device="tiny", scheme="sa", **arguments).to_dict()
        assert plain(document) == plain(alone)
        hashes.add(document["trace"]["sha256"])
    assert len(hashes) == len(found.points) == 4


def test_preconditioned_states_are_shared_and_change_nothing(small: Path, tmp_path: Path) -> None:
    settings = {"precondition.fill": 0.6, "precondition.overwrite": 0.5}
    schemes, _ = sl.fitting(device="tiny", settings=settings)
    vary = {SCALE: [0.5, 1]}
    found = swept(small, scheme=schemes, vary=vary, settings=settings, store=tmp_path)
    assert len(list((tmp_path / "states").glob("*.slcstate"))) == len(schemes) > 10
    for row, document in zip(found.table.to_dicts(), found.documents(), strict=True):
        own = {**settings, SCALE: row[SCALE]}
        alone = sl.run(small, device="tiny", scheme=row["scheme"], settings=own).to_dict()
        assert json.dumps(plain(document)) == json.dumps(plain(alone)), row["scheme"]


def test_impossible_points_are_told_before_anything_runs(small: Path, tmp_path: Path) -> None:
    vary = ("--vary", f"{BLOCKS}=1..4", "--vary", f"{SCALE}=1,2", "--out", tmp_path / "out")
    command = swept_alike(small, *vary, scheme="tlc-only,sa")
    done = slcache(*command)
    assert done.returncode == 3
    told = done.stderr.decode()
    assert "4 points of sa on tiny (scheme.sa.slc_blocks = 1, 2): " in told
    assert "must be between 3" in told
    assert not (tmp_path / "out").exists()
    skipped = slcache(*command, "--skip-impossible")
    assert skipped.returncode == 0, skipped.stderr
    assert b"10 points: 6 done, 4 impossible" in skipped.stdout
    rows = pl.read_parquet(tmp_path / "out" / "points.parquet").to_dicts()
    impossible = [row for row in rows if row["status"] == "impossible"]
    assert [row[BLOCKS] for row in impossible] == [1, 1, 2, 2]
    assert all("must be between 3" in row["reason"] and row["waf"] is None for row in impossible)


def test_runs_that_fail_are_rows_and_the_others_go_on(small: Path, tmp_path: Path) -> None:
    far = write_trace(tmp_path / "far.csv", [(0, "Write", 1 << 40, 4096)])
    command: list[str | Path] = ["sweep", far, small, "--device", "tiny", "--scheme", "tlc-only,sa"]
    done = slcache(*command, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert b"4 points: 2 done, 2 failed" in done.stdout
    rows = pl.read_parquet(tmp_path / "out" / "points.parquet").to_dicts()
    assert [row["status"] for row in rows] == ["failed", "failed", "done", "done"]
    assert "ends beyond the device" in rows[0]["reason"]
    fast = slcache(*command, "--out", tmp_path / "fast", "--fail-fast")
    assert fast.returncode == 1
    assert b"a point failed: request 1 of the trace" in fast.stderr
    # A trace that cannot be read at all is no failure of a point.
    bad = tmp_path / "bad.csv"
    bad.write_text("nonsense\n")
    for trace in (bad, tmp_path / "missing.csv"):
        done = slcache(*swept_alike(trace, "--seeds", "2", "--out", tmp_path / "none"))
        assert done.returncode == 4, done.stderr
        assert trace.name in done.stderr.decode()


@pytest.mark.parametrize("sample", ["random:40", "latin-hypercube:40"])
def test_drawn_points_of_whole_keys_are_whole_and_reach_both_ends(small: Path, sample: str) -> None:
    keys = {BLOCKS: "3..6@log", "host.queue_depth": "1..1024@log"}
    vary = {**keys, SCALE: "0.5..2.0@log"}
    found = swept(small, vary=vary, settings=ROOM, sample=sample)
    rows = found.table.to_dicts()
    assert found.counts()["done"] == len(rows) == 40
    assert all(type(row[key]) is int for row in rows for key in keys)
    assert all(type(row[SCALE]) is float for row in rows)
    # Both ends are drawn, and as many below the geometric mean as above it.
    assert {row[BLOCKS] for row in rows} == {3, 4, 5, 6}
    depths = [row["host.queue_depth"] for row in rows]
    assert 1 <= min(depths) < 4
    assert 256 < max(depths) <= 1024
    assert 10 <= sum(depth < 32 for depth in depths) <= 30
    axis = Axis.read("host.queue_depth", "3..7@log")
    assert axis.at(0) == 3
    assert axis.at(1 - 2**-53) == 7
    assert sorted({axis.at(i / 10_000) for i in range(10_000)}) == [3, 4, 5, 6, 7]
    assert Axis.read("host.queue_depth", "3.0..7@log").at(0.5) == pytest.approx(21**0.5)


TABLES = [[[0, 1_000_000]], [[0, 2_000_000], [0.5, 0]]]


@pytest.mark.parametrize("said", [TABLES, "[[0, 1000000]],[[0, 2000000], [0.5, 0]]"])
def test_a_value_may_be_a_list(said: object, small: Path, tmp_path: Path) -> None:
    key = "scheme.client.dynamic.table"
    own: dict[str, Any] = {"scheme": "client", "settings": {"scheme.client.dynamic.rule": "table"}}
    found = swept(small, **own, vary={key: said}, out=tmp_path / "out").table.to_dicts()
    assert [json.loads(row[key]) for row in found] == TABLES
    for row, table in zip(found, TABLES, strict=True):
        own["settings"][key] = table
        alone = sl.run(small, device="tiny", **own).to_dict()
        assert row["waf"] == alone["waf"]["total"]
        assert alone["config"]["scheme"]["client"]["dynamic"]["table"] == table


def test_points_are_listed_in_a_csv_file(small: Path, tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text(f"{BLOCKS},{SCALE}\n3,1.5\n4,\n")
    command = swept_alike(small, "--points", points, "--out", tmp_path / "out", "--json")
    rows = json_of(*command)["points"]
    assert [(row[BLOCKS], row[SCALE]) for row in rows] == [(3, 1.5), (4, None)]
    listed = read(tmp_path / "out" / "study.toml").listed
    assert listed == ({BLOCKS: 3, SCALE: 1.5}, {BLOCKS: 4})
    points.write_text(f"{BLOCKS},{SCALE}\n3\n")
    assert b"points.csv:2: 1 values for 2 keys" in slcache(*command).stderr


def test_a_study_survives_its_file(tmp_path: Path) -> None:
    study = Study(
        trace="a \"b\" \\ 'c'\t\x7f ü.csv",
        device=["tiny", "my device.toml"],
        scheme="sa",
        vary={"host.time_scale": [0.5, 1], "a.b": "1..4", "on": [True, False], "t": ["x"]},
        seeds=3,
        seed=7,
        settings={"precondition.fill": 0.5, "trace.address": "wrap"},
        trace_options={"volume": "each"},
        replay="closed:4",
    )
    path = tmp_path / "study.toml"
    path.write_text(study.to_toml(), "utf-8")
    assert read(path) == study


def test_seeds_of_a_recording_that_change_nothing_are_told(small: Path) -> None:
    asked: dict[str, Any] = {"scheme": "baseline,tlc-only", "settings": {"trace.address": "wrap"}}
    vary = {"workload.requests": [50]}
    both = sweep([small, "zipf-4k"], device="tiny", vary=vary, seeds=2, **asked)
    (told,) = both.problems()
    assert told.startswith(f"{small} is a recording, and nothing else of its points is drawn")
    assert "each of the 2 seeds gives the same figures; --resample N" in told
    assert swept(small, seeds=1, **asked).problems() == []
    assert swept(small, resample=2, **asked).problems() == []
    drawn = {"scheme.baseline.slc.victim": ["random"]}
    assert swept(small, scheme="baseline", vary=drawn, seeds=2).problems() == []


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("16MiB..32MiB*2", "16MiB,32MiB"),
        ("16MiB..64MiB*1.5", "16MiB,24MiB,36MiB,54MiB"),
        ("12MiB..36MiB:4MiB", "12MiB,16MiB,20MiB,24MiB,28MiB,32MiB,36MiB"),
        ("0..1GiB:512MiB", "0B,512MiB,1GiB"),
        ("16MiB..32MiB/3", "16MiB,24MiB,32MiB"),
        ("16MiB..64MiB/3@log", "16MiB,32MiB,64MiB"),
        ("8..32*2", "8,16,32"),
        ("8..10", "8,9,10"),
    ],
)
def test_a_range_of_sizes_is_the_list_of_the_same(text: str, listed: str) -> None:
    for key in (BLOCKS, "slc_blocks"):
        axis = Axis.read(key, text)
        assert axis == Axis.read(key, listed)
        assert axis.ordered
