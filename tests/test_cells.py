"""Cells that err: what a result tells of them, and nothing where there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import slcache
from slcache import _core
from slcache.charts import latency as charts
from slcache.metrics import METRICS, PARTS
from slcache.tables import sheets
from support import mixed, write_trace
from support import slcache as command

#: Half-worn cells whose data are old: every read of them takes steps.
WORN = {"device.cells.start.tlc.cycles": 50, "device.cells.start.tlc.days": 90}
UPKEEP = {
    "device.cells.age_scale": 86_400,
    "device.cells.reclaim.reads": 20,
    "device.cells.refresh.scrub": "patrol",
}
#: All figures of cells, and those that only devices with upkeep or with bad blocks have.
OF_CELLS = {name for name, metric in (METRICS | PARTS).items() if metric.of_cells}
OF_BAD_BLOCKS = {"retired_blocks", "spare_blocks_left", "mean_damage", "end_host_bytes"}
OF_UPKEEP = {
    name
    for name in OF_CELLS
    if name.endswith(("_refresh_ns", "_reclaim_ns", "_wear_ns")) or name.endswith("ed_blocks")
} - OF_BAD_BLOCKS


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("cells") / "t.csv", mixed(600, write_share=0.4))


@pytest.fixture(scope="module")
def worn(trace: Path) -> slcache.Result:
    return slcache.run(trace, device="tiny", scheme="baseline", settings=WORN)


def test_a_result_tells_what_reads_took(worn: slcache.Result) -> None:
    document = worn.to_dict()
    rows = {(row["mode"], row["cause"]): row for row in document["cells"]["reads"]}
    host = rows["tlc", "host"]
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
    assert {"retries_per_read", "read_errors"} <= set(sheets.of_runs(["a"], [document]).columns)
    assert "service retry" in charts.components([document])


def test_a_result_without_cells_has_none_of_it(trace: Path) -> None:
    document = slcache.run(trace, device="tiny", scheme="baseline").to_dict()
    assert not OF_CELLS & document["figures"].keys()
    assert not {"cells"} & (document.keys() | document["config"]["device"].keys())
    assert "read_errors" not in document["host"]
    assert not {"rule", "by_rule"} & document["wear"].keys()
    assert all(
        "cells" not in chips.get("tlc", {}) for chips in document["config"]["device"]["pool"]
    )
    columns = sheets.of_runs(["a"], [document]).columns
    assert not OF_CELLS & set(columns)
    assert "service retry" not in charts.components([document])
    told = {row["name"] for row in json.loads(_core.figures()) if row.get("of_cells")}
    assert told == OF_CELLS > OF_UPKEEP | OF_BAD_BLOCKS


def test_a_result_tells_of_blocks_that_moved(trace: Path) -> None:
    document = slcache.run(
        trace, device="tiny", scheme="baseline", settings={**WORN, **UPKEEP}
    ).to_dict()
    figures, upkeep = document["figures"], document["cells"]["upkeep"]
    assert OF_CELLS & figures.keys() == OF_CELLS - OF_BAD_BLOCKS
    assert figures["reclaimed_blocks"] == upkeep["reclaimed_blocks"] > 0
    assert figures["refreshed_blocks"] == upkeep["refreshed_blocks"]
    assert document["waf"]["by_cause"]["reclaim"] > 0


def test_a_run_ends_with_results_where_the_device_does(trace: Path, tmp_path: Path) -> None:
    settings = WORN | {
        "device.cells.start.tlc.cycles": 1_000_000,
        "device.cells.bad_blocks.retire": True,
        "device.cells.bad_blocks.end_of_life": "first-plane-without-spare",
    }
    writes = write_trace(tmp_path / "writes.csv", mixed(20_000, write_share=1.0))
    document = slcache.run(writes, device="tiny", scheme="tlc-only", settings=settings).to_dict()
    bad, figures = document["cells"]["bad_blocks"], document["figures"]
    assert figures.keys() >= OF_BAD_BLOCKS
    assert bad["end"]["reason"] == "first-plane-without-spare"
    assert (
        bad["end"]["host_bytes"] == figures["end_host_bytes"] == document["host"]["write"]["bytes"]
    )
    served = document["host"]["requests"] + bad["end"]["unserved_requests"]
    assert served == document["trace"]["requests"] == 20_000


@pytest.mark.parametrize("cells", [True, False])
def test_the_log_and_why_tell_retries_where_cells_err(
    cells: bool, trace: Path, tmp_path: Path
) -> None:
    path = tmp_path / "requests.parquet"
    settings = WORN if cells else {}
    slcache.run(trace, device="tiny", scheme="tlc-only", settings=settings, log=path)
    table = pq.read_table(path)
    assert ("service_retry_ns" in table.column_names) == cells
    parts = [n for n in table.column_names if n.startswith(("service_", "wait_"))]
    log = {name: table[name].to_numpy() for name in [*parts, "latency_ns"]}
    told = sum(log[name] for name in parts if name != "service_ns")
    assert (told == log["latency_ns"]).all()
    done = command("why", path, "--slowest", "3", "--operation", "read", "--json")
    assert done.returncode == 0, done.stderr
    assert (b"reading again" in done.stdout or b"retry" in done.stdout) == cells
