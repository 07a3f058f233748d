"""Studies take files, dictionaries and results; tables come in forms with all digits and units."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.documents import figures
from slcache.metrics import GAIN_SHARE, of_runs
from slcache.tables.table import Table
from support import mixed, stdout, validator, write_trace
from support import slcache as command
from verbs import Inputs, verbs

ROOT = Path(__file__).parent.parent
Row = dict[str, str]


def read(text: bytes) -> list[list[Row]]:
    """The tables of a CSV text, with an empty line between them."""
    return [list(csv.DictReader(io.StringIO(part))) for part in text.decode().split("\n\n")]


def cells(table: str) -> list[Row]:
    """The rows of a table in Markdown."""
    head, _, *rows = ([cell.strip() for cell in line.split("|")] for line in table.splitlines())
    return [dict(zip(head, row, strict=True)) for row in rows]


def forms(*words: str | Path, status: int = 0) -> list[list[Row]]:
    """Return the tables in CSV, after a look at the other forms."""
    done = command(*words, "--format", "csv")
    assert done.returncode == status, done.stderr
    tables = read(done.stdout)
    marked = command(*words, "--format", "markdown")
    assert marked.returncode == status, marked.stderr
    # CSV is one table, the first of those that Markdown has.
    lines = marked.stdout.decode().split("\n\n")[0].splitlines()
    assert len(lines) == sum(len(table) + 3 for table in tables) - 1
    assert set(lines[1]) <= set("|- ")
    as_json = command(*words, "--format", "json")
    assert as_json.returncode == status
    assert isinstance(json.loads(as_json.stdout), dict | list)
    both = command(*words, "--format", "csv", "--json")
    assert both.returncode == 2
    assert b"two forms" in both.stderr
    return tables


def test_what_a_study_shows_has_the_forms(trace: Path, tmp_path: Path) -> None:
    room = {"device.user_bytes": "2MiB", "trace.address": "wrap"}
    how: dict[str, Any] = {"settings": room, "jobs": 1}
    how["vary"] = {"slc_blocks": "3..4", "slc.start_free_ratio": [0.2, 0.4]}
    slcache.sweep(trace, device="tiny", scheme="baseline", out=tmp_path, **how)
    show = ("sweep", "show", tmp_path, "--metric", "write_mean_ns", "--metric", "waf")
    (points,) = forms(*show)
    marked = command(*show, "--format", "markdown").stdout.decode()
    _, effects, front = map(cells, marked.split("\n\n"))
    document = json.loads(command(*show, "--json").stdout)
    ranked = document["configurations"]
    assert [row["waf"] for row in points] == [repr(one["metrics"]["waf"]) for one in ranked]
    told = document["metrics"]["waf"]["effects"]
    means = {repr(level["mean"]) for effect in told for level in effect["levels"]}
    assert {row["waf"] for row in effects} == means
    assert [row["points"] for row in effects] == ["2"] * 4
    best = document["front"]["configurations"]
    found = [row["write_mean_ns [ns]"] for row in front]
    assert found == [repr(one["metrics"]["write_mean_ns"]) for one in best]


def test_a_comparison_has_every_metric_with_all_its_digits(inputs: Inputs) -> None:
    both = ("compare", *inputs.needed(("compare",)))
    (rows,) = read(command(*both, "--format", "csv").stdout)
    assert [row["scheme"] for row in rows] == ["tlc-only", "baseline"]
    runs = json.loads(command(*both, "--format", "json").stdout)["runs"]
    for row, document in zip(rows, runs, strict=True):
        for name, metric in of_runs(runs).items():
            title = name if metric.unit == "1" else f"{name} [{metric.unit}]"
            value = metric.value(document)
            if name == GAIN_SHARE and document is not runs[0]:
                value = figures.gain_share(document, runs[0])
            assert row[title] == ("" if value is None else repr(value)), name


#: Verbs that print a table; those of a paper take runs of minutes.
FORMED = [
    path
    for path, verb in verbs()
    if path != ("reproduce",) and any("--format" in each.opts for each in verb.params)
]
#: Those that have nothing to tell of what is right.
EMPTY = {("diff",), ("trace", "lint")}


@pytest.mark.parametrize("path", FORMED, ids=" ".join)
def test_verbs_with_tables_have_the_forms(path: tuple[str, ...], inputs: Inputs, cwd: Path) -> None:
    (cwd / "examples").symlink_to(ROOT / "examples")
    needed = inputs.needed(path)
    # A twin by blocks has no figures to be told, and a workload that is no twin has none.
    if path[-1] in ("twin", "workloads"):
        needed = [*needed[:1], "-o", "o.toml"] if path[-1] == "twin" else ["hierarchy-web_0"]
    rows, *_ = forms(*path, *needed)
    assert bool(rows) == (path not in EMPTY)


CONFIG = """\
slc_blocks = 4

[trace]
address = "wrap"

[device]
user_bytes = "2MiB"

[scheme.baseline.slc]
victim = "fifo"
"""
SIZES = ["--vary", "scheme.baseline.slc_blocks=3,5"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("small") / "small.csv", mixed(80))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration file that changes single keys."""
    file = tmp_path / "my cönfig.toml"
    file.write_text(CONFIG)
    return file


@pytest.fixture
def result(small: Path, tmp_path: Path) -> Path:
    """A result document, which is a configuration too."""
    how: dict[str, Any] = {"settings": {"host.time_scale": 3}, "address": "wrap"}
    path = tmp_path / "result.json"
    path.write_text(slcache.run(small, device="tiny", scheme="baseline", **how).to_json())
    return path


def configs(out: Path) -> list[dict[str, Any]]:
    """Return the configurations that a study has run."""
    found = slcache.sweep(out / "study.toml", out=out)
    return [document["config"] for document in found.documents()]


def test_a_sweep_runs_what_a_file_says(small: Path, config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked: list[str | Path] = ["sweep", small, "--device", "tiny", *SIZES]
    asked += ["--scheme", "baseline,tlc-only", "--config", config]
    asked += ["--set", "host.time_scale=2", "--out", out]
    done = command(*asked)
    # A key outside the sections is any scheme's, and one has no such.
    assert done.returncode == 3, done.stdout
    assert f"{config}:1: " in done.stderr.decode()
    config.write_text(CONFIG.replace("slc_blocks", "scheme.baseline.slc_blocks"))
    stdout(*asked)
    found = configs(out)
    assert [c["scheme"].get("baseline", {}).get("slc_blocks") for c in found] == [3, 5, None]
    for each in found:
        assert each["device"]["user_bytes"] == 2 << 20
        assert each["trace"]["address"] == "wrap"
        assert each["host"]["time_scale"] == 2
    assert found[0]["scheme"]["baseline"]["slc"]["victim"] == "fifo"
    assert tomllib.loads((out / "study.toml").read_text())["config"] == str(config)
    assert b"3 results were there before" in command("sweep", out).stdout
    # The file is read anew: it is named, not copied.
    config.write_text(config.read_text().replace("2MiB", "1MiB"))
    assert b"were there before" not in command("sweep", out).stdout


def test_results_are_devices_of_a_sweep(small: Path, result: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    vary = ("--vary", "host.time_scale=3,0.5")
    asked: list[str | Path] = ["sweep", small, "--config", result, *vary, "--out", out]
    stdout(*asked)
    found = configs(out)
    assert found[0] == json.loads(result.read_text())["config"]
    assert [each["host"]["time_scale"] for each in found] == [3, 0.5]
    beside = command(*asked, "--device", "tiny")
    assert beside.returncode == 2
    assert "describes a device; leave device out" in beside.stderr.decode()
    # The same file is a device of a run, and its keys are settings.
    run = command("run", small, "--device", result, "--scheme", "baseline", "--json")
    assert json.loads(run.stdout)["config"] == found[0]
    (document,) = slcache.sweep(small, settings=found[0]).documents()
    assert document["config"] == found[0]
    with pytest.raises(slcache.UsageError, match="the settings describe a device"):
        slcache.sweep(small, device="tiny", scheme="baseline", settings=found[0])


def test_a_search_of_a_result_gives_a_command(small: Path, result: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    out = tmp_path / "out"
    asked: list[str | Path] = ["tune", small, "--config", result, "--minimise", "waf"]
    stdout(*asked, "--vary", "host.time_scale=0.5,1", "--points", "2", "--out", out)
    assert f"--device {result}" in (out / "best.toml").read_text()
    own = ("--device", result, "--scheme", "baseline", "--config", out / "best.toml")
    stdout("run", small, *own)


def test_a_device_and_a_workload_are_dicts_of_a_sweep(tmp_path: Path) -> None:
    device = tomllib.loads(Path("presets/devices/tiny.toml").read_text())
    device["device"]["name"] = 'my "tiny"'
    workload = tomllib.loads(Path("presets/workloads/zipf-4k.toml").read_text())
    workload["requests"] = 200
    own: dict[str, Any] = {"scheme": "baseline", "seeds": 2, "settings": {"trace.address": "wrap"}}
    out = tmp_path / "out"
    found = slcache.sweep(workload, device=[device, "tiny"], out=out, **own)
    assert found.counts()["done"] == 4
    rows = found.table.to_dicts()
    assert [row["device"] for row in rows] == ['my "tiny"', 'my "tiny"', "tiny", "tiny"]
    assert {row["trace"] for row in rows} == {"zipf-4k"}
    plain = slcache.run(workload, device=device, scheme="baseline", seed=1, address="wrap")
    for part in ("host", "config"):
        assert found.document(0)[part] == plain.to_dict()[part]
    validator("sweep").validate(found.to_dict())
    # What was asked for is whole in its file.
    again = command("sweep", out)
    assert b"4 results were there before" in again.stdout, again.stderr
    with pytest.raises(slcache.ConfigError, match='device: my "tiny" is given twice'):
        slcache.sweep(workload, device=[device, {**device, "run": {"seed": 5}}], **own)
    how: dict[str, Any] = {"scheme": "baseline", "vary": {"host.time_scale": [0.5, 1.0]}}
    with pytest.raises(slcache.UsageError, match="prefixes: need a trace or workload that is"):
        slcache.tune(workload, device="tiny", **how, minimise=["waf"], prefixes=True)
    odd = Table([{"a": 'x,"y"\nz', "b": 0.1 + 0.2}, {"b": None, "c": True}])
    (rows,) = [list(csv.DictReader(io.StringIO(odd.csv())))]
    assert rows[0]["a"] == 'x,"y"\nz'
    assert float(rows[0]["b"]) == 0.1 + 0.2
    assert rows[1] == {"a": "", "b": "", "c": "true"}
    piped = Table([{"a|b": "c|d\ne"}]).markdown()
    assert piped.splitlines() == ["| a\\|b |", "| --- |", "| c\\|d e |"]


def test_a_file_says_what_the_options_say(small: Path, tmp_path: Path) -> None:
    asked = tmp_path / "study.toml"
    said = f'trace = "{small}"\ndevice = "tiny"\nscheme = "tlc-only"\n'
    options = {"address": "wrap", "state": "full=0.5", "unsorted": "sort:8"}
    more = "".join(f'{key} = "{value}"\n' for key, value in options.items())
    asked.write_text(f"{said}{more}trace_options = {{take = 20}}\n")
    found = slcache.sweep(asked)
    how: dict[str, Any] = {"device": "tiny", "scheme": "tlc-only", **options}
    same = slcache.sweep(small, **how, trace_options={"take": "20"}, jobs=1)
    assert found.study == same.study
    assert found.study != slcache.sweep(small, **how).study
    assert found.table.equals(same.table)
    # Its tables go beside it.
    assert (tmp_path / "points.parquet").exists()
    for wrong, told in (('address = "x"', "address"), ("state = 3", "state = 3: must be text")):
        asked.write_text(f"{said}{wrong}\n")
        with pytest.raises(slcache.ConfigError, match=told):
            slcache.sweep(asked)
