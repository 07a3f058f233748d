"""JSON documents are as their schemas say, and their figures those of the catalogue."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import slcache
from slcache import _core
from slcache.metrics import GAIN_SHARE, METRICS, PARTS
from slcache.words import kinds
from support import json_of, mixed, write_trace
from support import slcache as command


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
    for document in comparison.documents:
        for metric in METRICS.values():
            value = metric.value(document)
            assert value is None or isinstance(value, int) == metric.whole, metric.name
        for side in ("read", "write"):
            parts = [PARTS[name].value(document) for name in PARTS if name.startswith(f"{side}_")]
            mean = METRICS[f"{side}_mean_ns"].value(document)
            assert sum(part or 0.0 for part in parts) == pytest.approx(mean, abs=2)


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
    endings = {"ns": "_ns", "bytes": "_bytes", "bytes/s": "bytes_per_s", "J": "_j"}
    for metric in (METRICS | PARTS).values():
        assert re.fullmatch("[a-z0-9_]+", metric.name)
        assert metric.name.endswith(endings.get(metric.unit, "")), metric.name
        assert metric.summary.endswith(".")


def test_what_a_run_has_not_is_none(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "writes.csv", mixed(20, write_share=1.0))
    document = slcache.run(trace, device="tiny", scheme="tlc-only").to_dict()
    for name, metric in (METRICS | PARTS).items():
        if name.startswith("read_"):
            assert metric.value(document) is None, name


RUN = ("--device", "tiny", "--json", "--progress", "always")


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of a schema as the verb prints it: nothing else is at hand."""
    return Draft202012Validator(json.loads(command("explain", "--schema", name).stdout))


def comparable(document: dict[str, Any]) -> str:
    """Return a result document without what legitimately differs between equal runs."""
    kept = {key: value for key, value in document.items() if key != "sim"}
    kept["provenance"] = {
        key: value for key, value in document["provenance"].items() if key not in ("time", "host")
    }
    return json.dumps(kept)


@pytest.mark.parametrize("share", [0.0, 1.0], ids=["only reads", "only writes"])
def test_one_sided_traces_keep_to_the_schema(tmp_path: Path, share: float) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(60, write_share=share))
    document = json_of("compare", trace, "--schemes", "tlc-only,baseline", *RUN)
    validator("compare").validate(document)
    side = "write" if share == 0.0 else "read"
    assert document["normalised"]["schemes"]["baseline"][f"{side}_mean"] is None
    for run in document["runs"]:
        assert set(run["host"][side]["latency_us"].values()) == {None}
        assert set(run["host"][side]["requests_beyond"].values()) == {0}
        assert set(run["host"]["flush"]["latency_us"].values()) == {None}


def references(node: object) -> list[str]:
    """Return every reference of a schema."""
    inner = list(node.values()) if isinstance(node, dict) else node
    if not isinstance(inner, list):
        return []
    own = [node["$ref"]] if isinstance(node, dict) and "$ref" in node else []
    return own + [found for each in inner for found in references(each)]


@pytest.mark.parametrize(
    "name",
    ["config", "run", "result", "compare", "cliff", "reproduce", "sweep", "tune", "trace-info"],
)
def test_a_schema_is_whole_in_itself(name: str) -> None:
    document = json.loads(command("explain", "--schema", name).stdout)
    Draft202012Validator.check_schema(document)
    assert document["title"]
    for reference in references(document):
        assert reference.startswith("#/"), reference
        place = document
        for step in reference.split("/")[1:]:
            place = place[step]


def test_cliff_prints_one_document_as_its_schema_says() -> None:
    for pattern in ((), ("--pattern", "bursts", "--bursts", "2", "--pause", "1h")):
        document = json_of("cliff", "--schemes", "tlc-only,baseline", *pattern, *RUN)
        validator("cliff").validate(document)
        assert set(document["schemes"]) == {"tlc-only", "baseline"}


def test_the_same_inputs_give_the_same_document_in_another_process(trace: Path) -> None:
    texts = set()
    for hash_seed in ("0", "4242"):
        done = command(
            "run", trace, "--scheme", "baseline", *RUN, environment={"PYTHONHASHSEED": hash_seed}
        )
        texts.add(comparable(json.loads(done.stdout)))
    assert len(texts) == 1
