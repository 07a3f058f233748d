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
from slcache.study.outcome import Outcome
from studies import analysis, grid, printed
from support import mixed, slcache, stdout, write_trace

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
    found = json.loads(slcache("sweep", "show", folder, *METRIC, "--json").stdout)
    assert found["points"] == {"done": 4, "impossible": 2}
    assert "user_bytes" in found["left_out"][0]["reason"]
    effects = {e["parameter"]: e for e in found["metrics"]["write_mean_ns"]["effects"]}
    trace = folder.parent / "writes.csv"
    own = {"trace.address": "wrap", "device.user_bytes": 2097152}
    for level in effects["host.time_scale"]["levels"]:
        means = []
        for blocks in (3, 4):
            point = {"host.time_scale": level["from"], "scheme.baseline.slc_blocks": blocks}
            run = package.run(trace, device="tiny", scheme="baseline", settings={**own, **point})
            means.append(1000 * run.to_dict()["host"]["write"]["latency_us"]["mean"])
        assert level["mean"] == pytest.approx(fmean(means))
    found = json.loads(slcache("sweep", "show", folder, *METRIC, "--json").stdout)
    means = [one["metrics"]["write_mean_ns"] for one in found["configurations"]]
    assert means == sorted(means)
    assert len(means) == 4
    # One table, which any reader of CSV takes.
    text = slcache("sweep", "show", folder, *METRIC, "--format", "csv").stdout
    frame = pl.read_csv(text)
    assert frame.columns[0] == "place"
    assert frame["write_mean_ns [ns]"].to_list() == means
    ranked = Analysis.of(Outcome.of(read(folder / "points.parquet")), ["write_mean_ns"]).ranked
    assert ranked["write_mean_ns"].to_list() == means
    assert ranked.rows() == frame.rows()
    assert [name.split(" [")[0] for name in frame.columns] == ranked.columns
    told = slcache("sweep", "show", folder, *METRIC).stdout.decode()
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


def test_a_study_is_shown_by_the_metrics_that_it_asked_for(folder: Path, tmp_path: Path) -> None:
    found = json.loads(slcache("sweep", "show", folder, "--json").stdout)
    assert list(found["metrics"]) == ["erases", "write_mean_ns"]
    own = json.loads(slcache("sweep", "show", folder, "--metric", "waf", "--json").stdout)
    assert list(own["metrics"]) == ["waf"]
    out = shutil.copytree(folder, tmp_path / "out")
    (out / "study.toml").write_text("trace = 3\n")
    broken = slcache("sweep", "show", out, "--json")
    assert "judged by the default metrics" in broken.stderr.decode()
    assert "write_p99_ns" in json.loads(broken.stdout)["metrics"]


def test_show_report_and_the_sweep_itself_draw_the_same_page(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page <b>.html"
    assert slcache("sweep", "show", folder, "--html", page).returncode == 0
    assert "&#34;scheme.baseline.slc_blocks&#34; = &#34;3,4,9&#34;" in page.read_text()
    stdout("report", folder, "--out", tmp_path / "reported")
    assert page.read_bytes() == (tmp_path / "reported" / "report.html").read_bytes()
    assert "Pareto front" in (folder / "report.html").read_text()
    for option in ("--normalise", "--gb-per-day"):
        done = slcache("report", folder, option, "1", "--out", tmp_path / "no.html")
        assert (done.returncode, (tmp_path / "no.html").exists()) == (2, False)
        assert b"is a study" in done.stderr


@pytest.mark.parametrize("verb", ["report", "diff", "diff --rerun"])
def test_what_a_study_s_folder_offers_is_told(verb: str, folder: Path) -> None:
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


def test_a_column_has_one_unit_and_its_title_none() -> None:
    """Points whose latencies differ by orders of magnitude are told in one unit."""
    table = grid({"a": [1, 4000]}, lambda a, _: {"write_mean_ns": 9e3 * a, "bytes_per_s": 8e6 * a})
    told = printed(analysis(table, "write_mean_ns", "bytes_per_s"))
    units = re.findall(r"[\d,.]+ (ns|µs|ms|s) [\d,.]+ (\S+/s)", told)
    assert len(units) >= 4
    assert set(units) == {("µs", "MB/s")}
    assert "write_mean bytes_per_s" in told
