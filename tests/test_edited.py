"""What a parser would pass over in an edited file is refused; configuration files are settings."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import slcache
from slcache import catalogue, frame
from slcache.cli.app import execute
from slcache.metrics import METRICS
from slcache.options import content, parsing
from slcache.study import model
from slcache.study.axes import StudyAxis, csv_points
from support import json_of
from support import slcache as command

DIGITS = "1" * 400
SWEEP = ("--device", "tiny", "--scheme", "baseline", "--address", "wrap")


LONG = "k" * 9999


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (parsing.json_text, '{"a": 1, "b": 2, "a": 3}', "more than once: a is given twice"),
        (parsing.json_text, f'{{"{LONG}": 1, "{LONG}": 1}}', "more than once: k{80,90}[.]{3}$"),
        (parsing.json_text, '{"a": [{"b": 1, "b": 1}]}', "more than once: b is given twice"),
        (parsing.json_text, '{"a": ' + "1" * 5000 + "}", "more than 4,300 digits"),
        (parsing.json_text, '{"a": ' + "[" * 100_000, "nested too deep"),
        (parsing.json_text, '{"a": "\\ud800"}', "half of a character"),
        (parsing.json_text, "{", "column 2"),
        (parsing.toml_text, "a = 1\na = 2", "overwrite"),
        (parsing.toml_text, "a = " + "1" * 5000, "more than 4,300 digits"),
        (parsing.toml_text, "a = " + "[" * 100_000, "nested too deep"),
    ],
)
def test_a_text_is_refused(read: Callable[[str], object], text: str, told: str) -> None:
    with pytest.raises(parsing.MalformedError, match=told):
        read(text)


def test_no_range_is_beyond_numbers_and_no_point_listed_twice(trace: Path, tmp_path: Path) -> None:
    for said in (
        *(f"1..{DIGITS}", f"{DIGITS}..2*{DIGITS}", "-1e308..1e308", "1e-308..1e308*2"),
        *("1..2:1e-320", "1e-320..1*2", "1..2*1.0000000000000002", f"1..2/{DIGITS}"),
        "1e-320..1/3@log",
    ):
        with pytest.raises(ValueError, match=r"host\.time_scale = .{0,210}: .{0,220}"):
            StudyAxis.read("host.time_scale", said)
    points = [{"host.queue_depth": 1}, {"host.queue_depth": 2}, {"host.queue_depth": 1}]
    with pytest.raises(slcache.ConfigError, match="point 3: is point 1 again"):
        slcache.sweep(trace, device="tiny", scheme="baseline", points=points)
    asked = tmp_path / "study.toml"
    for name in ("", "\\u0000x"):
        asked.write_text(f'trace = "{name}"\ndevice = "tiny"\nscheme = "sa"\n', encoding="utf-8")
        assert execute(["sweep", str(asked), "--out", str(tmp_path / "out")]) == 3


def test_a_trace_twice_is_told(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again.csv"
    again.write_bytes(trace.read_bytes())
    out = tmp_path / "out"
    for other in (again, trace.parent / "." / ".." / trace.parent.name / trace.name):
        vary = ("--vary", "host.queue_depth=1,2", "--out", out)
        status = execute(["sweep", str(trace), str(other), *SWEEP, *map(str, vary)])
        assert (status, "are the same trace; give it once" in capsys.readouterr().err) == (3, True)
    assert not (out / "points.parquet").exists()


#: Each kind of text that a verb reads, by how its file is called, with what else the verb needs.
TEXTS = {
    "points.csv": ["sweep", "T", *SWEEP, "--out", "o", "--points"],
    "study.toml": ["sweep", "--out", "o"],
    "config.toml": ["run", "T", *SWEEP, "--config"],
    "config.json": ["run", "T", "--config"],
    "device.toml": ["run", "T", "--scheme", "baseline", "--device"],
    "load.toml": ["run", "--device", "tiny", "--scheme", "baseline"],
    "result.json": ["report", "--out", "o"],
    "own.py": ["schemes", "show"],
    "drive.log": ["fit", "--user", "1TB", "--bits", "3", "--out", "drive.toml"],
    "trace.csv": ["trace", "info"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_is_told(
    name: str, trace: Path, cwd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(trace) if word == "T" else word for word in TEXTS[name]]
    for wrong in (b"\xff\xfe\x00binary", b"PAR1\x15\x04\x15\xcc\x01", b"\x7fELF\x02\xf0"):
        Path(name).write_bytes(wrong)
        assert execute([*words, name]) in (1, 2, 3, 4)
        told = capsys.readouterr().err
        assert name in told
        assert "codec" not in told
        assert sorted(path.name for path in cwd.iterdir()) == [name]


@pytest.fixture(scope="module")
def table(trace: Path) -> pl.DataFrame:
    vary = {"host.queue_depth": "1..3"}
    return slcache.sweep(trace, device="tiny", scheme="baseline", vary=vary).table


def test_a_changed_table_of_a_study_is_told_and_says_what_its_figures_are(
    table: pl.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = {
        "rows 1 and 4 are one point": pl.concat([table, table.slice(0, 1)]),
        "waf: a value is not finite": table.with_columns(waf=pl.Series([1.0, math.nan, 1.0])),
        "waf: holds List": table.with_columns(waf=pl.Series([[1.0]] * 3)),
        "scheme: holds Struct": table.with_columns(scheme=pl.Series([{"a": 1}] * 3)),
        "status: a row has none": table.with_columns(status=pl.Series(["done", None, "done"])),
        "seed: holds Float64": table.with_columns(seed=pl.Series([1.0, 2.0, 3.0])),
    }
    path = tmp_path / "points.parquet"
    for told, each in changed.items():
        each.write_parquet(path)
        assert execute(["sweep", "show", str(tmp_path)]) == 2
        assert told in " ".join(capsys.readouterr().err.split())
    twice = [*table.columns, "host.queue_depth"]
    parquet.write_table(pa.table([table[name].to_arrow() for name in twice], names=twice), path)
    assert execute(["sweep", "show", str(tmp_path)]) == 2
    assert "'host.queue_depth' has more than one" in " ".join(capsys.readouterr().err.split())
    table.write_parquet(path)
    assert execute(["sweep", "show", str(tmp_path)]) == 0
    path = tmp_path / "points.parquet"
    path.write_bytes(frame.parquet(table))
    told = json.loads(pl.read_parquet_metadata(path)[frame.ABOUT])
    assert told["waf"] == {"unit": "1", "goal": "min", "summary": METRICS["waf"].summary}
    assert list(told) == [name for name in table.columns if name in frame.FIGURES]
    path = tmp_path / "points.parquet"
    whole = table.to_arrow()
    fields = [
        pa.field(f.name, pa.string() if f.type == pa.large_string() else f.type, True, {"unit": ""})
        for f in whole.schema
    ]
    parquet.write_table(whole.cast(pa.schema(fields)), path)
    assert frame.read(path).equals(table)
    assert frame.read(path).schema == table.schema


@pytest.mark.filterwarnings("always")
def test_no_table_is_replaced(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(depths: str, *more: str, scheme: str = "baseline,sa", status: int = 0) -> str:
        words = ["sweep", str(trace), "--device", "tiny", "--address", "wrap", *more]
        words += ["--scheme", scheme, "--vary", f"host.queue_depth={depths}"]
        assert execute([*words, "--out", str(tmp_path), "--jobs", "1"]) == status
        return capsys.readouterr().err

    def searched() -> None:
        how: dict[str, Any] = {"scheme": "sa", "vary": {"host.time_scale": [1, 2]}, "points": 2}
        with pytest.raises(slcache.UsageError, match="has the results of a study"):
            slcache.tune(trace, device="tiny", out=tmp_path, **how)

    assert told("1", scheme="baseline") == told("1", scheme="baseline") == ""
    # More values, schemes and metrics are an extension, others are another study.
    assert told("1,2", scheme="baseline") == told("1,2") == told("1..2") == ""
    assert told("1,2", "--metric", "waf") == told("1,2,4", "--seeds", "2") == ""
    assert told("1..4*2", "--seeds", "3") == ""
    table, asked = tmp_path / "points.parquet", tmp_path / "study.toml"
    kept = table.read_bytes(), asked.read_text()
    for lost, depths, *more in (
        ("18 points, 6 of which", "1,2", "--seeds", "3"),
        ("18 points, 12 of which", "1,2,4"),
        ("18 points, 18 of which", "1,2,4", "--resample", "3"),
        ("18 points, 18 of which", "1,2,4", "--seeds", "3", "--vary", "host.time_scale=1"),
    ):
        refused = told(depths, *more, status=2)
        assert f"--out = {tmp_path}: has the results of a study of {lost} this one lacks" in refused
        assert "name another folder" in refused
    refused = told("1,2", "--set", "host.time_scale=2", status=2)
    assert f"--out = {tmp_path}: has the results of a study with another set" in refused
    how: dict[str, Any] = {"settings": {"trace.address": "wrap"}, "out": tmp_path}
    with pytest.raises(slcache.UsageError, match="a study with another scheme") as error:
        slcache.sweep(trace, device="tiny", scheme="sa", vary={"dense.victim": ["greedy"]}, **how)
    assert error.value.key == "out"
    searched()
    assert kept == (table.read_bytes(), asked.read_text())
    # One that has no table yet stays too.
    table.unlink()
    told("1,2", "--seed", "7", status=2)
    assert told("1,2") == ""
    asked.unlink()
    assert "whose study.toml cannot be read" in told("1,2", status=2)
    searched()


MARK = "\ufeff"


def test_what_people_write_may_begin_with_a_mark(trace: Path, tmp_path: Path) -> None:
    def marked(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(MARK + text)
        return path

    preset = Path(__file__).parent.parent / "presets" / "devices" / "tiny.toml"
    device = marked("device.toml", preset.read_text())
    assert slcache.run(trace, device=device, scheme="baseline").label == "baseline"
    assert slcache.run(marked("t.csv", trace.read_text()), device=device, scheme="baseline")
    text = 'requests = 9\nfootprint_bytes = "1MiB"\nglobal.rw = "randwrite"\n'
    text += 'global.bs = "4k"\narrivals = { process = "constant", mean_gap_ns = 1000 }\n'
    assert slcache.Trace(marked("workload.toml", text)).info()["requests"] == 9
    asked = marked("study.toml", f'trace = "{trace}"\ndevice = "tiny"\nscheme = "baseline"\n')
    assert model.is_study(asked)
    assert model.read_study(asked).schemes == ("baseline",)
    points = marked("points.csv", "host.time_scale,run.seed\n0.5,1\n")
    assert [list(point) for point in csv_points(points)] == [["host.time_scale", "run.seed"]]


STUDY = """\
slc_blocks = 4
"device.pool[0].blocks" = 20

[run]
seed = 7

[scheme.baseline.slc]
victim = "fifo"

[device.pool_is_not_here]
x = 1
"""
GOOD = STUDY.partition("\n[device.")[0]
IN_JSON = """{"slc_blocks": 4, "device.pool[0].blocks": 20, "run": {"seed": 7},
"scheme": {"baseline": {"slc": {"victim": "fifo"}}}}"""
#: What the files say, as settings.
SETS = {
    **{"slc_blocks": "4", "device.pool[0].blocks": "20", "run.seed": "7"},
    "scheme.baseline.slc.victim": "fifo",
}
TINY = ["--device", "tiny", "--scheme", "baseline"]


def resolved(settings: Any) -> dict[str, Any]:  # noqa: ANN401
    return catalogue.resolve(device="tiny", scheme="baseline", settings=settings)


def config(*arguments: str | Path) -> dict[str, Any]:
    """Return the configuration of a run from the command line."""
    told: dict[str, Any] = json_of("run", *arguments, "--json")["config"]
    return told


@pytest.mark.parametrize(("name", "text"), [("my stüdy.toml", GOOD), ("keys.json", IN_JSON)])
def test_files_say_what_settings_say(name: str, text: str, trace: Path, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    found = content.read_settings(file)
    assert found.device is None
    assert resolved(found.settings) == resolved(SETS)
    changed = resolved({**SETS, "slc_blocks": "3"})
    for above in (
        {"scheme.baseline.slc_blocks": 3},
        {"slc_blocks": 3},
        {"scheme": {"baseline": {"slc_blocks": 3}}},
    ):
        assert resolved({**found.settings, **above}) == changed, above
    # An option is above it as well.
    wanted = resolved({**SETS, "run.seed": "9"})
    ran = config(trace, *TINY, "--config", file, "--seed", "9")
    assert {key: ran[key] for key in ("device", "scheme", "run")} == {
        key: wanted[key] for key in ("device", "scheme", "run")
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (STUDY, ":11: device.pool_is_not_here"),
        ("[run]\nsed = 1\n", ":2: run.sed: unknown key"),
        ("[scheme.baseline]\nslc_blocks = 99\n", ":2: scheme.baseline.slc_blocks = 99: must be"),
        ("[scheme.ips]\nlayers = 9\n", ":2: the run's scheme is baseline"),
        ("slc_blocks = 4\nscheme.baseline.slc_blocks = 5\n", ":1: scheme.baseline.slc_blocks: "),
        ('"run.seed" = 1\n[run]\nseed = 2\n', ":1: run.seed: {file}:3 says it as well; give one"),
        ("a = [\n", ":1: not valid TOML"),
        ("[host]\nqueue_depth = -1\n", ":2: host.queue_depth = -1"),
        ('{"run":\n{"sed": 1}}', ":2: run.sed: unknown key; did you mean run.seed?"),
        ('{"a": "{",\n"scheme.baseline.slc_blocks":\n99}', ":2: scheme.baseline.slc_blocks = 99"),
        ('{\n"run": {\n"seed": null}}', ":3: run.seed = null: leave it out; only a whole"),
        ('{"run": {"seed": 1,\n"seed": 2}}', ":2: run.seed: line 1 says it as well; give one"),
        ('{"run": {\n"seed": 1},\n"run.seed": 2}', ":3: run.seed: {file}:2 says it as well"),
        ('{"run": {\n"seed": 1,}}', ":2: not valid JSON: key must be a string at column 11"),
        ("[1]", ":1: a configuration is an object"),
    ],
)
def test_wrong_values_name_file_and_line(trace: Path, tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / ("bad.json" if text.startswith(("{", "[1")) else "bad.toml")
    file.write_text(text)
    done = command("run", trace, *TINY, "--config", file)
    assert (done.returncode, done.stdout) == (3, b"")
    assert f"{file}{told.replace('{file}', str(file))}" in done.stderr.decode()


def with_value(document: Any, key: str, value: object) -> Any:  # noqa: ANN401
    """Return a document with another value at a dotted key."""
    changed = copy.deepcopy(document)
    *steps, last = key.split(".")
    place = changed
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = value
    return changed


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("device.pool.0.blokcs", 3, "device.pool[0].blokcs = 3: unknown key; did you mean blocks?"),
        ("device.pool.0.blocks", "x", 'device.pool[0].blocks = "x": '),
        ("host.queue_depth", -1, "host.queue_depth = -1: "),
        ("scheme.baseline.slc_blocks", 99, "scheme.baseline.slc_blocks = 99: must be between"),
        ("scheme.baseline.slc_bloks", 4, "scheme.baseline.slc_bloks = 4: unknown key; did you"),
        ("scheme.turbo", {}, 'scheme.turbo: "turbo" is not a scheme'),
    ],
)
def test_what_is_wrong_in_a_result_names_its_line(
    comparison: slcache.Comparison, trace: Path, tmp_path: Path, key: str, value: object, told: str
) -> None:
    """A whole configuration, of which one value is wrong, as a file of many lines and of one."""
    document = with_value(comparison.runs[1].to_dict(), f"config.{key}", value)
    file = tmp_path / "result.json"
    for indent in (2, None):
        text = json.dumps(document, indent=indent)
        file.write_text(text)
        # The configuration comes first, and no other scheme or pool has the key.
        at = text.index(f'"{key.split(".")[0]}"', text.index('"config"'))
        line = text.count("\n", 0, text.index(f'"{key.rpartition(".")[2]}"', at)) + 1
        for option in ("--config", "--device"):
            done = command("run", trace, option, file, "--scheme", "baseline")
            assert done.returncode == 3
            assert f"{file}:{line}: {told}" in done.stderr.decode()
        with pytest.raises(slcache.ConfigError) as caught:
            slcache.resolve(device=file, scheme="baseline")
        assert (caught.value.file, caught.value.line) == (str(file), line)


def test_results_are_devices_too(
    comparison: slcache.Comparison, tmp_path: Path, trace: Path
) -> None:
    document = comparison.runs[1].to_dict()
    file = tmp_path / "result.json"
    file.write_text(json.dumps(document, indent=1))
    assert slcache.resolve(settings=file) == document["config"]
    assert slcache.device_facts(file)["name"] == document["config"]["device"]["name"]
    done = command("explain", "device.pool[0].blocks", "--device", file, "--json")
    assert f"{file}:" in done.stdout.decode()
    # One of several runs has no configuration.
    comparison.save(tmp_path / "both.json")
    with pytest.raises(slcache.ConfigError, match="a comparison has a configuration for each"):
        slcache.resolve(settings=tmp_path / "both.json")
    file = tmp_path / "both.toml"
    file.write_text(
        '[scheme.baseline]\nslc_blocks = 4\n[scheme.sector.slc]\nvictim = "fifo"\n'
        '[device]\nuser_bytes = "2MiB"\n'
    )
    done = json_of(
        "compare", trace, "--device", "tiny", "--schemes", "tlc-only,baseline,sector",
        "--config", file, "--address", "wrap", "--json",
    )  # fmt: skip
    schemes = [run["config"]["scheme"] for run in done["runs"]]
    assert schemes[1]["baseline"]["slc_blocks"] == 4
    assert schemes[2]["sector"]["slc"]["victim"] == "fifo"


def test_a_file_with_a_device_needs_no_other(trace: Path, tmp_path: Path) -> None:
    tiny = Path(__file__).parent.parent / "presets/devices/tiny.toml"
    file = tmp_path / "whole.toml"
    file.write_text(tiny.read_text() + '\n[scheme.baseline]\ntrigger = "valid-share"\n')
    assert config(trace, "--config", file)["scheme"]["baseline"]["trigger"] == "valid-share"
    assert command("run", trace, "--config", file, *TINY).returncode == 2


def test_the_configuration_of_a_result_is_accepted_as_it_is(trace: Path, tmp_path: Path) -> None:
    first = slcache.run(
        trace, device="tiny", scheme="baseline", replay="closed:2", seed=5,
        settings={"slc.victim": "fifo", "precondition.fill": 0.2},
    )  # fmt: skip
    own = first.to_dict()["config"]
    assert slcache.diff(first, slcache.run(trace, settings=own)).equal
    with pytest.raises(slcache.UsageError, match="leave device out"):
        slcache.run(trace, device="ips-384g", scheme="baseline", settings=own)
    first.save(tmp_path / "first.json")
    (tmp_path / "config.json").write_text(json.dumps(own))
    for name in ("first.json", "config.json"):
        done = json_of("run", trace, "--config", tmp_path / name, "--json")
        assert slcache.diff(first, slcache.Result(done)).equal
        assert config(trace, "--config", tmp_path / name, "--set", "run.seed=6")["run"]["seed"] == 6
    both = slcache.compare(trace, schemes=["baseline", "tlc-only"], settings=own)
    told = both.runs[0].to_dict()["config"]
    # A comparison counts the bound unless it is told not to.
    assert told["run"].pop("bound")
    assert told == own
    with pytest.raises(slcache.Error, match="device is missing"):
        slcache.run(trace, scheme="baseline", settings={"slc_blocks": 4})
    with pytest.raises(slcache.Error, match="scheme is missing"):
        slcache.run(trace, device="tiny")


def test_every_resolved_configuration_resolves_to_itself() -> None:
    held = 0
    for device in slcache.devices():
        for scheme in slcache.fitting(device=device["name"])[0]:
            found = slcache.resolve(device=device["name"], scheme=scheme)
            assert slcache.resolve(settings=found) == found, (device["name"], scheme)
            held += 1
    assert held > 50
