"""`slcache sweep show` and the report that a sweep writes, against the results themselves."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from statistics import fmean

import jsonschema
import polars as pl
import pytest

import slcache as package
from slcache.frame import read
from slcache.study.analysis import Analysis
from slcache.study.api import sweep
from slcache.study.outcome import Outcome
from support import mixed, slcache, write_trace


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of two loads and two cache sizes, one more of which the device refuses."""
    top = tmp_path_factory.mktemp("shown")
    trace = write_trace(top / "writes.csv", mixed(200, write_share=1.0))
    done = slcache(
        *("sweep", trace, "--device", "tiny", "--scheme", "baseline", "--address", "wrap"),
        *("--set", "device.user_bytes=2097152", "--vary", "host.time_scale=0.1,1"),
        *("--vary", "scheme.baseline.slc_blocks=3,4,9", "--skip-impossible"),
        *("--out", top / "out"),
    )
    assert done.returncode == 0, done.stderr
    assert "report: " in done.stdout.decode()
    return top / "out"


def test_effects_are_means_of_runs(folder: Path) -> None:
    done = slcache("sweep", "show", folder, "--metric", "write_mean_ns", "--json")
    found = json.loads(done.stdout)
    assert found["points"] == {"done": 4, "impossible": 2}
    assert "user_bytes" in found["left_out"][0]["reason"]
    effects = {e["parameter"]: e for e in found["metrics"]["write_mean_ns"]["effects"]}
    trace = folder.parent / "writes.csv"
    for level in effects["host.time_scale"]["levels"]:
        runs = [
            package.run(
                trace,
                device="tiny",
                scheme="baseline",
                settings={
                    "trace.address": "wrap",
                    "device.user_bytes": 2097152,
                    "host.time_scale": level["from"],
                    "scheme.baseline.slc_blocks": blocks,
                },
            ).to_dict()
            for blocks in (3, 4)
        ]
        means = [1000 * run["host"]["write"]["latency_us"]["mean"] for run in runs]
        assert level["mean"] == pytest.approx(fmean(means))


def test_the_points_come_first_and_the_best_of_them_on_top(folder: Path) -> None:
    metric = ["--metric", "write_mean_ns"]
    found = json.loads(slcache("sweep", "show", folder, *metric, "--json").stdout)
    means = [one["metrics"]["write_mean_ns"] for one in found["configurations"]]
    assert means == sorted(means)
    assert len(means) == 4
    # One table, which any reader of CSV takes.
    text = slcache("sweep", "show", folder, *metric, "--format", "csv").stdout
    frame = pl.read_csv(text)
    assert frame.columns[0] == "place"
    assert frame["write_mean_ns [ns]"].to_list() == means
    ranked = Analysis.of(Outcome.of(read(folder / "points.parquet")), ["write_mean_ns"]).ranked
    assert ranked["write_mean_ns"].to_list() == means
    assert ranked.rows() == frame.rows()
    assert [name.split(" [")[0] for name in frame.columns] == ranked.columns
    told = slcache("sweep", "show", folder, *metric).stdout.decode()
    assert told.index("by write_mean_ns") < told.index("main effects")
    most = json.loads(slcache("sweep", "show", folder, "--metric", "iops", "--json").stdout)
    rates = [one["metrics"]["iops"] for one in most["configurations"]]
    assert rates == sorted(rates, reverse=True)


def test_the_document_is_what_its_schema_says(folder: Path) -> None:
    schema = json.loads(slcache("explain", "--schema", "sweep-show").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    for metrics in ([], ["--metric", "read_p99_ns"], ["--metric", "utilisation"]):
        document = json.loads(slcache("sweep", "show", folder, *metrics, "--json").stdout)
        jsonschema.validate(document, schema)
        for key in document:
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate({k: v for k, v in document.items() if k != key}, schema)


def test_the_page_is_written_where_asked(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page <b>.html"
    done = slcache("sweep", "show", folder, "--html", page)
    assert done.returncode == 0
    assert "Main effects on write_p99_ns" in page.read_text()
    assert "&#34;scheme.baseline.slc_blocks&#34; = &#34;3,4,9&#34;" in page.read_text()
    assert "Pareto front" in (folder / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["nowhere"], 2, "there is no such file"),
        (["{folder}", "--metric", "wav"], 2, "did you mean waf"),
        ([], 2, "DIR"),
    ],
)
def test_what_is_wrong_is_told(folder: Path, arguments: list[str], status: int, told: str) -> None:
    done = slcache("sweep", "show", *(a.format(folder=folder) for a in arguments))
    assert done.returncode == status
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_broken_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "points.parquet").write_bytes(b"PAR1 not really")
    done = slcache("sweep", "show", tmp_path)
    assert done.returncode == 2
    assert "points.parquet" in done.stderr.decode()


def test_from_python(trace: Path) -> None:
    found = sweep(trace, device="tiny", scheme="tlc-only", vary={"host.time_scale": "0.5,1"})
    assert found.analysis(["waf"]).front.metrics == []
    assert "Main effects" in found.report()


def test_a_study_is_shown_by_the_metrics_that_it_asked_for(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "writes.csv", mixed(200, write_share=1.0))
    out = tmp_path / "out"
    asked = ("--device", "tiny", "--scheme", "baseline", "--address", "wrap")
    done = slcache(
        *("sweep", trace, *asked, "--vary", "host.time_scale=0.1,1"),
        *("--metric", "erases", "--metric", "write_mean_ns", "--out", out),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(slcache("sweep", "show", out, "--json").stdout)
    assert list(found["metrics"]) == ["erases", "write_mean_ns"]
    own = json.loads(slcache("sweep", "show", out, "--metric", "waf", "--json").stdout)
    assert list(own["metrics"]) == ["waf"]
    (out / "study.toml").write_text("trace = 3\n")
    broken = slcache("sweep", "show", out, "--json")
    assert "judged by the default metrics" in broken.stderr.decode()
    assert "write_p99_ns" in json.loads(broken.stdout)["metrics"]


def test_report_draws_a_study(folder: Path, tmp_path: Path) -> None:
    pages = [tmp_path / "shown.html", tmp_path / "reported" / "report.html"]
    shown = slcache("sweep", "show", folder, "--html", pages[0])
    reported = slcache("report", folder, "--out", pages[1].parent)
    assert shown.returncode == reported.returncode == 0, reported.stderr
    assert pages[0].read_bytes() == pages[1].read_bytes()
    for option in ("--normalise", "--gb-per-day"):
        done = slcache("report", folder, option, "1", "--out", tmp_path / "no.html")
        assert (done.returncode, (tmp_path / "no.html").exists()) == (2, False)
        assert b"is a study" in done.stderr


@pytest.mark.parametrize("verb", ["report", "diff", "diff --rerun"])
def test_what_a_study_s_folder_offers_is_told(verb: str, folder: Path, tmp_path: Path) -> None:
    done = slcache(*verb.split(), folder, *([] if verb == "diff --rerun" else [folder]))
    assert done.returncode == 1, done.stderr
    assert f"slcache sweep show {folder}".encode() in done.stderr
    with pytest.raises(package.ResultError, match="a study's table"):
        package.load(folder)


def test_a_study_that_has_not_ended_says_how_far_it_is(folder: Path, tmp_path: Path) -> None:
    begun = shutil.copytree(folder, tmp_path / "begun")
    (begun / "points.parquet").unlink()
    done = slcache("sweep", "show", begun)
    assert done.returncode == 2
    assert f"4 results are kept; slcache sweep {begun} goes on".encode() in done.stderr
    done = slcache("report", begun)
    assert done.returncode == 1
    assert b"a study that has not ended" in done.stderr


def test_a_column_has_one_unit_and_its_title_none(folder: Path, tmp_path: Path) -> None:
    """Points whose latencies differ by orders of magnitude are told in one unit."""
    words = ("--device", "tiny", "--scheme", "baseline", "--address", "wrap", "--jobs", "1")
    vary = ("--vary", "host.time_scale=0.001,1000", "--vary", "host.queue_depth=1,64")
    out, trace = tmp_path / "out", folder.parent / "writes.csv"
    assert slcache("sweep", trace, *words, *vary, "--out", out).returncode == 0
    metrics = ("--metric", "write_mean", "--metric", "write_max", "--metric", "bytes_per_s")
    lines = slcache("sweep", "show", out, *metrics).stdout.decode().splitlines()
    rows = [line for line in lines if re.search(r"\d (ns|µs|ms|s)\b", line) and "MB/s" in line]
    assert len(rows) >= 8
    units = [re.findall(r"\d (ns|µs|ms|s)\b", row) for row in rows[:4]]
    assert [len(set(column)) for column in zip(*units, strict=True)] == [1, 1]
    (head,) = (line for line in lines if line.startswith(" by write_mean_ns"))
    assert head.split()[-3:] == ["write_mean", "write_max", "bytes_per_s"]
