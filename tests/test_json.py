"""The JSON documents: pure on standard output, as their schemas say, the same every time."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support import mixed, slcache, write_trace

RUN = ("--device", "tiny", "--json", "--progress", "always")
MUST_EXIST = (
    "config",
    "trace.requests",
    "trace.sha256",
    *(
        f"host.{side}.latency_us.{key}"
        for side in ("read", "write")
        for key in ("mean", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
    ),
    *(f"host.{side}.{key}" for side in ("read", "write") for key in ("requests", "bytes")),
    "flash.ops",
    "waf.total",
    "waf.by_cause",
    "wear",
    "scheme.name",
    *(f"provenance.{key}" for key in ("version", "seed", "config_hash")),
    *(f"sim.{key}" for key in ("wall_s", "requests_per_s", "peak_rss_bytes")),
)


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of a schema as the verb prints it: nothing else is at hand."""
    return Draft202012Validator(json.loads(slcache("explain", "--schema", name).stdout))


def comparable(document: dict[str, Any]) -> str:
    """Return a result document without what legitimately differs between equal runs."""
    kept = {key: value for key, value in document.items() if key != "sim"}
    kept["provenance"] = {
        key: value for key, value in document["provenance"].items() if key not in ("time", "host")
    }
    return json.dumps(kept)


@pytest.mark.parametrize("scheme", ["tlc-only", "baseline"])
def test_run_prints_one_document_as_its_schema_says(trace: Path, scheme: str) -> None:
    done = slcache("run", trace, "--scheme", scheme, *RUN)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    validator("run").validate(document)
    for path in MUST_EXIST:
        value = document
        for key in path.split("."):
            value = value[key]
    assert document["scheme"]["name"] == scheme
    assert document["trace"]["requests"] == len(mixed())


def test_compare_prints_one_document_as_its_schema_says(trace: Path) -> None:
    done = slcache("compare", trace, "--schemes", "tlc-only,baseline", *RUN)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    validator("compare").validate(document)
    assert [run["scheme"]["name"] for run in document["runs"]] == ["tlc-only", "baseline"]
    table = document["normalised"]
    assert table["to"] == "tlc-only"
    means = [run["host"]["write"]["latency_us"]["mean"] for run in document["runs"]]
    assert table["schemes"]["baseline"]["write_mean"] == means[1] / means[0]


@pytest.mark.parametrize("share", [0.0, 1.0], ids=["only reads", "only writes"])
def test_one_sided_traces_keep_to_the_schema(tmp_path: Path, share: float) -> None:
    trace = write_trace(tmp_path / "t.csv", mixed(60, write_share=share))
    done = slcache("compare", trace, "--schemes", "tlc-only,baseline", *RUN)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    validator("compare").validate(document)
    side = "write" if share == 0.0 else "read"
    assert document["normalised"]["schemes"]["baseline"][f"{side}_mean"] is None
    for run in document["runs"]:
        assert set(run["host"][side]["latency_us"].values()) == {None}
        assert set(run["host"][side]["requests_beyond"].values()) == {0}
        assert set(run["host"]["flush"]["latency_us"].values()) == {None}
        wrong = json.loads(json.dumps(run))
        wrong["host"][side]["latency_us"]["p99"] = "none"
        assert not validator("run").is_valid(wrong)


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
    document = json.loads(slcache("explain", "--schema", name).stdout)
    Draft202012Validator.check_schema(document)
    assert document["title"]
    for reference in references(document):
        assert reference.startswith("#/"), reference
        place = document
        for step in reference.split("/")[1:]:
            place = place[step]


def test_cliff_prints_one_document_as_its_schema_says() -> None:
    for pattern in ((), ("--pattern", "bursts", "--bursts", "2", "--pause", "1h")):
        done = slcache("cliff", "--schemes", "tlc-only,baseline", *pattern, *RUN)
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        validator("cliff").validate(document)
        assert set(document["schemes"]) == {"tlc-only", "baseline"}
        del document["schemes"]["baseline"]["cliff_gib"]
        assert not validator("cliff").is_valid(document)


def test_the_same_inputs_give_the_same_document_in_another_process(trace: Path) -> None:
    texts = set()
    for hash_seed in ("0", "1", "4242"):
        done = slcache(
            "run", trace, "--scheme", "baseline", *RUN, environment={"PYTHONHASHSEED": hash_seed}
        )
        texts.add(comparable(json.loads(done.stdout)))
    assert len(texts) == 1


def test_another_seed_is_recorded(trace: Path) -> None:
    done = slcache("run", trace, "--scheme", "baseline", "--seed", "5", *RUN)
    assert json.loads(done.stdout)["provenance"]["seed"] == 5


def test_standard_input_can_be_compared(trace: Path) -> None:
    done = slcache("compare", "-", "--schemes", "tlc-only,baseline", *RUN, stdin=trace.read_bytes())
    assert done.returncode == 0, done.stderr
    assert b"standard input" in done.stderr
    document = json.loads(done.stdout)
    assert {run["trace"]["path"] for run in document["runs"]} == {"-"}
    assert len({run["trace"]["sha256"] for run in document["runs"]}) == 1


def test_trace_info_and_lint_print_one_document(trace: Path) -> None:
    for verb in ("info", "lint"):
        done = slcache("trace", verb, trace, "--json")
        assert done.returncode == 0, done.stderr
        assert isinstance(json.loads(done.stdout), dict)
