"""The catalogue of metrics is the model's table, and every document has its figures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import slcache
from slcache import _core
from slcache.metrics import GAIN_SHARE, METRICS, PARTS
from slcache.words import kinds
from support import mixed, write_trace


def test_metrics_read_what_the_document_holds(comparison: slcache.Comparison) -> None:
    for document in comparison.documents:
        told = {name: metric.value(document) for name, metric in METRICS.items()}
        host = document["host"]
        assert told["read_p99_ns"] == pytest.approx(1000 * host["read"]["latency_us"]["p99"])
        assert told["write_mean_ns"] == pytest.approx(1000 * host["write"]["latency_us"]["mean"])
        assert told["waf"] == document["waf"]["total"]
        assert told["slc_bytes"] == document["cache"]["slc_bytes"]
        assert told["iops"] == pytest.approx(host["requests"] / (told["duration_ns"] or 0) * 1e9)
        # Four planes that work alone.
        flash_ns = sum(op["time_us"] for op in document["flash"]["ops"]) * 1000
        assert told["utilisation"] == pytest.approx(flash_ns / 4 / host["duration_ns"])
        assert told["energy_j"] is None
        assert told["miss_rate"] is None


@pytest.mark.parametrize("device", ["tiny", "nvc-hdd", "hyssd-st"])
def test_every_document_has_the_figures_of_the_table(device: str, tmp_path: Path) -> None:
    table = {row["name"]: row for row in json.loads(_core.figures())}
    alone = {name: metric for name, metric in (METRICS | PARTS).items() if name != GAIN_SHARE}
    assert {name: metric.unit for name, metric in alone.items()} == {
        name: row["unit"] for name, row in table.items()
    }
    trace = write_trace(tmp_path / "t.csv", mixed(200))
    schemes, _ = slcache.fitting(device=device)
    for scheme in schemes[:4]:
        settings = {"run.bound": True, "trace.address": "wrap"}
        run = slcache.run(trace, device=device, scheme=scheme, settings=settings)
        document = run.to_dict()
        always = {name for name, row in table.items() if not row.get("of_cells")}
        assert document["figures"].keys() == always
        assert slcache.Result(json.loads(run.to_json())).to_dict() == document
        for metric in alone.values():
            assert metric.value(document) == document["figures"].get(metric.name)
        assert METRICS[GAIN_SHARE].value(document) is None


def test_every_component_has_words_and_a_colour_of_its_own() -> None:
    words = json.loads(_core.kinds())
    tables = {"service": kinds.SERVICES, "wait": kinds.WAITS, "causes": kinds.CAUSES}
    for group, table in tables.items():
        assert {name: kind.words for name, kind in table.items()} == words[group]


def test_whole_metrics_are_whole_and_parts_add_up_to_the_means(
    comparison: slcache.Comparison,
) -> None:
    for document in comparison.documents:
        for metric in METRICS.values():
            value = metric.value(document)
            assert value is None or isinstance(value, int) == metric.whole, metric.name
        for side in ("read", "write"):
            parts = [PARTS[name].value(document) for name in PARTS if name.startswith(f"{side}_")]
            mean = METRICS[f"{side}_mean_ns"].value(document)
            assert sum(part or 0.0 for part in parts) == pytest.approx(mean, abs=2)


def test_what_a_run_has_not_is_none(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "writes.csv", mixed(20, write_share=1.0))
    document = slcache.run(trace, device="tiny", scheme="tlc-only").to_dict()
    for name, metric in (METRICS | PARTS).items():
        if name.startswith("read_"):
            assert metric.value(document) is None, name


def test_names_end_in_their_units() -> None:
    endings = {"ns": "_ns", "bytes": "_bytes", "bytes/s": "bytes_per_s", "J": "_j"}
    for metric in (METRICS | PARTS).values():
        assert re.fullmatch("[a-z0-9_]+", metric.name)
        assert metric.name.endswith(endings.get(metric.unit, "")), metric.name
        assert metric.summary.endswith(".")
