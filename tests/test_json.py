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


def test_the_same_inputs_give_the_same_document_in_another_process(trace: Path) -> None:
    texts = set()
    for hash_seed in ("0", "4242"):
        done = slcache(
            "run", trace, "--scheme", "baseline", *RUN, environment={"PYTHONHASHSEED": hash_seed}
        )
        texts.add(comparable(json.loads(done.stdout)))
    assert len(texts) == 1
