"""A study gives the same rows however it is asked for, and each row is that of a plain run."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

import slcache as sl
from slcache.metrics import METRICS
from slcache.study.api import Course, sweep
from slcache.study.axes import Axis
from slcache.study.model import Study, StudyError, of, read
from slcache.study.run import run_study
from support import mixed, slcache, write_trace

#: Room for more sizes of the cache than the tiny device has.
ROOM = {"device.user_bytes": "2MiB", "trace.address": "wrap"}
SET = [word for key, value in ROOM.items() for word in ("--set", f"{key}={value}")]
SIZES = {"scheme.sa.slc_blocks": "3..4", "host.time_scale": [0.5, 1.0]}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace with an odd name."""
    folder = tmp_path_factory.mktemp("odd")
    return write_trace(folder / "an odd, 'näme' = [1].csv", mixed(80))


def plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document without what differs between equal runs."""
    own = {k: v for k, v in document["provenance"].items() if k not in ("time", "host")}
    return {**{k: v for k, v in document.items() if k != "sim"}, "provenance": own}


def test_the_command_line_a_file_and_python_give_the_same_tables(
    small: Path, tmp_path: Path
) -> None:
    options = ["--device", "tiny", "--scheme", "tlc-only,sa", "--seeds", "2", *SET]
    for key, text in (("scheme.sa.slc_blocks", "3..4"), ("host.time_scale", "0.5,1.0")):
        options += ["--vary", f"{key}={text}"]
    done = slcache("sweep", small, *options, "--out", tmp_path / "a", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["counts"] == {"done": 12, "failed": 0, "impossible": 0, "kept": 0}
    again = slcache("sweep", tmp_path / "a" / "study.toml", "--out", tmp_path / "b")
    assert again.returncode == 0, again.stderr
    found = sweep(
        small,
        device="tiny",
        scheme=["tlc-only", "sa"],
        vary=SIZES,
        seeds=2,
        settings=ROOM,
        out=tmp_path / "c",
    )
    tables = [(tmp_path / name / "points.parquet").read_bytes() for name in "abc"]
    assert tables[0] == tables[1] == tables[2]
    assert found.table.to_dicts() == document["points"]
    jsonschema.validate(document, json.loads(slcache("explain", "--schema", "sweep").stdout))


def test_rows_and_documents_are_those_of_plain_runs(small: Path) -> None:
    found = sweep(
        small, device="tiny", scheme=["tlc-only", "sa"], vary=SIZES, seeds=2, settings=ROOM
    )
    rows = found.table.to_dicts()
    expected = [
        (scheme, blocks, scale, seed)
        for scheme, sizes in (("tlc-only", [None]), ("sa", [3, 4]))
        for blocks, scale, seed in itertools.product(sizes, [0.5, 1.0], [1, 2])
    ]
    columns = ("scheme", "scheme.sa.slc_blocks", "host.time_scale", "seed")
    assert [tuple(row[name] for name in columns) for row in rows] == expected
    for row, document, (scheme, blocks, scale, seed) in zip(
        rows, found.documents(), expected, strict=True
    ):
        settings: dict[str, Any] = {**ROOM, "host.time_scale": scale}
        settings |= {} if blocks is None else {"scheme.sa.slc_blocks": blocks}
        alone = sl.run(small, device="tiny", scheme=scheme, settings=settings, seed=seed).to_dict()
        assert json.dumps(plain(document)) == json.dumps(plain(alone))
        assert row["status"] == "done"
        assert {name: row[name] for name in METRICS} == {
            name: metric.value(alone) for name, metric in METRICS.items()
        }


def test_nothing_is_run_twice(small: Path, tmp_path: Path) -> None:
    study = Study(
        trace=small,
        device="tiny",
        scheme="sa",
        vary={"scheme.sa.slc_blocks": "3..4"},
        settings=ROOM,
    )
    assert run_study(study, Course(out=tmp_path / "a", store=tmp_path / "store")).kept == 0
    results = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "store/results").iterdir()}
    wider = Study(
        trace=small,
        device="tiny",
        scheme="sa",
        vary={"scheme.sa.slc_blocks": "3..5"},
        settings=ROOM,
    )
    assert run_study(wider, Course(out=tmp_path / "b", store=tmp_path / "store")).kept == 2
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "store/results").iterdir()}
    assert len(after) == 3
    assert results.items() <= after.items()


def test_a_result_is_found_under_another_name_of_the_trace(small: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.csv"
    copy.write_bytes(small.read_bytes())
    sweep(small, device="tiny", scheme="sa", store=tmp_path / "store")
    found = sweep(copy, device="tiny", scheme="sa", store=tmp_path / "store")
    assert found.kept == 1
    alone = sl.run(copy, device="tiny", scheme="sa").to_dict()
    assert plain(found.document(0)) == plain(alone)
    copy.write_bytes(small.read_bytes()[:-200])
    assert sweep(copy, device="tiny", scheme="sa", store=tmp_path / "store").kept == 0


def test_workloads_are_drawn_by_the_seed_and_varied(tmp_path: Path) -> None:
    spec = tmp_path / "w.toml"
    spec.write_text(
        'requests = 50\nfootprint_bytes = 1048576\n[global]\nrw = "randrw"\nbs = "4k"\n'
    )
    vary = {"workload.requests": [40, 50], "reader.format": ["workload"]}
    found = sweep(spec, device="tiny", scheme="sa", vary=vary, seeds=2)
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
    found = sweep(
        small,
        device="tiny",
        scheme=schemes,
        vary={"host.time_scale": [0.5, 1]},
        settings=settings,
        store=tmp_path,
    )
    assert len(list((tmp_path / "states").glob("*.slcstate"))) == len(schemes) > 10
    for row, document in zip(found.table.to_dicts(), found.documents(), strict=True):
        own = {**settings, "host.time_scale": row["host.time_scale"]}
        alone = sl.run(small, device="tiny", scheme=row["scheme"], settings=own).to_dict()
        assert json.dumps(plain(document)) == json.dumps(plain(alone)), row["scheme"]


def test_impossible_points_are_told_before_anything_runs(small: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [
        "sweep",
        small,
        "--device",
        "tiny",
        "--scheme",
        "tlc-only,sa",
        *SET,
    ]
    command += ["--vary", "scheme.sa.slc_blocks=1..4", "--vary", "host.time_scale=1,2"]
    done = slcache(*command, "--out", tmp_path / "out")
    assert done.returncode == 3
    told = done.stderr.decode()
    assert "4 points of sa on tiny (scheme.sa.slc_blocks = 1, 2): " in told
    assert "must be between 3" in told
    assert not (tmp_path / "out").exists()
    skipped = slcache(*command, "--out", tmp_path / "out", "--skip-impossible")
    assert skipped.returncode == 0, skipped.stderr
    assert b"10 points: 6 done, 4 impossible" in skipped.stdout
    rows = pl.read_parquet(tmp_path / "out" / "points.parquet").to_dicts()
    impossible = [row for row in rows if row["status"] == "impossible"]
    assert [row["scheme.sa.slc_blocks"] for row in impossible] == [1, 1, 2, 2]
    assert all("must be between 3" in row["reason"] and row["waf"] is None for row in impossible)


@pytest.mark.parametrize(
    "said",
    [
        {"trace_options": {"window": dt.date(2024, 5, 27)}},
        {"trace_options": {"window": math.inf}},
        {"set": {"scheme.sa.slc_blocks": math.inf}},
        {"set": {"scheme.sa.slc_blocks": [dt.time(7)]}},
        {"vary": {"host.time_scale": [1.0, math.nan]}},
        {"point": [{"host.time_scale": math.inf}]},
    ],
)
def test_what_the_file_of_a_study_cannot_hold_is_refused(said: dict[str, Any]) -> None:
    (table,) = said.values()
    (key,) = table[0] if isinstance(table, list) else table
    study = {"trace": "t.csv", "device": "tiny", "scheme": ["sa", "tlc-only"], **said}
    with pytest.raises(StudyError, match=key):
        of(study).combinations()


@pytest.mark.parametrize(
    ("vary", "told"),
    [
        ("scheme.sa.slc_bloks=3", "did you mean slc_blocks"),
        ("scheme.hyssd.fast_blocks=3", "no scheme of the study takes it"),
        ("hst.time_scale=3", "unknown key"),
        ("scheme.sa.slc_blocks=1,2", "2 points of sa on tiny"),
        ("workload.requests=3", "no trace of the study is a workload"),
        ("host.time_scale=0.5..1", "a grid must know which values"),
        ("host.time_scale=1..0.5/3", "ends below its beginning"),
        ("host.time_scale=1,1", "given twice: 1"),
        ("host.time_scale=1,inf", "inf is not finite"),
        ("host.time_scale=nan", "nan is not finite"),
        ("run.seed=1..3", "`seeds`"),
        ("status=1", "column of the table"),
    ],
)
def test_what_is_wrong_with_a_key_is_told(
    small: Path, tmp_path: Path, vary: str, told: str
) -> None:
    command: list[str | Path] = [
        "sweep",
        small,
        "--device",
        "tiny",
        "--scheme",
        "sa",
        "--vary",
        vary,
    ]
    done = slcache(*command, "--out", tmp_path / "out", "--skip-impossible")
    assert done.returncode == 3
    assert told in done.stderr.decode()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("device", "scheme", "told"),
    [("tyni", "sa", "no such preset"), ("tiny", "sb", "is not a scheme")],
)
def test_a_misspelt_name_is_no_impossible_point(
    small: Path, device: str, scheme: str, told: str
) -> None:
    devices, schemes = list({"tiny": 0, device: 0}), list({"sa": 0, scheme: 0})
    with pytest.raises(sl.ConfigError, match=told):
        sweep(small, device=devices, scheme=schemes, skip_impossible=True)


def test_runs_that_fail_are_rows_and_the_others_go_on(small: Path, tmp_path: Path) -> None:
    far = write_trace(tmp_path / "far.csv", [(0, "Write", 1 << 40, 4096)])
    command: list[str | Path] = ["sweep", far, small, "--device", "tiny", "--scheme", "tlc-only,sa"]
    done = slcache(*command, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert b"4 points: 2 done, 2 failed" in done.stdout
    assert b"2 failed: request 1 of the trace" in done.stdout
    rows = pl.read_parquet(tmp_path / "out" / "points.parquet").to_dicts()
    assert [row["status"] for row in rows] == ["failed", "failed", "done", "done"]
    assert "ends beyond the device" in rows[0]["reason"]
    fast = slcache(*command, "--out", tmp_path / "fast", "--fail-fast")
    assert fast.returncode == 1
    assert b"a point failed: request 1 of the trace" in fast.stderr


def test_a_trace_that_cannot_be_read_ends_with_4(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("nonsense\n")
    for trace in (bad, tmp_path / "missing.csv"):
        command: list[str | Path] = [
            "sweep",
            trace,
            "--device",
            "tiny",
            "--scheme",
            "sa",
            "--seeds",
            "2",
        ]
        done = slcache(*command, "--out", tmp_path / "out")
        assert done.returncode == 4, done.stderr
        assert trace.name in done.stderr.decode()


@pytest.mark.parametrize("sample", ["random:40", "latin-hypercube:40"])
def test_drawn_points_of_whole_keys_are_whole_and_run(small: Path, sample: str) -> None:
    keys = {"scheme.sa.slc_blocks": "3..6@log", "host.queue_depth": "1..1024@log"}
    vary = {**keys, "host.time_scale": "0.5..2.0@log"}
    found = sweep(small, device="tiny", scheme="sa", vary=vary, settings=ROOM, sample=sample)
    rows = found.table.to_dicts()
    assert found.counts()["done"] == len(rows) == 40
    assert all(type(row[key]) is int for row in rows for key in keys)
    assert all(type(row["host.time_scale"]) is float for row in rows)
    # Both ends are drawn, and as many below the geometric mean as above it.
    assert {row["scheme.sa.slc_blocks"] for row in rows} == {3, 4, 5, 6}
    depths = [row["host.queue_depth"] for row in rows]
    assert 1 <= min(depths) < 4
    assert 256 < max(depths) <= 1024
    assert 10 <= sum(depth < 32 for depth in depths) <= 30


def test_shares_of_a_whole_range_reach_its_ends_and_no_further() -> None:
    axis = Axis.read("host.queue_depth", "3..7@log")
    assert axis.at(0) == 3
    assert axis.at(1 - 2**-53) == 7
    shares = [axis.at(i / 10_000) for i in range(10_000)]
    assert sorted(set(shares)) == [3, 4, 5, 6, 7]
    assert Axis.read("host.queue_depth", "3.0..7@log").at(0.5) == pytest.approx(21**0.5)


TABLES = [[[0, 1_000_000]], [[0, 2_000_000], [0.5, 0]]]


@pytest.mark.parametrize("said", [TABLES, "[[0, 1000000]],[[0, 2000000], [0.5, 0]]"])
def test_a_value_may_be_a_list(said: object, small: Path, tmp_path: Path) -> None:
    key = "scheme.client.dynamic.table"
    own: dict[str, Any] = {"device": "tiny", "settings": {"scheme.client.dynamic.rule": "table"}}
    study = sweep(small, **own, scheme="client", vary={key: said}, out=tmp_path / "out")
    found = study.table.to_dicts()
    assert [json.loads(row[key]) for row in found] == TABLES
    for row, table in zip(found, TABLES, strict=True):
        own["settings"][key] = table
        alone = sl.run(small, **own, scheme="client").to_dict()
        assert row["waf"] == alone["waf"]["total"]
        assert alone["config"]["scheme"]["client"]["dynamic"]["table"] == table


@pytest.mark.parametrize("said", ["[1,2", "1],2", "[1]],[2", "[[1,2],3"])
def test_brackets_go_in_pairs(said: str) -> None:
    with pytest.raises(ValueError, match="a bracket has no other"):
        Axis.read("scheme.client.dynamic.table", said)


def test_points_are_listed_in_a_csv_file(small: Path, tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("scheme.sa.slc_blocks,host.time_scale\n3,1.5\n4,\n")
    command: list[str | Path] = [
        "sweep",
        small,
        "--device",
        "tiny",
        "--scheme",
        "sa",
        *SET,
        "--points",
        points,
    ]
    done = slcache(*command, "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["points"]
    columns = ("scheme.sa.slc_blocks", "host.time_scale")
    assert [tuple(row[name] for name in columns) for row in rows] == [(3, 1.5), (4, None)]
    assert read(tmp_path / "out" / "study.toml").listed == (
        {"scheme.sa.slc_blocks": 3, "host.time_scale": 1.5},
        {"scheme.sa.slc_blocks": 4},
    )
    points.write_text("scheme.sa.slc_blocks,host.time_scale\n3\n")
    assert b"points.csv:2: 1 values for 2 keys" in slcache(*command, "--out", tmp_path).stderr


@pytest.mark.parametrize(
    ("told", "key"),
    [
        ({"trace": "t", "device": "d", "scheme": "s", "sed": 1}, "sed: unknown key"),
        ({"trace": "t", "device": "d"}, "scheme is missing"),
        ({"trace": "t", "device": "d", "scheme": "s", "seeds": 0}, "seeds = 0"),
        ({"trace": ["t", "t"], "device": "d", "scheme": "s"}, "trace: t is given twice"),
        ({"trace": 3, "device": "d", "scheme": "s"}, "trace = 3"),
        ({"trace": "t", "device": "d", "scheme": ["s", " "]}, r'scheme = \["s", " "\]: is no name'),
        ({"trace": "t", "device": "d", "scheme": "s", "seeds": True}, "seeds = True: must be"),
        ({"trace": "t", "device": "d", "scheme": "s", "sample": "grid:3"}, "sample = grid:3"),
        ({"trace": "t", "device": "d", "scheme": "s", "vary": {"a": 1}, "set": {"a": 1}}, "a: set"),
    ],
)
def test_a_wrong_study_names_its_key(told: dict[str, Any], key: str) -> None:
    with pytest.raises(StudyError, match=key):
        of(told)


@pytest.mark.parametrize(
    ("key", "line", "told"),
    [
        ('scheme = ""', 3, 'scheme = "": is no name'),
        ('device = "nodev"', 2, "device nodev: no such preset"),
        (
            '[vary]\n"host.queue_depth" = [true, true]',
            5,
            "host.queue_depth = [true, true]: given twice",
        ),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_file_and_line(
    key: str, line: int, told: str, trace: Path, tmp_path: Path
) -> None:
    said = {"trace": f'trace = "{trace}"', "device": 'device = "tiny"', "scheme": 'scheme = "sa"'}
    path = tmp_path / "mine.toml"
    path.write_text("\n".join([*(said | {key.partition(" ")[0]: key}).values(), ""]))
    done = slcache("sweep", path)
    assert (done.returncode, done.stdout) == (3, b"")
    assert f"{path}:{line}: {told}" in done.stderr.decode()


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


def test_seeds_of_a_recording_that_change_nothing_are_told(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(60))
    wrap = {"trace.address": "wrap"}
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline,tlc-only", "settings": wrap}
    (told,) = sweep(
        [trace, "zipf-4k"], vary={"workload.requests": [50]}, seeds=2, **asked
    ).problems()
    assert told.startswith(f"{trace} is a recording, and nothing else of its points is drawn")
    assert "each of the 2 seeds gives the same figures; --resample N" in told
    assert sweep(trace, seeds=1, **asked).problems() == []
    assert sweep(trace, resample=2, **asked).problems() == []
    drawn = {"scheme.baseline.slc.victim": ["random"]}
    assert sweep(trace, device="tiny", scheme="baseline", vary=drawn, seeds=2).problems() == []


BLOCKS = "scheme.baseline.slc_blocks"


@pytest.mark.parametrize("key", [BLOCKS, "slc_blocks"])
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
def test_a_range_of_sizes_is_the_list_of_the_same(key: str, text: str, listed: str) -> None:
    axis = Axis.read(key, text)
    assert axis == Axis.read(key, listed)
    assert axis.ordered


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("16MiB..32MiB", "which sizes are there"),
        ("16MiB..32MiB@log", "which sizes are there"),
        ("8..32MiB:4MiB", "must be of one kind"),
        ("16MiB..32MiB:4", "must be of one kind"),
    ],
)
def test_a_range_that_leaves_open_which_sizes_is_told(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told) as error:
        Axis.read(BLOCKS, text)
    assert f"{BLOCKS} = {text}" in str(error.value)


def test_sizes_of_blocks_are_swept_as_a_range_and_as_points(small: Path, tmp_path: Path) -> None:
    own: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "settings": ROOM}
    file = tmp_path / "points.csv"
    file.write_text(f"{BLOCKS}\n384KiB\n512KiB\n")
    ranged = sweep(small, **own, vary={BLOCKS: "384KiB..512KiB:128KiB"})
    said = sweep(small, **own, vary={BLOCKS: ["384KiB", "512KiB"]})
    points = sweep(small, **own, points=file)
    counted = sweep(small, **own, vary={BLOCKS: "3..4"})
    assert ranged.table.equals(said.table)
    assert ranged.table.equals(points.table)
    assert ranged.table["waf"].to_list() == counted.table["waf"].to_list()
