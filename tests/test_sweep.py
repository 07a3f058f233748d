"""Sweeps run every point, resume, and show what they found."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
import re
import shutil
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
import pytest

import slcache
from slcache.cli import console
from slcache.documents import schemata
from slcache.frame import read as read_table
from slcache.metrics import METRICS
from slcache.options import parsing
from slcache.study import sweep
from slcache.study.analysis import Analysis
from slcache.study.axes import StudyAxis
from slcache.study.model import Study, StudyError, read_study, study_of_document
from slcache.study.outcome import Outcome
from slcache.study.run import Sweep
from studies import analysis, grid, printed
from support import json_of, lasting, mixed, stdout, validator, write_trace
from support import slcache as command

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
    validator("sweep").validate(document)


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
        alone = slcache.run(
            small, device="tiny", scheme=scheme, settings=settings, seed=seed
        ).to_dict()
        assert json.dumps(lasting(document)) == json.dumps(lasting(alone))
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
    alone = slcache.run(copy, device="tiny", scheme="sa", settings={**ROOM, BLOCKS: 3}).to_dict()
    assert lasting(wider.document(0)) == lasting(alone)
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
        alone = slcache.run(spec, device="tiny", scheme="sa", **arguments).to_dict()
        assert lasting(document) == lasting(alone)
        hashes.add(document["trace"]["sha256"])
    assert len(hashes) == len(found.points) == 4


def test_parts_of_a_workload_are_those_of_plain_runs(tmp_path: Path) -> None:
    load = {"footprint_bytes": "1MiB", "requests": 90, "global": {"rw": "randwrite"}}
    file = tmp_path / "w.toml"
    file.write_text('footprint_bytes = "1MiB"\nrequests = 90\nglobal.rw = "randwrite"\n')
    vary: dict[str, Any] = {"reader.take": [20, 40], "reader.copies": [1, 2]}
    for trace in (load, file):
        study = slcache.sweep(trace, device="tiny", scheme="baseline", vary=vary, seeds=2, jobs=1)
        for row in study.table.to_dicts():
            options = {key: str(row[f"reader.{key}"]) for key in ("take", "copies")}
            how: dict[str, Any] = {"seed": row["seed"], "trace_options": options}
            alone = slcache.run(trace, device="tiny", scheme="baseline", **how)
            assert row["write_mean_ns"] == alone["write_mean_ns"]
        assert study.table["key"].n_unique() == 8
    search: dict[str, Any] = {"vary": {"host.time_scale": [1]}, "minimise": "waf", "points": 1}
    search |= {"device": "tiny", "scheme": "baseline", "trace_options": {"take": "40"}, "jobs": 1}
    assert slcache.tune(file, **search, prefixes=True).counts()["done"] == 1


def test_preconditioned_states_are_shared_and_change_nothing(small: Path, tmp_path: Path) -> None:
    settings = {"precondition.fill": 0.6, "precondition.overwrite": 0.5}
    schemes, _ = slcache.fitting(device="tiny", settings=settings)
    found = swept(small, scheme=schemes, vary={SCALE: [0.5, 1]}, settings=settings, store=tmp_path)
    assert len(list((tmp_path / "states").glob("*.slcstate"))) == len(schemes) > 10
    for row, document in zip(found.table.to_dicts(), found.documents(), strict=True):
        own = {**settings, SCALE: row[SCALE]}
        alone = slcache.run(small, device="tiny", scheme=row["scheme"], settings=own).to_dict()
        assert json.dumps(lasting(document)) == json.dumps(lasting(alone)), row["scheme"]


def test_impossible_points_are_told_before_anything_runs(small: Path, tmp_path: Path) -> None:
    vary = ("--vary", f"{BLOCKS}=1..4", "--vary", f"{SCALE}=1,2", "--out", tmp_path / "out")
    words = swept_alike(small, *vary, scheme="tlc-only,sa")
    done = command(*words)
    assert done.returncode == 3
    told = done.stderr.decode()
    assert "4 points of sa on tiny (scheme.sa.slc_blocks = 1, 2): " in told
    assert "must be between 3" in told
    assert not (tmp_path / "out").exists()
    skipped = command(*words, "--skip-impossible")
    assert skipped.returncode == 0, skipped.stderr
    assert b"10 points: 6 done, 4 impossible" in skipped.stdout
    rows = pl.read_parquet(tmp_path / "out" / "points.parquet").to_dicts()
    impossible = [row for row in rows if row["status"] == "impossible"]
    assert [row[BLOCKS] for row in impossible] == [1, 1, 2, 2]
    assert all("must be between 3" in row["reason"] and row["waf"] is None for row in impossible)


def test_runs_that_fail_are_rows_and_the_others_go_on(small: Path, tmp_path: Path) -> None:
    far = write_trace(tmp_path / "far.csv", [(0, "Write", 1 << 40, 4096)])
    words: list[str | Path] = ["sweep", far, small, "--device", "tiny", "--scheme", "tlc-only,sa"]
    done = command(*words, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert b"4 points: 2 done, 2 failed" in done.stdout
    assert b'; --address "wrap"' in done.stdout
    assert b'; --address "wrap"' in command("sweep", "show", tmp_path / "out").stdout
    alone = ("--device", "tiny", "--scheme", "sa", "--vary", "host.time_scale=1,2")
    for verb, more in (("tune", ("--points", "2")), ("sweep", ("--report",))):
        none = command(verb, far, *alone, *more, "--out", tmp_path / verb)
        shown = command("sweep", "show", tmp_path / verb)
        assert (none.returncode, b"No front" in shown.stdout) == (1, False)
    rows = pl.read_parquet(tmp_path / "out" / "points.parquet").to_dicts()
    assert [row["status"] for row in rows] == ["failed", "failed", "done", "done"]
    assert "ends beyond the device" in rows[0]["reason"]
    fast = command(*words, "--out", tmp_path / "fast", "--fail-fast")
    assert fast.returncode == 1
    assert b"a point failed: request 1 of the trace" in fast.stderr
    # A trace that cannot be read at all is no failure of a point.
    bad = tmp_path / "bad.csv"
    bad.write_text("nonsense\n")
    for trace in (bad, tmp_path / "missing.csv"):
        done = command(*swept_alike(trace, "--seeds", "2", "--out", tmp_path / "none"))
        assert done.returncode == 4, done.stderr
        assert trace.name in done.stderr.decode()


@pytest.mark.parametrize("sample", ["random:40", "latin-hypercube:40"])
def test_drawn_points_of_whole_keys_are_whole_and_reach_both_ends(small: Path, sample: str) -> None:
    keys = {BLOCKS: "3..6@log", "host.queue_depth": "1..1024@log"}
    found = swept(small, vary={**keys, SCALE: "0.5..2.0@log"}, settings=ROOM, sample=sample)
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
    axis = StudyAxis.read("host.queue_depth", "3..7@log")
    assert axis.at(0) == 3
    assert axis.at(1 - 2**-53) == 7
    assert sorted({axis.at(i / 10_000) for i in range(10_000)}) == [3, 4, 5, 6, 7]
    assert StudyAxis.read("host.queue_depth", "3.0..7@log").at(0.5) == pytest.approx(21**0.5)


TABLES = [[[0, 1_000_000]], [[0, 2_000_000], [0.5, 0]]]


@pytest.mark.parametrize("said", [TABLES, "[[0, 1000000]],[[0, 2000000], [0.5, 0]]"])
def test_a_value_may_be_a_list(said: object, small: Path, tmp_path: Path) -> None:
    key = "scheme.client.dynamic.table"
    own: dict[str, Any] = {"scheme": "client", "settings": {"scheme.client.dynamic.rule": "table"}}
    found = swept(small, **own, vary={key: said}, out=tmp_path / "out").table.to_dicts()
    assert [json.loads(row[key]) for row in found] == TABLES
    for row, table in zip(found, TABLES, strict=True):
        own["settings"][key] = table
        alone = slcache.run(small, device="tiny", **own).to_dict()
        assert row["waf"] == alone["waf"]["total"]
        assert alone["config"]["scheme"]["client"]["dynamic"]["table"] == table


def test_points_are_listed_in_a_csv_file(small: Path, tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text(f"{BLOCKS},{SCALE}\n3,1.5\n4,\n")
    words = swept_alike(small, "--points", points, "--out", tmp_path / "out", "--json")
    rows = json_of(*words)["points"]
    assert [(row[BLOCKS], row[SCALE]) for row in rows] == [(3, 1.5), (4, None)]
    assert read_study(tmp_path / "out" / "study.toml").listed == (
        {BLOCKS: 3, SCALE: 1.5},
        {BLOCKS: 4},
    )
    points.write_text(f"{BLOCKS},{SCALE}\n3\n")
    assert b"points.csv:2: 1 values for 2 keys" in command(*words).stderr


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
    assert read_study(path) == study


def test_seeds_of_a_recording_that_change_nothing_are_told(small: Path) -> None:
    asked: dict[str, Any] = {"scheme": "baseline,tlc-only", "settings": {"trace.address": "wrap"}}
    vary = {"workload.requests": [50]}

    def problems(study: Sweep) -> list[str]:
        """Return them without what is said of the lives of so short runs."""
        return [each for each in study.problems() if "is a guess" not in each]

    (told,) = problems(sweep([small, "zipf-4k"], device="tiny", vary=vary, seeds=2, **asked))
    assert told.startswith(f"{small} is a recording, and nothing else of its points is drawn")
    assert "each of the 2 seeds gives the same figures; --resample N" in told
    assert problems(swept(small, seeds=1, **asked)) == []
    assert problems(swept(small, resample=2, **asked)) == []
    drawn = {"scheme.baseline.slc.victim": ["random"]}
    assert problems(swept(small, scheme="baseline", vary=drawn, seeds=2)) == []


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
        axis = StudyAxis.read(key, text)
        assert axis == StudyAxis.read(key, listed)
        assert axis.ordered


METRIC = ("--metric", "write_mean_ns")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of two loads and two cache sizes, one more of which the device refuses."""
    top = tmp_path_factory.mktemp("shown")
    trace = write_trace(top / "writes.csv", mixed(200, write_share=1.0))
    stdout(
        *("sweep", trace, "--device", "tiny", "--scheme", "baseline", "--address", "wrap"),
        *("--set", "device.user_bytes=2097152", "--vary", "host.time_scale=0.1,1"),
        *("--vary", "scheme.baseline.slc_blocks=3,4,9", "--skip-impossible"),
        *("--metric", "erases", *METRIC, "--out", top / "out"),
    )
    return top / "out"


def test_effects_are_means_of_runs_and_the_best_points_come_first(folder: Path) -> None:
    found = json.loads(command("sweep", "show", folder, *METRIC, "--json").stdout)
    assert found["points"] == {"done": 4, "impossible": 2}
    assert "user_bytes" in found["left_out"][0]["reason"]
    effects = {e["parameter"]: e for e in found["metrics"]["write_mean_ns"]["effects"]}
    trace = folder.parent / "writes.csv"
    own = {"trace.address": "wrap", "device.user_bytes": 2097152}
    for level in effects["host.time_scale"]["levels"]:
        means = []
        for blocks in (3, 4):
            point = {"host.time_scale": level["from"], "scheme.baseline.slc_blocks": blocks}
            run = slcache.run(trace, device="tiny", scheme="baseline", settings={**own, **point})
            means.append(1000 * run.to_dict()["host"]["write"]["latency_us"]["mean"])
        assert level["mean"] == pytest.approx(fmean(means))
    found = json.loads(command("sweep", "show", folder, *METRIC, "--json").stdout)
    means = [one["metrics"]["write_mean_ns"] for one in found["configurations"]]
    assert len(means) == 4
    # Of each load the best comes first.
    for half in (means[:2], means[2:]):
        assert half == sorted(half)
    # One table, which any reader of CSV takes.
    frame = pl.read_csv(command("sweep", "show", folder, *METRIC, "--format", "csv").stdout)
    assert frame.columns[0] == "place"
    assert frame["place"].to_list() == [1, 2, 1, 2]
    assert frame[SCALE].to_list() == [0.1, 0.1, 1, 1]
    assert frame["write_mean_ns [ns]"].to_list() == means
    ranked = Analysis.of(
        Outcome.of(read_table(folder / "points.parquet")), ["write_mean_ns"]
    ).ranked
    assert ranked["write_mean_ns"].to_list() == means
    assert ranked.rows() == frame.rows()
    assert [name.split(" [")[0] for name in frame.columns] == ranked.columns
    told = command("sweep", "show", folder, *METRIC, "--explain").stdout.decode()
    assert told.index("by write_mean_ns") < told.index("main effects")
    most = json.loads(command("sweep", "show", folder, "--metric", "iops", "--json").stdout)
    ran, shown = (
        command(*words).stdout.decode().partition("\n by erases ")[2]
        for words in (("sweep", folder, "--skip-impossible"), ("sweep", "show", folder))
    )
    assert shown.partition("\n--explain")[0] == ran.partition("\nslcache sweep show")[0] != ""
    rates = [one["metrics"]["iops"] for one in most["configurations"]]
    assert rates[:2] == sorted(rates[:2], reverse=True)


def test_the_document_is_what_its_schema_says(folder: Path) -> None:
    schema = validator("sweep-show")
    for metrics in ([], ["--metric", "read_p99_ns"], ["--metric", "utilisation"]):
        document = json.loads(command("sweep", "show", folder, *metrics, "--json").stdout)
        schema.validate(document)
        for key in document:
            assert not schema.is_valid({k: v for k, v in document.items() if k != key})


def test_a_study_is_shown_by_the_metrics_that_it_asked_for(folder: Path, tmp_path: Path) -> None:
    found = json.loads(command("sweep", "show", folder, "--json").stdout)
    assert list(found["metrics"]) == ["erases", "write_mean_ns"]
    own = json.loads(command("sweep", "show", folder, "--metric", "waf", "--json").stdout)
    assert list(own["metrics"]) == ["waf"]
    out = shutil.copytree(folder, tmp_path / "out")
    (out / "study.toml").write_text("trace = 3\n")
    broken = command("sweep", "show", out, "--json")
    assert "judged by the default metrics" in broken.stderr.decode()
    assert "write_p99_ns" in json.loads(broken.stdout)["metrics"]


@pytest.mark.parametrize(
    ("change", "to", "is_another"),
    [
        ('"3,4,9"', "[3, 4, 9]", False),
        ("metric", "#", False),
        ('"3,4,9"', '"3,4"', True),
        ('"3,4,9"', '"5..3"', True),
        ("seeds = 1", "seeds = 3", True),
        ("[vary]", '[trace_options]\n"take" = "9"\n[vary]', True),
    ],
)
def test_a_page_has_no_commands_of_another_study(
    change: str, to: str, is_another: bool, folder: Path, tmp_path: Path
) -> None:
    out, page = shutil.copytree(folder, tmp_path / "out"), tmp_path / "page.html"
    study = (out / "study.toml").read_text()
    assert study.count(change) == 1
    (out / "study.toml").write_text(study.replace(change, to))
    done = command("sweep", "show", out, "--html", page)
    assert done.returncode == 0
    assert (b"was changed after the table was written" in done.stderr) is is_another
    assert ("slcache run" not in page.read_text()) is is_another


def test_a_page_has_nothing_of_a_study_that_cannot_be_read(folder: Path, tmp_path: Path) -> None:
    out, page = shutil.copytree(folder, tmp_path / "out"), tmp_path / "page.html"
    study = (out / "study.toml").read_text()
    (out / "study.toml").write_text(study.replace("seeds = 1", 'seeds = "broken"'))
    done = command("sweep", "show", out, "--html", page)
    assert done.returncode == 0
    assert b"broken" in done.stderr
    assert "broken" not in page.read_text()


def test_show_report_and_the_sweep_itself_draw_the_same_page(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page <b>.html"
    assert command("sweep", "show", folder, "--html", page).returncode == 0
    assert "&#34;scheme.baseline.slc_blocks&#34; = &#34;3,4,9&#34;" in page.read_text()
    stdout("report", folder, "--out", tmp_path / "reported")
    assert page.read_bytes() == (tmp_path / "reported" / "report.html").read_bytes()
    assert "Pareto front" in (folder / "report.html").read_text()
    for option in ("--normalise", "--gb-per-day"):
        done = command("report", folder, option, "1", "--out", tmp_path / "no.html")
        assert (done.returncode, (tmp_path / "no.html").exists()) == (2, False)
        assert b"is a study" in done.stderr


@pytest.mark.parametrize("verb", ["report", "diff", "diff --rerun"])
def test_what_a_study_s_folder_offers_is_told(verb: str, folder: Path) -> None:
    done = command(*verb.split(), folder, *([] if verb == "diff --rerun" else [folder]))
    assert done.returncode == 1, done.stderr
    assert f"slcache sweep show {folder}".encode() in done.stderr
    with pytest.raises(slcache.ResultError, match="a study's table"):
        slcache.load(folder)


def test_a_study_that_has_not_ended_says_how_far_it_is(folder: Path, tmp_path: Path) -> None:
    begun = shutil.copytree(folder, tmp_path / "begun")
    (begun / "points.parquet").unlink()
    done = command("sweep", "show", begun)
    assert done.returncode == 2
    assert f"4 results are kept; slcache sweep {begun} goes on".encode() in done.stderr
    done = command("report", begun)
    assert done.returncode == 1
    assert b"a study that has not ended" in done.stderr


def test_a_column_has_one_unit_and_its_title_none() -> None:
    """Points whose latencies differ by orders of magnitude are told in one unit."""
    table = grid({"a": [1, 4000]}, lambda a, _: {"write_mean_ns": 9e3 * a, "bytes_per_s": 8e6 * a})
    told = printed(analysis(table, "write_mean_ns", "bytes_per_s"))
    units = re.findall(r"[\d,.]+ (ns|µs|ms|s) [\d,.]+ (\S+/s)", told)
    assert len(units) >= 2
    assert set(units) == {("ms", "MB/s")}
    assert "write_mean bytes_per_s" in told


COUNTS = "scheme.baseline.slc_blocks"


@pytest.fixture
def little(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "small.csv", mixed(40))


@pytest.mark.parametrize("verb", [slcache.sweep, slcache.tune])
@pytest.mark.parametrize(
    ("vary", "told"),
    [
        ({"scheme.sa.slc_bloks": "3"}, "did you mean slc_blocks"),
        ({"scheme.hyssd.fast_blocks": "3..4"}, "no scheme of the study takes it"),
        ({"hst.time_scale": [1, 2]}, "unknown key"),
        ({"scheme.sa.slc_blocks": "1000..1002"}, "must be between 3 and"),
        ({"workload.requests": [1, 2]}, "no trace of the study is a workload"),
        ({"host.time_scale": "1..0.5"}, "ends below its beginning"),
        ({"host.time_scale": "1,1"}, "given twice: 1"),
        ({"host.time_scale": "1,inf"}, "inf is not finite"),
        ({"host.time_scale": "nan"}, "nan is not finite"),
        ({"run.seed": "1..3"}, "`seeds`"),
        ({"status": "1,2"}, "column of the table"),
        ({"slc_blocks": "3..4", "scheme.sa.slc_blocks": "3..4"}, "in another spelling"),
        ({"device.pool[0].blocks": [16], "device.pool.0.blocks": [16]}, "in another spelling"),
    ],
    ids=str,
)
def test_a_sweep_and_a_search_refuse_the_same(
    verb: Any,  # noqa: ANN401
    vary: dict[str, Any],
    told: str,
    little: Path,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    asked: dict[str, Any] = {
        "device": "tiny",
        "scheme": "sa",
        "settings": {"trace.address": "wrap"},
    }
    with pytest.raises(slcache.ConfigError, match=told):
        verb(little, vary=vary, out=out, jobs=1, **asked)
    assert not out.exists() or not any(path.is_file() for path in out.rglob("*"))


def test_a_key_is_not_set_in_one_spelling_and_varied_in_another(little: Path) -> None:
    verbs: tuple[Any, ...] = (slcache.sweep, slcache.tune)
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "vary": {"slc_blocks": "3..4"}}
    for verb in verbs:
        with pytest.raises(slcache.ConfigError, match="in another spelling"):
            verb(little, **how, settings={COUNTS: 3})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"sed": 1}, "sed: unknown key"),
        ({"scheme": None}, "scheme is missing"),
        ({"seeds": 0}, "seeds = 0"),
        ({"seeds": True}, "seeds = True: must be"),
        ({"trace": ["t", "t"]}, "trace: t is given twice"),
        ({"trace": 3}, "trace = 3"),
        ({"scheme": ["s", " "]}, r'scheme = \["s", " "\]: a name is empty'),
        ({"sample": "grid:3"}, "sample = grid:3"),
        ({"vary": {"a": 1}, "set": {"a": 1}}, "a: set"),
        ({"vary": {"host.time_scale": "0.5..1"}}, "a grid must know which values"),
        ({"vary": {COUNTS: "16MiB..32MiB"}}, "which sizes are there"),
        ({"vary": {COUNTS: "16MiB..32MiB@log"}}, "which sizes are there"),
        ({"vary": {COUNTS: "8..32MiB:4MiB"}}, "must be of one kind"),
        ({"vary": {COUNTS: "16MiB..32MiB:4"}}, "must be of one kind"),
        *(
            ({"vary": {"t.table": text}}, "a bracket has no other")
            for text in ("[1,2", "1],2", "[1]],[2", "[[1,2],3")
        ),
        # What no file could hold.
        ({"trace_options": {"window": dt.date(2024, 5, 27)}}, "window"),
        ({"trace_options": {"window": math.inf}}, "window"),
        ({"set": {"scheme.sa.slc_blocks": math.inf}}, "slc_blocks"),
        ({"set": {"scheme.sa.slc_blocks": [dt.time(7)]}}, "slc_blocks"),
        ({"vary": {"host.time_scale": [1.0, math.nan]}}, "time_scale"),
        ({"point": [{"host.time_scale": math.inf}]}, "time_scale"),
    ],
    ids=str,
)
def test_a_wrong_study_names_its_key(said: dict[str, Any], told: str) -> None:
    whole = {"trace": "t.csv", "device": "tiny", "scheme": ["sa", "tlc-only"], **said}
    with pytest.raises(StudyError, match=told) as error:
        study_of_document(
            {key: value for key, value in whole.items() if value is not None}
        ).combinations()
    assert all(key in str(error.value) for key in said.get("vary", {}))


STUDY = """\
trace = "zipf-4k"
device = ["tiny"]
scheme = ["baseline"]
sample_seed = 4

[set]
host.time_scale = 2

[vary]
"scheme.baseline.slc_blocks" = [
  3,
]
"""


@pytest.mark.parametrize(
    ("change", "to", "told"),
    [
        ("trace", "traces", "1: traces: unknown key; did you mean trace?"),
        ('"tiny"', '"tin"', "2: device tin: no such preset"),
        ("baseline", "basline", "3: scheme basline: "),
        ('["baseline"]', '""', '3: scheme = "": a name is empty'),
        ("sample_seed = 4", "seeds = 'x'", "4: seeds = 'x': must be a whole number"),
        ("sample_seed", "sample_sed", "4: sample_sed: unknown key; did you mean sample_seed?"),
        ("time_scale", "time_scal", "7: settings host.time_scal=2: host.time_scal: unknown key"),
        ("slc_blocks", "slc_blcks", "10: settings scheme.baseline.slc_blcks=3: "),
        ("3,", "true, true", "10: scheme.baseline.slc_blocks = [true, true]: given twice"),
        ('device = ["tiny"]', "", " device is missing: give it"),
    ],
)
def test_what_is_wrong_in_the_file_of_a_study_is_told_with_its_line(
    change: str, to: str, told: str, tmp_path: Path
) -> None:
    """A misspelt name is no impossible point that could be skipped."""
    study = tmp_path / "asked.toml"
    study.write_text(STUDY.replace(change, to, 1))
    done = command("sweep", study, "--skip-impossible", "--out", tmp_path / "out")
    assert done.returncode == 3
    assert f"{study}:{told}" in done.stderr.decode()


VALUES: list[Any] = [0, -1, 3, 1.5, True, "x", "", [], ["x"], [1], {}, {"a": 1}, [{"a": 1}]]


@pytest.mark.parametrize("key", [*schemata.schema("study")["properties"], "other"])
def test_the_schema_of_a_study_takes_what_its_reader_takes(key: str) -> None:
    """Kinds and ranges of values, and which keys there are, are the reader's own."""
    beside = {"trace": "zipf-4k", "device": "tiny", "scheme": "baseline"}
    beside.pop({"workload": "trace", "schemes": "scheme"}.get(key, key), None)
    for value in VALUES:
        said = beside | {key: value}
        try:
            study_of_document(said)
            wrong = ""
        except StudyError as error:
            wrong = str(error)
        if validator("study").is_valid(said):
            of_kind = rf"{key} = .*: must be (a |the path|text|between)|unknown key"
            assert not re.search(of_kind, wrong) or "such file" in wrong, (said, wrong)
        else:
            # Its words are known to whoever runs it.
            assert wrong or key == "address", said


@pytest.mark.parametrize(
    ("study", "told"),
    [
        ("[vary]\nslc_blocks = [3, 99]", "5: 1 point of baseline on tiny (slc_blocks = 99): "),
        ("[vary]\nbuffer.bytes = ['1MiB']\nslc_blocks = [9]", "6: 1 point of baseline on tiny"),
        ("[set]\nslc_blocks = 9\n[vary]\nbuffer.bytes = ['1MiB']", "5: 1 point of baseline"),
        ("[set]\nhost.replay = 'x'\n[vary]\nslc_blocks = [3]", "5: 1 point of baseline on tiny"),
        ("[[point]]\nslc_blocks = 3\n\n[[point]]\nslc_blocks = 9", "8: 1 point of baseline on "),
        ("[[point]]\nslc_blocks = 3\n\n[[point]]\nslc_blocks = 3", "7: point 2: is point 1 again"),
        ("seed = -1", "4: seed = -1: must be"),
        ("[set]\nhost.queue_depth = 'x'\n[vary]\nslc_blocks = [1]", "5: 1 point of baseline on "),
    ],
)
def test_points_that_cannot_run_are_told_with_the_line_that_says_them(
    study: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "asked.toml"
    path.write_text(f'trace = "zipf-4k"\ndevice = "tiny"\nscheme = "baseline"\n{study}\n')
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.sweep(path)
    assert str(caught.value).startswith(f"{path}:{told}")
    assert caught.value.file == str(path)
    assert caught.value.line == int(told.partition(":")[0])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("slc_blocks\n3\n\n99\n", "4: 1 point of baseline on tiny (slc_blocks = 99): "),
        ("slc_blocks\n3\n\n3\n", "4: point 2: is point 1 again"),
        ("\nslc_blocks\n3\n\n3,4\n", "5: 2 values for 1 keys"),
        ("\nslc_blocks,\n3,4\n", "2: a key is empty"),
    ],
)
def test_points_of_a_table_are_told_with_their_lines(text: str, told: str, tmp_path: Path) -> None:
    """Empty lines are none, and count."""
    table = tmp_path / "points.csv"
    table.write_text(text)
    with pytest.raises(slcache.Error) as caught:
        slcache.sweep("zipf-4k", device="tiny", scheme="baseline", points=table)
    assert str(caught.value).startswith(f"{table}:{told}")
    table.write_text("slc_blox\n3\n")
    words = ("zipf-4k", "--device", "tiny", "--scheme", "baseline", "--out", tmp_path / "out")
    done = command("sweep", *words, "--points", table)
    assert done.stderr.decode().startswith(f"error: --points {table}: slc_blox: unknown key")


def test_lines_of_keys_are_those_of_no_text_that_looks_like_them() -> None:
    text = """a = '''
b = 1
'''
[ t . "u.v" ]
b = [
  1, # c = 2
]
'w'.x=3
[[p]]
d = { e = 1 }
[[p]]
d = 1
"""
    lines = {"a": 1, "t.u.v": 4, "t.u.v.b": 5, "t.u.v.w.x": 8, "p": 9, "p.d": 10}
    lines |= {"p[1]": 11, "p[1].d": 12}
    assert parsing.toml_lines(text) == lines
    # As many lines that are none take no time that anybody notices.
    many = "a = '''\n" + "b = 1\n" * 100_000 + "'''\nc = 1\n"
    assert parsing.toml_lines(many) == {"a": 1}


def test_the_first_seed_of_draws_is_0(little: Path, tmp_path: Path) -> None:
    words = "--device tiny --scheme baseline --vary host.time_scale=0.1..1 --sample random:2"
    stdout("sweep", little, *words.split(), "--sample-seed", "0", "--out", tmp_path)
    assert "sample_seed = 0" in (tmp_path / "study.toml").read_text()


@pytest.mark.parametrize(
    ("points", "told"), [(100, "1 of 100 points done, about 16 min left"), (3, None)]
)
def test_what_much_work_takes_is_told_once_where_nobody_watches(
    points: int,
    told: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with console.meter("auto") as meter:
        for done in range(4):
            meter(f"points ({done} of {points} done)", min(done, points), points)
    assert capsys.readouterr().err == (f"note: {told}\n" if told else "")
    clock = iter(range(0, 1000, 4))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with console.meter("auto") as meter:
        meter("runs (0 of 10 done, 10 left, CPU time 0 s)", 0, 10)
        meter("ips: precondition", 1, 2)
        for done in range(1, 5):
            meter("ips: replay (12 requests behind)", done, 5)
    assert capsys.readouterr().err == "note: 0 of 10 runs done, about 3 min left\n"


def test_what_is_left_is_told_by_the_sizes_of_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What turns out to take more than twice as long is told again."""
    for sizes, left in (([800, 100, 100], "about 3 min"), ((), "about 27 min")):
        clock = iter([0, 800, 2600])
        monkeypatch.setattr("time.monotonic", lambda clock=clock: next(clock))
        with console.meter("auto", sizes=sizes) as meter:
            for done in range(3):
                meter("runs", done, 3)
        told = [f"note: 1 of 3 runs done, {left} left"]
        told += ["note: 2 of 3 runs done, about 5 min left"] if sizes else []
        assert capsys.readouterr().err.splitlines() == told


def test_what_is_counted_for_whoever_watches(little: Path) -> None:
    """The runs of a comparison, none of a single run, and no more points than a search has."""
    seen: list[tuple[str, int]] = []

    def see(phase: str, _done: int, total: int) -> bool:
        seen.append((phase, total))
        return True

    how: dict[str, Any] = {"device": "tiny", "on_progress": see}
    slcache.compare(little, schemes=["tlc-only", "baseline"], address="wrap", **how)
    assert any(phase.startswith("runs (1 of 2 done, 1 left") for phase, _ in seen)
    seen.clear()
    slcache.run(little, scheme="baseline", address="wrap", **how)
    assert not any(phase.startswith("runs") for phase, _ in seen)
    vary = {"host.time_scale": [0.5, 1.0, 2.0]}
    slcache.tune(little, scheme="baseline", vary=vary, points=40, **how)
    assert {total for phase, total in seen if phase == "points"} == {3}


def test_percentiles_of_few_requests_are_marked_as_in_runs(tmp_path: Path) -> None:
    trace, out = write_trace(tmp_path / "t.csv", mixed(600)), tmp_path / "out"
    pytest.importorskip("optuna")
    varied = "scheme.baseline.slc.start_free_ratio=0.2,0.5"
    asked = ("--device", "tiny", "--scheme", "baseline", "--vary", varied)
    shown = ("--metric", "write_p50", "--metric", "write_p99")
    told = stdout("sweep", trace, *asked, *shown, "--out", out, "--jobs", "1")
    again = stdout("sweep", "show", out, *shown, "--explain")
    goals = ("--minimise", "write_p50", "--minimise", "write_p99", "--points", "2")
    searched = stdout("tune", trace, *asked, *goals, "--jobs", "1")
    for text in (told, again, searched):
        assert re.search(r"write_p50 +write_p99\*", text)
        said = " ".join(text.split())
        assert (
            "* fewer than 10 requests lie beyond this percentile, by points that are done: "
            "write_p99_ns (2)." in said
        )
    best = stdout("sweep", "show", out, "--metric", "write_p99")
    assert "The best by write_p99_ns*: " in best
    # A table that has no such column is read as before.
    table = pl.read_parquet(out / "points.parquet")
    named = table["thin"][0].split(",")
    assert "write_p99_ns" in named
    assert "write_p50_ns" not in named
    table.drop("thin").write_parquet(out / "points.parquet")
    assert "*" not in stdout("sweep", "show", out, *shown)
