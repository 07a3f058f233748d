"""How devices wear, cells err and blocks go bad, as results and reports tell it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import slcache
import support
from slcache import _core, kinds, units
from slcache.charts import performance as charts
from slcache.documents import schemata
from slcache.metrics import METRICS, PARTS
from slcache.results.result import overload
from slcache.sentences import endurance
from slcache.tables import grid
from support import mixed, write_trace
from support import slcache as command

DEVICE = ("--device", "tiny", "--address", "wrap")
SPAN = 3328 << 10
#: Schemes whose regions share blocks, then those that keep them apart.
SHARED = ("client", "dwa", "rl", "ust")
APART = ("tlc-only", "baseline")
DAY_MS = 86_400_000


def writes(folder: Path, count: int, *, size: int = 128 << 10, gap_ms: int = 0) -> Path:
    """Return a trace of so many writes, one behind the other over and over."""
    rows = [(i * gap_ms, "Write", i * size % SPAN, size) for i in range(count)]
    return support.write_trace(folder / f"{count}-{size}-{gap_ms}.csv", rows)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("life")
    trace = writes(folder, 4000, size=4096, gap_ms=1)
    done = support.slcache("run", trace, *DEVICE, "--scheme", "baseline", "--out", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def document(result: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((result / "result.json").read_text())
    return found


def words(text: bytes | str) -> str:
    return " ".join((text.decode() if isinstance(text, bytes) else text).split())


def test_lives_follow_from_parts_by_mode_and_rates(result: Path) -> None:
    told = document(result)
    waf, wear = told["waf"], told["wear"]
    assert set(waf["by_mode"]) == {"slc", "tlc"}
    assert sum(waf["by_mode"].values()) == pytest.approx(waf["total"], rel=1e-12)
    rows = {row["mode"]: row for row in wear["pools"]}
    cycles = {mode: row["cycles"] / row["blocks"] for mode, row in rows.items()}
    used = {m: 100 * cycles[m] / row["endurance_cycles"] for m, row in rows.items()}
    assert {m: each["percent_used"] for m, each in wear["by_mode"].items()} == pytest.approx(used)
    first = max(used, key=lambda mode: used[mode])
    damage = wear["damage"]
    assert (damage["pool"], damage["modes"]) == ("nand", [first])
    assert (damage["blocks"], damage["cycles"]) == (rows[first]["blocks"], cycles[first])
    assert damage["mean"] <= damage["max"]
    written = told["host"]["write"]["bytes"]
    assert wear["lifetime_host_bytes"] == pytest.approx(written * 100 / used[first])
    assert wear["lifetime_most_worn_host_bytes"] == pytest.approx(written / damage["max"])
    told = document(result)
    days = 3999 / DAY_MS
    rate = told["trace"]["write_bytes_per_day"]
    assert rate == pytest.approx(4000 * 4096 / days)
    lifetime = told["wear"]["lifetime_host_bytes"]
    assert told["wear"]["years"] == pytest.approx(lifetime / rate / 365)
    daily = lifetime / SPAN / (5 * 365)
    assert told["wear"]["drive_writes_per_day"] == pytest.approx(daily)
    told = document(result)
    told["wear"]["lifetime_host_bytes"] = 365 * 50e9 * 3
    lives = {
        gb: dict(endurance.life_rows(told, gb))[f"life at {units.written(1e9 * gb)} a day"]
        for gb in (0.05, 0.5, 50.0, 5e3, 5e5)
    }
    assert lives == {
        0.05: "over 1,000 years",
        0.5: "300 years",
        50: "3.00 years",
        5e3: "10.9 d",
        5e5: "2.63 h",
    }
    assert endurance.Life.of(told, 100).years == 1.5
    told["wear"]["lifetime_host_bytes"] = None
    assert dict(endurance.life_rows(told))["estimated lifetime"] == "–"


def test_a_page_says_why_a_device_has_no_life(tmp_path: Path) -> None:
    result = slcache.run(writes(tmp_path, 100), device="ips-384g", scheme="tlc-only")
    rows = dict(endurance.life_rows(result.to_dict()))
    assert rows["estimated lifetime"] == "–"
    assert rows["life"] == "no life is told: the endurance is not known in tlc"
    assert rows["life"] in result.report()


def test_the_rate_is_the_traces_whatever_the_replay(tmp_path: Path) -> None:
    trace = writes(tmp_path, 200, gap_ms=1000)
    cases: list[tuple[dict[str, Any], int]] = [
        ({}, 1),
        ({"replay": "closed:4"}, 1),
        ({"settings": {"host.time_scale": 2}}, 2),
    ]
    for options, factor in cases:
        told = slcache.run(trace, device="tiny", scheme="tlc-only", **options).to_dict()
        days = 199 * 1000 * factor / DAY_MS
        assert told["trace"]["write_bytes_per_day"] == pytest.approx((200 << 17) / days)
    told = slcache.run(writes(tmp_path, 100), device="tiny", scheme="tlc-only").to_dict()
    assert (told["wear"]["years"], told["trace"]["write_bytes_per_day"]) == (None, None)
    assert told["wear"]["lifetime_host_bytes"] > 0
    assert dict(endurance.life_rows(told))["life (the trace has no times)"] == "–"


@pytest.mark.few(3)
@pytest.mark.parametrize("scheme", [*SHARED, *APART])
def test_short_runs_say_that_a_life_is_a_guess(tmp_path: Path, scheme: str) -> None:
    short = slcache.run(writes(tmp_path, 8, gap_ms=1), device="tiny", scheme=scheme)
    told = short.to_dict()["wear"]
    assert 0 < told["damage"]["cycles"] < 3
    assert "is a guess" in told["note"]
    for shown in (short.summary(), short.report()):
        assert told["note"] in words(shown)
    none = slcache.run(writes(tmp_path, 1, size=4096), device="tiny", scheme=scheme)
    told = none.to_dict()["wear"]
    assert (told["damage"], told["lifetime_host_bytes"]) == (None, None)
    assert "less than a block" in words(none.summary())


@pytest.mark.parametrize("verb", ["run", "compare", "seeds", "sweep", "tune"])
def test_a_life_that_is_a_guess_is_marked_wherever_it_is_told(tmp_path: Path, verb: str) -> None:
    trace, schemes = writes(tmp_path, 8, gap_ms=1), ("--schemes", "tlc-only,baseline")
    varied = ("--scheme", "baseline", "--vary", "scheme.baseline.slc.start_free_ratio=0.2,0.5")
    asked: dict[str, tuple[str, ...]] = {
        "run": ("--scheme", "baseline"),
        "compare": (*schemes, "--gb-per-day", "5"),
        "seeds": (*schemes, "--gb-per-day", "5", "--state", "worn=0.5,0.1", "--seeds", "2"),
        "sweep": (*varied, "--jobs", "1", "--out", str(tmp_path / "out")),
        "tune": (*varied, "--jobs", "1", "--maximise", "lifetime_host_bytes"),
    }
    name = "compare" if verb == "seeds" else verb
    told = words(support.stdout(name, trace, *DEVICE, *asked[verb]))
    if verb in ("sweep", "tune"):
        assert "2 done: ~ lifetime_host_bytes is a guess" in told
        assert " ~lifetime_host_bytes " in told
        return
    assert "baseline: the life is a guess" in told
    assert re.search(r"TBW ~\d" if verb == "run" else r"baseline ~\d\S+ [kMGT]?B ~", told)
    assert not re.search(r"\b0\.000", told), "a life is told in a unit that suits it"
    assert "drive writes a day for five years" in told


def test_a_life_is_a_guess_while_much_is_left_in_the_cache(result: Path) -> None:
    told = document(result)
    told["wear"]["note"] = None
    written = told["host"]["write"]["bytes"]
    moved, each = told["waf"]["by_mode"]["tlc"] * written, told["wear"]["by_mode"]
    first, dense = told["wear"]["damage"]["mean"], each["tlc"]["percent_used"] / 100
    for times, is_guess in ((0, False), (1.09, False), (1.11, True)):
        left = max(0, moved * (times * first - dense) / dense)
        told["state"]["cache"]["left_bytes"] = left
        assert endurance.Life.of(told).is_guess == is_guess
        said = slcache.Result.made(told, None, ()).summary()
        assert ("left in the SLC cache" in said) == is_guess
    told["state"]["cache"]["left_bytes"] = 1
    each["tlc"]["percent_used"] = 0
    assert endurance.Life.of(told).is_guess, "nothing has left it"
    assert not endurance.Life.of({**told, "disk": {"states": []}}).is_guess


@pytest.mark.parametrize("verb", ["run", "compare", "report", "draws"])
def test_every_output_tells_lives_at_the_rate(result: Path, tmp_path: Path, verb: str) -> None:
    trace, out = writes(tmp_path, 400, size=4096, gap_ms=1), tmp_path / "out"
    names = ("--schemes", "tlc-only,baseline", "--explain")
    begin = {
        "run": ("run", trace, *DEVICE, "--scheme", "baseline"),
        "compare": ("compare", trace, *DEVICE, *names),
        "draws": ("compare", trace, *DEVICE, *names, "--resample", "2"),
        "report": ("report", result),
    }[verb]
    # Unless one is asked for it is the trace's own.
    count = 4000 if verb == "report" else 400
    own = f"{count * 4096 / ((count - 1) / DAY_MS) / 1e9:.0f} GB a day (the trace's own)"
    for rate, title in (((), own), (("--gb-per-day", "20"), "20.0 GB a day")):
        done = support.slcache(*begin, *rate, "--out", out)
        assert done.returncode == 0, done.stderr
        for shown in (done.stdout, (out / "report.html").read_text()):
            told = words(shown).replace("&#39;", "'")
            assert all(part in told for part in ("TBW", "drive writes a day", title))


@pytest.mark.parametrize("more", [(), ("--resample", "2"), ("--explain",)])
def test_why_a_rate_tells_no_years_is_said(more: tuple[str, ...], trace: Path) -> None:
    on = (trace, "--device", "examples/demo.toml")
    compare: list[str | Path] = ["compare", *on, "--schemes", "tlc-only,baseline", *more]
    for verb in (compare, ["run", *on, "--scheme", "baseline"]):
        told = words(support.stdout(*verb, "--gb-per-day", "20"))
        assert told.count("baseline: no life is told: the endurance is not known in slc") == 1
        assert "no life is told" not in words(support.stdout(*verb))


@pytest.mark.parametrize("form", ["json", "csv", "markdown"])
def test_a_rate_that_nothing_tells_is_refused(form: str, trace: Path, tmp_path: Path) -> None:
    said = (trace, *DEVICE, "--gb-per-day", "20", "--format", form)
    for begin in (("run", "--scheme", "baseline"), ("compare", "--schemes", "tlc-only,baseline")):
        done = support.slcache(*begin, *said)
        assert done.returncode == 2
        assert f"--gb-per-day: has no effect with --format {form}" in done.stderr.decode()
        assert support.slcache(*begin, *said, "--out", tmp_path / begin[0]).returncode == 0


#: Half-worn cells whose data are old: every read of them takes steps.
WORN = {"device.cells.start.tlc.cycles": 50, "device.cells.start.tlc.days": 90}
UPKEEP = {
    "device.cells.age_scale": 86_400,
    "device.cells.reclaim.reads": 20,
    "device.cells.refresh.scrub": "patrol",
}
#: All figures of cells, and those that only devices with upkeep or with bad blocks have.
NEEDS = {"cells", "upkeep", "bad-blocks"}
OF_CELLS = {name for name, metric in (METRICS | PARTS).items() if metric.needs in NEEDS}
OF_BAD_BLOCKS = {"retired_blocks", "spare_blocks_left", "mean_damage", "end_host_bytes"}
OF_UPKEEP = {
    name
    for name in OF_CELLS
    if name.endswith(("_refresh_ns", "_reclaim_ns", "_wear_ns", "ed_blocks"))
} - OF_BAD_BLOCKS


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("cells") / "t.csv", mixed(600, write_share=0.4))


def test_a_result_tells_what_reads_took(trace: Path) -> None:
    worn = slcache.run(trace, device="tiny", scheme="baseline", settings=WORN)
    document = worn.to_dict()
    host = {(row["mode"], row["cause"]): row for row in document["cells"]["reads"]}["tlc", "host"]
    assert host["steps"] == sum(steps * reads for steps, reads in enumerate(host["histogram"])) > 0
    assert host["reads"] == sum(host["histogram"])
    figures = document["figures"]
    assert OF_CELLS & figures.keys() == OF_CELLS - OF_UPKEEP - OF_BAD_BLOCKS
    assert not {"upkeep", "bad_blocks"} & document["cells"].keys()
    assert figures["read_errors"] == document["host"]["read_errors"] == 0
    of_host = [row for row in document["cells"]["reads"] if row["cause"] == "host"]
    steps, reads = (sum(row[key] for row in of_host) for key in ("steps", "reads"))
    assert figures["retries_per_read"] == pytest.approx(steps / reads)
    parts = [PARTS[name].value(document) for name in PARTS if name.startswith("read_")]
    assert sum(part or 0 for part in parts) == pytest.approx(figures["read_mean_ns"], abs=2)
    assert slcache.Result(json.loads(worn.to_json())).to_dict() == document
    moved = slcache.run(trace, device="tiny", scheme="baseline", settings=WORN | UPKEEP).to_dict()
    assert OF_CELLS & moved["figures"].keys() == OF_CELLS - OF_BAD_BLOCKS
    bad = WORN | {"device.cells.bad_blocks.retire": True}
    worse = slcache.run(trace, device="tiny", scheme="baseline", settings=bad).to_dict()
    assert worse["figures"].keys() >= OF_BAD_BLOCKS
    assert {"retries_per_read", "read_errors"} <= set(grid.of_runs(["a"], [document]).keys)
    assert "service retry" in charts.components([document])
    document = slcache.run(trace, device="tiny", scheme="baseline").to_dict()
    assert not OF_CELLS & document["figures"].keys()
    assert not {"cells"} & (document.keys() | document["config"]["device"].keys())
    assert "read_errors" not in document["host"]
    assert not {"rule", "by_rule"} & document["wear"].keys()
    assert all(
        "cells" not in chips.get("tlc", {}) for chips in document["config"]["device"]["pool"]
    )
    assert not OF_CELLS & set(grid.of_runs(["a"], [document]).keys)
    assert "service retry" not in charts.components([document])
    told = {row["name"] for row in json.loads(_core.figures()) if row.get("needs") in NEEDS}
    assert told == OF_CELLS > OF_UPKEEP | OF_BAD_BLOCKS


@pytest.mark.parametrize("cells", [True, False])
def test_log_and_why_tell_retries_of_cells(cells: bool, trace: Path, tmp_path: Path) -> None:
    path = tmp_path / "requests.parquet"
    settings = WORN if cells else {}
    slcache.run(trace, device="tiny", scheme="tlc-only", settings=settings, log=path)
    table = pq.read_table(path)
    assert ("service_retry_ns" in table.column_names) == cells
    parts = [n for n in table.column_names if n.startswith(("service_", "wait_"))]
    log = {name: table[name].to_numpy() for name in [*parts, "latency_ns"]}
    assert (sum(log[name] for name in parts if name != "service_ns") == log["latency_ns"]).all()
    done = command("why", path, "--slowest", "3", "--operation", "read", "--json")
    assert done.returncode == 0, done.stderr
    assert (b"reading again" in done.stdout or b"retry" in done.stdout) == cells


ROOM = "waiting for room in the DRAM buffer behind "


def waits() -> list[str]:
    """Return the names of all waiting that results may have, but of causes."""
    schema = schemata.schema("result")
    attribution = schema["$defs"]["Attribution"]["properties"]["wait"]["propertyNames"]
    causes = schema["$defs"]["Cause"]["enum"]
    return [name for name in attribution["enum"] if name not in causes]


def test_every_wait_has_a_colour_and_words_of_its_own() -> None:
    told = {name: kinds.WAITS[name] for name in waits()}
    for part in ("colour", "words"):
        assert len({getattr(kind, part) for kind in kinds.WAITS.values()}) == len(kinds.WAITS)
    for name, kind in told.items():
        assert kind.words.startswith(ROOM) == name.startswith("buffer-"), name


def behind(requests: int, lag_ns: int, duration_ns: int = 400_000_000_000) -> str:
    """Return what is said of a run of so long, of which so much was after the last arrival."""
    host = {"duration_ns": duration_ns, "iops": 50.0}
    backlog = {"requests_max": requests, "lag_ns": lag_ns} if requests else None
    document: Any = {"host": {**host, "backlog": backlog}, "trace": {"offered_iops": 100.0}}
    return overload("baseline", document)


def test_a_device_that_ends_long_after_the_last_request_is_told() -> None:
    told = behind(1_234_567, 300_000_000_000)
    assert told.startswith("baseline: the device does not keep up with the trace")
    for figure in ("1,234,567 requests", "offered 100 requests/s, served 50: 2.00 times"):
        assert figure in told
    keeping_up = ((0, 0), (3, 900_000), (90, 3_000_000_000))
    assert [behind(*backlog) for backlog in keeping_up] == [""] * 3
