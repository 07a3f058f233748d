"""The tables of a timeline beside a saved result: their names, and what is wrong with others."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slcache
from slcache.documents import timeline
from slcache.report import planes
from slcache.slow import operations
from support import slcache as run_slcache

SCHEMES = ["tlc-only", "baseline"]
pytestmark = pytest.mark.usefixtures("only_planes")


def test_files_are_named_by_labels_whatever_these_are() -> None:
    labels = [
        "baseline",
        "tlc-only mode=qlc",
        "../../x",
        "a/b",
        "a b",
        "",
        "a-b",
        "Baseline",
        "ü" * 200,
    ]
    found = timeline.names(labels)
    assert found[:3] == [
        "timeline-baseline.parquet",
        "timeline-tlc-only-mode=qlc.parquet",
        "timeline-..-..-x.parquet",
    ]
    # Some disks take names for equal that differ in case.
    assert len({name.casefold() for name in found}) == len(labels)
    assert all(Path(name).name == name and len(name) < 120 for name in found)


def edited(table: pa.Table, name: str, change: Callable[[list[Any]], list[Any]]) -> pa.Table:
    column = pa.array(change(table.column(name).to_pylist()))
    return table.set_column(table.schema.get_field_index(name), name, column)


def nameless(table: pa.Table) -> pa.Table:
    told = json.loads(table.schema.metadata[b"slcache.operations"])
    for pool in (pools := told["config"]["device"]["pool"] * 2):
        pool.pop("name", None)
    told["config"]["device"]["pool"] = pools
    return table.replace_schema_metadata({b"slcache.operations": json.dumps(told).encode()})


WRONG: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "a log": (lambda t: t.drop_columns(["begin_ns"]), "it has no column begin_ns"),
    "no footer": (lambda t: t.replace_schema_metadata({}), "the footer has no configuration"),
    "a text": (
        lambda t: edited(t, "plane", lambda v: [str(each) for each in v]),
        "column plane is string; must be int64 without nulls",
    ),
    "a null": (
        lambda t: edited(t, "cause", lambda v: [None, *v[1:]]),
        "column cause is string; must be string without nulls",
    ),
    "a plane": (
        lambda t: edited(t, "plane", lambda v: [99, *v[1:]]),
        "column plane holds 99 in row 0; must be -1 to 3; the file was edited",
    ),
    "an order": (
        lambda t: edited(t, "end_ns", lambda v: [2**62, *v[1:]]),
        "column end_ns is not in order in row 1; the file was edited",
    ),
    "a queue": (
        lambda t: edited(t, "queued_ns", lambda v: [*v[:-1], 2**62]),
        "column begin_ns is before queued_ns in row",
    ),
    "two runs": (
        lambda t: edited(t, "scheme", lambda v: ["other", *v[1:]]),
        "column scheme: operations of 2 schemes; must have those of one run",
    ),
    "two at a time": (
        lambda t: edited(
            edited(t, "queued_ns", lambda v: [0] * len(v)), "begin_ns", lambda v: [0] * len(v)
        ),
        "column begin_ns is before the end of what plane 0 does before, in row",
    ),
    "a column twice": (
        lambda t: t.append_column("page", t.column("page")),
        "column page is there 2 times; the file was edited",
    ),
    "pools without names": (nameless, "the footer has no configuration"),
    "none": (lambda t: t.slice(0, 0), "column scheme: no operation"),
    "a flag": (
        lambda t: edited(t, "suspended", lambda v: [2, *v[1:]]),
        "column suspended holds 2 in row 0; must be 0 to 1; the file was edited",
    ),
}


#: What no column of numbers may hold.
NUMBERS = (
    *("operation", "request", "channel", "plane", "block", "page", "pages", "queued_ns"),
    *("begin_ns", "end_ns", "leads", "suspended"),
)
WORDS = ("scheme", "kind", "mode", "cause", "class")


def first(name: str, value: object) -> Callable[[pa.Table], pa.Table]:
    """Return what puts a value into the first row."""
    return lambda table: edited(table, name, lambda values: [value, *values[1:]])


WRONG |= {
    f"{name} of {value}": (first(name, value), f"column {name} holds {value} in row 0; must be ")
    for name in NUMBERS
    for value in (-2, -(2**63), *((2**62,) if name in ("channel", "plane", "block") else ()))
}
WRONG |= {
    f"a null {name}": (first(name, None), f"column {name} is ") for name in (*NUMBERS, *WORDS)
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_table_is_told(name: str, drawn: Path, tmp_path: Path) -> None:
    change, told = WRONG[name]
    path = tmp_path / "edited.parquet"
    pq.write_table(change(pq.read_table(drawn / "t-baseline.parquet")), path)
    with pytest.raises(slcache.ResultError) as caught:
        planes.part(["a"], [operations.read(path)])
    assert str(caught.value).startswith(f"{path}: ")
    assert told in str(caught.value)
    assert caught.value.file == str(path)


def test_what_is_no_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_text("no table")
    for each in (path, tmp_path / "missing.parquet"):
        with pytest.raises(slcache.ResultError, match="cannot be read as Parquet"):
            operations.read(each)


def test_the_tables_lie_beside_the_result_and_come_back(drawn: Path, tmp_path: Path) -> None:
    text = (drawn / "out/report.html").read_text()
    shutil.copytree(drawn / "out", tmp_path / "out")
    names = [f"timeline-{name}.parquet" for name in SCHEMES]
    for name, own in zip(names, SCHEMES, strict=True):
        assert (tmp_path / "out" / name).read_bytes() == (drawn / f"t-{own}.parquet").read_bytes()
    back = slcache.load(tmp_path / "out")
    assert back.report() == text
    assert slcache.diff(back, drawn / "out").equal
    assert slcache.rerun(drawn / "out").equal
    back.save(tmp_path / "again")
    assert slcache.load(tmp_path / "again").report() == text
    made = run_slcache("report", tmp_path / "out", tmp_path / "again", "--out", tmp_path / "of-two")
    assert made.returncode == 0, made.stderr
    assert len(list((tmp_path / "of-two").glob("timeline-*.parquet"))) == 4
    # A document alone has no tables.
    back.save(tmp_path / "alone/alone.json")
    assert "planes-data" not in slcache.load(tmp_path / "alone/alone.json").report()


def test_a_table_that_was_changed_is_told(drawn: Path, tmp_path: Path) -> None:
    shutil.copytree(drawn / "out", tmp_path / "out")
    path = tmp_path / "out/timeline-baseline.parquet"
    shutil.copy(tmp_path / "out/timeline-tlc-only.parquet", path)
    # What asks nothing of it goes on.
    assert slcache.diff(tmp_path / "out", drawn / "out").equal
    with pytest.raises(slcache.ResultError, match="its SHA-256 is") as caught:
        slcache.load(tmp_path / "out").report()
    assert caught.value.file == str(path)
    path.unlink()
    assert "planes-data" in slcache.load(tmp_path / "out").report()


def test_a_folder_written_again_without_a_timeline_shows_none(drawn: Path, tmp_path: Path) -> None:
    words = ("--device", "tiny", "--scheme", "baseline", "--out", tmp_path)
    told = ("--timeline", tmp_path / "t.parquet", "--until", "50ms")
    assert run_slcache("run", drawn / "t.csv", *words, *told).returncode == 0
    assert "planes-data" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "timeline-baseline.parquet").exists()
    assert run_slcache("run", drawn / "t.csv", *words).returncode == 0
    assert "planes-data" not in slcache.load(tmp_path).report()


def test_a_file_for_perfetto_has_the_table_beside_it(drawn: Path, tmp_path: Path) -> None:
    for name in ("t.pftrace", "t.parquet"):
        found = slcache.compare(
            drawn / "t.csv",
            device="tiny",
            schemes=SCHEMES,
            timeline=tmp_path / name,
            timeline_around="request=500",
        )
        found.save(tmp_path / "out" / name)
    first, second = (
        sorted((tmp_path / "out" / name).glob("timeline-*")) for name in ("t.pftrace", "t.parquet")
    )
    assert len(first) == len(second) == 2
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [
        "out",
        *(f"t-{n}.{k}" for n in sorted(SCHEMES) for k in ("parquet", "pftrace")),
    ]


def test_a_log_is_no_table_of_a_timeline(drawn: Path, tmp_path: Path) -> None:
    words: list[str | Path] = ["compare", drawn / "t.csv", "--device", "tiny"]
    words += ["--schemes", "baseline", "--out", tmp_path / "out"]
    (tmp_path / "out").mkdir()
    same = tmp_path / "out/timeline.parquet"
    logged: list[str | Path] = ["--log", same, "--timeline", tmp_path / "t.pftrace"]
    same_as: list[str | Path] = ["--timeline", same]
    for more in (logged, same_as):
        done = run_slcache(*words, *more)
        assert done.returncode == 3, done.stderr
        assert b"timeline-baseline.parquet as well; allowed: another file" in done.stderr


def test_of_several_seeds_the_first_is_drawn(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "schemes": SCHEMES, "seeds": 2, "address": "wrap"}
    asked["trace_options"] = {"workload.requests": "300"}
    found = slcache.compare("zipf-4k", **asked, timeline=tmp_path / "t.parquet")
    assert [each is not None for run in found.every_run for each in run.timelines] == [
        *(True, True),
        *(False, False),
    ]
    found.save(tmp_path / "out")
    assert slcache.load(tmp_path / "out").report() == found.report()
