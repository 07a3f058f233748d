"""`slcache tune` on the simulator: the front of an exhaustive sweep, resumption, what it writes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("optuna")

import jsonschema
import polars as pl

import slcache as package
from slcache.search.api import tune
from slcache.search.tuning import FILES, Tuning
from slcache.study import fronts
from slcache.study.api import sweep
from support import mixed, slcache, workers, write_trace

#: Room for SLC blocks from 3 to 6; with 7 the device is too small.
SETTINGS = {"trace.address": "wrap", "device.user_bytes": 2 << 20}
SPACE: dict[str, Any] = {
    "scheme.baseline.slc_blocks": "3..7",
    "scheme.baseline.slc.victim": ["greedy", "fifo"],
    "host.time_scale": [0.1, 1.0, 10.0],
}
#: The same as the command line has it.
LISTED = {**SPACE, "scheme.baseline.slc_blocks": ["3..7"]}
GOALS = ("write_p99_ns", "waf")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("tune") / "mixed.csv", mixed(600))


def search(trace: Path, **how: Any) -> Tuning:  # noqa: ANN401
    own: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "vary": SPACE}
    own |= {"settings": SETTINGS}
    own |= {} if "jobs" in how else {"executor": workers()}
    return tune(trace, **{**own, **how})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of the space, for all that do not ask what is run."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def found(trace: Path, store: Path) -> Tuning:
    return search(trace, points=24, store=store)


def settings(found: Tuning) -> list[dict[str, Any]]:
    return [dict(each.settings) for each in found.tried]


def figures(found: Tuning) -> list[Any]:
    return [(each.found.status, dict(each.found.figures)) for each in found.tried]


#: A hundred points, of which the device refuses twenty.
HUNDRED: dict[str, Any] = {
    "scheme.baseline.slc_blocks": "3..7",
    "scheme.baseline.slc.start_free_ratio": [0.1, 0.3, 0.5, 0.7, 0.9],
    "scheme.baseline.slc.victim": ["greedy", "fifo"],
    "scheme.baseline.dense.victim": ["greedy", "fifo"],
}


def test_the_front_is_that_of_an_exhaustive_sweep(tmp_path: Path) -> None:
    """A sweep runs every point; the search reaches the same fronts with less than half of them."""
    trace = write_trace(tmp_path / "short.csv", mixed(300))
    rows = sweep(
        trace,
        device="tiny",
        scheme="baseline",
        vary=HUNDRED,
        settings=SETTINGS,
        skip_impossible=True,
        store=tmp_path / "store",
    ).table.to_dicts()
    done = [row for row in rows if row["status"] == "done"]
    assert (len(rows), len(done)) == (100, 80)
    for goals in (GOALS, ("write_mean_ns", "waf", "slc_bytes")):
        points = [[row[name] for name in goals] for row in done]
        front = {tuple(points[i]) for i in fronts.front(points, ["min"] * len(goals))}
        assert len(front) > 1
        found = search(trace, vary=HUNDRED, minimise=goals, points=48, store=tmp_path / "store")
        assert {
            tuple(found.goals.values(each.found.figures) or ()) for each in found.front
        } == front
        # The sweep's results are found in its store.
        assert found.kept == found.counts()["done"] < 48


def test_any_number_of_workers_tries_the_same(trace: Path, found: Tuning) -> None:
    one = search(trace, points=24, jobs=1)
    assert settings(one) == settings(found)
    assert figures(one) == figures(found)
    assert one.table.drop("key").equals(found.table.drop("key"))


def test_what_was_run_is_not_run_again(trace: Path, tmp_path: Path) -> None:
    first = search(trace, points=8, out=tmp_path)
    assert first.kept == 0
    again = search(trace, points=16, out=tmp_path)
    assert again.kept == first.counts()["done"]
    assert settings(again)[:8] == settings(first)


def test_impossible_points_are_counted_with_their_reason_and_the_search_goes_on(
    trace: Path, found: Tuning
) -> None:
    refused = [each for each in found.tried if each.found.status == "impossible"]
    assert {each.settings["scheme.baseline.slc_blocks"] for each in refused} == {7}
    assert "user_bytes" in str(refused[0].found.reason)
    assert found.counts()["impossible"] == len(refused)
    # A batch of nothing else.
    vary = {"scheme.baseline.slc_blocks": "1..2", "host.time_scale": [0.5, 1.0]}
    most = search(trace, scheme=["tlc-only", "baseline"], vary=vary, points=6)
    assert most.counts() == {"done": 2, "failed": 0, "impossible": 4, "stopped": 0}
    assert most.best is not None
    assert most.best.settings["scheme"] == "tlc-only"


def test_the_document_is_what_its_schema_says(found: Tuning, trace: Path) -> None:
    schema = json.loads(slcache("explain", "--schema", "tune").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    vary = {"host.time_scale": [0.5, 1.0]}
    others = [
        search(trace, vary=vary, minimise=["waf"], prefixes=True, points=2),
        search(trace, scheme="baseline,tlc-only", vary={}, such_that=["waf<=0.1"], minutes=1.0),
        search(trace, vary={"scheme.baseline.slc_blocks": [2, 3]}, points=2),
    ]
    for each in (found, *others):
        document = json.loads(each.to_json())
        jsonschema.validate(document, schema)
        for key in document["asked"]:
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(document | {"asked": {key: document["asked"][key]}}, schema)


def test_a_point_is_what_a_run_gives(trace: Path, found: Tuning) -> None:
    """The best configuration's file, run by itself, has the figures that the search says."""
    assert found.best is not None
    config = tomllib.loads(found.config(found.best))
    result = package.run(trace, device="tiny", scheme="baseline", settings=config).to_dict()
    assert result["waf"]["total"] == found.best.found.figures["waf"]
    p99 = result["host"]["write"]["latency_us"]["p99"]
    assert round(p99 * 1000) == found.best.found.figures["write_p99_ns"]


def test_prefixes_are_no_figures_of_the_whole(trace: Path, store: Path) -> None:
    found = search(trace, points=24, prefixes=True, minimise=["write_mean_ns"])
    counts = found.counts()
    assert min(counts["stopped"], counts["done"]) > 3
    rows = found.table.to_dicts()
    assert {row["write_mean_ns"] for row in rows if row["status"] == "stopped"} == {None}
    assert {row["trace"] for row in rows} == {str(trace)}
    plain = {tuple(t.settings.items()): t for t in search(trace, points=30, store=store).tried}
    for each in found.tried:
        whole = plain[tuple(each.settings.items())].found.figures
        if each.found.status == "done":
            assert each.found.figures == whole
            assert each.prefixes[0][1] != whole["write_mean_ns"]


#: What a seed draws beside a recording.
WORN = {**SETTINGS, "precondition.fill": 0.5, "precondition.overwrite": 0.1}


def test_several_schemes_have_their_own_keys(trace: Path) -> None:
    vary = {"scheme.baseline.slc_blocks": "3..5", "host.time_scale": "0.1..10@log"}
    found = search(trace, scheme="baseline,tlc-only", vary=vary, points=16, seeds=2, settings=WORN)
    schemes = {str(each.settings["scheme"]) for each in found.tried}
    assert schemes == {"baseline", "tlc-only"}
    for each in found.tried:
        own = "scheme.baseline.slc_blocks" in each.settings
        assert own == (each.settings["scheme"] == "baseline")
    assert found.table.height == 32
    assert found.report()


def test_bounds_are_kept_by_the_front(trace: Path, store: Path) -> None:
    how: dict[str, Any] = {"minimise": ["waf"], "store": store}
    found = search(trace, points=30, such_that=["slc_bytes<=512KiB"], **how)
    assert found.best is not None
    assert found.best.found.figures["slc_bytes"] == 512 << 10
    free = search(trace, points=30, **how)
    assert free.best is not None
    assert (free.best.found.figures["slc_bytes"] or 0) > 512 << 10
    assert found.analysis.front.broken > 0
    # A metric may have a goal and bounds.
    both = search(trace, points=4, such_that=["waf<=1000", "waf>=1"], **how)
    assert both.analysis.metrics == ["waf"]
    assert "keep waf&lt;=1000 and waf&gt;=1" in both.report()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"vary": {"host.time_scale": "3..1"}}, "host.time_scale = 3..1"),
        ({"vary": {}}, "at least one key"),
        ({"minimise": ["wav"]}, "did you mean waf"),
        ({"such_that": ["waf<2"]}, "METRIC<=VALUE"),
        ({"prefixes": True}, "by one metric"),
        ({"prefixes": True, "minimise": ["waf"], "sampler": "nsga2"}, "samplers tpe and random"),
        ({"points": 0}, "points = 0"),
        ({"vary": {"waf": "1,2"}}, "waf"),
        ({"trace": ["zipf-4k", "zipf-4k"]}, "of one trace, and 2 are given"),
        # What only the first batch tells.
        ({"minimise": ["read_p99_ns"], "points": 9}, "read_p99_ns: none of the first"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(value),
)
def test_what_cannot_be_searched_is_told(how: dict[str, Any], told: str, tmp_path: Path) -> None:
    writes = write_trace(tmp_path / "writes.csv", mixed(50, write_share=1.0))
    with pytest.raises(package.Error, match=told):
        search(**{"trace": writes, **how})


def test_the_command_line_writes_what_python_finds(
    trace: Path, found: Tuning, tmp_path: Path
) -> None:
    out = tmp_path / "a folder"
    words = ("tune", trace, "--device", "tiny", "--scheme", "baseline", "--address", "wrap")
    given = ("--set", "device.user_bytes=2097152", "--points", "24", "--out", out, "--json")
    vary = [f"--vary={key}={','.join(map(str, values))}" for key, values in LISTED.items()]
    done = slcache(*words, *given, *vary)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document == json.loads((out / "tune.json").read_text())
    assert document["points"] == json.loads(found.to_json())["points"]
    assert sorted(p.name for p in out.iterdir()) == sorted([*FILES, "store"])
    assert pl.read_parquet(out / "points.parquet").height == 24
    assert "main effects" in slcache("sweep", "show", out).stdout.decode()


def test_time_ends_a_search_after_a_batch(trace: Path) -> None:
    found = search(trace, minutes=0.0)
    assert len(found.tried) == 8


def test_a_search_keeps_the_folder_of_another(tmp_path: Path) -> None:
    trace, out = write_trace(tmp_path / "t.csv", mixed(80)), tmp_path / "out"
    common: list[str | Path] = [trace, "--device", "tiny", "--scheme", "sa"]
    common += ["--vary", "host.time_scale=1,2,4", "--out", out, "--jobs", "1"]
    for points in ("2", "3"):
        done = slcache("tune", *common, "--points", points)
        assert (done.returncode, done.stderr) == (0, b"")
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    for words, told in (
        (["tune", *common, "--points", "2", "--minimise", "waf"], "a search with another goals"),
        (["tune", *common, "--points", "2", "--set", "buffer.bytes=64KiB"], "another set"),
        (["sweep", *common], "has the results of a search"),
        (["sweep", *common, "--config", out / "best.toml"], "has the results of a search"),
    ):
        done = slcache(*words)
        said = " ".join(done.stderr.decode().split())
        assert done.returncode == 2
        assert told in said
        assert str(out) in said
    assert before == {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    (out / "tune.json").write_text("{}")
    done = slcache("tune", *common, "--points", "2")
    assert (done.returncode, b"cannot be read" in done.stderr) == (2, True)


def test_odd_names_stay_what_they_are(trace: Path, tmp_path: Path) -> None:
    odd = tmp_path / "a $x <b>\n[device]\n.csv"
    odd.write_bytes(trace.read_bytes())
    found = search(odd, points=4, out=tmp_path / "o ut")
    config = tomllib.loads((tmp_path / "o ut" / "best.toml").read_text())
    assert set(config) == {"trace", "device", "scheme", "host"}
    assert config["device"] == {"user_bytes": 2 << 20}
    assert "<b>" not in (tmp_path / "o ut" / "report.html").read_text()
    assert found.table["trace"].to_list() == [str(odd)] * 4
