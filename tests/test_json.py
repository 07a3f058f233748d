"""The JSON documents: pure on standard output, as their schemas say, the same every time."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

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
    """Return the validator of a published schema."""
    folder = resources.files("slcache") / "schema"
    documents = [
        json.loads((folder / f"{which}.schema.json").read_text()) for which in ("result", "compare")
    ]
    registry: Registry[Any] = Registry().with_resources(
        [(document["$id"], Resource.from_contents(document)) for document in documents]
    )
    chosen = documents[0] if name == "result" else documents[1]
    return Draft202012Validator(chosen, registry=registry)


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
    validator("result").validate(document)
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
    missing = "write_mean" if share == 0.0 else "read_mean"
    assert document["normalised"]["schemes"]["baseline"][missing] is None


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
