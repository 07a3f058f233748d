"""Tables come as CSV, Markdown and JSON with all digits and units."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import slcache
from disks import DEVICE
from slcache.documents import gains
from slcache.metrics import GAIN_SHARE, METRICS, of_runs
from slcache.tables import sheets
from support import mixed, write_trace
from support import slcache as command

Row = dict[str, str]


def read(text: bytes) -> list[list[Row]]:
    """The tables of a CSV text, with an empty line between them."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.decode().split("\n\n")]


def forms(*words: str | Path, status: int = 0) -> list[list[Row]]:
    """Return the tables in CSV, after a look at the other forms."""
    done = command(*words, "--format", "csv")
    assert done.returncode == status, done.stderr
    tables = read(done.stdout)
    marked = command(*words, "--format", "markdown")
    assert marked.returncode == status, marked.stderr
    lines = marked.stdout.decode().splitlines()
    assert len(lines) == sum(len(table) + 3 for table in tables) - 1
    assert set(lines[1]) <= set("|- ")
    as_json = command(*words, "--format", "json")
    assert as_json.returncode == status
    assert isinstance(json.loads(as_json.stdout), dict)
    both = command(*words, "--format", "csv", "--json")
    assert both.returncode == 2
    assert b"two forms" in both.stderr
    return tables


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "small.csv", mixed(120))


def test_a_study_has_the_forms(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ("sweep", trace, "--device", "tiny", "--scheme", "baseline", "--address", "wrap")
    (rows,) = forms(*asked, "--vary", "host.time_scale=0.1,1", "--seeds", "2", "--out", out)
    told = json.loads(command("sweep", out, "--json").stdout)["points"]
    assert [row["key"] for row in rows] == [row["key"] for row in told]
    for row, point in zip(rows, told, strict=True):
        assert row["host.time_scale"] == repr(point["host.time_scale"])
        for name, metric in METRICS.items():
            title = name if metric.unit == "1" else f"{name} [{metric.unit}]"
            assert row[title] == ("" if point[name] is None else repr(point[name])), name


def test_what_a_study_shows_has_the_forms(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ("sweep", trace, "--device", "tiny", "--scheme", "baseline", "--address", "wrap")
    vary = ("--set", "device.user_bytes=2097152", "--vary", "scheme.baseline.slc_blocks=3,4")
    done = command(*asked, *vary, "--out", out)
    assert done.returncode == 0, done.stderr
    metrics = ("--metric", "write_p99_ns", "--metric", "waf")
    points, effects, front = forms("sweep", "show", out, *metrics)
    document = json.loads(command("sweep", "show", out, *metrics, "--json").stdout)
    ranked = document["configurations"]
    assert [row["waf"] for row in points] == [repr(one["metrics"]["waf"]) for one in ranked]
    (effect,) = document["metrics"]["waf"]["effects"]
    assert [row["waf"] for row in effects] == [repr(level["mean"]) for level in effect["levels"]]
    assert [row["points"] for row in effects] == ["1", "1"]
    best = document["front"]["configurations"]
    assert [row["write_p99_ns [ns]"] for row in front] == [
        repr(one["metrics"]["write_p99_ns"]) for one in best
    ]


def test_a_search_has_the_forms(trace: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    asked = ("tune", trace, "--device", "tiny", "--scheme", "baseline", "--address", "wrap")
    space = ("--vary", "host.time_scale=0.1,0.5,1", "--out", tmp_path / "out")
    (rows,) = forms(*asked, *space, "--minimise", "write_p99_ns", "--minimise", "waf")
    document = json.loads((tmp_path / "out" / "tune.json").read_text())
    front = [document["points"][number] for number in document["front"]]
    assert [row["host.time_scale"] for row in rows] == [
        repr(point["settings"]["host.time_scale"]) for point in front
    ]
    assert [row["best"] for row in rows].count("true") == 1


def test_the_claims_of_a_paper_have_the_forms(tmp_path: Path) -> None:
    quick = ("reproduce", "hierarchy", "--quick", "--workloads", "web_1", "--out", tmp_path)
    (rows,) = forms(*quick)
    claims = json.loads((tmp_path / "ledger.json").read_text())["claims"]
    literal = [row for row in rows if row["reading"] == "literal"]
    assert [row["id"] for row in literal] == [claim["id"] for claim in claims]
    assert [row["verdict"] for row in literal] == [claim["verdict"] for claim in claims]


def test_the_values_of_a_bisection_have_the_forms(tmp_path: Path) -> None:
    device = tmp_path / "small.toml"
    device.write_text(DEVICE)
    trace = write_trace(tmp_path / "small.csv", mixed(400))
    key = "scheme.nvc.slc_blocks"
    given: list[str | Path] = [
        trace,
        "--device",
        device,
        "--scheme",
        "nvc",
        "--vary",
        f"{key}=4,8,16",
    ]
    given += ["--least", key, "--such-that", "waf<=1e6", "--out", tmp_path / "out"]
    (rows,) = forms("tune", *given)
    document = json.loads((tmp_path / "out" / "tune.json").read_text())
    (title,) = (name for name in rows[0] if name.startswith(key))
    assert [row[title] for row in rows] == [str(p["settings"][key]) for p in document["points"]]
    best = [i for i, row in enumerate(rows) if row["best"] == "true"]
    assert best == ([] if document["best"] is None else [document["best"]])


def test_a_repeated_run_has_the_forms(trace: Path, tmp_path: Path) -> None:
    slcache.run(trace, device="tiny", scheme="baseline").save(tmp_path / "saved")
    (rows,) = forms("diff", "--rerun", tmp_path / "saved")
    assert rows == []
    other = write_trace(tmp_path / "other.csv", mixed(90))
    (rows,) = forms("diff", "--rerun", tmp_path / "saved", "--trace", other, status=1)
    assert {row["part"] for row in rows} >= {"trace", "metrics"}
    assert {row["key"] for row in rows} >= {"sha256"}


def test_what_is_wrong_with_a_trace_has_the_forms(trace: Path, tmp_path: Path) -> None:
    (rows,) = forms("trace", "lint", trace)
    assert rows == []
    bad = tmp_path / "bad.csv"
    bad.write_text('a,"b|c"\n')
    (rows,) = forms("trace", "lint", bad, "--trace-format", "msr", status=4)
    assert [(row["line"], row["kind"]) for row in rows] == [("1", "columns")]


def test_the_figures_of_a_twin_have_the_forms(trace: Path, tmp_path: Path) -> None:
    figures, left_out = forms("trace", "twin", trace, "-o", tmp_path / "twin.toml")
    assert {"figure": "requests", "value": "120"}.items() <= figures[0].items()
    assert all(row["left out"] for row in left_out)


TINY = ("--device", "tiny")


def read_forms(text: str) -> list[list[dict[str, str]]]:
    """The tables of a CSV text, with an empty line between them."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.split("\n\n")]


def test_a_comparison_has_every_metric_with_all_its_digits(trace: Path) -> None:
    both = ("compare", trace, *TINY, "--schemes", "tlc-only,baseline")
    done = command(*both, "--format", "csv")
    assert done.returncode == 0, done.stderr
    (rows,) = read_forms(done.stdout.decode())
    assert [row["scheme"] for row in rows] == ["tlc-only", "baseline"]
    runs = json.loads(command(*both, "--format", "json").stdout)["runs"]
    for row, document in zip(rows, runs, strict=True):
        for name, metric in of_runs(runs).items():
            title = name if metric.unit == "1" else f"{name} [{metric.unit}]"
            value = metric.value(document)
            if name == GAIN_SHARE and document is not runs[0]:
                value = gains.share(document, runs[0])
            assert row[title] == ("" if value is None else repr(value)), name


@pytest.mark.parametrize(
    ("words", "column"),
    [
        (("schemes",), "summary"),
        (("devices",), "user_bytes [bytes]"),
        (("devices", "show", "tiny"), "read_mb_per_s [MB/s]"),
        (("explain", "slc_blocks"), "default"),
        (("trace", "formats"), "name"),
        (("trace", "workloads"), "about"),
        (("trace", "workloads", "hierarchy-web_0"), "reached"),
        (("cliff", *TINY, "--schemes", "baseline", "--amount", "2MiB"), "first_mb_per_s [MB/s]"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_every_verb_with_a_table_has_the_forms(words: tuple[str, ...], column: str) -> None:
    done = command(*words, "--format", "csv")
    assert done.returncode == 0, done.stderr
    first, *_ = read_forms(done.stdout.decode())
    assert first
    assert column in first[0]
    marked = command(*words, "--format", "markdown").stdout.decode().splitlines()
    assert f"| {column} |" in marked[0]
    assert set(marked[1]) <= set("|- ")
    assert len(marked) >= len(first) + 2
    assert command(*words, "--format", "json").stdout == command(*words, "--json").stdout
    assert command(*words, "--format", "csv", "--json").returncode == 2


def test_a_trace_and_a_difference_have_the_forms(trace: Path, tmp_path: Path) -> None:
    (rows,) = read_forms(command("trace", "info", trace, "--format", "csv").stdout.decode())
    figures = {row["figure"]: row["value"] for row in rows}
    assert figures["summary.reads"].isdigit()
    for seed in (1, 2):
        run = slcache.run(trace, device="tiny", scheme="baseline", seed=seed)
        run.save(tmp_path / f"{seed}.json")
    found = command("diff", tmp_path / "1.json", tmp_path / "2.json", "--format", "csv")
    (rows,) = read_forms(found.stdout.decode())
    assert {"part": "config", "key": "run.seed", "first": "1", "second": "2"}.items() <= rows[
        0
    ].items()


def test_odd_values_stay_in_their_cells() -> None:
    odd = sheets.Sheet([{"a": 'x,"y"\nz', "b": 0.1 + 0.2}, {"b": None, "c": True}])
    (rows,) = [list(csv.DictReader(io.StringIO(sheets.csv([odd]))))]
    assert rows[0]["a"] == 'x,"y"\nz'
    assert float(rows[0]["b"]) == 0.1 + 0.2
    assert rows[1] == {"a": "", "b": "", "c": "true"}
    piped = sheets.markdown([sheets.Sheet([{"a|b": "c|d\ne"}])])
    assert piped.splitlines() == ["| a\\|b |", "| --- |", "| c\\|d e |"]
